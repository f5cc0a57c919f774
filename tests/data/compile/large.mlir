module {
  func.func @main(%x: tensor<1048576x1048576x1048576xi8>) -> tensor<1048576x1048576x1048576xi8> {
    %b = tosa.add %x, %x : (tensor<1048576x1048576x1048576xi8>, tensor<1048576x1048576x1048576xi8>) -> tensor<1048576x1048576x1048576xi8>
    return %b : tensor<1048576x1048576x1048576xi8>
  }
}
