/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Records to entries of the dictionary. An invalid record is counted and left out; a second record
 * of the same id updates the fields that may change.
 */
#include "base/grow.h"
#include "sources/tacho/capture_reader.h"

enum { TRACK_DEPTH_MAX = 64 };

/* A record that is not used. */
static tacho_status refuse(capture_reader *reader)
{
    reader->bad_count++;
    return TACHO_OK;
}

/* ---- strings ------------------------------------------------------------------------------- */

static void note_launch_key(capture_reader *reader, tacho_str text, uint32_t id)
{
    for (size_t i = 0; i < TACHO_LAUNCH_KEYS; i++) {
        if (!tacho_str_equal(text, tacho_launch_keys[i])) {
            continue;
        }
        if (reader->launch_key_count < TACHO_LAUNCH_KEYS) {
            reader->launch_keys[reader->launch_key_count] = id;
        }
        reader->launch_key_count++;
    }
}

tacho_status capture_take_strings(capture_reader *reader, tacho_str payload)
{
    if (payload.len < sizeof(uint32_t)) {
        return refuse(reader);
    }
    uint64_t id = tacho_capture_get_u32(payload.data);
    tacho_capture_cursor cursor = {
        .at = (const unsigned char *)payload.data + sizeof(uint32_t),
        .end = (const unsigned char *)payload.data + payload.len,
    };
    for (; cursor.at < cursor.end; id++) {
        uint64_t len = tacho_capture_take(&cursor);
        uint32_t ours = 0;
        if (cursor.is_bad || len > (uint64_t)(cursor.end - cursor.at) || id >= TACHO_NONE ||
            id < id_map_next(&reader->strings)) {
            return refuse(reader);
        }
        tacho_str text = tacho_str_make((const char *)cursor.at, (size_t)len);
        TACHO_TRY(tacho_dict_ensure_string(reader->dict, text, &ours));
        TACHO_TRY(id_map_add(&reader->strings, (uint32_t)id, ours));
        note_launch_key(reader, text, (uint32_t)id);
        cursor.at += len;
    }
    return TACHO_OK;
}

/* ---- clocks and parts ---------------------------------------------------------------------- */

tacho_status capture_take_clock(capture_reader *reader, const char *bytes)
{
    tacho_capture_clock record = tacho_capture_clock_get(bytes);
    capture_clock made = {.name = capture_string(reader, record.name), .ours = TACHO_NONE};
    if (record.id == TACHO_NONE || record.id < id_map_next(&reader->clock_ids) ||
        record.ns_numerator == 0 || record.ns_numerator > INT64_MAX || record.ns_denominator == 0 ||
        record.ns_denominator > INT64_MAX) {
        return refuse(reader);
    }
    tacho_clock_init(&made.clock, record.ns_numerator, record.ns_denominator);
    if (record.zero_ticks > (uint64_t)made.clock.max_ticks) {
        return refuse(reader);
    }
    made.clock.zero_ticks = (int64_t)record.zero_ticks;
    made.clock.is_assumed = (record.flags & TACHO_CAPTURE_CLOCK_ASSUMED) != 0;
    made.clock.counts_cycles = (record.flags & TACHO_CAPTURE_CLOCK_CYCLES) != 0;
    made.clock.has_fixed_zero = (record.flags & TACHO_CAPTURE_CLOCK_FIXED) != 0;
    TACHO_TRY(tacho_grow(&reader->clocks, &reader->clock_capacity, reader->clock_count + 1));
    TACHO_TRY(id_map_add(&reader->clock_ids, record.id, (uint32_t)reader->clock_count));
    reader->clocks[reader->clock_count++] = made;
    return TACHO_OK;
}

/* Parts whose clock gets its zero from their first row have a clock each. */
static tacho_status ensure_clock(capture_reader *reader, capture_clock *clock, uint32_t *out_ours)
{
    if (clock->ours == TACHO_NONE || !clock->clock.has_fixed_zero) {
        tacho_str name = tacho_dict_string(reader->dict, clock->name);
        TACHO_TRY(tacho_dict_add_clock(reader->dict, &clock->clock, name, &clock->ours));
    }
    *out_ours = clock->ours;
    return TACHO_OK;
}

/* The first tick of a part, or -1. */
static int64_t first_start(const capture_part *part, const tacho_clock *clock)
{
    return part->record.first_start <= (uint64_t)clock->max_ticks
               ? (int64_t)part->record.first_start
               : -1;
}

