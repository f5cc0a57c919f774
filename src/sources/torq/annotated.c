/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Annotated Torq profiles, generations A0 to A3: the result of joining a runtime profile with the
 * compiler's debug information.
 *
 *   action_id;job_id;operation;invocation_names;...;timestamp_start;timestamp_end;location
 *   1;0.0;torq_hl.start_program;add_0;...;1534.0;1535.0;@L12C10
 *   2;0.0;torq_hl.wait_program;add_0;...;1536.0;1853.0;@L12C10
 *
 * A job lasts from the start of its start_program to the end of its wait. Instead of the wait, A1
 * and A2 have a row for each inner op of the job, all with the times of the wait; A0 has only
 * these, with the times of the job. An engine that the job used is shown for as long as the job
 * lasts: its own times were not measured. A3 repeats a program's rows, without times, where the
 * runtime only set it up: these are counted and otherwise ignored.
 */
#include "sources/torq/torq.h"

#include "base/decimal.h"
#include "base/grow.h"
#include "profile/torq_labels.h"
#include "profile/torq_origin.h"
#include "sources/torq/annotated_row.h"
#include "sources/torq/torq_text.h"

#include <stdlib.h>

enum { ARG_MAX = 6 };

typedef enum job_state {
    JOB_IDLE,
    JOB_STARTED, /* not yet waited for */
    JOB_WAITED,  /* more rows of its wait may follow */
} job_state;

/* Texts are ids of the reader's own table. */
typedef struct job {
    job_state state;
    int64_t id; /* -1: none, as below */
    int64_t action;
    int64_t wait_action;
    int64_t start;
    int64_t end;
    int64_t wait_start;
    uint32_t operation;
    uint32_t kernels;
    uint32_t operators;
    uint32_t location;
    torq_annotated_used used;
} job;

typedef struct annotated {
    torq_part part;
    torq_annotated_header header;
    tacho_arena arena; /* of the current line */
    tacho_strings texts;
    tacho_strings job_ids; /* the job of text i is jobs[i] */
    job *jobs;
    size_t job_count, job_capacity;
    uint32_t waited; /* the job in JOB_WAITED, or TACHO_NONE */
    uint64_t untimed_count;
    job host; /* the host's program, from its start until it is waited for */
    /* The kernels of one job, in order, each once: |marks| is the last job of each text. */
    uint32_t *kernels;
    size_t kernel_count, kernel_capacity;
    uint64_t *marks;
    size_t mark_count, mark_capacity;
    uint64_t mark;
    tacho_text text;
    uint32_t host_tracks[TACHO_TORQ_HOST_TRACK_COUNT]; /* TACHO_NONE until first used */
    uint32_t action_key, wait_key, job_key, kernels_key, operators_key, scope_key;
} annotated;

/* ---- texts ------------------------------------------------------------------------------ */

static tacho_status put(annotated *self, tacho_str piece)
{
    return tacho_text_put(&self->text, piece);
}

static tacho_str get_text(const annotated *self, uint32_t text)
{
    return tacho_strings_get(&self->texts, text);
}

/* Operators have no spaces in them; A2 has " + " between them. */
static tacho_status keep_operators(annotated *self, tacho_str all, uint32_t *out_text)
{
    while (all.len > 0) {
        size_t len = tacho_str_find_byte(all, ' ');
        tacho_str one = tacho_str_make(all.data, len);
        all = tacho_str_from(all, len < all.len ? len + 1 : len);
        if (one.len > 0 && !tacho_str_equal(one, TACHO_STR("+"))) {
            TACHO_TRY(put(self, self->text.item_count > 0 ? TACHO_STR(" ") : TACHO_STR("")));
            TACHO_TRY(put(self, one));
        }
    }
    return tacho_strings_ensure(&self->texts, tacho_text_take(&self->text), out_text);
}

static tacho_status gather_kernel(annotated *self, tacho_str name)
{
    uint32_t id = 0;
    TACHO_TRY(tacho_strings_ensure(&self->texts, name, &id));
    TACHO_TRY(tacho_grow(&self->marks, &self->mark_capacity, (size_t)id + 1));
    for (; self->mark_count <= id; self->mark_count++) {
        self->marks[self->mark_count] = 0;
    }
    if (id == 0 || self->marks[id] == self->mark) {
        return TACHO_OK;
    }
    self->marks[id] = self->mark;
    TACHO_TRY(tacho_grow(&self->kernels, &self->kernel_capacity, self->kernel_count + 1));
    self->kernels[self->kernel_count++] = id;
    return TACHO_OK;
}

