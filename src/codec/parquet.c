/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Values of a group are kept by column; at its end each column becomes a chunk of at most two
 * pages, a dictionary and the data. What the footer says of chunks is kept until the end.
 */
#include "codec/parquet.h"

#include "base/arena.h"
#include "base/grow.h"
#include "base/number_map.h"
#include "codec/parquet_pack.h"
#include "codec/thrift.h"

#include <assert.h>
#include <stdlib.h>
#include <zstd.h>

/* Numbers of the format. */
enum {
    PHYSICAL_BOOLEAN = 0,
    PHYSICAL_INT64 = 2,
    PHYSICAL_DOUBLE = 5,
    PHYSICAL_BYTE_ARRAY = 6,
    ENCODING_PLAIN = 0,
    ENCODING_RLE = 3,
    ENCODING_DELTA = 5,
    ENCODING_DICTIONARY = 8,
    CODEC_ZSTD = 6,
    PAGE_DATA = 0,
    PAGE_DICTIONARY = 2,
    REPETITION_OPTIONAL = 1,
    CONVERTED_UTF8 = 0,
    LOGICAL_STRING = 1,
    ZSTD_LEVEL = 3,
    STATISTICS_TEXT_MAX = 64, /* longer texts are no bounds: most readers would cut them */
};

/* What the footer says of a column of a group. */
typedef struct chunk {
    int64_t dictionary_at; /* -1: none */
    int64_t data_at;
    int64_t packed_bytes, plain_bytes; /* of pages with their headers */
    int64_t value_count, null_count;
    int encoding;
    bool has_bounds;
    tacho_str bounds[2]; /* as the format has values, in the arena */
} chunk;

typedef struct column {
    tacho_parquet_column facts;
    uint32_t *levels; /* 1: there is a value, 0: there is none */
    size_t level_count, level_capacity;
    union {
        int64_t *integers;
        double *reals;
        uint32_t *indexes; /* into the dictionary; of flags 0 or 1 */
    } of;
    size_t value_count, value_capacity;
    tacho_parquet_buffer texts; /* without keys: lengths and bytes, as the format has them */
    bool has_keys;
    tacho_number_map keys; /* key -> index in the dictionary of the group */
    tacho_str *dictionary;
    size_t dictionary_count, dictionary_capacity;
} column;

typedef struct group {
    int64_t row_count;
    int64_t byte_count;
    chunk *chunks; /* by column, in the arena */
} group;

typedef struct fact {
    tacho_str key, value;
} fact;

struct tacho_parquet {
    tacho_output *output;
    uint64_t start; /* of the file in the output */
    column *columns;
    size_t column_count;
    size_t next_column;
    size_t row_count; /* of the group */
    int64_t total_rows;
    group *groups;
    size_t group_count, group_capacity;
    fact *facts;
    size_t fact_count, fact_capacity;
    tacho_arena arena;
    tacho_parquet_buffer page; /* being put together */
    tacho_parquet_buffer packed;
    tacho_thrift thrift;
    ZSTD_CCtx *zstd;
};

/* ---- values ---------------------------------------------------------------------------------- */

static tacho_status write_group(tacho_parquet *writer);

/* The column that is next; a group that is full is written first. */
static tacho_status begin_value(tacho_parquet *writer, bool is_there, column **out_column)
{
    if (writer->next_column == 0 && writer->row_count == TACHO_PARQUET_GROUP_ROWS) {
        TACHO_TRY(write_group(writer));
    }
    column *self = &writer->columns[writer->next_column];
    TACHO_TRY(tacho_grow(&self->levels, &self->level_capacity, self->level_count + 1));
    self->levels[self->level_count++] = is_there;
    writer->next_column++;
    if (writer->next_column == writer->column_count) {
        writer->next_column = 0;
        writer->row_count++;
    }
    *out_column = self;
    return TACHO_OK;
}

tacho_status tacho_parquet_add_null(tacho_parquet *writer)
{
    column *self = NULL;
    return begin_value(writer, false, &self);
}

