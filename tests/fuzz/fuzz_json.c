/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Fuzzes the JSON reader. The first byte of the input picks the options, the second the size of
 * the buffer and the token at which a value is skipped or taken raw; the rest is the text.
 *
 * Laws: a small buffer changes nothing, failures and counts included; containers nest; skipping
 * is reading; a raw value read again gives its tokens; held texts do not change; and a number
 * converts as strtod says.
 */
#include "base/grow.h"
#include "codec/json_number.h"
#include "codec/json_reader.h"
#include "mutate/mutate.h"

#include <math.h>
#include <stdlib.h>

const fuzz_layout fuzz_input_layout = {.prefix_bytes = 2};

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void require(bool holds)
{
    if (!holds) {
        abort();
    }
}

typedef struct item {
    tacho_json_token kind;
    size_t start; /* of its text in |text| */
    size_t len;
} item;

/* All that a reader tells of an input. */
typedef struct transcript {
    item *items;
    size_t item_count;
    size_t item_capacity;
    char *text;
    size_t text_len;
    size_t text_capacity;
    tacho_status failure;
    bool is_cut;
    uint64_t counts[3];
} transcript;

static void record_free(transcript *record)
{
    free(record->items);
    free(record->text);
    tacho_status_free(record->failure);
}

static void record_add(transcript *record, tacho_json_token kind, tacho_str text)
{
    size_t need = record->text_len + text.len + 1;
    require(tacho_grow(&record->text, &record->text_capacity, need) == TACHO_OK);
    require(tacho_grow(&record->items, &record->item_capacity, record->item_count + 1) == TACHO_OK);
    memcpy(record->text + record->text_len, text.data, text.len);
    record->items[record->item_count++] = (item){kind, record->text_len, text.len};
    record->text_len += text.len;
}

static tacho_str item_text(const transcript *record, size_t index)
{
    return tacho_str_make(record->text + record->items[index].start, record->items[index].len);
}

/* Reads |count| tokens, or to END or a failure. */
static void read_tokens(tacho_json_reader *reader, size_t count, transcript *record)
{
    tacho_json_token token = TACHO_JSON_NULL;
    for (size_t i = 0; i < count && token != TACHO_JSON_END; i++) {
        record->failure = tacho_json_next(reader, &token);
        if (record->failure != TACHO_OK) {
            break;
        }
        record_add(record, token, reader->text);
    }
}

static void record_end(const tacho_json_reader *reader, transcript *record)
{
    record->is_cut = reader->is_cut;
    record->counts[0] = reader->control_count;
    record->counts[1] = reader->surrogate_count;
    record->counts[2] = reader->not_finite_count;
}

static bool open_reader(tacho_input *input, tacho_json_reader *reader, tacho_str json,
                        const tacho_json_options *options)
{
    require(tacho_input_open_bytes("fuzz", json, input) == TACHO_OK);
    return tacho_json_reader_init(reader, input, options) == TACHO_OK;
}

static void close_reader(tacho_input *input, tacho_json_reader *reader)
{
    tacho_json_reader_deinit(reader);
    tacho_input_close(input);
}

static void read_all(tacho_str json, const tacho_json_options *options, transcript *out_record)
{
    *out_record = (transcript){0};
    tacho_input input;
    tacho_json_reader reader;
    require(open_reader(&input, &reader, json, options));
    read_tokens(&reader, SIZE_MAX, out_record);
    record_end(&reader, out_record);
    close_reader(&input, &reader);
}

static void require_same_item(const transcript *a, size_t a_index, const transcript *b,
                              size_t b_index)
{
    require(a_index < a->item_count && b_index < b->item_count);
    require(a->items[a_index].kind == b->items[b_index].kind);
    require(tacho_str_equal(item_text(a, a_index), item_text(b, b_index)));
}

