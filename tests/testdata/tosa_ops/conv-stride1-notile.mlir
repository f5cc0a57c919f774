module {
  func.func @main(%arg0: tensor<1x224x224x3xi8>) -> tensor<1x224x224x8xi8> {
    %weight = "tosa.const"() <{values = dense<2> : tensor<8x3x3x3xi8>}> : () -> tensor<8x3x3x3xi8>
    %bias = "tosa.const"() <{values = dense<0> : tensor<8xi32>}> : () -> tensor<8xi32>
    %zero = "tosa.const"() <{values = dense<0> : tensor<1xi8>}> : () -> tensor<1xi8>
    %zero32 = "tosa.const"() <{values = dense<0> : tensor<1xi32>}> : () -> tensor<1xi32>
    %scale = "tosa.const"() <{values = dense<1717986918> : tensor<1xi32>}> : () -> tensor<1xi32>
    %shift = "tosa.const"() <{values = dense<36> : tensor<1xi8>}> : () -> tensor<1xi8>
    %0 = tosa.conv2d %arg0, %weight, %bias, %zero, %zero {acc_type = i32, dilation = array<i64: 1, 1>, pad = array<i64: 1, 1, 1, 1>, stride = array<i64: 1, 1>} : (tensor<1x224x224x3xi8>, tensor<8x3x3x3xi8>, tensor<8xi32>, tensor<1xi8>, tensor<1xi8>) -> tensor<1x224x224x8xi32>
    %1 = tosa.rescale %0, %scale, %shift, %zero32, %zero {input_unsigned = false, output_unsigned = false, per_channel = false, rounding_mode = DOUBLE_ROUND, scale32 = true} : (tensor<1x224x224x8xi32>, tensor<1xi32>, tensor<1xi8>, tensor<1xi32>, tensor<1xi8>) -> tensor<1x224x224x8xi8>
    return %1 : tensor<1x224x224x8xi8>
  }
}
// SPDX-License-Identifier: Apache-2.0
// A 3x3 convolution of an image, stride 1, and the rescaling of its sums.
