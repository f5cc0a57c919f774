/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Composes small .tracy files, of any version and in any container, for tests.
 */
#ifndef TACHO_SOURCES_TRACY_FILE_TESTING_H
#define TACHO_SOURCES_TRACY_FILE_TESTING_H

#include "codec/lz4_chain.h"
#include "sources/tracy/tracy_file.h"

#include <assert.h>
#include <stdlib.h>
#include <zstd.h>

enum { COMPOSED_ROOM = 1 << 20 };

typedef enum composed_container {
    COMPOSED_LZ4,
    COMPOSED_ZSTD,
    COMPOSED_CHUNKED_LZ4,
    COMPOSED_CHUNKED_ZSTD,
    COMPOSED_CONTAINERS,
} composed_container;

typedef struct composed {
    unsigned char *bytes;
    size_t len;
} composed;

static inline void composed_init(composed *self)
{
    self->bytes = malloc(COMPOSED_ROOM);
    self->len = 0;
    assert(self->bytes != NULL);
}

static inline void composed_put(composed *self, uint64_t value, size_t bytes)
{
    for (size_t i = 0; i < bytes; i++) {
        self->bytes[self->len++] = i < 8 ? (unsigned char)(value >> (8 * i)) : 0;
    }
}

static inline void composed_text(composed *self, const char *text)
{
    composed_put(self, strlen(text), 8);
    memcpy(self->bytes + self->len, text, strlen(text));
    self->len += strlen(text);
}

/* A reference to the text |index| of the file; -1: none. */
static inline void composed_ref(composed *self, int index)
{
    composed_put(self, index < 0 ? 0 : (uint64_t)index, 8);
    composed_put(self, index < 0 ? 0 : 3, 1);
}

static inline void composed_head(composed *self, uint32_t version)
{
    memcpy(self->bytes, "tracy", 5);
    self->len = 5;
    composed_put(self, version >> 16, 1);
    composed_put(self, version >> 8 & 0xff, 1);
    composed_put(self, version & 0xff, 1);
    if (version < TRACY_VERSION(0, 12, 3)) {
        composed_put(self, 0, 8);
    }
    composed_put(self, 1, 8);
    composed_put(self, 0, 8);
    composed_put(self, 9000, 8); /* the last time */
    composed_put(self, 0, 8);
    composed_put(self, 4321, 8);
    composed_put(self, 0, 8 + 1);
    composed_put(self, 0, 4);
    composed_put(self, 0, 12);
    composed_put(self, 0, version >= TRACY_VERSION(0, 9, 2) ? 1 : 0);
    composed_text(self, "a capture");
    composed_text(self, "a program");
    composed_put(self, 0, 16);
    composed_text(self, "a host");
    composed_put(self, 1, 8); /* packages */
    composed_put(self, 0, 4);
    if (version >= TRACY_VERSION(0, 11, 2)) {
        composed_put(self, 1, 8);
        composed_put(self, 0, 4);
    }
    composed_put(self, 1, 8); /* cores */
    composed_put(self, 0, 4);
    composed_put(self, 2, 8); /* threads */
    composed_put(self, 0, 8);
    composed_put(self, 0, 8 + 8); /* no crash */
    composed_put(self, 0, 8 + 4);
}

static inline void composed_frames(composed *self, uint32_t version)
{
    composed_put(self, 2, 8);
    composed_put(self, 0, 8); /* the main set: start, init, two marks */
    composed_put(self, 1, 1);
    composed_put(self, 4, 8);
    for (unsigned i = 0; i < 4; i++) {
        composed_put(self, i == 0 ? 0 : 100, 8);
        composed_put(self, UINT32_MAX, 4);
    }
    composed_put(self, 0x7000, 8); /* another: one frame of 10 ns at 50 */
    composed_put(self, 0, 1);
    composed_put(self, 1, 8);
    composed_put(self, 50, 8);
    composed_put(self, 10, 8);
    composed_put(self, UINT32_MAX, 4);
    if (version >= TRACY_VERSION(0, 13, 5)) {
        composed_put(self, 1, 8);
        composed_put(self, 3, 2);
        composed_put(self, 2, 8);
        composed_put(self, 0, 15);
        composed_put(self, 0, 15);
        composed_put(self, 1, 8);
        composed_put(self, 3, 2);
        composed_put(self, 0, 3);
    } else if (version == TRACY_VERSION(0, 13, 4)) {
        composed_put(self, 1, 8);
        composed_put(self, 0, 15);
    }
}

