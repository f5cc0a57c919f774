/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Rows to bytes and back. Reading never goes beyond the cursor's end; the first thing that cannot
 * be makes it bad, and all that is taken afterwards is 0.
 */
#include "profile/capture_row.h"

#include "base/grow.h"
#include "codec/protobuf.h"
#include "profile/capture_records.h"
#include "profile/summed_args.h"

#include <stdlib.h>

enum {
    KIND_MASK = 3,
    KIND_MARK = 3,
    OTHER_TRACK = 1 << 2,
    HAS_RUN = 1 << 3,
    HAS_OP = 1 << 4,
    HAS_FLAGS = 1 << 5,
    HAS_ARGS = 1 << 6,
    HAS_LENGTH = 1 << 7, /* of its arguments */
    HEAD_BYTES_MAX = 64, /* everything but arguments */
    LENGTH_BYTES =
        2, /* of the length of arguments, at most: longer ones are rare, and go without */
    LENGTH_MAX = (1 << 13) - 1,
    ARG_BYTES_MAX = 16, /* texts aside */
    ARG_BYTES_MIN = 3,
    UNIT_SHIFT = 4,
    PHASE_SHIFT = 2,
    BOND_SHIFT = 4,
    SPAN_FLAGS = TACHO_SPAN_ORIGIN_MASK | TACHO_SPAN_INSTANT | TACHO_SPAN_UNENDED |
                 TACHO_SPAN_DEPTH_MAX << TACHO_SPAN_DEPTH_SHIFT,
};

/* How a flow end finds its span. */
enum { BOND_GIVEN, BOND_AROUND, BOND_NEXT, BOND_COUNT };

static const uint64_t flow_ids = (uint64_t)1 << 40;

/* Differences of any two numbers, small ones of either sign first. */
static uint64_t fold(int64_t from, int64_t to)
{
    uint64_t difference = (uint64_t)to - (uint64_t)from;
    return difference << 1 ^ (0 - (difference >> 63));
}

static int64_t unfold(int64_t from, uint64_t folded)
{
    return (int64_t)((uint64_t)from + (folded >> 1 ^ (0 - (folded & 1))));
}

/* ---- writing ------------------------------------------------------------------------------- */

size_t tacho_capture_row_bound(const tacho_row *row)
{
    size_t bound = HEAD_BYTES_MAX + row->arg_count * ARG_BYTES_MAX;
    for (size_t i = 0; i < row->arg_count; i++) {
        bound += tacho_arg_has_text(&row->args[i]) ? row->args[i].value.as_text.len : 0;
    }
    return bound;
}

static unsigned char *put_real(unsigned char *at, double value)
{
    uint64_t bits = 0;
    memcpy(&bits, &value, sizeof(bits));
    return tacho_capture_put_u64(at, bits);
}

static unsigned char *put_arg(unsigned char *at, const tacho_arg *arg)
{
    *at++ = (unsigned char)((unsigned)arg->type | (unsigned)arg->unit << UNIT_SHIFT);
    at = tacho_pb_put_varint(at, arg->key);
    switch (arg->type) {
    case TACHO_ARG_INT:
        return tacho_pb_put_varint(at, fold(0, arg->value.as_int));
    case TACHO_ARG_UINT:
    case TACHO_ARG_DICT:
    case TACHO_ARG_ARRAY:
        return tacho_pb_put_varint(at, arg->value.as_uint);
    case TACHO_ARG_REAL:
        return put_real(at, arg->value.as_real);
    case TACHO_ARG_BOOL:
        return tacho_pb_put_varint(at, arg->value.as_bool ? 1 : 0);
    case TACHO_ARG_STRING:
        return tacho_pb_put_varint(at, arg->value.as_string);
    case TACHO_ARG_TEXT:
    case TACHO_ARG_JSON:
        break;
    }
    tacho_str text = arg->value.as_text;
    at = tacho_pb_put_varint(at, text.len);
    if (text.len > 0) {
        memcpy(at, text.data, text.len);
    }
    return at + text.len;
}

