/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Messages are recognized by their prefix; all others are skipped.
 */
#include "sources/tenstorrent/log_host.h"

#include "base/grow.h"
#include "codec/csv.h"
#include "sources/tenstorrent/log_row.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

void tt_losses_add_count(tt_losses *losses, tt_log_loss loss, uint64_t who, uint64_t count)
{
    if (losses->counts[loss] == 0) {
        losses->firsts[loss] = who;
    }
    losses->counts[loss] += count;
}

void tt_losses_add(tt_losses *losses, tt_log_loss loss, uint64_t who)
{
    tt_losses_add_count(losses, loss, who, 1);
}

const char *tt_loss_phrase(tt_log_loss loss)
{
    static const char *const phrases[] = {
#define TT_LOSS_PHRASE(name, place, text) text,
        TT_LOG_LOSSES(TT_LOSS_PHRASE)
#undef TT_LOSS_PHRASE
    };
    return phrases[loss];
}

const char *tt_loss_place(tt_log_loss loss)
{
    static const char *const places[] = {
#define TT_LOSS_PLACE(name, place, text) place,
        TT_LOG_LOSSES(TT_LOSS_PLACE)
#undef TT_LOSS_PLACE
    };
    return places[loss];
}

tacho_status tt_host_init(tt_host *host, tt_losses *losses)
{
    *host = (tt_host){.losses = losses};
    tacho_arena_init(&host->arena);
    for (size_t i = 0; i < TT_MLIR_COUNT; i++) {
        host->mlir[i] = TACHO_NONE;
    }
    TACHO_TRY(tacho_strings_init(&host->strings));
    TACHO_TRY(tacho_index_init(&host->data_index));
    TACHO_TRY(tacho_index_init(&host->op_index));
    return tacho_index_init(&host->call_index);
}

void tt_host_deinit(tt_host *host)
{
    tacho_strings_deinit(&host->strings);
    tacho_index_deinit(&host->data_index);
    tacho_index_deinit(&host->op_index);
    tacho_index_deinit(&host->call_index);
    free(host->datas);
    free(host->ops);
    free(host->orphans);
    free(host->signposts);
    free(host->replays);
    free(host->calls);
    free(host->captures);
    tacho_arena_deinit(&host->arena);
}

/* ---- ops ----------------------------------------------------------------------------------- */

static uint32_t hash_of(const tacho_index *index, const void *key, size_t size)
{
    return tacho_index_hash(index, tacho_str_make(key, size));
}

uint32_t tt_host_find(const tt_host *host, uint64_t id)
{
    uint32_t hash = hash_of(&host->op_index, &id, sizeof(id));
    size_t at = tacho_index_begin(&host->op_index, hash);
    for (uint32_t op; (op = tacho_index_next(&host->op_index, hash, &at)) != TACHO_NONE;) {
        if (host->ops[op].id == id) {
            return op;
        }
    }
    return TACHO_NONE;
}

/*
 * The last data of the program |hash| on |device|, of an op named |name| if possible; TACHO_NONE:
 * none.
 */
static uint32_t find_data(const tt_host *host, int64_t device, uint64_t program, tacho_str name)
{
    const uint64_t key[2] = {(uint64_t)device, program};
    uint32_t hash = hash_of(&host->data_index, key, sizeof(key));
    size_t at = tacho_index_begin(&host->data_index, hash);
    uint32_t found = TACHO_NONE;
    uint32_t named = TACHO_NONE;
    for (uint32_t id; (id = tacho_index_next(&host->data_index, hash, &at)) != TACHO_NONE;) {
        const tt_op_data *data = &host->datas[id];
        bool is_same = data->hash == program && data->device == device;
        bool is_named = is_same && tacho_str_equal(data->code, name);
        found = is_same && (found == TACHO_NONE || id > found) ? id : found;
        named = is_named && (named == TACHO_NONE || id > named) ? id : named;
    }
    return named != TACHO_NONE ? named : found;
}

static tacho_status add_data(tt_host *host, const tt_op_data *data, uint32_t *out_data)
{
    TACHO_TRY(tacho_grow(&host->datas, &host->data_capacity, host->data_count + 1));
    *out_data = (uint32_t)host->data_count;
    host->datas[host->data_count++] = *data;
    if (!data->has_hash) {
        return TACHO_OK;
    }
    const uint64_t key[2] = {(uint64_t)data->device, data->hash};
    return tacho_index_add(&host->data_index, hash_of(&host->data_index, key, sizeof(key)),
                           *out_data);
}

