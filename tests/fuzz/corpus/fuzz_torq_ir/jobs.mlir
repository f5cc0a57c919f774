func.func @d() {
%s = torq_hl.program "slice_program_torq_hl.a_0" : !torq_hl.program<slice> { torq_hl.return }
%x = torq_hl.create_invocation "slice_program_torq_hl.a_0" program(%s : !torq_hl.program<slice>) : !torq_hl.invocation<slice>
%p = torq_hl.program "j" : !torq_hl.program<nss> {
^bb0(%a: !torq_hl.invocation<slice>):
torq_hw.nss_task {"torq-start-time-cycles" = 5 : i64, "torq-end-time-cycles" = 90 : i64} () {
torq_hw.dma_in_start {"torq-async-duration-cycles" = 50 : i64} loc("m":7:1)
"torq_hw.slice_start"(%a) <{id = 2 : index}> : (!torq_hl.invocation<slice>) -> ()
torq_hw.dma_in_wait }
torq_hl.next %a : !torq_hl.invocation<slice>
^bb1(%b: !torq_hl.invocation<slice>):
torq_hw.nss_task {} () { "torq_hw.slice_wait"() <{id = 2 : index}> : () -> () torq_hw.css_start %b : !torq_hl.invocation<slice> program %b(%b = %b) : i1, i1, i1 }
torq_hl.return }
%j = torq_hl.create_invocation "j" program(%p : !torq_hl.program<nss>) : !torq_hl.invocation<nss>
torq_hl.start_program %j : !torq_hl.invocation<nss> args(%x : !torq_hl.invocation<slice>) loc("m":1:2)
"torq_hl.host_copy"() : () -> ()
torq_hl.wait_program %j : !torq_hl.invocation<nss>
return }
