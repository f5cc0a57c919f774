/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Parts, tracks and sites of Torq files.
 */
#include "sources/torq/torq_part.h"

#include "base/grow.h"
#include "codec/csv.h"
#include "codec/mlir_location.h"

#include <stdio.h>
#include <stdlib.h>

enum {
    EXAMPLE_BYTES = 60,
    PLACE_BYTES_MAX = 4096,    /* longer locations are parsed every time, as are ... */
    PLACE_COUNT_MAX = 1 << 20, /* ... locations beyond this number */
};

/* Adds the place for the next text. */
static tacho_status add_place(torq_part *part, const torq_place *place)
{
    TACHO_TRY(tacho_grow(&part->places, &part->place_capacity, part->place_count + 1));
    part->places[part->place_count++] = *place;
    return TACHO_OK;
}

tacho_status torq_part_init(torq_part *part, const tacho_reading *reading,
                            const tacho_part_facts *facts, const tacho_clock *clock,
                            tacho_str clock_name)
{
    *part = (torq_part){
        .reading = reading,
        .dict = reading->events->dict,
        .max_ticks = clock->max_ticks,
    };
    tacho_arena_init(&part->scratch);
    tacho_arena_init(&part->short_forms);
    for (size_t i = 0; i < TACHO_TORQ_ENGINE_COUNT; i++) {
        part->engine_tracks[i] = TACHO_NONE;
    }
    for (size_t i = 0; i < TORQ_SLICE_MAX; i++) {
        part->slice_tracks[i] = TACHO_NONE;
    }
    TACHO_TRY(tacho_strings_init(&part->keys));
    TACHO_TRY(tacho_strings_init(&part->place_texts)); /* with the empty one */
    TACHO_TRY(add_place(part, &(torq_place){TACHO_NONE, TACHO_STR("")}));
    TACHO_TRY(tacho_dict_add_clock(part->dict, clock, clock_name, &part->clock));
    tacho_part_facts with_clock = *facts;
    with_clock.path = reading->path;
    with_clock.clock = part->clock;
    return tacho_dict_add_part(part->dict, &with_clock, &part->part);
}

void torq_part_deinit(torq_part *part)
{
    tacho_strings_deinit(&part->keys);
    free(part->entries);
    tacho_strings_deinit(&part->place_texts);
    free(part->places);
    tacho_arena_deinit(&part->short_forms);
    tacho_arena_deinit(&part->scratch);
}

static void begin_group(torq_group *group, const tacho_arg *args)
{
    for (size_t i = 0; i < TORQ_GROUP_ROWS; i++) {
        group->rows[i] = (tacho_row){
            .kind = TACHO_ROW_SPAN,
            .of.span = {.op = TACHO_NONE, .run = TACHO_NONE},
            .args = group->args[i],
        };
        memcpy(group->args[i], args, sizeof(group->args[i]));
    }
}

/* ---- threads that take turns ------------------------------------------------------------ */

static void begin_turn(void *self, unsigned thread)
{
    torq_part *part = self;
    part->group = &part->groups[thread];
    part->events_shared->begin(part->events_shared->self, thread);
}

static void end_turn(void *self, unsigned thread)
{
    const torq_part *part = self;
    part->events_shared->end(part->events_shared->self, thread);
}

static void after_turn(void *self, unsigned thread)
{
    const torq_part *part = self;
    part->events_shared->after(part->events_shared->self, thread);
}

const tacho_shared *torq_part_shared(torq_part *part)
{
    part->shared = (tacho_shared){begin_turn, end_turn, after_turn, part};
    part->events_shared = tacho_events_shared(part->reading->events);
    return part->events_shared != NULL ? &part->shared : NULL;
}

void torq_part_begin_group(torq_part *part, const tacho_arg *args)
{
    for (size_t i = 0; i < TACHO_TURN_THREADS; i++) {
        begin_group(&part->groups[i], args);
    }
    part->group = &part->groups[0];
}

tacho_status torq_part_push_group(torq_part *part)
{
    torq_group *group = part->group;
    size_t count = group != NULL ? group->count : 0;
    if (count == 0) {
        return TACHO_OK;
    }
    group->count = 0;
    return tacho_events_rows(part->reading->events, group->rows, count);
}

tacho_status torq_part_lose(torq_part *part, tacho_loss_reason reason, tacho_str line)
{
    TACHO_TRY(torq_part_push_group(part));
    uint64_t line_number = part->line_number;
    line_number = line_number > 0 ? line_number : part->reading->input->line_number;
    tacho_loss loss = {part->part, reason, 1, line_number, 0};
    if (!tacho_dict_has_loss(part->dict, &loss)) {
        line.len = line.len > EXAMPLE_BYTES ? EXAMPLE_BYTES : line.len;
        TACHO_TRY(tacho_dict_ensure_string(part->dict, line, &loss.example));
    }
    return tacho_dict_add_loss(part->dict, &loss);
}