static tt_capture *find_capture(tt_host *host, int64_t device)
{
    for (size_t i = 0; i < host->capture_count; i++) {
        if (host->captures[i].device == device) {
            return &host->captures[i];
        }
    }
    return NULL;
}

/*
 * Files |op|. It replaces an op of the same id, in its place, and |*out_is_new| is false. An op
 * with the same message time stays, since its message is repeated.
 */
static tacho_status file_op(tt_host *host, tt_host_op *op, bool *out_is_new)
{
    const tt_capture *capture = op->device < 0 ? NULL : find_capture(host, op->device);
    op->trace = capture != NULL && host->datas[op->data].has_hash ? capture->trace : -1;
    memcpy(op->mlir, host->mlir, sizeof(op->mlir));
    uint32_t there = tt_host_find(host, op->id);
    *out_is_new = there == TACHO_NONE;
    if (there != TACHO_NONE) {
        bool is_same = host->ops[there].message_ns == op->message_ns;
        host->ops[there] = is_same ? host->ops[there] : *op;
        return TACHO_OK;
    }
    TACHO_TRY(tacho_grow(&host->ops, &host->op_capacity, host->op_count + 1));
    uint32_t hash = hash_of(&host->op_index, &op->id, sizeof(op->id));
    TACHO_TRY(tacho_index_add(&host->op_index, hash, (uint32_t)host->op_count));
    host->ops[host->op_count++] = *op;
    return TACHO_OK;
}

/* Files a new op. */
static tacho_status add_op(tt_host *host, tt_host_op *op)
{
    bool is_new = false;
    return file_op(host, op, &is_new);
}

/* Files the op of |message|. */
static tacho_status add_message_op(tt_host *host, tt_host_op *op, const tt_message *message)
{
    bool is_new = false;
    TACHO_TRY(file_op(host, op, &is_new));
    if (!is_new) {
        tt_losses_add(host->losses, TT_LOSS_REPEATED_MESSAGE, message->offset);
    }
    return TACHO_OK;
}

tacho_status tt_host_add_name(tt_host *host, uint64_t id, tacho_str name)
{
    tt_op_data data = {.device = -1};
    tt_host_op op = {.id = id, .device = -1};
    if (tt_host_find(host, id) != TACHO_NONE) {
        return TACHO_OK;
    }
    TACHO_TRY(tacho_arena_copy(&host->arena, name, &data.code));
    TACHO_TRY(add_data(host, &data, &op.data));
    return add_op(host, &op);
}

/* ---- messages ------------------------------------------------------------------------------ */

/* "true", "1", "True" as Python prints it. */
static tacho_str python_bool(tacho_str text)
{
    bool is_true = tacho_str_equal(text, TACHO_STR("1")) ||
                   tacho_str_equal(text, TACHO_STR("true")) ||
                   tacho_str_equal(text, TACHO_STR("True"));
    return is_true ? TACHO_STR("True") : TACHO_STR("False");
}

/* The first line of a message. */
typedef struct op_facts {
    tacho_str name;
    uint64_t program, device, id;
    tacho_str cache_hit; /* empty: not given */
} op_facts;

/*
 * "Name", HASH, DEVICE, CACHE HIT, ID; until 2026-03 without the cache hit. The name may hold
 * commas.
 */
static bool parse_facts(tacho_str text, op_facts *out_facts)
{
    enum { FIELDS = 4 };
    tacho_str fields[FIELDS + 1];
    size_t first = tacho_str_find_byte(text, '"');
    size_t last = text.len;
    while (last > 0 && text.data[last - 1] != '"') {
        last--;
    }
    bool has_name = first + 1 < last;
    *out_facts = (op_facts){
        .name = has_name ? tacho_str_make(text.data + first + 1, last - first - 2) : TACHO_STR(""),
        .cache_hit = TACHO_STR("")};
    text = tacho_str_from(text, last);
    size_t comma = tacho_str_find_byte(text, ',');
    text = tacho_str_from(text, comma < text.len ? comma + 1 : comma);
    size_t count = tacho_csv_split(text, ',', fields, FIELDS + 1);
    if (count != FIELDS && count != FIELDS - 1) {
        return false;
    }
    if (count == FIELDS) {
        out_facts->cache_hit = python_bool(tacho_str_trim(fields[2]));
    }
    return tacho_str_parse_u64(tacho_str_trim(fields[0]), &out_facts->program) &&
           tacho_str_parse_u64(tacho_str_trim(fields[1]), &out_facts->device) &&
           out_facts->device <= UINT32_MAX &&
           tacho_str_parse_u64(tacho_str_trim(fields[count - 1]), &out_facts->id);
}