/* The arguments, after their length where it takes few bytes; |head| marks whether it is there. */
static unsigned char *put_args(const tacho_row *row, const tacho_capture_keys *keys,
                               unsigned char *head, unsigned char *at)
{
    bool is_summed = false;
    unsigned char *start = at + LENGTH_BYTES;
    unsigned char *end = tacho_pb_put_varint(start, row->arg_count);
    for (size_t i = 0; i < row->arg_count; i++) {
        end = put_arg(end, &row->args[i]);
        is_summed = is_summed || keys->is_summed[row->args[i].key];
    }
    size_t len = (size_t)(end - start);
    if (len <= LENGTH_MAX) {
        *head |= HAS_LENGTH;
        at = tacho_pb_put_varint(at, len << 1 | (is_summed ? 1 : 0));
    }
    if (at < start) {
        memmove(at, start, len);
    }
    return at + len;
}

static unsigned char *put_span(const tacho_row *row, const tacho_capture_keys *keys,
                               unsigned char *out_head, unsigned char *at)
{
    unsigned head = *out_head;
    at = tacho_pb_put_varint(at, (uint64_t)row->of.span.end - (uint64_t)row->start);
    at = tacho_pb_put_varint(at, row->of.span.site);
    at = (head & HAS_RUN) != 0 ? tacho_pb_put_varint(at, row->of.span.run) : at;
    at = (head & HAS_OP) != 0 ? tacho_pb_put_varint(at, row->of.span.op) : at;
    at = (head & HAS_FLAGS) != 0 ? tacho_pb_put_varint(at, row->of.span.flags) : at;
    return (head & HAS_ARGS) != 0 ? put_args(row, keys, out_head, at) : at;
}

static unsigned char *put_flow(const tacho_row *row, unsigned char *at)
{
    unsigned bond = row->of.flow.span_end == TACHO_FLOW_AROUND ? BOND_AROUND
                    : row->of.flow.span_end == TACHO_FLOW_NEXT ? BOND_NEXT
                                                               : BOND_GIVEN;
    *at++ = (unsigned char)((unsigned)row->of.flow.role |
                            (unsigned)row->of.flow.phase << PHASE_SHIFT | bond << BOND_SHIFT);
    at = tacho_pb_put_varint(at, row->of.flow.id);
    at = tacho_pb_put_varint(at, row->of.flow.span_name);
    return bond == BOND_GIVEN ? tacho_pb_put_varint(at, fold(row->start, row->of.flow.span_end))
                              : at;
}

static unsigned span_head(const tacho_row *row)
{
    return (row->of.span.run != TACHO_NONE ? HAS_RUN : 0u) |
           (row->of.span.op != TACHO_NONE ? HAS_OP : 0u) |
           (row->of.span.flags != 0 ? HAS_FLAGS : 0u) | (row->arg_count > 0 ? HAS_ARGS : 0u);
}

tacho_status tacho_capture_keys_learn(tacho_capture_keys *keys, const tacho_dict *dict)
{
    size_t count = dict->strings.item_count;
    TACHO_TRY(tacho_grow(&keys->is_summed, &keys->string_capacity, count));
    for (; keys->string_count < count; keys->string_count++) {
        keys->is_summed[keys->string_count] =
            tacho_summed_args_has(tacho_dict_string(dict, (uint32_t)keys->string_count));
    }
    return TACHO_OK;
}

void tacho_capture_keys_deinit(tacho_capture_keys *keys)
{
    free(keys->is_summed);
}

