/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Tables of the host: calls of CUDA, of libraries and of the operating system, NVTX, MPI.
 */
#include "sources/nsys/nsys_reader.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdio.h>

enum { START, END, THREAD, NAME, FIRST_OWN };

/* ---- calls of CUDA -------------------------------------------------------------------------- */

/* Without the version at its end: "cudaLaunchKernel_v7000". */
static tacho_str without_version(tacho_str name)
{
    size_t len = name.len;
    while (len > 0 && isdigit((unsigned char)name.data[len - 1])) {
        len--;
    }
    bool has_version =
        len < name.len && len > 2 && name.data[len - 1] == 'v' && name.data[len - 2] == '_';
    return has_version ? tacho_str_make(name.data, len - 2) : name;
}

/* Whether calls of that name start work on a device. */
static bool is_launch(tacho_str name)
{
    static const tacho_str words[] = {TACHO_STR_INIT("Launch"), TACHO_STR_INIT("emcpy"),
                                      TACHO_STR_INIT("emset"), TACHO_STR_INIT("Prefetch")};
    for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
        if (tacho_str_contains(name, words[i])) {
            return true;
        }
    }
    return false;
}

/* The name of a call, and whether it launches. */
static tacho_status find_call(nsys_reader *reader, int64_t id, uint32_t *out_name,
                              bool *out_launches)
{
    const uint64_t *known = tacho_number_map_find(&reader->calls, (uint64_t)id);
    uint64_t value = known != NULL ? *known : 0;
    if (known == NULL) {
        uint32_t string = 0;
        TACHO_TRY(nsys_find_text(reader, id, &string));
        tacho_str name = without_version(tacho_dict_string(reader->gpu.dict, string));
        name = name.len > 0 ? name : TACHO_STR("CUDA call");
        value = is_launch(name) ? NSYS_IS_LAUNCH : 0;
        TACHO_TRY(tacho_dict_ensure_string(reader->gpu.dict, name, &string));
        value |= string;
        TACHO_TRY(tacho_number_map_set(&reader->calls, (uint64_t)id, value));
    }
    *out_name = (uint32_t)value;
    *out_launches = (value & NSYS_IS_LAUNCH) != 0;
    return TACHO_OK;
}

enum { CALL_CORRELATION = FIRST_OWN, CALL_CLASS, CALL_RESULT };

static tacho_status take_call(nsys_reader *reader, const tacho_sqlite_scan *row)
{
    int64_t thread = tacho_sqlite_int_or(row, THREAD, 0);
    int64_t correlation = tacho_sqlite_int_or(row, CALL_CORRELATION, 0);
    int64_t result = tacho_sqlite_int_or(row, CALL_RESULT, 0);
    bool is_driver = tacho_sqlite_int_or(row, CALL_CLASS, 0) == 1;
    bool launches = false;
    gpu_part_span span = {
        .category = reader->words[is_driver ? NSYS_DRIVER_CALL : NSYS_RUNTIME_CALL],
        .start = tacho_sqlite_int_or(row, START, -1),
        .end = tacho_sqlite_int_or(row, END, -1),
    };
    TACHO_TRY(find_call(reader, tacho_sqlite_int_or(row, NAME, 0), &span.name, &launches));
    TACHO_TRY(nsys_find_thread(reader, thread, &span.track));
    if (launches) {
        span.launch =
            (gpu_part_launch){nsys_process_of(thread), (uint64_t)correlation, .is_call = true};
    }
    gpu_part_add_number(&reader->gpu, reader->words[NSYS_CORRELATION], TACHO_UNIT_NONE,
                        correlation);
    if (result != 0) {
        gpu_part_add_number(&reader->gpu, reader->words[NSYS_RESULT], TACHO_UNIT_NONE, result);
    }
    return gpu_part_push(&reader->gpu, &span);
}

