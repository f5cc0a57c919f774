/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Arguments as debug annotations. The name of an annotation, and a string value that repeats, is
 * interned first; then the event can be written in one go.
 */
#include "sinks/perfetto_args.h"

#include "base/utf8.h"
#include "sinks/trace_rows.h"

#include <assert.h>

enum { TEXT_GROWTH = 3 /* an invalid byte becomes three */ };

/* Arguments under construction. */
typedef struct args_writer {
    const pf_writer *writer;
    size_t text_room; /* limit on bytes of texts, beside the overhead of all arguments */
} args_writer;

static tacho_status intern_args(pf_writer *writer, const tacho_row *row, size_t *out_text_len)
{
    uint32_t iid = 0;
    *out_text_len = 0;
    for (size_t i = 0; i < row->arg_count; i++) {
        const tacho_arg *arg = &row->args[i];
        TACHO_TRY(pf_writer_intern(writer, PF_TABLE_ANNOTATIONS, arg->key, &iid));
        if (arg->type == TACHO_ARG_STRING) {
            TACHO_TRY(pf_writer_intern(writer, PF_TABLE_VALUES, arg->value.as_string, &iid));
        }
        *out_text_len += tacho_arg_has_text(arg) ? arg->value.as_text.len : 0;
    }
    return TACHO_OK;
}

bool pf_args_are_known(const pf_writer *writer, const tacho_row *row)
{
    const pf_interning *names = &writer->tables[PF_TABLE_ANNOTATIONS];
    const pf_interning *values = &writer->tables[PF_TABLE_VALUES];
    bool are_known = true;
    for (size_t i = 0; i < row->arg_count && are_known; i++) {
        const tacho_arg *arg = &row->args[i];
        are_known = pf_interning_knows(names, arg->key, writer->epoch) &&
                    (arg->type != TACHO_ARG_STRING ||
                     pf_interning_knows(values, arg->value.as_string, writer->epoch));
    }
    return are_known;
}

tacho_status pf_args_prepare(pf_writer *writer, const tacho_row *row, size_t *out_bound)
{
    size_t text_len = 0;
    if (row->of.span.run != TACHO_NONE) {
        uint32_t iid = 0;
        uint32_t name = writer->dict->runs[row->of.span.run].name;
        TACHO_TRY(pf_writer_intern(writer, PF_TABLE_VALUES, name, &iid));
    }
    TACHO_TRY(intern_args(writer, row, &text_len));
    *out_bound = pf_args_bound(row->arg_count) + TEXT_GROWTH * text_len;
    return TACHO_OK;
}

/* Copies text into the packet, with invalid bytes replaced. */
static inline unsigned char *put_text(unsigned char *at, uint32_t field, tacho_str text)
{
    unsigned char *short_body = tacho_pb_open(at, field);
    if (TACHO_LIKELY(pf_put_short_text(short_body, text))) {
        return tacho_pb_close(short_body, short_body + text.len);
    }
    if (TACHO_LIKELY(tacho_utf8_is_clean(text))) {
        return tacho_pb_put_bytes(at, field, text);
    }
    unsigned char *body = tacho_pb_open(at, field);
    return tacho_pb_close(body, (unsigned char *)tacho_utf8_clean_into(text, (char *)body));
}

/*
 * The types whose values are whole numbers on the wire, with their tags. The next type is
 * unpredictable for a processor, so the code selects values rather than branches: types other than
 * strings look up string 0.
 */
enum {
    WHOLE_TYPES =
        1 << TACHO_ARG_INT | 1 << TACHO_ARG_UINT | 1 << TACHO_ARG_BOOL | 1 << TACHO_ARG_STRING,
};

static const struct {
    unsigned char bytes[2];
    uint8_t len;
} whole_tags[] = {
    [TACHO_ARG_INT] = {{PF_ANNOTATION_INT << 3}, 1},
    [TACHO_ARG_UINT] = {{PF_ANNOTATION_UINT << 3}, 1},
    [TACHO_ARG_BOOL] = {{PF_ANNOTATION_BOOL << 3}, 1},
    [TACHO_ARG_STRING] = {{(PF_ANNOTATION_STRING_IID << 3 & 0x7f) | 0x80,
                           PF_ANNOTATION_STRING_IID >> 4},
                          2},
};

