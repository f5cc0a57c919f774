// A dispatch as torq leaves it, in generic form since mlir-opt does not know the dialect: inherent
// attributes as properties, programs with blocks that lead on, tasks, an invocation as argument.
#l7 = loc("/w/m/add.mlir":7:10)
#l12 = loc(callsite(#l7 at "/w/m/add.mlir":2:3))
module {
  func.func @main$async_dispatch_0(%x: memref<1x4xi8>) {
    %s = "torq_hl.program"() <{name = "slice_program_torq_hl.add_0"}> ({
      "torq_hl.return"() : () -> () loc(#l7)
    }) : () -> !torq_hl.program<slice> loc(#l7)
    %si = "torq_hl.create_invocation"(%s) <{name = "slice_program_torq_hl.add_0"}>
        : (!torq_hl.program<slice>) -> !torq_hl.invocation<slice> loc(#l7)
    %p = "torq_hl.program"() <{name = "nss_program_0"}> ({
    ^bb0(%a: !torq_hl.invocation<slice>, %m: memref<64xi8, #gpu.address_space<workgroup>>):
      "torq_hw.nss_task"() ({
        "torq_hw.dma_in_start"() {"torq-async-duration-cycles" = 900 : i64} : () -> () loc(#l7)
        "torq_hw.slice_start"(%a, %m) <{id = 0 : index}>
            : (!torq_hl.invocation<slice>, memref<64xi8, #gpu.address_space<workgroup>>) -> () loc(#l12)
      }) {"torq-end-time-cycles" = 901 : i64, "torq-start-time-cycles" = 0 : i64, "torq-task-id" = 0 : i64}
          : () -> () loc(#l7)
      "torq_hl.next"(%a, %m)[^bb1] : (!torq_hl.invocation<slice>, memref<64xi8, #gpu.address_space<workgroup>>) -> ()
    ^bb1(%b: !torq_hl.invocation<slice>, %n: memref<64xi8, #gpu.address_space<workgroup>>):
      "torq_hw.nss_task"() ({
        "torq_hw.slice_wait"() <{id = 0 : index}> : () -> ()
        "torq_hw.dma_in_wait"() : () -> ()
      }) {"torq-task-id" = 1 : i64} : () -> ()
      "torq_hl.return"() : () -> ()
    }) : () -> !torq_hl.program<nss>
    %i, %code = "torq_hl.descriptor"(%p) <{name = "nss_program_0"}> {"torq-job-id" = 0 : i32}
        : (!torq_hl.program<nss>) -> (!torq_hl.invocation<nss>, memref<?xi8, 2>)
    "torq_hl.start_program"(%i, %code, %si) <{operandSegmentSizes = array<i32: 1, 1, 1>}> {"torq-action-id" = 0 : i32}
        : (!torq_hl.invocation<nss>, memref<?xi8, 2>, !torq_hl.invocation<slice>) -> () loc(#l12)
    "torq_hl.wait_program"(%i) {"torq-action-id" = 1 : i32} : (!torq_hl.invocation<nss>) -> () loc(#l12)
    return
  }
}