static tacho_status no_rows(const torq_part *part)
{
    const tacho_dict *dict = part->dict;
    const char *name = part->reading->input->name;
    for (size_t i = 0; i < dict->loss_count; i++) {
        const tacho_loss *loss = &dict->losses[i];
        if (loss->part == part->part) {
            return tacho_fail(
                TACHO_CODE_BAD_DATA, "%s:%llu: no row of this file can be read; first problem: %s",
                name, (unsigned long long)loss->first_line, tacho_loss_phrase(loss->reason));
        }
    }
    return tacho_fail(TACHO_CODE_BAD_DATA, "%s: the file has a header but no rows", name);
}

tacho_status torq_part_finish(torq_part *part)
{
    if (tacho_input_damage(part->reading->input) != NULL) {
        TACHO_TRY(torq_part_lose(part, TACHO_LOSS_CUT_INPUT, TACHO_STR("")));
    }
    if (part->good_row_count == 0) {
        return no_rows(part);
    }
    return tacho_events_end_part(part->reading->events, part->part);
}

enum { TRACK_NAME_BYTES = 48 };

const tacho_source_option torq_vendor_tracks = {"vendor-tracks", TACHO_SOURCE_OPTION_FLAG};

const tacho_source_option *const torq_part_options[] = {&torq_vendor_tracks, NULL};

/* "Slice 0", as the vendor's first viewer has it "SLICE 0", as the next one "2_SLICE_0". */
static int name_track(const torq_part *part, tacho_torq_engine engine, uint32_t slice,
                      char out_name[TRACK_NAME_BYTES])
{
    static const char *const numbered[TACHO_TORQ_ENGINE_COUNT] = {
        [TACHO_TORQ_DMA_IN] = "0_DMA_IN",
        [TACHO_TORQ_DMA_OUT] = "1_DMA_OUT",
        [TACHO_TORQ_CDMA] = "4_CDMA",
        [TACHO_TORQ_CSS] = "5_CSS",
    };
    bool is_slice = engine == TACHO_TORQ_SLICE;
    const tacho_part *facts = &part->dict->parts[part->part];
    tacho_str generation = tacho_dict_string(part->dict, facts->generation);
    bool is_vendors = tacho_source_options_number(part->reading->options, &torq_vendor_tracks) > 0;
    bool is_numbered = is_vendors && tacho_str_starts_with(generation, TACHO_STR("T")) &&
                       !tacho_str_equal(generation, TACHO_STR("T1"));
    if (is_numbered && is_slice) {
        return snprintf(out_name, TRACK_NAME_BYTES, "%u_SLICE_%u", 2 + (unsigned)slice,
                        (unsigned)slice);
    }
    if (is_numbered && numbered[engine] != NULL) {
        return snprintf(out_name, TRACK_NAME_BYTES, "%s", numbered[engine]);
    }
    const char *word = tacho_torq_engine_name(engine);
    int len = is_slice ? snprintf(out_name, TRACK_NAME_BYTES, "%s %u", word, (unsigned)slice)
                       : snprintf(out_name, TRACK_NAME_BYTES, "%s", word);
    bool is_shouted =
        is_vendors && (is_slice || engine == TACHO_TORQ_DMA_IN || engine == TACHO_TORQ_DMA_OUT);
    for (int i = 0; i < len && is_shouted; i++) {
        char letter = out_name[i];
        out_name[i] = (char)(letter >= 'a' && letter <= 'z' ? letter - 'a' + 'A' : letter);
    }
    return len;
}

tacho_status torq_part_make_track(torq_part *part, tacho_torq_engine engine, uint32_t slice,
                                  uint32_t *out_track)
{
    TACHO_TRY(torq_part_push_group(part));
    bool is_slice = engine == TACHO_TORQ_SLICE;
    char name[TRACK_NAME_BYTES];
    int len = name_track(part, engine, slice, name);
    tacho_track facts = {
        .parent = part->dict->parts[part->part].root,
        .part = part->part,
        .clock = part->clock,
        .index = is_slice ? slice : 0,
        .lane_of = TACHO_NONE,
        .rank = -1,
        .track_class = tacho_torq_engine_class(engine),
        .nesting = TACHO_NESTING_ENGINE,
    };
    TACHO_TRY(
        tacho_dict_ensure_track(part->dict, &facts, tacho_str_make(name, (size_t)len), out_track));
    *(is_slice ? &part->slice_tracks[slice] : &part->engine_tracks[engine]) = *out_track;
    return TACHO_OK;
}

const torq_entry *torq_part_find_entry(const torq_part *part, tacho_str key)
{
    uint32_t key_id = tacho_strings_find(&part->keys, key);
    bool is_known = key_id < part->entry_count && part->entries[key_id].site != TACHO_NONE;
    return is_known ? &part->entries[key_id] : NULL;
}

