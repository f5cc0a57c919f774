/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Packing: the fixed head, then the arguments, padded to eight bytes. Rows that are sorted are
 * written and read again, so they should be small; most arguments have a small number or the id of
 * a string for a value. Such a one takes a single word: from the lowest bit on 4 bits of type, 4 of
 * unit, 24 of key and 32 of value. One that does not fit is wide: its key takes the place of the
 * value, and the value is a word of its own. The value of a text is its length; the text follows.
 */
#include "profile/packed_row.h"

#include "base/grow.h"

#include <assert.h>

enum {
    UNIT_SHIFT = 4,
    WIDE = 1 << 7, /* the highest bit of the unit */
    KEY_SHIFT = 8,
    VALUE_SHIFT = 32,
    TYPE_MASK = 15,
    UNIT_MASK = 7,
};

enum { WORD_BYTES = sizeof(uint64_t), ARG_BYTES_MAX = 2 * WORD_BYTES /* text aside */ };

static_assert(sizeof(((tacho_row *)0)->of) <= sizeof(((tacho_packed_row *)0)->payload),
              "the payload holds every kind of row");
static_assert((int)TACHO_ARG_JSON <= (int)TYPE_MASK && (int)TACHO_UNIT_END <= (int)UNIT_MASK,
              "types and units have their bits");

/* Types of which the value is text. */
enum { TEXT_TYPES = 1 << TACHO_ARG_TEXT | 1 << TACHO_ARG_JSON };

/* Which bits of the word of a value its type has, on machines that put the lowest byte first. */
static const uint64_t narrow_masks[TYPE_MASK + 1] = {
    [TACHO_ARG_INT] = UINT64_MAX,    [TACHO_ARG_UINT] = UINT64_MAX,  [TACHO_ARG_REAL] = UINT64_MAX,
    [TACHO_ARG_DICT] = UINT64_MAX,   [TACHO_ARG_ARRAY] = UINT64_MAX, [TACHO_ARG_BOOL] = 1,
    [TACHO_ARG_STRING] = UINT32_MAX,
};

#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
/* The shift of the value in that word on big-endian machines. */
static const uint8_t narrow_shifts[TYPE_MASK + 1] = {
    [TACHO_ARG_BOOL] = 56,
    [TACHO_ARG_STRING] = 32,
};
#define NARROW_SHIFT(type) narrow_shifts[type]
#else
#define NARROW_SHIFT(type) 0
#endif

static inline unsigned char *put_word(unsigned char *at, uint64_t word)
{
    memcpy(at, &word, sizeof(word));
    return at + sizeof(word);
}

static inline uint64_t word_at(const unsigned char *at)
{
    uint64_t word = 0;
    memcpy(&word, at, sizeof(word));
    return word;
}

/* Small numbers of either sign to small ones without, and back. */
static inline uint64_t fold_sign(int64_t value)
{
    return (uint64_t)value << 1 ^ (value < 0 ? UINT64_MAX : 0);
}

static inline int64_t unfold_sign(uint64_t bits)
{
    return (int64_t)(bits >> 1 ^ (0 - (bits & 1)));
}

/* ---- rows ------------------------------------------------------------------------------- */

tacho_status tacho_packed_row_bound(const tacho_row *row, size_t *out_bound)
{
    size_t bound = sizeof(tacho_packed_row) + row->arg_count * ARG_BYTES_MAX + WORD_BYTES;
    for (size_t i = 0; i < row->arg_count; i++) {
        bound += (TEXT_TYPES >> row->args[i].type & 1) != 0 ? row->args[i].value.as_text.len : 0;
    }
    if (bound > UINT32_MAX) {
        return tacho_fail(TACHO_CODE_LIMIT, "an event with %zu arguments takes %zu bytes",
                          row->arg_count, bound);
    }
    *out_bound = bound;
    return TACHO_OK;
}

/*
 * Types follow one another in no order that a processor could guess, so the two functions below
 * choose between values, not between ways: a string and a truth are the first bytes of the word
 * that other values fill.
 */
