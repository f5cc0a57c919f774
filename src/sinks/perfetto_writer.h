/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Perfetto packets other than events: the sequence with its delta clock and interned strings, track
 * descriptors, attributes. perfetto.c writes the events on top of it.
 *
 * All events are on one sequence. Every RESTART_BYTES the sequence state starts afresh, and
 * strings, descriptors and the clock are written again as they are needed; so a file with its end
 * cut off opens, and one without its front can be read from the next restart on.
 */
#ifndef TACHO_SINKS_PERFETTO_WRITER_H
#define TACHO_SINKS_PERFETTO_WRITER_H

#include "codec/protobuf.h"
#include "codec/perfetto_fields.h"
#include "sinks/trace_sink.h"
#include "sinks/track_numbers.h"

/* The tables of interned strings; each numbers its entries separately. */
typedef enum pf_table {
    PF_TABLE_CATEGORIES,
    PF_TABLE_NAMES,
    PF_TABLE_ANNOTATIONS,
    PF_TABLE_VALUES,
    PF_TABLE_COUNT,
} pf_table;

/* The number of a string in a table, valid while its epoch is the writer's. */
typedef struct pf_interned {
    uint32_t epoch;
    uint32_t iid;
} pf_interned;

typedef struct pf_interning {
    pf_interned *items; /* by string id */
    size_t item_count, item_capacity;
    uint32_t last_iid;
} pf_interning;

/* Whether the string is interned in the table in |epoch|, the writer's. */
static inline bool pf_interning_knows(const pf_interning *interning, uint32_t string,
                                      uint32_t epoch)
{
    return string < interning->item_count && interning->items[string].epoch == epoch;
}

/* Two fields of a one-byte tag and 32 bits, and an annotation of two such fields. */
enum { PF_SITE_BYTES_MAX = 27 };

/*
 * The fields that a site adds to each of its events, encoded once per epoch: name, category,
 * location. Half a cache line, since it is looked up for every event.
 */
typedef struct pf_site {
    uint32_t epoch;
    uint8_t len;
    unsigned char bytes[PF_SITE_BYTES_MAX];
} pf_site;

enum { PF_PACKET_OVERHEAD = 64 /* tags, lengths and numbers of a packet, without events */ };

/* Arguments that the sink itself adds to spans. */
typedef enum pf_own_key {
    PF_OWN_LOCATION,
    PF_OWN_CYCLES,  /* raw duration, if the clock counts cycles */
    PF_OWN_ORIGIN,  /* if it is not the part's */
    PF_OWN_UNENDED, /* the input has no end for it */
    PF_OWN_RUN,     /* the execution it belongs to, by name and number */
    PF_OWN_INVOCATION,
    PF_OWN_KEY_COUNT,
} pf_own_key;

typedef struct pf_writer {
    tacho_dict *dict;
    tacho_output *output;
    tacho_trace_options options;
    uint32_t epoch; /* counts restarts; each one clears all state */
    pf_interning tables[PF_TABLE_COUNT];
    pf_site *sites;
    size_t site_count, site_capacity;
    uint32_t *track_epochs; /* when each track was last described */
    size_t track_count, track_capacity;
    bool *deferred_tracks; /* used, but not described since their facts were not final */
    size_t deferred_capacity;
    uint32_t *box_epochs; /* likewise for boxes, by group and kind */
    size_t box_count, box_capacity;
    tacho_track_numbers numbers;
    bool *described_parts; /* whether the attributes of each part have been written */
    size_t part_count, part_capacity;
    int64_t clock_ns;    /* the delta clock: time of the last event written */
    int64_t snapshot_ns; /* the last snapshot; must never go back */
    uint64_t restart_offset;
    uint32_t own_keys[PF_OWN_KEY_COUNT]; /* string ids for the sink's own arguments */
    uint32_t own_iids[PF_OWN_KEY_COUNT]; /* their numbers in this epoch */
    unsigned char *buffer; /* for packets that may be larger than the output's reserve */
    size_t buffer_capacity;
} pf_writer;

