/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Fuzzes the reader of captures. Fuzzers do not guess checksums, so bytes that are no capture are
 * made one: each piece, a type by its first byte and a length by the next two, becomes a chunk.
 *
 * Laws: whatever the bytes, the profile that comes out of sorting and lanes is valid, or the file
 * is refused. Rows that need no sorting give the same without it. What every sink makes of it is a
 * file, or the sink says which limit of its format is exceeded; a capture of it reads as the same
 * rows, and nothing is lost in it; whoever asks for summed arguments only gets as many rows.
 */
#include "profile/capture_records.h"
#include "profile/lanes.h"
#include "reading.h"
#include "sinks/sqlite.h"
#include "sinks/tacho.h"
#include "sources/tacho/capture.h"
#include "mutate/mutate.h"

#include <stdio.h>
#include <unistd.h>

const fuzz_layout fuzz_input_layout = {.piece_head_bytes = 3, .length_at = 1};

enum { FILE_BYTES = 1 << 20 };

static const struct {
    uint32_t type;
    uint32_t record_bytes;
} types[] = {
    {TACHO_CAPTURE_STRINGS, 1},
    {TACHO_CAPTURE_ROWS, 1},
    {TACHO_CAPTURE_CLOCKS, tacho_capture_clock_bytes},
    {TACHO_CAPTURE_PARTS, tacho_capture_part_bytes},
    {TACHO_CAPTURE_TRACKS, tacho_capture_track_bytes},
    {TACHO_CAPTURE_LOCATIONS, tacho_capture_location_bytes},
    {TACHO_CAPTURE_SITES, tacho_capture_site_bytes},
    {TACHO_CAPTURE_RUNS, tacho_capture_run_bytes},
    {TACHO_CAPTURE_PART_ENDS, tacho_capture_part_end_bytes},
    {TACHO_CAPTURE_METADATA, tacho_capture_fact_bytes},
    {TACHO_CAPTURE_LOSSES, tacho_capture_loss_bytes},
    {TACHO_CAPTURE_END, tacho_capture_totals_bytes},
};

static void open_output(tacho_output *output)
{
    char path[64];
    snprintf(path, sizeof(path), "/tmp/tacho-fuzz.%ld.never", (long)getpid());
    require_ok(tacho_output_open(path, output));
}

/* What was written; 0 when it is too large to look at. */
static size_t close_output(tacho_output *output, char *to)
{
    size_t len = 0;
    tacho_output_flush(output);
    require(!tacho_output_failed(output));
    for (ssize_t got; (got = pread(output->fd, to + len, FILE_BYTES - len, (off_t)len)) > 0;) {
        len += (size_t)got;
    }
    tacho_output_close(output);
    return len < FILE_BYTES ? len : 0;
}

/* Pieces of |bytes| as chunks. */
static size_t frame(tacho_str bytes, char *to)
{
    tacho_output output;
    tacho_chunk_writer writer;
    open_output(&output);
    tacho_chunk_begin(&writer, &output, TACHO_CAPTURE_KIND);
    while (bytes.len >= 3) {
        size_t type = (unsigned char)bytes.data[0] % (sizeof(types) / sizeof(types[0]));
        size_t len = (unsigned char)bytes.data[1] | (size_t)(unsigned char)bytes.data[2] << 8;
        bytes = tacho_str_from(bytes, 3);
        len = len < bytes.len ? len : bytes.len;
        len -= len % types[type].record_bytes;
        const tacho_chunk chunk = {
            .type = types[type].type,
            .version = TACHO_CAPTURE_VERSION,
            .record_size = types[type].record_bytes,
            .record_count = (uint32_t)(len / types[type].record_bytes),
            .payload = tacho_str_make(bytes.data, len),
        };
        tacho_chunk_write(&writer, &chunk);
        bytes = tacho_str_from(bytes, len);
    }
    return close_output(&output, to);
}

typedef struct outcome {
    tacho_code code;
    uint64_t counts[3];
    uint64_t arg_count;
    uint64_t lost;
} outcome;

static void count_losses(const tacho_dict *dict, outcome *found)
{
    for (size_t i = 0; i < dict->loss_count; i++) {
        found->lost += dict->losses[i].count;
    }
}

static outcome read_profile(tacho_str bytes, tacho_order_mode mode, bool has_lanes)
{
    outcome found = {.code = TACHO_CODE_OK};
    tacho_dict dict;
    tacho_profile profile;
    tacho_lanes *lanes = NULL;
    require_ok(tacho_dict_init(&dict));
    tacho_profile_init(&profile, &dict);
    require_ok(tacho_lanes_create(&profile.events, &lanes));
    tacho_status status = read_through(&tacho_source_tacho, bytes, mode,
                                       has_lanes ? tacho_lanes_events(lanes) : &profile.events);
    found.code = tacho_status_code(status);
    tacho_status_free(status);
    if (found.code == TACHO_CODE_OK) {
        require_ok(tacho_profile_validate(&profile));
        require(dict.part_count > 0);
        found.counts[TACHO_ROW_SPAN] = profile.span_count;
        found.counts[TACHO_ROW_SAMPLE] = profile.sample_count;
        found.counts[TACHO_ROW_FLOW] = profile.flow_end_count;
        found.arg_count = profile.arg_count;
        count_losses(&dict, &found);
    }
    tacho_lanes_destroy(lanes);
    tacho_profile_deinit(&profile);
    tacho_dict_deinit(&dict);
    return found;
}

