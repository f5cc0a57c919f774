// SPDX-License-Identifier: Apache-2.0
// Composed: operators of TOSA 1.0 that go element by element, and reductions.
func.func @main(%a: tensor<2x3xf32>, %b: tensor<1x3xf32>, %i: tensor<2x3xi32>, %j: tensor<2x1xi32>, %p: tensor<2x3xi1>, %q: tensor<4x8xi8>) -> (tensor<2x3xf32>, tensor<2x3xi1>, tensor<2x1xi32>, tensor<4x8xi8>, tensor<2xi32>) {
  %0 = tosa.clamp %a {max_val = 6.0 : f32, min_val = -1.5 : f32} : (tensor<2x3xf32>) -> tensor<2x3xf32>
  %1 = tosa.erf %0 : (tensor<2x3xf32>) -> tensor<2x3xf32>
  %2 = tosa.sigmoid %1 : (tensor<2x3xf32>) -> tensor<2x3xf32>
  %3 = tosa.tanh %2 : (tensor<2x3xf32>) -> tensor<2x3xf32>
  %4 = tosa.add %3, %b : (tensor<2x3xf32>, tensor<1x3xf32>) -> tensor<2x3xf32>
  %5 = tosa.sub %4, %b : (tensor<2x3xf32>, tensor<1x3xf32>) -> tensor<2x3xf32>
  %shift = "tosa.const"() <{values = dense<0> : tensor<1xi8>}> : () -> tensor<1xi8>
  %6 = tosa.mul %5, %b, %shift : (tensor<2x3xf32>, tensor<1x3xf32>, tensor<1xi8>) -> tensor<2x3xf32>
  %7 = tosa.pow %6, %b : (tensor<2x3xf32>, tensor<1x3xf32>) -> tensor<2x3xf32>
  %8 = tosa.maximum %7, %b {nan_mode = IGNORE} : (tensor<2x3xf32>, tensor<1x3xf32>) -> tensor<2x3xf32>
  %9 = tosa.minimum %8, %b : (tensor<2x3xf32>, tensor<1x3xf32>) -> tensor<2x3xf32>
  %10 = tosa.abs %9 : (tensor<2x3xf32>) -> tensor<2x3xf32>
  %11 = tosa.ceil %10 : (tensor<2x3xf32>) -> tensor<2x3xf32>
  %12 = tosa.floor %11 : (tensor<2x3xf32>) -> tensor<2x3xf32>
  %13 = tosa.cos %12 : (tensor<2x3xf32>) -> tensor<2x3xf32>
  %14 = tosa.sin %13 : (tensor<2x3xf32>) -> tensor<2x3xf32>
  %15 = tosa.exp %14 : (tensor<2x3xf32>) -> tensor<2x3xf32>
  %16 = tosa.log %15 : (tensor<2x3xf32>) -> tensor<2x3xf32>
  %zero = "tosa.const"() <{values = dense<0.0> : tensor<1xf32>}> : () -> tensor<1xf32>
  %17 = tosa.negate %16, %zero, %zero : (tensor<2x3xf32>, tensor<1xf32>, tensor<1xf32>) -> tensor<2x3xf32>
  %18 = tosa.reciprocal %17 : (tensor<2x3xf32>) -> tensor<2x3xf32>
  %19 = tosa.rsqrt %18 : (tensor<2x3xf32>) -> tensor<2x3xf32>
  %20 = tosa.arithmetic_right_shift %i, %j {round = false} : (tensor<2x3xi32>, tensor<2x1xi32>) -> tensor<2x3xi32>
  %21 = tosa.bitwise_and %20, %j : (tensor<2x3xi32>, tensor<2x1xi32>) -> tensor<2x3xi32>
  %22 = tosa.bitwise_or %21, %j : (tensor<2x3xi32>, tensor<2x1xi32>) -> tensor<2x3xi32>
  %23 = tosa.bitwise_xor %22, %j : (tensor<2x3xi32>, tensor<2x1xi32>) -> tensor<2x3xi32>
  %24 = tosa.bitwise_not %23 : (tensor<2x3xi32>) -> tensor<2x3xi32>
  %25 = tosa.intdiv %24, %j : (tensor<2x3xi32>, tensor<2x1xi32>) -> tensor<2x3xi32>
  %26 = tosa.logical_left_shift %25, %j : (tensor<2x3xi32>, tensor<2x1xi32>) -> tensor<2x3xi32>
  %27 = tosa.logical_right_shift %26, %j : (tensor<2x3xi32>, tensor<2x1xi32>) -> tensor<2x3xi32>
  %28 = tosa.clz %27 : (tensor<2x3xi32>) -> tensor<2x3xi32>
  %29 = tosa.equal %i, %28 : (tensor<2x3xi32>, tensor<2x3xi32>) -> tensor<2x3xi1>
  %30 = tosa.greater %i, %j : (tensor<2x3xi32>, tensor<2x1xi32>) -> tensor<2x3xi1>
  %31 = tosa.greater_equal %i, %j : (tensor<2x3xi32>, tensor<2x1xi32>) -> tensor<2x3xi1>
  %32 = tosa.logical_and %29, %30 : (tensor<2x3xi1>, tensor<2x3xi1>) -> tensor<2x3xi1>
  %33 = tosa.logical_or %32, %31 : (tensor<2x3xi1>, tensor<2x3xi1>) -> tensor<2x3xi1>
  %34 = tosa.logical_xor %33, %p : (tensor<2x3xi1>, tensor<2x3xi1>) -> tensor<2x3xi1>
  %35 = tosa.logical_not %34 : (tensor<2x3xi1>) -> tensor<2x3xi1>
  %36 = tosa.select %35, %19, %b : (tensor<2x3xi1>, tensor<2x3xf32>, tensor<1x3xf32>) -> tensor<2x3xf32>
  %37 = tosa.reduce_all %35 {axis = 0 : i32} : (tensor<2x3xi1>) -> tensor<1x3xi1>
  %38 = tosa.reduce_any %35 {axis = 1 : i32} : (tensor<2x3xi1>) -> tensor<2x1xi1>
  %39 = tosa.reduce_max %28 {axis = 1 : i32, nan_mode = PROPAGATE} : (tensor<2x3xi32>) -> tensor<2x1xi32>
  %40 = tosa.reduce_min %28 {axis = 1 : i32} : (tensor<2x3xi32>) -> tensor<2x1xi32>
  %41 = tosa.reduce_product %36 {axis = 0 : i32} : (tensor<2x3xf32>) -> tensor<1x3xf32>
  %42 = tosa.reduce_sum %28 {axis = 1 : i32} : (tensor<2x3xi32>) -> tensor<2x1xi32>
  %43 = tosa.argmax %36 {axis = 1 : i32} : (tensor<2x3xf32>) -> tensor<2xi32>
  %table = "tosa.const"() <{values = dense<7> : tensor<256xi8>}> : () -> tensor<256xi8>
  %44 = tosa.table %q, %table : (tensor<4x8xi8>, tensor<256xi8>) -> tensor<4x8xi8>
  %45 = tosa.cast %44 : (tensor<4x8xi8>) -> tensor<4x8xi32>
  %mult = "tosa.const"() <{values = dense<1073741824> : tensor<1xi32>}> : () -> tensor<1xi32>
  %by = "tosa.const"() <{values = dense<30> : tensor<1xi8>}> : () -> tensor<1xi8>
  %izp = "tosa.const"() <{values = dense<0> : tensor<1xi32>}> : () -> tensor<1xi32>
  %ozp = "tosa.const"() <{values = dense<-128> : tensor<1xi8>}> : () -> tensor<1xi8>
  %46 = tosa.rescale %45, %mult, %by, %izp, %ozp {input_unsigned = false, output_unsigned = false, per_channel = false, rounding_mode = SINGLE_ROUND, scale32 = true} : (tensor<4x8xi32>, tensor<1xi32>, tensor<1xi8>, tensor<1xi32>, tensor<1xi8>) -> tensor<4x8xi8>
  return %36, %35, %42, %46, %43 : tensor<2x3xf32>, tensor<2x3xi1>, tensor<2x1xi32>, tensor<4x8xi8>, tensor<2xi32>
}
