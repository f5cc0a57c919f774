/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Pages. The smallest encoding depends on the profile: whole numbers are packed differences, or
 * indices into a dictionary where few are different; indices are packed as bits, or fill bytes, so
 * that zstd finds repetitions. Each encoding is tried, and the smallest page is written.
 */
#include "codec/parquet_state.h"

#include "base/grow.h"

enum {
    PAGE_DATA = 0,
    PAGE_DICTIONARY = 2,
    ZSTD_LEVEL = 3,
    DISTINCT_MAX = 1 << 15, /* integers that are worth a dictionary */
    SMALL_SHARE = 16,       /* a page with so many values for a byte is small enough */
};

/* ---- compressing and writing ----------------------------------------------------------------- */

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

/* Moves the assembled and compressed bytes to |page|. */
static void keep_page(tacho_parquet *writer, size_t value_count, int encoding,
                      tacho_parquet_page *page)
{
    tacho_parquet_buffer kept = writer->packed;
    writer->packed = page->packed;
    *page = (tacho_parquet_page){kept, writer->page.len, value_count, encoding};
}

static void describe_page(tacho_thrift *thrift, int type, const tacho_parquet_page *page)
{
    bool is_data = type == PAGE_DATA;
    tacho_thrift_begin(thrift, is_data ? 5 : 7);
    tacho_thrift_int(thrift, 1, TACHO_THRIFT_I32, (int64_t)page->value_count);
    tacho_thrift_int(thrift, 2, TACHO_THRIFT_I32, page->encoding);
    if (is_data) {
        tacho_thrift_int(thrift, 3, TACHO_THRIFT_I32, TACHO_PARQUET_RLE);
        tacho_thrift_int(thrift, 4, TACHO_THRIFT_I32, TACHO_PARQUET_RLE);
    }
    tacho_thrift_end(thrift);
}

static tacho_status write_page(tacho_parquet *writer, int type, const tacho_parquet_page *page,
                               tacho_parquet_chunk *made)
{
    tacho_thrift *thrift = &writer->thrift;
    tacho_thrift_clear(thrift);
    tacho_thrift_int(thrift, 1, TACHO_THRIFT_I32, type);
    tacho_thrift_int(thrift, 2, TACHO_THRIFT_I32, (int64_t)page->plain_len);
    tacho_thrift_int(thrift, 3, TACHO_THRIFT_I32, (int64_t)page->packed.len);
    describe_page(thrift, type, page);
    TACHO_TRY(tacho_thrift_finish(thrift));
    made->plain_bytes += (int64_t)(thrift->len + page->plain_len);
    made->packed_bytes += (int64_t)(thrift->len + page->packed.len);
    tacho_output_write(writer->output, thrift->bytes, thrift->len);
    tacho_output_write(writer->output, page->packed.items, page->packed.len);
    return TACHO_OK;
}

static int64_t offset_of(const tacho_parquet *writer)
{
    return (int64_t)(tacho_output_offset(writer->output) - writer->start);
}

/* ---- dictionaries ---------------------------------------------------------------------------- */

static tacho_status put_texts(tacho_parquet *writer, const tacho_parquet_values *self)
{
    for (size_t i = 0; i < self->dictionary_count; i++) {
        TACHO_TRY(tacho_parquet_add_plain_text(self->dictionary[i], &writer->page));
    }
    return TACHO_OK;
}

static tacho_status number_integer(tacho_parquet *writer, int64_t value, uint32_t *out_index)
{
    const uint64_t *known = tacho_number_map_find(&writer->numbers, (uint64_t)value);
    *out_index = known != NULL ? (uint32_t)*known : (uint32_t)writer->distinct_count;
    if (known == NULL) {
        TACHO_TRY(
            tacho_grow(&writer->distinct, &writer->distinct_capacity, writer->distinct_count + 1));
        TACHO_TRY(tacho_number_map_set(&writer->numbers, (uint64_t)value, writer->distinct_count));
        writer->distinct[writer->distinct_count++] = value;
    }
    return TACHO_OK;
}

/* Fills writer->indexes and writer->distinct; stops where too many integers are different. */
static tacho_status number_integers(tacho_parquet *writer, const tacho_parquet_values *self,
                                    bool *out_is_worth_it)
{
    size_t distinct_max =
        self->value_count / 4 < DISTINCT_MAX ? self->value_count / 4 : DISTINCT_MAX;
    writer->distinct_count = 0;
    tacho_number_map_clear(&writer->numbers);
    TACHO_TRY(tacho_grow(&writer->indexes, &writer->index_capacity, self->value_count));
    for (size_t i = 0; i < self->value_count && writer->distinct_count <= distinct_max; i++) {
        bool is_same = i > 0 && self->of.integers[i] == self->of.integers[i - 1];
        if (is_same) {
            writer->indexes[i] = writer->indexes[i - 1];
        } else {
            TACHO_TRY(number_integer(writer, self->of.integers[i], &writer->indexes[i]));
        }
    }
    *out_is_worth_it = writer->distinct_count <= distinct_max;
    return TACHO_OK;
}

static tacho_status make_dictionary(tacho_parquet *writer, const tacho_parquet_values *self)
{
    bool has_integers = self->facts.type == TACHO_PARQUET_INT;
    size_t count = has_integers ? writer->distinct_count : self->dictionary_count;
    writer->page.len = 0;
    TACHO_TRY(has_integers ? tacho_parquet_buffer_add(&writer->page, writer->distinct,
                                                      count * sizeof(*writer->distinct))
                           : put_texts(writer, self));
    TACHO_TRY(compress(writer));
    keep_page(writer, count, TACHO_PARQUET_PLAIN, &writer->dictionary);
    return TACHO_OK;
}

