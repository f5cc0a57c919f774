/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The arguments of a span: its own, and those that the sink adds (cycles, run, origin).
 */
#ifndef TACHO_SINKS_PERFETTO_ARGS_H
#define TACHO_SINKS_PERFETTO_ARGS_H

#include "sinks/perfetto_writer.h"

enum { PF_ANNOTATION_OVERHEAD = 32 /* tags, lengths and numbers of one argument, text aside */ };

/* The maximum size of |arg_count| arguments and of those that the sink adds, without texts. */
static inline size_t pf_args_bound(size_t arg_count)
{
    return ((size_t)PF_OWN_KEY_COUNT + arg_count) * PF_ANNOTATION_OVERHEAD;
}

/*
 * Writes the arguments into an event; |counts_cycles| is that of the track's clock. NULL if a
 * string is not interned in this epoch, or |room| may be too small: then call pf_args_prepare
 * first. Usually everything is interned, so try this first.
 */
unsigned char *pf_args_try_put(const pf_writer *writer, unsigned char *at, const tacho_row *row,
                               bool counts_cycles, size_t room);

/* Up to eight bytes as a word, the first one lowest, filled up with zeros. */
static inline uint64_t pf_load_short(tacho_str text)
{
    if (text.len >= 4) {
        uint32_t front;
        uint32_t back;
        memcpy(&front, text.data, sizeof(front));
        memcpy(&back, text.data + text.len - sizeof(back), sizeof(back));
        return front | (uint64_t)back << (text.len - sizeof(back)) * 8;
    }
    const unsigned char *bytes = (const unsigned char *)text.data;
    size_t middle = text.len / 2;
    return text.len == 0 ? 0
                         : bytes[0] | (uint64_t)bytes[middle] << middle * 8 |
                               (uint64_t)bytes[text.len - 1] << (text.len - 1) * 8;
}

/*
 * Writes a text of at most eight bytes, padded with zeros; false if it is longer or not all ASCII.
 */
static inline bool pf_put_short_text(unsigned char *at, tacho_str text)
{
#if defined(__BYTE_ORDER__) && __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
    const uint64_t each_byte = UINT64_C(0x0101010101010101);
    if (text.len <= sizeof(uint64_t)) {
        uint64_t word = pf_load_short(text);
        uint64_t filled = word | (text.len < sizeof(word) ? each_byte << text.len * 8 : 0);
        memcpy(at, &word, sizeof(word));
        return ((filled | (filled - each_byte)) & each_byte * 0x80) == 0;
    }
#else
    (void)at;
    (void)text;
#endif
    return false;
}

/* Whether pf_args_prepare would not write anything for |row|, which does not belong to a run. */
bool pf_args_are_known(const pf_writer *writer, const tacho_row *row);

/* Writes everything that the arguments of |row| will refer to; |*out_bound| limits their size. */
tacho_status pf_args_prepare(pf_writer *writer, const tacho_row *row,
                             size_t *out_bound) TACHO_MUST_USE;

/* Like pf_args_prepare, for arguments written even without the others: origin, missing end. */
tacho_status pf_args_prepare_marks(pf_writer *writer, const tacho_row *row,
                                   size_t *out_bound) TACHO_MUST_USE;
unsigned char *pf_args_put_marks(const pf_writer *writer, unsigned char *at, const tacho_row *row);

#endif
