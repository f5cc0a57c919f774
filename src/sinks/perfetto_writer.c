/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Rules of the format, beyond its fields:
 * - Viewers guess the file type from the first 128 bytes, so those hold only fixed text.
 * - A snapshot of the delta clock may not go back in time, so a restart never does; the next
 *   event compensates with a negative delta.
 */
#include "sinks/perfetto_writer.h"

#include "base/grow.h"
#include "base/utf8.h"
#include "sinks/attributes.h"

#include <stdlib.h>

enum {
    RESTART_BYTES = 8 << 20,
    PACKET_OVERHEAD = PF_PACKET_OVERHEAD,
    SEQUENCE_ID = 1,
};

tacho_status pf_writer_init(pf_writer *writer, tacho_dict *dict, tacho_output *output,
                            const tacho_trace_options *options)
{
    *writer = (pf_writer){.dict = dict, .output = output, .options = *options, .epoch = 1};
    static const char *const names[PF_OWN_KEY_COUNT] = {
        [PF_OWN_LOCATION] = "location", [PF_OWN_CYCLES] = "cycles",
        [PF_OWN_ORIGIN] = "origin",     [PF_OWN_UNENDED] = "unended",
        [PF_OWN_RUN] = "run",           [PF_OWN_INVOCATION] = "invocation",
    };
    for (size_t i = 0; i < PF_TABLE_COUNT; i++) {
        pf_interning *table = &writer->tables[i];
        TACHO_TRY(tacho_grow(&table->items, &table->item_capacity, 1));
        table->items[table->item_count++] = (pf_interned){0};
    }
    for (size_t i = 0; i < PF_OWN_KEY_COUNT; i++) {
        TACHO_TRY(
            tacho_dict_ensure_string(dict, tacho_str_from_cstring(names[i]), &writer->own_keys[i]));
    }
    return tacho_track_numbers_init(&writer->numbers, dict);
}

void pf_writer_deinit(pf_writer *writer)
{
    for (size_t i = 0; i < PF_TABLE_COUNT; i++) {
        free(writer->tables[i].items);
    }
    free(writer->sites);
    free(writer->track_epochs);
    free(writer->deferred_tracks);
    free(writer->described_parts);
    free(writer->box_epochs);
    tacho_track_numbers_deinit(&writer->numbers);
    free(writer->buffer);
    *writer = (pf_writer){0};
}

tacho_status pf_writer_reserve(pf_writer *writer, size_t bound, unsigned char **out_memory)
{
    if (TACHO_LIKELY(bound <= TACHO_OUTPUT_RESERVE_MAX)) {
        *out_memory = tacho_output_reserve(writer->output, bound);
        return TACHO_OK;
    }
    TACHO_TRY(tacho_grow(&writer->buffer, &writer->buffer_capacity, bound));
    *out_memory = writer->buffer;
    return TACHO_OK;
}

/* Writes an attribute whose value is valid UTF-8. */
static tacho_status write_clean_attribute(pf_writer *writer, tacho_str key, tacho_str value)
{
    unsigned char *memory = NULL;
    TACHO_TRY(pf_writer_reserve(writer, PACKET_OVERHEAD + key.len + value.len, &memory));
    unsigned char *packet = tacho_pb_open(memory, PF_TRACE_PACKET);
    unsigned char *attributes = tacho_pb_open(packet, PF_PACKET_TRACE_ATTRIBUTES);
    unsigned char *attribute = tacho_pb_open(attributes, PF_ATTRIBUTES_ATTRIBUTE);
    unsigned char *at = tacho_pb_put_bytes(attribute, PF_ATTRIBUTE_KEY, key);
    at = tacho_pb_put_bytes(at, PF_ATTRIBUTE_STRING, value);
    at = tacho_pb_close(attribute, at);
    at = tacho_pb_close(attributes, at);
    pf_writer_commit(writer, memory, tacho_pb_close(packet, at));
    return TACHO_OK;
}

tacho_status pf_writer_attribute(void *self, tacho_str key, tacho_str value)
{
    tacho_arena arena;
    tacho_arena_init(&arena);
    tacho_status status = tacho_utf8_clean(value, &arena, &value);
    if (status == TACHO_OK) {
        status = tacho_utf8_clean(key, &arena, &key);
    }
    if (status == TACHO_OK) {
        status = write_clean_attribute(self, key, value);
    }
    tacho_arena_deinit(&arena);
    return status;
}

static unsigned char *put_clock(unsigned char *at, unsigned id, int64_t ns, bool is_incremental)
{
    unsigned char *body = tacho_pb_open(at, PF_SNAPSHOT_CLOCKS);
    at = tacho_pb_put_uint(body, PF_CLOCK_ID, id);
    at = tacho_pb_put_uint(at, PF_CLOCK_TIMESTAMP, (uint64_t)ns);
    if (is_incremental) {
        at = tacho_pb_put_uint(at, PF_CLOCK_IS_INCREMENTAL, 1);
    }
    return tacho_pb_close(body, at);
}