/* NULL when the string is not interned in this epoch. */
static inline unsigned char *put_whole(const args_writer *to, unsigned char *at,
                                       const tacho_arg *arg)
{
    const pf_interning *values = &to->writer->tables[PF_TABLE_VALUES];
    bool is_string = arg->type == TACHO_ARG_STRING;
    uint32_t string = is_string ? arg->value.as_string : 0;
    if (TACHO_UNLIKELY(string >= values->item_count)) {
        return NULL;
    }
    pf_interned known = values->items[string];
    uint64_t value = arg->type == TACHO_ARG_BOOL ? arg->value.as_bool : arg->value.as_uint;
    value = is_string ? known.iid : value;
    if (TACHO_UNLIKELY(is_string & (known.epoch != to->writer->epoch))) {
        return NULL;
    }
    memcpy(at, whole_tags[arg->type].bytes, sizeof(whole_tags[arg->type].bytes));
    return tacho_pb_put_varied(at + whole_tags[arg->type].len, value);
}

/* Writes the row's own text, or the text of another value; NULL if |text_room| is too small. */
static inline unsigned char *put_own_text(args_writer *to, unsigned char *at, const tacho_arg *arg)
{
    size_t most = TEXT_GROWTH * arg->value.as_text.len;
    if (TACHO_UNLIKELY(most > to->text_room)) {
        return NULL;
    }
    to->text_room -= most;
    at = put_text(at, PF_ANNOTATION_STRING, arg->value.as_text);
    bool is_string = arg->type == TACHO_ARG_TEXT;
    return is_string ? at : tacho_pb_put_uint(at, PF_ANNOTATION_TACHO_IS_VALUE, 1);
}

/* Writes the value of an argument other than a container; NULL if that is not possible yet. */
static inline unsigned char *put_value(args_writer *to, unsigned char *at, const tacho_arg *arg)
{
    if (TACHO_LIKELY((WHOLE_TYPES >> arg->type & 1) != 0)) {
        return put_whole(to, at, arg);
    }
    if (arg->type != TACHO_ARG_REAL) {
        return put_own_text(to, at, arg);
    }
    if (isfinite(arg->value.as_real)) {
        return tacho_pb_put_double(at, PF_ANNOTATION_DOUBLE, arg->value.as_real);
    }
    at = put_text(at, PF_ANNOTATION_STRING, tacho_trace_not_finite(arg->value.as_real));
    return tacho_pb_put_uint(at, PF_ANNOTATION_TACHO_IS_VALUE, 1);
}

/* Writes the name of an argument; NULL if it is not interned in this epoch. */
static inline unsigned char *put_name(const args_writer *to, unsigned char *at, uint32_t key)
{
    const pf_interning *names = &to->writer->tables[PF_TABLE_ANNOTATIONS];
    if (TACHO_UNLIKELY(key >= names->item_count)) {
        return NULL;
    }
    pf_interned known = names->items[key];
    if (TACHO_UNLIKELY(known.epoch != to->writer->epoch)) {
        return NULL;
    }
    return tacho_pb_put_uint(at, PF_ANNOTATION_NAME_IID, known.iid);
}

static inline bool is_container(const tacho_arg *arg)
{
    return arg->type == TACHO_ARG_DICT || arg->type == TACHO_ARG_ARRAY;
}

/* A dictionary or array being written. */
typedef struct open_container {
    unsigned char *body;
    size_t end;        /* index of the first argument after it */
    unsigned char tag; /* its own */
} open_container;

/* Tags of nested messages: of an event's annotations, and of the contents of a container. */
enum {
    ANNOTATION_TAG = PF_EVENT_ANNOTATIONS << 3 | TACHO_PB_WIRE_BYTES,
    ENTRY_TAG = PF_ANNOTATION_DICT_ENTRIES << 3 | TACHO_PB_WIRE_BYTES,
    ELEMENT_TAG = PF_ANNOTATION_ARRAY_VALUES << 3 | TACHO_PB_WIRE_BYTES,
};
static_assert(ANNOTATION_TAG < 0x80 && ENTRY_TAG < 0x80 && ELEMENT_TAG < 0x80, "one byte each");