/* Makes |part|, one of the reader's parts, unless it exists. */
static tacho_status capture_make_part(capture_reader *reader, capture_part *part)
{
    tacho_dict *dict = reader->dict;
    const tacho_capture_part *record = &part->record;
    uint32_t clock = id_map_find(&reader->clock_ids, record->clock);
    if (part->ours != TACHO_NONE || clock == TACHO_NONE) {
        return TACHO_OK;
    }
    tacho_part_facts facts = {
        .path = reader->reading->path,
        .name = tacho_dict_string(dict, capture_string(reader, record->name)),
        .format = tacho_dict_string(dict, capture_string(reader, record->format)),
        .generation = tacho_dict_string(dict, capture_string(reader, record->generation)),
        .origin = (tacho_origin)record->origin,
        .covered_classes = record->covered_classes & (TACHO_TRACK_BIT(TACHO_TRACK_CLASS_COUNT) - 1),
        .keeps_order = (record->flags & TACHO_CAPTURE_PART_KEEPS_ORDER) != 0,
    };
    TACHO_TRY(ensure_clock(reader, &reader->clocks[clock], &facts.clock));
    TACHO_TRY(tacho_dict_add_part(dict, &facts, &part->ours));
    tacho_part *made = &dict->parts[part->ours];
    made->source = capture_string(reader, record->path);
    made->is_aside = (record->flags & TACHO_CAPTURE_PART_ASIDE) != 0;
    made->has_flows_around = (record->flags & TACHO_CAPTURE_PART_FLOWS) != 0;
    made->first_start = first_start(part, &dict->clocks[facts.clock]);
    return TACHO_OK;
}

tacho_status capture_take_part(capture_reader *reader, const char *bytes)
{
    tacho_capture_part record = tacho_capture_part_get(bytes);
    uint32_t known = id_map_find(&reader->part_ids, record.id);
    if (known != TACHO_NONE) {
        capture_part *part = &reader->parts[known];
        part->record.first_start = record.first_start;
        part->record.flags |= record.flags & TACHO_CAPTURE_PART_FLOWS;
        if (part->ours != TACHO_NONE && part->row_count == 0) {
            tacho_part *made = &reader->dict->parts[part->ours];
            made->has_flows_around = (part->record.flags & TACHO_CAPTURE_PART_FLOWS) != 0;
            made->first_start = first_start(part, &reader->dict->clocks[made->clock]);
        }
        return TACHO_OK;
    }
    if (record.id >= TACHO_CAPTURE_PARTS_MAX || record.id < id_map_next(&reader->part_ids) ||
        record.origin >= TACHO_ORIGIN_COUNT) {
        return refuse(reader);
    }
    TACHO_TRY(tacho_grow(&reader->parts, &reader->part_capacity, reader->part_count + 1));
    TACHO_TRY(id_map_add(&reader->part_ids, record.id, (uint32_t)reader->part_count));
    reader->parts[reader->part_count++] = (capture_part){.record = record, .ours = TACHO_NONE};
    return TACHO_OK;
}

/* ---- tracks -------------------------------------------------------------------------------- */

/*
 * Whether a track may change to |track_class|: rows decide which tracks hold tracks and which hold
 * samples.
 */
static bool may_become(tacho_track_class now, tacho_track_class track_class)
{
    return now != TACHO_TRACK_GROUP && now != TACHO_TRACK_COUNTER &&
           track_class != TACHO_TRACK_GROUP && track_class != TACHO_TRACK_COUNTER;
}

/* A root is named after its part, whose name may differ here, unless it was renamed. */
static bool is_named_after_part(const capture_reader *reader, const tacho_capture_track *record)
{
    uint32_t part = id_map_find(&reader->part_ids, record->part);
    return record->parent == TACHO_NONE && part != TACHO_NONE &&
           record->name == reader->parts[part].record.name;
}

static void set_number(const tacho_capture_track *record, tacho_track *track)
{
    int64_t high = record->flags >> TACHO_CAPTURE_TRACK_NUMBER_SHIFT;
    track->has_number = (record->flags & TACHO_CAPTURE_TRACK_HAS_NUMBER) != 0;
    track->number = track->has_number ? high << 32 | record->number : 0;
    track->is_numbered = track->has_number && (record->flags & TACHO_CAPTURE_TRACK_NUMBERED) != 0;
    track->is_free = (record->flags & TACHO_CAPTURE_TRACK_FREE) != 0;
}

