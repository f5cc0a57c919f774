/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The host starts a block and waits for it, one after the other in the order of their action
 * numbers. Numbers that no block has are copies between the host's memory and the accelerator's
 * (compile/dump_targets.h), which take what lies between two blocks.
 */
#include "cli/run_torq.h"

#include "cli/talk.h"
#include "device/program_machine.h"
#include "sources/torq/origin_note.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

/* Locations that the name of a block is made of at most, as in the program's debug information. */
enum { LOCATIONS_MAX = 1024, NS_PER_US = 1000 };

/* A block in the order of the host's actions. */
typedef struct ordered_block {
    uint32_t action;
    uint32_t block;
} ordered_block;

typedef struct torq_writer {
    const tacho_run_session *session;
    const tacho_program *program;
    tacho_run_torq_form form;
    tacho_output *output;
    ordered_block *order; /* by start action */
    uint32_t *marks;      /* by op: the last round that it was met in */
    uint32_t round;       /* of |marks| */
    int64_t shift_ns;     /* of the inference: one begins when the one before has ended */
    int64_t first_us;     /* R1: of the first row */
    bool has_first;       /* |first_us| is known */
    uint32_t next_invocation;
} torq_writer;

bool tacho_run_torq_form_find(const char *name, tacho_run_torq_form *out_form)
{
    static const char *const names[] = {"r0", "r1", "r2"};
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
        if (strcmp(names[i], name) == 0) {
            *out_form = (tacho_run_torq_form)i;
            return true;
        }
    }
    return false;
}

static tacho_str string_of(const torq_writer *self, uint32_t id)
{
    return tacho_strings_get(&self->program->strings, id);
}

static int64_t to_us(int64_t ns)
{
    return ns / NS_PER_US - (ns % NS_PER_US < 0 ? 1 : 0);
}

/* ---- locations ----------------------------------------------------------------------------- */

/* The text of a location without loc(...) around it, on one line, |quote| doubled. */
static void write_location(torq_writer *self, tacho_str text, bool is_quoted)
{
    if (tacho_str_starts_with(text, TACHO_STR("loc(")) && text.len > 4) {
        text = tacho_str_make(text.data + 4, text.len - 5);
    }
    for (size_t i = 0; i < text.len; i++) {
        char byte = text.data[i];
        if (byte != '\n' && byte != '\r') {
            tacho_output_write(self->output, &byte, 1);
        }
        if (byte == '"' && is_quoted) {
            tacho_output_write(self->output, &byte, 1);
        }
    }
}

/* Where the operators of |block| come from: TACHO_NONE after the last, each once. */
static uint32_t next_op(torq_writer *self, const tacho_block *block, uint32_t *at)
{
    while (*at < block->job_count) {
        uint32_t op = self->program->jobs[block->first_job + (*at)++].op;
        if (op != TACHO_NONE && self->marks[op] != self->round) {
            self->marks[op] = self->round;
            return op;
        }
    }
    return TACHO_NONE;
}

static uint32_t count_ops(torq_writer *self, const tacho_block *block)
{
    uint32_t at = 0;
    uint32_t count = 0;
    self->round++;
    while (count < LOCATIONS_MAX && next_op(self, block, &at) != TACHO_NONE) {
        count++;
    }
    return count;
}

/* |block| is NULL for what belongs to none. */
static void write_block_location(torq_writer *self, const tacho_block *block, bool is_quoted)
{
    uint32_t count = block != NULL ? count_ops(self, block) : 0;
    uint32_t at = 0;
    tacho_output_write_cstring(self->output, count == 0  ? "loc(unknown"
                                             : count > 1 ? "loc(fused["
                                                         : "loc(");
    self->round++;
    for (uint32_t i = 0; i < count; i++) {
        uint32_t op = next_op(self, block, &at);
        tacho_output_write_cstring(self->output, i > 0 ? ", " : "");
        write_location(self, string_of(self, self->program->ops[op].location), is_quoted);
    }
    tacho_output_write_cstring(self->output, count > 1 ? "])" : ")");
}

