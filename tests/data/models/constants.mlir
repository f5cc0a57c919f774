// SPDX-License-Identifier: Apache-2.0
// Composed: constants of all element types and forms; the values are in the expected output.
module {
  func.func @main() -> tensor<2x2xi8> {
    %i1 = "tosa.const"() <{values = dense<[[true, false, true], [false, false, true]]> : tensor<2x3xi1>}> : () -> tensor<2x3xi1>
    %i1line = "tosa.const"() <{values = dense<[true, false, true, true, false, false, true, false, true]> : tensor<9xi1>}> : () -> tensor<9xi1>
    %i1splat = "tosa.const"() <{values = dense<true> : tensor<3x3xi1>}> : () -> tensor<3x3xi1>
    %i4 = "tosa.const"() <{values = dense<[[1, -1, 7], [-8, 0, 5]]> : tensor<2x3xi4>}> : () -> tensor<2x3xi4>
    %i4line = "tosa.const"() <{values = dense<[1, -1, 7]> : tensor<3xi4>}> : () -> tensor<3xi4>
    %i8 = "tosa.const"() <{values = dense<[[1, -2], [127, -128]]> : tensor<2x2xi8>}> : () -> tensor<2x2xi8>
    %i8hex = "tosa.const"() <{values = dense<"0x01FE7F80"> : tensor<2x2xi8>}> : () -> tensor<2x2xi8>
    %i8line = "tosa.const"() <{values = dense<[3, 1, -4]> : tensor<3xi8>}> : () -> tensor<3xi8>
    %i16 = "tosa.const"() <{values = dense<[[[-32768, 32767]], [[258, -1]]]> : tensor<2x1x2xi16>}> : () -> tensor<2x1x2xi16>
    %i32 = "tosa.const"() <{values = dense<[[16909060, -2147483648]]> : tensor<1x2xi32>}> : () -> tensor<1x2xi32>
    %i48 = "tosa.const"() <{values = dense<[[1108152157446, -1]]> : tensor<1x2xi48>}> : () -> tensor<1x2xi48>
    %i64 = "arith.constant"() <{value = dense<[[72623859790382856, -9223372036854775808]]> : tensor<1x2xi64>}> : () -> tensor<1x2xi64>
    %ui8 = "arith.constant"() <{value = dense<[[255, 0]]> : tensor<1x2xui8>}> : () -> tensor<1x2xui8>
    %ui64 = "arith.constant"() <{value = dense<[18446744073709551615, 1]> : tensor<2xui64>}> : () -> tensor<2xui64>
    %f32 = "tosa.const"() <{values = dense<[[1.0, -2.5], [3.14159274, 0x7F800000]]> : tensor<2x2xf32>}> : () -> tensor<2x2xf32>
    %f32line = "tosa.const"() <{values = dense<[1.0e-45, 3.0e38, 0xFFC00000, -0.0]> : tensor<4xf32>}> : () -> tensor<4xf32>
    %f64 = "arith.constant"() <{value = dense<[0.1, -1.0e300]> : tensor<2xf64>}> : () -> tensor<2xf64>
    %f16 = "tosa.const"() <{values = dense<[1.0, 65504.0, 6.0e-08, 0.333251953125, 0x7E00]> : tensor<5xf16>}> : () -> tensor<5xf16>
    %bf16 = "tosa.const"() <{values = dense<[[1.0, -3.0], [3.1415927, 0.001]]> : tensor<2x2xbf16>}> : () -> tensor<2x2xbf16>
    %f8a = "tosa.const"() <{values = dense<[[1.0, 448.0], [-0.5, 0.001953125]]> : tensor<2x2xf8E4M3FN>}> : () -> tensor<2x2xf8E4M3FN>
    %f8b = "tosa.const"() <{values = dense<[[1.0, 57344.0], [-0.5, 3.0]]> : tensor<2x2xf8E5M2>}> : () -> tensor<2x2xf8E5M2>
    %c = "arith.constant"() <{value = dense<[(1.0,-2.0), (0.5,4.0)]> : tensor<2xcomplex<f32>>}> : () -> tensor<2xcomplex<f32>>
    %same = "tosa.const"() <{values = dense<[[5, 5], [5, 5]]> : tensor<2x2xi16>}> : () -> tensor<2x2xi16>
    %sameline = "tosa.const"() <{values = dense<[9, 9, 9]> : tensor<3xi32>}> : () -> tensor<3xi32>
    %huge = "tosa.const"() <{values = dense<0.125> : tensor<25088x4096x512xf32>}> : () -> tensor<25088x4096x512xf32>
    %none = "arith.constant"() <{value = dense<> : tensor<0x4xf32>}> : () -> tensor<0x4xf32>
    %zero = "tosa.const"() <{values = dense<-7> : tensor<i8>}> : () -> tensor<i8>
    %shape = tosa.const_shape {values = dense<[1, -1]> : tensor<2xindex>} : () -> !tosa.shape<2>
    %empty = tosa.const_shape {values = dense<> : tensor<0xindex>} : () -> !tosa.shape<0>
    %pretty = arith.constant dense<[[1.5, 2.5]]> : tensor<1x2xf32>
    %scalar = arith.constant 1.5 : f32
    %flag = arith.constant true
    %index = arith.constant 12 : index
    %given = "tosa.const"() <{values = dense_resource<weight> : tensor<2x2xf32>}> : () -> tensor<2x2xf32>
    %odd = "tosa.const"() <{values = dense_resource<"odd key!"> : tensor<3xi16>}> : () -> tensor<3xi16>
    %absent = "tosa.const"() <{values = dense_resource<__elided__> : tensor<64x64xf32>}> : () -> tensor<64x64xf32>
    return %i8 : tensor<2x2xi8>
  }
}

{-#
  dialect_resources: {
    builtin: {
      weight: "0x040000000000803F000000400000404000008040",
      "odd key!": "0x020000000100FFFF0201"
    }
  },
  external_resources: {
    mlir_reproducer: {
      pipeline: "builtin.module()",
      threads: false
    }
  }
#-}