tacho_status tacho_parquet_add_int(tacho_parquet *writer, int64_t value)
{
    column *self = NULL;
    TACHO_TRY(begin_value(writer, true, &self));
    assert(self->facts.type == TACHO_PARQUET_INT);
    TACHO_TRY(tacho_grow(&self->of.integers, &self->value_capacity, self->value_count + 1));
    self->of.integers[self->value_count++] = value;
    return TACHO_OK;
}

tacho_status tacho_parquet_add_real(tacho_parquet *writer, double value)
{
    column *self = NULL;
    TACHO_TRY(begin_value(writer, true, &self));
    assert(self->facts.type == TACHO_PARQUET_REAL);
    TACHO_TRY(tacho_grow(&self->of.reals, &self->value_capacity, self->value_count + 1));
    self->of.reals[self->value_count++] = value;
    return TACHO_OK;
}

static tacho_status add_index(column *self, uint32_t index)
{
    TACHO_TRY(tacho_grow(&self->of.indexes, &self->value_capacity, self->value_count + 1));
    self->of.indexes[self->value_count++] = index;
    return TACHO_OK;
}

tacho_status tacho_parquet_add_bool(tacho_parquet *writer, bool value)
{
    column *self = NULL;
    TACHO_TRY(begin_value(writer, true, &self));
    assert(self->facts.type == TACHO_PARQUET_BOOL);
    return add_index(self, value);
}

static tacho_status add_to_dictionary(column *self, uint32_t key, tacho_str text)
{
    TACHO_TRY(
        tacho_grow(&self->dictionary, &self->dictionary_capacity, self->dictionary_count + 1));
    TACHO_TRY(tacho_number_map_set(&self->keys, key, self->dictionary_count));
    self->dictionary[self->dictionary_count++] = text;
    return TACHO_OK;
}

tacho_status tacho_parquet_add_key(tacho_parquet *writer, uint32_t key, tacho_str text)
{
    column *self = NULL;
    TACHO_TRY(begin_value(writer, true, &self));
    assert(self->facts.type == TACHO_PARQUET_TEXT && self->texts.len == 0);
    self->has_keys = true;
    const uint64_t *known = tacho_number_map_find(&self->keys, key);
    uint32_t index = known != NULL ? (uint32_t)*known : (uint32_t)self->dictionary_count;
    if (known == NULL) {
        TACHO_TRY(add_to_dictionary(self, key, text));
    }
    return add_index(self, index);
}

bool tacho_parquet_has_key(const tacho_parquet *writer, uint32_t key)
{
    bool is_full = writer->next_column == 0 && writer->row_count == TACHO_PARQUET_GROUP_ROWS;
    return !is_full &&
           tacho_number_map_find(&writer->columns[writer->next_column].keys, key) != NULL;
}

static tacho_status add_plain_text(tacho_str text, tacho_parquet_buffer *to)
{
    if (text.len > INT32_MAX) {
        return tacho_fail(TACHO_CODE_LIMIT, "a text of %zu bytes does not fit a Parquet file",
                          text.len);
    }
    uint32_t len = (uint32_t)text.len;
    TACHO_TRY(tacho_parquet_buffer_add(to, &len, sizeof(len)));
    return tacho_parquet_buffer_add(to, text.data, text.len);
}

tacho_status tacho_parquet_add_text(tacho_parquet *writer, tacho_str text)
{
    column *self = NULL;
    TACHO_TRY(begin_value(writer, true, &self));
    assert(self->facts.type == TACHO_PARQUET_TEXT && !self->has_keys);
    self->value_count++;
    return add_plain_text(text, &self->texts);
}

tacho_status tacho_parquet_add_fact(tacho_parquet *writer, const char *key, tacho_str value)
{
    TACHO_TRY(tacho_grow(&writer->facts, &writer->fact_capacity, writer->fact_count + 1));
    fact *made = &writer->facts[writer->fact_count];
    TACHO_TRY(tacho_arena_copy(&writer->arena, tacho_str_from_cstring(key), &made->key));
    TACHO_TRY(tacho_arena_copy(&writer->arena, value, &made->value));
    writer->fact_count++;
    return TACHO_OK;
}

