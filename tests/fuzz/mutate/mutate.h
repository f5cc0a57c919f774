/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Changes of inputs that keep their structure, for the fuzz targets: a change of single bytes
 * seldom gets past the first check of a format. Each mutator knows one format, makes one change,
 * and makes lengths and checksums right again. mutator.c chooses by the content, so a target need
 * not name its format.
 */
#ifndef TACHO_FUZZ_MUTATE_H
#define TACHO_FUZZ_MUTATE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { MUTATION_ROOM = 1 << 18, MUTATION_INPUT_MAX = 1 << 17 };

/* What comes before the content of an input of a target, and how the content is divided. */
typedef struct fuzz_layout {
    size_t prefix_bytes; /* choices of the target */
    /* Pieces, each of a head and as many bytes as two bytes of the head give; 0: none. */
    size_t piece_head_bytes, length_at;
    bool is_big_endian;
} fuzz_layout;

/* Defined by targets whose inputs are not just the content. */
extern const fuzz_layout fuzz_input_layout __attribute__((weak));

/* One change: |data| is read, |made| is written. */
typedef struct mutation {
    const uint8_t *data;
    size_t size;
    uint64_t seed;
    uint8_t *made; /* MUTATION_ROOM bytes */
    size_t made_len;
    bool is_full; /* the change is given up */
} mutation;

size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t max_size);
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max_size, unsigned seed);

/* A number below |count|; 0 where that is 0. */
size_t mutation_draw(mutation *self, size_t count);

void mutation_put(mutation *self, const void *bytes, size_t len);

/* Bytes [start, end) of the input. */
void mutation_put_range(mutation *self, size_t start, size_t end);

/* The input with [start, end) replaced by |bytes|. */
void mutation_replace(mutation *self, size_t start, size_t end, const void *bytes, size_t len);

/* A text of a number that readers may not expect. */
const char *mutation_odd_number(mutation *self);

/* |len| bytes changed without regard to what they mean, in |to| of |room| bytes; their new number.
 */
size_t mutation_change_bytes(mutation *self, const uint8_t *bytes, size_t len, uint8_t *to,
                             size_t room);

/*
 * The mutators. False where the input is not of the format or nothing was changed; what was put is
 * dropped then.
 */
bool mutate_json(mutation *self);
bool mutate_protobuf(mutation *self);
bool mutate_table(mutation *self);   /* fields of lines: CSV and the like */
bool mutate_lines(mutation *self);   /* lines, and numbers in them */
bool mutate_numbers(mutation *self); /* little-endian numbers of 1 to 8 bytes */
bool mutate_chunks(mutation *self);  /* codec/chunk.h: records and their checksums */
bool mutate_sealed(mutation *self);  /* program/container.h: segments and their seal */
bool mutate_tracy(mutation *self);   /* codec/tracy_container.h: the content of packed blocks */
bool mutate_pieces(mutation *self, const fuzz_layout *layout);

/* The same for a message of protobuf that is a part of something else. */
bool mutate_protobuf_bytes(mutation *self, const uint8_t *bytes, size_t len);

#endif