static tacho_status change_track(capture_reader *reader, capture_track *track,
                                 const tacho_capture_track *record)
{
    tacho_capture_track changed = track->record;
    changed.name = record->name;
    changed.rank = record->rank;
    changed.index = record->index;
    changed.track_class = record->track_class;
    changed.flags = record->flags;
    track->record = changed;
    if (track->ours == TACHO_NONE || changed.lane_of != TACHO_NONE) {
        return TACHO_OK;
    }
    tacho_track *made = &reader->dict->tracks[track->ours];
    if (!is_named_after_part(reader, &changed)) {
        made->name = capture_string(reader, changed.name);
    }
    if (changed.parent != TACHO_NONE) {
        made->rank = (int32_t)changed.rank;
    }
    made->index = changed.index;
    set_number(&changed, made);
    if (may_become(made->track_class, (tacho_track_class)changed.track_class)) {
        made->track_class = (tacho_track_class)changed.track_class;
    }
    return TACHO_OK;
}

tacho_status capture_take_track(capture_reader *reader, const char *bytes)
{
    tacho_capture_track record = tacho_capture_track_get(bytes);
    uint32_t known = id_map_find(&reader->track_ids, record.id);
    if (record.track_class >= TACHO_TRACK_CLASS_COUNT || record.unit >= TACHO_UNIT_END ||
        record.nesting > TACHO_NESTING_ENGINE || record.id == TACHO_NONE) {
        return refuse(reader);
    }
    if (known != TACHO_NONE) {
        return change_track(reader, &reader->tracks[known], &record);
    }
    if (record.id < id_map_next(&reader->track_ids)) {
        return refuse(reader);
    }
    TACHO_TRY(tacho_grow(&reader->tracks, &reader->track_capacity, reader->track_count + 1));
    TACHO_TRY(id_map_add(&reader->track_ids, record.id, (uint32_t)reader->track_count));
    reader->tracks[reader->track_count++] = (capture_track){.record = record, .ours = TACHO_NONE};
    return TACHO_OK;
}

/* The track with this id of the file; NULL if it has not been made. */
static const capture_track *find_made(const capture_reader *reader, uint32_t id)
{
    uint32_t found = id_map_find(&reader->track_ids, id);
    return found != TACHO_NONE && reader->tracks[found].ours != TACHO_NONE ? &reader->tracks[found]
                                                                           : NULL;
}

/* Fills the root, which was made with its part. */
static void make_root(capture_reader *reader, capture_track *track, uint32_t part)
{
    tacho_dict *dict = reader->dict;
    track->ours = dict->parts[part].root;
    tacho_track *made = &dict->tracks[track->ours];
    if (!is_named_after_part(reader, &track->record)) {
        made->name = capture_string(reader, track->record.name);
    }
    made->index = track->record.index;
    set_number(&track->record, made);
    made->nesting = (tacho_nesting)track->record.nesting;
    made->is_provisional = (track->record.flags & TACHO_CAPTURE_TRACK_PROVISIONAL) != 0;
}

/* Adds |track|, below its parent, or its part's root where the parent is lost. */
static tacho_status make_child(capture_reader *reader, capture_track *track, uint32_t part)
{
    tacho_dict *dict = reader->dict;
    const tacho_capture_track *record = &track->record;
    const capture_track *parent = find_made(reader, record->parent);
    tacho_track made = {
        .name = capture_string(reader, record->name),
        .parent = parent != NULL ? parent->ours : dict->parts[part].root,
        .part = part,
        .clock = dict->parts[part].clock,
        .index = record->index,
        .lane_of = TACHO_NONE,
        .rank = (int32_t)record->rank,
        .track_class = (tacho_track_class)record->track_class,
        .nesting = (tacho_nesting)record->nesting,
        .unit = (tacho_unit)record->unit,
        .is_provisional = (record->flags & TACHO_CAPTURE_TRACK_PROVISIONAL) != 0 &&
                          record->track_class != TACHO_TRACK_COUNTER,
    };
    set_number(record, &made);
    track->depth = parent != NULL ? parent->depth + 1 : 1;
    if (track->depth > TRACK_DEPTH_MAX || dict->tracks[made.parent].part != part ||
        dict->tracks[made.parent].track_class == TACHO_TRACK_COUNTER) {
        return refuse(reader);
    }
    return tacho_dict_add_track(dict, &made, &track->ours);
}

static tacho_status make_track(capture_reader *reader, capture_track *track)
{
    const tacho_capture_track *record = &track->record;
    if (record->lane_of != TACHO_NONE) {
        const capture_track *main_track = find_made(reader, record->lane_of);
        track->ours = main_track != NULL ? main_track->ours : TACHO_NONE;
        return main_track != NULL ? TACHO_OK : refuse(reader);
    }
    uint32_t found = id_map_find(&reader->part_ids, record->part);
    if (found == TACHO_NONE) {
        return refuse(reader);
    }
    capture_part *part = &reader->parts[found];
    TACHO_TRY(capture_make_part(reader, part));
    if (part->ours == TACHO_NONE) {
        return refuse(reader);
    }
    if (record->parent != TACHO_NONE) {
        return make_child(reader, track, part->ours);
    }
    make_root(reader, track, part->ours);
    return TACHO_OK;
}

