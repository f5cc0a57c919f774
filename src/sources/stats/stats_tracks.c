/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Tracks and sites of raw stats, in tacho's words ("Core 0 HVX 2") and in the vendor's
 * ("QAicGraph_Core_0_HVX").
 */
#include "sources/stats/stats_emit.h"

#include <inttypes.h>
#include <stdio.h>

enum { NUMBER_ROOM = 24 };

static tacho_status put(stats_emitter *self, tacho_str piece)
{
    return tacho_text_put(&self->text, piece);
}

static tacho_status put_number(stats_emitter *self, const char *before, unsigned number)
{
    char text[NUMBER_ROOM];
    TACHO_TRY(put(self, tacho_str_from_cstring(before)));
    int len = snprintf(text, sizeof(text), "%u", number);
    return put(self, tacho_str_make(text, (size_t)len));
}

static tacho_status put_network(stats_emitter *self, uint32_t device)
{
    const tacho_program_facts *facts = &self->program->facts;
    TACHO_TRY(put(self, tacho_strings_get(&self->program->strings, facts->name)));
    if (facts->device_count <= 1) {
        return TACHO_OK;
    }
    char text[NUMBER_ROOM];
    int len = snprintf(text, sizeof(text), "_slice%02u", (unsigned)device);
    return put(self, tacho_str_make(text, (size_t)len));
}

/* ---- tracks -------------------------------------------------------------------------------- */

static tacho_status ensure_track(stats_emitter *self, const tacho_track *facts, tacho_str name,
                                 uint32_t *out_track)
{
    tacho_track track = *facts;
    track.part = self->part;
    track.clock = self->clock;
    track.lane_of = TACHO_NONE;
    return tacho_dict_ensure_track(self->dict, &track, name, out_track);
}

/* "program-0 [QAicGraph_slice01": the prefix of the vendor's processes. */
static tacho_status put_process(stats_emitter *self, uint32_t device)
{
    TACHO_TRY(put_number(self, "program-", self->file->head.program));
    if (self->file->head.activation > 0) {
        TACHO_TRY(put_number(self, " activation-", self->file->head.activation));
    }
    TACHO_TRY(put(self, TACHO_STR(" [")));
    return put_network(self, device);
}

/* Of a device's process; those of its cores follow. */
static uint32_t process_rank(const stats_emitter *self, uint32_t device)
{
    const tacho_program_facts *facts = &self->program->facts;
    return (self->file->head.activation * facts->device_count + device) * (facts->core_count + 1);
}

/* The group of tracks of a core: a process in a viewer. */
static tacho_status stats_core_group(stats_emitter *self, uint32_t device, uint32_t core,
                                     uint32_t *out_track)
{
    const tacho_program_facts *facts = &self->program->facts;
    uint32_t *group = &self->groups[(size_t)device * facts->core_count + core];
    *out_track = *group;
    if (*group != TACHO_NONE) {
        return TACHO_OK;
    }
    bool is_vendor = stats_view_of(self)->has_vendor_words;
    if (!is_vendor && facts->device_count <= 1) {
        *group = *out_track = self->dict->parts[self->part].root;
        return TACHO_OK;
    }
    uint32_t rank = device;
    if (is_vendor) {
        TACHO_TRY(put_process(self, device));
        TACHO_TRY(put_number(self, "_Core_", core));
        TACHO_TRY(put(self, TACHO_STR("]")));
        rank = process_rank(self, device) + 1 + core;
    } else {
        TACHO_TRY(put_number(self, "Device ", device));
    }
    tacho_track track = {.parent = self->dict->parts[self->part].root,
                         .index = rank,
                         .rank = (int32_t)(rank & INT32_MAX),
                         .track_class = TACHO_TRACK_GROUP};
    TACHO_TRY(ensure_track(self, &track, tacho_text_take(&self->text), group));
    *out_track = *group;
    return TACHO_OK;
}

tacho_status stats_device_track(stats_emitter *self, const char *suffix,
                                tacho_track_class track_class, uint32_t *out_track)
{
    uint32_t device = self->file->head.device;
    uint32_t rank = process_rank(self, device);
    tacho_track group = {.parent = self->dict->parts[self->part].root,
                         .index = rank,
                         .rank = (int32_t)(rank & INT32_MAX),
                         .track_class = TACHO_TRACK_GROUP};
    tacho_track track = {.index = device,
                         .rank = track_class == TACHO_TRACK_PHASE ? 0 : -1,
                         .track_class = track_class,
                         .nesting = TACHO_NESTING_STACK};
    TACHO_TRY(put_process(self, device));
    TACHO_TRY(put(self, TACHO_STR("]")));
    TACHO_TRY(ensure_track(self, &group, tacho_text_take(&self->text), &track.parent));
    TACHO_TRY(put_network(self, device));
    TACHO_TRY(put(self, tacho_str_from_cstring(suffix)));
    return ensure_track(self, &track, tacho_text_take(&self->text), out_track);
}

