/* SPDX-License-Identifier: Apache-2.0 */
/*
 * gen_tracy ZONES > FILE: a .tracy file of one thread with so many zones, in pairs that nest.
 */
#include "sources/tracy/tracy_file_testing.h"

#include <stdio.h>

typedef struct writer {
    tacho_lz4_encoder lz4;
    char *packed;
    size_t len; /* of the block that is being filled */
} writer;

static void flush(writer *self)
{
    if (self->len == 0) {
        return;
    }
    size_t len = tacho_lz4_encoder_encode(&self->lz4, self->len, self->packed);
    const unsigned char size[4] = {(unsigned char)len, (unsigned char)(len >> 8),
                                   (unsigned char)(len >> 16), (unsigned char)(len >> 24)};
    fwrite(size, 1, sizeof(size), stdout);
    fwrite(self->packed, 1, len, stdout);
    self->len = 0;
}

/* What was composed leaves in blocks that are full. */
static void drain(writer *self, composed *from)
{
    for (size_t at = 0; at < from->len;) {
        size_t room = TACHO_TRACY_FILE_BLOCK - self->len;
        size_t step = from->len - at < room ? from->len - at : room;
        memcpy(tacho_lz4_encoder_room(&self->lz4) + self->len, from->bytes + at, step);
        self->len += step;
        at += step;
        if (self->len == TACHO_TRACY_FILE_BLOCK) {
            flush(self);
        }
    }
    from->len = 0;
}

static void put_zones(writer *self, composed *body, uint64_t zones)
{
    composed_put(body, zones, 8);
    composed_put(body, zones / 2, 8);
    composed_put(body, 1, 8);
    composed_put(body, 4321, 8);
    composed_put(body, zones, 8);
    composed_put(body, 0, 8 + 1);
    composed_put(body, zones / 2, 4);
    for (uint64_t i = 0; i < zones / 2; i++) {
        composed_zone(body, 1, (int64_t)(i % 37 + 100), 0, 1);
        composed_zone(body, -1, 20, 0, 0);
        composed_put(body, 300 + i % 11, 8);
        composed_put(body, 20, 8);
        if (body->len > COMPOSED_ROOM / 2) {
            drain(self, body);
        }
    }
    composed_put(body, 0, 24);
}

int main(int argc, char **argv)
{
    uint64_t zones = argc > 1 ? strtoull(argv[1], NULL, 10) : 1000000;
    const uint32_t version = TRACY_VERSION(0, 10, 0);
    writer self = {.packed = malloc(tacho_lz4_bound(TACHO_TRACY_FILE_BLOCK))};
    composed body;
    composed_init(&body);
    if (tacho_lz4_encoder_init(&self.lz4, TACHO_TRACY_FILE_BLOCK) != TACHO_OK) {
        return 1;
    }
    fwrite("tlZ\x04", 1, 4, stdout);
    composed_head(&body, version);
    composed_frames(&body, version);
    composed_names(&body);
    composed_put(&body, 0, 16); /* no locks, no messages */
    composed_put(&body, 1, 8);
    composed_put(&body, 0, 12);
    put_zones(&self, &body, zones);
    composed_devices(&body, version);
    composed_rest(&body);
    drain(&self, &body);
    flush(&self);
    tacho_lz4_encoder_deinit(&self.lz4);
    free(self.packed);
    free(body.bytes);
    return 0;
}
