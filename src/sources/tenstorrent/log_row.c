/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One pass over the bytes of a line: each field is found and taken in the same loop.
 */
#include "sources/tenstorrent/log_row.h"

#include "codec/csv.h"
#include "codec/json_number.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

/* ---- the first two lines ------------------------------------------------------------------- */

/* Names of the columns, in lower case; some have had two names. */
static const struct {
    const char *name;
    tt_log_column column;
} known_columns[] = {
    {"pcie slot", TT_LOG_CHIP},   {"core_x", TT_LOG_X},
    {"core_y", TT_LOG_Y},         {"risc processor type", TT_LOG_RISC},
    {"timer_id", TT_LOG_TIMER},   {"time[cycles since reset]", TT_LOG_TIME},
    {"stat value", TT_LOG_DATA},  {"data", TT_LOG_DATA},
    {"run id", TT_LOG_UNUSED},    {"run host id", TT_LOG_HOST},
    {"trace id", TT_LOG_TRACE},   {"trace id counter", TT_LOG_REPLAY},
    {"zone name", TT_LOG_ZONE},   {"zone phase", TT_LOG_TYPE},
    {"type", TT_LOG_TYPE},        {"source line", TT_LOG_LINE},
    {"source file", TT_LOG_FILE}, {"meta data", TT_LOG_META},
};

static tt_log_column find_column(tacho_str name)
{
    for (size_t i = 0; i < sizeof(known_columns) / sizeof(known_columns[0]); i++) {
        size_t len = strlen(known_columns[i].name);
        size_t same = 0;
        while (same < len && same < name.len &&
               tolower((unsigned char)name.data[same]) == known_columns[i].name[same]) {
            same++;
        }
        if (same == len && name.len == len) {
            return known_columns[i].column;
        }
    }
    return TT_LOG_COLUMN_COUNT;
}

/* The text between the first colon of |field| and its end. */
static tacho_str behind_colon(tacho_str field)
{
    size_t colon = tacho_str_find_byte(field, ':');
    return colon == field.len ? TACHO_STR("") : tacho_str_trim(tacho_str_from(field, colon + 1));
}

/* Parses a rate from 1 MHz to 100 GHz, with up to six decimals; any other text gives a default. */
static void set_rate(tt_log_header *header, tacho_str text)
{
    enum { DECIMALS = 6, MHZ_MAX = 100000 };
    int64_t hertz = 0;
    bool is_good = tacho_json_number_scaled(text, DECIMALS, &hertz) && hertz > 0 &&
                   (uint64_t)hertz >= TT_LOG_MHZ && (uint64_t)hertz <= MHZ_MAX * TT_LOG_MHZ;
    header->is_rate_assumed = !is_good;
    header->is_rate_damaged = !is_good;
    header->hertz = is_good ? (uint64_t)hertz : TT_LOG_RATE_OLDEST;
}

bool tt_log_header_take_facts(tt_log_header *header, tacho_str line)
{
    *header = (tt_log_header){.hertz = TT_LOG_RATE_OLDEST, .is_rate_assumed = true};
    if (tacho_str_starts_with(line, TACHO_STR("Chip clock is at "))) {
        snprintf(header->arch, sizeof(header->arch), "grayskull");
        return true;
    }
    tacho_str fields[3];
    size_t count = tacho_csv_split(line, ',', fields, 3);
    if (!tacho_str_starts_with(line, TACHO_STR("ARCH:")) || count < 2 ||
        !tacho_str_starts_with(tacho_str_trim(fields[1]), TACHO_STR("CHIP_FREQ"))) {
        return false;
    }
    tacho_str arch = behind_colon(fields[0]);
    snprintf(header->arch, sizeof(header->arch), "%.*s", TACHO_STR_ARG(arch));
    set_rate(header, behind_colon(fields[1]));
    if (count > 2 && !tacho_str_parse_u64(behind_colon(fields[2]), &header->compute_core_count)) {
        header->compute_core_count = 0;
    }
    return true;
}

bool tt_log_header_take_columns(tt_log_header *header, tacho_str line)
{
    tacho_str fields[TT_LOG_FIELDS_MAX];
    size_t count = tacho_csv_split(line, ',', fields, TT_LOG_FIELDS_MAX);
    if (count > TT_LOG_FIELDS_MAX) {
        return false;
    }
    header->field_count = count;
    header->unknown_count = 0;
    header->is_data_named = false;
    memset(header->has, 0, sizeof(header->has));
    for (size_t i = 0; i < count; i++) {
        tacho_str name = tacho_str_trim(fields[i]);
        tt_log_column column = find_column(name);
        header->columns[i] = column;
        if (column < TT_LOG_COLUMN_COUNT) {
            header->has[column] = true;
            header->is_data_named |= column == TT_LOG_DATA && name.len == strlen("data");
        } else if (column == TT_LOG_COLUMN_COUNT && header->unknown_count++ == 0) {
            snprintf(header->unknown_name, sizeof(header->unknown_name), "%.*s",
                     TACHO_STR_ARG(name));
        }
    }
    return header->has[TT_LOG_CHIP] && header->has[TT_LOG_X] && header->has[TT_LOG_Y] &&
           header->has[TT_LOG_RISC] && header->has[TT_LOG_TIMER] && header->has[TT_LOG_TIME];
}