tacho_status stats_link_track(stats_emitter *self, uint32_t job, uint32_t *out_track)
{
    char name[64];
    unsigned port = tacho_stats_p2p_port(self->program->jobs[job].partner, false);
    snprintf(name, sizeof(name), "_P2P_Port_%u", port);
    return stats_device_track(self, name, TACHO_TRACK_PORT, out_track);
}

tacho_status stats_core_track(stats_emitter *self, uint32_t core, const char *suffix,
                              tacho_track_class track_class, uint32_t *out_track)
{
    uint32_t device = self->file->head.device;
    uint32_t group = TACHO_NONE;
    TACHO_TRY(stats_core_group(self, device, core, &group));
    if (stats_is_on_host(self->file)) {
        TACHO_TRY(put(self, TACHO_STR("Host")));
    } else if (stats_view_of(self)->has_vendor_words && track_class != TACHO_TRACK_COUNTER) {
        TACHO_TRY(put_network(self, device));
        TACHO_TRY(put_number(self, "_Core_", core));
        TACHO_TRY(put(self, tacho_str_from_cstring(suffix)));
    } else if (track_class == TACHO_TRACK_COUNTER) {
        TACHO_TRY(put(self, tacho_str_from_cstring(suffix)));
        TACHO_TRY(stats_view_of(self)->has_vendor_words ? TACHO_OK
                                                        : put_number(self, " of core ", core));
    } else {
        TACHO_TRY(put_number(self, "Core ", core));
        for (; *suffix != '\0'; suffix++) { /* "_Port_100" reads " Port 100" */
            TACHO_TRY(put(self, *suffix == '_' ? TACHO_STR(" ") : tacho_str_make(suffix, 1)));
        }
    }
    /* The one counter of a core is its frequency. */
    bool has_unit = track_class == TACHO_TRACK_COUNTER && !stats_view_of(self)->has_vendor_words;
    tacho_unit unit = has_unit ? TACHO_UNIT_MHZ : TACHO_UNIT_NONE;
    tacho_track track = {.parent = group,
                         .index = core,
                         .rank = tacho_track_rank(core, track_class, 0),
                         .unit = unit,
                         .track_class = track_class,
                         .nesting = TACHO_NESTING_STACK};
    return ensure_track(self, &track, tacho_text_take(&self->text), out_track);
}

static tacho_track_class class_of(const stats_emitter *self, uint32_t engine)
{
    tacho_str name =
        tacho_strings_get(&self->program->strings, self->program->engines[engine].class_name);
    for (uint32_t i = 0; i < TACHO_TRACK_CLASS_COUNT; i++) {
        const char *word = tacho_track_class_name((tacho_track_class)i);
        if (i != TACHO_TRACK_GROUP && i != TACHO_TRACK_COUNTER &&
            tacho_str_equal(name, tacho_str_from_cstring(word))) {
            return (tacho_track_class)i;
        }
    }
    return TACHO_TRACK_CONTROL;
}

static uint32_t group_size(const stats_emitter *self, uint32_t engine)
{
    const tacho_stats_layout *layout = self->set->words->layout;
    return layout->groups[layout->engine_group[engine]].engine_count;
}

/* "Core 0 HVX 2"; the number only where there are several. */
static tacho_status native_name(stats_emitter *self, uint32_t engine)
{
    const tacho_program_engine *of = &self->program->engines[engine];
    TACHO_TRY(put_number(self, "Core ", of->core));
    TACHO_TRY(put(self, TACHO_STR(" ")));
    TACHO_TRY(put(self, tacho_strings_get(&self->program->strings, of->name)));
    return group_size(self, engine) > 1 ? put_number(self, " ", of->index) : TACHO_OK;
}

/* "QAicGraph_Core_0_HVX", "QAicGraph_Core_0_HVX_t2", "QAicGraph_Core_0_DMAIssue_DMA". */
static tacho_status vendor_name(stats_emitter *self, uint32_t engine, stats_track_kind kind)
{
    const tacho_program_engine *of = &self->program->engines[engine];
    TACHO_TRY(put_network(self, of->device));
    TACHO_TRY(put_number(self, "_Core_", of->core));
    TACHO_TRY(put(self, TACHO_STR("_")));
    TACHO_TRY(put(self, tacho_stats_words_group(self->set->words, engine)));
    bool is_split = stats_view_of(self)->splits_groups || kind == STATS_TRACK_BARRIERS;
    if (is_split && group_size(self, engine) > 1) {
        TACHO_TRY(put_number(self, "_t", of->thread));
    }
    return put(self, kind == STATS_TRACK_TRANSFERS  ? TACHO_STR("_DMA")
                     : kind == STATS_TRACK_BARRIERS ? TACHO_STR("_Barrier")
                                                    : TACHO_STR(""));
}