/* ---- bounds ---------------------------------------------------------------------------------- */

static tacho_status keep_bound(tacho_parquet *writer, const void *value, size_t len,
                               tacho_str *out_bound)
{
    return tacho_arena_copy(&writer->arena, tacho_str_make(value, len), out_bound);
}

static tacho_status bound_integers(tacho_parquet *writer, const column *self, chunk *made)
{
    int64_t bounds[2] = {self->of.integers[0], self->of.integers[0]};
    for (size_t i = 1; i < self->value_count; i++) {
        int64_t value = self->of.integers[i];
        bounds[0] = value < bounds[0] ? value : bounds[0];
        bounds[1] = value > bounds[1] ? value : bounds[1];
    }
    made->has_bounds = true;
    TACHO_TRY(keep_bound(writer, &bounds[0], sizeof(bounds[0]), &made->bounds[0]));
    return keep_bound(writer, &bounds[1], sizeof(bounds[1]), &made->bounds[1]);
}

/* Of texts with keys: the dictionary has them all. */
static tacho_status bound_texts(tacho_parquet *writer, const column *self, chunk *made)
{
    tacho_str least = self->dictionary[0], most = self->dictionary[0];
    for (size_t i = 1; i < self->dictionary_count; i++) {
        tacho_str text = self->dictionary[i];
        least = tacho_str_compare(text, least) < 0 ? text : least;
        most = tacho_str_compare(text, most) > 0 ? text : most;
    }
    made->has_bounds = least.len <= STATISTICS_TEXT_MAX && most.len <= STATISTICS_TEXT_MAX;
    TACHO_TRY(keep_bound(writer, least.data, least.len, &made->bounds[0]));
    return keep_bound(writer, most.data, most.len, &made->bounds[1]);
}

/* Numbers that are not finite, texts without keys and flags go without. */
static tacho_status find_bounds(tacho_parquet *writer, const column *self, chunk *made)
{
    if (self->value_count == 0) {
        return TACHO_OK;
    }
    if (self->facts.type == TACHO_PARQUET_INT) {
        return bound_integers(writer, self, made);
    }
    return self->has_keys ? bound_texts(writer, self, made) : TACHO_OK;
}

/* ---- pages ----------------------------------------------------------------------------------- */

static tacho_status compress(tacho_parquet *writer)
{
    size_t bound = ZSTD_compressBound(writer->page.len);
    writer->packed.len = 0;
    TACHO_TRY(tacho_grow(&writer->packed.items, &writer->packed.capacity, bound));
    size_t len = ZSTD_compressCCtx(writer->zstd, writer->packed.items, bound, writer->page.items,
                                   writer->page.len, ZSTD_LEVEL);
    if (ZSTD_isError(len)) {
        return tacho_no_memory();
    }
    if (writer->page.len > INT32_MAX || len > INT32_MAX) {
        return tacho_fail(TACHO_CODE_LIMIT, "a page of %zu bytes does not fit a Parquet file",
                          writer->page.len);
    }
    writer->packed.len = len;
    return TACHO_OK;
}

static void describe_page(tacho_thrift *thrift, int type, size_t count, int encoding)
{
    bool is_data = type == PAGE_DATA;
    tacho_thrift_begin(thrift, is_data ? 5 : 7);
    tacho_thrift_int(thrift, 1, TACHO_THRIFT_I32, (int64_t)count);
    tacho_thrift_int(thrift, 2, TACHO_THRIFT_I32, encoding);
    if (is_data) {
        tacho_thrift_int(thrift, 3, TACHO_THRIFT_I32, ENCODING_RLE);
        tacho_thrift_int(thrift, 4, TACHO_THRIFT_I32, ENCODING_RLE);
    }
    tacho_thrift_end(thrift);
}

