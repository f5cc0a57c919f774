// SPDX-License-Identifier: Apache-2.0
// Composed: open dimensions that the arguments' settle; several functions, none called main.
// dump: --dim arg0.0=4 --dim %arg1.1=6
#loc3 = loc("net.py":30:1)
!act = tensor<?x8xf32>
func.func private @helper(%a: tensor<2xf32>) -> tensor<2xf32> {
  return %a : tensor<2xf32>
}
func.func private @declared(tensor<2xf32>) -> tensor<2xf32>
func.func @first(%a: !act, %b: tensor<1x?xf32>) -> (tensor<?x?xf32>, tensor<*xf32>, tensor<?xi32>) {
  %0 = tosa.add %a, %a : (!act, !act) -> !act loc("net.py":12:3)
  %s = tosa.const_shape {values = dense<[1, -1]> : tensor<2xindex>} : () -> !tosa.shape<2>
  %1 = tosa.reshape %0, %s : (!act, !tosa.shape<2>) -> tensor<?x?xf32> loc(fused["a", #loc3])
  %2 = tosa.concat %1, %b {axis = 1 : i32} : (tensor<?x?xf32>, tensor<1x?xf32>) -> tensor<?x?xf32> loc(#loc3)
  %3 = tosa.exp %2 : (tensor<?x?xf32>) -> tensor<*xf32> loc(unknown)
  %4 = tosa.argmax %2 {axis = 1 : i32} : (tensor<?x?xf32>) -> tensor<?xi32>
  return %2, %3, %4 : tensor<?x?xf32>, tensor<*xf32>, tensor<?xi32>
}
func.func @second(%a: tensor<2xf32>) -> tensor<2xf32> {
  return %a : tensor<2xf32>
}
