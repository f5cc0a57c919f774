/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Plain spans, which nearly all rows are: without flows, run and flags, on a track that is
 * described in this epoch. The output pointer and the clock stay in registers from one row to the
 * next. All other rows are left to perfetto.c, which writes the same bytes for plain ones too.
 */
#include "sinks/perfetto_args.h"
#include "sinks/perfetto_sink.h"

#include <assert.h>

enum {
    PACKET_TAG = PF_TRACE_PACKET << 3 | TACHO_PB_WIRE_BYTES,
    TIME_TAG = PF_PACKET_TIMESTAMP << 3 | TACHO_PB_WIRE_VARINT,
    PACKET_BODY = 2, /* after tag and length */
    ANNOTATION_TAG = PF_EVENT_ANNOTATIONS << 3 | TACHO_PB_WIRE_BYTES,
    NAME_TAG = PF_ANNOTATION_NAME_IID << 3 | TACHO_PB_WIRE_VARINT,
    UINT_TAG = PF_ANNOTATION_UINT << 3 | TACHO_PB_WIRE_VARINT,
    INT_TAG = PF_ANNOTATION_INT << 3 | TACHO_PB_WIRE_VARINT,
    TEXT_TAG = PF_ANNOTATION_STRING << 3 | TACHO_PB_WIRE_BYTES,
    STRING_IID_TAG = PF_ANNOTATION_STRING_IID << 3 | TACHO_PB_WIRE_VARINT, /* two bytes */
    PLAIN_ARGS_MAX = 3, /* beyond this, a row is likely not plain */
    ONE_BYTE = 0x80,    /* numbers below take one byte */
};
static_assert(PACKET_TAG < ONE_BYTE && TIME_TAG < ONE_BYTE && ANNOTATION_TAG < ONE_BYTE &&
                  NAME_TAG < ONE_BYTE && UINT_TAG < ONE_BYTE && INT_TAG < ONE_BYTE &&
                  TEXT_TAG < ONE_BYTE,
              "tags of one byte each");
static_assert(STRING_IID_TAG >= ONE_BYTE && STRING_IID_TAG < ONE_BYTE * ONE_BYTE, "of two bytes");

/* The place of the next packet, and the delta clock. */
typedef struct plain_writer {
    unsigned char *at;
    const unsigned char *stop; /* no plain packet starts here or later */
    int64_t clock_ns;
    bool is_varied;      /* the number of arguments varies */
    tacho_status status; /* why the last row was not written; OK: not plain */
} plain_writer;

/* From here on the output needs room, or the sequence starts afresh. */
static const unsigned char *find_stop(const perfetto_sink *sink)
{
    const tacho_output *output = sink->writer.output;
    uint64_t until_due = sink->writer.restart_offset > output->flushed_bytes
                             ? sink->writer.restart_offset - output->flushed_bytes
                             : 0;
    size_t room = (size_t)(output->limit - output->buffer) - PF_PLAIN_ROOM;
    return output->buffer + (until_due < room ? (size_t)until_due : room);
}

/* Writes tag, room for the length, and time of a packet; returns the end. */
static TACHO_ALWAYS_INLINE unsigned char *put_time(unsigned char *packet, uint64_t delta_ns)
{
    packet[0] = PACKET_TAG;
    packet[PACKET_BODY] = TIME_TAG;
    return tacho_pb_put_varied(packet + PACKET_BODY + 1, delta_ns);
}

/* Ends every span whose end is at or before |time_ns|; false if one is not plain. */
static TACHO_ALWAYS_INLINE bool put_ends(perfetto_sink *sink, plain_writer *to, int64_t time_ns)
{
    for (const pf_span_end *end; (end = pf_ends_due(&sink->ends, time_ns)) != NULL;) {
        const pf_track_state *state = &sink->tracks[pf_place_track(end->place)];
        if (TACHO_UNLIKELY(to->at >= to->stop || pf_place_slot(end->place) != TACHO_NONE ||
                           state->plain_epoch != sink->writer.epoch)) {
            return false;
        }
        unsigned char *packet = to->at;
        unsigned char *at = put_time(packet, (uint64_t)(end->end_ns - to->clock_ns));
        memcpy(at, state->end_frame, PF_FRAME_BYTES); /* a constant length is one quick copy */
        at += state->frame_len;
        packet[1] = (unsigned char)(at - packet - PACKET_BODY);
        to->at = at;
        to->clock_ns = end->end_ns;
        pf_ends_pop(&sink->ends);
    }
    return true;
}

/* ---- arguments -------------------------------------------------------------------------- */

