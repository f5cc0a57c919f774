/* SPDX-License-Identifier: Apache-2.0 */
/*
 * From bytes to blocks to events, and who takes which.
 */
#include "capture/tracy_state.h"

#include "base/grow.h"
#include "base/whole.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { ANSWER_BYTES = 1, SIZE_BYTES = 4, LAYOUT_UPSTREAM = 1, LAYOUT_FORK = 2 };

static const double time_end = 4e18; /* ns: no time is later */

/* ---- set up -------------------------------------------------------------------------------- */

static bool choose_layout(tacho_tracy_session *session, const tacho_tracy_session_facts *facts)
{
    bool is_ambiguous = tacho_tracy_is_ambiguous(facts->protocol);
    session->is_undecided = is_ambiguous && facts->layout == 0;
    if (!is_ambiguous) {
        return tacho_tracy_protocol_init(&session->protocol, facts->protocol, false) ||
               tacho_tracy_protocol_init(&session->protocol, facts->protocol, true);
    }
    bool is_fork = facts->layout == LAYOUT_FORK;
    return tacho_tracy_protocol_init(&session->protocol, facts->protocol, is_fork) &&
           tacho_tracy_protocol_init(&session->other, facts->protocol, !is_fork);
}

tacho_status tacho_tracy_session_init(tacho_tracy_session *session,
                                      const tacho_tracy_session_facts *facts)
{
    *session = (tacho_tracy_session){.clock = facts->clock, .current = TACHO_NONE};
    if (!choose_layout(session, facts)) {
        return tacho_fail(TACHO_CODE_USAGE, "Tracy protocol %u is not spoken", facts->protocol);
    }
    TACHO_TRY(tacho_tracy_rows_init(&session->rows, facts->events, facts->part, facts->group));
    TACHO_TRY(tacho_tracy_names_init(&session->names, &session->rows));
    TACHO_TRY(tacho_lz4_chain_init(&session->chain, TACHO_TRACY_BLOCK_MAX));
    TACHO_TRY(tacho_tracy_things_make(session));
    return tacho_tracy_devices_make(session);
}

void tacho_tracy_session_deinit(tacho_tracy_session *session)
{
    tacho_tracy_free_threads(session);
    tacho_tracy_things_free(session);
    tacho_tracy_devices_free(session);
    tacho_tracy_names_deinit(&session->names);
    tacho_tracy_rows_deinit(&session->rows);
    tacho_lz4_chain_deinit(&session->chain);
    tacho_status_free(session->failure);
    free(session->in);
    free(session->kept);
    *session = (tacho_tracy_session){.phase = TACHO_TRACY_PHASE_OVER};
}

void tacho_tracy_session_hello(const tacho_tracy_session *session,
                               unsigned char hello[TACHO_TRACY_HELLO_BYTES])
{
    memcpy(hello, "TracyPrf", 8);
    for (unsigned i = 0; i < 4; i++) {
        hello[8 + i] = (unsigned char)(session->protocol.number >> (8 * i));
    }
}

/* ---- shared by events ---------------------------------------------------------------------- */

bool tacho_tracy_time(tacho_tracy_session *session, int64_t ticks, int64_t *out_ns)
{
    const tacho_tracy_clock *clock = session->clock;
    int64_t behind = 0;
    bool is_good = !__builtin_sub_overflow(ticks, clock->base_ticks, &behind);
    double ns = (double)behind * clock->ns_per_tick;
    is_good = is_good && fabs(ns) < time_end &&
              !__builtin_add_overflow(tacho_whole_i64(ns), clock->base_ns, out_ns);
    if (!is_good) {
        session->counts.bad_times++;
        *out_ns = session->last_ns;
    } else if (*out_ns > session->last_ns) {
        session->last_ns = *out_ns;
    }
    return is_good;
}

bool tacho_tracy_step(tacho_tracy_session *session, int64_t *running, int64_t delta,
                      int64_t *out_ns)
{
    *running = (int64_t)((uint64_t)*running + (uint64_t)delta);
    return tacho_tracy_time(session, *running, out_ns);
}

tacho_str tacho_tracy_take_single(tacho_tracy_session *session)
{
    tacho_str text = session->has_single ? session->single : TACHO_STR("");
    session->has_single = false;
    return text;
}

/* ---- events -------------------------------------------------------------------------------- */