/* "conv2d_0,add_1" */
static tacho_status gather_kernels(annotated *self, tacho_str list)
{
    while (list.len > 0) {
        size_t len = tacho_str_find_byte(list, ',');
        TACHO_TRY(gather_kernel(self, tacho_str_trim(tacho_str_make(list.data, len))));
        list = tacho_str_from(list, len < list.len ? len + 1 : len);
    }
    return TACHO_OK;
}

/* Gathers the kernels in the start row of |one|. */
static tacho_status gather_first(annotated *self, const job *one)
{
    self->mark++;
    self->kernel_count = 0;
    return gather_kernels(self, get_text(self, one->kernels));
}

static tacho_status put_kernels(annotated *self, size_t max)
{
    return tacho_torq_put_kernels(&self->text, &self->texts, self->kernels, self->kernel_count,
                                  max);
}

/* ---- tracks and sites ------------------------------------------------------------------- */

static tacho_status find_host_track(annotated *self, tacho_torq_host_track which,
                                    uint32_t *out_track)
{
    uint32_t *known = &self->host_tracks[which];
    if (*known == TACHO_NONE) {
        const torq_part *part = &self->part;
        bool is_stack = which == TACHO_TORQ_HOST_HAL || which == TACHO_TORQ_HOST_NSS_ACTIONS;
        tacho_track facts = {
            .parent = part->dict->parts[part->part].root,
            .part = part->part,
            .clock = part->clock,
            .lane_of = TACHO_NONE,
            .rank = (int32_t)which,
            .track_class = tacho_torq_host_track_class(which),
            .nesting = is_stack ? TACHO_NESTING_STACK : TACHO_NESTING_ENGINE,
        };
        tacho_str name = tacho_str_from_cstring(tacho_torq_host_track_name(which));
        TACHO_TRY(tacho_dict_ensure_track(part->dict, &facts, name, known));
    }
    *out_track = *known;
    return TACHO_OK;
}

/* The track "Slice 1 Used". */
static tacho_status find_used_track(annotated *self, tacho_torq_engine engine, uint32_t slice,
                                    uint32_t *out_track)
{
    torq_part *part = &self->part;
    bool is_slice = engine == TACHO_TORQ_SLICE;
    uint32_t *known = is_slice ? &part->slice_tracks[slice] : &part->engine_tracks[engine];
    if (*known == TACHO_NONE) {
        char name[TACHO_TORQ_TRACK_NAME_MAX];
        tacho_torq_track_name(engine, slice, " Used", name);
        tacho_track facts = {
            .parent = part->dict->parts[part->part].root,
            .part = part->part,
            .clock = part->clock,
            .index = is_slice ? slice : 0,
            .lane_of = TACHO_NONE,
            .rank = -1,
            .track_class = tacho_torq_engine_class(engine),
            .nesting = TACHO_NESTING_ENGINE,
        };
        TACHO_TRY(tacho_dict_ensure_track(part->dict, &facts, tacho_str_from_cstring(name), known));
    }
    *out_track = *known;
    return TACHO_OK;
}

/* Finds the site of a span; |name| must not live in self->text. */
static tacho_status find_site(annotated *self, tacho_str name, tacho_str location,
                              tacho_track_class track_class, uint32_t *out_site)
{
    char mark[2] = {(char)('A' + (int)track_class), '\n'};
    TACHO_TRY(put(self, tacho_str_make(mark, sizeof(mark))));
    TACHO_TRY(put(self, name));
    TACHO_TRY(put(self, TACHO_STR("\n")));
    TACHO_TRY(put(self, location));
    tacho_str key = tacho_text_take(&self->text);
    const torq_entry *entry = torq_part_find_entry(&self->part, key);
    if (entry != NULL) {
        *out_site = entry->site;
        return TACHO_OK;
    }
    torq_site_facts facts = {.name = name, .location = location, .track_class = track_class};
    TACHO_TRY(torq_part_make_site(&self->part, &facts, out_site));
    torq_entry added = {*out_site, TACHO_NONE, TACHO_TORQ_NSS};
    return torq_part_add_entry(&self->part, key, &added);
}