static uint64_t time_of(const tt_host *host, const tt_message *message)
{
    return message->has_time ? message->time_ns : host->last_ns;
}

/* Adds an op of which only |facts| are known. */
static tacho_status add_partial(tt_host *host, const op_facts *facts, const tt_message *message)
{
    char text[24];
    int len = snprintf(text, sizeof(text), "%" PRIu64, facts->program);
    tt_op_data data = {.hash = facts->program,
                       .has_hash = true,
                       .is_partial = true,
                       .device = (int64_t)facts->device,
                       .type = TACHO_STR("tt_dnn_device")};
    tt_host_op op = {.id = facts->id,
                     .device = data.device,
                     .message_ns = time_of(host, message),
                     .cache_hit = facts->cache_hit};
    TACHO_TRY(tacho_arena_copy(&host->arena, facts->name, &data.code));
    TACHO_TRY(tacho_arena_copy(&host->arena, tacho_str_make(text, (size_t)len), &data.hash_text));
    TACHO_TRY(add_data(host, &data, &op.data));
    return add_message_op(host, &op, message);
}

/* Handles a message whose JSON is damaged: its first line may still identify the op. */
static tacho_status take_damaged(tt_host *host, const tt_message *message, tacho_str facts_text)
{
    op_facts facts;
    tt_losses_add(host->losses, TT_LOSS_CUT_MESSAGE, message->offset);
    bool is_known = parse_facts(facts_text, &facts) && facts.name.len > 0 &&
                    tt_host_find(host, facts.id) == TACHO_NONE;
    return is_known ? add_partial(host, &facts, message) : TACHO_OK;
}

/* Reads a first message: JSON after an arrow. */
static tacho_status take_first(tt_host *host, const tt_message *message, tacho_str facts,
                               tacho_str json)
{
    tt_op_data data;
    tt_host_op op = {.message_ns = message->time_ns};
    bool is_good = false;
    TACHO_TRY(tt_op_data_read(host, json, &data, &op.id, &is_good));
    if (!is_good) {
        return take_damaged(host, message, facts);
    }
    op.device = data.device;
    op.cache_hit = data.cache_hit;
    TACHO_TRY(add_data(host, &data, &op.data));
    return add_message_op(host, &op, message);
}

/* Reads a message of a cached program: the data of its first message holds for it, too. */
static tacho_status take_cached(tt_host *host, const tt_message *message, tacho_str text)
{
    op_facts facts;
    tt_host_op op = {.message_ns = message->time_ns};
    if (!parse_facts(text, &facts)) {
        tt_losses_add(host->losses, TT_LOSS_BAD_MESSAGE, message->offset);
        return TACHO_OK;
    }
    op.id = facts.id;
    op.device = (int64_t)facts.device;
    op.data = find_data(host, op.device, facts.program, facts.name);
    bool is_other = op.data != TACHO_NONE && facts.name.len > 0 &&
                    !tacho_str_equal(host->datas[op.data].code, facts.name);
    if (op.data == TACHO_NONE || is_other || host->datas[op.data].is_partial) {
        tt_losses_add(host->losses, is_other ? TT_LOSS_COLLISION : TT_LOSS_NO_FIRST, op.id);
        return add_partial(host, &facts, message);
    }
    op.cache_hit = facts.cache_hit.len > 0 ? facts.cache_hit : host->datas[op.data].cache_hit;
    return add_message_op(host, &op, message);
}

static tacho_status take_op_message(tt_host *host, const tt_message *message)
{
    tacho_str arrow = TACHO_STR(" ->");
    size_t line = tacho_str_find_byte(message->text, '\n');
    size_t at = tt_log_find_word(tacho_str_make(message->text.data, line), arrow);
    tacho_str facts = tacho_str_make(message->text.data, at < line ? at : line);
    if (message->is_cut) {
        return take_damaged(host, message, facts);
    }
    return at < line
               ? take_first(host, message, facts, tacho_str_from(message->text, at + arrow.len))
               : take_cached(host, message, message->text);
}

