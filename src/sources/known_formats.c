/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The table of recognised formats, in the order in which they are tried: formats inside a container
 * precede the container. A remedy names a command of the vendor's tool, or the reason why there is
 * none.
 */
#include "sources/known_formats.h"

#include <ctype.h>

#define MAGIC(bytes) .magic = TACHO_STR_INIT(bytes)
#define WORDS(...) .words = {__VA_ARGS__}
#define SQLITE MAGIC("SQLite format 3")

#define CHROME_EXPORT "prof.export_chrome_trace(\"trace.json\") writes a trace that tacho reads"
#define UNPACK_MODEL "tacho compiles models in ONNX and TOSA MLIR"
#define NO_STACKS "stacks without times are not read; tacho can record the program itself"

/* ---- formats without fixed bytes ------------------------------------------------------------ */

/* One message of length-delimited field 1 that is a ValueType: one or two small numbers. */
static bool is_pprof(tacho_str head)
{
    static const char after[] = "\x0a\x12\x1a";
    enum { TYPE_TAG = 0x08, UNIT_TAG = 0x10, SHORT = 0x80 };
    const unsigned char *bytes = (const unsigned char *)head.data;
    if (head.len < 6 || bytes[0] != '\n' || (bytes[1] != 2 && bytes[1] != 4)) {
        return false;
    }
    size_t next = 2 + (size_t)bytes[1];
    bool has_unit = bytes[1] == 4;
    return next < head.len && bytes[2] == TYPE_TAG && bytes[3] < SHORT &&
           (!has_unit || (bytes[4] == UNIT_TAG && bytes[5] < SHORT)) &&
           memchr(after, bytes[next], sizeof(after) - 1) != NULL;
}

static tacho_str take_line(tacho_str *rest)
{
    size_t len = tacho_str_find_byte(*rest, '\n');
    tacho_str line = tacho_str_make(rest->data, len);
    *rest = tacho_str_from(*rest, len < rest->len ? len + 1 : len);
    return line;
}

/* "main;loop;work 17" */
static bool is_collapsed_line(tacho_str line)
{
    size_t digits = 0;
    while (digits < line.len && isdigit((unsigned char)line.data[line.len - 1 - digits])) {
        digits++;
    }
    size_t stack_len = line.len - digits;
    return digits > 0 && stack_len > 1 && line.data[stack_len - 1] == ' ' &&
           tacho_str_find_byte(tacho_str_make(line.data, stack_len), ';') < stack_len;
}

static bool is_collapsed(tacho_str head)
{
    tacho_str first = take_line(&head);
    return is_collapsed_line(first) && (head.len == 0 || is_collapsed_line(take_line(&head)) ||
                                        tacho_str_find_byte(head, '\n') == head.len);
}

/* "python 12 [001] 5.25: 10 cycles:" above a line of spaces and an address. */
static bool is_perf_script(tacho_str head)
{
    tacho_str first = take_line(&head);
    while (tacho_str_starts_with(first, TACHO_STR("#")) && head.len > 0) {
        first = take_line(&head);
    }
    tacho_str frame = take_line(&head);
    tacho_str address = tacho_str_trim(frame);
    uint64_t value = 0;
    size_t address_len = tacho_str_find_byte(address, ' ');
    return tacho_str_ends_with(tacho_str_trim(first), TACHO_STR(":")) && frame.len > 0 &&
           isspace((unsigned char)frame.data[0]) != 0 && address_len < address.len &&
           tacho_str_parse_hex(tacho_str_make(address.data, address_len), &value);
}

/* A list of frames with metrics, as Proton and Hatchet write it. */
static bool is_hatchet(tacho_str head)
{
    while (head.len > 0 && isspace((unsigned char)head.data[0])) {
        head = tacho_str_from(head, 1);
    }
    return tacho_str_starts_with(head, TACHO_STR("[")) &&
           tacho_str_contains(head, TACHO_STR("\"frame\"")) &&
           tacho_str_contains(head, TACHO_STR("\"children\""));
}

/* ---- the table ------------------------------------------------------------------------------ */