tacho_status torq_part_add_entry(torq_part *part, tacho_str key, const torq_entry *entry)
{
    uint32_t key_id = 0;
    TACHO_TRY(tacho_strings_ensure(&part->keys, key, &key_id));
    TACHO_TRY(tacho_grow(&part->entries, &part->entry_capacity, part->keys.item_count));
    for (; part->entry_count < part->keys.item_count; part->entry_count++) {
        part->entries[part->entry_count] = (torq_entry){.site = TACHO_NONE};
    }
    part->entries[key_id] = *entry;
    return TACHO_OK;
}

/* Undoes CSV quotes that some tool put around the field. */
static tacho_status unquote(torq_part *part, tacho_str field, tacho_str *out_text)
{
    *out_text = field;
    if (field.len == 0 || field.data[0] != '"') {
        return TACHO_OK;
    }
    tacho_csv_record record;
    tacho_status status = tacho_csv_read_quoted(field, ',', &part->scratch, &record);
    if (status != TACHO_OK) {
        return tacho_status_forgive_data(status); /* not quoted after all: keep it as it is */
    }
    *out_text = record.field_count == 1 ? record.fields[0] : field;
    return TACHO_OK;
}

/* The text inside loc( ... ). */
static tacho_str strip_wrapper(tacho_str text)
{
    text = tacho_str_trim(text);
    if (tacho_str_starts_with(text, TACHO_STR("loc(")) && text.data[text.len - 1] == ')') {
        return tacho_str_make(text.data + 4, text.len - 5);
    }
    return text;
}

/*
 * Files the location and gives its short form. Text in another form is kept as it is, since it may
 * help the user.
 */
static tacho_status add_location(torq_part *part, tacho_str field, torq_place *out_place)
{
    *out_place = (torq_place){TACHO_NONE, TACHO_STR("")};
    TACHO_TRY(unquote(part, field, &field));
    tacho_str text = strip_wrapper(field);
    if (text.len == 0 || tacho_str_equal(text, TACHO_STR("unknown"))) {
        return TACHO_OK;
    }
    tacho_location facts = {0};
    TACHO_TRY(tacho_dict_ensure_string(part->dict, text, &facts.text));
    tacho_mlir_location parsed;
    tacho_status status = tacho_mlir_location_parse(text, NULL, &part->scratch, &parsed);
    if (status != TACHO_OK) {
        TACHO_TRY(tacho_status_forgive_data(status));
        return tacho_dict_ensure_location(part->dict, &facts, &out_place->location);
    }
    /* The model's name for an operation is more useful than its line. */
    bool is_named = parsed.nodes[0].kind == TACHO_MLIR_LOCATION_NAME;
    tacho_str *short_form = &out_place->short_form;
    TACHO_TRY(is_named ? tacho_arena_copy(&part->scratch, parsed.nodes[0].text, short_form)
                       : tacho_mlir_location_format_short(&parsed, &part->scratch, short_form));
    const tacho_mlir_location_node *primary = tacho_mlir_location_primary(&parsed);
    if (primary != NULL) {
        TACHO_TRY(tacho_dict_ensure_string(part->dict, primary->text, &facts.file));
        facts.line = primary->line;
        facts.column = primary->column;
    }
    return tacho_dict_ensure_location(part->dict, &facts, &out_place->location);
}

/* The place of |field|, parsed once. */
static tacho_status ensure_place(torq_part *part, tacho_str field, torq_place *out_place)
{
    uint32_t id = 0;
    if (field.len > PLACE_BYTES_MAX || part->place_count == PLACE_COUNT_MAX) {
        return add_location(part, field, out_place);
    }
    TACHO_TRY(tacho_strings_ensure(&part->place_texts, field, &id));
    if (id < part->place_count) {
        *out_place = part->places[id];
        return TACHO_OK;
    }
    TACHO_TRY(add_location(part, field, out_place));
    TACHO_TRY(tacho_arena_copy(&part->short_forms, out_place->short_form, &out_place->short_form));
    return add_place(part, out_place);
}

static tacho_status add_site(torq_part *part, const torq_site_facts *facts, uint32_t *out_site)
{
    tacho_site site = {0};
    tacho_str name = facts->name;
    torq_place place;
    TACHO_TRY(ensure_place(part, facts->location, &place));
    site.location = place.location;
    if (name.len == 0) {
        name = place.short_form.len > 0 ? place.short_form : facts->fallback_name;
    }
    const char *category = tacho_track_class_name(facts->track_class);
    TACHO_TRY(tacho_dict_ensure_string(part->dict, name, &site.name));
    TACHO_TRY(
        tacho_dict_ensure_string(part->dict, tacho_str_from_cstring(category), &site.category));
    return tacho_dict_ensure_site(part->dict, &site, out_site);
}

tacho_status torq_part_make_site(torq_part *part, const torq_site_facts *facts, uint32_t *out_site)
{
    TACHO_TRY(torq_part_push_group(part));
    tacho_status status = add_site(part, facts, out_site);
    tacho_arena_reset(&part->scratch);
    return status;
}

tacho_status torq_part_key(torq_part *part, const char *name, uint32_t *out_id)
{
    return tacho_dict_ensure_string(part->dict, tacho_str_from_cstring(name), out_id);
}
