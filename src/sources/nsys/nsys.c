/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The source: recognition, the sweep over all tables in order of time, and facts of the recording.
 */
#include "sources/nsys/nsys.h"

#include "sources/nsys/nsys_reader.h"
#include "sources/table_sweep.h"

#include <stdio.h>
#include <stdlib.h>

enum { FACT_BYTES = 200 };

/* ---- events --------------------------------------------------------------------------------- */

static tacho_status take_row(void *self, const table_stream *stream)
{
    const nsys_table *table = stream->kind;
    return table->take(self, &stream->scan);
}

static tacho_status add_tables(table_sweep *sweep, const nsys_table *tables)
{
    for (const nsys_table *table = tables; table->name != NULL; table++) {
        table_choice choice = {tacho_str_from_cstring(table->name), table->columns, table, NULL};
        TACHO_TRY(table_sweep_add(sweep, &choice));
    }
    return TACHO_OK;
}

static tacho_status read_events(nsys_reader *reader)
{
    table_sweep sweep = {
        .part = &reader->gpu, .file = reader->file, .self = reader, .take = take_row};
    tacho_status status = add_tables(&sweep, nsys_host_tables);
    if (status == TACHO_OK) {
        status = add_tables(&sweep, nsys_device_tables);
    }
    if (status == TACHO_OK) {
        status = table_sweep_run(&sweep);
    }
    table_sweep_deinit(&sweep);
    return status;
}

/* ---- facts ---------------------------------------------------------------------------------- */

/* The value of |name| in a table of names and values; empty where there is none. */
static tacho_status find_fact(tacho_sqlite_file *file, const char *table, const char *name,
                              char out_value[FACT_BYTES])
{
    static const char *const columns[] = {"name", "value"};
    tacho_sqlite_scan scan;
    out_value[0] = '\0';
    TACHO_TRY(tacho_sqlite_begin(file, tacho_str_from_cstring(table), columns, 2, &scan));
    tacho_status status = tacho_sqlite_next(&scan);
    while (status == TACHO_OK && scan.has_row && out_value[0] == '\0') {
        tacho_str key;
        tacho_str value;
        if (tacho_sqlite_text(&scan, 0, &key) &&
            tacho_str_equal(key, tacho_str_from_cstring(name)) &&
            tacho_sqlite_text(&scan, 1, &value)) {
            snprintf(out_value, FACT_BYTES, "%.*s", value.len < 100 ? (int)value.len : 100,
                     value.data);
        }
        status = status == TACHO_OK ? tacho_sqlite_next(&scan) : status;
    }
    tacho_sqlite_end(&scan);
    return status;
}

static tacho_status add_session_start(nsys_reader *reader)
{
    static const char *const columns[] = {"utcEpochNs"};
    tacho_sqlite_scan scan;
    int64_t epoch = 0;
    TACHO_TRY(tacho_sqlite_begin(reader->file, TACHO_STR("TARGET_INFO_SESSION_START_TIME"), columns,
                                 1, &scan));
    tacho_status status = tacho_sqlite_next(&scan);
    bool is_known = status == TACHO_OK && scan.has_row && tacho_sqlite_int(&scan, 0, &epoch);
    tacho_sqlite_end(&scan);
    return is_known && epoch > 0
               ? tacho_dict_add_metadata_count(reader->gpu.dict, "nsys.session_start_utc_ns",
                                               (uint64_t)epoch)
               : status;
}

/* Whether |table| has events that are not read. */
static bool is_unread(tacho_str table)
{
    static const char *const others[] = {"SCHED_EVENTS",
                                         "COMPOSITE_EVENTS",
                                         "GENERIC_EVENTS",
                                         "NET_NIC_METRIC",
                                         "NET_IB_SWITCH_METRIC",
                                         "PERF_EVENT_SOC_OR_CPU_RAW_EVENT",
                                         "PERF_EVENT_CORE_RAW_EVENT",
                                         "CUPTI_ACTIVITY_KIND_CUDA_EVENT",
                                         "CUDA_UM_CPU_PAGE_FAULT_EVENTS",
                                         "CUDA_UM_GPU_PAGE_FAULT_EVENTS",
                                         "OPENACC_LAUNCH_EVENTS",
                                         "OPENACC_DATA_EVENTS",
                                         "OPENACC_OTHER_EVENTS",
                                         "OPENMP_EVENT_KIND_TASK",
                                         "OPENGL_API",
                                         "OPENGL_WORKLOAD",
                                         "VULKAN_API",
                                         "VULKAN_WORKLOAD",
                                         "DX12_API",
                                         "DX12_WORKLOAD",
                                         "FTRACE",
                                         "SYSCALL",
                                         "GPU_CONTEXT_SWITCH_EVENTS",
                                         "UCP_EVENTS",
                                         "DIAGNOSTIC_EVENT"};
    for (size_t i = 0; i + 1 < sizeof(others) / sizeof(others[0]); i++) {
        if (tacho_str_equal(table, tacho_str_from_cstring(others[i]))) {
            return true;
        }
    }
    return false;
}