/* ---- rows ---------------------------------------------------------------------------------- */

/* What the host does; names as they are in both generations. */
typedef enum host_event { HOST_COPY, NSS_START, NSS_WAIT } host_event;

typedef struct action {
    uint32_t id;
    host_event event;
    const tacho_block *block; /* NULL for copies */
    uint32_t dispatch;        /* R2: names the rows */
    uint32_t invocation;
} action;

static const char *event_name(tacho_run_torq_form form, host_event event, bool is_end)
{
    static const char *const r1[][2] = {{"HOST_COPY_START", "HOST_COPY_END"},
                                        {"NSS_START", "NSS_START_END"},
                                        {"NSS_WAIT_START", "NSS_WAIT_END"}};
    static const char *const r2[][2] = {{"HOST_COPY_BEGIN", "HOST_COPY_END"},
                                        {"NSS_START_BEGIN", "NSS_START_END"},
                                        {"NSS_WAIT_BEGIN", "NSS_WAIT_END"}};
    return form == TACHO_RUN_R1 ? r1[event][is_end] : r2[event][is_end];
}

static void write_r1_row(torq_writer *self, const action *what, int64_t us, bool is_end)
{
    self->first_us = self->has_first ? self->first_us : us;
    self->has_first = true;
    tacho_output_printf(self->output, "%" PRIu32 ",%" PRId64 ",%" PRId64 ",%s,\"", what->id,
                        us - self->first_us, us, event_name(self->form, what->event, is_end));
    write_block_location(self, what->block, true);
    tacho_output_write_cstring(self->output, "\"\n");
}

static void write_r2_row(torq_writer *self, uint32_t dispatch, uint32_t invocation, int64_t us,
                         const char *event, int64_t action_id)
{
    tacho_str name = string_of(self, self->program->dispatches[dispatch].name);
    for (size_t i = 0; i < name.len; i++) {
        bool is_plain = name.data[i] > ' ' && name.data[i] != ',' && name.data[i] != '"';
        tacho_output_write(self->output, is_plain ? &name.data[i] : "_", 1);
    }
    tacho_output_printf(self->output, ",%" PRIu32 ",%" PRId64 ",%" PRId64 ",%s\n", invocation,
                        action_id, us, event);
}

/* Both rows of an action. */
static void write_action(torq_writer *self, const action *what, int64_t start_ns, int64_t end_ns)
{
    int64_t times[2] = {to_us(start_ns), to_us(end_ns)};
    for (int is_end = 0; is_end <= 1; is_end++) {
        if (self->form == TACHO_RUN_R1) {
            write_r1_row(self, what, times[is_end], is_end != 0);
        } else {
            write_r2_row(self, what->dispatch, what->invocation, times[is_end],
                         event_name(self->form, what->event, is_end != 0), what->id);
        }
    }
}

/* A phase or the like of a dispatch begins or ends. */
static void write_phase(torq_writer *self, const action *of, const char *event, int64_t ns)
{
    if (self->form == TACHO_RUN_R2) {
        write_r2_row(self, of->dispatch, of->invocation, to_us(ns), event, -1);
    }
}

/* ---- what the host does -------------------------------------------------------------------- */

/*
 * When the host has started the |i|-th block and waited for it: not before it has waited for the
 * one ahead, although the accelerator may have begun to bring in what it needs.
 */
static void find_span(const torq_writer *self, const tacho_device_result *result, size_t i,
                      int64_t now_ns, int64_t out_span[2])
{
    const tacho_block_time *time = &result->blocks[self->order[i].block];
    int64_t start = time->start_ns + self->shift_ns;
    int64_t end = time->end_ns + self->shift_ns;
    out_span[0] = start > now_ns ? start : now_ns;
    out_span[1] = end > out_span[0] ? end : out_span[0];
}