tacho_status capture_make_tracks(capture_reader *reader, uint64_t end)
{
    while (reader->made_count < reader->track_count &&
           reader->tracks[reader->made_count].record.id < end) {
        TACHO_TRY(make_track(reader, &reader->tracks[reader->made_count++]));
    }
    return TACHO_OK;
}

/* ---- sites and runs ------------------------------------------------------------------------ */

tacho_status capture_take_location(capture_reader *reader, const char *bytes)
{
    tacho_capture_location record = tacho_capture_location_get(bytes);
    uint32_t ours = 0;
    if (record.id == TACHO_NONE || record.id < id_map_next(&reader->locations)) {
        return refuse(reader);
    }
    const tacho_location place = {
        .text = capture_string(reader, record.text),
        .file = capture_string(reader, record.file),
        .line = record.line,
        .column = record.column,
    };
    TACHO_TRY(tacho_dict_ensure_location(reader->dict, &place, &ours));
    return id_map_add(&reader->locations, record.id, ours);
}

tacho_status capture_take_site(capture_reader *reader, const char *bytes)
{
    tacho_capture_site record = tacho_capture_site_get(bytes);
    uint32_t ours = 0;
    if (record.id == TACHO_NONE || record.id < id_map_next(&reader->sites)) {
        return refuse(reader);
    }
    const tacho_site site = {
        .name = capture_string(reader, record.name),
        .category = capture_string(reader, record.category),
        .location = id_map_find(&reader->locations, record.location), /* TACHO_NONE stays */
    };
    TACHO_TRY(tacho_dict_ensure_site(reader->dict, &site, &ours));
    return id_map_add(&reader->sites, record.id, ours);
}

/* A run belongs to a part, and is made after it. */
tacho_status capture_take_run(capture_reader *reader, const char *bytes)
{
    tacho_capture_run record = tacho_capture_run_get(bytes);
    bool is_next = reader->run_count == 0 || record.id > reader->runs[reader->run_count - 1].id;
    if (record.id == TACHO_NONE || !is_next) {
        return refuse(reader);
    }
    TACHO_TRY(tacho_grow(&reader->runs, &reader->run_capacity, reader->run_count + 1));
    reader->runs[reader->run_count++] = record;
    return TACHO_OK;
}

tacho_status capture_make_runs(capture_reader *reader)
{
    for (; reader->made_run_count < reader->run_count; reader->made_run_count++) {
        const tacho_capture_run *record = &reader->runs[reader->made_run_count];
        uint32_t part = id_map_find(&reader->part_ids, record->part);
        uint32_t ours = 0;
        if (part == TACHO_NONE) {
            reader->bad_count++;
            continue;
        }
        if (reader->parts[part].ours == TACHO_NONE) {
            return TACHO_OK; /* made later */
        }
        const tacho_run run = {
            .part = reader->parts[part].ours,
            .name = capture_string(reader, record->name),
            .invocation = (int64_t)record->invocation,
        };
        TACHO_TRY(tacho_dict_add_run(reader->dict, &run, &ours));
        TACHO_TRY(id_map_add(&reader->run_ids, record->id, ours));
    }
    return TACHO_OK;
}

/* ---- the end ------------------------------------------------------------------------------- */

tacho_status capture_take_fact(capture_reader *reader, const char *bytes)
{
    tacho_dict *dict = reader->dict;
    tacho_capture_fact record = tacho_capture_fact_get(bytes);
    TACHO_TRY(tacho_grow(&dict->metadata, &dict->metadata_capacity, dict->metadata_count + 1));
    dict->metadata[dict->metadata_count++] = (tacho_metadata){
        capture_string(reader, record.key),
        capture_string(reader, record.value),
    };
    return TACHO_OK;
}

tacho_status capture_take_loss(capture_reader *reader, const char *bytes)
{
    tacho_capture_loss record = tacho_capture_loss_get(bytes);
    uint32_t part = id_map_find(&reader->part_ids, record.part);
    if (part == TACHO_NONE || record.reason >= TACHO_LOSS_REASON_COUNT) {
        return refuse(reader);
    }
    TACHO_TRY(capture_make_part(reader, &reader->parts[part]));
    if (reader->parts[part].ours == TACHO_NONE) {
        return refuse(reader);
    }
    const tacho_loss loss = {
        .part = reader->parts[part].ours,
        .reason = (tacho_loss_reason)record.reason,
        .count = record.count,
        .first_line = record.first_line,
        .example = capture_string(reader, record.example),
    };
    return tacho_dict_add_loss(reader->dict, &loss);
}
