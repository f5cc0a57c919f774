// The model that the locations of two.mlir name. Line numbers matter.
module {
  func.func @main(%arg0: tensor<1x64xi8>) -> tensor<1x64xi8> {
    %0 = "tosa.const"() <{values = dense<1> : tensor<1x64xi8>}> : () -> tensor<1x64xi8>
    // tosa.sub is only spoken of here
    %1 = call @helper(%arg0) : (tensor<1x64xi8>) -> tensor<1x64xi8>
    %2 = tosa.conv2d %1, %0, %0 : (tensor<1x64xi8>) -> tensor<1x64xi8>
    %3:2 = tosa.add %2, %1 : (tensor<1x64xi8>) -> tensor<1x64xi8>
    %4 = torch.operator "onnx.Relu"(%3) : (tensor<1x64xi8>) -> tensor<1x64xi8>
    return %4 : tensor<1x64xi8>
  }
}