static tacho_status begin_capture(tt_host *host, int64_t device, int64_t trace)
{
    tt_capture *capture = find_capture(host, device);
    if (capture == NULL) {
        TACHO_TRY(tacho_grow(&host->captures, &host->capture_capacity, host->capture_count + 1));
        capture = &host->captures[host->capture_count++];
        capture->device = device;
    }
    capture->trace = trace;
    return TACHO_OK;
}

static tacho_status add_replay(tt_host *host, int64_t device, int64_t trace,
                               const tt_message *message)
{
    TACHO_TRY(tacho_grow(&host->replays, &host->replay_capacity, host->replay_count + 1));
    host->replays[host->replay_count++] =
        (tt_replay){device, trace, time_of(host, message), message->offset, message->has_time};
    return TACHO_OK;
}

/* "TT_METAL_TRACE_BEGIN: 0, 1", END or REPLAY: device and trace. */
static tacho_status take_trace(tt_host *host, const tt_message *message)
{
    tacho_str fields[2];
    uint64_t ids[2] = {0, 0};
    size_t colon = tacho_str_find_byte(message->text, ':');
    tacho_str rest = tacho_str_from(message->text, colon < message->text.len ? colon + 1 : colon);
    bool is_good = tacho_csv_split(rest, ',', fields, 2) == 2;
    for (size_t i = 0; i < 2 && is_good; i++) {
        is_good = tacho_str_parse_u64(tacho_str_trim(fields[i]), &ids[i]) && ids[i] <= UINT32_MAX;
    }
    tacho_str verb = tacho_str_make(message->text.data, colon);
    if (!is_good) {
        tt_losses_add(host->losses, TT_LOSS_BAD_MESSAGE, message->offset);
    } else if (tacho_str_ends_with(verb, TACHO_STR("_BEGIN"))) {
        return begin_capture(host, (int64_t)ids[0], (int64_t)ids[1]);
    } else if (tacho_str_ends_with(verb, TACHO_STR("_END"))) {
        return begin_capture(host, (int64_t)ids[0], -1);
    } else if (tacho_str_ends_with(verb, TACHO_STR("_REPLAY"))) {
        return add_replay(host, (int64_t)ids[0], (int64_t)ids[1], message);
    }
    return TACHO_OK;
}

/* The header follows the last ": ", the message is the line after it. */
static tacho_status take_signpost(tt_host *host, const tt_message *message)
{
    tacho_str rest = message->text;
    for (size_t at; (at = tt_log_find_word(rest, TACHO_STR(": "))) < rest.len;) {
        rest = tacho_str_from(rest, at + 2);
    }
    size_t line = tacho_str_find_byte(rest, '\n');
    tacho_str behind = tacho_str_from(rest, line < rest.len ? line + 1 : line);
    tt_signpost post = {.time_ns = message->time_ns};
    TACHO_TRY(tacho_arena_copy(&host->arena, tacho_str_make(rest.data, line), &post.header));
    tacho_str second = tacho_str_make(behind.data, tacho_str_find_byte(behind, '\n'));
    TACHO_TRY(tacho_arena_copy(&host->arena, second, &post.message));
    TACHO_TRY(tacho_grow(&host->signposts, &host->signpost_capacity, host->signpost_count + 1));
    host->signposts[host->signpost_count++] = post;
    return TACHO_OK;
}

/* "MLIR_OP_LOCATION;loc(...)": holds for all ops until the next such message. */
static tacho_status take_mlir(tt_host *host, tacho_str text, bool *out_is_taken)
{
    static const tacho_str keys[TT_MLIR_COUNT] = {
        TACHO_STR_INIT("MLIR_OP_LOCATION;"),
        TACHO_STR_INIT("MLIR_CONST_EVAL_OP;"),
        TACHO_STR_INIT("MLIR_PROGRAM_METADATA;"),
    };
    *out_is_taken = false;
    for (size_t i = 0; i < TT_MLIR_COUNT; i++) {
        if (tacho_str_starts_with(text, keys[i])) {
            *out_is_taken = true;
            host->has_mlir = true;
            return tacho_strings_ensure(&host->strings, tacho_str_from(text, keys[i].len),
                                        &host->mlir[i]);
        }
    }
    return TACHO_OK;
}