/* Texts: 0 zone, 1 func, 2 file.c, 3 "said", 4 hello, 5 gpu, 6 frames, 7 plot, 8 Main thread. */
static inline void composed_names(composed *self)
{
    static const char *const texts[] = {"zone", "func",   "file.c", "said",       "hello",
                                        "gpu",  "frames", "plot",   "Main thread"};
    composed_put(self, 9, 8);
    for (uint64_t i = 0; i < 9; i++) {
        composed_put(self, 0x1000 + i, 8);
        composed_text(self, texts[i]);
    }
    composed_put(self, 2, 8); /* keys of frames and plots */
    composed_put(self, 0x7000, 8);
    composed_put(self, 0x1006, 8);
    composed_put(self, 0x7100, 8);
    composed_put(self, 0x1007, 8);
    composed_put(self, 1, 8); /* threads */
    composed_put(self, 4321, 8);
    composed_put(self, 0x1008, 8);
    composed_put(self, 0, 8);
    composed_put(self, 1, 8);
    composed_put(self, 4321, 8);
    composed_put(self, 0, 8);
    composed_put(self, 1, 8); /* static places */
    composed_put(self, 0x5000, 8);
    composed_ref(self, 0);
    composed_ref(self, 1);
    composed_ref(self, 2);
    composed_put(self, 12, 4);
    composed_put(self, 0, 4);
    composed_put(self, 2, 8); /* their numbers */
    composed_put(self, 0, 8);
    composed_put(self, 0x5000, 8);
    composed_put(self, 1, 8); /* dynamic places */
    composed_ref(self, -1);
    composed_ref(self, 1);
    composed_ref(self, 2);
    composed_put(self, 13, 4);
    composed_put(self, 0x112233, 4);
    composed_put(self, 0, 16); /* counts */
}

static inline void composed_things(composed *self, uint32_t version)
{
    composed_put(self, 1, 8); /* locks */
    composed_put(self, 7, 4);
    composed_put(self, 0, 3);
    composed_put(self, 1, 2);
    composed_put(self, 0, 2);
    composed_put(self, 1000, 8);
    composed_put(self, 0, 8);
    composed_put(self, 1, 8);
    composed_put(self, 4321, 8);
    composed_put(self, 3, 8);
    for (uint64_t i = 0; i < 3; i++) { /* waits, obtains, releases */
        composed_put(self, 5, 8);
        composed_put(self, 1, 2);
        composed_put(self, 0, 1);
        composed_put(self, i, 1);
    }
    composed_put(self, 1, 8); /* messages */
    composed_put(self, 0x9000, 8);
    composed_put(self, 777, 8);
    composed_ref(self, 4);
    composed_put(self, UINT32_MAX, 4);
    composed_put(self, 0, 3);
    composed_put(self, 0, version >= TRACY_VERSION(0, 13, 2) ? 2 : 0);
    composed_put(self, 2, 8); /* extras */
    composed_put(self, 0, 12);
    composed_put(self, 0, 3);
    composed_put(self, 4, 3); /* "said" */
    composed_put(self, 0, 3);
    composed_put(self, 0x0000ff, 3);
}

static inline void composed_zone(composed *self, int16_t place, int64_t delta, uint32_t extra,
                                 uint32_t children)
{
    composed_put(self, (uint16_t)place, 2);
    composed_put(self, (uint64_t)delta, 8);
    composed_put(self, extra, 4);
    composed_put(self, children, 4);
}

/* 2000..2900 with 2100..2200 in it, then one that never ended. */
static inline void composed_zones(composed *self, uint32_t version)
{
    composed_put(self, 3, 8);
    composed_put(self, 1, 8);
    composed_put(self, 1, 8);
    composed_put(self, 4321, 8);
    composed_put(self, 3, 8);
    composed_put(self, 0, 8);
    composed_put(self, 0, 1);
    composed_put(self, 0, version >= TRACY_VERSION(0, 11, 1) ? 4 : 0);
    composed_put(self, 2, 4);
    composed_zone(self, 1, 2000, 0, 1);
    composed_zone(self, -1, 100, 1, 0);
    composed_put(self, 100, 8);
    composed_put(self, 700, 8);
    composed_zone(self, 1, 100, 0, 0);
    composed_put(self, (uint64_t)-3001, 8);
    composed_put(self, 1, 8);
    composed_put(self, 0x9000, 8);
    composed_put(self, 0, 16);
}

static inline void composed_devices(composed *self, uint32_t version)
{
    bool has_notes = version >= TRACY_VERSION(0, 12, 4);
    composed_put(self, 1, 8);
    composed_put(self, 0, 8);
    composed_put(self, 1, 8);
    composed_put(self, 0, 8); /* without a thread */
    composed_put(self, 0, 1);
    composed_put(self, 1, 8);
    composed_put(self, 0x3f800000, 4);
    composed_put(self, 2, 1);
    composed_put(self, 6, 3); /* gpu */
    composed_put(self, 0, 8);
    composed_put(self, 0, has_notes ? 8 : 0);
    composed_put(self, 1, 8); /* lanes */
    composed_put(self, 9, 8);
    composed_put(self, 1, 8);
    composed_put(self, 10, 8);
    composed_put(self, 4000, 8);
    composed_put(self, 1, 2);
    composed_put(self, 0, 3 + 2);
    composed_put(self, 0, 8);
    composed_put(self, 10, 8);
    composed_put(self, 50, 8);
    composed_put(self, 0, has_notes ? 2 + 8 : 0);
}