/* The end of the written arguments, NULL as in put_value, and the room left for texts. */
typedef struct args_end {
    unsigned char *at;
    size_t text_room;
} args_end;

/* Writes |args|, containers with their contents; without recursion. */
static TACHO_NEVER_INLINE args_end put_nested(args_writer to, unsigned char *at,
                                              const tacho_arg *args, size_t arg_count)
{
    open_container stack[TACHO_ARG_DEPTH_MAX];
    size_t depth = 0;
    size_t container_end = SIZE_MAX;    /* of the innermost open one */
    unsigned char tag = ANNOTATION_TAG; /* of an argument in its parent */
    for (size_t i = 0; i < arg_count; i++) {
        const tacho_arg *arg = &args[i];
        at[0] = tag;
        unsigned char *body = at + 2; /* the length is in between */
        at = tag != ELEMENT_TAG ? put_name(&to, body, arg->key) : body;
        if (TACHO_LIKELY(at != NULL) && is_container(arg)) {
            assert(arg->value.as_uint > 0 && depth < TACHO_ARG_DEPTH_MAX);
            container_end = i + 1 + (size_t)arg->value.as_uint;
            stack[depth++] = (open_container){body, container_end, tag};
            tag = arg->type == TACHO_ARG_DICT ? ENTRY_TAG : ELEMENT_TAG;
            continue;
        }
        at = TACHO_LIKELY(at != NULL) ? put_value(&to, at, arg) : NULL;
        if (TACHO_UNLIKELY(at == NULL)) {
            return (args_end){NULL, 0};
        }
        at = tacho_pb_close(body, at);
        while (container_end == i + 1) {
            at = tacho_pb_close(stack[--depth].body, at);
            tag = stack[depth].tag;
            container_end = depth > 0 ? stack[depth - 1].end : SIZE_MAX;
        }
    }
    return (args_end){at, to.text_room};
}

/* Like put_nested, but faster without containers. */
static inline unsigned char *put_annotations(args_writer *to, unsigned char *at,
                                             const tacho_arg *args, size_t arg_count)
{
    for (size_t i = 0; i < arg_count; i++) {
        if (TACHO_UNLIKELY(is_container(&args[i]))) {
            size_t member_count = (size_t)args[i].value.as_uint;
            args_end end = put_nested(*to, at, args + i, 1 + member_count);
            at = end.at;
            to->text_room = end.text_room;
            i += member_count;
        } else {
            unsigned char *body = tacho_pb_open(at, PF_EVENT_ANNOTATIONS);
            at = put_name(to, body, args[i].key);
            at = TACHO_LIKELY(at != NULL) ? put_value(to, at, &args[i]) : NULL;
            at = TACHO_LIKELY(at != NULL) ? tacho_pb_close(body, at) : NULL;
        }
        if (TACHO_UNLIKELY(at == NULL)) {
            return NULL;
        }
    }
    return at;
}

/* Writes arguments that few spans have: an origin other than the part's, a missing end. */
static unsigned char *put_rare_args(const pf_writer *writer, unsigned char *at,
                                    const tacho_row *row)
{
    tacho_origin origin = tacho_trace_own_origin(writer->dict, row);
    if (origin != TACHO_ORIGIN_UNKNOWN) {
        unsigned char *body = tacho_pb_open(at, PF_EVENT_ANNOTATIONS);
        at = tacho_pb_put_uint(body, PF_ANNOTATION_NAME_IID, writer->own_iids[PF_OWN_ORIGIN]);
        at = put_text(at, PF_ANNOTATION_STRING, tacho_str_from_cstring(tacho_origin_name(origin)));
        at = tacho_pb_close(body, at);
    }
    if ((row->of.span.flags & TACHO_SPAN_UNENDED) != 0) {
        unsigned char *body = tacho_pb_open(at, PF_EVENT_ANNOTATIONS);
        at = tacho_pb_put_uint(body, PF_ANNOTATION_NAME_IID, writer->own_iids[PF_OWN_UNENDED]);
        at = tacho_pb_put_uint(at, PF_ANNOTATION_BOOL, 1);
        at = tacho_pb_close(body, at);
    }
    return at;
}