/* Blocks from |first| on of one dispatch; the first that is of another. */
static size_t write_dispatch(torq_writer *self, const tacho_device_result *result, size_t first,
                             uint32_t *next_action, int64_t *now_ns)
{
    const tacho_block *blocks = self->program->blocks;
    action what = {.dispatch = blocks[self->order[first].block].dispatch,
                   .invocation = self->next_invocation++};
    size_t i = first;
    write_phase(self, &what, "DISPATCH_BEGIN", *now_ns);
    write_phase(self, &what, "DISPATCH_EXECUTE_ACTIONS_BEGIN", *now_ns);
    for (; i < self->program->block_count && blocks[self->order[i].block].dispatch == what.dispatch;
         i++) {
        const tacho_block *block = &blocks[self->order[i].block];
        int64_t span[2];
        find_span(self, result, i, *now_ns, span);
        for (what.event = HOST_COPY, what.block = NULL; *next_action < block->start_action;) {
            what.id = (*next_action)++;
            write_action(self, &what, *now_ns, span[0]);
            *now_ns = span[0];
        }
        what = (action){block->start_action, NSS_START, block, what.dispatch, what.invocation};
        write_action(self, &what, span[0], span[0]);
        what.id = block->wait_action;
        what.event = NSS_WAIT;
        write_action(self, &what, span[0], span[1]);
        *next_action = block->wait_action + 1;
        *now_ns = span[1];
    }
    write_phase(self, &what, "DISPATCH_EXECUTE_ACTIONS_END", *now_ns);
    write_phase(self, &what, "DISPATCH_END", *now_ns);
    return i;
}

static void write_jobs(torq_writer *self, const tacho_device_result *result)
{
    self->shift_ns = -self->session->open_ns;
    int64_t now_ns = result->start_ns + self->shift_ns;
    for (size_t i = 0; i < self->program->block_count; i++) {
        int64_t span[2];
        find_span(self, result, i, now_ns, span);
        tacho_output_printf(self->output, "%zu;%" PRId64 ";%" PRId64 ";", i, to_us(span[1]),
                            to_us(span[1]) - to_us(span[0]));
        write_block_location(self, &self->program->blocks[self->order[i].block], false);
        tacho_output_write_cstring(self->output, "\n");
        now_ns = span[1];
    }
}

static void write_inference(torq_writer *self, const tacho_device_result *result, int64_t *now_ns)
{
    uint32_t next_action = 0;
    self->shift_ns = *now_ns > result->start_ns ? *now_ns - result->start_ns : 0;
    *now_ns = result->start_ns + self->shift_ns;
    for (size_t i = 0; i < self->program->block_count;) {
        i = write_dispatch(self, result, i, &next_action, now_ns);
    }
}

/* The runtime opens the device before the first inference; here that takes no time. */
static void write_init(torq_writer *self, int64_t now_ns)
{
    action what = {.dispatch = self->program->blocks[self->order[0].block].dispatch,
                   .invocation = self->next_invocation++};
    write_phase(self, &what, "INIT_BEGIN", now_ns);
    write_phase(self, &what, "INIT_HW_OPEN_BEGIN", now_ns);
    write_phase(self, &what, "INIT_HW_OPEN_END", now_ns);
    write_phase(self, &what, "INIT_END", now_ns);
}

/* ---- files --------------------------------------------------------------------------------- */

size_t tacho_run_torq_count(const tacho_run_session *session, tacho_run_torq_form form)
{
    return form == TACHO_RUN_R2 || session->sample_count == 0 ? session->sample_count : 1;
}

