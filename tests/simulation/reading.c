/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A capture read back by the real source. Each row of a program's thread is the next one that the
 * thread has reported, or a law is broken.
 */
#include "simulator.h"

#include "profile/dict.h"
#include "sources/tacho/capture.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct row_reader {
    tacho_events events;
    sim_rank *rank;
    bool is_damaged;
    sim_reading *reading;
} row_reader;

/* ---- whose a row is -------------------------------------------------------------------------- */

static sim_thread *find_thread(const sim_rank *rank, uint32_t tid)
{
    for (size_t i = 0; i < sim.thread_count; i++) {
        if (sim.threads[i].tid == tid && sim.threads[i].process->rank == rank) {
            return &sim.threads[i];
        }
    }
    return NULL;
}

/* The thread that has reported a row of |track|; NULL: tacho made it itself. */
static sim_thread *thread_of(const row_reader *self, const tacho_track *track, unsigned *out_stream)
{
    const char *name = tacho_dict_string(self->events.dict, track->name).data;
    unsigned tid = 0, index = 0;
    *out_stream = SIM_HOST;
    if (track->track_class == TACHO_TRACK_HOST && track->has_number) {
        return find_thread(self->rank, (uint32_t)track->number);
    }
    if (track->track_class == TACHO_TRACK_COUNTER && sscanf(name, "c%u-%u", &tid, &index) == 2) {
        *out_stream = SIM_COUNTER + index % SIM_COUNTERS;
        return find_thread(self->rank, tid);
    }
    if (track->track_class == TACHO_TRACK_COMPUTE && sscanf(name, "Device %u", &tid) == 1) {
        *out_stream = SIM_DEVICE;
        return find_thread(self->rank, tid);
    }
    return NULL;
}

/* ---- what it shows --------------------------------------------------------------------------- */

static uint64_t hash_args(const tacho_dict *dict, const tacho_row *row)
{
    uint64_t hash = 0;
    for (size_t i = 0; i < row->arg_count; i++) {
        const tacho_arg *arg = &row->args[i];
        const char *key = tacho_dict_string(dict, arg->key).data;
        bool is_text = arg->type == TACHO_ARG_TEXT;
        bool is_own = key[0] == 'k' || strcmp(key, "bytes read") == 0 || strcmp(key, "text") == 0;
        unsigned type = is_text ? TACHO_CLIENT_TEXT : (unsigned)arg->type;
        if (is_own && is_text) {
            hash = sim_hash_arg(hash, key, type, arg->value.as_text.data, arg->value.as_text.len);
        } else if (is_own) {
            hash = sim_hash_arg(hash, key, type, &arg->value,
                                arg->type == TACHO_ARG_BOOL ? 1 : sizeof(arg->value.as_uint));
        }
    }
    return hash;
}

static void show_flow(const tacho_row *row, sim_event *out_event)
{
    const uint64_t launches = (UINT64_C(1) << 28) - 1;
    bool is_launch = row->of.flow.role == TACHO_FLOW_LAUNCH;
    out_event->kind = is_launch ? SIM_KIND_LAUNCH : SIM_KIND_FLOW;
    out_event->name = (uint32_t)sim_hash_text("");
    out_event->end = row->start;
    out_event->value = is_launch ? row->of.flow.id & launches
                                 : row->of.flow.id << 2 | (uint64_t)row->of.flow.phase;
}

static void show_span(const tacho_dict *dict, const tacho_row *row, sim_event *out_event)
{
    const tacho_site *site = &dict->sites[row->of.span.site];
    const char *name = tacho_dict_string(dict, site->name).data;
    const char *category = tacho_dict_string(dict, site->category).data;
    bool is_instant = (row->of.span.flags & TACHO_SPAN_INSTANT) != 0;
    bool is_op = false;
    for (size_t i = 0; i < row->arg_count; i++) {
        is_op = is_op || strcmp(tacho_dict_string(dict, row->args[i].key).data, "op_type") == 0;
    }
    out_event->kind = !is_instant                        ? (is_op ? SIM_KIND_OP : SIM_KIND_ZONE)
                      : strcmp(category, "message") == 0 ? SIM_KIND_MESSAGE
                                                         : SIM_KIND_SIGNPOST;
    out_event->name = (uint32_t)sim_hash_text(name);
    out_event->end = row->of.span.end;
    out_event->value = hash_args(dict, row);
}

static sim_event show_row(const tacho_dict *dict, const tacho_row *row)
{
    sim_event event = {.start = row->start};
    if (row->kind == TACHO_ROW_FLOW) {
        show_flow(row, &event);
    } else if (row->kind == TACHO_ROW_SPAN) {
        show_span(dict, row, &event);
    } else {
        const tacho_track *track = &dict->tracks[row->track];
        event.kind = SIM_KIND_COUNTER;
        event.name = (uint32_t)sim_hash_text(tacho_dict_string(dict, track->name).data);
        event.end = row->start;
        memcpy(&event.value, &row->of.sample.value, sizeof(event.value));
    }
    return event;
}

