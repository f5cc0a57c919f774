/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The list of all sinks. To add one, see docs/adding-a-sink.md.
 */
#include "sinks/chrome_json.h"
#include "sinks/null.h"
#include "sinks/parquet.h"
#include "sinks/perfetto.h"
#include "sinks/pprof.h"
#include "sinks/spans_csv.h"
#include "sinks/spans_jsonl.h"
#include "sinks/spans_parquet.h"
#include "sinks/speedscope.h"
#include "sinks/sqlite.h"
#include "sinks/table_sink.h"
#include "sinks/tacho.h"
#include "sinks/torq/timeline.h"
#include "sinks/trace_sink.h"
#include "sinks/tracy.h"
#include "sinks/tracy_ops.h"
#include "sinks/xlsx.h"

#include <stdio.h>

static const tacho_trace_sink *const trace_sinks[] = {
    &tacho_sink_perfetto,  &tacho_sink_chrome_json,   &tacho_sink_spans_jsonl,
    &tacho_sink_spans_csv, &tacho_sink_tacho,         &tacho_sink_sqlite,
    &tacho_sink_tracy,     &tacho_sink_spans_parquet, &tacho_sink_speedscope,
    &tacho_sink_pprof,     &tacho_sink_null,          NULL,
};

/* For the rows of one vendor's tools: they ignore all others. */
static const tacho_trace_sink *const vendor_sinks[] = {
    &tacho_sink_torq_t1,
    &tacho_sink_torq_t4,
    &tacho_sink_tracy_ops_times,
    &tacho_sink_tracy_ops_data,
    NULL,
};

const tacho_trace_sink *const *tacho_trace_sinks(void)
{
    return trace_sinks;
}

/* Whether |name| is a suffix of |sink|, with or without its point. */
static bool is_suffix_of(const tacho_trace_sink *sink, tacho_str name)
{
    for (const char *const *suffix = sink->suffixes; *suffix != NULL; suffix++) {
        tacho_str known = tacho_str_from_cstring(*suffix);
        if (tacho_str_equal(name, known) || tacho_str_equal(name, tacho_str_from(known, 1))) {
            return true;
        }
    }
    return false;
}

static const tacho_trace_sink *find_by_name(const tacho_trace_sink *const *sinks, tacho_str name)
{
    for (; *sinks != NULL; sinks++) {
        if (tacho_str_equal(name, tacho_str_from_cstring((*sinks)->name)) ||
            is_suffix_of(*sinks, name)) {
            return *sinks;
        }
    }
    return NULL;
}

const tacho_trace_sink *tacho_trace_sink_find(tacho_str name)
{
    const tacho_trace_sink *found = find_by_name(vendor_sinks, name);
    return found != NULL ? found : find_by_name(trace_sinks, name);
}

static tacho_str without_suffix(tacho_str path, tacho_str suffix)
{
    return tacho_str_ends_with(path, suffix) ? tacho_str_make(path.data, path.len - suffix.len)
                                             : path;
}

static tacho_str without_compression(tacho_str path)
{
    return without_suffix(without_suffix(path, TACHO_STR(".gz")), TACHO_STR(".zst"));
}

/* Whether the name is of another tool's format, which only shares its last suffix. */
static bool is_foreign(tacho_str path)
{
    static const char *const suffixes[] = {
        ".cpuprofile.json", ".heapprofile.json", ".firefox.json", ".flamegraph.json",
        ".pprof.json",      ".otlp.json",        ".otlp.jsonl",   ".jaeger.json",
        ".zipkin.json",     ".har.json",         ".sarif.json",
    };
    for (size_t i = 0; i < sizeof(suffixes) / sizeof(suffixes[0]); i++) {
        if (tacho_str_ends_with(path, tacho_str_from_cstring(suffixes[i]))) {
            return true;
        }
    }
    return false;
}

/* The longest suffix counts: x.speedscope.json is not an x.json. */
static const tacho_trace_sink *find_by_suffix(const tacho_trace_sink *const *sinks, tacho_str path)
{
    const tacho_trace_sink *found = NULL;
    size_t found_len = 0;
    for (; *sinks != NULL; sinks++) {
        for (const char *const *suffix = (*sinks)->suffixes; *suffix != NULL; suffix++) {
            tacho_str known = tacho_str_from_cstring(*suffix);
            if (known.len > found_len && tacho_str_ends_with(path, known)) {
                found = *sinks;
                found_len = known.len;
            }
        }
    }
    return found;
}

const tacho_trace_sink *tacho_trace_sink_find_for_path(tacho_str path)
{
    path = without_compression(path);
    if (is_foreign(path)) {
        return NULL;
    }
    const tacho_trace_sink *found = find_by_suffix(vendor_sinks, path);
    return found != NULL ? found : find_by_suffix(trace_sinks, path);
}

const char *tacho_trace_limit_phrase(unsigned number)
{
    static const char *const phrases[] = {
#define TACHO_LIMIT_PHRASE(name, phrase) phrase,
        TACHO_TRACE_LIMITS(TACHO_LIMIT_PHRASE)
#undef TACHO_LIMIT_PHRASE
    };
    return phrases[number];
}

static const tacho_table_sink *const table_sinks[] = {
    &tacho_table_sink_text,
    &tacho_table_sink_csv,
    &tacho_table_sink_jsonl,
    &tacho_table_sink_markdown,
    &tacho_table_sink_xlsx,
    &tacho_table_sink_parquet,
    NULL,
};

const tacho_table_sink *const *tacho_table_sinks(void)
{
    return table_sinks;
}

const tacho_table_sink *tacho_table_sink_find(tacho_str name)
{
    for (size_t i = 0; table_sinks[i] != NULL; i++) {
        if (tacho_str_equal(name, tacho_str_from_cstring(table_sinks[i]->name))) {
            return table_sinks[i];
        }
    }
    return NULL;
}

bool tacho_table_sink_has_suffix(const tacho_table_sink *sink, const char *path)
{
    return tacho_str_ends_with(without_compression(tacho_str_from_cstring(path)),
                               tacho_str_from_cstring(sink->suffix));
}

const tacho_table_sink *tacho_table_sink_find_suffix(tacho_str path)
{
    path = without_compression(path);
    for (size_t i = 0; table_sinks[i] != NULL; i++) {
        if (tacho_str_ends_with(path, tacho_str_from_cstring(table_sinks[i]->suffix))) {
            return table_sinks[i];
        }
    }
    return NULL;
}

const tacho_table_sink *tacho_table_sink_find_for_path(tacho_str path)
{
    const tacho_table_sink *sink = tacho_table_sink_find_suffix(path);
    tacho_str name = tacho_str_basename(without_compression(path));
    bool has_suffix = tacho_str_find_byte(name, '.') < name.len;
    return sink != NULL || has_suffix ? sink : &tacho_table_sink_text;
}

void tacho_table_sink_names(char out_names[TACHO_TABLE_SINK_NAMES_BYTES])
{
    size_t len = 0;
    for (size_t i = 0; table_sinks[i] != NULL; i++) {
        len += (size_t)snprintf(out_names + len, TACHO_TABLE_SINK_NAMES_BYTES - len, "%s%s",
                                i > 0 ? ", " : "", table_sinks[i]->name);
    }
}
