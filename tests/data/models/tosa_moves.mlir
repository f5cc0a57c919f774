// SPDX-License-Identifier: Apache-2.0
// Composed: operators of TOSA 1.0 that move elements, products, transforms, control and variables.
module @moves {
  tosa.variable @counter = dense<3> : tensor<1xi32>
  func.func @main(%a: tensor<2x3x4xf32>, %b: tensor<2x4x5xf32>, %img: tensor<1x4x4x2xi8>, %idx: tensor<2x7xi32>, %new: tensor<2x7x4xf32>, %c: tensor<i1>, %wave: tensor<2x4x8xf32>) -> (tensor<2x3x5xf32>, tensor<3x1x2x4xf32>, tensor<2x7x4xf32>, tensor<2x3x4xf32>, tensor<1x8x8x2xi8>, tensor<2x4x5xf32>, tensor<2x4x8xf32>, tensor<1xi32>, tensor<1xi32>, tensor<6x3x4xf32>) {
    %z = "tosa.const"() <{values = dense<0.0> : tensor<1xf32>}> : () -> tensor<1xf32>
    %0 = tosa.matmul %a, %b, %z, %z : (tensor<2x3x4xf32>, tensor<2x4x5xf32>, tensor<1xf32>, tensor<1xf32>) -> tensor<2x3x5xf32>
    %1 = tosa.transpose %a {perms = array<i32: 1, 0, 2>} : (tensor<2x3x4xf32>) -> tensor<3x2x4xf32>
    %s = tosa.const_shape {values = dense<[3, 1, 2, -1]> : tensor<4xindex>} : () -> !tosa.shape<4>
    %2 = tosa.reshape %1, %s : (tensor<3x2x4xf32>, !tosa.shape<4>) -> tensor<3x1x2x4xf32>
    %3 = tosa.gather %a, %idx : (tensor<2x3x4xf32>, tensor<2x7xi32>) -> tensor<2x7x4xf32>
    %4 = tosa.scatter %new, %idx, %3 : (tensor<2x7x4xf32>, tensor<2x7xi32>, tensor<2x7x4xf32>) -> tensor<2x7x4xf32>
    %5 = tosa.reverse %a {axis = 1 : i32} : (tensor<2x3x4xf32>) -> tensor<2x3x4xf32>
    %scale = tosa.const_shape {values = dense<[4, 2, 4, 2]> : tensor<4xindex>} : () -> !tosa.shape<4>
    %offset = tosa.const_shape {values = dense<-1> : tensor<2xindex>} : () -> !tosa.shape<2>
    %border = tosa.const_shape {values = dense<1> : tensor<2xindex>} : () -> !tosa.shape<2>
    %6 = tosa.resize %img, %scale, %offset, %border {mode = NEAREST_NEIGHBOR} : (tensor<1x4x4x2xi8>, !tosa.shape<4>, !tosa.shape<2>, !tosa.shape<2>) -> tensor<1x8x8x2xi8>
    %re, %im = tosa.rfft2d %wave : (tensor<2x4x8xf32>) -> (tensor<2x4x5xf32>, tensor<2x4x5xf32>)
    %re2, %im2 = tosa.fft2d %wave, %wave {inverse = false} : (tensor<2x4x8xf32>, tensor<2x4x8xf32>) -> (tensor<2x4x8xf32>, tensor<2x4x8xf32>)
    %pads = tosa.const_shape {values = dense<[1, 1, 0, 0, 0, 2]> : tensor<6xindex>} : () -> !tosa.shape<6>
    %7 = tosa.pad %a, %pads, %z : (tensor<2x3x4xf32>, !tosa.shape<6>, tensor<1xf32>) -> tensor<4x3x6xf32>
    %from = tosa.const_shape {values = dense<[1, 0, 0]> : tensor<3xindex>} : () -> !tosa.shape<3>
    %size = tosa.const_shape {values = dense<[2, 3, 4]> : tensor<3xindex>} : () -> !tosa.shape<3>
    %8 = tosa.slice %7, %from, %size : (tensor<4x3x6xf32>, !tosa.shape<3>, !tosa.shape<3>) -> tensor<2x3x4xf32>
    %times = tosa.const_shape {values = dense<[2, 1, 1]> : tensor<3xindex>} : () -> !tosa.shape<3>
    %9 = tosa.tile %8, %times : (tensor<2x3x4xf32>, !tosa.shape<3>) -> tensor<4x3x4xf32>
    %10 = tosa.concat %9, %a {axis = 0 : i32} : (tensor<4x3x4xf32>, tensor<2x3x4xf32>) -> tensor<6x3x4xf32>
    %11 = tosa.identity %10 : (tensor<6x3x4xf32>) -> tensor<6x3x4xf32>
    %12 = tosa.cond_if %c (%t = %a, %u = %5) : tensor<i1> (tensor<2x3x4xf32>, tensor<2x3x4xf32>) -> tensor<2x3x4xf32> {
    ^bb0(%x: tensor<2x3x4xf32>, %y: tensor<2x3x4xf32>):
      %k = tosa.add %x, %y : (tensor<2x3x4xf32>, tensor<2x3x4xf32>) -> tensor<2x3x4xf32>
      tosa.yield %k : tensor<2x3x4xf32>
    } else {
    ^bb0(%x: tensor<2x3x4xf32>, %y: tensor<2x3x4xf32>):
      tosa.yield %x : tensor<2x3x4xf32>
    }
    %13 = tosa.variable_read @counter : tensor<1xi32>
    %one = "tosa.const"() <{values = dense<1> : tensor<1xi32>}> : () -> tensor<1xi32>
    tosa.variable_write @counter, %one : tensor<1xi32>
    %14 = tosa.while_loop (%n = %13) : (tensor<1xi32>) -> tensor<1xi32> {
      %limit = "tosa.const"() <{values = dense<10> : tensor<i32>}> : () -> tensor<i32>
      %flag = "tosa.const"() <{values = dense<false> : tensor<i1>}> : () -> tensor<i1>
      tosa.yield %flag : tensor<i1>
    } do {
    ^bb0(%m: tensor<1xi32>):
      %o = tosa.add %m, %one : (tensor<1xi32>, tensor<1xi32>) -> tensor<1xi32>
      tosa.yield %o : tensor<1xi32>
    }
    %15 = tosa.custom %13 {domain_name = "vendor.example", implementation_attrs = "fast", operator_name = "twirl"} : (tensor<1xi32>) -> tensor<1xi32>
    return %0, %2, %4, %12, %6, %re, %re2, %14, %15, %11 : tensor<2x3x5xf32>, tensor<3x1x2x4xf32>, tensor<2x7x4xf32>, tensor<2x3x4xf32>, tensor<1x8x8x2xi8>, tensor<2x4x5xf32>, tensor<2x4x8xf32>, tensor<1xi32>, tensor<1xi32>, tensor<6x3x4xf32>
  }
}
