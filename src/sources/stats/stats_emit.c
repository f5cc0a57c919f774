/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A part from stats files: cores and their inference, ports, frequency, ops, arrows, losses.
 */
#include "sources/stats/stats_emit.h"

#include "base/grow.h"
#include "profile/categories.h"

#include <stdio.h>
#include <stdlib.h>

enum { CORE_ARGS_MAX = 24 };

bool tacho_stats_choice_has(const tacho_stats_choice *choice, uint32_t number)
{
    bool has = choice->item_count == 0;
    for (size_t i = 0; i < choice->item_count && !has; i++) {
        has = choice->items[i] == number;
    }
    return has;
}

/* ---- the first tick ------------------------------------------------------------------------ */

static void take_first(int64_t *first, uint64_t tick)
{
    *first = tick < (uint64_t)*first ? (int64_t)tick : *first;
}

/*
 * Whether the thread's activation belongs to the picture of this inference: it led to it, and did
 * not happen many inferences ago. The first inference may have waited long for its inputs.
 */
static bool shows_activation(const tacho_stats_set *set, const tacho_stats_head *head,
                             const tacho_stats_thread *thread)
{
    return !set->view.hides_activation && thread->activate_end_u > thread->activate_start_u &&
           thread->activate_end_u <= thread->start_u && thread->start_u <= thread->end_u &&
           (head->inference == 0 ||
            thread->start_u - thread->activate_end_u <= (thread->end_u - thread->start_u) / 4);
}

static int64_t first_of_file(const tacho_stats_set *set, const tacho_stats_file *file,
                             int64_t first)
{
    for (size_t i = 0; i < file->array_count; i++) {
        const tacho_stats_array *array = &file->arrays[i];
        for (uint32_t j = 0; j < array->count; j++) {
            if (array->type == TACHO_STATS_TYPE_op) {
                const tacho_stats_op *op = &((const tacho_stats_op *)array->records)[j];
                take_first(&first, op->oc != TACHO_NONE ? op->op_start_u : UINT64_MAX);
            } else if (array->type == TACHO_STATS_TYPE_thread) {
                const tacho_stats_thread *thread = &((const tacho_stats_thread *)array->records)[j];
                take_first(&first, thread->start_u);
                bool shows = shows_activation(set, &file->head, thread);
                take_first(&first, shows ? thread->activate_start_u : thread->start_u);
            } else if (array->type == TACHO_STATS_TYPE_doorbell) {
                take_first(&first, ((const tacho_stats_doorbell *)array->records)[j].ring_u);
            } else {
                break;
            }
        }
    }
    return first;
}

static int64_t inference_start(const tacho_stats_file *file)
{
    int64_t start = INT64_MAX;
    for (size_t i = 0; i < file->array_count; i++) {
        const tacho_stats_array *array = &file->arrays[i];
        const tacho_stats_thread *threads = array->records;
        for (uint32_t j = 0; array->type == TACHO_STATS_TYPE_thread && j < array->count; j++) {
            take_first(&start, threads[j].start_u);
        }
    }
    return start;
}

/* The start of the wait at a port that is drawn; |start| is the inference's. */
static int64_t port_start(const tacho_stats_port *port, int64_t start)
{
    bool is_before = !port->is_p2p && port->wait_u <= (uint64_t)start;
    return is_before ? start - (int64_t)port->wait_u : start;
}

/* Waits at the host's ports precede the inference. */
static int64_t first_of_ports(const tacho_stats_file *file, int64_t first)
{
    int64_t start = inference_start(file);
    for (size_t i = 0; i < file->array_count && start < INT64_MAX / 2; i++) {
        const tacho_stats_array *array = &file->arrays[i];
        const tacho_stats_port *ports = array->records;
        for (uint32_t j = 0; array->type == TACHO_STATS_TYPE_port && j < array->count; j++) {
            take_first(&first, (uint64_t)port_start(&ports[j], start));
        }
    }
    return first;
}