static tacho_status note_calls(nsys_reader *reader, const char *table)
{
    static const char *const columns[] = {"globalTid", "nameId", "correlationId"};
    tacho_sqlite_scan scan;
    TACHO_TRY(tacho_sqlite_begin(reader->file, tacho_str_from_cstring(table), columns, 3, &scan));
    tacho_status status = tacho_sqlite_next(&scan);
    while (status == TACHO_OK && scan.has_row) {
        uint32_t name = 0;
        bool launches = false;
        gpu_part_launch launch = {nsys_process_of(tacho_sqlite_int_or(&scan, 0, 0)),
                                  (uint64_t)tacho_sqlite_int_or(&scan, 2, 0), .is_call = true};
        status = find_call(reader, tacho_sqlite_int_or(&scan, 1, 0), &name, &launches);
        if (status == TACHO_OK && launches) {
            status = gpu_part_note_call(&reader->gpu, &launch);
        }
        status = status == TACHO_OK ? tacho_sqlite_next(&scan) : status;
    }
    tacho_sqlite_end(&scan);
    return status;
}

tacho_status nsys_note_calls(nsys_reader *reader)
{
    TACHO_TRY(note_calls(reader, "CUPTI_ACTIVITY_KIND_RUNTIME"));
    return note_calls(reader, "CUPTI_ACTIVITY_KIND_DRIVER");
}

/* ---- other calls ---------------------------------------------------------------------------- */

static tacho_status find_name_or(nsys_reader *reader, const tacho_sqlite_scan *row,
                                 const char *otherwise, uint32_t *out_name)
{
    TACHO_TRY(nsys_find_name(reader, row, NAME, 1, out_name));
    return *out_name == 0 ? gpu_part_string(&reader->gpu, otherwise, out_name) : TACHO_OK;
}

static tacho_status push_named(nsys_reader *reader, const tacho_sqlite_scan *row,
                               nsys_word category, const char *otherwise)
{
    gpu_part_span span = {
        .category = reader->words[category],
        .start = tacho_sqlite_int_or(row, START, -1),
        .end = tacho_sqlite_int_or(row, END, -1),
    };
    int64_t thread = tacho_sqlite_int_or(row, THREAD, 0);
    TACHO_TRY(find_name_or(reader, row, otherwise, &span.name));
    TACHO_TRY(category == NSYS_OVERHEAD
                  ? nsys_find_extra(reader, thread, NSYS_TRACK_OVERHEAD, &span.track)
                  : nsys_find_thread(reader, thread, &span.track));
    return gpu_part_push(&reader->gpu, &span);
}

static tacho_status take_os_call(nsys_reader *reader, const tacho_sqlite_scan *row)
{
    return push_named(reader, row, NSYS_OS_CALL, "system call");
}

static tacho_status take_library_call(nsys_reader *reader, const tacho_sqlite_scan *row)
{
    return push_named(reader, row, NSYS_LIBRARY_CALL, "library call");
}

static tacho_status take_overhead(nsys_reader *reader, const tacho_sqlite_scan *row)
{
    return push_named(reader, row, NSYS_OVERHEAD, "overhead");
}

enum { MPI_SIZE = FIRST_OWN, MPI_PEER };

static tacho_status take_mpi_call(nsys_reader *reader, const tacho_sqlite_scan *row)
{
    int64_t value = 0;
    if (tacho_sqlite_int(row, MPI_SIZE, &value)) {
        gpu_part_add_number(&reader->gpu, reader->words[NSYS_SIZE], TACHO_UNIT_BYTES, value);
    }
    if (tacho_sqlite_int(row, MPI_PEER, &value)) {
        gpu_part_add_number(&reader->gpu, reader->words[NSYS_PEER], TACHO_UNIT_NONE, value);
    }
    return push_named(reader, row, NSYS_MPI_CALL, "MPI call");
}

/* ---- NVTX ----------------------------------------------------------------------------------- */

enum {
    NVTX_TYPE = FIRST_OWN,
    NVTX_TEXT,
    NVTX_END_THREAD,
    NVTX_DOMAIN,
    NVTX_CATEGORY,
    NVTX_INTEGERS,
    NVTX_INTEGERS_END = NVTX_INTEGERS + 4,
    NVTX_REALS = NVTX_INTEGERS_END,
    NVTX_REALS_END = NVTX_REALS + 2,
};