/* Writes the page that was put together. */
static tacho_status write_page(tacho_parquet *writer, int type, size_t count, int encoding,
                               chunk *made)
{
    tacho_thrift *thrift = &writer->thrift;
    TACHO_TRY(compress(writer));
    tacho_thrift_clear(thrift);
    tacho_thrift_int(thrift, 1, TACHO_THRIFT_I32, type);
    tacho_thrift_int(thrift, 2, TACHO_THRIFT_I32, (int64_t)writer->page.len);
    tacho_thrift_int(thrift, 3, TACHO_THRIFT_I32, (int64_t)writer->packed.len);
    describe_page(thrift, type, count, encoding);
    TACHO_TRY(tacho_thrift_finish(thrift));
    made->plain_bytes += (int64_t)(thrift->len + writer->page.len);
    made->packed_bytes += (int64_t)(thrift->len + writer->packed.len);
    tacho_output_write(writer->output, thrift->bytes, thrift->len);
    tacho_output_write(writer->output, writer->packed.items, writer->packed.len);
    return TACHO_OK;
}

static int64_t offset_of(const tacho_parquet *writer)
{
    return (int64_t)(tacho_output_offset(writer->output) - writer->start);
}

static tacho_status write_dictionary(tacho_parquet *writer, const column *self, chunk *made)
{
    writer->page.len = 0;
    for (size_t i = 0; i < self->dictionary_count; i++) {
        TACHO_TRY(add_plain_text(self->dictionary[i], &writer->page));
    }
    made->dictionary_at = offset_of(writer);
    return write_page(writer, PAGE_DICTIONARY, self->dictionary_count, ENCODING_PLAIN, made);
}

/* Which values are there: the length of what follows, then runs of one bit each. */
static tacho_status put_levels(tacho_parquet *writer, const column *self)
{
    uint32_t len = 0;
    writer->page.len = 0;
    TACHO_TRY(tacho_parquet_buffer_add(&writer->page, &len, sizeof(len)));
    TACHO_TRY(tacho_parquet_pack_runs(self->levels, self->level_count, 1, &writer->page));
    len = (uint32_t)(writer->page.len - sizeof(len));
    memcpy(writer->page.items, &len, sizeof(len));
    return TACHO_OK;
}

static tacho_status put_flags(const column *self, tacho_parquet_buffer *to)
{
    for (size_t i = 0; i < self->value_count; i += 8) {
        unsigned char byte = 0;
        for (size_t j = 0; j < 8 && i + j < self->value_count; j++) {
            byte = (unsigned char)(byte | self->of.indexes[i + j] << j);
        }
        TACHO_TRY(tacho_parquet_buffer_add(to, &byte, 1));
    }
    return TACHO_OK;
}

static tacho_status put_indexes(const column *self, tacho_parquet_buffer *to)
{
    unsigned char width = (unsigned char)tacho_parquet_bit_width(
        self->dictionary_count > 0 ? self->dictionary_count - 1 : 0);
    TACHO_TRY(tacho_parquet_buffer_add(to, &width, 1));
    return tacho_parquet_pack_runs(self->of.indexes, self->value_count, width, to);
}

static tacho_status put_values(tacho_parquet *writer, const column *self, int *out_encoding)
{
    tacho_parquet_buffer *to = &writer->page;
    *out_encoding = ENCODING_PLAIN;
    switch (self->facts.type) {
    case TACHO_PARQUET_BOOL:
        return put_flags(self, to);
    case TACHO_PARQUET_REAL:
        return tacho_parquet_buffer_add(to, self->of.reals, self->value_count * sizeof(double));
    case TACHO_PARQUET_INT:
        if (self->value_count > 0) {
            *out_encoding = ENCODING_DELTA;
            return tacho_parquet_pack_deltas(self->of.integers, self->value_count, to);
        }
        return TACHO_OK;
    case TACHO_PARQUET_TEXT:
        if (self->has_keys) {
            *out_encoding = ENCODING_DICTIONARY;
            return put_indexes(self, to);
        }
        return tacho_parquet_buffer_add(to, self->texts.items, self->texts.len);
    }
    return TACHO_OK;
}

