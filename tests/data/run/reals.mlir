// SPDX-License-Identifier: Apache-2.0
// Products, sums and functions of real numbers, whose last digits a processor could choose.
module {
  func.func @main(%arg0: tensor<1x16x32xf32>, %arg1: tensor<1x32x16xf32>) -> tensor<1x16x16xf32> {
    %0 = tosa.matmul %arg0, %arg1 : (tensor<1x16x32xf32>, tensor<1x32x16xf32>) -> tensor<1x16x16xf32>
    %1 = tosa.tanh %0 : (tensor<1x16x16xf32>) -> tensor<1x16x16xf32>
    %2 = tosa.exp %1 : (tensor<1x16x16xf32>) -> tensor<1x16x16xf32>
    %3 = tosa.rsqrt %2 : (tensor<1x16x16xf32>) -> tensor<1x16x16xf32>
    %4 = tosa.sigmoid %3 : (tensor<1x16x16xf32>) -> tensor<1x16x16xf32>
    %5 = tosa.add %4, %0 : (tensor<1x16x16xf32>, tensor<1x16x16xf32>) -> tensor<1x16x16xf32>
    return %5 : tensor<1x16x16xf32>
  }
}