int64_t tacho_stats_first_tick(const tacho_stats_set *set)
{
    int64_t first = INT64_MAX;
    for (size_t i = 0; i < set->file_count; i++) {
        first = first_of_file(set, &set->files[i], first);
        first = first_of_ports(&set->files[i], first);
    }
    return first == INT64_MAX ? 0 : first;
}

/* ---- cores --------------------------------------------------------------------------------- */

/* All threads of a core together. */
typedef struct core_times {
    bool is_there;
    int64_t start, end, flush_start;
    uint64_t start_p, end_p, flush_p;
    int64_t activate_start, activate_end;
} core_times;

static bool is_possible(const tacho_stats_thread *thread)
{
    return thread->start_u <= thread->end_u && thread->end_u <= INT64_MAX &&
           thread->start_p <= thread->end_p && thread->activate_start_u <= thread->activate_end_u &&
           thread->activate_end_u <= INT64_MAX && thread->flush_start_u <= thread->end_u;
}

static void add_thread(core_times *core, const stats_emitter *emitter,
                       const tacho_stats_thread *thread)
{
    if (!core->is_there) {
        *core = (core_times){.is_there = true,
                             .start = INT64_MAX,
                             .start_p = UINT64_MAX,
                             .activate_start = INT64_MAX};
    }
    take_first(&core->start, thread->start_u);
    core->end = tacho_most(core->end, (int64_t)thread->end_u);
    core->flush_start = tacho_most(core->flush_start, (int64_t)thread->flush_start_u);
    core->start_p = thread->start_p < core->start_p ? thread->start_p : core->start_p;
    core->end_p = thread->end_p > core->end_p ? thread->end_p : core->end_p;
    core->flush_p = thread->flush_p > core->flush_p ? thread->flush_p : core->flush_p;
    if (shows_activation(emitter->set, &emitter->file->head, thread)) {
        take_first(&core->activate_start, thread->activate_start_u);
        core->activate_end = tacho_most(core->activate_end, (int64_t)thread->activate_end_u);
    }
}

static tacho_status push_core_span(stats_emitter *self, uint32_t track, tacho_str name,
                                   int64_t start, int64_t end, const tacho_arg *args,
                                   size_t arg_count)
{
    tacho_row row = {.kind = TACHO_ROW_SPAN, .track = track, .start = start, .args = args};
    row.arg_count = arg_count;
    row.of.span.end = end;
    row.of.span.op = TACHO_NONE;
    row.of.span.run = self->run;
    bool is_whole = tacho_str_equal(name, TACHO_STR("inference"));
    const char *category = is_whole ? TACHO_CATEGORY_INFERENCE : "phase";
    TACHO_TRY(stats_site(self, name, category, TACHO_NONE, &row.of.span.site));
    return stats_push_span(self, &row);
}

static tacho_arg uint_arg(const stats_emitter *self, stats_key key, tacho_unit unit, uint64_t value)
{
    return (tacho_arg){
        .key = self->keys[key], .type = TACHO_ARG_UINT, .unit = unit, .value.as_uint = value};
}

/* Traffic and counters of a core over the inference. */
static size_t add_core_counts(const stats_emitter *self, uint32_t core, tacho_arg *args)
{
    size_t count = 0;
    const tacho_stats_core_pmu *counted = NULL;
    for (size_t i = 0; i < self->file->array_count; i++) {
        const tacho_stats_array *array = &self->file->arrays[i];
        const tacho_stats_ddr *ddr = array->records;
        const tacho_stats_core_pmu *pmu = array->records;
        for (uint32_t j = 0; array->type == TACHO_STATS_TYPE_ddr && j < array->count; j++) {
            if (ddr[j].core == core && count == 0) {
                args[count++] = uint_arg(self, STATS_KEY_READ, TACHO_UNIT_BYTES, ddr[j].read_bytes);
                args[count++] =
                    uint_arg(self, STATS_KEY_WRITTEN, TACHO_UNIT_BYTES, ddr[j].write_bytes);
            }
        }
        for (uint32_t j = 0; array->type == TACHO_STATS_TYPE_core_pmu && j < array->count; j++) {
            counted = pmu[j].core == core ? &pmu[j] : counted;
        }
    }
    for (uint32_t k = 0; counted != NULL && k < self->program->facts.stats.pmu_event_count; k++) {
        args[count++] = (tacho_arg){.key = self->pmu_keys[k],
                                    .type = TACHO_ARG_UINT,
                                    .unit = TACHO_UNIT_COUNT,
                                    .value.as_uint = counted->values[k]};
    }
    return count;
}

