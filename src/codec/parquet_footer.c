/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The footer: the contents of a file, and their places.
 */
#include "codec/parquet_state.h"

enum {
    PHYSICAL_BOOLEAN = 0,
    PHYSICAL_INT64 = 2,
    PHYSICAL_DOUBLE = 5,
    PHYSICAL_BYTE_ARRAY = 6,
    CODEC_ZSTD = 6,
    REPETITION_OPTIONAL = 1,
    CONVERTED_UTF8 = 0,
    LOGICAL_STRING = 1,
};

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

static void describe_statistics(const tacho_parquet_chunk *made, tacho_thrift *thrift)
{
    tacho_thrift_begin(thrift, 12);
    tacho_thrift_int(thrift, 3, TACHO_THRIFT_I64, made->null_count);
    if (made->has_bounds) {
        tacho_thrift_binary(thrift, 5, made->bounds[1]);
        tacho_thrift_binary(thrift, 6, made->bounds[0]);
    }
    tacho_thrift_end(thrift);
}

static void describe_encodings(const tacho_parquet_chunk *made, tacho_thrift *thrift)
{
    bool has_dictionary = made->dictionary_at >= 0;
    tacho_thrift_list(thrift, 2, TACHO_THRIFT_I32, has_dictionary ? 3 : 2);
    if (has_dictionary) {
        tacho_thrift_element_int(thrift, TACHO_PARQUET_PLAIN);
    }
    tacho_thrift_element_int(thrift, TACHO_PARQUET_RLE);
    tacho_thrift_element_int(thrift, made->encoding);
}

static void describe_chunk(const tacho_parquet_values *self, const tacho_parquet_chunk *made,
                           tacho_thrift *thrift)
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
        const tacho_parquet_group *made = &writer->groups[i];
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

tacho_status tacho_parquet_write_footer(tacho_parquet *writer)
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
