/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Chrome Trace Event JSON, the file: an object with "traceEvents" and other keys anywhere, or an
 * array of events that need not be closed. Of a cut file everything complete before the cut is
 * read.
 *
 *     {"schemaVersion":1, ... "traceEvents":[{"ph":"X","ts":1.5,"dur":2, ...}, ...]}
 *     [{"ph":"X", ...}, {"ph":"X", ...},
 *
 * Times are microseconds with any number of decimals and become whole nanoseconds exactly.
 */
#include "sources/chrome/chrome.h"

#include "sources/chrome/chrome_reader.h"

#include <stdio.h>
#include <stdlib.h>

enum { FACT_COUNT_MAX = 1000, FACT_KEY_BYTES = 88, FACT_VALUE_BYTES = 4096, FACT_DEPTH_MAX = 8 };
enum { PROBE_EVENTS_MAX = 4 };

/* ---- recognising one -------------------------------------------------------------------- */

static bool is_one_of(tacho_str text, const char *const *words)
{
    for (; *words != NULL; words++) {
        if (tacho_str_equal(text, tacho_str_from_cstring(*words))) {
            return true;
        }
    }
    return false;
}

/* Looks for "ph" in the first events of an array that has begun. */
static tacho_status probe_array(tacho_json_reader *json, tacho_probe_verdict *verdict)
{
    static const char *const usual[] = {"name", "cat", "pid", "tid", "ts", "dur", NULL};
    tacho_json_token token = TACHO_JSON_END;
    for (int i = 0; i < PROBE_EVENTS_MAX; i++) {
        TACHO_TRY(tacho_json_next(json, &token));
        if (token != TACHO_JSON_OBJECT_BEGIN) {
            bool is_void = token == TACHO_JSON_ARRAY_END && i == 0; /* as if nothing was traced */
            *verdict = is_void ? TACHO_PROBE_MAYBE : *verdict;
            return TACHO_OK;
        }
        bool is_usual = false;
        for (;;) {
            *verdict = is_usual ? TACHO_PROBE_MAYBE : TACHO_PROBE_NO; /* should the head end */
            TACHO_TRY(tacho_json_next(json, &token));
            *verdict = TACHO_PROBE_NO;
            if (token == TACHO_JSON_OBJECT_END) {
                break;
            }
            if (tacho_str_equal(json->text, TACHO_STR("ph"))) {
                *verdict = TACHO_PROBE_SURE;
                return TACHO_OK;
            }
            is_usual = is_usual || is_one_of(json->text, usual);
            *verdict = is_usual ? TACHO_PROBE_MAYBE : TACHO_PROBE_NO;
            TACHO_TRY(tacho_json_skip(json));
        }
    }
    return TACHO_OK;
}

/* Looks for "traceEvents" in an object that has begun. */
static tacho_status probe_object(tacho_json_reader *json, tacho_probe_verdict *verdict)
{
    static const char *const usual[] = {
        "schemaVersion", "deviceProperties", "distributedInfo", "displayTimeUnit", "traceName",
        "otherData",     "metadata",         "stackFrames",     "trace_id",        NULL,
    };
    tacho_json_token token = TACHO_JSON_END;
    bool is_usual = false;
    for (;;) {
        *verdict = is_usual ? TACHO_PROBE_MAYBE : TACHO_PROBE_NO;
        TACHO_TRY(tacho_json_next(json, &token));
        if (token != TACHO_JSON_KEY) {
            *verdict = TACHO_PROBE_NO;
            return TACHO_OK;
        }
        if (tacho_str_equal(json->text, TACHO_STR("traceEvents"))) {
            *verdict = TACHO_PROBE_SURE;
            return TACHO_OK;
        }
        is_usual = is_usual || is_one_of(json->text, usual);
        *verdict = is_usual ? TACHO_PROBE_MAYBE : TACHO_PROBE_NO;
        TACHO_TRY(tacho_json_skip(json));
    }
}

static tacho_status probe_value(tacho_json_reader *json, tacho_probe_verdict *verdict)
{
    tacho_json_token token = TACHO_JSON_END;
    TACHO_TRY(tacho_json_next(json, &token));
    if (token == TACHO_JSON_ARRAY_BEGIN) {
        return probe_array(json, verdict);
    }
    return token == TACHO_JSON_OBJECT_BEGIN ? probe_object(json, verdict) : TACHO_OK;
}

/*
 * Probes as many bytes of JSON as there are. A head that is cut or turns invalid keeps the verdict
 * reached so far.
 */
static tacho_probe_verdict probe_json(tacho_input *input)
{
    static const tacho_json_options options = {.is_lenient = true, .allows_open_array = true};
    tacho_json_reader *json = malloc(sizeof(*json));
    tacho_probe_verdict verdict = TACHO_PROBE_NO;
    if (json == NULL) {
        return verdict;
    }
    tacho_status status = tacho_json_reader_init(json, input, &options);
    if (status == TACHO_OK) {
        status = probe_value(json, &verdict);
        bool is_broken = status != TACHO_OK && !json->is_cut;
        verdict = is_broken ? TACHO_PROBE_NO : verdict;
        tacho_json_reader_deinit(json);
    }
    tacho_status_free(status);
    free(json);
    return verdict;
}

/* Whether the first byte that counts begins an array or an object. */
static bool may_be_json(tacho_str head)
{
    size_t at = tacho_str_starts_with(head, TACHO_STR("\xef\xbb\xbf")) ? 3 : 0;
    while (at < head.len && (head.data[at] == ' ' || (head.data[at] >= 9 && head.data[at] <= 13))) {
        at++;
    }
    return at < head.len && (head.data[at] == '[' || head.data[at] == '{');
}

static tacho_probe_verdict chrome_probe(tacho_str head)
{
    tacho_input input;
    if (!may_be_json(head)) {
        return TACHO_PROBE_NO;
    }
    tacho_status status = tacho_input_open_bytes("head", head, &input);
    if (status != TACHO_OK) {
        tacho_status_free(status);
        return TACHO_PROBE_NO;
    }
    tacho_probe_verdict verdict = probe_json(&input);
    tacho_input_close(&input);
    return verdict;
}

/* ---- keys beside the events ------------------------------------------------------------- */

/* Adds the scalar |value| of |key| to the metadata; |prefix| is the place of the key. */
static tacho_status add_fact(chrome_reader *reader, const char *prefix, tacho_str key,
                             tacho_str value)
{
    char name[FACT_KEY_BYTES];
    if (reader->fact_count++ >= FACT_COUNT_MAX) {
        return TACHO_OK;
    }
    snprintf(name, sizeof(name), "%s%.*s", prefix, TACHO_STR_ARG(key));
    value.len = value.len > FACT_VALUE_BYTES ? FACT_VALUE_BYTES : value.len;
    return tacho_dict_add_metadata(reader->dict, name, value);
}

static bool is_scalar(tacho_json_token token)
{
    return token == TACHO_JSON_STRING || token == TACHO_JSON_NUMBER || token == TACHO_JSON_TRUE ||
           token == TACHO_JSON_FALSE;
}

/* Whether a fact in tacho's own trace can be dropped: parts are read from the events. */
static bool is_known_fact(tacho_str key)
{
    static const char *const known[] = {"tacho.about", "tacho.tool", NULL};
    static const char *const of_parts[] = {".name",      ".origin", ".covers",
                                           ".alignment", ".clock",  ".rows"};
    if (!tacho_str_starts_with(key, TACHO_STR("tacho.part."))) {
        return is_one_of(key, known);
    }
    for (size_t i = 0; i < sizeof(of_parts) / sizeof(of_parts[0]); i++) {
        if (tacho_str_ends_with(key, tacho_str_from_cstring(of_parts[i]))) {
            return true;
        }
    }
    return false;
}

/*
 * Facts that tacho wrote describe an earlier trace. Those it already took from others stay as they
 * are.
 */
static tacho_status add_fact_of(chrome_reader *reader, const char *prefix, tacho_str key,
                                tacho_str value)
{
    const tacho_str own = TACHO_STR("tacho.");
    if (!tacho_str_starts_with(key, own)) {
        return add_fact(reader, prefix, key, value);
    }
    tacho_str rest = tacho_str_from(key, own.len);
    bool is_old = tacho_str_starts_with(rest, TACHO_STR("from.")) ||
                  tacho_str_starts_with(rest, TACHO_STR("chrome.")) ||
                  tacho_str_starts_with(rest, TACHO_STR("perfetto."));
    return add_fact(reader, is_old ? "" : "from.", rest, value);
}

/* Reads the scalars of an object that has begun, one level deep. */
static tacho_status read_facts(chrome_reader *reader, const char *prefix)
{
    tacho_json_reader *json = &reader->json;
    tacho_json_token token = TACHO_JSON_END;
    for (;;) {
        TACHO_TRY(tacho_json_next(json, &token));
        if (token == TACHO_JSON_OBJECT_END) {
            return TACHO_OK;
        }
        tacho_json_hold(json);
        tacho_str key = json->text;
        TACHO_TRY(tacho_json_next(json, &token));
        if (!is_scalar(token)) {
            tacho_json_release(json);
            TACHO_TRY(tacho_json_skip(json));
            continue;
        }
        if (!is_known_fact(key)) {
            TACHO_TRY(add_fact_of(reader, prefix, key, json->text));
        }
        tacho_json_release(json);
    }
}

/* The reader's place in nested facts: "deviceProperties.0.name". */
typedef struct fact_path {
    char text[FACT_KEY_BYTES];
    size_t depth;
    size_t lens[FACT_DEPTH_MAX];     /* of |text|, without the part of each level */
    unsigned counts[FACT_DEPTH_MAX]; /* of elements so far, in an array */
    bool are_arrays[FACT_DEPTH_MAX];
} fact_path;

/* Sets the innermost part of the path; a part that does not fit is cut. */
static void fact_path_set(fact_path *path, tacho_str part)
{
    size_t len = path->lens[path->depth - 1];
    snprintf(path->text + len, sizeof(path->text) - len, "%s%.*s", len > 0 ? "." : "",
             TACHO_STR_ARG(part));
}

static void fact_path_open(fact_path *path, bool is_array)
{
    path->lens[path->depth] = strlen(path->text);
    path->are_arrays[path->depth] = is_array;
    path->counts[path->depth++] = 0;
}

/*
 * Reads all scalars of an object or array that has begun, at any depth, and names them by their
 * paths.
 */
static tacho_status read_nested_facts(chrome_reader *reader, tacho_str key, bool is_array)
{
    tacho_json_reader *json = &reader->json;
    tacho_json_token token = TACHO_JSON_END;
    fact_path path = {.depth = 0};
    snprintf(path.text, sizeof(path.text), "%.*s", TACHO_STR_ARG(key));
    fact_path_open(&path, is_array);
    while (path.depth > 0) {
        TACHO_TRY(tacho_json_next(json, &token));
        if (token == TACHO_JSON_OBJECT_END || token == TACHO_JSON_ARRAY_END) {
            path.depth--;
            continue;
        }
        if (path.are_arrays[path.depth - 1]) {
            char number[16];
            int len = snprintf(number, sizeof(number), "%u", path.counts[path.depth - 1]++);
            fact_path_set(&path, tacho_str_make(number, (size_t)len));
        } else {
            fact_path_set(&path, json->text);
            TACHO_TRY(tacho_json_next(json, &token));
        }
        bool is_begun = token == TACHO_JSON_OBJECT_BEGIN || token == TACHO_JSON_ARRAY_BEGIN;
        if (is_begun && path.depth < FACT_DEPTH_MAX) {
            fact_path_open(&path, token == TACHO_JSON_ARRAY_BEGIN);
        } else if (is_begun) {
            TACHO_TRY(tacho_json_skip(json));
        } else {
            TACHO_TRY(add_fact(reader, "chrome.", tacho_str_from_cstring(path.text), json->text));
        }
    }
    return TACHO_OK;
}

/* Counts the samples of a profiler as lost; they are not read. */
static tacho_status count_samples(chrome_reader *reader)
{
    tacho_json_token token = TACHO_JSON_END;
    for (;;) {
        TACHO_TRY(tacho_json_next(&reader->json, &token));
        if (token == TACHO_JSON_ARRAY_END) {
            return TACHO_OK;
        }
        if (reader->sample_count++ == 0) {
            reader->sample_offset = tacho_json_offset(&reader->json);
        }
        TACHO_TRY(tacho_json_skip(&reader->json));
    }
}

/* ---- events ----------------------------------------------------------------------------- */

/* Counts the element at |offset|, which is not an event, as lost. */
static tacho_status take_no_event(chrome_reader *reader, uint64_t offset)
{
    reader->event.offset = offset;
    reader->event.present = 0;
    return chrome_take_event(reader);
}

/* Reads events without tokens, up to the first that has anything unusual. */
static tacho_status read_plain_events(chrome_reader *reader)
{
    tacho_json_reader *json = &reader->json;
    for (;;) {
        char *at = tacho_json_find_element(json);
        char *end = at != NULL ? chrome_event_try_read(&reader->event, at, &reader->texts) : NULL;
        if (TACHO_UNLIKELY(end == NULL)) {
            return TACHO_OK;
        }
        reader->event.offset = tacho_json_element_offset(json, at);
        TACHO_TRY(chrome_take_event(reader));
        tacho_json_pass_element(json, end);
    }
}

/*
 * Reads the events of an array that has begun; at the top level its end may be missing. An empty
 * object before the end is not an error: some writers put one after the last comma.
 */
static tacho_status read_tokens(chrome_reader *reader)
{
    tacho_json_reader *json = &reader->json;
    tacho_json_token token = TACHO_JSON_END;
    uint64_t empty_offset = UINT64_MAX; /* of an empty object just passed */
    for (;;) {
        if (TACHO_LIKELY(empty_offset == UINT64_MAX)) {
            TACHO_TRY(read_plain_events(reader));
        }
        TACHO_TRY(tacho_json_next(json, &token));
        if (token == TACHO_JSON_ARRAY_END || token == TACHO_JSON_END) {
            return TACHO_OK;
        }
        if (TACHO_UNLIKELY(empty_offset != UINT64_MAX)) {
            uint64_t offset = empty_offset;
            empty_offset = UINT64_MAX;
            TACHO_TRY(take_no_event(reader, offset));
        }
        if (TACHO_UNLIKELY(token != TACHO_JSON_OBJECT_BEGIN)) {
            uint64_t offset = tacho_json_offset(json);
            TACHO_TRY(tacho_json_skip(json));
            TACHO_TRY(take_no_event(reader, offset));
            continue;
        }
        tacho_json_hold(json);
        TACHO_TRY(chrome_event_read(&reader->event, json, &reader->texts));
        if (TACHO_UNLIKELY(reader->event.is_empty)) {
            empty_offset = reader->event.offset;
        } else {
            TACHO_TRY(chrome_take_event(reader));
        }
        tacho_json_release(json);
    }
}

static tacho_status read_events(chrome_reader *reader)
{
    tacho_json_begin_elements(&reader->json);
    tacho_status status = read_tokens(reader);
    tacho_json_end_elements(&reader->json);
    return status;
}

/* Reads one key of the top object and its value; some keys identify Kineto. */
static tacho_status read_key(chrome_reader *reader, bool *is_kineto, bool *has_events)
{
    tacho_json_reader *json = &reader->json;
    tacho_json_token token = TACHO_JSON_END;
    char key_bytes[FACT_KEY_BYTES];
    size_t len = json->text.len < sizeof(key_bytes) ? json->text.len : sizeof(key_bytes);
    memcpy(key_bytes, json->text.data, len);
    tacho_str key = tacho_str_make(key_bytes, len);
    TACHO_TRY(tacho_json_next(json, &token));
    *is_kineto = *is_kineto || tacho_str_equal(key, TACHO_STR("schemaVersion")) ||
                 tacho_str_equal(key, TACHO_STR("deviceProperties")) ||
                 tacho_str_equal(key, TACHO_STR("distributedInfo"));
    if (tacho_str_equal(key, TACHO_STR("traceEvents"))) {
        if (token != TACHO_JSON_ARRAY_BEGIN) {
            return tacho_fail(
                TACHO_CODE_BAD_DATA, "%s: byte %llu: \"traceEvents\" must be an array, not %s",
                reader->reading->input->name, (unsigned long long)tacho_json_offset(json),
                tacho_json_token_name(token));
        }
        *has_events = true;
        reader->generation = *is_kineto ? "kineto" : reader->generation;
        return read_events(reader);
    }
    if (is_scalar(token)) {
        bool is_display = tacho_str_equal(key, TACHO_STR("displayTimeUnit"));
        return is_display ? TACHO_OK : add_fact(reader, "chrome.", key, json->text);
    }
    if (token == TACHO_JSON_OBJECT_BEGIN && tacho_str_equal(key, TACHO_STR("metadata"))) {
        return read_facts(reader, "chrome.metadata.");
    }
    bool is_array = token == TACHO_JSON_ARRAY_BEGIN;
    if (is_array && tacho_str_equal(key, TACHO_STR("samples"))) {
        return count_samples(reader);
    }
    bool is_frames = tacho_str_equal(key, TACHO_STR("stackFrames")); /* as long as the events */
    bool is_nested = (is_array || token == TACHO_JSON_OBJECT_BEGIN) && !is_frames;
    return is_nested ? read_nested_facts(reader, key, is_array) : tacho_json_skip(json);
}

static tacho_status read_object(chrome_reader *reader)
{
    tacho_json_token token = TACHO_JSON_END;
    bool is_kineto = false;
    bool has_events = false;
    for (;;) {
        TACHO_TRY(tacho_json_next(&reader->json, &token));
        if (token != TACHO_JSON_KEY) {
            break;
        }
        TACHO_TRY(read_key(reader, &is_kineto, &has_events));
    }
    if (!has_events) {
        return tacho_fail(
            TACHO_CODE_BAD_DATA, "%s: byte %llu: expected \"traceEvents\" before the object ends",
            reader->reading->input->name, (unsigned long long)tacho_json_offset(&reader->json));
    }
    if (is_kineto && reader->part != TACHO_NONE) { /* tools that write a trace again put it last */
        uint32_t *generation = &reader->dict->parts[reader->part].generation;
        TACHO_TRY(tacho_dict_ensure_string(reader->dict, TACHO_STR("kineto"), generation));
    }
    return tacho_json_next(&reader->json, &token); /* nothing may follow */
}

static tacho_status read_value(chrome_reader *reader)
{
    tacho_json_token token = TACHO_JSON_END;
    TACHO_TRY(tacho_json_next(&reader->json, &token));
    if (token == TACHO_JSON_OBJECT_BEGIN) {
        reader->generation = "object";
        return read_object(reader);
    }
    if (token != TACHO_JSON_ARRAY_BEGIN) {
        return tacho_fail(TACHO_CODE_BAD_DATA,
                          "%s: byte %llu: expected an array of events or an object with "
                          "\"traceEvents\", not %s",
                          reader->reading->input->name,
                          (unsigned long long)tacho_json_offset(&reader->json),
                          tacho_json_token_name(token));
    }
    reader->generation = "array";
    TACHO_TRY(read_events(reader));
    return tacho_json_next(&reader->json, &token);
}

/* ---- the file --------------------------------------------------------------------------- */

/* How many bytes could be read. */
static uint64_t end_offset(const chrome_reader *reader)
{
    const tacho_json_reader *json = &reader->json;
    return json->base_offset + (uint64_t)(json->limit - json->base);
}

static tacho_status no_rows(const chrome_reader *reader, bool is_cut)
{
    const char *name = reader->reading->input->name;
    const tacho_dict *dict = reader->dict;
    if (is_cut) {
        return tacho_fail(TACHO_CODE_BAD_DATA,
                          "%s: byte %llu: truncated before the end of the first event", name,
                          (unsigned long long)end_offset(reader));
    }
    for (size_t i = 0; i < dict->loss_count; i++) {
        if (dict->losses[i].part == reader->part) {
            return tacho_fail(TACHO_CODE_BAD_DATA,
                              "%s: no event of this file can be read; first problem: %s (%s)", name,
                              tacho_loss_phrase(dict->losses[i].reason),
                              tacho_dict_string(dict, dict->losses[i].example).data);
        }
    }
    return tacho_fail(TACHO_CODE_BAD_DATA, "%s: the trace has no events", name);
}

static tacho_status add_loss(chrome_reader *reader, tacho_loss_reason reason, uint64_t count,
                             uint64_t offset, const char *what)
{
    tacho_loss loss = {reader->part, reason, count, 0, 0};
    char text[64];
    int len = snprintf(text, sizeof(text), "byte %llu%s", (unsigned long long)offset, what);
    TACHO_TRY(
        tacho_dict_ensure_string(reader->dict, tacho_str_make(text, (size_t)len), &loss.example));
    return tacho_dict_add_loss(reader->dict, &loss);
}

/* Adds the losses of the file as a whole, at its end. */
static tacho_status add_losses(chrome_reader *reader, bool is_cut)
{
    if (is_cut) {
        TACHO_TRY(add_loss(reader, TACHO_LOSS_CUT_INPUT, 1, end_offset(reader), ""));
    }
    if (reader->sample_count > 0) {
        TACHO_TRY(add_loss(reader, TACHO_LOSS_UNKNOWN_EVENT, reader->sample_count,
                           reader->sample_offset, ": \"samples\""));
    }
    if (reader->json.control_count > 0) {
        TACHO_TRY(tacho_dict_add_metadata_count(reader->dict, "chrome.control_characters",
                                                reader->json.control_count));
    }
    if (reader->json.not_finite_count > 0) {
        TACHO_TRY(tacho_dict_add_metadata_count(reader->dict, "chrome.not_finite_numbers",
                                                reader->json.not_finite_count));
    }
    return TACHO_OK;
}

static tacho_status read_all(chrome_reader *reader)
{
    tacho_status status = read_value(reader);
    bool is_cut = tacho_input_damage(reader->reading->input) != NULL;
    if (status != TACHO_OK && reader->json.is_cut) {
        tacho_status_free(status); /* the events read so far are sound */
        status = TACHO_OK;
        is_cut = true;
    }
    TACHO_TRY(status);
    if (reader->row_count == 0) {
        return no_rows(reader, is_cut);
    }
    TACHO_TRY(add_losses(reader, is_cut));
    return chrome_part_close(reader, true);
}

static tacho_status init(chrome_reader *reader, const tacho_reading *reading)
{
    static const tacho_json_options options = {.is_lenient = true, .allows_open_array = true};
    *reader = (chrome_reader){
        .reading = reading,
        .dict = reading->events->dict,
        .texts.dict = reading->events->dict,
        .part = TACHO_NONE,
        .first = -1,
    };
    reader->kind_category = TACHO_NONE;
    for (size_t i = 0; i < CHROME_SITE_SLOTS; i++) {
        reader->sites[i].site = TACHO_NONE;
    }
    chrome_event_init(&reader->event);
    TACHO_TRY(chrome_map_init(&reader->flow_map));
    TACHO_TRY(chrome_map_init(&reader->own_map));
    TACHO_TRY(chrome_tracks_init(&reader->tracks, reader->dict));
    TACHO_TRY(chrome_pairing_init(&reader->pairing, reading, &reader->tracks));
    return tacho_json_reader_init(&reader->json, reading->input, &options);
}

static void deinit(chrome_reader *reader)
{
    tacho_json_reader_deinit(&reader->json);
    chrome_pairing_deinit(&reader->pairing);
    chrome_tracks_deinit(&reader->tracks);
    chrome_map_deinit(&reader->own_map);
    chrome_map_deinit(&reader->flow_map);
    free(reader->arrows);
    free(reader->waiting_arrivals);
    free(reader->later_departures);
    chrome_event_deinit(&reader->event);
}

static tacho_status chrome_read(const tacho_reading *reading)
{
    chrome_reader *reader = malloc(sizeof(*reader));
    if (reader == NULL) {
        return tacho_no_memory();
    }
    tacho_status status = init(reader, reading);
    if (status == TACHO_OK) {
        status = read_all(reader);
    }
    deinit(reader);
    free(reader);
    return status;
}

const tacho_source tacho_source_chrome = {
    .name = "chrome",
    .title = "Chrome Trace Event JSON (PyTorch, ONNX Runtime, tacho)",
    .probe = chrome_probe,
    .read = chrome_read,
};
