module {
  func.func @main(%x: tensor<1x64x64xf32>) -> tensor<1x64x64xf32> {
    %a = "acme.fancy"(%x) : (tensor<1x64x64xf32>) -> tensor<1x64x64xf32>
    %b = tosa.tanh %a : (tensor<1x64x64xf32>) -> tensor<1x64x64xf32>
    return %b : tensor<1x64x64xf32>
  }
}