tacho_status pf_writer_init(pf_writer *writer, tacho_dict *dict, tacho_output *output,
                            const tacho_trace_options *options) TACHO_MUST_USE;
void pf_writer_deinit(pf_writer *writer);

/* Writes the opening of the file. */
tacho_status pf_writer_begin(pf_writer *writer) TACHO_MUST_USE;

/* Writes the closing: deferred descriptors, losses, metadata. */
tacho_status pf_writer_end(pf_writer *writer) TACHO_MUST_USE;

/*
 * Writes one attribute, in a packet of its own; the value may be any bytes. A
 * tacho_attribute_visit.
 */
tacho_status pf_writer_attribute(void *self, tacho_str key, tacho_str value) TACHO_MUST_USE;

/* Starts the sequence afresh; call before an event when pf_writer_is_due. */
tacho_status pf_writer_restart(pf_writer *writer) TACHO_MUST_USE;

static inline bool pf_writer_is_due(const pf_writer *writer)
{
    return tacho_output_offset(writer->output) >= writer->restart_offset;
}

tacho_status pf_writer_add_string(pf_writer *writer, pf_table table, uint32_t string,
                                  uint32_t *out_iid) TACHO_MUST_USE;

/* The number of a string, which is interned if it is new in this epoch. */
TACHO_MUST_USE static inline tacho_status pf_writer_intern(pf_writer *writer, pf_table table,
                                                           uint32_t string, uint32_t *out_iid)
{
    const pf_interning *interning = &writer->tables[table];
    if (TACHO_LIKELY(pf_interning_knows(interning, string, writer->epoch))) {
        *out_iid = interning->items[string].iid;
        return TACHO_OK;
    }
    return pf_writer_add_string(writer, table, string, out_iid);
}

tacho_status pf_writer_add_site(pf_writer *writer, uint32_t site) TACHO_MUST_USE;

static inline bool pf_writer_knows_site(const pf_writer *writer, uint32_t site)
{
    return TACHO_LIKELY(site < writer->site_count && writer->sites[site].epoch == writer->epoch);
}

/* The fields that |site| adds to an event; its strings are interned in this epoch. */
TACHO_MUST_USE static inline tacho_status pf_writer_site(pf_writer *writer, uint32_t site,
                                                         const pf_site **out_site)
{
    if (!pf_writer_knows_site(writer, site)) {
        TACHO_TRY(pf_writer_add_site(writer, site));
    }
    *out_site = &writer->sites[site];
    return TACHO_OK;
}

tacho_status pf_writer_describe_track(pf_writer *writer, uint32_t track) TACHO_MUST_USE;

static inline bool pf_writer_knows_track(const pf_writer *writer, uint32_t track)
{
    return TACHO_LIKELY(track < writer->track_count &&
                        writer->track_epochs[track] == writer->epoch);
}

/* Describes |track| and its ancestors unless this epoch has them. */
TACHO_MUST_USE static inline tacho_status pf_writer_track(pf_writer *writer, uint32_t track)
{
    return pf_writer_knows_track(writer, track) ? TACHO_OK
                                                : pf_writer_describe_track(writer, track);
}

/* The track's id in the file: small, and never 0. */
static inline uint64_t pf_track_uuid(uint32_t track)
{
    return (uint64_t)track + 1;
}

/* Room for a packet of at most |bound| bytes, in the output itself where that is possible. */
tacho_status pf_writer_reserve(pf_writer *writer, size_t bound,
                               unsigned char **out_memory) TACHO_MUST_USE;

/* Takes the bytes [memory, end) that were put into a reserve. */
static inline void pf_writer_commit(pf_writer *writer, const unsigned char *memory,
                                    unsigned char *end)
{
    if (TACHO_LIKELY(memory == writer->output->cursor)) {
        writer->output->cursor = end;
    } else {
        tacho_output_write(writer->output, memory, (size_t)(end - memory));
    }
}

#endif
