/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Every row of the table is found by a head composed for it, and nothing else is.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "sources/known_formats.h"
#include "sources/source.h"

typedef struct known_case {
    const char *title; /* of the row; NULL: of none */
    const char *name;
    tacho_str head;
} known_case;

#define CASE(title, name, head)                                                                    \
    {                                                                                              \
        title, name, TACHO_STR_INIT(head)                                                          \
    }

static const known_case cases[] = {
    CASE("an Nsight Systems report", "run.nsys-rep", "anything"),
    CASE("an Nsight Systems report", "run.qdrep", ""),
    CASE("an unfinished Nsight Systems recording", "run.qdstrm", "anything"),
    CASE("a table of 'nsys stats'", "x", "Time (%),Total Time (ns),Instances,Avg (ns)\n1,2,3,4\n"),
    CASE("an event table of 'nsys stats'", "x", "Start (ns),Duration (ns),CorrId,GrdX\n1,2,3,4\n"),
    CASE("an Nsight Compute report", "x", "NVR\0\x10\0\0\0"),
    CASE("a table of Nsight Compute", "x",
         "==PROF== Connected\n\"ID\",\"Process ID\",\"Process Name\",\"Host Name\",\"Kernel "
         "Name\"\n"),
    CASE("output of nvprof", "x", "==7== NVPROF is profiling process 7, command: ./a\n"),
    CASE("output of nvprof", "x", "==7== Profiling result:\n\"Type\",\"Time(%)\"\n"),
    CASE("a database of nvprof", "x",
         "SQLite format 3\0 CREATE TABLE CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL StringTable"),
    CASE("a database of rocmProfileData (rpd)", "x",
         "SQLite format 3\0 CREATE TABLE rocpd_api( CREATE TABLE rocpd_op("),
    CASE("a database that tacho wrote", "x",
         "SQLite format 3\0"
         "                                                    taco"),
    CASE("an SQLite database without tables of a profiler", "x", "SQLite format 3\0 other"),
    CASE("a table of rocprof 1 or 2", "x", "\"Index\",\"KernelName\",\"gpu-id\",\"queue-id\"\n"),
    CASE("a Radeon GPU Profiler recording", "x", "B00P\1\0\0\0"),
    CASE("an AWS Neuron profile", "profile.ntff", "anything"),
    CASE("a compiled AWS Neuron model", "model.neff", "anything"),
    CASE("a Gaudi profile", "run.hltv", "anything"),
    CASE("an Instruments export", "x", "<?xml version=\"1.0\"?>\n<trace-query-result>\n"),
    CASE("a VTune result", "r000hs.vtune", "anything"),
    CASE("a table printed by torch.profiler", "x", "Name  Self CPU %  Self CPU  CPU total\n"),
    CASE("a PyTorch memory snapshot (pickle)", "x", "\x80\x04}(\x8c\x08segments allocated_size"),
    CASE("a PyTorch Flight Recorder dump (pickle)", "x", "\x80\x04}(\x8c\x09pg_config entries"),
    CASE("a Python pickle", "x", "\x80\x02}q\0."),
    CASE("a Python pickle", "x", "\x80\x03}q\0."),
    CASE("a Python pickle", "x", "\x80\x04}\x94."),
    CASE("a Python pickle", "x", "\x80\x05}\x94."),
    CASE("a PyTorch execution trace (Chakra)", "x",
         "{\"schema\": \"1.1.1-chakra.0.0.4\", \"pid\": 1, \"nodes\": []}"),
    CASE("a Chakra execution trace", "rank0.et", "\x0d\x0a\x05 0.0.4"),
    CASE("a Proton or Hatchet profile", "x",
         "\n [ {\"children\": [], \"frame\": {\"name\": \"ROOT\"}, \"metrics\": {}} ]"),
    CASE("an NCCL Inspector record", "x",
         "{\"header\":{\"id\":\"0x1\"},\"metadata\":{\"inspector_output_format_version\":\"v4.0\"}"
         "}"),
    CASE("a TensorBoard event file", "x", "\x18\0\0\0\0\0\0\0 brain.Event:2 "),
    CASE("a memray recording", "x", "memray\0\x0b"),
    CASE("a perf recording", "x", "PERFILE2\x68\0"),
    CASE("a perf recording", "x", "2ELIFREP\0\0"),
    CASE("a simpleperf report", "x", "SIMPLEPERF\1\0"),
    CASE("output of 'perf script'", "x",
         "# captured on: today\npython 12 [001] 5.25: 10 cycles: \n\t    55d0 main (/bin/x)\n"),
    CASE("collapsed stacks", "x", "main;loop;work 17\nmain;loop 2\n"),
    CASE("collapsed stacks", "x", "main;loop 2"),
    CASE("a speedscope profile", "x",
         "{\"$schema\":\"https://www.speedscope.app/file-format-schema.json\",\"shared\":{}}"),
    CASE("a CPU profile of V8 (.cpuprofile)", "x",
         "{\"nodes\":[{\"id\":1,\"callFrame\":{\"functionName\":\"(root)\"}}]}"),
    CASE("a heap snapshot of V8", "x", "{\"snapshot\":{\"meta\":{\"node_fields\":[]}}}"),
    CASE("a Firefox or samply profile", "x",
         "{\"meta\":{\"interval\":1,\"preprocessedProfileVersion\":48}}"),
    CASE("a callgrind profile", "x", "# callgrind format\nversion: 1\n"),
    CASE("a gprof profile", "x", "gmon\1\0\0\0"),
    CASE("a Java Flight Recorder recording", "x", "FLR\0\0\2\0\1"),
    CASE("a Java heap dump", "x", "JAVA PROFILE 1.0.2"),
    CASE("a .NET trace", "x", "Nettrace\x14\0\0\0!FastSerialization.1"),
    CASE("a Go execution trace", "x", "go 1.22 trace\0\0\0\1"),
    CASE("a pprof profile", "x", "\n\4\x08\1\x10\2\n\4\x08\3\x10\4\x12\7"),
    CASE("a pprof profile", "x", "\n\2\x08\1\x12\7\x0a\1"),
    CASE("a trace-cmd recording", "x", "\x17\x08\x44tracing6\0"),
    CASE("an ftrace text log", "x", "# tracer: nop\n#\n"),
    CASE("a systrace page", "x",
         "<!DOCTYPE html>\n<script class=\"trace-data\" type=\"application/text\">"),
    CASE("a Common Trace Format stream", "x", "\xc1\x1f\xfc\xc1\0"),
    CASE("Common Trace Format metadata", "x", "\x57\x1d\xd1\x75\0"),
    CASE("Common Trace Format metadata", "x", "/* CTF 1.8 */\n"),
    CASE("a Windows event log trace", "boot.etl", "anything"),
    CASE("uftrace data", "x", "Ftrace!\0\x04"),
    CASE("OpenTelemetry traces (OTLP)", "x", "{\"resourceSpans\":[{\"resource\":{}}]}"),
    CASE("Jaeger traces", "x", "{\"data\":[{\"traceID\":\"a\",\"spans\":[]}]}"),
    CASE("Zipkin traces", "x", "[{\"traceId\":\"a\",\"timestamp\":1,\"duration\":2}]"),
    CASE("a Caliper profile", "x", "__rec=node,id=12,attr=10\n"),
    CASE("a saved PyTorch model", "x", "PK\3\4\0\0 archive/data.pkl"),
    CASE("a GGUF model", "x", "GGUF\3\0\0\0"),
    CASE("a TensorFlow Lite model", "x", "\x1c\0\0\0TFL3\x14"),
    CASE("a TensorRT engine", "x", "ftrt\0\0\0\0"),
    CASE("an executable", "x",
         "\x7f"
         "ELF\2\1\1"),
    CASE("a script", "x", "#!/bin/sh\n"),
    CASE("a zip archive", "x", "PK\3\4\x14\0 trace.json"),
    CASE("a tar archive", "x",
         "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"
         "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"
         "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"
         "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"
         "0ustar\000"),
    CASE("a 7z archive", "x", "7z\xbc\xaf\x27\x1c\0\4"),
    CASE("an xz file", "x",
         "\xfd"
         "7zXZ\0\0\4"),
    CASE("a bzip2 file", "x", "BZh91AY&SY"),
    CASE("an lz4 file", "x", "\x04\x22\x4d\x18\x64"),
    CASE("a Parquet file", "x", "PAR1\x15\0"),
    CASE("an Arrow file", "x", "ARROW1\0\0"),
    CASE("an HDF5 file", "x", "\x89HDF\r\n\x1a\n\0"),
    /* Nearly. */
    CASE(NULL, "x", ""),
    CASE(NULL, "nsys-rep.txt", "text\n"),
    CASE(NULL, "x", "NVR"),
    CASE(NULL, "x", "main;loop;work\n"),
    CASE(NULL, "x", "main;loop;work x7\nmain;loop 2\n"),
    CASE(NULL, "x", "main;loop 2\nno stack\nmore\n"),
    CASE(NULL, "x", "work 17\nwork 18\n"),
    CASE(NULL, "x", "python 12 5.25: cycles:\nnot indented\n"),
    CASE(NULL, "x", "python 12 5.25: cycles:\n\twords only (x)\n"),
    CASE(NULL, "x", "\n\4\x08\1\x10\2"),
    CASE(NULL, "x", "\n\3\x08\1\x10\x12\7"),
    CASE(NULL, "x", "\n\4\x08\x80\x10\2\x12\7"),
    CASE(NULL, "x", "\x80\x01}q\0."),
    CASE(NULL, "x", "go 1.22 module\n"),
    CASE(NULL, "x", "taco"),
};