/* Facts about the arguments that hold for several rows. */
typedef struct args_hint {
    bool counts_cycles;
    bool are_varied; /* the number of arguments varies between rows of this group */
} args_hint;

/* Writes tag, room for the length, and name of an argument; returns the end. */
static inline unsigned char *put_arg_name(unsigned char *arg, uint32_t name_iid)
{
    arg[0] = ANNOTATION_TAG;
    arg[PACKET_BODY] = NAME_TAG;
    arg[PACKET_BODY + 1] = (unsigned char)name_iid;
    return arg + PACKET_BODY + 2;
}

static inline unsigned char *end_arg(unsigned char *arg, unsigned char *at)
{
    arg[1] = (unsigned char)(at - arg - PACKET_BODY);
    return at;
}

/* Writes an argument that is a whole number or a short text; NULL for others, or for a new name. */
static TACHO_ALWAYS_INLINE unsigned char *try_put_arg(const pf_writer *writer, unsigned char *arg,
                                                      const tacho_arg *facts)
{
    const pf_interning *names = &writer->tables[PF_TABLE_ANNOTATIONS];
    if (TACHO_UNLIKELY(facts->key >= names->item_count)) {
        return NULL;
    }
    pf_interned name = names->items[facts->key];
    if (TACHO_UNLIKELY(name.epoch != writer->epoch || name.iid >= ONE_BYTE)) {
        return NULL;
    }
    unsigned char *at = put_arg_name(arg, name.iid);
    if (facts->type == TACHO_ARG_TEXT) {
        tacho_str text = facts->value.as_text;
        at[0] = TEXT_TAG;
        at[1] = (unsigned char)text.len;
        return TACHO_LIKELY(pf_put_short_text(at + 2, text)) ? end_arg(arg, at + 2 + text.len)
                                                             : NULL;
    }
    if (facts->type == TACHO_ARG_STRING) {
        const pf_interning *values = &writer->tables[PF_TABLE_VALUES];
        uint32_t string = facts->value.as_string;
        if (TACHO_UNLIKELY(!pf_interning_knows(values, string, writer->epoch))) {
            return NULL;
        }
        at[0] = (STRING_IID_TAG & 0x7f) | 0x80;
        at[1] = STRING_IID_TAG >> 7;
        return end_arg(arg, tacho_pb_put_varied(at + 2, values->items[string].iid));
    }
    if (TACHO_UNLIKELY(facts->type != TACHO_ARG_INT && facts->type != TACHO_ARG_UINT)) {
        return NULL;
    }
    at[0] = facts->type == TACHO_ARG_INT ? INT_TAG : UINT_TAG;
    return end_arg(arg, tacho_pb_put_varied(at + 1, facts->value.as_uint));
}

/*
 * Writes one argument or two, when a branch would be unpredictable: the last one is always written,
 * and counts if it is the second.
 */
static TACHO_ALWAYS_INLINE unsigned char *
try_put_one_or_two(const pf_writer *writer, unsigned char *first, const tacho_row *row)
{
    unsigned char *second = try_put_arg(writer, first, &row->args[0]);
    if (TACHO_UNLIKELY(second == NULL)) {
        return NULL;
    }
    size_t more = row->arg_count - 1;
    unsigned char *end = try_put_arg(writer, second, &row->args[more]);
    return TACHO_LIKELY(end != NULL) ? second + ((size_t)(end - second) & -more) : NULL;
}

/* Writes the arguments of |row|; NULL as in pf_args_try_put. */
static TACHO_ALWAYS_INLINE unsigned char *put_args(const pf_writer *writer, unsigned char *first,
                                                   const tacho_row *row, args_hint hint)
{
    bool counts_cycles = hint.counts_cycles;
    unsigned char *at = row->arg_count <= PLAIN_ARGS_MAX ? first : NULL;
    if (hint.are_varied && row->arg_count - 1 < 2) {
        at = try_put_one_or_two(writer, first, row);
    } else {
        for (size_t i = 0; i < row->arg_count && at != NULL; i++) {
            at = try_put_arg(writer, at, &row->args[i]);
        }
    }
    if (TACHO_UNLIKELY(at == NULL)) {
        return pf_args_try_put(writer, first, row, counts_cycles,
                               PF_PLAIN_ROOM - PF_EVENT_OVERHEAD);
    }
    if (counts_cycles) {
        unsigned char *arg = at;
        at = put_arg_name(arg, writer->own_iids[PF_OWN_CYCLES]);
        at[0] = UINT_TAG;
        at = tacho_pb_put_varied(at + 1, (uint64_t)(row->of.span.end - row->start));
        at = end_arg(arg, at);
    }
    return at;
}