static void require_same_end(const transcript *a, const transcript *b)
{
    require((a->failure == TACHO_OK) == (b->failure == TACHO_OK));
    require(a->failure == TACHO_OK ||
            strcmp(tacho_status_message(a->failure), tacho_status_message(b->failure)) == 0);
    require(a->is_cut == b->is_cut && memcmp(a->counts, b->counts, sizeof(a->counts)) == 0);
}

static bool is_begin(tacho_json_token kind)
{
    return kind == TACHO_JSON_OBJECT_BEGIN || kind == TACHO_JSON_ARRAY_BEGIN;
}

static bool is_end(tacho_json_token kind)
{
    return kind == TACHO_JSON_OBJECT_END || kind == TACHO_JSON_ARRAY_END;
}

/* Containers end as they began, keys come where keys belong and are followed by values. */
static void check_nesting(const transcript *whole)
{
    char open[TACHO_JSON_DEPTH_MAX + 1] = "";
    size_t depth = 0;
    bool is_after_key = false;
    for (size_t i = 0; i < whole->item_count; i++) {
        tacho_json_token kind = whole->items[i].kind;
        bool is_object = kind == TACHO_JSON_OBJECT_BEGIN || kind == TACHO_JSON_OBJECT_END;
        bool is_in_object = depth > 0 && open[depth - 1] == '{';
        bool is_value = kind != TACHO_JSON_KEY && !is_end(kind) && kind != TACHO_JSON_END;
        require(is_value ? is_after_key == is_in_object : !is_after_key);
        require(kind != TACHO_JSON_KEY || is_in_object);
        is_after_key = kind == TACHO_JSON_KEY;
        if (is_begin(kind)) {
            require(depth < TACHO_JSON_DEPTH_MAX);
            open[depth++] = is_object ? '{' : '[';
        } else if (is_end(kind)) {
            require(depth > 0 && open[--depth] == (is_object ? '{' : '['));
        }
    }
    require(whole->failure != TACHO_OK || (depth == 0 && whole->item_count >= 2));
}

static void check_numbers(const transcript *whole)
{
    for (size_t i = 0; i < whole->item_count; i++) {
        if (whole->items[i].kind != TACHO_JSON_NUMBER) {
            continue;
        }
        tacho_str text = item_text(whole, i);
        char *copy = malloc(text.len + 1);
        require(copy != NULL);
        memcpy(copy, text.data, text.len);
        copy[text.len] = '\0';
        double expected = strtod(copy, NULL);
        double value = 0;
        require(tacho_json_number_double(text, &value) == (bool)isfinite(expected));
        require(!isfinite(expected) || memcmp(&value, &expected, sizeof(value)) == 0);
        int64_t whole_value = 0;
        int64_t scaled = 0;
        if (tacho_json_number_i64(text, &whole_value)) {
            require(tacho_json_number_scaled(text, 0, &scaled) && scaled == whole_value);
            require(!isfinite(expected) || (double)whole_value == expected);
        }
        if (isfinite(expected) && fabs(expected) < 1e9) {
            require(tacho_json_number_scaled(text, 3, &scaled));
            require(fabs((double)scaled - expected * 1e3) <= 0.5001);
        }
        free(copy);
    }
}

/* Texts are taken under one hold and looked at again when all have been read. */
static void check_hold(tacho_str json, const tacho_json_options *options, const transcript *whole)
{
    tacho_input input;
    tacho_json_reader reader;
    require(open_reader(&input, &reader, json, options));
    size_t first = whole->item_count / 4;
    tacho_str *texts = malloc((whole->item_count + 1) * sizeof(*texts));
    require(texts != NULL);
    for (size_t i = 0; i < whole->item_count; i++) {
        if (i == first) {
            tacho_json_hold(&reader);
        }
        tacho_json_token token = TACHO_JSON_NULL;
        require(tacho_json_next(&reader, &token) == TACHO_OK);
        texts[i] = reader.text;
    }
    for (size_t i = first; i < whole->item_count; i++) {
        require(tacho_str_equal(texts[i], item_text(whole, i)));
    }
    free(texts);
    close_reader(&input, &reader);
}

