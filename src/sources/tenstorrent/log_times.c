/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Fields before and after the text are counted from the two ends of the line.
 */
#include "sources/tenstorrent/log_times.h"

#include "codec/csv.h"

bool tt_times_header_take(tt_times_header *header, tacho_str line)
{
    static const struct {
        const char *name;
        tt_times_column column;
    } known[] = {
        {"name", TT_TIMES_NAME},
        {"zone_text", TT_TIMES_TEXT},
        {"value", TT_TIMES_TEXT}, /* Tracy's name for it since 0.11 */
        {"ns_since_start", TT_TIMES_START},
        {"exec_time_ns", TT_TIMES_DURATION},
        {"thread", TT_TIMES_THREAD},
        {"special_parent_text", TT_TIMES_PARENT},
    };
    tacho_str fields[TT_TIMES_FIELDS_MAX];
    header->field_count = tacho_csv_split(line, ',', fields, TT_TIMES_FIELDS_MAX);
    for (size_t i = 0; i < TT_TIMES_COLUMN_COUNT; i++) {
        header->columns[i] = SIZE_MAX;
    }
    for (size_t i = 0; i < header->field_count && i < TT_TIMES_FIELDS_MAX; i++) {
        for (size_t k = 0; k < sizeof(known) / sizeof(known[0]); k++) {
            if (tacho_str_equal(tacho_str_trim(fields[i]), tacho_str_from_cstring(known[k].name))) {
                header->columns[known[k].column] = i;
            }
        }
    }
    return header->field_count <= TT_TIMES_FIELDS_MAX &&
           header->columns[TT_TIMES_NAME] != SIZE_MAX &&
           header->columns[TT_TIMES_TEXT] != SIZE_MAX &&
           header->columns[TT_TIMES_START] != SIZE_MAX &&
           header->columns[TT_TIMES_DURATION] != SIZE_MAX;
}

static tacho_str unquote(tacho_str text)
{
    bool is_quoted = text.len > 1 && text.data[0] == '"' && text.data[text.len - 1] == '"';
    return is_quoted ? tacho_str_make(text.data + 1, text.len - 2) : text;
}

bool tt_times_zone_parse(const tt_times_header *header, tacho_str line, tt_times_zone *out_zone)
{
    tacho_str fields[TT_TIMES_FIELDS_MAX];
    size_t left = header->columns[TT_TIMES_TEXT];
    size_t right = header->field_count - left - 1;
    if (!tacho_csv_split_ends(line, ',', left, right, fields)) {
        return false;
    }
    const size_t *columns = header->columns;
    *out_zone = (tt_times_zone){
        .name = fields[columns[TT_TIMES_NAME]],
        .text = unquote(tacho_str_trim(fields[left])),
        .thread =
            columns[TT_TIMES_THREAD] == SIZE_MAX ? TACHO_STR("") : fields[columns[TT_TIMES_THREAD]],
        .parent = columns[TT_TIMES_PARENT] == SIZE_MAX
                      ? TACHO_STR("")
                      : unquote(tacho_str_trim(fields[columns[TT_TIMES_PARENT]])),
    };
    return tacho_str_parse_u64(fields[columns[TT_TIMES_START]], &out_zone->start_ns) &&
           tacho_str_parse_u64(fields[columns[TT_TIMES_DURATION]], &out_zone->duration_ns);
}

bool tt_times_op_id(tacho_str text, uint64_t *out_id)
{
    size_t at = text.len;
    while (at > 0 && text.data[at - 1] != ':') {
        at--;
    }
    return tacho_str_parse_u64(tacho_str_trim(tacho_str_from(text, at)), out_id);
}
