// The smallest dispatch with a slice and an NSS program, in the generic form; see torq_custom.mlir.
#loc1 = loc("/w/m/add.mlir":7:10)
#loc2 = loc(callsite(#loc1 at "/w/m/add.mlir":2:3))
"builtin.module"() ({
  "func.func"() <{function_type = () -> (), sym_name = "main$async_dispatch_0"}> ({
    %0 = "torq_hl.program"() <{name = "slice_program_torq_hl.add_0"}> ({
      "torq_hl.return"() : () -> () loc(#loc1)
    }) : () -> !torq_hl.program<slice> loc(#loc1)
    %1 = "torq_hl.create_invocation"(%0) <{name = "slice_program_torq_hl.add_0"}> : (!torq_hl.program<slice>) -> !torq_hl.invocation<slice> loc(#loc1)
    %2 = "torq_hl.program"() <{name = "nss_program_0"}> ({
    ^bb0(%arg0: !torq_hl.invocation<slice> loc(#loc1)):
      "torq_hw.nss_task"() ({
        "torq_hw.dma_in_start"() {"torq-async-duration-cycles" = 900 : i64} : () -> () loc(#loc1)
        "torq_hw.slice_start"(%arg0) <{id = 0 : index}> : (!torq_hl.invocation<slice>) -> () loc(#loc2)
      }) {"torq-end-time-cycles" = 1 : i64, "torq-start-time-cycles" = 0 : i64, "torq-task-id" = 0 : i64} : () -> () loc(#loc1)
      "torq_hw.nss_task"() ({
        "torq_hw.slice_wait"() <{id = 0 : index}> : () -> () loc(#loc2)
        "torq_hw.dma_in_wait"() : () -> () loc(#loc1)
      }) {"torq-task-id" = 1 : i64} : () -> () loc(#loc1)
      "torq_hl.return"() : () -> () loc(#loc1)
    }) : () -> !torq_hl.program<nss> loc(#loc2)
    %3 = "torq_hl.create_invocation"(%2) <{name = "nss_program_0"}> {"torq-job-id" = 0 : i32} : (!torq_hl.program<nss>) -> !torq_hl.invocation<nss> loc(#loc2)
    "torq_hl.start_program"(%3, %1) <{operandSegmentSizes = array<i32: 1, 0, 1>}> {"torq-action-id" = 0 : i32} : (!torq_hl.invocation<nss>, !torq_hl.invocation<slice>) -> () loc(#loc2)
    "torq_hl.wait_program"(%3) {"torq-action-id" = 1 : i32} : (!torq_hl.invocation<nss>) -> () loc(#loc2)
    "func.return"() : () -> () loc(unknown)
  }) : () -> () loc(unknown)
}) : () -> () loc(unknown)
