module {
  func.func @main(%x: tensor<4294967296x4294967296x4xf32>) -> tensor<4294967296x4294967296x4xf32> {
    %b = tosa.tanh %x : (tensor<4294967296x4294967296x4xf32>) -> tensor<4294967296x4294967296x4xf32>
    return %b : tensor<4294967296x4294967296x4xf32>
  }
}