static void write_all(torq_writer *self)
{
    static const char *const headers[] = {
        "id;time_since_open;time_since_start;location\n",
        "actionIndex, elapsed_time(us), timestamp(us), event, location\n",
        "dispatch_name,invocation_id,action_id,timestamp_us,event\n",
    };
    const tacho_run_session *session = self->session;
    size_t count = tacho_run_torq_count(session, self->form);
    int64_t now_ns = count > 0 ? session->samples[0].result.start_ns : 0;
    tacho_output_write_cstring(self->output, headers[self->form]);
    if (self->form == TACHO_RUN_R2 && count > 0 && self->program->block_count > 0) {
        write_init(self, now_ns);
    }
    for (size_t i = 0; i < count; i++) {
        if (self->form == TACHO_RUN_R0) {
            write_jobs(self, &session->samples[i].result);
        } else {
            write_inference(self, &session->samples[i].result, &now_ns);
        }
    }
}

static int compare_blocks(const void *left, const void *right)
{
    const ordered_block *a = left;
    const ordered_block *b = right;
    if (a->action != b->action) {
        return a->action < b->action ? -1 : 1;
    }
    return a->block < b->block ? -1 : a->block > b->block;
}

static void sort_blocks(torq_writer *self)
{
    for (uint32_t i = 0; i < self->program->block_count; i++) {
        self->order[i] = (ordered_block){self->program->blocks[i].start_action, i};
    }
    qsort(self->order, self->program->block_count, sizeof(*self->order), compare_blocks);
}

static tacho_status init_writer(torq_writer *self, const tacho_run_session *session)
{
    const tacho_program *program = &session->module.program;
    *self = (torq_writer){.session = session, .program = program};
    for (size_t i = 0; i < session->sample_count; i++) {
        if (session->samples[i].result.block_count != program->block_count) {
            return tacho_fail(TACHO_CODE_UNSUPPORTED, "the device %s does not tell when blocks ran",
                              session->device->type->name);
        }
    }
    self->order = calloc(program->block_count + 1, sizeof(*self->order));
    self->marks = calloc(program->op_count + 1, sizeof(*self->marks));
    if (self->order == NULL || self->marks == NULL) {
        return tacho_fail(TACHO_CODE_NO_MEMORY, "cannot get memory for %zu blocks",
                          program->block_count);
    }
    sort_blocks(self);
    return TACHO_OK;
}

static void deinit_writer(torq_writer *self)
{
    free(self->order);
    free(self->marks);
}

tacho_status tacho_run_torq_write(const tacho_run_session *session, tacho_run_torq_form form,
                                  tacho_output *output)
{
    torq_writer self;
    tacho_status status = init_writer(&self, session);
    if (status == TACHO_OK) {
        self.form = form;
        self.output = output;
        write_all(&self);
    }
    deinit_writer(&self);
    return status;
}

tacho_status tacho_run_torq_write_file(const tacho_run_session *session, tacho_run_torq_form form,
                                       const char *path)
{
    tacho_output output;
    TACHO_TRY(tacho_output_open(path, &output));
    tacho_status status = tacho_run_torq_write(session, form, &output);
    if (status == TACHO_OK) {
        status = tacho_output_commit(&output);
    }
    tacho_output_close(&output);
    if (status == TACHO_OK && session->device->type->is_simulated) {
        status = torq_origin_note_write(path);
    }
    return status;
}

tacho_status tacho_run_torq_check_output(tacho_run_session *session, const char *path)
{
    char note[TORQ_ORIGIN_NOTE_PATH_MAX];
    tacho_str kept;
    TACHO_TRY(tacho_run_check_output(session, path));
    if (path == NULL || !session->device->type->is_simulated ||
        !tacho_output_is_replaceable(path) ||
        !torq_origin_note_path(tacho_str_from_cstring(path), note)) {
        return TACHO_OK;
    }
    TACHO_TRY(tacho_arena_copy(&session->arena, tacho_str_from_cstring(note), &kept));
    return tacho_run_check_chosen_output(session, kept.data, TORQ_ORIGIN_NOTE_MARK);
}