/* Metadata of this process: "tracy.PID.word". */
static tacho_status note(tacho_tracy_session *session, const char *word, tacho_str value)
{
    char key[96];
    snprintf(key, sizeof(key), "tracy.%llu.%s", (unsigned long long)session->welcome.pid, word);
    return tacho_dict_add_metadata(session->rows.events->dict, key, value);
}

/* A text that belongs to the next event, or to a question. */
static tacho_status take_text_event(tacho_tracy_session *session, const tacho_tracy_item *item,
                                    bool *out_is_taken)
{
    *out_is_taken = true;
    switch ((int)item->event) {
    case TACHO_TRACY_SINGLE_STRING_DATA:
    case TACHO_TRACY_SINGLE_STRING_DATA_8:
        session->single = item->text;
        session->has_single = true;
        return TACHO_OK;
    case TACHO_TRACY_SOURCE_LOCATION_PAYLOAD:
        session->payload = item->text;
        session->has_payload = true;
        return TACHO_OK;
    case TACHO_TRACY_MEM_NAME_PAYLOAD:
        session->pool = tacho_tracy_u64(item->data);
        session->has_pool = true;
        return TACHO_OK;
    case TACHO_TRACY_STRING_DATA:
        session->names.reply_count++;
        return tacho_tracy_names_answer_text(&session->names, tacho_tracy_u64(item->data),
                                             item->text);
    case TACHO_TRACY_SOURCE_LOCATION:
        session->names.reply_count++;
        return tacho_tracy_names_answer_place(&session->names, item->data);
    default:
        *out_is_taken = false;
        return TACHO_OK;
    }
}

/* Skips events that are not supported, and counts them by kind. */
static tacho_status skip(tacho_tracy_session *session, const tacho_tracy_item *item)
{
    tacho_tracy_counts *counts = &session->counts;
    switch ((int)item->event) {
    case TACHO_TRACY_CALLSTACK_PAYLOAD:
    case TACHO_TRACY_CALLSTACK_ALLOC_PAYLOAD:
        counts->call_stacks++;
        break;
    case TACHO_TRACY_CONTEXT_SWITCH:
    case TACHO_TRACY_THREAD_WAKEUP:
        counts->switches++;
        break;
    case TACHO_TRACY_CALLSTACK_SAMPLE:
    case TACHO_TRACY_CALLSTACK_SAMPLE_32:
    case TACHO_TRACY_CALLSTACK_SAMPLE_16:
    case TACHO_TRACY_HW_SAMPLE_CPU_CYCLE:
    case TACHO_TRACY_HW_SAMPLE_INSTRUCTION_RETIRED:
    case TACHO_TRACY_HW_SAMPLE_CACHE_REFERENCE:
    case TACHO_TRACY_HW_SAMPLE_CACHE_MISS:
    case TACHO_TRACY_HW_SAMPLE_BRANCH_RETIRED:
    case TACHO_TRACY_HW_SAMPLE_BRANCH_MISS:
        counts->samples_skipped++;
        break;
    case TACHO_TRACY_FRAME_IMAGE:
    case TACHO_TRACY_SYS_POWER_REPORT:
        counts->other_skipped++;
        break;
    case TACHO_TRACY_MESSAGE_APP_INFO:
        return note(session, "app_info", tacho_tracy_take_single(session));
    case TACHO_TRACY_TERMINATE:
        session->has_terminated = true;
        break;
    case TACHO_TRACY_CRASH:
        session->has_crashed = true;
        return note(session, "crashed", TACHO_STR("true"));
    case TACHO_TRACY_SYMBOL_INFORMATION:
    case TACHO_TRACY_CALLSTACK_FRAME:
    case TACHO_TRACY_CALLSTACK_FRAME_SIZE:
        session->has_single = false; /* their string goes with them */
        break;
    default:
        break;
    }
    return TACHO_OK;
}

static tacho_status take_event(tacho_tracy_session *session, const tacho_tracy_item *item)
{
    bool is_taken = false;
    TACHO_TRY(tacho_tracy_zone_event(session, item, &is_taken));
    if (!is_taken) {
        TACHO_TRY(take_text_event(session, item, &is_taken));
    }
    if (!is_taken) {
        TACHO_TRY(tacho_tracy_thing_event(session, item, &is_taken));
    }
    if (!is_taken) {
        TACHO_TRY(tacho_tracy_device_event(session, item, &is_taken));
    }
    return is_taken ? TACHO_OK : skip(session, item);
}

