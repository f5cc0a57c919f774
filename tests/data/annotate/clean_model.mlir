// The model whose lines clean.9.executable-targets.mlir names. Line numbers matter.
module {
  func.func @helper(%a: tensor<8xi8>) -> tensor<8xi8> {
    %0 = tosa.add %a, %a : (tensor<8xi8>, tensor<8xi8>) -> tensor<8xi8>
    return %0 : tensor<8xi8> } func.func @main(%x: tensor<8xi8>) -> tensor<8xi8> {
    %1 = call @helper(%x) : (tensor<8xi8>) -> tensor<8xi8>
    return %1 : tensor<8xi8>
  }
}