static bool is_same(const sim_event *a, const sim_event *b)
{
    return a->kind == b->kind && a->name == b->name && a->start == b->start && a->end == b->end &&
           a->value == b->value;
}

/* ---- comparing ------------------------------------------------------------------------------- */

static void match(const row_reader *self, sim_thread *thread, unsigned stream,
                  const sim_event *shown)
{
    size_t *next = &self->reading->found[thread - sim.threads].next[stream];
    for (; *next < thread->event_count; ++*next) {
        const sim_event *event = &thread->events[*next];
        if (event->stream != stream || event->fate == SIM_DROPPED) {
            continue;
        }
        bool is_found = is_same(event, shown);
        bool may_miss = event->fate == SIM_PENDING || event->fate == SIM_UNSURE;
        if (is_found) {
            self->reading->unsure_count += event->fate == SIM_UNSURE && !event->is_second ? 1 : 0;
        }
        if (is_found || !may_miss) {
            ++*next;
        }
        if (is_found) {
            return;
        }
        if (!may_miss) {

            sim_break("rank %u, thread %u: event %zu (kind %u, %lld..%lld) was read as kind %u, "
                      "%lld..%lld%s%s",
                      self->rank->index, thread->tid, *next - 1, event->kind,
                      (long long)event->start, (long long)event->end, shown->kind,
                      (long long)shown->start, (long long)shown->end,
                      event->name != shown->name ? ", another name" : "",
                      event->value != shown->value ? ", other values" : "");
            return;
        }
    }
    sim_break("rank %u, thread %u: a row that was not reported: kind %u, %lld..%lld",
              self->rank->index, thread->tid, shown->kind, (long long)shown->start,
              (long long)shown->end);
}

/* A zone that never ended. */
static void match_open(const row_reader *self, const sim_thread *thread, const tacho_row *row)
{
    sim_found *found = &self->reading->found[thread - sim.threads];
    bool may_have_ended = thread->is_late;
    for (size_t i = 0; i < thread->zone_count || may_have_ended; i++) {
        if (may_have_ended || (int64_t)thread->zones[i].zone.start_ns == row->start ||
            thread->zones[i].is_pending) {
            found->unended_count++;
            return;
        }
    }
    sim_break("rank %u, thread %u: a zone from %lld on is shown as open, and was not",
              self->rank->index, thread->tid, (long long)row->start);
}

static tacho_status take_row(tacho_events *events, const tacho_row *row)
{
    row_reader *self = (row_reader *)(void *)events;
    const tacho_dict *dict = events->dict;
    unsigned stream = 0;
    self->reading->row_count++;
    sim_thread *thread =
        self->is_damaged ? NULL : thread_of(self, &dict->tracks[row->track], &stream);
    if (thread == NULL) {
        return TACHO_OK;
    }
    if (row->kind == TACHO_ROW_SPAN && (row->of.span.flags & TACHO_SPAN_UNENDED) != 0) {
        match_open(self, thread, row);
        return TACHO_OK;
    }
    const sim_event shown = show_row(dict, row);
    match(self, thread, stream, &shown);
    return TACHO_OK;
}

/* ---- reading --------------------------------------------------------------------------------- */

static tacho_status read_bytes(row_reader *self, tacho_str bytes)
{
    const tacho_source_options options = {.args = TACHO_ARGS_ALL};
    tacho_input input;
    TACHO_TRY(tacho_input_open_bytes("capture.tacho", bytes, &input));
    const tacho_reading reading = {.input = &input,
                                   .path = TACHO_STR("capture.tacho"),
                                   .options = &options,
                                   .events = &self->events};
    tacho_status status = tacho_source_tacho.read(&reading);
    tacho_input_close(&input);
    return status;
}

void sim_read(sim_rank *rank, tacho_str bytes, bool is_damaged, sim_reading *out_reading)
{
    static const tacho_events_vtable vtable = {.row = take_row};
    tacho_dict dict;
    memset(out_reading, 0, sizeof(*out_reading));
    tacho_status status = tacho_dict_init(&dict);
    row_reader self = {
        .events = {&vtable, &dict}, .rank = rank, .is_damaged = is_damaged, .reading = out_reading};
    if (status == TACHO_OK) {
        status = read_bytes(&self, bytes);
    }
    out_reading->is_read = status == TACHO_OK;
    for (size_t i = 0; i < dict.loss_count; i++) {
        out_reading->losses[dict.losses[i].reason] += dict.losses[i].count;
    }
    tacho_status_free(status);
    tacho_dict_deinit(&dict);
}

tacho_str sim_read_file(const char *path)
{
    FILE *file = fopen(path, "rb");
    if (file == NULL) {
        return tacho_str_make(NULL, 0);
    }
    fseek(file, 0, SEEK_END);
    long len = ftell(file);
    rewind(file);
    char *bytes = malloc((size_t)len + 1);
    size_t got = bytes != NULL ? fread(bytes, 1, (size_t)len, file) : 0;
    fclose(file);
    return tacho_str_make(bytes, got);
}