/* ---- blocks -------------------------------------------------------------------------------- */

/* The block with the first context of a device decides between two layouts. */
static bool decide(tacho_tracy_session *session, tacho_str bytes)
{
    if (!tacho_tracy_block_has_context(&session->protocol, bytes)) {
        tacho_tracy_verdict verdict =
            tacho_tracy_block_judge(&session->protocol, bytes, &session->walk);
        session->other_walk = session->walk;
        return verdict.is_whole;
    }
    tacho_tracy_verdict one = tacho_tracy_block_judge(&session->protocol, bytes, &session->walk);
    tacho_tracy_verdict other =
        tacho_tracy_block_judge(&session->other, bytes, &session->other_walk);
    bool is_other = other.is_whole && (!one.is_whole || other.doubt_count < one.doubt_count);
    session->is_undecided = false;
    if (is_other) {
        session->protocol = session->other;
    }
    return is_other || one.is_whole;
}

/* Keeps strings that wait for an event of the next block. */
static tacho_status keep_pending(tacho_tracy_session *session)
{
    size_t single = session->has_single ? session->single.len : 0;
    size_t payload = session->has_payload ? session->payload.len : 0;
    if (single + payload == 0) {
        return TACHO_OK;
    }
    char *before = session->kept;
    session->kept = NULL; /* they may point into it */
    session->kept_capacity = 0;
    tacho_status status = tacho_grow(&session->kept, &session->kept_capacity, single + payload);
    if (status == TACHO_OK) {
        if (single > 0) {
            memcpy(session->kept, session->single.data, single);
        }
        if (payload > 0) {
            memcpy(session->kept + single, session->payload.data, payload);
        }
        session->single = tacho_str_make(session->kept, single);
        session->payload = tacho_str_make(session->kept + single, payload);
    }
    free(before);
    return status;
}

static tacho_status take_block(tacho_tracy_session *session, tacho_str packed)
{
    tacho_str bytes = TACHO_STR("");
    tacho_tracy_item item = {.text = TACHO_STR("")};
    if (!tacho_lz4_chain_decode(&session->chain, packed, &bytes) ||
        !(session->is_undecided ? decide(session, bytes)
                                : tacho_tracy_block_is_whole(&session->protocol, bytes))) {
        session->end = TACHO_TRACY_END_DAMAGED;
        return TACHO_OK;
    }
    tacho_tracy_cursor cursor = {.protocol = &session->protocol,
                                 .at = (const unsigned char *)bytes.data,
                                 .end = (const unsigned char *)bytes.data + bytes.len};
    session->counts.blocks++;
    while (tacho_tracy_next(&cursor, &item)) {
        session->counts.events++;
        TACHO_TRY(take_event(session, &item));
    }
    return keep_pending(session);
}

/* ---- bytes --------------------------------------------------------------------------------- */

static tacho_status take_answer(tacho_tracy_session *session, const unsigned char *bytes)
{
    switch (*bytes) {
    case TACHO_TRACY_ANSWER_WELCOME:
        session->phase = TACHO_TRACY_PHASE_WELCOME;
        break;
    case TACHO_TRACY_ANSWER_MISMATCH:
        session->end = TACHO_TRACY_END_MISMATCH;
        break;
    case TACHO_TRACY_ANSWER_NOT_AVAILABLE:
        session->end = TACHO_TRACY_END_BUSY;
        break;
    default:
        session->end = TACHO_TRACY_END_NOT_TRACY;
        break;
    }
    return TACHO_OK;
}

/* Adds the client's description of itself to the capture's metadata. */
static tacho_status note_welcome(tacho_tracy_session *session)
{
    const tacho_tracy_welcome *welcome = &session->welcome;
    char text[96];
    TACHO_TRY(note(session, "program", tacho_str_from_cstring(welcome->program)));
    TACHO_TRY(note(session, "host", tacho_str_from_cstring(welcome->host)));
    snprintf(text, sizeof(text), "%u", session->protocol.number);
    TACHO_TRY(note(session, "protocol", tacho_str_from_cstring(text)));
    snprintf(text, sizeof(text), "%lld", (long long)welcome->init_begin);
    TACHO_TRY(note(session, "init_ticks", tacho_str_from_cstring(text)));
    snprintf(text, sizeof(text), "%.17g", welcome->ns_per_tick);
    return note(session, "ns_per_tick", tacho_str_from_cstring(text));
}

