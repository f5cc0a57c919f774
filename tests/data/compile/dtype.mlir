module {
  func.func @main(%x: tensor<4xq7>) -> tensor<4xq7> {
    %b = tosa.tanh %x : (tensor<4xq7>) -> tensor<4xq7>
    return %b : tensor<4xq7>
  }
}
