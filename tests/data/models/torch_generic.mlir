// SPDX-License-Identifier: Apache-2.0
// Composed: the generic form of what torch's import of ONNX makes, which mlir-opt reads too.
"builtin.module"() ({
  "func.func"() <{function_type = (!torch.vtensor<[2,4],bf16>) -> !torch.vtensor<[2,3],bf16>, sym_name = "main_graph"}> ({
  ^bb0(%x: !torch.vtensor<[2,4],bf16>):
    %0 = "torch.constant.none"() : () -> !torch.none
    %1 = "torch.operator"() {name = "onnx.Constant", torch.onnx.value = dense_resource<w> : tensor<4x3xbf16>} : () -> !torch.vtensor<[4,3],bf16>
    %2 = "torch.operator"() {name = "onnx.Constant", torch.onnx.value = dense<[1, 0]> : tensor<2xsi64>} : () -> !torch.vtensor<[2],si64>
    %3 = "torch.operator"(%x, %1, %0) {name = "onnx.Gemm", torch.onnx.alpha = 1.0 : f32, torch.onnx.transB = 0 : si64} : (!torch.vtensor<[2,4],bf16>, !torch.vtensor<[4,3],bf16>, !torch.none) -> !torch.vtensor<[2,3],bf16>
    %4 = "torch.operator"(%3, %2) {name = "onnx.Example"} : (!torch.vtensor<[2,3],bf16>, !torch.vtensor<[2],si64>) -> !torch.vtensor<[2,3],bf16>
    "func.return"(%4) : (!torch.vtensor<[2,3],bf16>) -> ()
  }) {torch.onnx_meta.opset_version = 17 : si64} : () -> ()
}) : () -> ()

{-#
  dialect_resources: {
    builtin: {
      w: "0x02000000803F0040404080400041104120413041404150416041703F"
    }
  }
#-}
