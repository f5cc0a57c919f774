// Known operations for which no schema is built in: their blobs are counted, the rest is read.
module {
  func.func @main(%a: tensor<1x13x21x3xf32>) -> tensor<1x21x13x3xf32> {
    %zp = "tosa.const"() {values = dense<0.0> : tensor<1xf32>} : () -> tensor<1xf32>
    %p = tosa.avg_pool2d %a, %zp, %zp {acc_type = f32, kernel = array<i64: 2, 2>, pad = array<i64: 0, 1, 0, 1>,
      stride = array<i64: 1, 1>, note = "kept"} : (tensor<1x13x21x3xf32>, tensor<1xf32>, tensor<1xf32>) -> tensor<1x13x21x3xf32>
    %t = tosa.transpose %p {perms = array<i32: 0, 2, 1, 3>} : (tensor<1x13x21x3xf32>) -> tensor<1x21x13x3xf32>
    return %t : tensor<1x21x13x3xf32>
  }
}