const tacho_known_format tacho_known_formats[] = {
    /* Profilers of vendors. */
    {"an Nsight Systems report",
     "'nsys export --type sqlite FILE' writes an SQLite database that tacho reads",
     .suffixes = ".nsys-rep .qdrep"},
    {"an unfinished Nsight Systems recording",
     "open it in Nsight Systems or with its QdstrmImporter, then use 'nsys export --type sqlite'",
     .suffixes = ".qdstrm"},
    {"a table of 'nsys stats'",
     "it has no events; 'nsys export --type sqlite' of the report writes what tacho reads",
     WORDS("Time (%)", "Total Time (ns)", "Instances")},
    {"an event table of 'nsys stats'",
     "'nsys export --type sqlite' of the report writes what tacho reads",
     WORDS("Start (ns)", "Duration (ns)", "CorrId")},
    {"an Nsight Compute report",
     "it holds counters of single kernels and no timeline; record one with 'nsys profile' or "
     "with tacho",
     MAGIC("NVR\0")},
    {"a table of Nsight Compute",
     "it holds counters of single kernels and no timeline; record one with 'nsys profile' or "
     "with tacho",
     WORDS("\"Process ID\"", "\"Kernel Name\"", "\"Host Name\"")},
    {"output of nvprof", "record the program with 'nsys profile' or with tacho instead",
     WORDS("NVPROF is profiling process")},
    {"output of nvprof", "record the program with 'nsys profile' or with tacho instead",
     WORDS("==", " Profiling result:")},
    {"a database of nvprof", "record the program with 'nsys profile' or with tacho instead", SQLITE,
     WORDS("CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL", "StringTable")},
    {"a database of rocmProfileData (rpd)",
     "its rpd2tracing.py writes a Chrome trace that tacho reads", SQLITE,
     WORDS("rocpd_api", "rocpd_op")},
    {"a database that tacho wrote",
     "open it with sqlite3, or name the profile that it was made from", MAGIC("taco"), .offset = 68,
     WORDS("SQLite format 3")},
    {"an SQLite database without tables of a profiler",
     "tacho reads databases of Nsight Systems, ROCm and Ascend", SQLITE},
    {"a table of rocprof 1 or 2",
     "record with rocprofv3, or write a trace with 'rocprof --hip-trace' (results.json)",
     WORDS("\"KernelName\"", "\"gpu-id\"", "\"queue-id\"")},
    {"a Radeon GPU Profiler recording", "record a trace with rocprofv3 instead", MAGIC("B00P")},
    {"an AWS Neuron profile",
     "'neuron-explorer' writes a Perfetto trace (.pftrace) of it that tacho reads",
     .suffixes = ".ntff"},
    {"a compiled AWS Neuron model", "profile it with 'neuron-explorer', which writes a .pftrace",
     .suffixes = ".neff"},
    {"a Gaudi profile",
     "open it in Habana's viewer; PyTorch's profiler writes a trace on Gaudi, too",
     .suffixes = ".hltv"},
    {"an Instruments export",
     "tacho does not read Apple's formats; export a Chrome trace from Core "
     "ML Tools where possible",
     WORDS("<trace-query-result>")},
    {"a VTune result", "record with 'unitrace --chrome-kernel-logging' instead",
     .suffixes = ".vtune"},
    /* Profilers of frameworks. */
    {"a table printed by torch.profiler", CHROME_EXPORT, WORDS("Self CPU %", "CPU total", "Name")},
    {"a PyTorch memory snapshot (pickle)",
     "it holds allocations and no times of operators; open it at pytorch.org/memory_viz",
     MAGIC("\x80"), WORDS("segments", "allocated_size")},
    {"a PyTorch Flight Recorder dump (pickle)",
     "tacho does not run pickles; traces of the ranks show their collectives", MAGIC("\x80"),
     WORDS("pg_config", "entries")},
    {"a Python pickle", "tacho does not run pickles; export a trace as JSON", MAGIC("\x80\x02")},
    {"a Python pickle", "tacho does not run pickles; export a trace as JSON", MAGIC("\x80\x03")},
    {"a Python pickle", "tacho does not run pickles; export a trace as JSON", MAGIC("\x80\x04")},
    {"a Python pickle", "tacho does not run pickles; export a trace as JSON", MAGIC("\x80\x05")},
    {"a PyTorch execution trace (Chakra)",
     "it has no times; export_chrome_trace of the same run writes what tacho reads", MAGIC("{"),
     WORDS("\"schema\"", "-chakra", "\"nodes\"")},
    {"a Chakra execution trace", "it has no times; the profiler's trace of the same run has them",
     .suffixes = ".et"},
    {"a Proton or Hatchet profile",
     "it sums up kernels; proton's data=\"trace\" writes a trace that "
     "tacho reads",
     .is_mine = is_hatchet},
    {"an NCCL Inspector record",
     "it holds collectives alone; a trace of the program shows them beside its kernels",
     WORDS("inspector_output_format_version")},
    {"a TensorBoard event file",
     "the profiler writes traces to plugins/profile/ beside it; open a trace.json.gz there",
     WORDS("brain.Event:")},
    {"a memray recording", "it holds allocations; " NO_STACKS, MAGIC("memray\0")},
    /* Stacks and samples. */
    {"a perf recording", NO_STACKS, MAGIC("PERFILE2")},
    {"a perf recording", NO_STACKS, MAGIC("2ELIFREP")},
    {"a simpleperf report", NO_STACKS, MAGIC("SIMPLEPERF")},
    {"output of 'perf script'", NO_STACKS, .is_mine = is_perf_script},
    {"collapsed stacks", NO_STACKS, .is_mine = is_collapsed},
    {"a speedscope profile", NO_STACKS, WORDS("speedscope.app/file-format-schema")},
    {"a CPU profile of V8 (.cpuprofile)", NO_STACKS, MAGIC("{"),
     WORDS("\"nodes\"", "\"callFrame\"")},
    {"a heap snapshot of V8", NO_STACKS, MAGIC("{\"snapshot\":{\"meta\"")},
    {"a Firefox or samply profile", NO_STACKS, MAGIC("{"), WORDS("preprocessedProfileVersion")},
    {"a callgrind profile", NO_STACKS, MAGIC("# callgrind format")},
    {"a gprof profile", NO_STACKS, MAGIC("gmon")},
    {"a Java Flight Recorder recording", NO_STACKS, MAGIC("FLR\0")},
    {"a Java heap dump", NO_STACKS, MAGIC("JAVA PROFILE")},
    {"a .NET trace",
     "'dotnet-trace convert --format Chromium FILE' writes a trace that tacho reads",
     MAGIC("Nettrace")},
    {"a Go execution trace", NO_STACKS, MAGIC("go 1."), WORDS(" trace\0")},
    {"a pprof profile", NO_STACKS, .is_mine = is_pprof},
    /* Traces of systems. */
    {"a trace-cmd recording",
     "record ftrace with Perfetto's traced_probes, whose traces tacho reads",
     MAGIC("\x17\x08\x44tracing")},
    {"an ftrace text log", "record ftrace with Perfetto's traced_probes, whose traces tacho reads",
     MAGIC("# tracer: ")},
    {"a systrace page", "record with Perfetto instead", MAGIC("<!DOCTYPE html>"),
     WORDS("trace-data")},
    {"a Common Trace Format stream", "write a Chrome trace of it, such as with Trace Compass",
     MAGIC("\xc1\x1f\xfc\xc1")},
    {"Common Trace Format metadata", "write a Chrome trace of it, such as with Trace Compass",
     MAGIC("\x57\x1d\xd1\x75")},
    {"Common Trace Format metadata", "write a Chrome trace of it, such as with Trace Compass",
     MAGIC("/* CTF 1.8 */")},
    {"a Windows event log trace", "open it in Windows Performance Analyzer", .suffixes = ".etl"},
    {"uftrace data", "'uftrace dump --chrome' of its directory writes a trace that tacho reads",
     MAGIC("Ftrace!")},
    {"OpenTelemetry traces (OTLP)", "tacho reads Chrome and Perfetto traces of accelerators",
     MAGIC("{"), WORDS("\"resourceSpans\"")},
    {"Jaeger traces", "tacho reads Chrome and Perfetto traces of accelerators", MAGIC("{"),
     WORDS("\"traceID\"", "\"spans\"", "\"data\"")},
    {"Zipkin traces", "tacho reads Chrome and Perfetto traces of accelerators", MAGIC("["),
     WORDS("\"traceId\"", "\"timestamp\"", "\"duration\"")},
    {"a Caliper profile",
     "its 'timeseries' and 'event-trace' options write a Chrome trace through "
     "cali2traceevent.py",
     MAGIC("__rec=")},
    /* Models and programs. */
    {"a saved PyTorch model", "write it with torch.onnx.export; tacho compiles ONNX",
     MAGIC("PK\3\4"), WORDS("data.pkl")},
    {"a GGUF model", UNPACK_MODEL, MAGIC("GGUF")},
    {"a TensorFlow Lite model", "convert it with tf2onnx; tacho compiles ONNX", MAGIC("TFL3"),
     .offset = 4},
    {"a TensorRT engine", "record the program that runs it with 'nsys profile' or with tacho",
     MAGIC("ftrt")},
    {"an executable", "tacho can run it and record where time goes",
     MAGIC("\x7f"
           "ELF")},
    {"a script", "tacho can run it and record where time goes", MAGIC("#!")},
    /* Containers. */
    {"a zip archive", "extract it, and name the files or their directory", MAGIC("PK\3\4")},
    {"a tar archive", "extract it with 'tar xf FILE', and name the files or their directory",
     MAGIC("ustar"), .offset = 257},
    {"a 7z archive", "extract it, and name the files or their directory",
     MAGIC("7z\xbc\xaf\x27\x1c")},
    {"an xz file", "decompress it with 'xz -d FILE'",
     MAGIC("\xfd"
           "7zXZ\0")},
    {"a bzip2 file", "decompress it with 'bzip2 -d FILE'", MAGIC("BZh"), WORDS("1AY&SY")},
    {"an lz4 file", "decompress it with 'lz4 -d FILE'", MAGIC("\x04\x22\x4d\x18")},
    {"a Parquet file",
     "tacho writes Parquet and does not read it; of an Nsight Systems report, 'nsys export --type "
     "sqlite' writes what tacho reads",
     MAGIC("PAR1")},
    {"an Arrow file",
     "of an Nsight Systems report, 'nsys export --type sqlite' writes what tacho reads",
     MAGIC("ARROW1")},
    {"an HDF5 file",
     "of an Nsight Systems report, 'nsys export --type sqlite' writes what tacho "
     "reads",
     MAGIC("\x89HDF\r\n\x1a\n")},
    {.title = NULL},
};