static tacho_status emit_frequency(stats_emitter *self, uint32_t core, const core_times *times)
{
    uint64_t ticks = (uint64_t)(times->end - times->start);
    if (ticks == 0 || times->end > self->max_ticks || stats_is_on_host(self->file)) {
        return TACHO_OK;
    }
    tacho_row row = {.kind = TACHO_ROW_SAMPLE, .start = times->start};
    row.of.sample.value = (double)(times->end_p - times->start_p) *
                          (double)self->file->head.timer_hz / (double)ticks / 1e6;
    bool is_vendor = stats_view_of(self)->has_vendor_words;
    TACHO_TRY(
        stats_core_track(self, core, is_vendor ? "Freq" : "MHz", TACHO_TRACK_COUNTER, &row.track));
    TACHO_TRY(tacho_events_row(self->events, &row));
    row.start = times->end;
    return tacho_events_row(self->events, &row);
}

static bool has_flush(const core_times *times)
{
    return times->flush_start >= times->start && times->end > times->flush_start;
}

/* Cycles without those of the flush; where those are unknown, estimated by its ticks. */
static uint64_t work_cycles(const core_times *times)
{
    uint64_t cycles = times->end_p - times->start_p;
    if (times->flush_p > 0) {
        return cycles - (times->flush_p < cycles ? times->flush_p : cycles);
    }
    return (uint64_t)((tacho_u128)cycles * (uint64_t)(times->flush_start - times->start) /
                      (uint64_t)(times->end - times->start));
}

static tacho_status emit_core(stats_emitter *self, uint32_t core, const core_times *times)
{
    bool is_vendor = stats_view_of(self)->has_vendor_words;
    uint32_t track = TACHO_NONE;
    char name[64];
    TACHO_TRY(stats_core_track(self, core, "", TACHO_TRACK_PHASE, &track));
    if (times->activate_end > 0) {
        int len = snprintf(name, sizeof(name), is_vendor ? "Core-%u-Activation" : "activation",
                           (unsigned)core);
        TACHO_TRY(push_core_span(self, track, tacho_str_make(name, (size_t)len),
                                 times->activate_start, times->activate_end, NULL, 0));
    }
    tacho_arg args[CORE_ARGS_MAX];
    size_t count = 0;
    /* The vendor's execution includes the flush; tacho's inference precedes it. */
    bool is_apart = !is_vendor && has_flush(times);
    if (!stats_is_on_host(self->file)) {
        args[count++] = uint_arg(self, STATS_KEY_PCYCLES, TACHO_UNIT_CYCLES,
                                 is_apart ? work_cycles(times) : times->end_p - times->start_p);
    }
    args[count++] =
        uint_arg(self, STATS_KEY_INFERENCE, TACHO_UNIT_NONE, self->file->head.inference);
    args[count++] = uint_arg(self, STATS_KEY_BATCH, TACHO_UNIT_COUNT, self->file->head.batch_size);
    count += add_core_counts(self, core, args + count);
    int len =
        snprintf(name, sizeof(name), is_vendor ? "Core-%u-Execution" : "inference", (unsigned)core);
    TACHO_TRY(push_core_span(self, track, tacho_str_make(name, (size_t)len), times->start,
                             is_apart ? times->flush_start : times->end, args, count));
    if (has_flush(times)) {
        tacho_str flush = is_vendor ? TACHO_STR(TACHO_STATS_FLUSH_KIND) : TACHO_STR("stats flush");
        TACHO_TRY(push_core_span(self, track, flush, times->flush_start, times->end, NULL, 0));
    }
    return emit_frequency(self, core, times);
}

