// SPDX-License-Identifier: Apache-2.0
// Composed: spellings of TOSA before 1.0, which newer tools refuse, and operators that nobody knows.
module {
  func.func @main(%a: tensor<2x4xf32>, %q: tensor<1x4x4x3x!quant.uniform<i8:f32, 0.5:-3>>, %u: tensor<2x!quant.uniform<u8<1:255>:f32, 0.25>>) -> tensor<4x2xf32> {
    %w = "tosa.const"() <{value = dense<1.0> : tensor<5x4xf32>}> : () -> tensor<5x4xf32>
    %b = "tosa.const"() <{value = dense<0.0> : tensor<5xf32>}> : () -> tensor<5xf32>
    %0 = "tosa.fully_connected"(%a, %w, %b) : (tensor<2x4xf32>, tensor<5x4xf32>, tensor<5xf32>) -> tensor<2x5xf32>
    %1 = "tosa.reshape"(%a) <{new_shape = array<i64: 4, 2>}> : (tensor<2x4xf32>) -> tensor<4x2xf32>
    %2 = "tosa.slice"(%1) <{size = array<i64: 2, 1>, start = array<i64: 2, 1>}> : (tensor<4x2xf32>) -> tensor<2x1xf32>
    %p = "tosa.const"() <{value = dense<[1, 0]> : tensor<2xi32>}> : () -> tensor<2xi32>
    %3 = "tosa.transpose"(%a, %p) : (tensor<2x4xf32>, tensor<2xi32>) -> tensor<4x2xf32>
    %4 = "tosa.mul"(%1, %3) <{shift = 0 : i8}> : (tensor<4x2xf32>, tensor<4x2xf32>) -> tensor<4x2xf32>
    %5 = "tosa.rescale"(%q) <{double_round = false, input_zp = -3 : i32, multiplier = array<i32: 1073741824>, output_zp = 0 : i32, per_channel = false, scale32 = true, shift = array<i8: 30>}> : (tensor<1x4x4x3x!quant.uniform<i8:f32, 0.5:-3>>) -> tensor<1x4x4x3xi32>
    %6 = vendor.magic %4, %u {speed = 11 : i64, quantization_info = #tosa.quant<x = 1>} : (tensor<4x2xf32>, tensor<2x!quant.uniform<u8<1:255>:f32, 0.25>>) -> tensor<4x2xf32>
    return %6 : tensor<4x2xf32>
  }
}
