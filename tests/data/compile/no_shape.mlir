module {
  func.func @main(%x: tensor<1x64xf32>) -> tensor<?x64xf32> {
    %a = "acme.fancy"(%x) : (tensor<1x64xf32>) -> tensor<?x64xf32>
    %b = tosa.tanh %a : (tensor<?x64xf32>) -> tensor<?x64xf32>
    return %b : tensor<?x64xf32>
  }
}