/* All cores of the device together; vendor's words. */
static tacho_status emit_device(stats_emitter *self, const core_times *cores)
{
    unsigned device = self->file->head.device;
    int64_t start = INT64_MAX;
    int64_t end = 0;
    for (uint32_t i = 0; i < self->file->head.core_count; i++) {
        start = cores[i].is_there && cores[i].start < start ? cores[i].start : start;
        end = cores[i].is_there ? tacho_most(end, cores[i].end) : end;
    }
    if (start > end || !stats_view_of(self)->has_vendor_words) {
        return TACHO_OK;
    }
    char name[64];
    uint32_t track = TACHO_NONE;
    snprintf(name, sizeof(name), "_Device_%u", device);
    TACHO_TRY(stats_device_track(self, name, TACHO_TRACK_PHASE, &track));
    tacho_arg args[] = {
        uint_arg(self, STATS_KEY_UCYCLES, TACHO_UNIT_NONE, (uint64_t)(end - start)),
        uint_arg(self, STATS_KEY_INFERENCE, TACHO_UNIT_NONE, self->file->head.inference),
        uint_arg(self, STATS_KEY_BATCH, TACHO_UNIT_COUNT, self->file->head.batch_size),
    };
    int len = snprintf(name, sizeof(name), "Device_%u_Execution", device);
    return push_core_span(self, track, tacho_str_make(name, (size_t)len), start, end, args,
                          sizeof(args) / sizeof(args[0]));
}

static tacho_status emit_cores(stats_emitter *self)
{
    core_times *cores = NULL;
    TACHO_TRY(tacho_items_make(&cores, (size_t)self->file->head.core_count));
    for (size_t i = 0; i < self->file->array_count; i++) {
        const tacho_stats_array *array = &self->file->arrays[i];
        const tacho_stats_thread *threads = array->records;
        for (uint32_t j = 0; array->type == TACHO_STATS_TYPE_thread && j < array->count; j++) {
            if (is_possible(&threads[j])) {
                add_thread(&cores[threads[j].core], self, &threads[j]);
            } else {
                self->overflow_count++;
            }
        }
    }
    tacho_status status = emit_device(self, cores);
    for (uint32_t core = 0; core < self->file->head.core_count && status == TACHO_OK; core++) {
        if (cores[core].is_there && stats_shows_core(self, core)) {
            status = emit_core(self, core, &cores[core]);
        }
    }
    free(cores);
    return status;
}

/* ---- ports --------------------------------------------------------------------------------- */

static tacho_status emit_doorbell(stats_emitter *self, const tacho_stats_doorbell *bell)
{
    char name[64];
    tacho_row row = {.kind = TACHO_ROW_SPAN, .start = (int64_t)(bell->ring_u & INT64_MAX)};
    tacho_arg args[] = {
        {.key = self->keys[STATS_KEY_TRANSACTION],
         .type = TACHO_ARG_UINT,
         .value.as_uint = bell->transaction},
        {.key = self->keys[STATS_KEY_PORT_TYPE],
         .type = TACHO_ARG_TEXT,
         .value.as_text =
             bell->port >= TACHO_PORT_P2P ? TACHO_STR("P2P") : TACHO_STR("Host_IO_Port")},
        uint_arg(self, STATS_KEY_CORE, TACHO_UNIT_NONE, bell->core),
    };
    if (bell->port >= TACHO_PORT_P2P && stats_view_of(self)->has_vendor_words) {
        snprintf(name, sizeof(name), "_P2P_Port_%u", (unsigned)bell->port);
        TACHO_TRY(stats_device_track(self, name, TACHO_TRACK_PORT, &row.track));
    } else {
        snprintf(name, sizeof(name), "_Port_%u", (unsigned)bell->port);
        TACHO_TRY(stats_core_track(self, bell->core, name, TACHO_TRACK_PORT, &row.track));
    }
    TACHO_TRY(stats_site(self, TACHO_STR("doorbell"), "port", TACHO_NONE, &row.of.span.site));
    row.of.span.end = row.start;
    row.of.span.op = TACHO_NONE;
    row.of.span.run = self->run;
    row.of.span.flags = TACHO_SPAN_INSTANT;
    row.args = args;
    row.arg_count = sizeof(args) / sizeof(args[0]);
    return stats_push_span(self, &row);
}