static tacho_status take_message(tt_host *host, const tt_message *message)
{
    bool is_taken = false;
    TACHO_TRY(take_mlir(host, message->text, &is_taken));
    if (is_taken) {
        return TACHO_OK;
    }
    if (tacho_str_starts_with(message->text, TACHO_STR("TT_DNN"))) {
        return take_op_message(host, message);
    }
    if (tacho_str_starts_with(message->text, TACHO_STR("TT_METAL_TRACE_ENQUEUE"))) {
        return TACHO_OK;
    }
    if (tacho_str_starts_with(message->text, TACHO_STR("TT_METAL_TRACE"))) {
        return take_trace(host, message);
    }
    return tt_log_has_word(message->text, TACHO_STR("TT_SIGNPOST")) ? take_signpost(host, message)
                                                                    : TACHO_OK;
}

static int compare_replays(const void *a, const void *b)
{
    const tt_replay *left = a;
    const tt_replay *right = b;
    if (left->device != right->device) {
        return left->device < right->device ? -1 : 1;
    }
    if (left->trace != right->trace) {
        return left->trace < right->trace ? -1 : 1;
    }
    if (left->time_ns != right->time_ns) {
        return left->time_ns < right->time_ns ? -1 : 1;
    }
    return left->offset < right->offset ? -1 : left->offset > right->offset;
}

/* Whether both start the same trace on the same device at the same time. */
static bool is_same_replay(const tt_replay *a, const tt_replay *b)
{
    return a->has_time && b->has_time && a->time_ns == b->time_ns && a->device == b->device &&
           a->trace == b->trace;
}

/* Sorts replays, and drops repeated ones: they would shift those after them. */
static void sort_replays(tt_host *host)
{
    size_t kept = 0;
    if (host->replay_count > 1) {
        qsort(host->replays, host->replay_count, sizeof(*host->replays), compare_replays);
    }
    for (size_t i = 0; i < host->replay_count; i++) {
        if (kept > 0 && is_same_replay(&host->replays[kept - 1], &host->replays[i])) {
            tt_losses_add(host->losses, TT_LOSS_REPEATED_MESSAGE, host->replays[i].offset);
        } else {
            host->replays[kept++] = host->replays[i];
        }
    }
    host->replay_count = kept;
}

tacho_status tt_host_read_messages(tt_host *host, tacho_input *input)
{
    TACHO_TRY(tt_messages_open(input));
    for (;;) {
        tt_message message;
        bool has_message = false;
        TACHO_TRY(tt_messages_next(input, &message, &has_message));
        if (!has_message) {
            break;
        }
        TACHO_TRY(take_message(host, &message));
        host->last_ns = message.has_time ? message.time_ns : host->last_ns;
    }
    sort_replays(host);
    if (tacho_input_damage(input) != NULL) {
        tt_losses_add(host->losses, TT_LOSS_CUT_FILE, 0);
    }
    return TACHO_OK;
}

/* ---- times --------------------------------------------------------------------------------- */

/* Finds the call of |name| by op |id|, and the hash of both; TACHO_NONE if it has none. */
static uint32_t find_call(const tt_host *host, uint64_t id, uint32_t name, uint32_t *out_hash)
{
    const uint64_t key[2] = {id, name};
    *out_hash = hash_of(&host->call_index, key, sizeof(key));
    size_t at = tacho_index_begin(&host->call_index, *out_hash);
    for (uint32_t i; (i = tacho_index_next(&host->call_index, *out_hash, &at)) != TACHO_NONE;) {
        if (host->calls[i].id == id && host->calls[i].name == name) {
            return i;
        }
    }
    return TACHO_NONE;
}

bool tt_host_find_call(const tt_host *host, uint64_t id, uint32_t name, uint64_t *out_ns)
{
    uint32_t hash = 0;
    uint32_t call = find_call(host, id, name, &hash);
    *out_ns = call == TACHO_NONE ? 0 : host->calls[call].total_ns;
    return call != TACHO_NONE;
}

static tacho_status add_call(tt_host *host, uint64_t id, const tt_times_zone *zone)
{
    tt_host_call call = {.id = id, .total_ns = zone->duration_ns};
    uint32_t hash = 0;
    TACHO_TRY(tacho_strings_ensure(&host->strings, zone->name, &call.name));
    uint32_t there = find_call(host, id, call.name, &hash);
    if (there != TACHO_NONE) {
        host->calls[there].total_ns += zone->duration_ns;
        return TACHO_OK;
    }
    TACHO_TRY(tacho_grow(&host->calls, &host->call_capacity, host->call_count + 1));
    TACHO_TRY(tacho_index_add(&host->call_index, hash, (uint32_t)host->call_count));
    host->calls[host->call_count++] = call;
    return TACHO_OK;
}

