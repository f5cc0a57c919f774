// Operations that mlir-opt knows: from version 5 on their inherent attributes have no names.
module @net attributes {torq.version = "2.0"} {
  memref.global "private" constant @table : memref<4xi32> = dense<[1, 2, -3, 4]> {alignment = 64 : i64}
  memref.global @open : memref<4xf32>
  func.func private @callee(i32 {llvm.noundef}) -> (i32 {x.y = 2 : i8})
  func.func @main(%a: i32, %m: memref<?x4xf32>, %i: index, %f: f32) -> i32 attributes {no_inline, zz = 1 : i1} {
    %c = arith.constant -5 : i32
    %t = arith.constant true
    %d = arith.constant dense<2> : tensor<3xi16>
    %x = arith.addi %a, %c overflow<nsw> : i32
    %x2 = arith.muli %x, %c : i32
    %x3 = arith.subi %x2, %c : i32
    %g = arith.addf %f, %f fastmath<fast> : f32
    %g2 = arith.mulf %g, %f : f32
    %g3 = arith.subf %g2, %f : f32
    %g4 = arith.divf %g3, %f : f32
    %k = arith.cmpi slt, %x3, %c : i32
    %k2 = arith.cmpf oeq, %g4, %f : f32
    %p = memref.get_global @table : memref<4xi32>
    %s = memref.subview %m[%i, 0][2, 2][1, 1] : memref<?x4xf32> to memref<2x2xf32, strided<[4, 1], offset: ?>>
    %al = memref.alloc(%i) {alignment = 64 : i64} : memref<?x4xf32, 1>
    %al2 = memref.alloca() : memref<4xi8>
    %rc = memref.reinterpret_cast %m to offset: [0], sizes: [4, 2], strides: [2, 1] : memref<?x4xf32> to memref<4x2xf32, strided<[2, 1]>>
    %cs = memref.collapse_shape %al2 [[0]] : memref<4xi8> into memref<4xi8>
    %es = memref.expand_shape %al2 [[0, 1]] output_shape [2, 2] : memref<4xi8> into memref<2x2xi8>
    %v = memref.load %m[%i, %i] : memref<?x4xf32>
    memref.store %v, %m[%i, %i] {nontemporal = true} : memref<?x4xf32>
    %r = func.call @callee(%a) : (i32) -> i32
    %fn = func.constant @callee : (i32) -> i32
    cf.cond_br %k, ^bb1(%r : i32), ^bb2
  ^bb1(%arg: i32):
    cf.br ^bb2
  ^bb2:
    memref.dealloc %al : memref<?x4xf32, 1>
    return %a : i32
  }
}