/* Makes the track of the host's processor, which replaces the machine's engines. */
static tacho_status make_host_track(stats_emitter *self, const tacho_program_engine *of,
                                    uint32_t *out_track)
{
    tacho_track track = {.parent = TACHO_NONE,
                         .rank = -1,
                         .track_class = TACHO_TRACK_COMPUTE,
                         .nesting = TACHO_NESTING_ENGINE};
    TACHO_TRY(stats_core_group(self, of->device, of->core, &track.parent));
    TACHO_TRY(put(self, TACHO_STR(TACHO_STATS_COMPUTER)));
    return ensure_track(self, &track, tacho_text_take(&self->text), out_track);
}

static tacho_status make_engine_track(stats_emitter *self, uint32_t engine, stats_track_kind kind,
                                      uint32_t *out_track)
{
    const tacho_program_engine *of = &self->program->engines[engine];
    bool is_vendor = stats_view_of(self)->has_vendor_words;
    if (stats_is_on_host(self->file)) {
        return make_host_track(self, of, out_track);
    }
    tacho_track track = {.parent = TACHO_NONE,
                         .index = of->core * group_size(self, engine) + of->index,
                         .track_class = class_of(self, engine),
                         .nesting = TACHO_NESTING_ENGINE};
    track.rank = tacho_track_rank(of->core, track.track_class, of->index);
    TACHO_TRY(stats_core_group(self, of->device, of->core, &track.parent));
    if (is_vendor) {
        track.rank = (int32_t)((uint32_t)of->thread * STATS_TRACK_KIND_COUNT + (uint32_t)kind + 1);
        bool is_issue = self->set->words->is_issue[engine] && kind != STATS_TRACK_TRANSFERS;
        track.track_class = kind == STATS_TRACK_BARRIERS ? TACHO_TRACK_SYNC
                            : is_issue                   ? TACHO_TRACK_CONTROL
                                                         : track.track_class;
        TACHO_TRY(vendor_name(self, engine, kind));
    } else {
        TACHO_TRY(native_name(self, engine));
    }
    return ensure_track(self, &track, tacho_text_take(&self->text), out_track);
}

tacho_status stats_engine_track(stats_emitter *self, uint32_t engine, stats_track_kind kind,
                                uint32_t *out_track)
{
    uint32_t *track = &self->engine_tracks[(size_t)engine * STATS_TRACK_KIND_COUNT + kind];
    if (TACHO_UNLIKELY(*track == TACHO_NONE)) {
        TACHO_TRY(make_engine_track(self, engine, kind, track));
    }
    *out_track = *track;
    return TACHO_OK;
}

/* ---- sites --------------------------------------------------------------------------------- */

tacho_status stats_site(stats_emitter *self, tacho_str name, const char *category,
                        uint32_t location, uint32_t *out_site)
{
    tacho_site site = {.category = self->category, .location = location};
    TACHO_TRY(tacho_dict_ensure_string(self->dict, name, &site.name));
    if (!stats_view_of(self)->has_vendor_words) {
        TACHO_TRY(
            tacho_dict_ensure_string(self->dict, tacho_str_from_cstring(category), &site.category));
    }
    return tacho_dict_ensure_site(self->dict, &site, out_site);
}

tacho_status stats_wait_site(stats_emitter *self, uint32_t engine, bool is_barrier,
                             uint32_t *out_site)
{
    uint32_t *site = is_barrier ? &self->barrier_sites[engine] : &self->sync_sites[engine];
    if (*site == TACHO_NONE) {
        TACHO_TRY(put(self, is_barrier ? TACHO_STR("barrier ") : TACHO_STR("sync ")));
        TACHO_TRY(put(self, tacho_stats_words_group(self->set->words, engine)));
        TACHO_TRY(stats_site(self, tacho_text_take(&self->text), "sync", TACHO_NONE, site));
    }
    *out_site = *site;
    return TACHO_OK;
}

static tacho_status add_location(stats_emitter *self, uint32_t op, uint32_t *out_location)
{
    *out_location = TACHO_NONE;
    if (op == TACHO_NONE) {
        return TACHO_OK;
    }
    tacho_str text = tacho_strings_get(&self->program->strings, self->program->ops[op].location);
    tacho_location location = {0};
    if (text.len == 0) {
        return TACHO_OK;
    }
    TACHO_TRY(tacho_dict_ensure_string(self->dict, text, &location.text));
    return tacho_dict_ensure_location(self->dict, &location, out_location);
}

