/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What holds for every Torq file of one row per span, whole or damaged, plain or compressed.
 *
 * Laws: what reads is a valid profile; every line that is not empty is a header, a row or a
 * counted loss; spans of one track do not overlap once they have gone through the lanes; and
 * what does not read is bad data; a capture of it reads back with all its rows. Included by the
 * fuzz target of each such format.
 */
#ifndef TACHO_TESTS_FUZZ_TORQ_LAWS_H
#define TACHO_TESTS_FUZZ_TORQ_LAWS_H

#include "read_back.h"
#include "sources/torq/torq.h"

#include <strings.h>

/* Whether |line| holds |word|, in any case of letters. */
static bool holds(tacho_str line, const char *word)
{
    size_t len = strlen(word);
    for (size_t i = 0; i + len <= line.len; i++) {
        if (strncasecmp(line.data + i, word, len) == 0) {
            return true;
        }
    }
    return false;
}

/* Whether |line| may be a header; no other line may go uncounted, but for a lone BOM. */
static bool may_be_header(tacho_str line)
{
    static const char *const words[] = {"location", "mlir_src_line", "time_since_open"};
    bool found = tacho_str_equal(line, TACHO_STR("\xef\xbb\xbf"));
    for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
        found = found || holds(line, words[i]);
    }
    return found;
}

/* Lines that hold anything; a CR before the LF is no content. */
static size_t count_lines(tacho_str text, size_t *out_header_count)
{
    size_t count = 0;
    size_t start = 0;
    for (size_t i = 0; i <= text.len; i++) {
        if (i < text.len && text.data[i] != '\n') {
            continue;
        }
        size_t len = i - start;
        len -= len > 0 && text.data[i - 1] == '\r' ? 1 : 0;
        count += len > 0;
        *out_header_count += may_be_header(tacho_str_make(text.data + start, len));
        start = i + 1;
    }
    return count;
}

static size_t count_lost(const tacho_dict *dict)
{
    size_t count = 0;
    for (size_t i = 0; i < dict->loss_count; i++) {
        require(dict->losses[i].count > 0);
        count += (size_t)dict->losses[i].count;
    }
    return count;
}

/* Spans come by start on each track; none starts before the last one has ended. */
static void check_lanes(const tacho_profile *profile)
{
    const tacho_dict *dict = profile->events.dict;
    int64_t *ends = calloc(dict->track_count, sizeof(*ends));
    require(ends != NULL);
    for (size_t i = 0; i < profile->span_count; i++) {
        tacho_span span = tacho_profile_span(profile, i);
        require(dict->tracks[span.track].nesting == TACHO_NESTING_ENGINE);
        require(span.start >= ends[span.track]);
        ends[span.track] = span.end;
    }
    free(ends);
}

static void check_read(const tacho_profile *profile, tacho_str text, bool is_plain)
{
    const tacho_dict *dict = profile->events.dict;
    tacho_status status = tacho_profile_validate(profile);
    require(status == TACHO_OK);
    require(dict->part_count == 1 && profile->span_count > 0);
    require(dict->parts[0].row_count == profile->span_count);
    check_lanes(profile);
    if (is_plain) {
        size_t known = profile->span_count + count_lost(dict);
        size_t header_count = 0;
        size_t line_count = count_lines(text, &header_count);
        require(known <= line_count && known + header_count >= line_count);
    }
}

/* Some options by the size of the file, so that seeds are plain files. */
static tacho_source_options choose_options(size_t size)
{
    static const tacho_str clocks[] = {TACHO_STR_INIT(""), TACHO_STR_INIT("1"),
                                       TACHO_STR_INIT("1350.25"), TACHO_STR_INIT("1000000")};
    tacho_source_options options = {.clock_mhz = clocks[size / 4 % 4]};
    tacho_source_options_set_number(&options, "slices", size % 4);
    return options;
}

static void run(const tacho_source *source, tacho_str text, tacho_profile *profile,
                tacho_events *events)
{
    tacho_input input;
    require(tacho_input_open_bytes("fuzz", text, &input) == TACHO_OK);
    bool is_plain = tacho_input_compression(&input) == NULL;
    tacho_source_options options = choose_options(text.len);
    tacho_reading reading = {
        .input = &input, .path = TACHO_STR("a/fuzz"), .options = &options, .events = events};
    tacho_status status = source->read(&reading);
    if (status == TACHO_OK) {
        check_read(profile, text, is_plain);
    } else {
        require(tacho_status_code(status) == TACHO_CODE_BAD_DATA);
    }
    tacho_status_free(status);
    tacho_input_close(&input);
}

/* Reads |data| with |source| and checks what comes of it. */
static void check_source(const tacho_source *source, const uint8_t *data, size_t size)
{
    tacho_dict dict;
    tacho_profile profile;
    tacho_lanes *lanes = NULL;
    tacho_order *order = NULL;
    require(tacho_dict_init(&dict) == TACHO_OK);
    tacho_profile_init(&profile, &dict);
    require(tacho_lanes_create(&profile.events, &lanes) == TACHO_OK);
    require(tacho_order_create(tacho_lanes_events(lanes), TACHO_ORDER_SORT, SPOOL_BYTES, &order) ==
            TACHO_OK);
    tacho_str text = tacho_str_make((const char *)data, size);
    require(source->probe(text) <= TACHO_PROBE_SURE);
    run(source, text, &profile, tacho_order_events(order));
    tacho_order_destroy(order);
    tacho_lanes_destroy(lanes);
    tacho_profile_deinit(&profile);
    tacho_dict_deinit(&dict);
    require_read_back(source, text);
}

#endif