/* Clears the sequence's state and sets its clock. */
static tacho_status write_sequence_start(pf_writer *writer)
{
    unsigned char *memory = NULL;
    TACHO_TRY(pf_writer_reserve(writer, 2 * PACKET_OVERHEAD, &memory));
    unsigned char *packet = tacho_pb_open(memory, PF_TRACE_PACKET);
    unsigned char *at = tacho_pb_put_uint(packet, PF_PACKET_SEQUENCE_ID, SEQUENCE_ID);
    at = tacho_pb_put_uint(at, PF_PACKET_SEQUENCE_FLAGS, PF_FLAG_STATE_CLEARED);
    if (writer->epoch == 1) {
        at = tacho_pb_put_uint(at, PF_PACKET_FIRST_ON_SEQUENCE, 1);
    }
    unsigned char *defaults = tacho_pb_open(at, PF_PACKET_DEFAULTS);
    at = tacho_pb_put_uint(defaults, PF_DEFAULTS_CLOCK_ID, PF_CLOCK_DELTA);
    at = tacho_pb_close(defaults, at);
    unsigned char *snapshot = tacho_pb_open(at, PF_PACKET_CLOCK_SNAPSHOT);
    at = put_clock(snapshot, PF_CLOCK_BOOTTIME, writer->snapshot_ns, false);
    at = put_clock(at, PF_CLOCK_DELTA, writer->snapshot_ns, true);
    at = tacho_pb_close(snapshot, at);
    pf_writer_commit(writer, memory, tacho_pb_close(packet, at));
    writer->clock_ns = writer->snapshot_ns;
    writer->restart_offset = tacho_output_offset(writer->output) + RESTART_BYTES;
    return TACHO_OK;
}

/* Writes track 0, which asks viewers to order processes and threads by their ranks. */
static tacho_status write_ordering(pf_writer *writer)
{
    unsigned char *memory = NULL;
    TACHO_TRY(pf_writer_reserve(writer, PACKET_OVERHEAD, &memory));
    unsigned char *packet = tacho_pb_open(memory, PF_TRACE_PACKET);
    unsigned char *descriptor = tacho_pb_open(packet, PF_PACKET_TRACK_DESCRIPTOR);
    unsigned char *at = tacho_pb_put_uint(descriptor, PF_TRACK_UUID, 0);
    at = tacho_pb_put_uint(at, PF_TRACK_PROCESS_ORDERING, PF_PROCESS_ORDERING_EXPLICIT);
    at = tacho_pb_put_uint(at, PF_TRACK_THREAD_ORDERING, PF_THREAD_ORDERING_EXPLICIT);
    at = tacho_pb_close(descriptor, at);
    pf_writer_commit(writer, memory, tacho_pb_close(packet, at));
    return TACHO_OK;
}

/* Begins an epoch: sequence state, process order, and the strings that nearly every event needs. */
static tacho_status begin_epoch(pf_writer *writer)
{
    TACHO_TRY(write_sequence_start(writer));
    TACHO_TRY(write_ordering(writer));
    for (size_t i = 0; i < PF_OWN_KEY_COUNT && !writer->options.omit_args; i++) {
        TACHO_TRY(pf_writer_intern(writer, PF_TABLE_ANNOTATIONS, writer->own_keys[i],
                                   &writer->own_iids[i]));
    }
    return TACHO_OK;
}

tacho_status pf_writer_begin(pf_writer *writer)
{
    /* Well over 128 bytes of fixed text. */
    TACHO_TRY(tacho_attributes_visit_head(pf_writer_attribute, writer));
    return begin_epoch(writer);
}

tacho_status pf_writer_restart(pf_writer *writer)
{
    if (tacho_output_failed(writer->output)) {
        return tacho_output_take_failure(writer->output); /* stop reading */
    }
    writer->epoch++;
    for (size_t i = 0; i < PF_TABLE_COUNT; i++) {
        writer->tables[i].last_iid = 0;
    }
    if (writer->clock_ns > writer->snapshot_ns) {
        writer->snapshot_ns = writer->clock_ns;
    }
    return begin_epoch(writer);
}