/* The verb for a queue's work: not always its purpose, as the writer of a mesh reads, too. */
static tacho_str verb_of(tacho_track_class track_class, uint32_t job_kind)
{
    bool is_queue = track_class == TACHO_TRACK_DMA_IN || track_class == TACHO_TRACK_DMA_OUT ||
                    track_class == TACHO_TRACK_DMA_LOCAL;
    return !is_queue                     ? TACHO_STR("")
           : job_kind == TACHO_JOB_STORE ? TACHO_STR("store ")
           : job_kind == TACHO_JOB_COPY  ? TACHO_STR("copy ")
                                         : TACHO_STR("load ");
}

/* The name of a span: its kind of work, or "load conv1" for a transfer in tacho's words. */
static tacho_status put_work(stats_emitter *self, tacho_track_class track_class, tacho_str kind,
                             const stats_facts *facts)
{
    tacho_str verb = verb_of(track_class, facts->job_kind);
    if (verb.len == 0 || facts->op == TACHO_NONE || stats_view_of(self)->has_vendor_words) {
        return put(self, kind);
    }
    TACHO_TRY(put(self, verb));
    return put(self,
               tacho_strings_get(&self->program->strings, self->program->ops[facts->op].name));
}

static tacho_status make_facts(stats_emitter *self, uint32_t engine, tacho_str kind,
                               stats_facts *facts)
{
    uint32_t location = TACHO_NONE;
    TACHO_TRY(add_location(self, facts->op, &location));
    TACHO_TRY(tacho_dict_ensure_string(self->dict, kind, &facts->kind));
    tacho_track_class class =
        stats_is_on_host(self->file) ? TACHO_TRACK_COMPUTE : class_of(self, engine);
    TACHO_TRY(put_work(self, class, kind, facts));
    if (stats_view_of(self)->names_inferences) {
        char text[NUMBER_ROOM];
        int len = snprintf(text, sizeof(text), "%" PRIu64, self->file->head.inference);
        TACHO_TRY(put(self, TACHO_STR("-Inf-")));
        TACHO_TRY(put(self, tacho_str_make(text, (size_t)len)));
    }
    return stats_site(self, tacho_text_take(&self->text), tacho_track_class_name(class), location,
                      &facts->site);
}

static stats_facts *facts_at(stats_emitter *self, uint32_t op, uint32_t kind_name)
{
    size_t row = op != TACHO_NONE ? op : self->program->op_count;
    return &self->facts[row * STATS_FACTS_OF_OP + kind_name % STATS_FACTS_OF_OP];
}

/* Facts of a device that records whole ops. */
static tacho_status op_facts(stats_emitter *self, uint32_t engine, uint32_t op,
                             const stats_facts **out_facts)
{
    stats_facts *facts = facts_at(self, op, 0);
    uint32_t class_name = self->program->engines[engine].class_name;
    *out_facts = facts;
    if (TACHO_LIKELY(facts->site != TACHO_NONE && facts->class_name == class_name)) {
        return TACHO_OK;
    }
    const tacho_program_op *of = &self->program->ops[op];
    tacho_str kind = tacho_strings_get(&self->program->strings, of->kind);
    tacho_str type = tacho_strings_get(&self->program->strings, of->type);
    bool is_on_host = stats_is_on_host(self->file); /* then kinds of the machine do not apply */
    kind = kind.len == 0 || (is_on_host && type.len > 0) ? type : kind;
    *facts = (stats_facts){
        .op = op, .job_kind = TACHO_JOB_COMPUTE, .class_name = class_name, .memory = TACHO_NONE};
    return make_facts(self, engine, kind, facts);
}

tacho_status stats_facts_of(stats_emitter *self, uint32_t engine, uint32_t oc,
                            const stats_facts **out_facts)
{
    if (TACHO_UNLIKELY(stats_is_by_op(self->file))) {
        return op_facts(self, engine, oc, out_facts);
    }
    const tacho_stats_layout *layout = self->set->words->layout;
    const tacho_stats_task *task =
        &layout->tasks[tacho_stats_words_task(self->set->words, engine, oc)];
    uint32_t class_name = self->program->engines[task->engine].class_name;
    stats_facts *facts = facts_at(self, task->op, task->kind_name);
    *out_facts = facts;
    if (TACHO_LIKELY(facts->site != TACHO_NONE && facts->kind_name == task->kind_name &&
                     facts->class_name == class_name)) {
        return TACHO_OK;
    }
    *facts = (stats_facts){.op = task->op,
                           .job_kind = task->kind,
                           .kind_name = task->kind_name,
                           .class_name = class_name};
    TACHO_TRY(
        tacho_dict_ensure_string(self->dict, tacho_stats_words_memory(task->kind), &facts->memory));
    return make_facts(self, task->engine, tacho_strings_get(&layout->names, task->kind_name),
                      facts);
}