/* ---- data ------------------------------------------------------------------------------------ */

/* Which values exist: the length of the rest, then runs of one bit each. */
static tacho_status put_levels(tacho_parquet *writer, const tacho_parquet_values *self)
{
    uint32_t len = 0;
    writer->page.len = 0;
    TACHO_TRY(tacho_parquet_buffer_add(&writer->page, &len, sizeof(len)));
    TACHO_TRY(tacho_parquet_pack_runs(self->levels, self->level_count, 1, &writer->page));
    len = (uint32_t)(writer->page.len - sizeof(len));
    memcpy(writer->page.items, &len, sizeof(len));
    return TACHO_OK;
}

static tacho_status put_flags(const tacho_parquet_values *self, tacho_parquet_buffer *to)
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

/* Places in the dictionary, of |width| bits. */
static tacho_status put_indexes(tacho_parquet *writer, const tacho_parquet_values *self,
                                unsigned width)
{
    unsigned char byte = (unsigned char)width;
    bool has_integers = self->facts.type == TACHO_PARQUET_INT;
    TACHO_TRY(put_levels(writer, self));
    TACHO_TRY(tacho_parquet_buffer_add(&writer->page, &byte, 1));
    return tacho_parquet_pack_runs(has_integers ? writer->indexes : self->of.indexes,
                                   self->value_count, width, &writer->page);
}

/* All but places in a dictionary. */
static tacho_status put_values(tacho_parquet *writer, const tacho_parquet_values *self,
                               int *out_encoding)
{
    tacho_parquet_buffer *to = &writer->page;
    *out_encoding = TACHO_PARQUET_PLAIN;
    TACHO_TRY(put_levels(writer, self));
    switch (self->facts.type) {
    case TACHO_PARQUET_BOOL:
        return put_flags(self, to);
    case TACHO_PARQUET_REAL:
        return tacho_parquet_buffer_add(to, self->of.reals, self->value_count * sizeof(double));
    case TACHO_PARQUET_INT:
        if (self->value_count > 0) {
            *out_encoding = TACHO_PARQUET_DELTA;
            return tacho_parquet_pack_deltas(self->of.integers, self->value_count, to);
        }
        return TACHO_OK;
    case TACHO_PARQUET_TEXT:
        break;
    }
    return tacho_parquet_buffer_add(to, self->texts.items, self->texts.len);
}

static tacho_status make_values(tacho_parquet *writer, const tacho_parquet_values *self)
{
    int encoding = TACHO_PARQUET_PLAIN;
    TACHO_TRY(put_values(writer, self, &encoding));
    TACHO_TRY(compress(writer));
    keep_page(writer, self->level_count, encoding, &writer->data);
    return TACHO_OK;
}

/* Keeps the page where it and a dictionary of |more_len| bytes are smaller than the one so far. */
static tacho_status try_indexes(tacho_parquet *writer, const tacho_parquet_values *self,
                                unsigned width, size_t more_len)
{
    TACHO_TRY(put_indexes(writer, self, width));
    TACHO_TRY(compress(writer));
    if (writer->packed.len + more_len < writer->data.packed.len) {
        keep_page(writer, self->level_count, TACHO_PARQUET_DICTIONARY, &writer->data);
    }
    return TACHO_OK;
}

/* Packed as bits, and in whole bytes where that may help. */
static tacho_status try_widths(tacho_parquet *writer, const tacho_parquet_values *self,
                               size_t dictionary_count, size_t more_len)
{
    unsigned width = tacho_parquet_bit_width(dictionary_count > 0 ? dictionary_count - 1 : 0);
    TACHO_TRY(try_indexes(writer, self, width, more_len));
    bool is_small = writer->data.packed.len < self->value_count / SMALL_SHARE;
    return width % 8 == 0 || is_small ? TACHO_OK
                                      : try_indexes(writer, self, (width + 7) / 8 * 8, more_len);
}

static tacho_status make_integers(tacho_parquet *writer, const tacho_parquet_values *self)
{
    bool is_worth_it = false;
    TACHO_TRY(make_values(writer, self));
    bool is_small = writer->data.packed.len < self->value_count / SMALL_SHARE;
    TACHO_TRY(is_small ? TACHO_OK : number_integers(writer, self, &is_worth_it));
    if (!is_worth_it) {
        return TACHO_OK;
    }
    TACHO_TRY(make_dictionary(writer, self));
    return try_widths(writer, self, writer->distinct_count, writer->dictionary.packed.len);
}

static tacho_status make_keys(tacho_parquet *writer, const tacho_parquet_values *self)
{
    TACHO_TRY(make_dictionary(writer, self));
    writer->data.packed.len = SIZE_MAX; /* none yet */
    return try_widths(writer, self, self->dictionary_count, 0);
}

tacho_status tacho_parquet_write_pages(tacho_parquet *writer, const tacho_parquet_values *self,
                                       tacho_parquet_chunk *made)
{
    TACHO_TRY(self->facts.type == TACHO_PARQUET_INT ? make_integers(writer, self)
              : self->has_keys                      ? make_keys(writer, self)
                                                    : make_values(writer, self));
    made->encoding = writer->data.encoding;
    if (made->encoding == TACHO_PARQUET_DICTIONARY) {
        made->dictionary_at = offset_of(writer);
        TACHO_TRY(write_page(writer, PAGE_DICTIONARY, &writer->dictionary, made));
    }
    made->data_at = offset_of(writer);
    return write_page(writer, PAGE_DATA, &writer->data, made);
}