static tacho_status take_welcome(tacho_tracy_session *session, const unsigned char *bytes,
                                 tacho_tracy_met met, void *met_self)
{
    if (!tacho_tracy_welcome_parse(&session->welcome, session->protocol.number, bytes)) {
        session->end = TACHO_TRACY_END_NOT_TRACY;
        return TACHO_OK;
    }
    session->phase = (session->welcome.flags & TACHO_TRACY_ON_DEMAND) != 0
                         ? TACHO_TRACY_PHASE_ON_DEMAND
                         : TACHO_TRACY_PHASE_BLOCKS;
    session->names.has_odd_color = session->protocol.number == 66;
    if (met != NULL) {
        met(met_self, session);
    }
    if (session->end != TACHO_TRACY_END_NONE) { /* the callback has refused it */
        session->welcome = (tacho_tracy_welcome){.ns_per_tick = 0};
        return TACHO_OK;
    }
    tacho_tracy_clock *clock = session->clock;
    if (!clock->is_set) {
        *clock = (tacho_tracy_clock){.is_set = true,
                                     .base_ticks = session->welcome.init_begin,
                                     .base_ns = clock->base_ns,
                                     .ns_per_tick = session->welcome.ns_per_tick};
    }
    return note_welcome(session);
}

/* How many bytes the next thing takes; 0: that is not known yet. */
static size_t next_bytes(const tacho_tracy_session *session, const unsigned char *at, size_t len)
{
    switch (session->phase) {
    case TACHO_TRACY_PHASE_ANSWER:
        return ANSWER_BYTES;
    case TACHO_TRACY_PHASE_WELCOME:
        return tacho_tracy_welcome_bytes(session->protocol.number);
    case TACHO_TRACY_PHASE_ON_DEMAND:
        return TACHO_TRACY_ON_DEMAND_BYTES;
    case TACHO_TRACY_PHASE_BLOCKS:
        return len < SIZE_BYTES ? 0 : SIZE_BYTES + (size_t)tacho_tracy_u32(at);
    case TACHO_TRACY_PHASE_OVER:
        break;
    }
    return 0;
}

static tacho_status take_next(tacho_tracy_session *session, tacho_str bytes, tacho_tracy_met met,
                              void *met_self)
{
    const unsigned char *at = (const unsigned char *)bytes.data;
    switch (session->phase) {
    case TACHO_TRACY_PHASE_ANSWER:
        return take_answer(session, at);
    case TACHO_TRACY_PHASE_WELCOME:
        return take_welcome(session, at, met, met_self);
    case TACHO_TRACY_PHASE_ON_DEMAND:
        session->phase = TACHO_TRACY_PHASE_BLOCKS;
        return TACHO_OK;
    case TACHO_TRACY_PHASE_BLOCKS:
        return take_block(session, tacho_str_make(bytes.data + SIZE_BYTES, bytes.len - SIZE_BYTES));
    case TACHO_TRACY_PHASE_OVER:
        break;
    }
    return TACHO_OK;
}

/* Takes all whole things of |bytes|; returns how many bytes they are. */
static size_t take_whole(tacho_tracy_session *session, tacho_str bytes, tacho_tracy_met met,
                         void *met_self)
{
    size_t used = 0;
    while (session->phase != TACHO_TRACY_PHASE_OVER) {
        const unsigned char *at = (const unsigned char *)bytes.data + used;
        size_t need = next_bytes(session, at, bytes.len - used);
        if (need > SIZE_BYTES + TACHO_TRACY_PACKED_MAX) {
            session->end = TACHO_TRACY_END_DAMAGED;
        } else if (need == 0 || bytes.len - used < need) {
            break;
        } else {
            session->failure =
                take_next(session, tacho_str_make(bytes.data + used, need), met, met_self);
            used += need;
        }
        if (session->failure != TACHO_OK) {
            session->end = TACHO_TRACY_END_FAILED;
        }
        if (session->end != TACHO_TRACY_END_NONE) {
            session->phase = TACHO_TRACY_PHASE_OVER;
        }
    }
    return used;
}