/* ---- groups ---------------------------------------------------------------------------------- */

static void clear_column(column *self)
{
    self->level_count = 0;
    self->value_count = 0;
    self->texts.len = 0;
    self->dictionary_count = 0;
    self->has_keys = false;
    tacho_number_map_clear(&self->keys);
}

static tacho_status write_chunk(tacho_parquet *writer, column *self, chunk *made)
{
    *made = (chunk){
        .dictionary_at = -1,
        .value_count = (int64_t)self->level_count,
        .null_count = (int64_t)(self->level_count - self->value_count),
    };
    TACHO_TRY(find_bounds(writer, self, made));
    if (self->has_keys) {
        TACHO_TRY(write_dictionary(writer, self, made));
    }
    TACHO_TRY(put_levels(writer, self));
    TACHO_TRY(put_values(writer, self, &made->encoding));
    made->data_at = offset_of(writer);
    TACHO_TRY(write_page(writer, PAGE_DATA, self->level_count, made->encoding, made));
    clear_column(self);
    return TACHO_OK;
}

static tacho_status write_group(tacho_parquet *writer)
{
    void *chunks = NULL;
    TACHO_TRY(tacho_grow(&writer->groups, &writer->group_capacity, writer->group_count + 1));
    TACHO_TRY(tacho_arena_alloc(&writer->arena, writer->column_count * sizeof(chunk), &chunks));
    group *made = &writer->groups[writer->group_count];
    *made = (group){.row_count = (int64_t)writer->row_count, .chunks = chunks};
    for (size_t i = 0; i < writer->column_count; i++) {
        TACHO_TRY(write_chunk(writer, &writer->columns[i], &made->chunks[i]));
        made->byte_count += made->chunks[i].plain_bytes;
    }
    writer->total_rows += made->row_count;
    writer->group_count++;
    writer->row_count = 0;
    return tacho_output_failed(writer->output) ? tacho_output_take_failure(writer->output)
                                               : TACHO_OK;
}

/* ---- the footer ------------------------------------------------------------------------------ */

static int physical_type(tacho_parquet_type type)
{
    switch (type) {
    case TACHO_PARQUET_BOOL:
        return PHYSICAL_BOOLEAN;
    case TACHO_PARQUET_INT:
        return PHYSICAL_INT64;
    case TACHO_PARQUET_REAL:
        return PHYSICAL_DOUBLE;
    case TACHO_PARQUET_TEXT:
        break;
    }
    return PHYSICAL_BYTE_ARRAY;
}

static void describe_columns(const tacho_parquet *writer, tacho_thrift *thrift)
{
    tacho_thrift_list(thrift, 2, TACHO_THRIFT_STRUCT, writer->column_count + 1);
    tacho_thrift_begin(thrift, 0);
    tacho_thrift_binary(thrift, 4, TACHO_STR("schema"));
    tacho_thrift_int(thrift, 5, TACHO_THRIFT_I32, (int64_t)writer->column_count);
    tacho_thrift_end(thrift);
    for (size_t i = 0; i < writer->column_count; i++) {
        const tacho_parquet_column *facts = &writer->columns[i].facts;
        tacho_thrift_begin(thrift, 0);
        tacho_thrift_int(thrift, 1, TACHO_THRIFT_I32, physical_type(facts->type));
        tacho_thrift_int(thrift, 3, TACHO_THRIFT_I32, REPETITION_OPTIONAL);
        tacho_thrift_binary(thrift, 4, tacho_str_from_cstring(facts->name));
        if (facts->type == TACHO_PARQUET_TEXT) {
            tacho_thrift_int(thrift, 6, TACHO_THRIFT_I32, CONVERTED_UTF8);
            tacho_thrift_begin(thrift, 10);
            tacho_thrift_begin(thrift, LOGICAL_STRING);
            tacho_thrift_end(thrift);
            tacho_thrift_end(thrift);
        }
        tacho_thrift_end(thrift);
    }
}