/* Index of the last token of the value that item |at| begins or is the key of, if it is there. */
static size_t find_value_end(const transcript *whole, size_t at)
{
    at += whole->items[at].kind == TACHO_JSON_KEY ? 1 : 0;
    for (size_t depth = 0; at < whole->item_count; at++) {
        depth += is_begin(whole->items[at].kind) ? 1 : 0;
        depth -= is_end(whole->items[at].kind) ? 1 : 0;
        if (depth == 0) {
            return at;
        }
    }
    return SIZE_MAX;
}

/* The items of |part|, and nothing else but an END, are those of |whole| from |first| to |last|. */
static void check_part(const transcript *part, const transcript *whole, size_t first, size_t last)
{
    require(part->failure == TACHO_OK && part->item_count == last - first + 2);
    for (size_t i = first; i <= last; i++) {
        require_same_item(part, i - first, whole, i);
    }
}

/* Reads up to token |at|, skips or takes its value raw, and reads on. */
static void check_leap(tacho_str json, const tacho_json_options *options, const transcript *whole,
                       size_t at)
{
    bool leads_on = is_begin(whole->items[at].kind) || whole->items[at].kind == TACHO_JSON_KEY;
    size_t last = leads_on ? find_value_end(whole, at) : at;
    for (int is_raw = 0; is_raw <= (leads_on ? 1 : 0); is_raw++) {
        transcript part = {0};
        tacho_input input;
        tacho_json_reader reader;
        require(open_reader(&input, &reader, json, options));
        read_tokens(&reader, at + 1, &part);
        tacho_str raw = {NULL, 0};
        part.failure = is_raw ? tacho_json_raw_value(&reader, &raw) : tacho_json_skip(&reader);
        require((part.failure == TACHO_OK) == (last != SIZE_MAX));
        if (part.failure == TACHO_OK && is_raw) {
            transcript again;
            read_all(raw, options, &again);
            check_part(&again, whole, at + (whole->items[at].kind == TACHO_JSON_KEY), last);
            record_free(&again);
        }
        if (part.failure == TACHO_OK) {
            read_tokens(&reader, SIZE_MAX, &part);
            for (size_t i = last + 1; i < whole->item_count; i++) {
                require_same_item(&part, at + i - last, whole, i);
            }
            require(part.item_count == at + whole->item_count - last);
        }
        record_end(&reader, &part);
        require_same_end(&part, whole);
        close_reader(&input, &reader);
        record_free(&part);
    }
}

/* Compressed text is left out: how much comes before damage depends on how it is asked for. */
static bool is_compressed(tacho_str text)
{
    return tacho_str_starts_with(text, TACHO_STR("\x1f\x8b")) ||
           tacho_str_starts_with(text, TACHO_STR("\x28\xb5")) ||
           (text.len >= 4 && memcmp(text.data + 1, "*M\x18", 3) == 0);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size < 2) {
        return 0;
    }
    tacho_json_options options = {.is_lenient = data[0] & 1, .allows_open_array = data[0] & 2};
    tacho_str json = tacho_str_make((const char *)data + 2, size - 2);
    if (is_compressed(json)) {
        return 0;
    }
    transcript whole;
    transcript small;
    read_all(json, &options, &whole);
    options.buffer_bytes = 1 + data[1] % 64;
    read_all(json, &options, &small);
    require(whole.item_count == small.item_count);
    for (size_t i = 0; i < whole.item_count; i++) {
        require_same_item(&whole, i, &small, i);
    }
    require_same_end(&whole, &small);
    check_nesting(&whole);
    check_numbers(&whole);
    check_hold(json, &options, &whole);
    size_t at = whole.item_count == 0 ? 0 : (size_t)data[1] * 7 % whole.item_count;
    if (whole.item_count > 0 && whole.items[at].kind != TACHO_JSON_END) {
        check_leap(json, &options, &whole, at);
    }
    record_free(&whole);
    record_free(&small);
    return 0;
}