static inline void composed_rest(composed *self)
{
    const double value = 2.5;
    uint64_t bits;
    memcpy(&bits, &value, sizeof(bits));
    composed_put(self, 1, 8); /* plots */
    composed_put(self, 0, 4 + 4);
    composed_put(self, 0x7100, 8);
    composed_put(self, 0, 24);
    composed_put(self, 1, 8);
    composed_put(self, 5000, 8);
    composed_put(self, bits, 8);
    composed_put(self, 1, 8); /* memory: 64 bytes at 6000 for 10 ns, 32 at 6005 for ever */
    composed_put(self, 2, 8);
    composed_put(self, 0, 8);
    composed_put(self, 2, 8);
    composed_put(self, 1, 8);
    composed_put(self, 1, 8);
    composed_put(self, 0x8000, 8);
    composed_put(self, 64, 8);
    composed_put(self, 0, 6);
    composed_put(self, 6000, 8);
    composed_put(self, 10, 8);
    composed_put(self, 0, 4);
    composed_put(self, 0x8100, 8);
    composed_put(self, 32, 8);
    composed_put(self, 0, 6);
    composed_put(self, 5, 8);
    composed_put(self, (uint64_t)-1, 8);
    composed_put(self, 0, 4);
    composed_put(self, 0, 32);
    composed_put(self, 0, 8 + 8); /* no call stacks */
    composed_put(self, 1, 8);
    composed_ref(self, 4);
}

/* The contents of a file, unpacked. */
static inline void composed_body(composed *self, uint32_t version)
{
    composed_head(self, version);
    composed_frames(self, version);
    composed_names(self);
    composed_things(self, version);
    composed_zones(self, version);
    composed_devices(self, version);
    composed_rest(self);
}

static inline void composed_block(composed *file, const char *packed, size_t len)
{
    composed_put(file, len, 4);
    memcpy(file->bytes + file->len, packed, len);
    file->len += len;
}

/* |body| in blocks of |block| bytes, which streams take in turn. */
static inline void composed_pack(composed *file, const composed *body, composed_container kind,
                                 size_t block)
{
    enum { STREAMS = 3 };
    static const char *const magics[] = {"tlZ\x04", "tZst", "tr\xfdP", "tr\xfdP"};
    bool is_zstd = kind == COMPOSED_ZSTD || kind == COMPOSED_CHUNKED_ZSTD;
    size_t count = kind >= COMPOSED_CHUNKED_LZ4 ? STREAMS : 1;
    tacho_lz4_encoder lz4[STREAMS];
    ZSTD_CStream *zstd[STREAMS];
    char *packed = malloc(ZSTD_compressBound(TACHO_TRACY_FILE_BLOCK) + 1024);
    file->len = 4;
    memcpy(file->bytes, magics[kind], 4);
    if (kind >= COMPOSED_CHUNKED_LZ4) {
        composed_put(file, is_zstd ? 1 : 0, 1);
        composed_put(file, count, 1);
    }
    for (size_t i = 0; i < count; i++) {
        tacho_status status = tacho_lz4_encoder_init(&lz4[i], TACHO_TRACY_FILE_BLOCK);
        zstd[i] = ZSTD_createCStream();
        assert(status == TACHO_OK && zstd[i] != NULL);
        (void)status;
        ZSTD_initCStream(zstd[i], 3);
    }
    for (size_t at = 0, turn = 0; at < body->len; at += block, turn = (turn + 1) % count) {
        size_t len = body->len - at < block ? body->len - at : block;
        if (is_zstd) {
            ZSTD_inBuffer in = {body->bytes + at, len, 0};
            ZSTD_outBuffer out = {packed, ZSTD_compressBound(TACHO_TRACY_FILE_BLOCK) + 1024, 0};
            ZSTD_compressStream2(zstd[turn], &out, &in, ZSTD_e_flush);
            composed_block(file, packed, out.pos);
        } else {
            memcpy(tacho_lz4_encoder_room(&lz4[turn]), body->bytes + at, len);
            composed_block(file, packed, tacho_lz4_encoder_encode(&lz4[turn], len, packed));
        }
    }
    for (size_t i = 0; i < count; i++) {
        tacho_lz4_encoder_deinit(&lz4[i]);
        ZSTD_freeCStream(zstd[i]);
    }
    free(packed);
}

#endif
