/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Fuzzes all that is done with a program beside executing it: simulation, recording, and decoding
 * of what was recorded, with the same program. An input is an image. A mutator of its own changes
 * single fields of its tables, by the lists of fields, and writes a whole image, so that nothing
 * is lost on checks of bytes.
 *
 * Laws: what passes the reader's checks is simulated and decoded, or refused; what is recorded
 * without damage is read without damage.
 */
#include "questions/opstats/opstats_rollup.h"
#include "questions/opstats/opstats_tables.h"
#include "device/recorder.h"
#include "program/image.h"
#include "program/program_testing.h"
#include "program/schema.h"
#include "reading.h"
#include "sources/stats/stats.h"

size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t max_size);
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max_size, unsigned seed);

enum { CONSTANT_BYTES = 64, JOBS_MAX = 64, RECORDS_MAX = 4096 };

/* ---- decoding ------------------------------------------------------------------------------ */

static tacho_status take_row(tacho_events *events, const tacho_row *row)
{
    require(row->track < events->dict->track_count);
    return TACHO_OK;
}

static const tacho_events_vtable taker_vtable = {.row = take_row};

static tacho_status emit(const tacho_stats_file *file, const tacho_stats_words *words)
{
    tacho_dict dict;
    require_ok(tacho_dict_init(&dict));
    tacho_events taker = {&taker_vtable, &dict};
    tacho_stats_set set = {.files = file,
                           .file_count = 1,
                           .words = words,
                           .path = TACHO_STR("fuzz"),
                           .view = {.shows_barriers = true, .shows_flows = true}};
    tacho_status status = tacho_stats_emit(&set, &taker);
    tacho_dict_deinit(&dict);
    return status;
}

static tacho_status sum(const tacho_stats_file *file, const tacho_stats_words *words)
{
    tacho_opstats_plan plan;
    tacho_opstats stats;
    tacho_table tables[TACHO_OPSTATS_TABLE_COUNT];
    require_ok(tacho_opstats_plan_init(&plan, words));
    require_ok(tacho_opstats_init(&stats, &plan));
    tacho_status status = tacho_opstats_read(&stats, file);
    if (status == TACHO_OK) {
        require_ok(tacho_opstats_tables_init(tables, &stats));
        tacho_opstats_tables_deinit(tables);
        tacho_rollup_files files = {&file, 1, words, &stats};
        for (int kind = TACHO_ROLLUP_NONE + 1; kind < TACHO_ROLLUP_COUNT; kind++) {
            tacho_table table;
            tacho_status rolled = tacho_rollup_table((tacho_rollup_kind)kind, &files, &table);
            if (rolled == TACHO_OK) {
                tacho_table_deinit(&table);
            }
            tacho_status_free(rolled);
        }
    }
    tacho_opstats_deinit(&stats);
    tacho_opstats_plan_deinit(&plan);
    return status;
}

/* The file that a buffer would become. */
static void decode(const tacho_program *program, const tacho_stats_buffer *buffer)
{
    tacho_stats_layout layout;
    tacho_stats_words words;
    require_ok(tacho_stats_layout_init(&layout, program));
    require_ok(tacho_stats_words_init(&words, &layout));
    tacho_stats_file file = {.head = buffer->head};
    tacho_arena_init(&file.arena);
    require_ok(tacho_grow(&file.arrays, &file.array_capacity, buffer->array_count + 1));
    for (size_t i = 0; i < buffer->array_count; i++) {
        file.arrays[file.array_count++] = buffer->arrays[i];
    }
    tacho_status status = tacho_stats_bind(&file, &layout);
    if (status == TACHO_OK) {
        tacho_status_free(emit(&file, &words));
        tacho_status_free(sum(&file, &words));
    }
    tacho_status_free(status);
    tacho_stats_file_deinit(&file);
    tacho_stats_words_deinit(&words);
    tacho_stats_layout_deinit(&layout);
}

/* ---- recording ----------------------------------------------------------------------------- */

static void record(const tacho_program *program, const tacho_simulation *simulation)
{
    tacho_recorder_options options = {program, 1, 19200000, 1430000000, 0};
    tacho_recorder *recorder = NULL;
    size_t cores = (size_t)program->facts.device_count * program->facts.core_count, count = 0;
    int64_t *flushes = calloc(cores + 1, sizeof(*flushes));
    require(flushes != NULL);
    for (size_t i = 0; i < cores; i++) {
        flushes[i] = simulation->cycles;
    }
    tacho_status status = tacho_recorder_create(&options, &recorder);
    if (status == TACHO_OK) {
        tacho_recorder_turn recording = {
            .start = 1000,
            .starts = simulation->starts,
            .ends = simulation->ends,
            .ops = simulation->ops,
            .flush_starts = flushes,
            .flush_ends = flushes,
        };
        status = tacho_recorder_count(recorder, &recording);
        tacho_recorder_fill(recorder, &recording);
        const tacho_stats_buffer *buffers = tacho_recorder_buffers(recorder, &count);
        for (size_t i = 0; i < count; i++) {
            decode(program, &buffers[i]);
        }
    }
    tacho_status_free(status);
    tacho_recorder_destroy(recorder);
    free(flushes);
}

