// Every kind of builtin type, and opaque ones; nested regions, several of them, empty ones; values that
// are used before they are defined.
module {
  %late = "t.use"(%defined) : (i32) -> i64
  %defined = "t.def"() : () -> i32
  "t.self"(%defined, %late, %defined) : (i32, i64, i32) -> ()
  %r:3 = "t.types"() : () -> (i1, si8, ui16)
  %f:6 = "t.types"() : () -> (bf16, f16, f32, f64, f80, f128)
  %g:2 = "t.types"() : () -> (f8E4M3FN, tf32)
  %o:5 = "t.types"() : () -> (index, none, complex<f32>, tuple<i32, tuple<>>, tuple<>)
  %n:5 = "t.types"() : () -> (() -> (), (i32) -> i32, (i32, f32) -> (i32, i32), () -> (() -> ()), ((i32) -> i32) -> i32)
  %m:8 = "t.types"() : () -> (memref<f32>, memref<2x?xf32>, memref<*xi8>, memref<*xi8, 3>, memref<4xi8, 3>,
    memref<4x4xi8, affine_map<(d0, d1) -> (d1, d0)>>, memref<?xf32, strided<[?], offset: 4>, #gpu.address_space<private>>, memref<4xi8, {s = "host"}>)
  %t:5 = "t.types"() : () -> (tensor<f32>, tensor<2x?xi8>, tensor<*xf32>, tensor<2xi8, #t.enc<1>>, tensor<2xi8, "e">)
  %v:4 = "t.types"() : () -> (vector<4xf32>, vector<f32>, vector<[4]xi8>, vector<2x[4]xi8>)
  %d:3 = "t.types"() : () -> (!t.x, !torq_hl.invocation<nss>, tensor<2x!t.y<"a b">>)
  "t.regions"() ({
  }, {
  ^bb0:
    "t.end"() : () -> ()
  }, {
    %a = "t.outer"() : () -> i32
    "t.inner"() ({
    ^bb0(%b: i32, %c: !t.x):
      "t.both"(%a, %b, %later) : (i32, i32, i8) -> ()
      "t.go"()[^bb1, ^bb2] : () -> ()
    ^bb1(%e: i64):
      "t.go"(%c)[^bb2] : (!t.x) -> ()
    ^bb2:
      "t.end"() : () -> ()
    }) : () -> ()
    %later = "t.later"() : () -> i8
    "t.end"() : () -> ()
  }) : () -> ()
  module @inner {
    %x:2 = "t.two"() : () -> (i8, i16)
    module {
      "t.leaf"() : () -> ()
    }
    "t.two_users"(%x#1, %x#0, %x#1) : (i16, i8, i16) -> ()
  }
  "nodialect"() : () -> ()
}
