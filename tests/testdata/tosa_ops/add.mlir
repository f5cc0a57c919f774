module {
  func.func @main(%arg0: tensor<1x56x56x24xi8>) -> tensor<1x56x56x24xi8> {
    %zero = "tosa.const"() <{values = dense<0> : tensor<1xi8>}> : () -> tensor<1xi8>
    %zero32 = "tosa.const"() <{values = dense<0> : tensor<1xi32>}> : () -> tensor<1xi32>
    %scale = "tosa.const"() <{values = dense<1073741824> : tensor<1xi32>}> : () -> tensor<1xi32>
    %widen = "tosa.const"() <{values = dense<10> : tensor<1xi8>}> : () -> tensor<1xi8>
    %narrow = "tosa.const"() <{values = dense<50> : tensor<1xi8>}> : () -> tensor<1xi8>
    %0 = tosa.rescale %arg0, %scale, %widen, %zero, %zero32 {input_unsigned = false, output_unsigned = false, per_channel = false, rounding_mode = DOUBLE_ROUND, scale32 = true} : (tensor<1x56x56x24xi8>, tensor<1xi32>, tensor<1xi8>, tensor<1xi8>, tensor<1xi32>) -> tensor<1x56x56x24xi32>
    %1 = tosa.add %0, %0 : (tensor<1x56x56x24xi32>, tensor<1x56x56x24xi32>) -> tensor<1x56x56x24xi32>
    %2 = tosa.rescale %1, %scale, %narrow, %zero32, %zero {input_unsigned = false, output_unsigned = false, per_channel = false, rounding_mode = DOUBLE_ROUND, scale32 = true} : (tensor<1x56x56x24xi32>, tensor<1xi32>, tensor<1xi8>, tensor<1xi32>, tensor<1xi8>) -> tensor<1x56x56x24xi8>
    return %2 : tensor<1x56x56x24xi8>
  }
}
// SPDX-License-Identifier: Apache-2.0
// Adds its only input to itself, with the rescaling that integers need.