/* Lists the tables of events that are not read, if they have rows. */
static tacho_status add_unread(nsys_reader *reader)
{
    static const char *const columns[] = {"start"};
    char list[2000] = "";
    size_t len = 0;
    for (size_t i = 0; i < tacho_sqlite_table_count(reader->file); i++) {
        tacho_str name = tacho_sqlite_table(reader->file, i);
        tacho_sqlite_scan scan;
        if (!is_unread(name)) {
            continue;
        }
        TACHO_TRY(tacho_sqlite_begin(reader->file, name, columns, 1, &scan));
        tacho_status status = tacho_sqlite_next(&scan);
        if (status == TACHO_OK && scan.has_row && len + name.len + 3 < sizeof(list)) {
            len += (size_t)snprintf(list + len, sizeof(list) - len, "%s%.*s", len > 0 ? ", " : "",
                                    TACHO_STR_ARG(name));
        }
        tacho_sqlite_end(&scan);
        TACHO_TRY(status);
    }
    return len == 0 ? TACHO_OK
                    : tacho_dict_add_metadata(reader->gpu.dict, "nsys.tables_not_read",
                                              tacho_str_make(list, len));
}

static tacho_status add_facts(nsys_reader *reader)
{
    char product[FACT_BYTES];
    TACHO_TRY(find_fact(reader->file, "META_DATA_EXPORT", "EXPORT_PRODUCT_VERSION", product));
    if (product[0] != '\0') {
        TACHO_TRY(tacho_dict_add_metadata(reader->gpu.dict, "nsys.version",
                                          tacho_str_from_cstring(product)));
    }
    if (reader->has_graph_spans) {
        TACHO_TRY(tacho_dict_add_metadata(
            reader->gpu.dict, "nsys.cuda_graphs",
            TACHO_STR("one span per launch; 'nsys profile --cuda-graph-trace=node' records the "
                      "kernels of graphs")));
    }
    TACHO_TRY(add_session_start(reader));
    return add_unread(reader);
}

/* ---- the source ----------------------------------------------------------------------------- */

static tacho_probe_verdict nsys_probe(tacho_str head)
{
    static const tacho_str words[] = {TACHO_STR_INIT("CUPTI_ACTIVITY_KIND_"),
                                      TACHO_STR_INIT("META_DATA_EXPORT"),
                                      TACHO_STR_INIT("ENUM_NSYS_"), TACHO_STR_INIT("NVTX_EVENTS"),
                                      TACHO_STR_INIT("ANALYSIS_DETAILS")};
    if (!tacho_sqlite_is_head(head) || !tacho_str_contains(head, TACHO_STR("StringIds"))) {
        return TACHO_PROBE_NO;
    }
    for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
        if (tacho_str_contains(head, words[i])) {
            return TACHO_PROBE_SURE;
        }
    }
    return TACHO_PROBE_MAYBE;
}

/* "3.25", the version of the database's schema. */
static tacho_status find_schema(tacho_sqlite_file *file, char out_schema[FACT_BYTES])
{
    char major[FACT_BYTES];
    char minor[FACT_BYTES];
    TACHO_TRY(find_fact(file, "META_DATA_EXPORT", "EXPORT_SCHEMA_VERSION_MAJOR", major));
    TACHO_TRY(find_fact(file, "META_DATA_EXPORT", "EXPORT_SCHEMA_VERSION_MINOR", minor));
    snprintf(out_schema, FACT_BYTES, "%.20s%s%.20s", major, minor[0] != '\0' ? "." : "", minor);
    return TACHO_OK;
}

static tacho_status read_file(nsys_reader *reader, const tacho_reading *reading)
{
    char schema[FACT_BYTES];
    TACHO_TRY(find_schema(reader->file, schema));
    gpu_part_facts facts = {
        .format = tacho_source_nsys.name,
        .generation = tacho_str_from_cstring(schema),
        .covered_classes = TACHO_TRACK_BIT(TACHO_TRACK_COMPUTE) | TACHO_TRACK_BIT(TACHO_TRACK_HOST),
    };
    TACHO_TRY(gpu_part_init(&reader->gpu, reading, &facts));
    TACHO_TRY(nsys_names_init(reader));
    TACHO_TRY(nsys_note_calls(reader));
    TACHO_TRY(read_events(reader));
    TACHO_TRY(add_facts(reader));
    if (tacho_sqlite_damage(reader->file) != NULL) {
        TACHO_TRY(gpu_part_lose(&reader->gpu, TACHO_LOSS_CUT_INPUT, 1,
                                tacho_str_from_cstring(tacho_sqlite_damage(reader->file))));
    }
    return tacho_events_end_part(reading->events, reader->gpu.part);
}

static bool has_events(const tacho_sqlite_file *file)
{
    return tacho_sqlite_has_table(file, TACHO_STR("StringIds"));
}

static tacho_status nsys_read(const tacho_reading *reading)
{
    nsys_reader *reader = calloc(1, sizeof(*reader));
    if (reader == NULL) {
        return tacho_no_memory();
    }
    tacho_status status = tacho_sqlite_open(reading->input, &reader->file);
    if (status == TACHO_OK && !has_events(reader->file)) {
        status = tacho_fail(
            TACHO_CODE_BAD_DATA, "%s: not a database of Nsight Systems: no table StringIds%s%s",
            reading->input->name, tacho_sqlite_damage(reader->file) != NULL ? "; " : "",
            tacho_sqlite_damage(reader->file) != NULL ? tacho_sqlite_damage(reader->file) : "");
    }
    if (status == TACHO_OK) {
        status = read_file(reader, reading);
    }
    nsys_names_deinit(reader);
    gpu_part_deinit(&reader->gpu);
    tacho_sqlite_close(reader->file);
    free(reader);
    return status;
}

const tacho_source tacho_source_nsys = {
    .name = "nsys",
    .title = "Nsight Systems: database of 'nsys export --type sqlite'",
    .probe = nsys_probe,
    .read = nsys_read,
};