/*
 * Threads wait for the host before the inference starts. Waits at other ports are totals without a
 * place in time: they are drawn from the inference's start, over the work that goes on meanwhile,
 * and do not count as work themselves.
 */
static tacho_status emit_port(stats_emitter *self, const tacho_stats_port *port, int64_t start)
{
    char name[64];
    char peers[64];
    uint32_t track = TACHO_NONE;
    if (port->wait_u > INT64_MAX / 2 || port->longest_u > INT64_MAX / 2) {
        self->overflow_count++;
        return TACHO_OK;
    }
    start = port_start(port, start);
    bool is_vendor = stats_view_of(self)->has_vendor_words;
    if (port->is_p2p && is_vendor) {
        snprintf(name, sizeof(name), "_P2P_Port_%u", (unsigned)port->port);
        TACHO_TRY(stats_device_track(self, name, TACHO_TRACK_PORT, &track));
    } else {
        snprintf(name, sizeof(name), "_t%u_Port_%u", (unsigned)port->thread, (unsigned)port->port);
        TACHO_TRY(stats_core_track(self, port->core, name,
                                   is_vendor ? TACHO_TRACK_PORT : TACHO_TRACK_PHASE, &track));
    }
    int len = snprintf(peers, sizeof(peers), "%u%s%u", (unsigned)self->file->head.device,
                       port->is_output ? "->" : "<-", (unsigned)port->peer);
    tacho_arg args[] = {
        uint_arg(self, STATS_KEY_CORE, TACHO_UNIT_NONE, port->core),
        uint_arg(self, STATS_KEY_THREAD, TACHO_UNIT_NONE, port->thread),
        uint_arg(self, STATS_KEY_WAITS, TACHO_UNIT_COUNT, port->wait_count),
        uint_arg(self, STATS_KEY_UCYCLES, TACHO_UNIT_NONE, port->wait_u),
        {.key = self->keys[STATS_KEY_PORT_TYPE],
         .type = TACHO_ARG_TEXT,
         .value.as_text = port->is_p2p ? TACHO_STR("P2P") : TACHO_STR("Host_IO_Port")},
        {.key = self->keys[STATS_KEY_PORT_PEERS],
         .type = TACHO_ARG_TEXT,
         .value.as_text = tacho_str_make(peers, (size_t)len)},
    };
    return push_core_span(self, track,
                          port->is_output ? TACHO_STR("output wait") : TACHO_STR("input wait"),
                          start, start + (int64_t)port->wait_u, args, port->is_p2p ? 6 : 5);
}

static tacho_status emit_ports(stats_emitter *self)
{
    int64_t start = inference_start(self->file);
    for (size_t i = 0; i < self->file->array_count; i++) {
        const tacho_stats_array *array = &self->file->arrays[i];
        const tacho_stats_port *ports = array->records;
        const tacho_stats_doorbell *bells = array->records;
        for (uint32_t j = 0; array->type == TACHO_STATS_TYPE_port && j < array->count; j++) {
            if (stats_shows_core(self, ports[j].core) && ports[j].wait_u > 0 &&
                start < INT64_MAX / 2) {
                TACHO_TRY(emit_port(self, &ports[j], start));
            }
        }
        for (uint32_t j = 0; array->type == TACHO_STATS_TYPE_doorbell && j < array->count; j++) {
            if (stats_shows_core(self, bells[j].core)) {
                TACHO_TRY(emit_doorbell(self, &bells[j]));
            }
        }
    }
    return TACHO_OK;
}

