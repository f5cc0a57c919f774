/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Small files of every format there is, for laws that hold for all of them.
 */
#ifndef TACHO_TESTS_SAMPLES_H
#define TACHO_TESTS_SAMPLES_H

#include "base/str.h"

typedef struct sample {
    const char *source;
    const char *label; /* for messages */
    const char *text;
    /* Of a format in which each line that is not empty is a row; else -1. */
    int header_count;
} sample;

/* Composed by us, from the descriptions of the formats; some rows cannot be read. */
static const sample samples[] = {
    {"torq-timeline", "T1",
     "DI0,0,9408,loc(\"/w/m/fc.mlir\":4:10),DMA_IN\n"
     "DO1,11456,20864,loc(\"/w/m/fc.mlir\":6:5),DMA_OUT\n"
     "S0,9408,11456,loc(\"/w/m/fc.mlir\":4:10),fully_connected\n"
     "S1,9408,11456,loc(fused[\"/w/m/fc.mlir\":4:10, \"/w/m/fc.mlir\":5:1]),fully_connected\n",
     0},
    {"torq-timeline", "T1 with a header, CR LF and overlaps",
     "ID,Start,End,Location,Op Type\r\n"
     "S0,100,300,loc(unknown),conv2d\r\n"
     "\r\n"
     "S2,100,200,loc(unknown),conv2d\r\n"
     "S4,150,400,\"loc(\"\"a.mlir\"\":1:2)\",add\r\n"
     "S6,400,400,loc(unknown),nothing",
     1},
    {"torq-timeline", "T1 with the other header and bad rows",
     "event_name,start_time,end_time,mlir_src_line,event_type\n"
     "S0,5,9,loc(unknown),conv2d\n"
     "S1,9,5,loc(unknown),conv2d\n"
     "S2,x,5,loc(unknown),conv2d\n"
     "Q3,1,5,loc(unknown),conv2d\n"
     "\n"
     "S4\n"
     "S5,9,12,loc(unknown),conv2d\n",
     1},
    {"torq-timeline", "T2",
     "DI0,0,9408,loc(\"/w/m/fc.mlir\":4:10),DMA_IN,75264\n"
     "CDMA_L2I1,9408,9474,loc(unknown),CDMA_LRAM_TO_ITCM,380\n"
     "S0_1,9474,11522,loc(\"/w/m/fc.mlir\":4:10),conv2d_add\n"
     "CSS0,11522,19522,loc(\"/w/m/fc.mlir\":8:5),CSS\n",
     0},
    {"torq-timeline", "T3",
     "actionIndex, elapsed_time(us), timestamp(us), event, location, bytes\n"
     "0,15831,0,DMA In,loc(\"/w/m/add.mlir\":7:10),75264\n"
     "1,4704,15831,Slice 0,loc(\"/w/m/add.mlir\":18:10),\n",
     1},
    {"torq-timeline", "T4",
     "taskId, elapsed_time(us), timestamp(us), event, location, bytes\n"
     "2,15831,20536,DMA Out,loc(fused[\"/w/m/add.mlir\":12:10, \"b\":18:10]),75264\n"
     "3,66,36367,CDMA LRAM to ITCM,loc(unknown),380\n"
     "1,4704,15831,Slice 0,loc(callsite(\"/w/m/add.mlir\":12:10 at \"b\":2:3)),\n"
     "5,8000,36445,CSS,loc(\"/w/m/add.mlir\":20:5),\n"
     "6,1,2,Unheard Of,loc(unknown),\n",
     1},
    {"null", "null",
     "null 1\n"
     "npu 0 1500 conv 3x3\n"
     "npu 1500 1700 relu\n"
     "dma 100 90 ends before it starts\n"
     "dma -1 90 load\n"
     "dma 1e3 90 load\n"
     "dma 0 99999999999999999999 load\n"
     "dma 0 90\n"
     "\n"
     "dma 700 1600 load\r\n",
     1},
    {"torq-runtime", "R0",
     "id;time_since_open;time_since_start;location\n"
     "0;1520;310;loc(\"/w/m/add.mlir\":12:10)\n"
     "1;1905;301;loc(callsite(\"/w/m/add.mlir\":12:10 at \"/w/m/add.mlir\":2:3))\n"
     "2;2298;3440;\n"
     "3;2298;344;\n",
     1},
    {"torq-runtime", "R0 with the other header",
     "dispatch_id;time_since_open;time_since_start;mlir_loc\n"
     "0;1520;310;loc(\"/w/m/add.mlir\":12:10)\n",
     1},
    {"torq-runtime", "R0b",
     "id;time_since_open;time_since_start\n"
     "0;1520;310\n"
     "1;1600;310\n",
     1},
    {"torq-annotated", "A0",
     "nss_program_index;operation;slice_id;invocation_name;nss_program_timestamp_start;"
     "nss_program_timestamp_end;nss_program_timestamp_total;slice_used_0_in_program;"
     "slice_used_1_in_program;dma_in_used_in_program;dma_out_used_in_program\n"
     "0;torq_hw.dma_in_start;;;120;320;200;True;False;True;False\n"
     "0;torq_hw.slice_start;0;conv2d_0;120;320;200;True;False;True;False\n"
     "1;torq_hw.dma_out_start;;;x;600;50;False;False;False;True\n",
     -1},
    {"torq-annotated", "A3",
     "action_id;job_id;operation;invocation_names;original_operators;total_time;"
     "slice_used_0_in_program;slice_used_1_in_program;dma_in_used_in_program;"
     "dma_out_used_in_program;cdma_used_in_program;css_used_in_program;timestamp_start;"
     "timestamp_end;location\n"
     "0;;torq_hl.host_copy;;;8.0;;;;;;;1112.0;1120.0;@L4C10\n"
     "1;0.0;torq_hl.start_program;add_0;tosa.add@L12;1.0;True;False;True;True;False;False;1120.0;"
     "1121.0;@L12C10\n"
     "2;0.0;torq_hl.wait_program;add_0;tosa.add@L12;1.0;True;False;True;True;False;False;1122.0;"
     "1320.0;@L12C10\n"
     "3;;memref.dealloc;;;;;;;;;;;;\n"
     "-1;;__HAL_QUEUE_EXECUTE__.HAL_QUEUE_SIGNAL;;;1.0;;;;;;;1321.0;1322.0;HAL_QUEUE_SIGNAL\n",
     -1},
    {"torq-host", "R1",
     "actionIndex, elapsed_time(us), timestamp(us), event, location\n"
     "0,0,81234567412,HOST_COPY_START,loc(\"/w/m/add.mlir\":7:10)\n"
     "0,121,81234567533,HOST_COPY_END,loc(\"/w/m/add.mlir\":7:10)\n"
     "1,122,81234567534,NSS_START,loc(fused[\"a.mlir\":1:2, \"b.mlir\":3:4])\n"
     "1,123,81234567535,NSS_START_END,loc(fused[\"a.mlir\":1:2, \"b.mlir\":3:4])\n"
     "2,124,81234567536,NSS_WAIT_START,loc(unknown)\n"
     "2,441,81234567853,NSS_WAIT_END,loc(unknown)\n",
     -1},
    {"torq-host", "R1q, CR LF, a second dispatch and bad rows",
     "actionIndex, elapsed_time(us), timestamp(us), event, location\r\n"
     "0,0,412,HOST_COPY_START,\"loc(\"\"/w/m/add.mlir\"\":7:10)\"\r\n"
     "0,121,533,HOST_COPY_END,\"loc(\"\"/w/m/add.mlir\"\":7:10)\"\r\n"
     "1,122,534,Unknown,\"loc(unknown)\"\r\n"
     "x,122,534,ALLOC_START,\"loc(unknown)\"\r\n"
     "0,0,612,HOST_COPY_START,\"loc(unknown)\"\r\n"
     "0,1,613,HOST_COPY_END,\"loc(unknown)\"",
     -1},
    {"torq-host", "R2",
     "dispatch_name,invocation_id,action_id,timestamp_us,event\n"
     "a,0,-1,10,DISPATCH_BEGIN\n"
     "a,0,0,11,HOST_START_BEGIN\n"
     "a,0,0,14,HOST_START_END\n"
     "a,0,1,14,HOST_WAIT_BEGIN\n"
     "a,0,1,19,HOST_WAIT_END\n"
     "a,0,-1,20,DISPATCH_END\n"
     "a,1,0,8,ALLOC_END\n"
     "a,1,0,30,HOST_COPY_BEGIN\n",
     -1},
    {"torq-host", "R2i",
     "dispatch_name,invocation_id,action_id,timestamp_us,event\n"
     "main$async_dispatch_0,0,-1,1000,INIT_BEGIN\n"
     "main$async_dispatch_0,0,-1,1003,INIT_HW_OPEN_BEGIN\n"
     "main$async_dispatch_0,0,-1,1404,INIT_HW_OPEN_END\n"
     "main$async_dispatch_0,0,-1,1405,INIT_END\n"
     "__HAL_QUEUE_EXECUTE__,1,-1,1406,HAL_CALL_BEGIN\n"
     "main$async_dispatch_0,2,-1,1410,DISPATCH_BEGIN\n"
     "main$async_dispatch_0,2,0,1534,NSS_START_BEGIN\n"
     "main$async_dispatch_0,2,0,1535,NSS_START_END\n"
     "main$async_dispatch_0,2,1,1536,NSS_WAIT_BEGIN\n"
     "main$async_dispatch_0,2,1,1853,NSS_WAIT_END\n"
     "main$async_dispatch_0,2,-1,1860,DISPATCH_END\n"
     "__HAL_QUEUE_EXECUTE__,1,-1,1862,HAL_CALL_END\n",
     -1},
    {"chrome", "an object with everything in it",
     "{\"schemaVersion\":1,\"deviceProperties\":[{\"id\":0}],\"traceEvents\":[\n"
     "{\"ph\":\"X\",\"name\":\"step\",\"cat\":\"op\",\"pid\":7,\"tid\":1,\"ts\":1.5,\"dur\":20,"
     "\"args\":{\"n\":1,\"x\":0.5,\"s\":\"a\",\"d\":{\"e\":[1,null,{}]},\"ok\":true}},\n"
     "{\"ph\":\"s\",\"name\":\"ac2g\",\"cat\":\"ac2g\",\"id\":5,\"pid\":7,\"tid\":1,\"ts\":2},\n"
     "{\"ph\":\"B\",\"name\":\"in\",\"pid\":7,\"tid\":1,\"ts\":3},\n"
     "{\"ph\":\"E\",\"pid\":7,\"tid\":1,\"ts\":4},\n"
     "{\"ph\":\"X\",\"name\":\"k\",\"pid\":0,\"tid\":7,\"ts\":5,\"dur\":2},\n"
     "{\"ph\":\"f\",\"bp\":\"e\",\"name\":\"ac2g\",\"cat\":\"ac2g\",\"id\":5,\"pid\":0,\"tid\":7,"
     "\"ts\":5},\n"
     "{\"ph\":\"b\",\"name\":\"load\",\"cat\":\"io\",\"id\":\"0x1\",\"pid\":7,\"ts\":6},\n"
     "{\"ph\":\"i\",\"name\":\"now\",\"s\":\"g\",\"pid\":7,\"tid\":1,\"ts\":7},\n"
     "{\"ph\":\"C\",\"name\":\"mem\",\"pid\":7,\"ts\":8,\"args\":{\"used\":3}},\n"
     "{\"ph\":\"e\",\"name\":\"load\",\"cat\":\"io\",\"id\":\"0x1\",\"pid\":7,\"ts\":9},\n"
     "{\"ph\":\"X\",\"name\":\"bad\",\"pid\":7,\"tid\":1,\"ts\":-1},\n"
     "{\"ph\":\"M\",\"name\":\"process_labels\",\"pid\":0,\"args\":{\"labels\":\"GPU 0\"}}\n"
     "],\"traceName\":\"t\"}\n",
     -1},
    {"chrome", "an array that is not closed",
     "[\n"
     "{\"cat\" : \"Session\",\"pid\" :3,\"tid\" :3,\"dur\" :9,\"ts\" :2,\"ph\" : \"X\",\"name\" :"
     "\"load\",\"args\" : {}},\n"
     "{\"cat\" : \"Node\",\"pid\" :3,\"tid\" :3,\"dur\" :5,\"ts\" :14,\"ph\" : \"X\",\"name\" :"
     "\"conv\",\"args\" : {\"shape\" : [{\"float\":[1,64]}]}},\n",
     -1},
    {"chrome", "spans that overlap on threads which are named behind them",
     "[{\"ph\":\"X\",\"name\":\"a\",\"pid\":1,\"tid\":1,\"ts\":0,\"dur\":10},\n"
     "{\"ph\":\"X\",\"name\":\"b\",\"pid\":1,\"tid\":1,\"ts\":5,\"dur\":10},\n"
     "{\"ph\":\"X\",\"name\":\"in b\",\"pid\":1,\"tid\":1,\"ts\":11,\"dur\":3},\n"
     "{\"ph\":\"X\",\"name\":\"c\",\"pid\":1,\"tid\":1,\"ts\":12,\"dur\":9},\n"
     "{\"ph\":\"X\",\"name\":\"d\",\"pid\":1,\"tid\":2,\"ts\":12,\"dur\":9},\n"
     "{\"ph\":\"M\",\"name\":\"thread_sort_index\",\"pid\":1,\"tid\":1,\"args\":"
     "{\"sort_index\":4}},\n"
     "{\"ph\":\"M\",\"name\":\"thread_name\",\"pid\":1,\"tid\":1,\"args\":"
     "{\"name\":\"queue\"}}]\n",
     -1},
    {"chrome", "a thread and a counter of one name",
     "[{\"ph\":\"M\",\"name\":\"thread_name\",\"pid\":1,\"tid\":5,\"args\":{\"name\":"
     "\"Frame value\"}},\n"
     "{\"ph\":\"X\",\"name\":\"a\",\"pid\":1,\"tid\":5,\"ts\":1,\"dur\":2},\n"
     "{\"ph\":\"C\",\"name\":\"Frame\",\"pid\":1,\"ts\":1,\"args\":{\"value\":3}},\n"
     "{\"ph\":\"C\",\"name\":\"Frame\",\"pid\":1,\"ts\":4,\"args\":{\"value\":4}}]\n",
     -1},
    {"perfetto", "a span, one inside it, an instant, a flow and an end too many",
     "\x0a\x0a\xe2\x03\x07\x08\x01\x12\x03npu"
     "\x0a\x0f\x50\x01\x40\x05\x5a\x09\x48\x01\x58\x01\xba\x01\x02op"
     "\x0a\x14\x50\x01\x40\x06\x5a\x0e\x48\x01\x58\x01\xf9\x02\x11\x11\x11\x11\x11\x11\x11\x11"
     "\x0a\x0a\x50\x01\x40\x08\x5a\x04\x48\x02\x58\x01"
     "\x0a\x14\x50\x01\x40\x08\x5a\x0e\x48\x03\x58\x01\x81\x03\x11\x11\x11\x11\x11\x11\x11\x11"
     "\x0a\x0a\x50\x01\x40\x09\x5a\x04\x48\x02\x58\x01"
     "\x0a\x0a\x50\x01\x40\x0b\x5a\x04\x48\x02\x58\x01",
     -1},
    {"perfetto", "tracks without a description, times that go back, a counter, a cut end",
     "\x0a\x0f\x50\x01\x40\x15\x5a\x09\x48\x01\x58\x07\xba\x01\x02\x62 "
     "\x0a\x0a\x50\x01\x40\x19\x5a\x04\x48\x02\x58\x07"
     "\x0a\x0f\x50\x01\x40\x05\x5a\x09\x48\x01\x58\x07\xba\x01\x02op"
     "\x0a\x0a\x50\x01\x40\x09\x5a\x04\x48\x02\x58\x07"
     "\x0a\x0f\xe2\x03\x0c\x08\x02\x12\x02\x6d\x62\x42\x04\x18\x03\x20\x02"
     "\x0a\x0d\x50\x01\x40\x09\x5a\x07\x48\x04\x58\x02\xf0\x01\x7f"
     "\x0a\x0d\x50\x01\x40",
     -1},
    {"tenstorrent-ops", "two chips, a signpost, a host op, a replay and a row cut short",
     "OP CODE,OP TYPE,GLOBAL CALL COUNT,DEVICE ID,DEVICE ARCH,ATTRIBUTES,HOST START TS,HOST END TS,"
     "DEVICE FW START CYCLE,DEVICE FW END CYCLE,DEVICE FW DURATION [ns],"
     "DEVICE KERNEL DURATION [ns],METAL TRACE ID,METAL TRACE REPLAY SESSION ID,LOC\r\n"
     "go,signpost,,,,,50,,,,,,,,\r\n"
     "Matmul,tt_dnn_device,1024,0,blackhole,{'a': '1'; 'b': '2'},100,160,1350,4050,2000,1500,0,1,"
     "\"loc(\"\"a.py\"\":6:0)\"\r\n"
     "Matmul,tt_dnn_device,1025,1,blackhole,{},110,170,1351,4051,2000,1500,0,1,\r\n"
     "(torch) pad,python_fallback,2147483650,,,,200,300,,,,,,,\r\n"
     "Matmul,tt_dnn_device,1024,0,blackhole,{'a': '1'; 'b': '2'},100,160,5400,8100,2000,1400,0,2,"
     "\"loc(\"\"a.py\"\":6:0)\"\r\n"
     "Add,tt_dnn_device,2048,0,blackhole,{},400\r\n",
     -1},
    {"tenstorrent-log", "zones, a NoC event, a row that goes back in time",
     "ARCH: blackhole, CHIP_FREQ[MHz]: 1350, Max Compute Cores: 140\n"
     "PCIe slot, core_x, core_y, RISC processor type, timer_id, time[cycles since reset], data, "
     "run "
     "host ID, trace id, trace id counter, zone name, type, source line, source file, meta data\n"
     "0,1,2,BRISC,7,5000,0,1024,,,BRISC-FW,ZONE_START,4,/w/b.cc,{\"sub_device_id\":0}\n"
     "0,1,2,BRISC,8,5100,0,1024,,,BRISC-KERNEL,ZONE_START,6,/w/k.cc,\n"
     "0,1,2,BRISC,12345,5200,31050981462,1024,,,,TS_DATA,0,,\n"
     "0,1,2,BRISC,8,5900,0,1024,,,BRISC-KERNEL,ZONE_END,6,/w/k.cc,\n"
     "0,1,2,BRISC,7,6000,0,1024,,,BRISC-FW,ZONE_END,4,/w/b.cc,\n"
     "0,2,2,TRISC_0,9,5010,77,1024,,,CB-COMPUTE-WAIT-FRONT,ZONE_TOTAL,6,/w/k.cc,\n"
     "0,2,2,TRISC_0,7,5020,0,1024,,,TRISC-FW,ZONE_START,4,/w/t.cc,\n",
     -1},
    {"xplane", "kernels, the calls that launched them, and times since 1970",
     "\x0a\x9b\x05\x08\x03\x12\x0d/device:GPU:0\x1a\x94\x01\x08\x0e\x12\x13Stream #14(Compute)"
     "\x18\xe4\x80\xa8\xb1\xe3\x9f\xe7\xcb\x17\"Q\x08\x80\x80\x80\x80\x80\x80@\x10\xc0\x8d\xb7"
     "\x01\x18\xfb\xb2\x90\x03\"\x0a\x08\x82\x80\x80\x80\x80\x80@\x18\x0b\"\x10\x08\x83\x80"
     "\x80\x80\x80\x80@8\x84\x80\x80\x80\x80\x80@\"\x1f\x08\x85\x80\x80\x80\x80\x80@*\x15regs:"
     "106 grid:256,1,1\"\x1e\x08\x80\x80\x80\x80\x80\x80@\x10\x80\xb6\xdc\x05\x18\x80\x9b\xee"
     "\x02\"\x0a\x08\x82\x80\x80\x80\x80\x80@\x18\x0c\x1as\x08\x0f\x12\x15Stream #15(MemcpyH2D"
     ")\x18\xe4\x80\xa8\xb1\xe3\x9f\xe7\xcb\x17\"N\x08\x81\x80\x80\x80\x80\x80@\x18\x80\x89z\""
     "\x0a\x08\x82\x80\x80\x80\x80\x80@\x18\x0a\"4\x08\x86\x80\x80\x80\x80\x80@**kind_src:page"
     "able size:4096 dest:0 async:1\x1a)\x08\x14\x12\x07XLA Ops\x18\xe4\x80\xa8\xb1\xe3\x9f"
     "\xe7\xcb\x17\"\x12\x08\x80\x80\x80\x80\x80\x80@\x10\xc0\x8d\xb7\x01\x18\x80\xc8\xd0\x07"
     "\"%\x08\x80\x80\x80\x80\x80\x80@\x12\x1b\x08\x80\x80\x80\x80\x80\x80@\x12\x11gemm_fusion"
     "_dot_6\"\x1d\x08\x81\x80\x80\x80\x80\x80@\x12\x13\x08\x81\x80\x80\x80\x80\x80@\x12\x09Me"
     "mcpyH2D*#\x08\x80\x80\x80\x80\x80\x80@\x12\x19\x08\x80\x80\x80\x80\x80\x80@\x12\x0fgpu_d"
     "evice_name*\x1e\x08\x81\x80\x80\x80\x80\x80@\x12\x14\x08\x81\x80\x80\x80\x80\x80@\x12"
     "\x0a"
     "clock_rate*\"\x08\x82\x80\x80\x80\x80\x80@\x12\x18\x08\x82\x80\x80\x80\x80\x80@"
     "\x12\x0e"
     "correlation_id*\x1a\x08\x83\x80\x80\x80\x80\x80@\x12\x10\x08\x83\x80\x80\x80"
     "\x80\x80@\x12\x06hlo_op*\x19\x08\x84\x80\x80\x80\x80\x80@\x12\x0f\x08\x84\x80\x80\x80"
     "\x80\x80@\x12\x05"
     "dot.6*\"\x08\x85\x80\x80\x80\x80\x80@\x12\x18\x08\x85\x80\x80\x80"
     "\x80\x80@\x12\x0ekernel_details*\"\x08\x86\x80\x80\x80\x80\x80@\x12\x18\x08\x86\x80\x80"
     "\x80\x80\x80@\x12\x0ememcpy_details2\x15\x08\x80\x80\x80\x80\x80\x80@*\x0bNVIDIA H2002"
     "\x0c\x08\x81\x80\x80\x80\x80\x80@\x18\xe0\xecx\x0a\x9e\x01\x08\x03\x12\x09/host:CPU\x1a"
     ""
     "A\x08\x05\x12\x09python3/5\x18(\"\x0c\x08\x02\x18\xa0\xc2\x1e\"\x04\x08\x01\x18\x0a\""
     "\x10\x08\x01\x10\xc0\xcf$\x18\x80\xb5\x18\"\x04\x08\x01\x18\x0b\"\x10\x08\x01\x10\xe0"
     "\x91"
     "C\x18\x80\xb5\x18\"\x04\x08\x01\x18\x0c\"\x16\x08\x01\x12\x12\x08\x01\x12\x0e"
     "c"
     "uLaunchKernel\"\x1c\x08\x02\x12\x18\x08\x02\x12\x14"
     "cuMemcpyHtoDAsync_v2*\x16\x08\x01"
     "\x12\x12\x08\x01\x12\x0e"
     "correlation_id\x0a>\x08\x03\x12\x10Task Environment*\x1a\x08"
     "\x01\x12\x16\x08\x01\x12\x12profile_start_time2\x0c\x08\x01\x18\x80\x80\xa8\xb1\xe3\x9f"
     "\xe7\xcb\x17\"\x06host-1\x1a\x10"
     "dropped 3 events",
     -1},
    {"rocprof-csv", "kernels",
     "\"Kind\",\"Agent_Id\",\"Queue_Id\",\"Stream_Id\",\"Thread_Id\",\"Dispatch_Id\",\"Kernel_Id\","
     "\"Kernel_Name\","
     "\"Correlation_Id\",\"Start_Timestamp\",\"End_Timestamp\",\"LDS_Block_Size\",\"Workgroup_Size_"
     "X\","
     "\"Workgroup_Size_Y\",\"Workgroup_Size_Z\",\"Grid_Size_X\",\"Grid_Size_Y\",\"Grid_Size_Z\"\n"
     "\"KERNEL_DISPATCH\",\"Agent 4\",\"1\",\"2\",\"7\",\"1\",\"10\",\"void add<float>(float*, "
     "int)\",\"1\",\"1000\","
     "\"1900\",\"0\",\"64\",\"1\",\"1\",\"1024\",\"1\",\"1\"\n"
     "\"KERNEL_DISPATCH\",\"Agent 4\",1,2,7,2,10,\"mul\",2,\"2000\",\"2500\",0,64,1,1,1024,1,1\n"
     "\"KERNEL_DISPATCH\",\"Agent 4\",1,2,7,3,10,\"mul\",2,\"x\",\"2500\",0,64,1,1,1024,1,1\n"
     "\"KERNEL_DISPATCH\",\"Agent 4\",1\n",
     1},
    {"rocprof-csv", "calls",
     "\"Domain\",\"Function\",\"Process_Id\",\"Thread_Id\",\"Correlation_Id\",\"Start_Timestamp\","
     "\"End_Timestamp\"\n"
     "\"HIP_RUNTIME_API\",\"hipLaunchKernel\",15,15,1,1000,1900\n"
     "\"MARKER_CORE_API\",\"a mark\",15,15,2,1950,1950\n"
     "\"HSA_CORE_API\",\"hsa_init\",15,16,3,2900,1900\n",
     1},
    {"rocprof-json", "two processes",
     "{\"rocprofiler-sdk-tool\":[{\"metadata\":{\"pid\":9},\"agents\":[{\"id\":{\"handle\":5},"
     "\"type\":2,"
     "\"product_name\":\"AMD Instinct "
     "MI300X\"}],\"strings\":{\"buffer_records\":[{\"kind\":\"NONE\",\"operations\":[]},"
     "{\"kind\":\"HIP_RUNTIME_API\",\"operations\":[\"none\",\"hipLaunchKernel\"]}]},\"kernel_"
     "symbols\":[{\"kernel_id\":3,"
     "\"formatted_kernel_name\":\"gemm(float*)\"}],\"buffer_records\":{\"kernel_dispatch\":[{"
     "\"kind\":11,\"operation\":2,"
     "\"thread_id\":9,\"correlation_id\":{\"internal\":1,\"external\":0},\"start_timestamp\":2000,"
     "\"end_timestamp\":2900,"
     "\"dispatch_info\":{\"agent_id\":{\"handle\":5},\"queue_id\":{\"handle\":1},\"kernel_id\":3,"
     "\"workgroup_size\":"
     "{\"x\":64,\"y\":1,\"z\":1},\"grid_size\":{\"x\":640,\"y\":1,\"z\":1}}}],\"hip_api\":[{"
     "\"kind\":1,\"operation\":1,"
     "\"thread_id\":9,\"correlation_id\":{\"internal\":1},\"start_timestamp\":1000,\"end_"
     "timestamp\":1500}]}},"
     "{\"metadata\":{\"pid\":10},\"buffer_records\":{\"kernel_dispatch\":[{\"start_timestamp\":5,"
     "\"end_timestamp\":4}]}}]}",
     -1},
    {"ascend-csv", "op_summary",
     "Device_id,Model ID,Task ID,Stream ID,Op Name,OP Type,Task Type,Task Start Time(us),Task "
     "Duration(us),Input Shapes\n"
     "0,4294967295,3,2,aclnnMatmul_MatMulV2,MatMulV2,AI_CORE,1742490378358140.951\t,12.34,\"\"\"1,"
     "2;3\"\"\"\n"
     "0,4294967295,4,2,EVENT_WAIT,N/A,EVENT_WAIT,1742490378358160.1,1,N/A\n"
     "0,4294967295,5,2,bad,N/A,AI_CORE,N/A,1,N/A\n",
     1},
    {"ascend-csv", "kernel_details",
     "Name,Type,Accelerator Core,Start Time(us),Duration(us),Wait Time(us),Block Dim\n"
     "aclnnAdd,Add,AI_VECTOR_CORE,1742490378358140.951,2.5,0,8\n",
     1},
};

enum { SAMPLE_COUNT = sizeof(samples) / sizeof(samples[0]) };

static inline tacho_str sample_bytes(const sample *from)
{
    return tacho_str_from_cstring(from->text);
}

#endif
