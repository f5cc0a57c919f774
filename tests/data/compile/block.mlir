module {
  func.func @main(%x: tensor<1x16x16x8xi8>) -> tensor<1x10xi32> {
    %w = "tosa.const"() {values = dense<1> : tensor<16x3x3x8xi8>} : () -> tensor<16x3x3x8xi8>
    %b = "tosa.const"() {values = dense<2> : tensor<16xi32>} : () -> tensor<16xi32>
    %zi = "tosa.const"() {values = dense<0> : tensor<1xi8>} : () -> tensor<1xi8>
    %zo = "tosa.const"() {values = dense<0> : tensor<1xi32>} : () -> tensor<1xi32>
    %m = "tosa.const"() {values = dense<1073741824> : tensor<1xi32>} : () -> tensor<1xi32>
    %s = "tosa.const"() {values = dense<38> : tensor<1xi8>} : () -> tensor<1xi8>
    %c = tosa.conv2d %x, %w, %b, %zi, %zi {acc_type = i32, dilation = array<i64: 1, 1>, pad = array<i64: 1, 1, 1, 1>, stride = array<i64: 1, 1>} : (tensor<1x16x16x8xi8>, tensor<16x3x3x8xi8>, tensor<16xi32>, tensor<1xi8>, tensor<1xi8>) -> tensor<1x16x16x16xi32>
    %r = tosa.rescale %c, %m, %s, %zo, %zi {input_unsigned = false, output_unsigned = false, per_channel = false, rounding_mode = DOUBLE_ROUND, scale32 = true} : (tensor<1x16x16x16xi32>, tensor<1xi32>, tensor<1xi8>, tensor<1xi32>, tensor<1xi8>) -> tensor<1x16x16x16xi8>
    %a = tosa.clamp %r {max_val = 127 : i8, min_val = 0 : i8} : (tensor<1x16x16x16xi8>) -> tensor<1x16x16x16xi8>
    %dw = "tosa.const"() {values = dense<1> : tensor<3x3x16x1xi8>} : () -> tensor<3x3x16x1xi8>
    %d = tosa.depthwise_conv2d %a, %dw, %b, %zi, %zi {acc_type = i32, dilation = array<i64: 1, 1>, pad = array<i64: 1, 1, 1, 1>, stride = array<i64: 1, 1>} : (tensor<1x16x16x16xi8>, tensor<3x3x16x1xi8>, tensor<16xi32>, tensor<1xi8>, tensor<1xi8>) -> tensor<1x16x16x16xi32>
    %dr = tosa.rescale %d, %m, %s, %zo, %zi {input_unsigned = false, output_unsigned = false, per_channel = false, rounding_mode = DOUBLE_ROUND, scale32 = true} : (tensor<1x16x16x16xi32>, tensor<1xi32>, tensor<1xi8>, tensor<1xi32>, tensor<1xi8>) -> tensor<1x16x16x16xi8>
    %p = tosa.max_pool2d %dr {kernel = array<i64: 2, 2>, pad = array<i64: 0, 0, 0, 0>, stride = array<i64: 2, 2>} : (tensor<1x16x16x16xi8>) -> tensor<1x8x8x16xi8>
    %shape = tosa.const_shape {values = dense<[1, 1, 1024]> : tensor<3xindex>} : () -> !tosa.shape<3>
    %f = tosa.reshape %p, %shape : (tensor<1x8x8x16xi8>, !tosa.shape<3>) -> tensor<1x1x1024xi8>
    %k = "tosa.const"() {values = dense<1> : tensor<1x1024x10xi8>} : () -> tensor<1x1024x10xi8>
    %y = tosa.matmul %f, %k, %zi, %zi : (tensor<1x1x1024xi8>, tensor<1x1024x10xi8>, tensor<1xi8>, tensor<1xi8>) -> tensor<1x1x10xi32>
    %out = tosa.const_shape {values = dense<[1, 10]> : tensor<2xindex>} : () -> !tosa.shape<2>
    %z = tosa.reshape %y, %out : (tensor<1x1x10xi32>, !tosa.shape<2>) -> tensor<1x10xi32>
    return %z : tensor<1x10xi32>
  }
}