/* Cores are counted by the facts: a few words may ask for much. */
static bool is_small(const tacho_program *program)
{
    return program->job_count <= JOBS_MAX &&
           (uint64_t)program->facts.device_count * program->facts.core_count <= RECORDS_MAX &&
           program->facts.thread_count <= RECORDS_MAX && program->facts.stats.level >= 40;
}

static bool read_program(tacho_program *program, const uint8_t *data, size_t size)
{
    static const char constants[CONSTANT_BYTES] = {0};
    require_ok(tacho_program_init(program));
    program->constants = tacho_str_make(constants, sizeof(constants));
    tacho_status status = tacho_image_read(tacho_str_make((const char *)data, size), program);
    bool is_good = status == TACHO_OK;
    tacho_status_free(status);
    return is_good;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const tacho_sim_limits limits = {
        .ddr_read = {3, 2}, .ddr_write = {1, 1}, .noc = {2, 1}, .link = {1, 3}};
    tacho_program program;
    if (read_program(&program, data, size) && is_small(&program)) {
        tacho_simulation simulation;
        tacho_status status = tacho_simulate(&simulation, &program, &limits, 1);
        if (status == TACHO_OK) {
            record(&program, &simulation);
        }
        tacho_status_free(status);
        tacho_simulation_deinit(&simulation);
    }
    tacho_program_deinit(&program);
    return 0;
}

/* ---- the mutator --------------------------------------------------------------------------- */

static uint64_t draw(uint64_t *seed, uint64_t count)
{
    *seed = *seed * 6364136223846793005u + 1442695040888963407u;
    return count == 0 ? 0 : (*seed >> 33) % count;
}

/* One element of one field of one record. */
static void change(tacho_program *program, uint64_t *seed)
{
    static const uint64_t odd[] = {0, 1, 2, 3, 7, 100, UINT16_MAX, UINT32_MAX, INT64_MAX, 1 << 20};
    static const uint32_t levels[] = {40, 50, 70, 100};
    uint64_t at = draw(seed, TACHO_TABLE_COUNT + 2);
    const tacho_schema *schema = tacho_program_facts_schema();
    tacho_program_rows rows = {(unsigned char *)&program->facts, 1};
    if (at == TACHO_TABLE_COUNT + 1) {
        program->facts.stats.level = levels[draw(seed, 4)];
        return;
    }
    if (at < TACHO_TABLE_COUNT) {
        schema = tacho_program_schema((tacho_program_table)at);
        rows = tacho_program_rows_of(program, (tacho_program_table)at);
    }
    if (rows.count == 0) {
        return;
    }
    const tacho_field *field = &schema->fields[draw(seed, schema->field_count)];
    unsigned char *record = rows.items + draw(seed, rows.count) * schema->memory_bytes;
    size_t index = draw(seed, field->count);
    uint64_t value = tacho_field_get(field, record, index);
    uint64_t how = draw(seed, 4);
    value = how == 0   ? value + 1
            : how == 1 ? value - 1
            : how == 2 ? draw(seed, 16)
                       : odd[draw(seed, sizeof(odd) / sizeof(odd[0]))];
    tacho_field_set(field, record, index, value);
}

static size_t write_program(const tacho_program *program, uint8_t *data, size_t max_size)
{
    tacho_bytes bytes = {0};
    size_t size = 0;
    tacho_status status = tacho_image_write(program, &bytes);
    if (status == TACHO_OK && bytes.len <= max_size) {
        memcpy(data, bytes.data, bytes.len);
        size = bytes.len;
    }
    tacho_status_free(status);
    tacho_bytes_deinit(&bytes);
    return size;
}

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max_size, unsigned seed)
{
    tacho_program program;
    uint64_t state = seed;
    size_t made = 0;
    bool is_good = read_program(&program, data, size);
    if (!is_good) {
        tacho_program_deinit(&program);
        require_ok(tacho_program_init(&program));
        require_ok(make_test_program(&program));
        program.facts.stats.level = 100;
        made = write_program(&program, data, max_size);
    }
    for (int i = 0; i < 8 && (made == 0 || i == 0); i++) { /* what is refused is tried on */
        change(&program, &state);
        size_t changed = write_program(&program, data, max_size);
        made = changed > 0 ? changed : made;
    }
    tacho_program_deinit(&program);
    return made > 0 ? made : LLVMFuzzerMutate(data, size, max_size);
}
