// One dispatch with one job, printed as torq prints it: nothing of it is unknown.
#loc1 = loc("/w/m/clean_model.mlir":4:10)
#loc2 = loc(callsite(#loc1 at "/w/m/clean_model.mlir":6:10))
module {
  func.func @main$async_dispatch_0() {
    %s = torq_hl.program "slice_program_torq_hl.add_0" : !torq_hl.program<slice> { torq_hl.return loc(#loc1) } loc(#loc1)
    %si = torq_hl.create_invocation "slice_program_torq_hl.add_0" program(%s : !torq_hl.program<slice>) : !torq_hl.invocation<slice> loc(#loc1)
    %p = torq_hl.program "nss_program_0" : !torq_hl.program<nss> {
    ^bb0(%a: !torq_hl.invocation<slice>):
      torq_hw.nss_task {"torq-task-id" = 0 : i64, "torq-start-time-cycles" = 0 : i64, "torq-end-time-cycles" = 1000 : i64} () {
        torq_hw.dma_in_start {"torq-async-duration-cycles" = 900 : i64} loc(#loc1)
        "torq_hw.slice_start"(%a) <{id = 0 : index}> : (!torq_hl.invocation<slice>) -> () loc(#loc2)
      } loc(#loc1)
      torq_hw.nss_task {"torq-task-id" = 1 : i64} () {
        "torq_hw.slice_wait"() <{id = 0 : index}> : () -> () loc(#loc2)
        torq_hw.dma_in_wait loc(#loc1)
      } loc(#loc1)
      torq_hl.return loc(#loc1)
    } loc(#loc1)
    %i = torq_hl.create_invocation "nss_program_0" program(%p : !torq_hl.program<nss>) {"torq-job-id" = 0 : i32} : !torq_hl.invocation<nss> loc(#loc2)
    torq_hl.start_program %i : !torq_hl.invocation<nss> args(%si : !torq_hl.invocation<slice>) {"torq-action-id" = 0 : i32} loc(#loc2)
    torq_hl.wait_program %i : !torq_hl.invocation<nss> {"torq-action-id" = 1 : i32} loc(#loc2)
    return loc(#loc1)
  } loc(#loc1)
}
