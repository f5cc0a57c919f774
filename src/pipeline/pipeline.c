/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Building the chain, and running it until its rows are in order.
 */
#include "pipeline/pipeline.h"

#include "profile/lanes.h"
#include "profile/spool.h"

/* What asked for memory: names and tracks stay, whatever becomes of the rows. */
static tacho_status note_memory(const tacho_dict *dict, tacho_status status)
{
    if (tacho_status_code(status) != TACHO_CODE_NO_MEMORY || dict->part_count == 0) {
        return status;
    }
    const tacho_part *part = &dict->parts[dict->part_count - 1];
    return tacho_status_add_note(status,
                                 "%.*s: %zu names and %zu tracks were known when memory ran out",
                                 TACHO_STR_ARG(tacho_dict_string(dict, part->path)),
                                 dict->strings.item_count, dict->track_count);
}

tacho_status tacho_pipeline_try(tacho_pipeline_attempt attempt, void *self, tacho_order_mode mode,
                                tacho_dict *dict)
{
    for (; mode < TACHO_ORDER_SORT_ALL; mode++) {
        tacho_status status = attempt(self, mode, dict);
        if (tacho_status_code(status) != TACHO_CODE_OUT_OF_ORDER) {
            return note_memory(dict, status);
        }
        tacho_status_free(status);
        tacho_dict_deinit(dict);
        TACHO_TRY(tacho_dict_init(dict));
    }
    return note_memory(dict, attempt(self, TACHO_ORDER_SORT_ALL, dict));
}

tacho_status tacho_pipeline_push(const tacho_producer *producer, tacho_order_mode mode,
                                 tacho_events *next)
{
    tacho_order *order = NULL;
    size_t memory_bytes =
        producer->memory_bytes > 0 ? producer->memory_bytes : TACHO_SPOOL_DEFAULT_BYTES;
    TACHO_TRY(tacho_order_create(next, mode, memory_bytes, &order));
    tacho_status status = producer->produce(producer->self, mode, tacho_order_events(order));
    tacho_order_destroy(order);
    return status;
}

tacho_status tacho_pipeline_push_selected(const tacho_producer *producer, tacho_order_mode mode,
                                          const tacho_selection *selection, tacho_events *next)
{
    tacho_select select;
    if (tacho_selection_is_all(selection)) {
        return tacho_pipeline_push(producer, mode, next);
    }
    tacho_select_init(&select, selection, next);
    tacho_status status = tacho_pipeline_push(producer, mode, &select.events);
    tacho_select_deinit(&select);
    return status;
}

/* ---- into memory --------------------------------------------------------------------------- */

typedef struct loading {
    const tacho_producer *producer;
    const tacho_selection *selection;
    tacho_profile *profile;
} loading;

static tacho_status load_attempt(void *self, tacho_order_mode mode, tacho_dict *dict)
{
    const loading *request = self;
    tacho_profile_deinit(request->profile); /* what an attempt that had to stop left there */
    tacho_profile_init(request->profile, dict);
    return tacho_pipeline_push_selected(request->producer, mode, request->selection,
                                        &request->profile->events);
}

tacho_status tacho_pipeline_load(const tacho_producer *producer, const tacho_selection *selection,
                                 tacho_dict *dict, tacho_profile *profile)
{
    loading request = {producer, selection, profile};
    return tacho_pipeline_try(load_attempt, &request, producer->first_mode, dict);
}

/* ---- into a trace -------------------------------------------------------------------------- */

static tacho_status push_staged(const tacho_tracing *tracing, tacho_order_mode mode,
                                tacho_events *next)
{
    const tacho_stage *stage = tracing->stage;
    tacho_events *first = stage != NULL ? stage->open(stage->self, next) : next;
    tacho_status status = tacho_pipeline_push(&tracing->producer, mode, first);
    if (stage != NULL) {
        stage->close(stage->self);
    }
    return status;
}

static tacho_status push_selected(const tacho_tracing *tracing, tacho_order_mode mode,
                                  tacho_events *next)
{
    tacho_select select;
    if (tacho_selection_is_all(&tracing->selection)) {
        return push_staged(tracing, mode, next);
    }
    tacho_select_init(&select, &tracing->selection, next);
    tacho_status status = push_staged(tracing, mode, &select.events);
    tacho_select_deinit(&select);
    return status;
}

static tacho_status push_in_lanes(const tacho_tracing *tracing, tacho_order_mode mode,
                                  tacho_events *sink)
{
    tacho_lanes *lanes = NULL;
    if (tracing->sink->takes_rows_as_given) {
        return push_selected(tracing, mode, sink);
    }
    TACHO_TRY(tacho_lanes_create(sink, &lanes));
    tacho_status status = push_selected(tracing, mode, tacho_lanes_events(lanes));
    tacho_lanes_destroy(lanes);
    return status;
}

static tacho_status write_trace(const tacho_tracing *tracing, tacho_order_mode mode,
                                tacho_dict *dict, tacho_output *output)
{
    tacho_trace_options options = tracing->options;
    tacho_events *events = NULL;
    options.names_may_change = mode == TACHO_ORDER_PASS;
    TACHO_TRY(tracing->sink->open(dict, output, &options, &events));
    tacho_status status = push_in_lanes(tracing, mode, events);
    tracing->sink->close(events);
    TACHO_TRY(status);
    return tracing->is_strict ? tacho_pipeline_refuse_losses(dict) : TACHO_OK;
}

static tacho_status open_output(const tacho_tracing *tracing, tacho_output *output)
{
    return tracing->is_path_chosen ? tacho_output_open_chosen(tracing->path, tracing->mark, output)
                                   : tacho_output_open(tracing->path, output);
}

static tacho_status write_attempt(void *self, tacho_order_mode mode, tacho_dict *dict)
{
    const tacho_tracing *tracing = self;
    tacho_output output;
    TACHO_TRY(open_output(tracing, &output));
    tacho_status status = write_trace(tracing, mode, dict, &output);
    if (status == TACHO_OK) {
        status = tacho_output_commit_to(&output, tracing->group);
    }
    tacho_output_close(&output);
    return status;
}

tacho_status tacho_pipeline_write(const tacho_tracing *tracing, tacho_dict *dict)
{
    tacho_tracing copy = *tracing;
    tacho_order_mode mode = tacho_output_is_replaceable(tracing->path)
                                ? tracing->producer.first_mode
                                : TACHO_ORDER_SORT_ALL;
    return tacho_pipeline_try(write_attempt, &copy, mode, dict);
}

tacho_status tacho_pipeline_write_to(const tacho_tracing *tracing, tacho_dict *dict,
                                     tacho_output *output)
{
    return write_trace(tracing, TACHO_ORDER_SORT_ALL, dict, output);
}

/* ---- losses -------------------------------------------------------------------------------- */

uint64_t tacho_pipeline_lost_count(const tacho_dict *dict)
{
    uint64_t lost = 0;
    for (size_t i = 0; i < dict->loss_count; i++) {
        lost += dict->losses[i].count;
    }
    return lost;
}

tacho_status tacho_pipeline_refuse_losses(const tacho_dict *dict)
{
    uint64_t lost = tacho_pipeline_lost_count(dict);
    return lost == 0 ? TACHO_OK
                     : tacho_fail_hint(TACHO_CODE_BAD_DATA, TACHO_HINT_STRICT,
                                       "%llu record%s could not be read", (unsigned long long)lost,
                                       lost == 1 ? "" : "s");
}
