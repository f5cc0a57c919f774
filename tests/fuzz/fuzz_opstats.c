/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Fuzzes the decoder of raw stats: events, summary, roll-ups. An input that starts as a stats file
 * is read as one. Since no mutation gets past the checksums of chunks, any other is taken as
 * records: the first byte says which view, then arrays follow, each of a type, a stream, a count
 * and its records.
 *
 * Laws: what is pushed keeps the contract of events; the times of threads and of the critical path
 * are not negative; no file, however damaged, is more than refused.
 */
#include "questions/opstats/opstats_rollup.h"
#include "questions/opstats/opstats_tables.h"
#include "program/program_testing.h"
#include "reading.h"
#include "sources/stats/stats.h"

enum { ARRAYS_MAX = 64 };

/* ---- events -------------------------------------------------------------------------------- */

static tacho_status take_row(tacho_events *events, const tacho_row *row)
{
    const tacho_dict *dict = events->dict;
    require(row->track < dict->track_count);
    int64_t max = tacho_dict_track_clock(dict, row->track)->max_ticks;
    require(row->start >= 0 && row->start <= max);
    if (row->kind == TACHO_ROW_SPAN) {
        require(row->of.span.end >= row->start && row->of.span.end <= max);
        require(row->of.span.site < dict->site_count);
        for (size_t i = 0; i < row->arg_count; i++) {
            require(row->args[i].key < dict->strings.item_count);
        }
    }
    return TACHO_OK;
}

static const tacho_events_vtable taker_vtable = {.row = take_row};

static void emit(const tacho_stats_file *file, const tacho_stats_words *words, uint8_t bits)
{
    const uint32_t core = 1;
    tacho_dict dict;
    require_ok(tacho_dict_init(&dict));
    tacho_events taker = {&taker_vtable, &dict};
    tacho_stats_set set = {.files = file,
                           .file_count = 1,
                           .words = words,
                           .path = TACHO_STR("fuzz"),
                           .view = {.has_vendor_words = bits & 1,
                                    .splits_groups = (bits & 2) != 0,
                                    .shows_barriers = (bits & 4) != 0,
                                    .shows_flows = (bits & 8) != 0,
                                    .cores = {&core, bits & 16 ? 1 : 0}}};
    require_ok(tacho_stats_emit(&set, &taker));
    tacho_dict_deinit(&dict);
}

/* ---- sums ---------------------------------------------------------------------------------- */

static void sum(const tacho_stats_file *file, const tacho_stats_words *words)
{
    tacho_opstats_plan plan;
    tacho_opstats stats;
    tacho_table tables[TACHO_OPSTATS_TABLE_COUNT];
    require_ok(tacho_opstats_plan_init(&plan, words));
    require_ok(tacho_opstats_init(&stats, &plan));
    require_ok(tacho_opstats_read(&stats, file));
    require_ok(tacho_opstats_tables_init(tables, &stats));
    tacho_opstats_tables_deinit(tables);
    tacho_rollup_files files = {&file, 1, words, &stats};
    for (int kind = TACHO_ROLLUP_NONE + 1; kind < TACHO_ROLLUP_COUNT; kind++) {
        tacho_table table;
        require_ok(tacho_rollup_table((tacho_rollup_kind)kind, &files, &table));
        for (size_t i = 0; kind == TACHO_ROLLUP_CRITICAL && i < tacho_table_row_count(&table);
             i++) {
            require(tacho_table_cell(&table, i, 6)->value.integer >= 0); /* work */
            require(tacho_table_cell(&table, i, 7)->value.integer >= 0); /* wait */
        }
        tacho_table_deinit(&table);
    }
    tacho_opstats_deinit(&stats);
    tacho_opstats_plan_deinit(&plan);
}

static void decode(tacho_stats_file *file, const tacho_stats_layout *layout, uint8_t bits)
{
    tacho_stats_words words;
    require_ok(tacho_stats_words_init(&words, layout));
    tacho_status status = tacho_stats_bind(file, layout);
    if (status == TACHO_OK) {
        emit(file, &words, bits);
        sum(file, &words);
    }
    tacho_status_free(status);
    tacho_stats_words_deinit(&words);
}

/* ---- inputs -------------------------------------------------------------------------------- */

/* Records without their framing. */
static void decode_records(const tacho_stats_layout *layout, tacho_str data)
{
    tacho_stats_array arrays[ARRAYS_MAX];
    uint8_t bits = (uint8_t)data.data[0];
    tacho_stats_file file = {.arrays = arrays};
    tacho_arena_init(&file.arena);
    file.head = (tacho_stats_head){
        .layout_id = layout->id,
        .timer_hz = bits & 32 ? 1 : 19200000,
        .core_hz = 1000000000,
        .level = bits & 64 ? 50 : 100,
        .features = (uint16_t)((bits & 128 ? TACHO_STATS_BY_OP : 0) | TACHO_STATS_HAS_OP_PMU),
        .core_count = 2,
        .thread_count = 4};
    data = tacho_str_from(data, 1);
    while (data.len >= 3 && file.array_count < ARRAYS_MAX) {
        tacho_stats_type type = (tacho_stats_type)((uint8_t)data.data[0] % TACHO_STATS_TYPE_COUNT);
        size_t size = tacho_stats_record_bytes(type);
        size_t count = (uint8_t)data.data[2];
        uint32_t stream = (uint8_t)data.data[1];
        data = tacho_str_from(data, 3);
        count = count < data.len / size ? count : data.len / size;
        void *records = NULL;
        require_ok(tacho_arena_alloc(&file.arena, count * size + 1, &records));
        memcpy(records, data.data, count * size);
        data = tacho_str_from(data, count * size);
        if (type != TACHO_STATS_TYPE_head && type != TACHO_STATS_TYPE_end && count > 0) {
            arrays[file.array_count++] =
                (tacho_stats_array){type, stream, (uint32_t)count, records};
        }
    }
    decode(&file, layout, bits);
    tacho_arena_deinit(&file.arena);
}

static void decode_file(const tacho_stats_layout *layout, tacho_str data)
{
    tacho_stats_file file;
    tacho_status status = tacho_stats_read(&file, data);
    if (status == TACHO_OK) {
        decode(&file, layout, 15);
    }
    tacho_status_free(status);
    tacho_stats_file_deinit(&file);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    tacho_program program;
    tacho_stats_layout layout;
    tacho_str bytes = tacho_str_make((const char *)data, size);
    if (size == 0) {
        return 0;
    }
    require_ok(tacho_program_init(&program));
    require_ok(make_test_program(&program));
    program.facts.stats.level = 100;
    require_ok(tacho_stats_layout_init(&layout, &program));
    if (tacho_stats_is_file(bytes)) {
        decode_file(&layout, bytes);
    } else {
        decode_records(&layout, bytes);
    }
    tacho_stats_layout_deinit(&layout);
    tacho_program_deinit(&program);
    return 0;
}