/* Writes one entry of interned data, in a packet of its own. */
static tacho_status write_interned(pf_writer *writer, uint32_t field, uint32_t iid, tacho_str text)
{
    unsigned char *memory = NULL;
    TACHO_TRY(pf_writer_reserve(writer, PACKET_OVERHEAD + text.len, &memory));
    unsigned char *packet = tacho_pb_open(memory, PF_TRACE_PACKET);
    unsigned char *at = tacho_pb_put_uint(packet, PF_PACKET_SEQUENCE_ID, SEQUENCE_ID);
    at = tacho_pb_put_uint(at, PF_PACKET_SEQUENCE_FLAGS, PF_FLAG_NEEDS_STATE);
    unsigned char *data = tacho_pb_open(at, PF_PACKET_INTERNED_DATA);
    unsigned char *entry = tacho_pb_open(data, field);
    at = tacho_pb_put_uint(entry, PF_INTERNED_IID, iid);
    at = tacho_pb_put_bytes(at, PF_INTERNED_STRING, text);
    at = tacho_pb_close(entry, at);
    at = tacho_pb_close(data, at);
    pf_writer_commit(writer, memory, tacho_pb_close(packet, at));
    return TACHO_OK;
}

static tacho_status write_interned_clean(pf_writer *writer, pf_table table, uint32_t iid,
                                         uint32_t string)
{
    static const uint32_t fields[PF_TABLE_COUNT] = {
        [PF_TABLE_CATEGORIES] = 1,
        [PF_TABLE_NAMES] = 2,
        [PF_TABLE_ANNOTATIONS] = 3,
        [PF_TABLE_VALUES] = 29,
    };
    tacho_arena arena;
    tacho_arena_init(&arena);
    tacho_str text = tacho_dict_string(writer->dict, string);
    tacho_status status = tacho_utf8_clean(text, &arena, &text);
    if (table == PF_TABLE_ANNOTATIONS && text.len == 0) {
        text = TACHO_STR("(no name)"); /* viewers drop an annotation without a name */
    }
    if (status == TACHO_OK) {
        status = write_interned(writer, fields[table], iid, text);
    }
    tacho_arena_deinit(&arena);
    return status;
}

tacho_status pf_writer_add_string(pf_writer *writer, pf_table table, uint32_t string,
                                  uint32_t *out_iid)
{
    pf_interning *interning = &writer->tables[table];
    size_t count = (size_t)string + 1; /* most tables need few strings, all early ones */
    TACHO_TRY(tacho_grow(&interning->items, &interning->item_capacity, count));
    for (; interning->item_count < count; interning->item_count++) {
        interning->items[interning->item_count] = (pf_interned){0};
    }
    pf_interned *item = &interning->items[string];
    *item = (pf_interned){writer->epoch, ++interning->last_iid};
    *out_iid = item->iid;
    return write_interned_clean(writer, table, item->iid, string);
}

static tacho_status grow_sites(pf_writer *writer)
{
    size_t count = writer->dict->site_count;
    TACHO_TRY(tacho_grow(&writer->sites, &writer->site_capacity, count));
    for (; writer->site_count < count; writer->site_count++) {
        writer->sites[writer->site_count] = (pf_site){0};
    }
    return TACHO_OK;
}

static unsigned char *put_location(unsigned char *at, uint32_t key_iid, uint32_t text_iid)
{
    unsigned char *body = tacho_pb_open(at, PF_EVENT_ANNOTATIONS);
    at = tacho_pb_put_uint(body, PF_ANNOTATION_NAME_IID, key_iid);
    at = tacho_pb_put_uint(at, PF_ANNOTATION_STRING_IID, text_iid);
    return tacho_pb_close(body, at);
}

/* Adds category and location, which --args none leaves out. */
static tacho_status put_site_args(pf_writer *writer, const tacho_site *facts, unsigned char **at)
{
    uint32_t iid = 0;
    TACHO_TRY(pf_writer_intern(writer, PF_TABLE_CATEGORIES, facts->category, &iid));
    *at = tacho_pb_put_uint(*at, PF_EVENT_CATEGORY_IID, iid);
    if (facts->location == TACHO_NONE) {
        return TACHO_OK;
    }
    uint32_t text = writer->dict->locations[facts->location].text;
    TACHO_TRY(pf_writer_intern(writer, PF_TABLE_VALUES, text, &iid));
    *at = put_location(*at, writer->own_iids[PF_OWN_LOCATION], iid);
    return TACHO_OK;
}

tacho_status pf_writer_add_site(pf_writer *writer, uint32_t site)
{
    TACHO_TRY(grow_sites(writer));
    const tacho_site *facts = &writer->dict->sites[site];
    pf_site *known = &writer->sites[site];
    uint32_t iid = 0;
    TACHO_TRY(pf_writer_intern(writer, PF_TABLE_NAMES, facts->name, &iid));
    unsigned char *at = tacho_pb_put_uint(known->bytes, PF_EVENT_NAME_IID, iid);
    if (!writer->options.omit_args) {
        TACHO_TRY(put_site_args(writer, facts, &at));
    }
    known->len = (uint8_t)(at - known->bytes);
    known->epoch = writer->epoch;
    return TACHO_OK;
}