/* ---- spans ------------------------------------------------------------------------------ */

static void add_int(tacho_row *row, tacho_arg *args, uint32_t key, int64_t value)
{
    if (value >= 0) {
        args[row->arg_count] = (tacho_arg){.key = key, .type = TACHO_ARG_INT};
        args[row->arg_count++].value.as_int = value;
    }
}

static tacho_status add_text(annotated *self, tacho_row *row, tacho_arg *args, uint32_t key,
                             tacho_str text)
{
    if (text.len == 0) {
        return TACHO_OK;
    }
    tacho_arg *arg = &args[row->arg_count++];
    *arg = (tacho_arg){.key = key, .type = TACHO_ARG_STRING};
    return tacho_dict_ensure_string(self->part.dict, text, &arg->value.as_string);
}

static tacho_row make_span(int64_t start, int64_t end)
{
    tacho_row row = {.kind = TACHO_ROW_SPAN, .start = start};
    row.of.span.end = end;
    row.of.span.op = TACHO_NONE;
    row.of.span.run = TACHO_NONE;
    return row;
}

static tacho_status push(annotated *self, const tacho_row *row)
{
    self->part.good_row_count++;
    return tacho_events_row(self->part.reading->events, row);
}

/* Pushes a row as a span of its own. */
static tacho_status push_row(annotated *self, const torq_annotated_row *from,
                             tacho_torq_host_track which, tacho_str name)
{
    tacho_arg args[ARG_MAX];
    tacho_row row = make_span(from->start, from->end);
    row.args = args;
    uint32_t operators = 0;
    TACHO_TRY(keep_operators(self, from->operators, &operators));
    add_int(&row, args, self->action_key, from->action);
    TACHO_TRY(add_text(self, &row, args, self->operators_key, get_text(self, operators)));
    TACHO_TRY(find_host_track(self, which, &row.track));
    TACHO_TRY(find_site(self, name, from->location, tacho_torq_host_track_class(which),
                        &row.of.span.site));
    return push(self, &row);
}

/* Pushes "<scope>.<event>"; its location repeats the event. */
static tacho_status push_hal(annotated *self, const torq_annotated_row *from)
{
    tacho_str event = from->operation;
    for (size_t dot; (dot = tacho_str_find_byte(event, '.')) < event.len;) {
        event = tacho_str_from(event, dot + 1);
    }
    size_t scope_len = from->operation.len - event.len;
    tacho_str scope = tacho_str_make(from->operation.data, scope_len > 0 ? scope_len - 1 : 0);
    tacho_arg args[ARG_MAX];
    tacho_row row = make_span(from->start, from->end);
    row.args = args;
    TACHO_TRY(add_text(self, &row, args, self->scope_key, scope));
    TACHO_TRY(find_host_track(self, TACHO_TORQ_HOST_HAL, &row.track));
    TACHO_TRY(find_site(self, event.len > 0 ? event : from->operation, TACHO_STR(""),
                        TACHO_TRACK_RUNTIME, &row.of.span.site));
    return push(self, &row);
}

static tacho_status push_used(annotated *self, const job *from, tacho_str name, tacho_row *row)
{
    tacho_str location = get_text(self, from->location);
    for (int i = 0; i < TACHO_TORQ_ENGINE_COUNT; i++) {
        tacho_torq_engine engine = (tacho_torq_engine)i;
        if ((from->used.engines >> i & 1) != 0) {
            TACHO_TRY(find_used_track(self, engine, 0, &row->track));
            TACHO_TRY(find_site(self, name, location, tacho_torq_engine_class(engine),
                                &row->of.span.site));
            TACHO_TRY(push(self, row));
        }
    }
    for (uint32_t slice = 0; slice < TORQ_SLICE_MAX; slice++) {
        uint64_t word = from->used.slices[slice / 64];
        if (word == 0) {
            slice += 63;
        } else if ((word >> (slice % 64) & 1) != 0) {
            TACHO_TRY(find_used_track(self, TACHO_TORQ_SLICE, slice, &row->track));
            TACHO_TRY(find_site(self, name, location, TACHO_TRACK_COMPUTE, &row->of.span.site));
            TACHO_TRY(push(self, row));
        }
    }
    return TACHO_OK;
}