/* ---- losses -------------------------------------------------------------------------------- */

static tacho_status lose(stats_emitter *self, tacho_loss_reason reason, uint64_t count)
{
    tacho_loss loss = {.part = self->part, .reason = reason, .count = count};
    return count > 0 ? tacho_dict_add_loss(self->dict, &loss) : TACHO_OK;
}

static tacho_status add_losses(stats_emitter *self)
{
    const tacho_stats_damage *damage = &self->file->damage;
    uint64_t cut = damage->missing_chunks;
    cut += cut == 0 && (damage->is_cut || damage->damaged_bytes > 0) ? 1 : 0;
    TACHO_TRY(lose(self, TACHO_LOSS_CUT_INPUT, cut));
    TACHO_TRY(lose(self, TACHO_LOSS_UNKNOWN_STATE, damage->bad_records));
    for (size_t i = 0; i < self->file->array_count; i++) {
        const tacho_stats_array *array = &self->file->arrays[i];
        const tacho_stats_drop *drops = array->records;
        for (uint32_t j = 0; array->type == TACHO_STATS_TYPE_drop && j < array->count; j++) {
            TACHO_TRY(lose(self, TACHO_LOSS_DROPPED, drops[j].dropped));
        }
    }
    return TACHO_OK;
}

/* ---- the part ------------------------------------------------------------------------------ */

static tacho_status ensure_key(stats_emitter *self, const char *name, uint32_t *out_key)
{
    return tacho_dict_ensure_string(self->dict, tacho_str_from_cstring(name), out_key);
}

static tacho_status make_keys(stats_emitter *self)
{
    static const char *const names[][2] = {
#define STATS_KEY_ROW(name, native, vendor) {native, vendor},
        STATS_KEYS(STATS_KEY_ROW)
#undef STATS_KEY_ROW
    };
    bool is_vendor = stats_view_of(self)->has_vendor_words;
    char text[32];
    for (size_t i = 0; i < STATS_KEY_COUNT; i++) {
        TACHO_TRY(ensure_key(self, names[i][is_vendor ? 1 : 0], &self->keys[i]));
    }
    for (unsigned i = 0; is_vendor && i < STATS_OPERANDS_MAX; i++) {
        snprintf(text, sizeof(text), "opOperand%u", i);
        TACHO_TRY(ensure_key(self, text, &self->operand_keys[i]));
    }
    const tacho_stats_config *stats = &self->program->facts.stats;
    for (uint32_t i = 0; i < stats->pmu_event_count; i++) {
        snprintf(text, sizeof(text), is_vendor ? "PMU_0x%X" : "pmu_%x",
                 (unsigned)stats->pmu_events[i]);
        TACHO_TRY(ensure_key(self, text, &self->pmu_keys[i]));
    }
    return ensure_key(self, "aic", &self->category);
}

static uint32_t *allocate_ids(size_t count)
{
    uint32_t *ids = malloc((count + 1) * sizeof(*ids));
    for (size_t i = 0; ids != NULL && i < count + 1; i++) {
        ids[i] = TACHO_NONE;
    }
    return ids;
}

static tacho_status allocate(stats_emitter *self)
{
    const tacho_program *program = self->program;
    size_t facts_count = (program->op_count + 1) * STATS_FACTS_OF_OP;
    self->groups = allocate_ids((size_t)program->facts.device_count * program->facts.core_count);
    self->engine_tracks = allocate_ids(program->engine_count * STATS_TRACK_KIND_COUNT);
    self->sync_sites = allocate_ids(program->engine_count);
    self->barrier_sites = allocate_ids(program->engine_count);
    self->first_op = allocate_ids(program->engine_count);
    self->first_pmu = allocate_ids(program->engine_count);
    self->facts = tacho_items_alloc(facts_count, sizeof(*self->facts));
    self->ops = tacho_items_alloc(program->op_count, sizeof(*self->ops));
    if (self->groups == NULL || self->engine_tracks == NULL || self->sync_sites == NULL ||
        self->barrier_sites == NULL || self->first_op == NULL || self->first_pmu == NULL ||
        self->facts == NULL || self->ops == NULL) {
        return tacho_no_memory();
    }
    for (size_t i = 0; i < facts_count; i++) {
        self->facts[i].site = TACHO_NONE;
    }
    return TACHO_OK;
}