static void describe_statistics(const chunk *made, tacho_thrift *thrift)
{
    tacho_thrift_begin(thrift, 12);
    tacho_thrift_int(thrift, 3, TACHO_THRIFT_I64, made->null_count);
    if (made->has_bounds) {
        tacho_thrift_binary(thrift, 5, made->bounds[1]);
        tacho_thrift_binary(thrift, 6, made->bounds[0]);
    }
    tacho_thrift_end(thrift);
}

static void describe_encodings(const chunk *made, tacho_thrift *thrift)
{
    bool has_dictionary = made->dictionary_at >= 0;
    tacho_thrift_list(thrift, 2, TACHO_THRIFT_I32, has_dictionary ? 3 : 2);
    if (has_dictionary) {
        tacho_thrift_element_int(thrift, ENCODING_PLAIN);
    }
    tacho_thrift_element_int(thrift, ENCODING_RLE);
    tacho_thrift_element_int(thrift, made->encoding);
}

static void describe_chunk(const column *self, const chunk *made, tacho_thrift *thrift)
{
    bool has_dictionary = made->dictionary_at >= 0;
    tacho_thrift_begin(thrift, 0);
    tacho_thrift_int(thrift, 2, TACHO_THRIFT_I64,
                     has_dictionary ? made->dictionary_at : made->data_at);
    tacho_thrift_begin(thrift, 3);
    tacho_thrift_int(thrift, 1, TACHO_THRIFT_I32, physical_type(self->facts.type));
    describe_encodings(made, thrift);
    tacho_thrift_list(thrift, 3, TACHO_THRIFT_BINARY, 1);
    tacho_thrift_element_binary(thrift, tacho_str_from_cstring(self->facts.name));
    tacho_thrift_int(thrift, 4, TACHO_THRIFT_I32, CODEC_ZSTD);
    tacho_thrift_int(thrift, 5, TACHO_THRIFT_I64, made->value_count);
    tacho_thrift_int(thrift, 6, TACHO_THRIFT_I64, made->plain_bytes);
    tacho_thrift_int(thrift, 7, TACHO_THRIFT_I64, made->packed_bytes);
    tacho_thrift_int(thrift, 9, TACHO_THRIFT_I64, made->data_at);
    if (has_dictionary) {
        tacho_thrift_int(thrift, 11, TACHO_THRIFT_I64, made->dictionary_at);
    }
    describe_statistics(made, thrift);
    tacho_thrift_end(thrift);
    tacho_thrift_end(thrift);
}

static void describe_groups(const tacho_parquet *writer, tacho_thrift *thrift)
{
    tacho_thrift_list(thrift, 4, TACHO_THRIFT_STRUCT, writer->group_count);
    for (size_t i = 0; i < writer->group_count; i++) {
        const group *made = &writer->groups[i];
        tacho_thrift_begin(thrift, 0);
        tacho_thrift_list(thrift, 1, TACHO_THRIFT_STRUCT, writer->column_count);
        for (size_t j = 0; j < writer->column_count; j++) {
            describe_chunk(&writer->columns[j], &made->chunks[j], thrift);
        }
        tacho_thrift_int(thrift, 2, TACHO_THRIFT_I64, made->byte_count);
        tacho_thrift_int(thrift, 3, TACHO_THRIFT_I64, made->row_count);
        tacho_thrift_end(thrift);
    }
}

static void describe_facts(const tacho_parquet *writer, tacho_thrift *thrift)
{
    if (writer->fact_count > 0) {
        tacho_thrift_list(thrift, 5, TACHO_THRIFT_STRUCT, writer->fact_count);
    }
    for (size_t i = 0; i < writer->fact_count; i++) {
        tacho_thrift_begin(thrift, 0);
        tacho_thrift_binary(thrift, 1, writer->facts[i].key);
        tacho_thrift_binary(thrift, 2, writer->facts[i].value);
        tacho_thrift_end(thrift);
    }
}