/* Pushes a job whose kernels are gathered, and the engines it used. */
static tacho_status push_job(annotated *self, job *from)
{
    tacho_arg args[ARG_MAX];
    tacho_row row = make_span(from->start, from->end);
    row.args = args;
    row.of.span.flags = from->state == JOB_STARTED ? TACHO_SPAN_UNENDED : 0;
    from->state = JOB_IDLE;
    uint32_t name = 0;
    TACHO_TRY(put_kernels(self, TACHO_TORQ_NAMED_KERNELS_MAX));
    TACHO_TRY(put(self, self->kernel_count == 0 ? TACHO_STR("NSS program") : TACHO_STR("")));
    TACHO_TRY(tacho_strings_ensure(&self->texts, tacho_text_take(&self->text), &name));
    add_int(&row, args, self->action_key, from->action);
    add_int(&row, args, self->job_key, from->id);
    add_int(&row, args, self->wait_key, from->wait_action);
    TACHO_TRY(put_kernels(self, SIZE_MAX));
    TACHO_TRY(add_text(self, &row, args, self->kernels_key, tacho_text_take(&self->text)));
    TACHO_TRY(add_text(self, &row, args, self->operators_key, get_text(self, from->operators)));
    TACHO_TRY(find_host_track(self, TACHO_TORQ_HOST_NSS_PROGRAMS, &row.track));
    TACHO_TRY(find_site(self, get_text(self, name), get_text(self, from->location),
                        TACHO_TRACK_CONTROL, &row.of.span.site));
    TACHO_TRY(push(self, &row));
    return push_used(self, from, get_text(self, name), &row);
}

/* ---- jobs ------------------------------------------------------------------------------- */

static tacho_status find_job(annotated *self, int64_t id, uint32_t *out_job)
{
    char text[TACHO_DECIMAL_MAX];
    char *end = id >= 0 ? tacho_decimal_put(text, (uint64_t)id) : text;
    TACHO_TRY(
        tacho_strings_ensure(&self->job_ids, tacho_str_make(text, (size_t)(end - text)), out_job));
    TACHO_TRY(tacho_grow(&self->jobs, &self->job_capacity, self->job_ids.item_count));
    for (; self->job_count < self->job_ids.item_count; self->job_count++) {
        self->jobs[self->job_count] = (job){.state = JOB_IDLE};
    }
    return TACHO_OK;
}

static tacho_status end_waited(annotated *self)
{
    if (self->waited == TACHO_NONE) {
        return TACHO_OK;
    }
    job *ended = &self->jobs[self->waited];
    self->waited = TACHO_NONE;
    return push_job(self, ended);
}

static tacho_status end_started(annotated *self, job *one)
{
    if (one->state != JOB_STARTED) {
        return TACHO_OK;
    }
    TACHO_TRY(gather_first(self, one));
    return push_job(self, one);
}

static tacho_status begin_job(annotated *self, const torq_annotated_row *row, job *out_job)
{
    *out_job = (job){
        .state = JOB_STARTED,
        .id = row->job,
        .action = row->action,
        .wait_action = -1,
        .start = row->start,
        .end = row->end,
        .used = row->used,
    };
    TACHO_TRY(tacho_strings_ensure(&self->texts, row->operation, &out_job->operation));
    TACHO_TRY(tacho_strings_ensure(&self->texts, row->kernels, &out_job->kernels));
    TACHO_TRY(tacho_strings_ensure(&self->texts, row->location, &out_job->location));
    return keep_operators(self, row->operators, &out_job->operators);
}

static tacho_status read_start(annotated *self, const torq_annotated_row *row)
{
    uint32_t id = 0;
    TACHO_TRY(end_waited(self));
    TACHO_TRY(find_job(self, row->job, &id));
    TACHO_TRY(end_started(self, &self->jobs[id]));
    TACHO_TRY(push_row(self, row, TACHO_TORQ_HOST_NSS_ACTIONS, row->operation));
    return begin_job(self, row, &self->jobs[id]);
}

static void add_used(torq_annotated_used *to, const torq_annotated_used *from)
{
    to->engines |= from->engines;
    for (size_t i = 0; i < TORQ_ANNOTATED_WORDS; i++) {
        to->slices[i] |= from->slices[i];
    }
}

