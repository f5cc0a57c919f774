/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Tenstorrent's device log, profile_log_device.csv, of every release: markers of all processors
 * of all cores, in cycles.
 */
#include "sources/tenstorrent/log.h"

#include "sources/tenstorrent/log_emit.h"

#include <stdio.h>

static tacho_probe_verdict log_probe(tacho_str head)
{
    return tt_log_probe(head) ? TACHO_PROBE_SURE : TACHO_PROBE_NO;
}

/* Which release wrote the log, by its columns. */
static tacho_str generation_of(const tt_log_header *header)
{
    if (header->field_count == 0) {
        return TACHO_STR("report"); /* of the runtime; there is no log */
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
        tacho_clock_init(out_clock, 1000, header->mhz);
        out_clock->is_assumed = header->is_mhz_assumed;
    }
    out_clock->counts_cycles = true;
    return TACHO_OK;
}

/* A column that no release known here writes: what it says is not in the profile. */
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

tacho_status tt_log_note_header(tacho_dict *dict, uint32_t part, const tt_log_header *header)
{
    if (header->arch[0] != '\0') {
        TACHO_TRY(tacho_dict_add_metadata(dict, "device architecture",
                                          tacho_str_from_cstring(header->arch)));
    }
    return lose_columns(dict, part, header);
}

tacho_status tt_log_open_part(const tacho_reading *reading, const tt_log_header *header,
                              const char *name, tt_log_target *out_target)
{
    tacho_dict *dict = reading->events->dict;
    tacho_clock clock;
    TACHO_TRY(make_clock(header, reading->options->clock_mhz, &clock));
    TACHO_TRY(tacho_dict_add_clock(dict, &clock, TACHO_STR("cycles"), &out_target->clock));
    tacho_part_facts facts = {
        .path = reading->path,
        .name = tacho_str_from_cstring(name),
        .format = tacho_str_from_cstring(tacho_source_tenstorrent_log.name),
        .generation = generation_of(header),
        .origin = TACHO_ORIGIN_MEASURED,
        .clock = out_target->clock,
    };
    TACHO_TRY(tacho_dict_add_part(dict, &facts, &out_target->part));
    return tt_log_note_header(dict, out_target->part, header);
}

static tacho_status finish(tt_log_emit *emit, const tt_log *log)
{
    const tt_log_target *target = &emit->target;
    const char *damage = tacho_input_damage(log->input);
    if (damage != NULL) {
        tacho_loss loss = {target->part, TACHO_LOSS_CUT_INPUT, 1, log->input->line_number, 0};
        TACHO_TRY(tacho_dict_add_loss(emit->dict, &loss));
    }
    if (emit->row_count == 0) {
        return tacho_fail(TACHO_CODE_BAD_DATA, "%s: the device log has no rows", log->input->name);
    }
    TACHO_TRY(tt_log_emit_finish(emit));
    return tacho_events_end_part(target->reading->events, target->part);
}

static tacho_status log_read(const tacho_reading *reading)
{
    tt_log log;
    tt_log_emit emit;
    tt_log_target target = {.reading = reading};
    TACHO_TRY(tt_log_open(&log, reading->input));
    TACHO_TRY(tt_log_open_part(reading, &log.header, "", &target));
    tacho_status status = tt_log_emit_init(&emit, &target);
    if (status == TACHO_OK) {
        status = tt_log_emit_read(&emit, &log);
    }
    if (status == TACHO_OK) {
        status = finish(&emit, &log);
    }
    tt_log_emit_deinit(&emit);
    return status;
}

const tacho_source tacho_source_tenstorrent_log = {
    .name = "tenstorrent-log",
    .title = "Tenstorrent device log (profile_log_device.csv): measured cycles",
    .probe = log_probe,
    .read = log_read,
};
