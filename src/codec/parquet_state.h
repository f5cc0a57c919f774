/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The state of a writer of Parquet files, for its parts only: values and groups (parquet.c), pages
 * (parquet_pages.c) and the footer (parquet_footer.c).
 */
#ifndef TACHO_CODEC_PARQUET_STATE_H
#define TACHO_CODEC_PARQUET_STATE_H

#include "base/arena.h"
#include "base/number_map.h"
#include "codec/parquet.h"
#include "codec/parquet_pack.h"
#include "codec/thrift.h"

#include <zstd.h>

/* Numbers of the format. */
enum {
    TACHO_PARQUET_PLAIN = 0,
    TACHO_PARQUET_RLE = 3,
    TACHO_PARQUET_DELTA = 5,
    TACHO_PARQUET_DICTIONARY = 8,
};

/* The footer's facts of a column of a group. */
typedef struct tacho_parquet_chunk {
    int64_t dictionary_at; /* -1: none */
    int64_t data_at;
    int64_t packed_bytes, plain_bytes; /* of pages with their headers */
    int64_t value_count, null_count;
    int encoding;
    bool has_bounds;
    tacho_str bounds[2]; /* as the format has values, in the arena */
} tacho_parquet_chunk;

typedef struct tacho_parquet_values {
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
    uint32_t last_key, last_index; /* of the value before; good while there is a dictionary */
} tacho_parquet_values;

typedef struct tacho_parquet_group {
    int64_t row_count;
    int64_t byte_count;
    tacho_parquet_chunk *chunks; /* by column, in the arena */
} tacho_parquet_group;

typedef struct tacho_parquet_fact {
    tacho_str key, value;
} tacho_parquet_fact;

/* A page as it is written. */
typedef struct tacho_parquet_page {
    tacho_parquet_buffer packed;
    size_t plain_len;
    size_t value_count;
    int encoding;
} tacho_parquet_page;

struct tacho_parquet {
    tacho_output *output;
    uint64_t start; /* of the file in the output */
    tacho_parquet_values *columns;
    size_t column_count;
    size_t next_column;
    size_t row_count; /* of the group */
    int64_t total_rows;
    tacho_parquet_group *groups;
    size_t group_count, group_capacity;
    tacho_parquet_fact *facts;
    size_t fact_count, fact_capacity;
    tacho_arena arena;
    tacho_parquet_buffer page;     /* being put together */
    tacho_parquet_buffer packed;   /* the same, compressed */
    tacho_parquet_page dictionary; /* of the chunk being written, compressed */
    tacho_parquet_page data;       /* the smallest so far */
    tacho_number_map numbers;      /* integer -> index, of the chunk being written */
    int64_t *distinct;             /* integers by index */
    size_t distinct_count, distinct_capacity;
    uint32_t *indexes; /* of integers */
    size_t index_capacity;
    tacho_thrift thrift;
    ZSTD_CCtx *zstd;
};

/* Adds a text in the encoding PLAIN: its length and its bytes. */
tacho_status tacho_parquet_add_plain_text(tacho_str text, tacho_parquet_buffer *to) TACHO_MUST_USE;

/* Writes the pages of a column, a dictionary and its data, and describes them in |made|. */
tacho_status tacho_parquet_write_pages(tacho_parquet *writer, const tacho_parquet_values *self,
                                       tacho_parquet_chunk *made) TACHO_MUST_USE;

tacho_status tacho_parquet_write_footer(tacho_parquet *writer) TACHO_MUST_USE;

#endif