unsigned char *tacho_capture_row_write(const tacho_row *row, const tacho_capture_keys *keys,
                                       tacho_capture_last *last, unsigned char *at)
{
    unsigned head = (unsigned)row->kind | (row->track != last->track ? OTHER_TRACK : 0u);
    head |= row->kind == TACHO_ROW_SPAN ? span_head(row) : 0u;
    unsigned char *out_head = at;
    *at++ = (unsigned char)head;
    at = (head & OTHER_TRACK) != 0 ? tacho_pb_put_varint(at, row->track) : at;
    at = tacho_pb_put_varint(at, fold(last->start, row->start));
    *last = (tacho_capture_last){row->track, row->start};
    switch (row->kind) {
    case TACHO_ROW_SPAN:
        return put_span(row, keys, out_head, at);
    case TACHO_ROW_SAMPLE:
        return put_real(at, row->of.sample.value);
    case TACHO_ROW_FLOW:
        break;
    }
    return put_flow(row, at);
}

unsigned char *tacho_capture_mark_write(uint32_t track_count, unsigned char *at)
{
    *at++ = KIND_MARK;
    return tacho_pb_put_varint(at, track_count);
}

/* ---- reading ------------------------------------------------------------------------------- */

static uint64_t spoil(tacho_capture_cursor *cursor)
{
    cursor->is_bad = true;
    cursor->at = cursor->end;
    return 0;
}

static uint64_t take_long(tacho_capture_cursor *cursor)
{
    uint64_t value = 0;
    for (unsigned shift = 0; shift < 64 && cursor->at < cursor->end; shift += 7) {
        uint64_t byte = *cursor->at++;
        value |= (byte & 0x7f) << shift;
        if (byte < 0x80) {
            return shift == 63 && byte > 1 ? spoil(cursor) : value;
        }
    }
    return spoil(cursor);
}

static inline uint64_t read_number(tacho_capture_cursor *cursor)
{
    if (TACHO_LIKELY(cursor->at < cursor->end && *cursor->at < 0x80)) {
        return *cursor->at++;
    }
    return take_long(cursor);
}

uint64_t tacho_capture_take(tacho_capture_cursor *cursor)
{
    return read_number(cursor);
}

/* A number below |limit|. */
static inline uint32_t take_below(tacho_capture_cursor *cursor, uint64_t limit)
{
    uint64_t value = read_number(cursor);
    return (uint32_t)(value < limit ? value : spoil(cursor));
}

static inline uint32_t take_id(tacho_capture_cursor *cursor)
{
    return take_below(cursor, TACHO_NONE);
}

static unsigned take_byte(tacho_capture_cursor *cursor)
{
    return cursor->at < cursor->end ? *cursor->at++ : (unsigned)spoil(cursor);
}

static double take_real(tacho_capture_cursor *cursor)
{
    double value = 0;
    if ((size_t)(cursor->end - cursor->at) < sizeof(value)) {
        spoil(cursor);
        return 0;
    }
    uint64_t bits = tacho_capture_get_u64((const char *)cursor->at);
    memcpy(&value, &bits, sizeof(value));
    cursor->at += sizeof(value);
    return value;
}

static tacho_str take_text(tacho_capture_cursor *cursor)
{
    uint64_t len = read_number(cursor);
    if (len > (uint64_t)(cursor->end - cursor->at)) {
        spoil(cursor);
        return TACHO_STR("");
    }
    const char *text = (const char *)cursor->at;
    cursor->at += len;
    return tacho_str_make(text, (size_t)len);
}

static void take_arg(tacho_capture_cursor *cursor, tacho_arg *arg)
{
    unsigned head = take_byte(cursor);
    *arg = (tacho_arg){
        .type = (tacho_arg_type)(head & 15),
        .unit = (tacho_unit)(head >> UNIT_SHIFT),
        .key = take_id(cursor),
    };
    if ((int)arg->unit >= (int)TACHO_UNIT_END) {
        spoil(cursor);
    }
    switch (arg->type) {
    case TACHO_ARG_INT:
        arg->value.as_int = unfold(0, read_number(cursor));
        return;
    case TACHO_ARG_UINT:
    case TACHO_ARG_DICT:
    case TACHO_ARG_ARRAY:
        arg->value.as_uint = read_number(cursor);
        return;
    case TACHO_ARG_REAL:
        arg->value.as_real = take_real(cursor);
        return;
    case TACHO_ARG_BOOL:
        arg->value.as_bool = take_below(cursor, 2) != 0;
        return;
    case TACHO_ARG_STRING:
        arg->value.as_string = take_id(cursor);
        return;
    case TACHO_ARG_TEXT:
    case TACHO_ARG_JSON:
        arg->value.as_text = take_text(cursor);
        return;
    }
    spoil(cursor);
}

