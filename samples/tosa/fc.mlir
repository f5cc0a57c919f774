module {
  func.func @main(%arg0: tensor<1x1280xi8>) -> tensor<1x1000xi8> {
    %in_shape = tosa.const_shape {values = dense<[1, 1, 1, 1280]> : tensor<4xindex>} : () -> !tosa.shape<4>
    %out_shape = tosa.const_shape {values = dense<[1, 1000]> : tensor<2xindex>} : () -> !tosa.shape<2>
    %weight = "tosa.const"() <{values = dense<3> : tensor<1000x1x1x1280xi8>}> : () -> tensor<1000x1x1x1280xi8>
    %bias = "tosa.const"() <{values = dense<7> : tensor<1000xi32>}> : () -> tensor<1000xi32>
    %zero = "tosa.const"() <{values = dense<0> : tensor<1xi8>}> : () -> tensor<1xi8>
    %zero32 = "tosa.const"() <{values = dense<0> : tensor<1xi32>}> : () -> tensor<1xi32>
    %scale = "tosa.const"() <{values = dense<1431655765> : tensor<1xi32>}> : () -> tensor<1xi32>
    %shift = "tosa.const"() <{values = dense<38> : tensor<1xi8>}> : () -> tensor<1xi8>
    %0 = tosa.reshape %arg0, %in_shape : (tensor<1x1280xi8>, !tosa.shape<4>) -> tensor<1x1x1x1280xi8>
    %1 = tosa.conv2d %0, %weight, %bias, %zero, %zero {acc_type = i32, dilation = array<i64: 1, 1>, pad = array<i64: 0, 0, 0, 0>, stride = array<i64: 1, 1>} : (tensor<1x1x1x1280xi8>, tensor<1000x1x1x1280xi8>, tensor<1000xi32>, tensor<1xi8>, tensor<1xi8>) -> tensor<1x1x1x1000xi32>
    %2 = tosa.rescale %1, %scale, %shift, %zero32, %zero {input_unsigned = false, output_unsigned = false, per_channel = false, rounding_mode = DOUBLE_ROUND, scale32 = true} : (tensor<1x1x1x1000xi32>, tensor<1xi32>, tensor<1xi8>, tensor<1xi32>, tensor<1xi8>) -> tensor<1x1x1x1000xi8>
    %3 = tosa.reshape %2, %out_shape : (tensor<1x1x1x1000xi8>, !tosa.shape<2>) -> tensor<1x1000xi8>
    return %3 : tensor<1x1000xi8>
  }
}
// SPDX-License-Identifier: Apache-2.0
// A vector through a fully connected layer: a 1x1 convolution, as TOSA 1.0 has it.