/* ---- rows ---------------------------------------------------------------------------------- */

/* Up to 19 digits; false for anything else. */
static inline bool take_digits(tacho_str text, uint64_t *out_value)
{
    enum { DIGITS_MAX = 19 };
    uint64_t value = 0;
    if (TACHO_UNLIKELY(text.len == 0 || text.len > DIGITS_MAX)) {
        return tacho_str_parse_u64(text, out_value);
    }
    unsigned wrong = 0;
    for (size_t i = 0; i < text.len; i++) {
        unsigned digit = (unsigned)(unsigned char)text.data[i] - '0';
        wrong |= digit > 9 ? 1U : 0U;
        value = value * 10 + digit;
    }
    *out_value = value;
    return wrong == 0;
}

static inline tacho_str trim_left(tacho_str text)
{
    while (text.len > 0 && (text.data[0] == ' ' || text.data[0] == '\t')) {
        text = tacho_str_from(text, 1);
    }
    return text;
}

/* A number of a column that may be empty. */
static inline bool take_optional(tacho_str text, uint64_t *out_value)
{
    return text.len == 0 || take_digits(text, out_value);
}

static bool take_small(tacho_str text, uint32_t *out_value)
{
    uint64_t value = 0;
    bool is_good = take_digits(text, &value) && value < UINT32_MAX;
    *out_value = (uint32_t)value;
    return is_good;
}

static bool take_signed(tacho_str text, int64_t *out_value)
{
    uint64_t value = 0;
    if (text.len == 0 || (text.len == 2 && memcmp(text.data, "-1", 2) == 0)) {
        return true;
    }
    bool is_good = take_digits(text, &value) && value <= INT64_MAX;
    *out_value = is_good ? (int64_t)value : -1;
    return is_good;
}

static tt_log_type find_type(tacho_str text)
{
    static const struct {
        tacho_str word;
        tt_log_type type;
    } words[] = {
        {TACHO_STR_INIT("ZONE_START"), TT_LOG_START},  {TACHO_STR_INIT("ZONE_END"), TT_LOG_END},
        {TACHO_STR_INIT("TS_DATA"), TT_LOG_VALUE},     {TACHO_STR_INIT("ZONE_TOTAL"), TT_LOG_TOTAL},
        {TACHO_STR_INIT("TS_EVENT"), TT_LOG_EVENT},    {TACHO_STR_INIT("begin"), TT_LOG_START},
        {TACHO_STR_INIT("end"), TT_LOG_END},           {TACHO_STR_INIT("sum"), TT_LOG_TOTAL},
        {TACHO_STR_INIT("TS_DATA_16B"), TT_LOG_VALUE},
    };
    for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
        if (tacho_str_equal(text, words[i].word)) {
            return words[i].type;
        }
    }
    return TT_LOG_TYPE_COUNT;
}

/* Takes one field; false when it should be a number and is not. */
static inline bool take_field(tt_log_column column, tacho_str text, tt_log_row *row)
{
    switch (column) {
    case TT_LOG_CHIP:
        return take_small(text, &row->chip);
    case TT_LOG_X:
        return take_small(text, &row->x);
    case TT_LOG_Y:
        return take_small(text, &row->y);
    case TT_LOG_TIMER:
        return take_digits(text, &row->timer);
    case TT_LOG_TIME:
        return take_digits(text, &row->time);
    case TT_LOG_DATA:
        return take_optional(text, &row->data);
    case TT_LOG_HOST:
        return take_optional(text, &row->host);
    case TT_LOG_TRACE:
        return take_signed(text, &row->trace);
    case TT_LOG_REPLAY:
        return take_signed(text, &row->replay);
    case TT_LOG_LINE:
        return text.len == 0 || take_small(text, &row->line);
    case TT_LOG_RISC:
        row->risc = text;
        return true;
    case TT_LOG_ZONE:
        row->zone = text;
        return true;
    case TT_LOG_TYPE:
        row->type = find_type(text);
        return true;
    case TT_LOG_FILE:
        row->file = text;
        return true;
    case TT_LOG_META:
        row->meta = text;
        return true;
    case TT_LOG_COLUMN_COUNT:
    case TT_LOG_UNUSED:
        break;
    }
    return true;
}

