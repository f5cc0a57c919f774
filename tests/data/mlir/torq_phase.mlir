// A dispatch as the executable-targets phase prints it, with one operation of each custom form.
#executable_target = #hal.executable.target<"torq", "torq-fb", {hw = "SL2610"}>
#layout = #hal.pipeline.layout<bindings = [#hal.pipeline.binding<storage_buffer>]>
module attributes {hal.device.targets = [#executable_target]} {
  hal.executable private @main$async_dispatch_0 {
    hal.executable.variant public @torq target(#executable_target) {
      hal.executable.export public @main$async_dispatch_0 ordinal(0) layout(#layout) count(%arg0: !hal.device, %arg1: index) -> (index, index, index) {
        %c1 = arith.constant 1 : index
        hal.return %c1, %c1, %c1 : index, index, index
      } attributes {workgroup_size = [1 : index]}
      builtin.module {
        memref.global "private" constant @weights : memref<4xi8> = dense<[1, 2, 3, 4]>
        func.func @main$async_dispatch_0() attributes {translation_info = #torq_hl.info<none>} {
          %c0 = arith.constant 0 : index loc(#loc)
          %m = memref.get_global @weights : memref<4xi8> loc(#loc)
          %in = "torq_hl.map_binding"() <{binding_index = 0 : index, is_read_only = true, is_write_only = false, offset = 0 : index}> : () -> memref<64xi8, #torq_hl<mem_space = xram>> loc(#loc)
          %buf = memref.alloc() {"torq-action-id" = 0 : i32, alignment = 64 : i64} : memref<64xi8> loc(#loc)
          torq_hl.host_copy %in : memref<64xi8, #torq_hl<mem_space = xram>> to %buf : memref<64xi8> {"torq-action-id" = 1 : i32, element_size_bytes = 1 : i64, input_strides_bytes = array<i64: 1>, output_strides_bytes = array<i64: 1>, shape = array<i64: 64>} loc(#loc1)
          %s = torq_hl.program "slice_program_torq_hl.add_0" : !torq_hl.program<slice> {
          ^bb0(%arg0: memref<64xi8> loc(unknown), %arg1: memref<64xi8> loc(unknown)):
            torq_hw.slice_task {
              op : "add"
              D %arg0 : memref<64xi8>
              Q %arg1 : memref<64xi8>
              CFG <alu_op = [ADD]>
              <[]>
              <[]>
            } loc(#loc1)
            torq_hw.slice_profiling
              memory : 128 bytes
              memory_info : "64+64"
              max_cycle : 4704
              ndl_cycles : #torq_hw.ndl_cycles<dedr = 1> loc(#loc1)
            torq_hl.return loc(#loc1)
          } loc(#loc1)
          %si, %code = torq_hl.create_invocation "slice_program_torq_hl.add_0" program(%s : !torq_hl.program<slice>) on 1 : !torq_hl.invocation<slice>, memref<380xi8> loc(#loc1)
          %p = torq_hl.program "nss_program_0" {x} : !torq_hl.program<nss> {
          ^bb0(%a: !torq_hl.invocation<slice>, %l: memref<640xi8>):
            torq_hw.nss_task {"torq-end-time-cycles" = 15831 : i64, "torq-start-time-cycles" = 0 : i64, "torq-task-id" = 0 : i64} () {
              torq_hw.dma_in_cfg from %l : memref<640xi8> to %l : memref<640xi8> {read_ndl = #torq_hw.dma_ndl<[1]>}
              torq_hw.dma_in_start {"torq-async-duration-cycles" = 15831 : i64} loc(#loc1)
              torq_hw.dma_in_wait loc(#loc1)
            } loc(#loc1)
            torq_hl.next %a, %l : !torq_hl.invocation<slice>, memref<640xi8>
          ^bb1(%b: !torq_hl.invocation<slice>, %k: memref<640xi8>):
            torq_hw.nss_task {"torq-task-id" = 1 : i64} () {
              "torq_hw.slice_start"(%b, %k) <{id = 0 : index}> {"torq-async-duration-cycles" = 4704 : i64} : (!torq_hl.invocation<slice>, memref<640xi8>) -> () loc(#loc2)
              torq_hw.cdma_start from %k : memref<640xi8> to %l : memref<640xi8>
              torq_hw.css_start %b : !torq_hl.invocation<slice> program %k(%l = %k, %k) : memref<640xi8>, memref<640xi8>, memref<640xi8>, memref<640xi8> loc("css")
              torq_hw.cdma_wait
              "torq_hw.slice_wait"() <{id = 0 : index}> : () -> () torq_hw.css_wait }
            torq_hl.return
          }
          %i = torq_hl.create_invocation "nss_program_0" program(%p : !torq_hl.program<nss>) {"torq-job-id" = 0 : i32} : !torq_hl.invocation<nss>
          torq_hl.start_program %i : !torq_hl.invocation<nss> args(%si, %buf : !torq_hl.invocation<slice>, memref<64xi8>) code(%code : memref<380xi8>) {"torq-action-id" = 2 : i32} loc(#loc2)
          torq_hl.wait_program %i : !torq_hl.invocation<nss> {"torq-action-id" = 3 : i32} loc(fused<{kind = "wait"}>[#loc1, #loc2])
          %v = memref.subview %buf[%c0, 4] [8, 8] [1, 1] : memref<64xi8> to memref<8x8xi8, strided<[1, 1], offset: ?>> loc(#loc)
          memref.dealloc %buf : memref<64xi8> loc(#loc)
          torq_hw.dispatch_profiling
            memory : 75264 bytes
            total_cycle : 4704
          return loc(#loc)
        } loc(#loc)
      } loc(#loc)
    } loc(#loc)
  } loc(#loc)
} loc(#loc)
#loc = loc(unknown)
#loc1 = loc("/w/m/add.mlir":7:10)
#loc2 = loc(callsite(#loc1 at "/w/m/add.mlir":2:3))
