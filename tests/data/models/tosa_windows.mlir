// SPDX-License-Identifier: Apache-2.0
// Composed: operators of TOSA 1.0 whose windows slide over images.
module {
  func.func @windows(%img: tensor<1x8x9x4xf32>, %vol: tensor<1x4x6x6x2xf32>, %q: tensor<1x8x8x4xi8>) -> (tensor<1x4x5x8xf32>, tensor<1x2x4x4x3xf32>, tensor<1x8x9x8xf32>, tensor<1x17x19x6xf32>, tensor<1x4x4x4xf32>, tensor<1x4x4x4xi8>, tensor<1x8x8x5xi32>) attributes {test.kind = "windows"} {
    %z = "tosa.const"() <{values = dense<0.0> : tensor<1xf32>}> : () -> tensor<1xf32>
    %zq = "tosa.const"() <{values = dense<-3> : tensor<1xi8>}> : () -> tensor<1xi8>
    %w = "tosa.const"() <{values = dense<0.5> : tensor<8x3x3x4xf32>}> : () -> tensor<8x3x3x4xf32>
    %b = "tosa.const"() <{values = dense<[1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0]> : tensor<8xf32>}> : () -> tensor<8xf32>
    %conv = tosa.conv2d %img, %w, %b, %z, %z {acc_type = f32, dilation = array<i64: 1, 1>, pad = array<i64: 1, 0, 1, 1>, stride = array<i64: 2, 2>} : (tensor<1x8x9x4xf32>, tensor<8x3x3x4xf32>, tensor<8xf32>, tensor<1xf32>, tensor<1xf32>) -> tensor<1x4x5x8xf32>
    %w3 = "tosa.const"() <{values = dense<0.25> : tensor<3x3x3x3x2xf32>}> : () -> tensor<3x3x3x3x2xf32>
    %b3 = "tosa.const"() <{values = dense<0.0> : tensor<3xf32>}> : () -> tensor<3xf32>
    %conv3 = tosa.conv3d %vol, %w3, %b3, %z, %z {acc_type = f32, dilation = array<i64: 1, 1, 1>, pad = array<i64: 0, 0, 0, 0, 0, 0>, stride = array<i64: 1, 1, 1>} : (tensor<1x4x6x6x2xf32>, tensor<3x3x3x3x2xf32>, tensor<3xf32>, tensor<1xf32>, tensor<1xf32>) -> tensor<1x2x4x4x3xf32>
    %wd = "tosa.const"() <{values = dense<1.0> : tensor<3x3x4x2xf32>}> : () -> tensor<3x3x4x2xf32>
    %depth = tosa.depthwise_conv2d %img, %wd, %b, %z, %z {acc_type = f32, dilation = array<i64: 2, 2>, local_bound = true, pad = array<i64: 2, 2, 2, 2>, stride = array<i64: 1, 1>} : (tensor<1x8x9x4xf32>, tensor<3x3x4x2xf32>, tensor<8xf32>, tensor<1xf32>, tensor<1xf32>) -> tensor<1x8x9x8xf32>
    %wt = "tosa.const"() <{values = dense<1.0> : tensor<6x3x3x4xf32>}> : () -> tensor<6x3x3x4xf32>
    %bt = "tosa.const"() <{values = dense<1.0> : tensor<1xf32>}> : () -> tensor<1xf32>
    %up = tosa.transpose_conv2d %img, %wt, %bt, %z, %z {acc_type = f32, out_pad = array<i64: 0, 0, 0, 0>, stride = array<i64: 2, 2>} : (tensor<1x8x9x4xf32>, tensor<6x3x3x4xf32>, tensor<1xf32>, tensor<1xf32>, tensor<1xf32>) -> tensor<1x17x19x6xf32>
    %avg = tosa.avg_pool2d %img, %z, %z {acc_type = f32, kernel = array<i64: 2, 3>, pad = array<i64: 0, 0, 0, 0>, stride = array<i64: 2, 2>} : (tensor<1x8x9x4xf32>, tensor<1xf32>, tensor<1xf32>) -> tensor<1x4x4x4xf32>
    %max = tosa.max_pool2d %q {kernel = array<i64: 2, 2>, nan_mode = PROPAGATE, pad = array<i64: 0, 0, 0, 0>, stride = array<i64: 2, 2>} : (tensor<1x8x8x4xi8>) -> tensor<1x4x4x4xi8>
    %wq = "tosa.const"() <{values = dense<[[[[1, -2, 3, -4]]], [[[5, -6, 7, -8]]], [[[9, -10, 11, -12]]], [[[13, -14, 15, -16]]], [[[127, -128, 0, 1]]]]> : tensor<5x1x1x4xi8>}> : () -> tensor<5x1x1x4xi8>
    %bq = "tosa.const"() <{values = dense<0> : tensor<5xi32>}> : () -> tensor<5xi32>
    %convq = tosa.conv2d %q, %wq, %bq, %zq, %zq {acc_type = i32, dilation = array<i64: 1, 1>, pad = array<i64: 0, 0, 0, 0>, stride = array<i64: 1, 1>} : (tensor<1x8x8x4xi8>, tensor<5x1x1x4xi8>, tensor<5xi32>, tensor<1xi8>, tensor<1xi8>) -> tensor<1x8x8x5xi32>
    return %conv, %conv3, %depth, %up, %avg, %max, %convq : tensor<1x4x5x8xf32>, tensor<1x2x4x4x3xf32>, tensor<1x8x9x8xf32>, tensor<1x17x19x6xf32>, tensor<1x4x4x4xf32>, tensor<1x4x4x4xi8>, tensor<1x8x8x5xi32>
  }
}