void tacho_tracy_session_take(tacho_tracy_session *session, tacho_str bytes, tacho_tracy_met met,
                              void *met_self)
{
    if (session->phase == TACHO_TRACY_PHASE_OVER || bytes.len == 0) {
        return;
    }
    tacho_status status =
        tacho_grow(&session->in, &session->in_capacity, session->in_len + bytes.len);
    if (status != TACHO_OK) {
        session->failure = status;
        session->end = TACHO_TRACY_END_FAILED;
        session->phase = TACHO_TRACY_PHASE_OVER;
        return;
    }
    memcpy(session->in + session->in_len, bytes.data, bytes.len);
    session->in_len += bytes.len;
    size_t used = take_whole(session, tacho_str_make((const char *)session->in, session->in_len),
                             met, met_self);
    memmove(session->in, session->in + used, session->in_len - used);
    session->in_len -= used;
}

size_t tacho_tracy_session_give(tacho_tracy_session *session, unsigned char *to, size_t room)
{
    size_t used = 0;
    if (session->phase != TACHO_TRACY_PHASE_BLOCKS) {
        return 0;
    }
    used = tacho_tracy_names_take_questions(&session->names, to, room);
    if (session->has_terminated && tacho_tracy_names_is_settled(&session->names) &&
        room - used >= TACHO_TRACY_QUERY_BYTES) {
        memset(to + used, 0, TACHO_TRACY_QUERY_BYTES);
        used += TACHO_TRACY_QUERY_BYTES;
        session->end = TACHO_TRACY_END_DONE;
        session->phase = TACHO_TRACY_PHASE_OVER;
    }
    return used;
}

/* ---- end ----------------------------------------------------------------------------------- */

static tacho_status lose(tacho_tracy_session *session, tacho_loss_reason reason, uint64_t count)
{
    const tacho_loss loss = {.part = session->rows.part, .reason = reason, .count = count};
    return count > 0 ? tacho_dict_add_loss(session->rows.events->dict, &loss) : TACHO_OK;
}

static tacho_status note_count(tacho_tracy_session *session, const char *word, uint64_t count)
{
    char text[24];
    snprintf(text, sizeof(text), "%llu", (unsigned long long)count);
    return count > 0 ? note(session, word, tacho_str_from_cstring(text)) : TACHO_OK;
}

static tacho_status count_losses(tacho_tracy_session *session)
{
    const tacho_tracy_counts *counts = &session->counts;
    bool is_cut = session->end == TACHO_TRACY_END_DAMAGED ||
                  (session->end == TACHO_TRACY_END_CUT && session->in_len > 0);
    TACHO_TRY(lose(session, TACHO_LOSS_UNMATCHED_END, counts->mismatched));
    TACHO_TRY(lose(session, TACHO_LOSS_TIME_OVERFLOW, counts->bad_times));
    TACHO_TRY(lose(session, TACHO_LOSS_NEGATIVE_TIME, session->rows.early_count));
    TACHO_TRY(lose(session, TACHO_LOSS_NEVER_ENDED, counts->untimed));
    TACHO_TRY(lose(session, TACHO_LOSS_UNKNOWN_STATE, counts->unknown));
    TACHO_TRY(lose(session, TACHO_LOSS_NOT_FINITE, counts->bad_samples));
    TACHO_TRY(lose(session, TACHO_LOSS_CUT_INPUT, is_cut ? 1 : 0));
    TACHO_TRY(note_count(session, "unnamed", session->names.unnamed_count));
    TACHO_TRY(note_count(session, "skipped.call_stacks", counts->call_stacks));
    TACHO_TRY(note_count(session, "skipped.context_switches", counts->switches));
    TACHO_TRY(note_count(session, "skipped.samples", counts->samples_skipped));
    return note_count(session, "skipped.other", counts->other_skipped);
}

tacho_status tacho_tracy_session_finish(tacho_tracy_session *session)
{
    bool has_begun = session->welcome.init_end > 0;
    if (session->end == TACHO_TRACY_END_NONE) {
        session->end = session->has_terminated ? TACHO_TRACY_END_DONE : TACHO_TRACY_END_CUT;
    }
    session->phase = TACHO_TRACY_PHASE_OVER;
    if (!has_begun || session->failure != TACHO_OK) {
        tacho_status failure = session->failure;
        session->failure = TACHO_OK;
        return failure;
    }
    TACHO_TRY(tacho_tracy_finish_zones(session));
    TACHO_TRY(tacho_tracy_finish_things(session));
    TACHO_TRY(tacho_tracy_finish_devices(session));
    TACHO_TRY(tacho_tracy_names_finish(&session->names));
    return count_losses(session);
}
