/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Notes from the dictionary, which counts all of it.
 */
#include "pipeline/intake_notes.h"

#include <inttypes.h>
#include <stdio.h>

void tacho_intake_say_losses(const tacho_dict *dict, const tacho_notes *notes)
{
    for (size_t i = 0; i < dict->loss_count; i++) {
        const tacho_loss *loss = &dict->losses[i];
        char where[160] = "";
        tacho_str example = tacho_dict_string(dict, loss->example);
        if (loss->first_line > 0) {
            snprintf(where, sizeof(where), ", first at line %" PRIu64 "%s%.80s", loss->first_line,
                     example.len > 0 ? ": " : "", example.data);
        } else if (example.len > 0) { /* "byte 7", perhaps with more behind it */
            snprintf(where, sizeof(where), ", first at %.100s", example.data);
        }
        tacho_note(notes, "warning", "%s: %" PRIu64 " %s not read: %s%s",
                   tacho_dict_string(dict, dict->parts[loss->part].path).data, loss->count,
                   loss->count == 1 ? "record" : "records", tacho_loss_phrase(loss->reason), where);
    }
}

void tacho_intake_say_inputs(const tacho_dict *dict, const tacho_notes *notes)
{
    for (size_t i = 0; i < dict->part_count; i++) {
        const tacho_part *part = &dict->parts[i];
        tacho_note(notes, "read", "%s: %s%s%s, %" PRIu64 " event%s",
                   tacho_dict_string(dict, part->path).data,
                   tacho_dict_string(dict, part->format).data, part->generation != 0 ? " " : "",
                   tacho_dict_string(dict, part->generation).data, part->row_count,
                   part->row_count == 1 ? "" : "s");
    }
}

uint64_t tacho_intake_read_count(const tacho_dict *dict)
{
    uint64_t count = 0;
    for (size_t i = 0; i < dict->part_count; i++) {
        count += dict->parts[i].row_count;
    }
    return count;
}

uint64_t tacho_intake_left_out_count(const tacho_dict *dict)
{
    uint64_t count = 0;
    for (size_t i = 0; i < dict->part_count; i++) {
        count += dict->parts[i].left_out_count;
    }
    return count;
}

void tacho_intake_say_selection(const tacho_dict *dict, const tacho_notes *notes)
{
    uint64_t count = tacho_intake_read_count(dict);
    if (count > 0 && count == tacho_intake_left_out_count(dict)) {
        tacho_note_hint(notes, (tacho_hint){TACHO_HINT_SELECTION, ""}, "warning",
                        "no event matches");
    }
}