static tacho_status add_orphan(tt_host *host, uint64_t id, const tt_times_zone *zone)
{
    tt_orphan orphan = {.id = id, .start_ns = zone->start_ns, .duration_ns = zone->duration_ns};
    tt_losses_add(host->losses, TT_LOSS_NO_OP, id);
    if (!tt_log_has_word(zone->name, TACHO_STR("TT_DNN"))) {
        return TACHO_OK;
    }
    TACHO_TRY(tacho_strings_ensure(&host->strings, zone->thread, &orphan.thread));
    TACHO_TRY(tacho_grow(&host->orphans, &host->orphan_capacity, host->orphan_count + 1));
    host->orphans[host->orphan_count++] = orphan;
    return TACHO_OK;
}

tacho_status tt_host_adopt(tt_host *host, const tt_orphan *orphan, int64_t device)
{
    tt_op_data data = {.device = device, .is_partial = true, .type = TACHO_STR("tt_dnn_device")};
    tt_host_op op = {.id = orphan->id,
                     .device = device,
                     .message_ns = orphan->start_ns,
                     .has_time = true,
                     .start_ns = orphan->start_ns,
                     .duration_ns = orphan->duration_ns,
                     .thread = orphan->thread};
    for (size_t i = 0; i < TT_MLIR_COUNT; i++) {
        host->mlir[i] = TACHO_NONE;
    }
    TACHO_TRY(add_data(host, &data, &op.data));
    return add_op(host, &op);
}

static tacho_status take_zone(tt_host *host, const tt_times_zone *zone, uint64_t line)
{
    uint64_t id = 0;
    bool is_op = tt_log_has_word(zone->name, TACHO_STR("TT_DNN")) ||
                 tt_log_has_word(zone->name, TACHO_STR("TT_METAL"));
    if (is_op && tt_times_op_id(zone->text, &id)) {
        uint32_t op = tt_host_find(host, id);
        if (op == TACHO_NONE) {
            return add_orphan(host, id, zone);
        }
        host->ops[op].has_time = true;
        host->ops[op].start_ns = zone->start_ns;
        host->ops[op].duration_ns = zone->duration_ns;
        TACHO_TRY(tacho_strings_ensure(&host->strings, zone->thread, &host->ops[op].thread));
    } else if (is_op) {
        tt_losses_add(host->losses, TT_LOSS_BAD_ZONE, line);
    }
    bool is_child = tt_log_has_word(zone->parent, TACHO_STR("id:"));
    return is_child && tt_times_op_id(zone->parent, &id) && tt_host_find(host, id) != TACHO_NONE
               ? add_call(host, id, zone)
               : TACHO_OK;
}

tacho_status tt_host_read_times(tt_host *host, tacho_input *input)
{
    tt_times_header header;
    tacho_str line;
    bool has_line = false;
    TACHO_TRY(tacho_input_line(input, &line, &has_line));
    if (!has_line || !tt_times_header_take(&header, line)) {
        return tacho_fail(TACHO_CODE_BAD_DATA,
                          "%s:1: expected the header of host zones: name, zone_text, "
                          "ns_since_start, exec_time_ns",
                          input->name);
    }
    for (;;) {
        tt_times_zone zone;
        TACHO_TRY(tacho_input_line(input, &line, &has_line));
        if (!has_line) {
            break;
        }
        if (line.len > 0 && tt_times_zone_parse(&header, line, &zone)) {
            TACHO_TRY(take_zone(host, &zone, input->line_number));
        } else if (line.len > 0) {
            tt_losses_add(host->losses, TT_LOSS_BAD_ZONE, input->line_number);
        }
    }
    if (tacho_input_damage(input) != NULL) {
        tt_losses_add(host->losses, TT_LOSS_CUT_FILE, 0);
    }
    return TACHO_OK;
}

bool tt_host_find_replay(const tt_host *host, int64_t device, int64_t trace, int64_t session,
                         uint64_t *out_ns)
{
    size_t low = 0;
    size_t high = host->replay_count;
    const tt_replay first = {.device = device, .trace = trace};
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        bool is_before = compare_replays(&host->replays[middle], &first) < 0;
        low = is_before ? middle + 1 : low;
        high = is_before ? high : middle;
    }
    if (session < 1 || (uint64_t)session > host->replay_count - low) {
        return false;
    }
    const tt_replay *found = &host->replays[low + (size_t)session - 1];
    *out_ns = found->time_ns;
    return found->device == device && found->trace == trace;
}
