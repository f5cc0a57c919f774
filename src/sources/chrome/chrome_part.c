/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Parts of a Chrome trace, their losses, and metadata events. Metadata that only configures viewers
 * (colours, memory dumps' units and such) is skipped.
 */
#include "sources/chrome/chrome_reader.h"

#include "base/whole.h"
#include "codec/json_number.h"

#include <math.h>

static tacho_status start_part(chrome_reader *reader)
{
    tacho_part_facts facts = {
        .path = reader->reading->path,
        .format = TACHO_STR("chrome"),
        .generation = tacho_str_from_cstring(reader->generation),
        .origin = TACHO_ORIGIN_MEASURED,
        .keeps_order = true,
    };
    TACHO_TRY(tacho_dict_add_clock(reader->dict, &reader->clock, TACHO_STR("ns"), &facts.clock));
    return tacho_dict_add_part(reader->dict, &facts, &reader->part);
}

tacho_status chrome_part_open(chrome_reader *reader)
{
    /* ONNX Runtime begins with the session. */
    if (tacho_str_equal(chrome_event_text(&reader->event, CHROME_CAT), TACHO_STR("Session")) &&
        strcmp(reader->generation, "array") == 0) {
        reader->generation = "ort";
    }
    tacho_clock_init(&reader->clock, 1, 1);
    TACHO_TRY(start_part(reader));
    chrome_pairing_begin_part(&reader->pairing, reader->part);
    reader->tracks.part = reader->part;
    return TACHO_OK;
}

/* No more metadata follows for any track. */
static void settle_tracks(chrome_reader *reader)
{
    chrome_tracks_rank_processes(&reader->tracks);
    for (size_t i = 0; i < reader->dict->track_count; i++) {
        reader->dict->tracks[i].is_provisional = false;
    }
}

tacho_status chrome_part_close(chrome_reader *reader, bool is_last)
{
    if (reader->part == TACHO_NONE) {
        return TACHO_OK;
    }
    TACHO_TRY(chrome_pairing_end_part(&reader->pairing, reader->latest));
    if (is_last) {
        settle_tracks(reader);
    }
    uint32_t part = reader->part;
    reader->part = TACHO_NONE;
    reader->first = -1;
    reader->latest = 0;
    return tacho_events_end_part(reader->reading->events, part);
}

tacho_status chrome_lose(chrome_reader *reader, tacho_loss_reason reason)
{
    chrome_lost lost = {reader->event.offset, chrome_event_text(&reader->event, CHROME_PH),
                        chrome_event_text(&reader->event, CHROME_NAME)};
    return chrome_lost_add(reader->dict, reader->part, reason, &lost);
}

/* ---- metadata events -------------------------------------------------------------------- */

/* A number of any type, without its decimals; clamped to the largest. */
static bool whole_of(const tacho_dict *dict, const tacho_arg *arg, int64_t *out_value)
{
    switch (arg->type) {
    case TACHO_ARG_INT:
        *out_value = arg->value.as_int;
        return true;
    case TACHO_ARG_UINT: /* only values too large for INT */
        *out_value = INT64_MAX;
        return true;
    case TACHO_ARG_REAL:
        *out_value = tacho_whole_i64(arg->value.as_real);
        return !isnan(arg->value.as_real);
    case TACHO_ARG_STRING:
    case TACHO_ARG_TEXT:
        return tacho_json_number_i64(chrome_arg_text(dict, arg), out_value);
    case TACHO_ARG_BOOL:
    case TACHO_ARG_DICT:
    case TACHO_ARG_ARRAY:
    case TACHO_ARG_JSON:
        break;
    }
    return false;
}

/* Uses a number as the rank among siblings. */
static void take_rank(chrome_reader *reader, chrome_description *said)
{
    const tacho_arg *arg =
        chrome_event_find_arg(&reader->event, reader->dict, TACHO_STR("sort_index"));
    int64_t value = 0;
    if (arg != NULL && whole_of(reader->dict, arg, &value)) {
        said->has_rank = true;
        said->rank = value > INT32_MAX ? INT32_MAX : value < INT32_MIN ? INT32_MIN : (int32_t)value;
    }
}

static tacho_status take_text(chrome_reader *reader, tacho_str key, uint32_t *out_string)
{
    const tacho_arg *arg = chrome_event_find_arg(&reader->event, reader->dict, key);
    return tacho_dict_ensure_string(reader->dict, chrome_arg_text(reader->dict, arg), out_string);
}

/* The name in a description, or the one for tacho, which also includes a number. */
static tacho_status take_name(chrome_reader *reader, uint32_t *out_string)
{
    const tacho_arg *full = chrome_event_find_arg(&reader->event, reader->dict, TACHO_STR("full"));
    bool is_own = reader->is_own && full != NULL;
    return take_text(reader, is_own ? TACHO_STR("full") : TACHO_STR("name"), out_string);
}

static tacho_status describe_process(chrome_reader *reader, tacho_str what)
{
    uint32_t index = 0;
    TACHO_TRY(chrome_tracks_process(&reader->tracks,
                                    chrome_event_number(&reader->event, CHROME_PID), &index));
    chrome_description *said = &reader->tracks.processes[index].said;
    if (tacho_str_equal(what, TACHO_STR("process_name"))) {
        const tacho_arg *facts =
            chrome_event_find_arg(&reader->event, reader->dict, TACHO_STR("facts"));
        tacho_track_facts parsed;
        if (tacho_track_facts_parse(chrome_arg_text(reader->dict, facts), &parsed) &&
            parsed.track_class == TACHO_TRACK_GROUP) {
            said->has_facts = true;
            said->facts = parsed;
        }
        TACHO_TRY(take_name(reader, &said->name));
    } else if (tacho_str_equal(what, TACHO_STR("process_labels"))) {
        TACHO_TRY(take_text(reader, TACHO_STR("labels"), &said->labels));
    } else {
        take_rank(reader, said);
    }
    return chrome_tracks_update_process(&reader->tracks, index);
}

static tacho_status describe_thread(chrome_reader *reader, tacho_str what)
{
    uint32_t index = 0;
    TACHO_TRY(chrome_tracks_thread(&reader->tracks, chrome_event_number(&reader->event, CHROME_PID),
                                   chrome_event_thread(&reader->event), &index));
    if (tacho_str_equal(what, TACHO_STR("thread_name"))) {
        TACHO_TRY(take_name(reader, &reader->tracks.threads[index].said.name));
        TACHO_TRY(chrome_own_take_facts(reader, index));
    } else if (tacho_str_equal(what, TACHO_STR("tacho_lane"))) {
        return chrome_own_take_lane(reader, index);
    } else {
        take_rank(reader, &reader->tracks.threads[index].said);
    }
    return chrome_tracks_update_thread(&reader->tracks, index);
}

tacho_status chrome_take_metadata(chrome_reader *reader)
{
    tacho_str what = chrome_event_text(&reader->event, CHROME_NAME);
    if (tacho_str_equal(what, TACHO_STR("thread_name")) ||
        tacho_str_equal(what, TACHO_STR("thread_sort_index")) ||
        tacho_str_equal(what, TACHO_STR("tacho_lane"))) {
        return describe_thread(reader, what);
    }
    if (tacho_str_equal(what, TACHO_STR("tacho_counter"))) {
        return reader->is_own ? chrome_own_take_counter(reader) : TACHO_OK;
    }
    if (tacho_str_equal(what, TACHO_STR("process_name")) ||
        tacho_str_equal(what, TACHO_STR("process_labels")) ||
        tacho_str_equal(what, TACHO_STR("process_sort_index"))) {
        return describe_process(reader, what);
    }
    return TACHO_OK;
}