/* Values of eventType. */
enum {
    TYPE_CATEGORY = 33,
    TYPE_MARK = 34,
    TYPE_THREAD = 39,
    TYPE_PUSH_POP = 59,
    TYPE_START_END = 60,
    TYPE_IMPORTED_PUSH_POP = 70,
    TYPE_IMPORTED_START_END = 71,
    TYPE_DOMAIN = 75,
    TYPE_DOMAIN_END = 76,
};

static tacho_status find_range_name(nsys_reader *reader, const tacho_sqlite_scan *row,
                                    uint32_t *out_name)
{
    tacho_str text;
    return tacho_sqlite_text(row, NVTX_TEXT, &text)
               ? tacho_dict_ensure_string(reader->gpu.dict, text, out_name)
               : find_name_or(reader, row, "range", out_name);
}

static uint64_t domain_key(const tacho_sqlite_scan *row)
{
    uint64_t process = nsys_process_of(tacho_sqlite_int_or(row, THREAD, 0));
    return process << 24 ^ (uint64_t)tacho_sqlite_int_or(row, NVTX_DOMAIN, 0);
}

static uint64_t category_key(const tacho_sqlite_scan *row)
{
    return (domain_key(row) << 16) ^ (uint64_t)tacho_sqlite_int_or(row, NVTX_CATEGORY, 0);
}

/* Domains of libraries mark no layers of a model: their ranges are calls of the library. */
static bool is_library(tacho_str domain)
{
    static const tacho_str names[] = {TACHO_STR_INIT("NCCL"),     TACHO_STR_INIT("cuDNN"),
                                      TACHO_STR_INIT("cuBLAS"),   TACHO_STR_INIT("cuSPARSE"),
                                      TACHO_STR_INIT("cuSOLVER"), TACHO_STR_INIT("cuFFT"),
                                      TACHO_STR_INIT("CCCL"),     TACHO_STR_INIT("NVSHMEM")};
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
        if (domain.len >= names[i].len && tacho_str_starts_with(domain, names[i])) {
            return true;
        }
    }
    return false;
}

static void add_payload(nsys_reader *reader, const tacho_sqlite_scan *row)
{
    for (size_t i = NVTX_INTEGERS; i < NVTX_INTEGERS_END; i++) {
        int64_t value = 0;
        if (tacho_sqlite_int(row, i, &value)) {
            gpu_part_add_number(&reader->gpu, reader->words[NSYS_PAYLOAD], TACHO_UNIT_NONE, value);
            return;
        }
    }
    for (size_t i = NVTX_REALS; i < NVTX_REALS_END; i++) {
        double value = 0;
        if (tacho_sqlite_real(row, i, &value)) {
            gpu_part_add_real(&reader->gpu, reader->words[NSYS_PAYLOAD], value);
            return;
        }
    }
}

/* Sets the category of |span| by its domain, and adds its other facts. */
static void add_range_facts(nsys_reader *reader, const tacho_sqlite_scan *row, gpu_part_span *span)
{
    const uint64_t *domain = tacho_number_map_find(&reader->domains, domain_key(row));
    const uint64_t *category = tacho_number_map_find(&reader->categories, category_key(row));
    span->category = reader->words[NSYS_NVTX];
    if (domain != NULL) {
        bool is_call = is_library(tacho_dict_string(reader->gpu.dict, (uint32_t)*domain));
        span->category = is_call ? reader->words[NSYS_LIBRARY_CALL] : span->category;
        gpu_part_add_string(&reader->gpu, reader->words[NSYS_DOMAIN], (uint32_t)*domain);
    }
    if (category != NULL) {
        gpu_part_add_string(&reader->gpu, reader->words[NSYS_CATEGORY], (uint32_t)*category);
    }
    if (reader->gpu.has_args) {
        add_payload(reader, row);
    }
}

/*
 * A range on the thread where it began. One that ends on another thread has a row of its own: it
 * contains work of both.
 */