static void free_emitter(stats_emitter *self)
{
    free(self->groups);
    free(self->engine_tracks);
    free(self->sync_sites);
    free(self->barrier_sites);
    free(self->first_op);
    free(self->first_pmu);
    free(self->next_array);
    free(self->facts);
    free(self->ops);
    tacho_text_deinit(&self->text);
}

static uint32_t covered_classes(const tacho_program *program)
{
    uint32_t covered = 0;
    for (size_t i = 0; i < program->engine_count; i++) {
        tacho_str name = tacho_strings_get(&program->strings, program->engines[i].class_name);
        for (uint32_t c = 0; c < TACHO_TRACK_CLASS_COUNT; c++) {
            const char *word = tacho_track_class_name((tacho_track_class)c);
            covered |= tacho_str_equal(name, tacho_str_from_cstring(word)) ? TACHO_TRACK_BIT(c) : 0;
        }
    }
    return covered;
}

/* Adds metadata |key|, unless another part has added it. */
static tacho_status say_once(const stats_emitter *self, const char *key, tacho_str text)
{
    tacho_dict *dict = self->dict;
    for (size_t i = 0; i < dict->metadata_count; i++) {
        if (tacho_str_equal(tacho_dict_string(dict, dict->metadata[i].key),
                            tacho_str_from_cstring(key))) {
            return TACHO_OK;
        }
    }
    return tacho_dict_add_metadata(dict, key, text);
}

/* Lists the data that level 70 of another device would have. */
static tacho_status say_host(const stats_emitter *self)
{
    return say_once(self, "stats.not_recorded",
                    TACHO_STR("cycles, engines, transfers, waits: operators ran as a whole on the "
                              "host's processor"));
}

/* Adds the program's values that are not the model's, once. */
static tacho_status say_stand_ins(const stats_emitter *self)
{
    char text[TACHO_PROGRAM_STAND_INS_MAX];
    return tacho_program_print_stand_ins(self->program, text)
               ? say_once(self, "made_up_weights", tacho_str_from_cstring(text))
               : TACHO_OK;
}

static tacho_status open_part(stats_emitter *self)
{
    const tacho_stats_set *set = self->set;
    const tacho_stats_head *head = &set->files[0].head;
    bool is_simulated = (head->features & TACHO_STATS_SIMULATED) != 0;
    bool is_on_host = stats_is_on_host(&set->files[0]);
    uint32_t covered =
        is_on_host ? TACHO_TRACK_BIT(TACHO_TRACK_COMPUTE) : covered_classes(self->program);
    if (stats_view_of(self)->has_vendor_words &&
        (covered & TACHO_TRACK_BIT(TACHO_TRACK_DMA_IN)) != 0) {
        covered &= ~TACHO_TRACK_BIT(TACHO_TRACK_DMA_OUT); /* both may share one track */
    }
    char level[32];
    snprintf(level, sizeof(level), "level %u%s", (unsigned)head->level,
             is_on_host ? " on the host" : "");
    tacho_clock clock;
    tacho_clock_init(&clock, 1000000000, head->timer_hz);
    clock.has_fixed_zero = set->has_zero;
    clock.zero_ticks = set->zero_ticks;
    TACHO_TRY(tacho_dict_add_clock(self->dict, &clock, TACHO_STR("timer"), &self->clock));
    tacho_part_facts facts = {
        .path = set->path,
        .name = set->name,
        .format = tacho_str_from_cstring(tacho_source_stats.name),
        .generation = tacho_str_from_cstring(level),
        .origin = is_simulated ? TACHO_ORIGIN_SIMULATED : TACHO_ORIGIN_MEASURED,
        .clock = self->clock,
        .covered_classes = head->level >= TACHO_STATS_LEVEL_OPS ? covered : 0,
        .keeps_order = true,
    };
    TACHO_TRY(tacho_dict_add_part(self->dict, &facts, &self->part));
    TACHO_TRY(is_on_host ? say_host(self) : TACHO_OK);
    TACHO_TRY(say_stand_ins(self));
    self->dict->parts[self->part].first_start = tacho_stats_first_tick(set);
    return TACHO_OK;
}