static inline uint64_t value_bits(const tacho_arg *arg)
{
    uint64_t bits = arg->value.as_uint >> NARROW_SHIFT(arg->type) & narrow_masks[arg->type];
    return arg->type == TACHO_ARG_INT ? fold_sign((int64_t)bits) : bits;
}

static inline void set_value(tacho_arg *arg, uint64_t bits)
{
    bits = arg->type == TACHO_ARG_INT ? (uint64_t)unfold_sign(bits) : bits;
    arg->value.as_uint = bits << NARROW_SHIFT(arg->type);
}

static inline unsigned char *put_bits(unsigned char *at, const tacho_arg *arg, uint64_t bits)
{
    uint64_t word = (uint64_t)arg->type | (uint64_t)arg->unit << UNIT_SHIFT;
    if (TACHO_LIKELY((bits >> VALUE_SHIFT | arg->key >> (VALUE_SHIFT - KEY_SHIFT)) == 0)) {
        return put_word(at, word | (uint64_t)arg->key << KEY_SHIFT | bits << VALUE_SHIFT);
    }
    at = put_word(at, word | WIDE | (uint64_t)arg->key << VALUE_SHIFT);
    return put_word(at, bits);
}

static inline unsigned char *put_arg(unsigned char *at, const tacho_arg *arg)
{
    if (TACHO_LIKELY((TEXT_TYPES >> arg->type & 1) == 0)) {
        return put_bits(at, arg, value_bits(arg));
    }
    tacho_str text = arg->value.as_text;
    at = put_bits(at, arg, text.len);
    if (text.len > 0) {
        memcpy(at, text.data, text.len);
    }
    return at + text.len;
}

size_t tacho_packed_row_write(const tacho_row *row, void *memory)
{
    tacho_packed_row *head = memory;
    *head = (tacho_packed_row){
        .arg_count = (uint32_t)row->arg_count,
        .kind = (uint32_t)row->kind,
        .track = row->track,
        .start = row->start,
    };
    memcpy(head->payload, &row->of, sizeof(row->of));
    unsigned char *at = (unsigned char *)(head + 1);
    for (size_t i = 0; i < row->arg_count; i++) {
        at = put_arg(at, &row->args[i]);
    }
    put_word(at, 0); /* the padding */
    size_t size = (size_t)(at - (unsigned char *)memory);
    size = (size + WORD_BYTES - 1) / WORD_BYTES * WORD_BYTES;
    head->size_bytes = (uint32_t)size;
    return size;
}

static inline const unsigned char *take_arg(const unsigned char *at, tacho_arg *arg)
{
    uint64_t word = word_at(at);
    uint64_t bits = word >> VALUE_SHIFT;
    at += sizeof(word);
    arg->key = (uint32_t)word >> KEY_SHIFT;
    arg->type = (tacho_arg_type)(word & TYPE_MASK);
    arg->unit = (tacho_unit)(word >> UNIT_SHIFT & UNIT_MASK);
    if (TACHO_UNLIKELY((word & WIDE) != 0)) {
        arg->key = (uint32_t)bits;
        bits = word_at(at);
        at += sizeof(bits);
    }
    if (TACHO_LIKELY((TEXT_TYPES >> arg->type & 1) == 0)) {
        set_value(arg, bits);
        return at;
    }
    arg->value.as_text = tacho_str_make((const char *)at, (size_t)bits);
    return at + bits;
}

tacho_status tacho_packed_row_read(const tacho_packed_row *packed, tacho_unpacked_args *args,
                                   tacho_row *out_row)
{
    TACHO_TRY(tacho_grow(&args->items, &args->item_capacity, packed->arg_count));
    *out_row = (tacho_row){
        .kind = (tacho_row_kind)packed->kind,
        .track = packed->track,
        .start = packed->start,
        .args = args->items,
        .arg_count = packed->arg_count,
    };
    memcpy(&out_row->of, packed->payload, sizeof(out_row->of));
    const unsigned char *at = (const unsigned char *)(packed + 1);
    for (size_t i = 0; i < packed->arg_count; i++) {
        at = take_arg(at, &args->items[i]);
    }
    return TACHO_OK;
}
