/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Parts of a file are named "log.csv" and "Device 1 of log.csv", those of a folder like the parts
 * of an op table: "Device 0 (wormhole_b0)".
 */
#include "sources/tenstorrent/log_chips.h"

#include "base/grow.h"
#include "sources/tenstorrent/log.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

enum { NAME_BYTES = 96, EXAMPLE_BYTES = 80 };

void tt_chips_deinit(tt_chips *chips)
{
    free(chips->items);
    *chips = (tt_chips){.items = NULL};
}

/* ---- parts --------------------------------------------------------------------------------- */

/* The release that wrote the log, by its columns. */
static tacho_str generation_of(const tt_log_header *header)
{
    if (header->field_count == 0) {
        return TACHO_STR("report"); /* the runtime's report, without a log */
    }
    if (header->unknown_count > 0) {
        return TACHO_STR("newer");
    }
    if (header->has[TT_LOG_TRACE]) {
        return TACHO_STR("L6");
    }
    if (header->has[TT_LOG_META]) {
        return TACHO_STR("L5");
    }
    if (!header->has[TT_LOG_TYPE]) {
        return TACHO_STR("L1");
    }
    if (!header->has[TT_LOG_HOST]) {
        return TACHO_STR("L2");
    }
    return header->is_data_named ? TACHO_STR("L4") : TACHO_STR("L3");
}

static tacho_status make_clock(const tt_log_header *header, tacho_str asked_mhz,
                               tacho_clock *out_clock)
{
    if (asked_mhz.len > 0) {
        TACHO_TRY(tacho_clock_init_mhz(out_clock, asked_mhz));
    } else {
        tacho_clock_init(out_clock, 1000 * TT_LOG_MHZ, header->hertz);
        out_clock->is_assumed = header->is_rate_assumed;
    }
    out_clock->counts_cycles = true;
    return TACHO_OK;
}

/*
 * Counts columns unknown to every release supported here as lost: their data is not in the profile.
 */
static tacho_status lose_columns(tacho_dict *dict, uint32_t part, const tt_log_header *header)
{
    if (header->unknown_count == 0) {
        return TACHO_OK;
    }
    char text[96];
    int len = snprintf(text, sizeof(text), "column '%s'", header->unknown_name);
    tacho_loss loss = {part, TACHO_LOSS_UNKNOWN_COLUMN, header->unknown_count, 2, 0};
    TACHO_TRY(tacho_dict_ensure_string(dict, tacho_str_make(text, (size_t)len), &loss.example));
    return tacho_dict_add_loss(dict, &loss);
}

/* Adds the facts of the first lines: the architecture, unknown columns. */
static tacho_status note_header(const tt_chips *chips, uint32_t part)
{
    tacho_dict *dict = chips->reading->events->dict;
    if (chips->header->arch[0] != '\0') {
        TACHO_TRY(tacho_dict_add_metadata(dict, "device architecture",
                                          tacho_str_from_cstring(chips->header->arch)));
    }
    bool is_asked = chips->reading->options->clock_mhz.len > 0;
    if (chips->header->is_rate_damaged && !is_asked && !chips->is_shared) {
        tacho_loss loss = {part, TACHO_LOSS_NOT_A_NUMBER, 1, 1, 0};
        TACHO_TRY(tacho_dict_ensure_string(dict, TACHO_STR("CHIP_FREQ[MHz]"), &loss.example));
        TACHO_TRY(tacho_dict_add_loss(dict, &loss));
    }
    return lose_columns(dict, part, chips->header);
}

static tacho_status open_part(const tt_chips *chips, tacho_str name, tt_chip *chip)
{
    const tacho_reading *reading = chips->reading;
    tacho_dict *dict = reading->events->dict;
    tacho_clock clock;
    TACHO_TRY(make_clock(chips->header, reading->options->clock_mhz, &clock));
    TACHO_TRY(tacho_dict_add_clock(dict, &clock, TACHO_STR("cycles"), &chip->clock));
    tacho_part_facts facts = {
        .path = reading->path,
        .name = name,
        .format = tacho_str_from_cstring(tacho_source_tenstorrent_log.name),
        .generation = generation_of(chips->header),
        .origin = TACHO_ORIGIN_MEASURED,
        .clock = chip->clock,
        .covered_classes = chips->covered_classes,
    };
    return tacho_dict_add_part(dict, &facts, &chip->part);
}

