// SPDX-License-Identifier: Apache-2.0
// Composed: what torch's import of ONNX makes, in its own form.
// dump: --dim arg1.0=5
module {
  func.func @graph(%x: !torch.vtensor<[1,3,8,8],f32>, %n: !torch.vtensor<[?,2],si64>) -> (!torch.vtensor<[1,4,6,6],f32>, !torch.vtensor<[2,3],f32>, !torch.vtensor<[4,1,1,8],f32>) attributes {torch.onnx_meta.ir_version = 9 : si64, torch.onnx_meta.opset_version = 19 : si64, torch.onnx_meta.producer_name = "composed"} {
    %none = torch.constant.none
    %w = torch.operator "onnx.Constant"() {torch.onnx.value = dense_resource<_w.0> : tensor<4x3x3x3xf32>} : () -> !torch.vtensor<[4,3,3,3],f32>
    %b = torch.operator "onnx.Constant"() {torch.onnx.value = dense<[0.1, 0.2, -0.3, 4.0e-1]> : tensor<4xf32>} : () -> !torch.vtensor<[4],f32>
    %conv = torch.operator "onnx.Conv"(%x, %w, %b) {torch.onnx.auto_pad = "NOTSET", torch.onnx.dilations = [1 : si64, 1 : si64], torch.onnx.group = 1 : si64, torch.onnx.pads = [0 : si64, 0 : si64, 0 : si64, 0 : si64]} : (!torch.vtensor<[1,3,8,8],f32>, !torch.vtensor<[4,3,3,3],f32>, !torch.vtensor<[4],f32>) -> !torch.vtensor<[1,4,6,6],f32>
    %shape = torch.operator "onnx.Constant"() {torch.onnx.value = dense<[2, 3]> : tensor<2xsi64>} : () -> !torch.vtensor<[2],si64>
    %fill = torch.operator "onnx.ConstantOfShape"(%shape) {torch.onnx.value = dense<1.5> : tensor<1xf32>} : (!torch.vtensor<[2],si64>) -> !torch.vtensor<[2,3],f32>
    %lit = torch.vtensor.literal(dense<2.0> : tensor<1x24x8xf32>) : !torch.vtensor<[1,24,8],f32>
    %lit2 = torch.vtensor.literal(dense<[[[1, 2]]]> : tensor<1x1x2xsi32>) : !torch.vtensor<[1,1,2],si32>
    %seq = torch.operator "onnx.Constant"() {torch.onnx.value = dense<0.0> : tensor<4x1x8xf32>} : () -> !torch.vtensor<[4,1,8],f32>
    %gru:2 = torch.operator "onnx.GRU"(%seq, %lit, %lit, %none, %none) {torch.onnx.activations = ["Sigmoid", "Tanh"], torch.onnx.clip = 3.5 : f32, torch.onnx.hidden_size = 8 : si64, torch.onnx.some_reals = [1.0 : f32, -2.0 : f32]} : (!torch.vtensor<[4,1,8],f32>, !torch.vtensor<[1,24,8],f32>, !torch.vtensor<[1,24,8],f32>, !torch.none, !torch.none) -> (!torch.vtensor<[4,1,1,8],f32>, !torch.vtensor<[1,1,8],f32>)
    return %conv, %fill, %gru#0 : !torch.vtensor<[1,4,6,6],f32>, !torch.vtensor<[2,3],f32>, !torch.vtensor<[4,1,1,8],f32>
  }
}

{-#
  dialect_resources: {
    builtin: {
      _w.0: "0x04000000000000000000003E0000803E0000C03E0000003F0000203F0000403F0000603F0000803F0000903F0000A03F0000B03F0000C03F0000D03F0000E03F0000F03F0000004000000840000010400000184000002040000028400000304000003840000040400000484000005040000058400000604000006840000070400000784000008040000084400000884000008C4000009040000094400000984000009C400000A0400000A4400000A8400000AC400000B0400000B4400000B8400000BC400000C0400000C4400000C8400000CC400000D0400000D4400000D8400000DC400000E0400000E4400000E8400000EC400000F0400000F4400000F8400000FC40000000410000024100000441000006410000084100000A4100000C4100000E41000010410000124100001441000016410000184100001A4100001C4100001E41000020410000224100002441000026410000284100002A4100002C4100002E41000030410000324100003441000036410000384100003A4100003C4100003E41000040410000424100004441000046410000484100004A4100004C4100004E4100005041000052410000544100005641"
    }
  }
#-}