/* Reads a wait for a job, or one of the rows that replace it. */
static tacho_status read_wait(annotated *self, const torq_annotated_row *row)
{
    uint32_t id = 0;
    TACHO_TRY(find_job(self, row->job, &id));
    job *one = &self->jobs[id];
    if (self->waited == id && one->wait_start == row->start && one->end == row->end &&
        (one->wait_action < 0 || one->wait_action == row->action)) {
        add_used(&one->used, &row->used);
        return gather_kernels(self, row->kernels);
    }
    TACHO_TRY(end_waited(self));
    if (one->state == JOB_STARTED && row->end < one->start) {
        TACHO_TRY(end_started(self, one));
    }
    if (one->state != JOB_STARTED) {
        TACHO_TRY(begin_job(self, row, one));
        one->action = -1;
    }
    one->state = JOB_WAITED;
    one->wait_action = row->action;
    one->wait_start = row->start;
    one->end = row->end;
    self->waited = id;
    add_used(&one->used, &row->used);
    if (torq_annotated_has(&self->header, TORQ_ANNOTATED_ACTION)) {
        TACHO_TRY(
            push_row(self, row, TACHO_TORQ_HOST_NSS_ACTIONS, TACHO_STR("torq_hl.wait_program")));
    }
    TACHO_TRY(gather_first(self, one));
    return gather_kernels(self, row->kernels);
}

/* ---- programs of the host --------------------------------------------------------------- */

static tacho_status end_host(annotated *self)
{
    const job *from = &self->host;
    if (from->state == JOB_IDLE) {
        return TACHO_OK;
    }
    torq_annotated_row row = {
        .action = from->action,
        .start = from->start,
        .end = from->end,
        .operators = get_text(self, from->operators),
        .location = get_text(self, from->location),
    };
    self->host.state = JOB_IDLE;
    return push_row(self, &row, TACHO_TORQ_HOST_PROGRAMS, get_text(self, from->operation));
}

static tacho_status read_host_start(annotated *self, const torq_annotated_row *row)
{
    TACHO_TRY(end_host(self));
    return begin_job(self, row, &self->host);
}

static tacho_status read_host_wait(annotated *self, const torq_annotated_row *row)
{
    if (self->host.state == JOB_IDLE) {
        TACHO_TRY(begin_job(self, row, &self->host));
    }
    self->host.end = row->end > self->host.end ? row->end : self->host.end;
    return end_host(self);
}

/* ---- rows ------------------------------------------------------------------------------- */

typedef enum row_kind {
    ROW_NSS_START,
    ROW_NSS_WAIT,
    ROW_HOST_START,
    ROW_HOST_WAIT,
    ROW_COPY,
    ROW_MEMORY,
    ROW_HAL,
    ROW_UNKNOWN,
} row_kind;

/* Rows without an operation name the runtime's event. */
static const struct {
    tacho_str operation;
    row_kind kind;
} operations[] = {
    {TACHO_STR_INIT("torq_hl.start_program"), ROW_NSS_START},
    {TACHO_STR_INIT("torq_hl.wait_program"), ROW_NSS_WAIT},
    {TACHO_STR_INIT("torq_hl.start_program (host)"), ROW_HOST_START},
    {TACHO_STR_INIT("torq_hl.wait_program (host)"), ROW_HOST_WAIT},
    {TACHO_STR_INIT("torq_hl.host_copy"), ROW_COPY},
    {TACHO_STR_INIT("torq_hl.dynamic_host_copy"), ROW_COPY},
    {TACHO_STR_INIT("memref.alloc"), ROW_MEMORY},
    {TACHO_STR_INIT("memref.dealloc"), ROW_MEMORY},
    {TACHO_STR_INIT("NSS_START"), ROW_NSS_START},
    {TACHO_STR_INIT("NSS_WAIT"), ROW_NSS_WAIT},
    {TACHO_STR_INIT("HOST_START"), ROW_HOST_START},
    {TACHO_STR_INIT("HOST_WAIT"), ROW_HOST_WAIT},
    {TACHO_STR_INIT("HOST_PROGRAM"), ROW_HOST_START},
    {TACHO_STR_INIT("HOST_COPY"), ROW_COPY},
    {TACHO_STR_INIT("ALLOC"), ROW_MEMORY},
    {TACHO_STR_INIT("DEALLOC"), ROW_MEMORY},
};

