// Two dispatches in their executables, in generic form so that mlir-opt can write them as bytecode.
// The first has two jobs under way at once, four slices, work that is waited for in a later job,
// two transfers under way at once, a wait without a start and a start without a wait.
#l4 = loc("/w/m/model.mlir":4:10)
#l7 = loc("/w/m/model.mlir":7:10)
#l8 = loc("/w/m/model.mlir":8:12)
#l9 = loc("/w/m/model.mlir":9:10)
#call = loc(callsite(#l7 at "/w/m/model.mlir":6:10))
#both = loc(fused<"x">[#l7, #l8])
#named = loc("relu"(#l9))
"builtin.module"() ({
  "hal.executable"() ({
    "hal.executable.variant"() ({
      "builtin.module"() ({
        func.func @main$async_dispatch_0(%in: memref<64xi8>, %lram: memref<64xi8, #gpu.address_space<workgroup>>, %xram: memref<64xi8, "mem_space = xram">, %itcm: memref<64xi8, "mem_space = itcm">) {
          %c0 = arith.constant 0 : index
          %s0 = "torq_hl.program"() <{name = "slice_program_torq_hl.conv2d_0"}> ({
            "torq_hl.return"() : () -> ()
          }) : () -> !torq_hl.program<slice> loc(#l7)
          %i0 = "torq_hl.create_invocation"(%s0) <{name = "slice_program_torq_hl.conv2d_0"}> : (!torq_hl.program<slice>) -> !torq_hl.invocation<slice> loc(#l7)
          %i1 = "torq_hl.create_invocation"(%s0) <{name = "slice_program_torq_hl.add_1"}> : (!torq_hl.program<slice>) -> !torq_hl.invocation<slice> loc(#l8)
          %css = "torq_hl.create_invocation"(%s0) <{name = "css_program_0"}> : (!torq_hl.program<slice>) -> !torq_hl.invocation<css> loc(#l9)
          %p0 = "torq_hl.program"() <{name = "nss_program_0"}> ({
          ^bb0(%a: !torq_hl.invocation<slice>, %b: !torq_hl.invocation<slice>, %x: memref<64xi8, "mem_space = xram">, %t: memref<64xi8, "mem_space = itcm">, %l: memref<64xi8, #gpu.address_space<workgroup>>):
            "torq_hw.nss_task"() ({
              "torq_hw.dma_in_cfg"(%x, %t) : (memref<64xi8, "mem_space = xram">, memref<64xi8, "mem_space = itcm">) -> () loc(#l7)
              "torq_hw.dma_in_start"() {"torq-async-duration-cycles" = 100 : i64} : () -> () loc(#l7)
              "torq_hw.dma_in_start"() {"torq-async-duration-cycles" = 50 : i64} : () -> () loc(#l8)
              "torq_hw.dma_in_wait"() : () -> () loc(#l7)
            }) {"torq-end-time-cycles" = 1100 : i64, "torq-start-time-cycles" = 1000 : i64, "torq-task-id" = 0 : i64} : () -> () loc(#l7)
            "torq_hl.next"(%b, %a, %l)[^bb1] : (!torq_hl.invocation<slice>, !torq_hl.invocation<slice>, memref<64xi8, #gpu.address_space<workgroup>>) -> ()
          ^bb1(%c: !torq_hl.invocation<slice>, %d: !torq_hl.invocation<slice>, %m: memref<64xi8, #gpu.address_space<workgroup>>):
            "torq_hw.nss_task"() ({
              "torq_hw.slice_start"(%d, %m) <{id = 0 : index}> {"torq-async-duration-cycles" = 200 : i64} : (!torq_hl.invocation<slice>, memref<64xi8, #gpu.address_space<workgroup>>) -> () loc(#call)
              "torq_hw.slice_start"(%c, %m) <{id = 3 : index}> {"torq-async-duration-cycles" = 500 : i64} : (!torq_hl.invocation<slice>, memref<64xi8, #gpu.address_space<workgroup>>) -> () loc(#l8)
              "torq_hw.slice_wait"() <{id = 0 : index}> : () -> () loc(#call)
              "torq_hw.dma_in_wait"() : () -> () loc(#l8)
            }) {"torq-end-time-cycles" = 1400 : i64, "torq-start-time-cycles" = 1100 : i64, "torq-task-id" = 1 : i64} : () -> () loc(#both)
            "torq_hl.return"() : () -> ()
          }) : () -> !torq_hl.program<nss> loc(#both)
          %p1 = "torq_hl.program"() <{name = "nss_program_1"}> ({
          ^bb0(%a: !torq_hl.invocation<css>, %x: memref<64xi8, "mem_space = xram">, %t: memref<64xi8, "mem_space = itcm">):
            "torq_hw.nss_task"() ({
              "torq_hw.cdma_start"(%t, %x) {"torq-async-duration-cycles" = 40 : i64} : (memref<64xi8, "mem_space = itcm">, memref<64xi8, "mem_space = xram">) -> () loc(#l9)
              "torq_hw.slice_wait"() <{id = 3 : index}> : () -> () loc(#l8)
              "torq_hw.slice_wait"() <{id = 1 : index}> : () -> () loc(#l8)
              "torq_hw.css_start"(%a, %x) : (!torq_hl.invocation<css>, memref<64xi8, "mem_space = xram">) -> () loc(#l9)
              "torq_hw.magic"() : () -> () loc(#l9)
              "torq_hw.css_wait"() : () -> () loc(#l9)
              "torq_hw.cdma_wait"() : () -> () loc(#l9)
              "torq_hw.dma_out_start"() : () -> () loc(#l9)
            }) {"torq-end-time-cycles" = 1800 : i64, "torq-start-time-cycles" = 1400 : i64, "torq-task-id" = 2 : i64} : () -> () loc(#l9)
            "torq_hl.return"() : () -> ()
          }) : () -> !torq_hl.program<nss> loc(#l9)
          %hp = "torq_hl.program"() <{name = "host_program_0"}> ({
            "torq_hl.return"() : () -> ()
          }) : () -> !torq_hl.program<host> loc(#named)
          %j0 = "torq_hl.create_invocation"(%p0) <{name = "nss_program_0"}> {"torq-job-id" = 0 : i32} : (!torq_hl.program<nss>) -> !torq_hl.invocation<nss> loc(#both)
          %j1 = "torq_hl.create_invocation"(%p1) <{name = "nss_program_1"}> {"torq-job-id" = 1 : i32} : (!torq_hl.program<nss>) -> !torq_hl.invocation<nss> loc(#l9)
          %h = "torq_hl.create_invocation"(%hp) <{name = "host_program_0"}> : (!torq_hl.program<host>) -> !torq_hl.invocation<host> loc(#named)
          %buf = memref.alloc() {"torq-action-id" = 0 : i32} : memref<64xi8> loc(#l4)
          "torq_hl.host_copy"(%buf, %in) {"torq-action-id" = 1 : i32} : (memref<64xi8>, memref<64xi8>) -> () loc(#l4)
          "torq_hl.start_program"(%j0, %i0, %i1, %xram, %itcm, %lram) <{operandSegmentSizes = array<i32: 1, 0, 5>}> {"torq-action-id" = 2 : i32} : (!torq_hl.invocation<nss>, !torq_hl.invocation<slice>, !torq_hl.invocation<slice>, memref<64xi8, "mem_space = xram">, memref<64xi8, "mem_space = itcm">, memref<64xi8, #gpu.address_space<workgroup>>) -> () loc(#both)
          "torq_hl.dynamic_host_copy"(%buf, %in) {"torq-action-id" = 3 : i32} : (memref<64xi8>, memref<64xi8>) -> () loc(#l4)
          "torq_hl.start_program"(%j1, %buf, %css, %xram, %itcm) <{operandSegmentSizes = array<i32: 1, 1, 3>}> {"torq-action-id" = 4 : i32} : (!torq_hl.invocation<nss>, memref<64xi8>, !torq_hl.invocation<css>, memref<64xi8, "mem_space = xram">, memref<64xi8, "mem_space = itcm">) -> () loc(#l9)
          "torq_hl.wait_program"(%j0) {"torq-action-id" = 5 : i32} : (!torq_hl.invocation<nss>) -> () loc(#both)
          "torq_hl.wait_program"(%j1) {"torq-action-id" = 6 : i32} : (!torq_hl.invocation<nss>) -> () loc(#l9)
          "torq_hl.start_program"(%h) <{operandSegmentSizes = array<i32: 1, 0, 0>}> {"torq-action-id" = 7 : i32} : (!torq_hl.invocation<host>) -> () loc(#named)
          "torq_hl.wait_program"(%h) {"torq-action-id" = 8 : i32} : (!torq_hl.invocation<host>) -> () loc(#named)
          memref.dealloc %buf {"torq-action-id" = 9 : i32} : memref<64xi8> loc(unknown)
          return loc(unknown)
        } loc(#l4)
      }) : () -> () loc(#l4)
    }) {sym_name = "torq"} : () -> () loc(#l4)
  }) {sym_name = "main$async_dispatch_0"} : () -> () loc(#l4)
  "hal.executable"() ({
    "hal.executable.variant"() ({
      "builtin.module"() ({
        func.func @main$async_dispatch_1() {
          %p = "torq_hl.program"() <{name = "nss_program_0"}> ({
            "torq_hw.nss_task"() ({
              "torq_hw.dma_out_start"() : () -> () loc(#l9)
              "torq_hw.dma_out_wait"() : () -> () loc(#l9)
            }) {"torq-task-id" = 0 : i64} : () -> () loc(#l9)
            "torq_hl.return"() : () -> ()
          }) : () -> !torq_hl.program<nss> loc(#l9)
          %j, %code = "torq_hl.descriptor"(%p) <{name = "nss_program_0"}> {"torq-job-id" = 0 : i32} : (!torq_hl.program<nss>) -> (!torq_hl.invocation<nss>, memref<8xi8>) loc(#l9)
          "torq_hl.start_program"(%j, %code) <{operandSegmentSizes = array<i32: 1, 1, 0>}> {"torq-action-id" = 0 : i32} : (!torq_hl.invocation<nss>, memref<8xi8>) -> () loc(#named)
          "torq_hl.wait_program"(%j) {"torq-action-id" = 1 : i32} : (!torq_hl.invocation<nss>) -> () loc(#named)
          return loc(unknown)
        } loc(#l4)
      }) : () -> () loc(#l4)
    }) {sym_name = "torq"} : () -> () loc(#l4)
  }) {sym_name = "main$async_dispatch_1"} : () -> () loc(#l4)
}) : () -> () loc(unknown)