/* ---- sites ------------------------------------------------------------------------------ */

/*
 * Interns the strings of a site, if they are new in this epoch. The site stays unknown if strings
 * of the arguments have to be written ahead of it.
 */
static TACHO_NEVER_INLINE tacho_status add_site(pf_writer *writer, const tacho_row *row)
{
    if (!writer->options.omit_args && !pf_args_are_known(writer, row)) {
        return TACHO_OK;
    }
    TACHO_TRY(pf_writer_add_site(writer, row->of.span.site));
    (void)tacho_output_reserve(writer->output, PF_PLAIN_ROOM);
    return TACHO_OK;
}

/* ---- spans ------------------------------------------------------------------------------ */

/* Writes the BEGIN of |row|; false, with nothing written, if it is not plain. */
static TACHO_ALWAYS_INLINE bool put_begin(perfetto_sink *sink, plain_writer *to,
                                          const tacho_row *row, int64_t start_ns)
{
    const pf_writer *writer = &sink->writer;
    const pf_track_state *state = &sink->tracks[row->track];
    if (TACHO_UNLIKELY(!pf_writer_knows_site(writer, row->of.span.site))) {
        tacho_output *output = sink->writer.output;
        output->cursor = to->at;
        to->status = add_site(&sink->writer, row);
        to->at = output->cursor;
        to->stop = find_stop(sink);
        if (TACHO_UNLIKELY(!pf_writer_knows_site(writer, row->of.span.site))) {
            return false;
        }
    }
    const pf_site *site = &writer->sites[row->of.span.site];
    unsigned char *packet = to->at;
    unsigned char *at = put_time(packet, (uint64_t)(start_ns - to->clock_ns));
    unsigned char *event = at + PF_FRAME_BODY;
    memcpy(at, state->begin_frame, PF_FRAME_BYTES);
    at += state->frame_len;
    memcpy(at, site->bytes, PF_SITE_BYTES_MAX);
    at += site->len;
    if (!writer->options.omit_args) {
        at = put_args(writer, at, row, (args_hint){state->clock.counts_cycles, to->is_varied});
    }
    if (TACHO_UNLIKELY(at == NULL)) {
        return false;
    }
    at = tacho_pb_close(packet + PACKET_BODY, tacho_pb_close(event, at));
    to->at = at;
    to->clock_ns = start_ns;
    return true;
}

/* Whether |row| is a span that is plain unless its site is new. */
static inline bool may_be_plain(const perfetto_sink *sink, const tacho_row *row)
{
    return row->kind == TACHO_ROW_SPAN && row->track < sink->track_count &&
           sink->tracks[row->track].plain_epoch == sink->writer.epoch &&
           sink->tracks[row->track].pending == TACHO_NONE && row->of.span.flags == 0 &&
           row->of.span.run == TACHO_NONE;
}

static TACHO_ALWAYS_INLINE bool try_put_span(perfetto_sink *sink, plain_writer *to,
                                             const tacho_row *row)
{
    if (TACHO_UNLIKELY(!may_be_plain(sink, row))) {
        return false;
    }
    const tacho_clock *clock = &sink->tracks[row->track].clock;
    int64_t start_ns = tacho_clock_ns(clock, row->start);
    int64_t end_ns = tacho_clock_ns(clock, row->of.span.end);
    if (TACHO_UNLIKELY(!put_ends(sink, to, start_ns) || to->at >= to->stop ||
                       !pf_ends_has_room(&sink->ends, end_ns) ||
                       !put_begin(sink, to, row, start_ns))) {
        return false;
    }
    pf_ends_put(&sink->ends, end_ns, pf_place(row->track, TACHO_NONE));
    return true;
}

/* Whether the number of arguments differs between |rows|. */
static bool are_varied(const tacho_row *rows, size_t count)
{
    size_t alike = 0;
    while (alike < count && rows[alike].arg_count == rows[0].arg_count) {
        alike++;
    }
    return alike < count;
}

tacho_status pf_put_plain_spans(perfetto_sink *sink, const tacho_row *rows, size_t count,
                                size_t *out_done)
{
    tacho_output *output = sink->writer.output;
    plain_writer to = {output->cursor, find_stop(sink), sink->writer.clock_ns,
                       are_varied(rows, count), TACHO_OK};
    size_t done = 0;
    while (done < count && try_put_span(sink, &to, &rows[done])) {
        done++;
    }
    output->cursor = to.at;
    sink->writer.clock_ns = to.clock_ns;
    *out_done = done;
    return to.status;
}