static row_kind find_kind(const annotated *self, const torq_annotated_row *row)
{
    row_kind kind = ROW_UNKNOWN;
    bool is_vendors = tacho_str_starts_with(row->operation, TACHO_STR("torq_hl."));
    for (size_t i = 0; i < sizeof(operations) / sizeof(operations[0]); i++) {
        kind = tacho_str_equal(row->operation, operations[i].operation) ? operations[i].kind : kind;
    }
    if (row->job >= 0) {
        return kind == ROW_NSS_START ? kind : ROW_NSS_WAIT;
    }
    if (kind == ROW_NSS_START && is_vendors) {
        return ROW_HOST_START; /* A3 does not name the program's owner, but the host has no jobs */
    }
    if (kind == ROW_NSS_WAIT && is_vendors && self->host.state != JOB_IDLE) {
        return ROW_HOST_WAIT;
    }
    bool is_call =
        row->action < 0 && (tacho_str_starts_with(row->operation, TACHO_STR("HAL_")) ||
                            tacho_str_find_byte(row->operation, '.') < row->operation.len);
    return kind == ROW_UNKNOWN && is_call ? ROW_HAL : kind;
}

static tacho_status read_row(annotated *self, const torq_annotated_row *row, tacho_str line)
{
    if (!torq_annotated_has(&self->header, TORQ_ANNOTATED_ACTION)) {
        return row->job >= 0 ? read_wait(self, row)
                             : torq_part_lose(&self->part, TACHO_LOSS_MISSING_FIELD, line);
    }
    switch (find_kind(self, row)) {
    case ROW_NSS_START:
        return read_start(self, row);
    case ROW_NSS_WAIT:
        return read_wait(self, row);
    case ROW_HOST_START:
        return read_host_start(self, row);
    case ROW_HOST_WAIT:
        return read_host_wait(self, row);
    case ROW_COPY:
        return push_row(self, row, TACHO_TORQ_HOST_COPY, row->operation);
    case ROW_MEMORY:
        return push_row(self, row, TACHO_TORQ_HOST_MEMORY, row->operation);
    case ROW_HAL:
        return push_hal(self, row);
    case ROW_UNKNOWN:
        break;
    }
    return torq_part_lose(&self->part, TACHO_LOSS_UNKNOWN_EVENT, line);
}

/* Counts a line as lost, unless it is a repeated header in a concatenated file. */
static tacho_status lose(annotated *self, tacho_loss_reason reason, tacho_str line)
{
    torq_annotated_header again;
    bool is_header = false;
    tacho_status status = torq_annotated_header_init(&again, line, &is_header);
    torq_annotated_header_deinit(&again);
    TACHO_TRY(status);
    return is_header ? TACHO_OK : torq_part_lose(&self->part, reason, line);
}

static tacho_status read_lines(annotated *self)
{
    tacho_str line;
    bool got = false;
    for (;;) {
        TACHO_TRY(torq_next_line(self->part.reading->input, &line, &got));
        if (!got) {
            break;
        }
        torq_annotated_row row;
        tacho_loss_reason loss = TACHO_LOSS_REASON_COUNT;
        tacho_arena_reset(&self->arena);
        TACHO_TRY(torq_annotated_row_parse(&self->header, line, self->part.max_ticks, &self->arena,
                                           &row, &loss));
        if (loss == TACHO_LOSS_REASON_COUNT && !row.has_time) {
            self->untimed_count++;
            continue;
        }
        TACHO_TRY(loss == TACHO_LOSS_REASON_COUNT ? read_row(self, &row, line)
                                                  : lose(self, loss, line));
    }
    TACHO_TRY(end_waited(self));
    TACHO_TRY(end_host(self));
    for (size_t i = 0; i < self->job_count; i++) {
        TACHO_TRY(end_started(self, &self->jobs[i]));
    }
    return TACHO_OK;
}

/* ---- the source ------------------------------------------------------------------------- */