/* Finds the part for the rows, and their run. */
static tacho_status find_part(stats_emitter *self)
{
    const tacho_stats_head *head = &self->set->files[0].head;
    uint32_t *shared = self->set->shared_part;
    if (shared != NULL && *shared != TACHO_NONE) {
        self->part = *shared;
        self->clock = self->dict->parts[self->part].clock;
    } else {
        TACHO_TRY(open_part(self));
    }
    if (shared != NULL) {
        *shared = self->part;
    }
    self->max_ticks = self->dict->clocks[self->clock].max_ticks;
    self->timer_mhz = (double)head->timer_hz / 1e6;
    tacho_run run = {.part = self->part,
                     .invocation = head->inference <= INT64_MAX ? (int64_t)head->inference : -1};
    TACHO_TRY(tacho_dict_ensure_string(
        self->dict, tacho_strings_get(&self->program->strings, self->program->facts.name),
        &run.name));
    return tacho_dict_add_run(self->dict, &run, &self->run);
}

tacho_status stats_open_file(stats_emitter *self, const tacho_stats_file *file)
{
    self->file = file;
    TACHO_TRY(tacho_grow(&self->next_array, &self->next_capacity, file->array_count + 1));
    for (size_t i = 0; i < self->program->engine_count; i++) {
        self->first_op[i] = self->first_pmu[i] = TACHO_NONE;
    }
    for (size_t i = file->array_count; i-- > 0;) {
        const tacho_stats_array *array = &file->arrays[i];
        bool is_op = array->type == TACHO_STATS_TYPE_op;
        if (is_op || array->type == TACHO_STATS_TYPE_op_pmu) {
            uint32_t *first = is_op ? self->first_op : self->first_pmu;
            self->next_array[i] = first[array->stream];
            first[array->stream] = (uint32_t)i;
        }
    }
    return TACHO_OK;
}

static tacho_status emit_file(stats_emitter *self, const tacho_stats_file *file)
{
    TACHO_TRY(stats_open_file(self, file));
    TACHO_TRY(add_losses(self));
    if (!tacho_stats_choice_has(&stats_view_of(self)->devices, file->head.device)) {
        return TACHO_OK;
    }
    TACHO_TRY(emit_cores(self));
    TACHO_TRY(emit_ports(self));
    return stats_emit_ops(self);
}

static tacho_status emit_all(stats_emitter *self)
{
    TACHO_TRY(allocate(self));
    self->file = &self->set->files[0];
    TACHO_TRY(find_part(self));
    TACHO_TRY(make_keys(self));
    for (size_t i = 0; i < self->set->file_count; i++) {
        TACHO_TRY(emit_file(self, &self->set->files[i]));
    }
    if (stats_view_of(self)->shows_flows) {
        TACHO_TRY(stats_emit_flows(self));
    }
    TACHO_TRY(lose(self, TACHO_LOSS_TIME_OVERFLOW, self->overflow_count));
    return self->set->shared_part == NULL ? tacho_events_end_part(self->events, self->part)
                                          : TACHO_OK;
}

tacho_status tacho_stats_emit(const tacho_stats_set *set, tacho_events *events)
{
    stats_emitter self = {
        .set = set, .program = set->words->layout->program, .events = events, .dict = events->dict};
    tacho_status status = emit_all(&self);
    free_emitter(&self);
    return status;
}