typedef struct row_count {
    tacho_events events;
    uint64_t counts[3];
} row_count;

static tacho_status count_row(tacho_events *events, const tacho_row *row)
{
    ((row_count *)(void *)events)->counts[row->kind]++;
    return TACHO_OK;
}

/* Rows without the arguments that are not wanted are as many. */
static void check_wanted(tacho_str bytes, tacho_args_wanted wanted, const outcome *whole)
{
    static const tacho_events_vtable vtable = {.row = count_row};
    const tacho_source_options options = {.args = wanted};
    tacho_dict dict;
    tacho_input input;
    require_ok(tacho_dict_init(&dict));
    row_count self = {.events = {&vtable, &dict}};
    require_ok(tacho_input_open_bytes("x", bytes, &input));
    const tacho_reading reading = {.input = &input, .options = &options, .events = &self.events};
    require_ok(tacho_source_tacho.read(&reading));
    require(memcmp(self.counts, whole->counts, sizeof(self.counts)) == 0);
    tacho_input_close(&input);
    tacho_dict_deinit(&dict);
}

/* What |sink| makes of it. */
static size_t write_again(const tacho_trace_sink *sink, tacho_str bytes, char *to)
{
    const tacho_trace_options options = {.omit_args = false};
    tacho_dict dict;
    tacho_output output;
    tacho_events *events = NULL;
    tacho_lanes *lanes = NULL;
    require_ok(tacho_dict_init(&dict));
    open_output(&output);
    require_ok(sink->open(&dict, &output, &options, &events));
    require_ok(tacho_lanes_create(events, &lanes));
    tacho_status status =
        read_through(&tacho_source_tacho, bytes, TACHO_ORDER_SORT,
                     sink->takes_rows_as_given ? events : tacho_lanes_events(lanes));
    require(status == TACHO_OK ||
            (sink != &tacho_sink_tacho && tacho_status_code(status) == TACHO_CODE_LIMIT));
    tacho_status_free(status);
    sink->close(events);
    tacho_lanes_destroy(lanes);
    tacho_dict_deinit(&dict);
    return close_output(&output, to);
}

static void check_sinks(tacho_str bytes, const outcome *first)
{
    char *text = malloc(FILE_BYTES);
    require(text != NULL);
    for (const tacho_trace_sink *const *sink = tacho_trace_sinks(); *sink != NULL; sink++) {
        if (*sink == &tacho_sink_sqlite && bytes.len % 8 != 0) {
            continue; /* it takes long: some inputs will do */
        }
        size_t len = write_again(*sink, bytes, text);
        if (*sink == &tacho_sink_tacho && len > 0) {
            outcome again = read_profile(tacho_str_make(text, len), TACHO_ORDER_SORT, false);
            require(again.code == TACHO_CODE_OK);
            require(memcmp(again.counts, first->counts, sizeof(again.counts)) == 0);
            require(again.arg_count == first->arg_count && again.lost == first->lost);
            check_wanted(tacho_str_make(text, len), TACHO_ARGS_SUMMED, &again);
            check_wanted(tacho_str_make(text, len), TACHO_ARGS_SUMMED_AND_LAUNCHES, &again);
        }
    }
    free(text);
}

static void check(tacho_str bytes)
{
    outcome sorted = read_profile(bytes, TACHO_ORDER_SORT, false);
    outcome passed = read_profile(bytes, TACHO_ORDER_PASS, false);
    if (passed.code != TACHO_CODE_OUT_OF_ORDER) {
        require(passed.code == sorted.code && passed.lost == sorted.lost);
        require(memcmp(passed.counts, sorted.counts, sizeof(passed.counts)) == 0);
    }
    if (sorted.code == TACHO_CODE_OK) {
        require(read_profile(bytes, TACHO_ORDER_SORT, true).code == TACHO_CODE_OK);
        check_sinks(bytes, &sorted);
    } else {
        require(sorted.code == TACHO_CODE_BAD_DATA || sorted.code == TACHO_CODE_UNSUPPORTED);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    tacho_str bytes = tacho_str_make((const char *)data, size);
    if (tacho_source_tacho.probe(bytes) == TACHO_PROBE_SURE) {
        check(bytes);
        return 0;
    }
    char *framed = malloc(FILE_BYTES);
    require(framed != NULL);
    size_t len = frame(bytes, framed);
    if (len > 0) {
        check(tacho_str_make(framed, len));
    }
    free(framed);
    return 0;
}