static unsigned char *put_cycles(const pf_writer *writer, unsigned char *at, const tacho_row *row)
{
    unsigned char *body = tacho_pb_open(at, PF_EVENT_ANNOTATIONS);
    at = tacho_pb_put_uint(body, PF_ANNOTATION_NAME_IID, writer->own_iids[PF_OWN_CYCLES]);
    at = tacho_pb_put_tag(at, PF_ANNOTATION_UINT, TACHO_PB_WIRE_VARINT);
    at = tacho_pb_put_varied(at, (uint64_t)(row->of.span.end - row->start));
    return tacho_pb_close(body, at);
}

/* NULL if its name is not interned in this epoch. */
static inline unsigned char *put_run(const args_writer *to, unsigned char *at, const tacho_run *run)
{
    const pf_interning *values = &to->writer->tables[PF_TABLE_VALUES];
    const uint32_t *own_iids = to->writer->own_iids;
    if (run->name >= values->item_count || values->items[run->name].epoch != to->writer->epoch) {
        return NULL;
    }
    unsigned char *body = tacho_pb_open(at, PF_EVENT_ANNOTATIONS);
    at = tacho_pb_put_uint(body, PF_ANNOTATION_NAME_IID, own_iids[PF_OWN_RUN]);
    at = tacho_pb_put_uint(at, PF_ANNOTATION_STRING_IID, values->items[run->name].iid);
    at = tacho_pb_close(body, at);
    if (run->invocation < 0) {
        return at;
    }
    body = tacho_pb_open(at, PF_EVENT_ANNOTATIONS);
    at = tacho_pb_put_uint(body, PF_ANNOTATION_NAME_IID, own_iids[PF_OWN_INVOCATION]);
    at = tacho_pb_put_uint(at, PF_ANNOTATION_UINT, (uint64_t)run->invocation);
    return tacho_pb_close(body, at);
}

unsigned char *pf_args_try_put(const pf_writer *writer, unsigned char *at, const tacho_row *row,
                               bool counts_cycles, size_t room)
{
    size_t bound = pf_args_bound(row->arg_count);
    if (TACHO_UNLIKELY(bound > room)) {
        return NULL;
    }
    args_writer to = {writer, room - bound};
    at = put_annotations(&to, at, row->args, row->arg_count);
    if (TACHO_LIKELY(at != NULL) && counts_cycles &&
        (row->of.span.flags & TACHO_SPAN_INSTANT) == 0) {
        at = put_cycles(writer, at, row);
    }
    if (at != NULL && TACHO_UNLIKELY(row->of.span.run != TACHO_NONE)) {
        at = put_run(&to, at, &writer->dict->runs[row->of.span.run]);
    }
    return at != NULL && TACHO_UNLIKELY(row->of.span.flags != 0) ? put_rare_args(writer, at, row)
                                                                 : at;
}

tacho_status pf_args_prepare_marks(pf_writer *writer, const tacho_row *row, size_t *out_bound)
{
    static const pf_own_key keys[] = {PF_OWN_ORIGIN, PF_OWN_UNENDED};
    enum { KEY_COUNT = sizeof(keys) / sizeof(keys[0]) };
    *out_bound = 0;
    if (TACHO_LIKELY(!tacho_trace_is_marked(writer->dict, row))) {
        return TACHO_OK;
    }
    *out_bound = (size_t)KEY_COUNT * PF_ANNOTATION_OVERHEAD;
    for (size_t i = 0; i < KEY_COUNT; i++) {
        TACHO_TRY(pf_writer_intern(writer, PF_TABLE_ANNOTATIONS, writer->own_keys[keys[i]],
                                   &writer->own_iids[keys[i]]));
    }
    return TACHO_OK;
}

unsigned char *pf_args_put_marks(const pf_writer *writer, unsigned char *at, const tacho_row *row)
{
    return tacho_trace_is_marked(writer->dict, row) ? put_rare_args(writer, at, row) : at;
}