/* Whether containers are properly nested, not empty and not too deep. */
static bool are_nested(const tacho_arg *args, size_t count)
{
    size_t ends[TACHO_ARG_DEPTH_MAX];
    size_t depth = 0;
    for (size_t i = 0; i < count; i++) {
        while (depth > 0 && ends[depth - 1] == i) {
            depth--;
        }
        if (args[i].type != TACHO_ARG_DICT && args[i].type != TACHO_ARG_ARRAY) {
            continue;
        }
        size_t room = (depth > 0 ? ends[depth - 1] : count) - i - 1;
        if (args[i].value.as_uint == 0 || args[i].value.as_uint > room ||
            depth == TACHO_ARG_DEPTH_MAX) {
            return false;
        }
        ends[depth++] = i + 1 + (size_t)args[i].value.as_uint;
    }
    return true;
}

static bool is_key(const tacho_capture_cursor *cursor, uint32_t key)
{
    bool is_found = false;
    for (size_t i = 0; i < cursor->key_count; i++) {
        is_found = is_found || cursor->keys[i] == key;
    }
    return is_found;
}

/* Numbers of the cursor's keys among |count| arguments; how they nest makes no difference. */
static tacho_status take_keys(tacho_capture_cursor *cursor, uint64_t count,
                              tacho_unpacked_args *args, tacho_row *row)
{
    for (uint64_t i = 0; i < count && !cursor->is_bad; i++) {
        tacho_arg arg;
        take_arg(cursor, &arg);
        bool is_number = arg.type == TACHO_ARG_INT || arg.type == TACHO_ARG_UINT;
        if (TACHO_UNLIKELY(is_number && is_key(cursor, arg.key))) {
            TACHO_TRY(tacho_grow(&args->items, &args->item_capacity, row->arg_count + 1));
            args->items[row->arg_count++] = arg;
        }
    }
    row->args = args->items;
    return TACHO_OK;
}

static tacho_status take_args(tacho_capture_cursor *cursor, bool has_length,
                              tacho_unpacked_args *args, tacho_row *row)
{
    uint64_t length = has_length ? read_number(cursor) : 0;
    const unsigned char *start = cursor->at;
    if (has_length && length >> 1 > (uint64_t)(cursor->end - start)) {
        spoil(cursor);
        return TACHO_OK;
    }
    bool is_summed = !has_length || (length & 1) != 0;
    if (cursor->takes_summed_only && !is_summed && cursor->key_count == 0) {
        cursor->at += length >> 1;
        return TACHO_OK;
    }
    uint64_t count = read_number(cursor);
    if (count == 0 || count > (uint64_t)(cursor->end - cursor->at) / ARG_BYTES_MIN) {
        spoil(cursor);
        return TACHO_OK;
    }
    if (cursor->takes_summed_only && !is_summed) {
        TACHO_TRY(take_keys(cursor, count, args, row));
        if ((uint64_t)(cursor->at - start) != length >> 1) {
            spoil(cursor);
        }
        return TACHO_OK;
    }
    TACHO_TRY(tacho_grow(&args->items, &args->item_capacity, (size_t)count));
    for (size_t i = 0; i < count && !cursor->is_bad; i++) {
        take_arg(cursor, &args->items[i]);
    }
    bool is_whole = !has_length || (uint64_t)(cursor->at - start) == length >> 1;
    if (!cursor->is_bad && (!is_whole || !are_nested(args->items, (size_t)count))) {
        spoil(cursor);
    }
    row->args = args->items;
    row->arg_count = (size_t)count;
    return TACHO_OK;
}

