// SPDX-License-Identifier: Apache-2.0
// Integers: what is given comes out with its sign turned, less one.
module {
  func.func @main(%arg0: tensor<4xi8>) -> tensor<4xi8> {
    %0 = tosa.bitwise_not %arg0 : (tensor<4xi8>) -> tensor<4xi8>
    return %0 : tensor<4xi8>
  }
}