/* All columns are ordered as their type is, so that bounds mean something. */
static void describe_orders(const tacho_parquet *writer, tacho_thrift *thrift)
{
    tacho_thrift_list(thrift, 7, TACHO_THRIFT_STRUCT, writer->column_count);
    for (size_t i = 0; i < writer->column_count; i++) {
        tacho_thrift_begin(thrift, 0);
        tacho_thrift_begin(thrift, 1);
        tacho_thrift_end(thrift);
        tacho_thrift_end(thrift);
    }
}

static tacho_status write_footer(tacho_parquet *writer)
{
    tacho_thrift *thrift = &writer->thrift;
    tacho_thrift_clear(thrift);
    tacho_thrift_int(thrift, 1, TACHO_THRIFT_I32, 1);
    describe_columns(writer, thrift);
    tacho_thrift_int(thrift, 3, TACHO_THRIFT_I64, writer->total_rows);
    describe_groups(writer, thrift);
    describe_facts(writer, thrift);
    tacho_thrift_binary(thrift, 6, TACHO_STR("tacho"));
    describe_orders(writer, thrift);
    TACHO_TRY(tacho_thrift_finish(thrift));
    if (thrift->len > INT32_MAX) {
        return tacho_fail(TACHO_CODE_LIMIT, "too many rows for one Parquet file");
    }
    uint32_t len = (uint32_t)thrift->len;
    tacho_output_write(writer->output, thrift->bytes, thrift->len);
    tacho_output_write(writer->output, &len, sizeof(len));
    tacho_output_write_cstring(writer->output, "PAR1");
    return TACHO_OK;
}

tacho_status tacho_parquet_finish(tacho_parquet *writer)
{
    if (writer->row_count > 0) {
        TACHO_TRY(write_group(writer));
    }
    return write_footer(writer);
}

/* ---- the writer ------------------------------------------------------------------------------ */

tacho_status tacho_parquet_open(tacho_parquet **out_writer, tacho_output *output,
                                const tacho_parquet_column *columns, size_t column_count)
{
    tacho_parquet *writer = calloc(1, sizeof(*writer));
    *out_writer = NULL;
    if (writer == NULL) {
        return tacho_no_memory();
    }
    tacho_arena_init(&writer->arena);
    writer->output = output;
    writer->start = tacho_output_offset(output);
    writer->column_count = column_count;
    writer->zstd = ZSTD_createCCtx();
    tacho_status status =
        writer->zstd != NULL ? tacho_items_make(&writer->columns, column_count) : tacho_no_memory();
    if (status != TACHO_OK) {
        writer->column_count = 0;
        tacho_parquet_close(writer);
        return status;
    }
    for (size_t i = 0; i < column_count; i++) {
        writer->columns[i].facts = columns[i];
    }
    tacho_output_write_cstring(output, "PAR1");
    *out_writer = writer;
    return TACHO_OK;
}

static void close_column(column *self)
{
    free(self->levels);
    free(self->of.integers);
    free(self->dictionary);
    tacho_parquet_buffer_deinit(&self->texts);
    tacho_number_map_deinit(&self->keys);
}

void tacho_parquet_close(tacho_parquet *writer)
{
    if (writer == NULL) {
        return;
    }
    for (size_t i = 0; i < writer->column_count; i++) {
        close_column(&writer->columns[i]);
    }
    free(writer->columns);
    free(writer->groups);
    free(writer->facts);
    tacho_parquet_buffer_deinit(&writer->page);
    tacho_parquet_buffer_deinit(&writer->packed);
    tacho_thrift_deinit(&writer->thrift);
    tacho_arena_deinit(&writer->arena);
    ZSTD_freeCCtx(writer->zstd);
    free(writer);
}