/* The group of a chip in its part. */
static tacho_status open_group(const tt_chips *chips, tt_chip *chip)
{
    tacho_dict *dict = chips->reading->events->dict;
    char name[NAME_BYTES];
    int len = snprintf(name, sizeof(name), "Device %" PRIu32, chip->number);
    tacho_track facts = {
        .parent = dict->parts[chip->part].root,
        .part = chip->part,
        .clock = chip->clock,
        .index = chip->number,
        .lane_of = TACHO_NONE,
        .rank = (int32_t)(chip->number & INT32_MAX),
        .track_class = TACHO_TRACK_GROUP,
    };
    return tacho_dict_ensure_track(dict, &facts, tacho_str_make(name, (size_t)len), &chip->group);
}

/* The name of the part of chip |number|; empty: the name of the file. */
static tacho_str name_part(const tt_chips *chips, uint32_t number, char name[NAME_BYTES])
{
    const char *arch = chips->header->arch;
    tacho_str file = tacho_str_basename(chips->reading->path);
    int file_len = file.len < 64 ? (int)file.len : 64;
    bool has_arch = arch[0] != '\0';
    if (chips->is_file && chips->item_count == 0) {
        return TACHO_STR("");
    }
    int len = chips->is_file ? snprintf(name, NAME_BYTES, "Device %" PRIu32 " of %.*s", number,
                                        file_len, file.data)
                             : snprintf(name, NAME_BYTES, "Device %" PRIu32 "%s%s%s", number,
                                        has_arch ? " (" : "", arch, has_arch ? ")" : "");
    return tacho_str_make(name, (size_t)len);
}

/* ---- chips --------------------------------------------------------------------------------- */

static tacho_status count_early(tt_chips *chips, uint32_t part)
{
    for (size_t i = 0; i < TACHO_LOSS_REASON_COUNT; i++) {
        tacho_loss *loss = &chips->early[i];
        loss->part = part;
        if (loss->count > 0) {
            TACHO_TRY(tacho_dict_add_loss(chips->reading->events->dict, loss));
            loss->count = 0;
        }
    }
    return TACHO_OK;
}

static tacho_status add_chip(tt_chips *chips, uint32_t number)
{
    tt_chip chip = {.number = number, .part = chips->part, .clock = chips->clock};
    char name[NAME_BYTES];
    if (chips->item_count == TT_CHIPS_MAX) {
        return tacho_fail(TACHO_CODE_LIMIT, "a device log of more than %d chips", TT_CHIPS_MAX);
    }
    TACHO_TRY(tacho_grow(&chips->items, &chips->item_capacity, chips->item_count + 1));
    if (!chips->is_shared) {
        TACHO_TRY(open_part(chips, name_part(chips, number, name), &chip));
    }
    TACHO_TRY(open_group(chips, &chip));
    chips->items[chips->item_count++] = chip;
    if (chips->item_count > 1) {
        return TACHO_OK;
    }
    TACHO_TRY(note_header(chips, chip.part));
    return count_early(chips, chip.part);
}

tacho_status tt_chips_ensure(tt_chips *chips, uint32_t number, uint32_t *out_chip)
{
    for (size_t i = chips->item_count; i-- > 0;) {
        if (chips->items[i].number == number) {
            *out_chip = (uint32_t)i;
            return TACHO_OK;
        }
    }
    *out_chip = (uint32_t)chips->item_count;
    return add_chip(chips, number);
}

static bool has_early(const tt_chips *chips)
{
    bool has_any = false;
    for (size_t i = 0; i < TACHO_LOSS_REASON_COUNT; i++) {
        has_any |= chips->early[i].count > 0;
    }
    return has_any;
}

tacho_status tt_chips_lose(tt_chips *chips, uint32_t chip, const tacho_loss *loss,
                           tacho_str example)
{
    tacho_dict *dict = chips->reading->events->dict;
    tacho_loss lost = *loss;
    tacho_loss *early = &chips->early[loss->reason];
    bool is_early = chip == TACHO_NONE && !chips->is_shared;
    lost.part = is_early ? 0 : chip == TACHO_NONE ? chips->part : chips->items[chip].part;
    if (is_early ? early->count == 0 : !tacho_dict_has_loss(dict, &lost)) {
        example.len = example.len > EXAMPLE_BYTES ? EXAMPLE_BYTES : example.len;
        TACHO_TRY(tacho_dict_ensure_string(dict, example, &lost.example));
    }
    if (!is_early) {
        return tacho_dict_add_loss(dict, &lost);
    }
    uint64_t count = early->count + lost.count;
    *early = early->count == 0 ? lost : *early;
    early->count = count;
    return TACHO_OK;
}

tacho_status tt_chips_finish(tt_chips *chips)
{
    tt_chip none = {.number = 0};
    if (chips->item_count > 0 || chips->is_shared || !has_early(chips)) {
        return TACHO_OK;
    }
    TACHO_TRY(open_part(chips, TACHO_STR(""), &none));
    TACHO_TRY(count_early(chips, none.part));
    return tacho_events_end_part(chips->reading->events, none.part);
}