static bool has_words(const tacho_known_format *format, tacho_str head)
{
    for (size_t i = 0; i < KNOWN_FORMAT_WORDS && format->words[i] != NULL; i++) {
        if (!tacho_str_contains(head, tacho_str_from_cstring(format->words[i]))) {
            return false;
        }
    }
    return true;
}

static bool is_head_of(const tacho_known_format *format, tacho_str head)
{
    if (format->is_mine != NULL) {
        return format->is_mine(head);
    }
    if (format->magic.len == 0 && format->words[0] == NULL) {
        return false;
    }
    return head.len >= format->offset &&
           tacho_str_starts_with(tacho_str_from(head, format->offset), format->magic) &&
           has_words(format, head);
}

static bool has_suffix(const tacho_known_format *format, tacho_str name)
{
    tacho_str rest = tacho_str_from_cstring(format->suffixes != NULL ? format->suffixes : "");
    while (rest.len > 0) {
        size_t len = tacho_str_find_byte(rest, ' ');
        if (tacho_str_ends_with(name, tacho_str_make(rest.data, len))) {
            return true;
        }
        rest = tacho_str_from(rest, len < rest.len ? len + 1 : len);
    }
    return false;
}

const tacho_known_format *tacho_known_format_find(tacho_str head, tacho_str name)
{
    for (const tacho_known_format *row = tacho_known_formats; row->title != NULL; row++) {
        if (is_head_of(row, head)) {
            return row;
        }
    }
    for (const tacho_known_format *row = tacho_known_formats; row->title != NULL; row++) {
        if (has_suffix(row, name)) {
            return row;
        }
    }
    return NULL;
}

tacho_status tacho_known_format_fail(const tacho_known_format *format, const char *path)
{
    static const char hole[] = "FILE";
    const char *at = strstr(format->remedy, hole);
    size_t ahead = at != NULL ? (size_t)(at - format->remedy) : strlen(format->remedy);
    return tacho_fail(TACHO_CODE_UNSUPPORTED, "%s: %s, which tacho does not read; %.*s%s%s", path,
                      format->title, (int)ahead, format->remedy, at != NULL ? path : "",
                      at != NULL ? at + sizeof(hole) - 1 : "");
}