/*
 * Logs of 2023 do not have names: the timer identifies four marks, the start and end of a
 * processor's firmware and of its kernel. Other rows are instants.
 */
static void name_by_timer(tt_log_row *row)
{
    static const struct {
        const char *risc, *firmware, *kernel;
    } zones[] = {
        {"BRISC", "BRISC-FW", "BRISC-KERNEL"},   {"NCRISC", "NCRISC-FW", "NCRISC-KERNEL"},
        {"TRISC_0", "TRISC-FW", "TRISC-KERNEL"}, {"TRISC_1", "TRISC-FW", "TRISC-KERNEL"},
        {"TRISC_2", "TRISC-FW", "TRISC-KERNEL"}, {"ERISC", "ERISC-FW", "ERISC-KERNEL"},
    };
    row->type = TT_LOG_EVENT;
    for (size_t i = 0; i < sizeof(zones) / sizeof(zones[0]) && row->timer - 1 < 4; i++) {
        if (tacho_str_equal(row->risc, tacho_str_from_cstring(zones[i].risc))) {
            bool is_firmware = row->timer == 1 || row->timer == 4;
            row->zone = tacho_str_from_cstring(is_firmware ? zones[i].firmware : zones[i].kernel);
            row->type = row->timer <= 2 ? TT_LOG_START : TT_LOG_END;
        }
    }
}

/* Why |text| in a numeric column was rejected. */
static tacho_loss_reason diagnose(tt_log_column column, tacho_str text)
{
    int64_t value = 0;
    bool is_whole = tacho_json_number_i64(text, &value);
    if (column == TT_LOG_TIME) {
        return is_whole && value < 0 ? TACHO_LOSS_NEGATIVE_TIME : TACHO_LOSS_NOT_A_NUMBER;
    }
    return is_whole ? TACHO_LOSS_UNKNOWN_EVENT : TACHO_LOSS_NOT_A_NUMBER; /* an invalid id */
}

tacho_loss_reason tt_log_row_parse(const tt_log_header *header, tacho_str line, tt_log_row *out_row)
{
    *out_row = (tt_log_row){.trace = -1, .replay = -1, .type = TT_LOG_TYPE_COUNT};
    const char *at = line.data;
    const char *end = line.data + line.len;
    size_t count = 0;
    for (;; count++) {
        const char *comma = at;
        while (comma < end && *comma != ',') {
            comma++;
        }
        if (count == header->field_count) {
            return TACHO_LOSS_FIELD_COUNT;
        }
        tacho_str text = trim_left(tacho_str_make(at, (size_t)(comma - at)));
        if (TACHO_UNLIKELY(!take_field(header->columns[count], text, out_row))) {
            return diagnose(header->columns[count], text);
        }
        if (comma == end) {
            break;
        }
        at = comma + 1;
    }
    if (count + 1 != header->field_count) {
        return TACHO_LOSS_FIELD_COUNT;
    }
    if (!header->has[TT_LOG_TYPE]) {
        name_by_timer(out_row);
    }
    return TACHO_LOSS_REASON_COUNT;
}

bool tt_log_meta_find(tacho_str meta, const char *key, tacho_str *out_value)
{
    tacho_str wanted = tacho_str_from_cstring(key);
    for (size_t i = 0; i + wanted.len + 2 < meta.len; i++) {
        tacho_str rest = tacho_str_from(meta, i + 1);
        if (meta.data[i] != '"' || !tacho_str_starts_with(rest, wanted) ||
            rest.data[wanted.len] != '"') {
            continue;
        }
        tacho_str value = trim_left(tacho_str_from(rest, wanted.len + 1));
        if (value.len == 0 || value.data[0] != ':') {
            continue;
        }
        value = trim_left(tacho_str_from(value, 1));
        bool is_text = value.len > 0 && value.data[0] == '"';
        value = is_text ? tacho_str_from(value, 1) : value;
        size_t len = 0;
        while (len < value.len && (is_text ? value.data[len] != '"'
                                           : value.data[len] != ';' && value.data[len] != '}')) {
            len++;
        }
        *out_value = tacho_str_trim(tacho_str_make(value.data, len));
        return true;
    }
    return false;
}

size_t tt_log_find_word(tacho_str text, tacho_str word)
{
    for (size_t at = 0; at + word.len <= text.len; at++) {
        if (memcmp(text.data + at, word.data, word.len) == 0) {
            return at;
        }
    }
    return text.len;
}
