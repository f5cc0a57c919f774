module {
  func.func @main() -> tensor<4xi8> {
    %c = "tosa.const"() {values = dense<1> : tensor<4xi8>} : () -> tensor<4xi8>
    return %c : tensor<4xi8>
  }
}