static inline tacho_status take_span(tacho_capture_cursor *cursor, unsigned head,
                                     tacho_unpacked_args *args, tacho_row *row)
{
    row->of.span.end = (int64_t)((uint64_t)row->start + read_number(cursor));
    row->of.span.site = take_id(cursor);
    row->of.span.run = (head & HAS_RUN) != 0 ? take_id(cursor) : TACHO_NONE;
    row->of.span.op = (head & HAS_OP) != 0 ? take_id(cursor) : TACHO_NONE;
    row->of.span.flags = (head & HAS_FLAGS) != 0 ? take_id(cursor) : 0;
    if (TACHO_UNLIKELY((head & (HAS_ARGS | HAS_LENGTH)) == HAS_LENGTH ||
                       (row->of.span.flags & ~(uint32_t)SPAN_FLAGS) != 0)) {
        spoil(cursor);
    }
    return (head & HAS_ARGS) != 0 ? take_args(cursor, (head & HAS_LENGTH) != 0, args, row)
                                  : TACHO_OK;
}

static void take_flow(tacho_capture_cursor *cursor, tacho_row *row)
{
    unsigned bits = take_byte(cursor);
    unsigned bond = bits >> BOND_SHIFT;
    row->of.flow.role = (tacho_flow_role)(bits & 3);
    row->of.flow.phase = (tacho_flow_phase)(bits >> PHASE_SHIFT & 3);
    row->of.flow.id = read_number(cursor);
    row->of.flow.span_name = take_below(cursor, (uint64_t)UINT32_MAX + 1);
    row->of.flow.span_end = bond == BOND_AROUND ? TACHO_FLOW_AROUND
                            : bond == BOND_NEXT ? TACHO_FLOW_NEXT
                                                : unfold(row->start, read_number(cursor));
    if ((bits & 3) > TACHO_FLOW_LAUNCH || (bits >> PHASE_SHIFT & 3) > TACHO_FLOW_ARRIVES ||
        bond >= BOND_COUNT || row->of.flow.id >= flow_ids ||
        (bond == BOND_GIVEN && !tacho_row_is_bound(row))) {
        spoil(cursor);
    }
}

tacho_status tacho_capture_row_read(tacho_capture_cursor *cursor, tacho_unpacked_args *args,
                                    tacho_row *out_row, uint64_t *out_mark,
                                    tacho_capture_item *out_item)
{
    *out_item = TACHO_CAPTURE_ITEM_NONE;
    if (cursor->at >= cursor->end) {
        return TACHO_OK;
    }
    unsigned head = *cursor->at++;
    if ((head & KIND_MASK) == KIND_MARK) {
        *out_mark = read_number(cursor);
        *out_item = cursor->is_bad ? TACHO_CAPTURE_ITEM_NONE : TACHO_CAPTURE_ITEM_MARK;
        return TACHO_OK;
    }
    *out_row = (tacho_row){
        .kind = (tacho_row_kind)(head & KIND_MASK),
        .track = (head & OTHER_TRACK) != 0 ? take_id(cursor) : cursor->last.track,
    };
    out_row->start = unfold(cursor->last.start, read_number(cursor));
    cursor->last = (tacho_capture_last){out_row->track, out_row->start};
    if (out_row->kind == TACHO_ROW_SPAN) {
        TACHO_TRY(take_span(cursor, head, args, out_row));
    } else if (out_row->kind == TACHO_ROW_SAMPLE) {
        out_row->of.sample.value = take_real(cursor);
    } else {
        take_flow(cursor, out_row);
    }
    *out_item = cursor->is_bad ? TACHO_CAPTURE_ITEM_NONE : TACHO_CAPTURE_ITEM_ROW;
    return TACHO_OK;
}
