/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Records of clients as rows. A segment is written by another program while it is read here, and
 * no byte of it is trusted: every number is read once, checked, and used as it was read. Invalid
 * records are counted, and cost one event of their ring at most, unless the ring itself is broken.
 */
#ifndef TACHO_CAPTURE_DECODER_H
#define TACHO_CAPTURE_DECODER_H

#include "capture/recorder.h"
#include "client/wire.h"

enum { TACHO_DECODER_DEVICES_MAX = 64, TACHO_DECODER_ARGS_MAX = 512 };

/* A device of a client, as far as it is known. */
typedef struct tacho_decoded_device {
    uint32_t device;
    uint32_t name;     /* string; 0: not sent */
    uint32_t queue;    /* string: the name of its queues; 0: not sent */
    bool is_simulated; /* its times are, and may be ahead of ours */
    /* The last pair of times; 0 ticks per second: none yet. */
    int64_t host_ns, ticks, ticks_per_second;
} tacho_decoded_device;

/* The state of one client program: its strings, and their ids in the dictionary. */
typedef struct tacho_decoder {
    tacho_recorder *recorder;
    uint32_t group;      /* track: its process */
    uint32_t client;     /* number: keeps its launches apart from those of others */
    const char *strings; /* TACHO_WIRE_STRINGS bytes */
    uint32_t *texts;     /* by id: dictionary string + 1 */
    uint32_t *sites;     /* dictionary site + 1 */
    uint32_t *counters;  /* track + 1 */
    tacho_decoded_device devices[TACHO_DECODER_DEVICES_MAX];
    size_t device_count;
    uint64_t event_count;               /* decoded */
    uint64_t bad_count;                 /* of them, those that make no sense */
    uint64_t unnamed_count;             /* of them, those whose texts did not fit */
    uint64_t untimed_count;             /* of them, on a device whose clock is not known */
    bool lacks_text;                    /* the present event names one that did not fit */
    uint32_t message, location, launch; /* strings of these names */
    unsigned char *scratch;             /* arguments of an event */
    tacho_arg args[TACHO_DECODER_ARGS_MAX];
} tacho_decoder;

/* Strings are those at |strings|. Deinitialise in any case. */
tacho_status tacho_decoder_init(tacho_decoder *decoder, tacho_recorder *recorder, uint32_t group,
                                const void *strings) TACHO_MUST_USE;
void tacho_decoder_deinit(tacho_decoder *decoder);

/* A thread of the client: where its zones go. */
tacho_status tacho_decoder_ensure_thread(tacho_decoder *decoder, const char *name, uint32_t tid,
                                         uint32_t *out_track) TACHO_MUST_USE;

/*
 * A call of tacho_decoder_take ends after this many records, at the end of an event: a 64th of a
 * ring, 4096.
 */
enum { TACHO_DECODER_PART = TACHO_WIRE_RECORDS / 64 };

/*
 * Takes the next events between |*tail| and |head| of a ring, whose records are |records|; |*tail|
 * follows. False where the ring is broken: its numbers cannot be those of a client.
 */
bool tacho_decoder_take(tacho_decoder *decoder, const tacho_wire_record *records, uint64_t head,
                        uint64_t *tail, uint32_t track);

/* A zone that has begun at |start| and not ended; it is recorded up to |now_ns|. */
void tacho_decoder_take_open(tacho_decoder *decoder, uint32_t track, const tacho_wire_open *open,
                             int64_t now_ns);

#endif