tacho_status tacho_run_torq_check(const tacho_run_session *session)
{
    tacho_arena arena;
    tacho_machine *machine = NULL;
    tacho_arena_init(&arena);
    tacho_status status = tacho_program_machine(&session->module.program, &arena, &machine);
    if (status == TACHO_OK && !tacho_machine_has_timeline(machine, "torq")) {
        status = tacho_fail(TACHO_CODE_USAGE,
                            "--profile-format: r0, r1 and r2 are formats of Torq's runtime, and %s "
                            "is not a Torq machine; use a format of 'tacho help formats'",
                            machine->name.data);
    }
    tacho_arena_deinit(&arena);
    return status;
}

void tacho_run_torq_say_origin(const tacho_run_session *session, const char *path)
{
    if (session->device->type->is_simulated) {
        char text[400];
        snprintf(text, sizeof(text),
                 "Torq's formats have no word for simulated: %.200s.origin says it; keep it beside "
                 "the file",
                 path);
        tacho_talk_line(
            "note",
            strcmp(path, "-") != 0
                ? text
                : "Torq's formats cannot mark times as simulated: they are read back as measured");
    }
}

/* ---- for people ---------------------------------------------------------------------------- */

/* "conv2d_6 and 2 more". */
static tacho_status add_block_name(torq_writer *self, const tacho_block *block, tacho_table *table)
{
    char text[200] = "-";
    uint32_t at = 0;
    uint32_t count = count_ops(self, block);
    self->round++;
    uint32_t op = next_op(self, block, &at);
    if (count == 1) {
        return tacho_table_add_text(table, string_of(self, self->program->ops[op].name));
    }
    if (count > 1) {
        snprintf(text, sizeof(text), "%.120s and %" PRIu32 " more",
                 string_of(self, self->program->ops[op].name).data, count - 1);
    }
    return tacho_table_add_text(table, tacho_str_from_cstring(text));
}

static tacho_status add_block(torq_writer *self, size_t i, const int64_t span[2],
                              tacho_table *table)
{
    const tacho_block *block = &self->program->blocks[self->order[i].block];
    TACHO_TRY(tacho_table_add_int(table, (int64_t)i));
    TACHO_TRY(tacho_table_add_text(
        table, string_of(self, self->program->dispatches[block->dispatch].name)));
    TACHO_TRY(tacho_table_add_int(table, span[0]));
    TACHO_TRY(tacho_table_add_int(table, span[1]));
    TACHO_TRY(tacho_table_add_int(table, span[1] - span[0]));
    return add_block_name(self, block, table);
}

static tacho_status add_blocks(torq_writer *self, const tacho_device_result *result,
                               tacho_table *table)
{
    self->shift_ns = -self->session->open_ns;
    int64_t now_ns = result->start_ns + self->shift_ns;
    for (size_t i = 0; i < self->program->block_count; i++) {
        int64_t span[2];
        find_span(self, result, i, now_ns, span);
        TACHO_TRY(add_block(self, i, span, table));
        now_ns = span[1];
    }
    return TACHO_OK;
}

tacho_status tacho_run_blocks_table(const tacho_run_session *session, tacho_table *out_table)
{
    static const tacho_column columns[] = {
        {"block", "Block", TACHO_COLUMN_INT},         {"dispatch", "Dispatch", TACHO_COLUMN_TEXT},
        {"start_ns", "Start", TACHO_COLUMN_DURATION}, {"end_ns", "End", TACHO_COLUMN_DURATION},
        {"time_ns", "Time", TACHO_COLUMN_DURATION},   {"operators", "Operators", TACHO_COLUMN_TEXT},
    };
    torq_writer self;
    tacho_table_init(out_table, "blocks", "Blocks", columns, 6);
    out_table->kept = "dispatch time_ns";
    tacho_status status = init_writer(&self, session);
    if (status == TACHO_OK && session->sample_count > 0) {
        status = add_blocks(&self, &session->samples[0].result, out_table);
    }
    deinit_writer(&self);
    return status;
}