static tacho_probe_verdict annotated_probe(tacho_str head)
{
    tacho_str line = TACHO_STR("");
    while (tacho_str_trim(line).len == 0 && torq_take_line(&head, &line)) {
    }
    torq_annotated_header header;
    bool is_header = false;
    tacho_status status = torq_annotated_header_init(&header, line, &is_header);
    torq_annotated_header_deinit(&header);
    tacho_status_free(status);
    return is_header ? TACHO_PROBE_SURE : TACHO_PROBE_NO;
}

static tacho_status read_header(annotated *self, tacho_input *input)
{
    tacho_str line = TACHO_STR("");
    bool got = false;
    bool is_header = false;
    TACHO_TRY(torq_next_line(input, &line, &got));
    TACHO_TRY(torq_annotated_header_init(&self->header, line, &is_header));
    return is_header ? TACHO_OK
                     : tacho_fail(TACHO_CODE_BAD_DATA,
                                  "%s:%llu: expected the header of an annotated profile: job, "
                                  "operation, start, end and engines used, separated by ';'",
                                  input->name, (unsigned long long)input->line_number);
}

static tacho_status init_keys(annotated *self)
{
    TACHO_TRY(torq_part_key(&self->part, "action", &self->action_key));
    TACHO_TRY(torq_part_key(&self->part, "wait_action", &self->wait_key));
    TACHO_TRY(torq_part_key(&self->part, "job", &self->job_key));
    TACHO_TRY(torq_part_key(&self->part, "kernels", &self->kernels_key));
    TACHO_TRY(torq_part_key(&self->part, "operators", &self->operators_key));
    return torq_part_key(&self->part, "scope", &self->scope_key);
}

/* Every known slice has a track, used or not. */
static tacho_status make_slices(annotated *self)
{
    uint32_t track = TACHO_NONE;
    for (size_t i = 0; i < self->header.slice_count; i++) {
        TACHO_TRY(find_used_track(self, TACHO_TORQ_SLICE, self->header.slices[i].slice, &track));
    }
    for (uint32_t i = 0; i < self->header.together_count; i++) {
        TACHO_TRY(find_used_track(self, TACHO_TORQ_SLICE, i, &track));
    }
    return TACHO_OK;
}

static tacho_status read_all(annotated *self, const tacho_reading *reading)
{
    tacho_clock clock;
    tacho_clock_init(&clock, 1, 1);
    TACHO_TRY(tacho_strings_init(&self->texts));
    TACHO_TRY(tacho_strings_init(&self->job_ids));
    TACHO_TRY(read_header(self, reading->input));
    tacho_part_facts facts = {
        .format = tacho_str_from_cstring(tacho_source_torq_annotated.name),
        .generation = torq_annotated_generation(&self->header),
        .origin = TACHO_ORIGIN_MEASURED,
        .covered_classes = torq_annotated_covered(&self->header),
    };
    TACHO_TRY(torq_origin_note_read(reading->path, &facts.origin));
    TACHO_TRY(torq_part_init(&self->part, reading, &facts, &clock, TACHO_STR("ns")));
    TACHO_TRY(init_keys(self));
    TACHO_TRY(read_lines(self));
    TACHO_TRY(make_slices(self));
    if (self->untimed_count > 0) {
        TACHO_TRY(tacho_dict_add_metadata_count(self->part.dict, "rows_without_time",
                                                self->untimed_count));
    }
    return torq_part_finish(&self->part);
}

static tacho_status annotated_read(const tacho_reading *reading)
{
    annotated self = {.waited = TACHO_NONE};
    tacho_arena_init(&self.arena);
    tacho_arena_init(&self.part.scratch);
    for (size_t i = 0; i < TACHO_TORQ_HOST_TRACK_COUNT; i++) {
        self.host_tracks[i] = TACHO_NONE;
    }
    tacho_status status = read_all(&self, reading);
    torq_part_deinit(&self.part);
    torq_annotated_header_deinit(&self.header);
    tacho_strings_deinit(&self.texts);
    tacho_strings_deinit(&self.job_ids);
    tacho_arena_deinit(&self.arena);
    free(self.jobs);
    free(self.kernels);
    free(self.marks);
    tacho_text_deinit(&self.text);
    return status;
}

const tacho_source tacho_source_torq_annotated = {
    .name = "torq-annotated",
    .title = "Torq annotated profile CSV (A0-A3): measured microseconds",
    .probe = annotated_probe,
    .read = annotated_read,
    .options = torq_part_options,
};