static void test_heads(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        const tacho_known_format *found =
            tacho_known_format_find(cases[i].head, tacho_str_from_cstring(cases[i].name));
        const char *title = found != NULL ? found->title : "(none)";
        assert_string_equal(title, cases[i].title != NULL ? cases[i].title : "(none)");
    }
}

/* A row that no case reaches is hidden by one before it. */
static void test_every_row(void **state)
{
    (void)state;
    for (const tacho_known_format *row = tacho_known_formats; row->title != NULL; row++) {
        bool is_found = false;
        for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]) && !is_found; i++) {
            is_found = row == tacho_known_format_find(cases[i].head,
                                                      tacho_str_from_cstring(cases[i].name));
        }
        if (!is_found) {
            fail_msg("no head is found as '%s', row %td", row->title, row - tacho_known_formats);
        }
    }
}

/* What detection reports, whatever the probes of sources make of the head. */
static void test_resolve(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        tacho_input input;
        const tacho_source *source = NULL;
        if (cases[i].title == NULL || cases[i].head.len == 0) {
            continue;
        }
        assert_null(tacho_input_open_bytes(cases[i].name, cases[i].head, &input));
        tacho_status status = tacho_source_resolve(&input, &source);
        assert_int_equal(tacho_status_code(status), TACHO_CODE_UNSUPPORTED);
        assert_non_null(strstr(tacho_status_message(status), cases[i].title));
        tacho_status_free(status);
        tacho_input_close(&input);
    }
}

static void test_remedy(void **state)
{
    (void)state;
    tacho_status status = tacho_known_format_fail(
        tacho_known_format_find(TACHO_STR(""), TACHO_STR("a.nsys-rep")), "a.nsys-rep");
    assert_string_equal(tacho_status_message(status),
                        "a.nsys-rep: an Nsight Systems report, which tacho does not read; 'nsys "
                        "export --type sqlite a.nsys-rep' writes an SQLite database that tacho "
                        "reads");
    tacho_status_free(status);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_heads),
        cmocka_unit_test(test_every_row),
        cmocka_unit_test(test_resolve),
        cmocka_unit_test(test_remedy),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