static tacho_status take_range(nsys_reader *reader, const tacho_sqlite_scan *row, bool is_mark)
{
    int64_t thread = tacho_sqlite_int_or(row, THREAD, 0);
    int64_t end_thread = tacho_sqlite_int_or(row, NVTX_END_THREAD, thread);
    gpu_part_span span = {.start = tacho_sqlite_int_or(row, START, -1)};
    span.end = is_mark ? span.start : tacho_sqlite_int_or(row, END, -1);
    span.flags = is_mark ? TACHO_SPAN_INSTANT : 0;
    TACHO_TRY(find_range_name(reader, row, &span.name));
    TACHO_TRY(end_thread != thread && end_thread != 0 && !is_mark
                  ? nsys_find_extra(reader, thread, NSYS_TRACK_RANGES, &span.track)
                  : nsys_find_thread(reader, thread, &span.track));
    add_range_facts(reader, row, &span);
    if (span.end < span.start && span.start >= 0) {
        span.end = span.start;
        span.flags |= TACHO_SPAN_UNENDED;
    }
    return gpu_part_push(&reader->gpu, &span);
}

static tacho_status take_nvtx(nsys_reader *reader, const tacho_sqlite_scan *row)
{
    uint32_t name = 0;
    switch (tacho_sqlite_int_or(row, NVTX_TYPE, 0)) {
    case TYPE_MARK:
        return take_range(reader, row, true);
    case TYPE_PUSH_POP:
    case TYPE_START_END:
    case TYPE_IMPORTED_PUSH_POP:
    case TYPE_IMPORTED_START_END:
        return take_range(reader, row, false);
    case TYPE_DOMAIN:
        TACHO_TRY(find_range_name(reader, row, &name));
        return tacho_number_map_set(&reader->domains, domain_key(row), name);
    case TYPE_CATEGORY:
        TACHO_TRY(find_range_name(reader, row, &name));
        return tacho_number_map_set(&reader->categories, category_key(row), name);
    case TYPE_THREAD:
    case TYPE_DOMAIN_END:
        return TACHO_OK;
    default:
        return gpu_part_lose(&reader->gpu, TACHO_LOSS_UNKNOWN_EVENT, 1, TACHO_STR("NVTX_EVENTS"));
    }
}

#define MPI_COLUMNS                                                                                \
    {                                                                                              \
        "start", "end", "globalTid", "textId", "size", "remoteRank"                                \
    }

const nsys_table nsys_host_tables[] = {
    {"NVTX_EVENTS",
     {"start", "end", "globalTid", "textId", "eventType", "text", "endGlobalTid", "domainId",
      "category", "uint64Value", "int64Value", "uint32Value", "int32Value", "doubleValue",
      "floatValue"},
     take_nvtx},
    {"CUPTI_ACTIVITY_KIND_RUNTIME",
     {"start", "end", "globalTid", "nameId", "correlationId", "eventClass", "returnValue"},
     take_call},
    {"CUPTI_ACTIVITY_KIND_DRIVER",
     {"start", "end", "globalTid", "nameId", "correlationId", "eventClass", "returnValue"},
     take_call},
    {"OSRT_API", {"start", "end", "globalTid", "nameId"}, take_os_call},
    {"CUDNN_EVENTS", {"start", "end", "globalTid", "nameId"}, take_library_call},
    {"CUBLAS_EVENTS", {"start", "end", "globalTid", "nameId"}, take_library_call},
    {"MPI_COLLECTIVES_EVENTS", MPI_COLUMNS, take_mpi_call},
    {"MPI_P2P_EVENTS", MPI_COLUMNS, take_mpi_call},
    {"MPI_START_WAIT_EVENTS", MPI_COLUMNS, take_mpi_call},
    {"MPI_OTHER_EVENTS", MPI_COLUMNS, take_mpi_call},
    {"PROFILER_OVERHEAD", {"start", "end", "globalTid", "nameId"}, take_overhead},
    {"CUPTI_ACTIVITY_KIND_OVERHEAD", {"start", "end", "globalTid", "nameId"}, take_overhead},
    {.name = NULL},
};
