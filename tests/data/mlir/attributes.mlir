// Every kind of attribute.
module {
  "t.ints"() {a = 1 : i64, b = -1 : i8, c = 255 : ui8, d = -7 : si32, e = 9223372036854775807 : i64,
    f = -9223372036854775808 : i64, g = 18446744073709551615 : ui64, h = 5 : index, i = true, j = false,
    k = 77 : i128, l = -1 : i128, m = 1234567 : i37, n = -1 : i37, o = 0 : i1, p = 100000 : i32, q = -1 : si1,
    "quoted-name" = 3 : i16} : () -> ()
  "t.floats"() {a = 1.5 : f32, b = 0.1 : f64, c = 1.1234567 : f32, d = 1.23456789e-5 : f32, e = 123456.789 : f64,
    f = 0.0123456789 : f64, g = 0x7FC00000 : f32, h = 65504.0 : f16, i = 3.140625 : bf16, j = 123456789.0 : f32,
    k = -0.0 : f32, l = 1.0e300 : f64, m = 1234567.0 : f64, n = 1.2345678901234567e19 : f64} : () -> ()
  "t.strings"() {a = "plain", b = "q\"uote\\ \0A\C3\A9", c = "", d = "typed" : i32, e = @sym, f = @a::@b::@"c d",
    g = @"odd name", h = unit, i} : () -> ()
  "t.lists"() {a = [], b = [1, 2, -3], c = [1 : i32, 2 : i8], d = [1, "x"], e = [true, false], f = [1.0, 2.5 : f32],
    g = {x = 1 : i32, y, "z z" = [2]}, h = [[1, 2], [3]], i = array<i32: 1, -2>, j = array<i1: true, false>, k = array<i64>,
    l = array<f32: 1.0, -2.5>, m = array<i8: -1, 127>, n = [@s, unit, i32]} : () -> ()
  "t.dense"() {a = dense<[1, 2, 3]> : tensor<3xi32>, b = dense<7> : tensor<2xi64>, c = dense<[[1, 2], [3, 4]]> : tensor<2x2xi8>,
    d = dense<[true, false, true]> : tensor<3xi1>, e = dense<true> : tensor<4xi1>, f = dense<[1.0, 2.5]> : tensor<2xf32>,
    g = dense<-1.0> : tensor<2x3xbf16>, h = dense<> : tensor<0xi32>, i = dense<5> : tensor<i32>, j = dense<[255, 1]> : tensor<2xui8>,
    k = dense<[1, 2]> : vector<2xindex>, k2 = dense<[18446744073709551615, 1]> : tensor<2xui64>, l = dense<[[[1], [2]], [[3], [4]]]> : tensor<2x2x1xi16>,
    m = dense<"0x000102030405060708090A0B0C0D0E0F101112131415161718191A1B1C1D1E1F202122232425262728292A2B2C2D2E2F303132333435363738393A3B3C3D3E3F404142434445464748494A4B4C4D4E4F505152535455565758595A5B5C5D5E5F60616263646566"> : tensor<1x103xi8>,
    n = dense_resource<blob1> : tensor<4xf32>, o = sparse<[[0, 0]], [1]> : tensor<3x4xi32>, p = dense<["a", "b"]> : tensor<2x!t.str>,
    q = dense<(1.0, 2.0)> : tensor<1xcomplex<f32>>} : () -> ()
  "t.other"() {a = i32, b = (i32) -> (), c = affine_map<(d0, d1) -> (d1, d0 + 1)>, d = #torq_hl.executor<host>, e = #t<"x y">,
    f = loc("a":1:2), g = affine_set<(d0) : (d0 >= 0)>, h = strided<[1, 2], offset: 3>, i = tensor<2xi8>, j = !t.x<1>,
    k = [loc(unknown)], l = distinct[0]<unit>} : () -> ()
}
{-#
  dialect_resources: { builtin: { blob1: "0x0400000001000000020000000300000004000000" } }
#-}
