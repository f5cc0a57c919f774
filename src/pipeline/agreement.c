/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The analysis is that of a diff, so that both say the same.
 */
#include "pipeline/agreement.h"

#include "base/input.h"
#include "pipeline/comparing.h"
#include "profile/scopes.h"

static bool has_operators(const tacho_dict *dict)
{
    bool has_some = false;
    for (size_t i = 0; i < dict->site_count && !has_some; i++) {
        const tacho_site *site = &dict->sites[i];
        has_some = tacho_scope_of(tacho_dict_string(dict, site->category),
                                  tacho_dict_string(dict, site->name))
                       .kind == TACHO_SCOPE_OPERATOR;
    }
    return has_some;
}

void tacho_agreement_add(tacho_agreement *agreement, const tacho_intake_input *input,
                         const tacho_dict *dict)
{
    tacho_str path = tacho_str_from_cstring(input->path);
    tacho_agreement_input added = {.input = *input};
    bool is_first = true;
    for (size_t i = 0; i < dict->part_count; i++) {
        const tacho_part *part = &dict->parts[i];
        if (tacho_str_equal(tacho_dict_string(dict, part->path), path)) {
            bool is_same = is_first || part->origin == added.origin;
            added.origin = is_same ? part->origin : TACHO_ORIGIN_UNKNOWN;
            added.row_count += part->row_count;
            is_first = false;
        }
    }
    agreement->has_operators = agreement->has_operators || has_operators(dict);
    if (agreement->input_count < 2) {
        agreement->inputs[agreement->input_count] = added;
    }
    agreement->input_count++;
}

static bool can_read_again(const tacho_agreement_input *input)
{
    return input->input.is_in_memory || tacho_input_is_rereadable(input->input.path);
}

static bool is_of_interest(const tacho_agreement *agreement)
{
    const tacho_agreement_input *inputs = agreement->inputs;
    bool is_known =
        inputs[0].origin != TACHO_ORIGIN_UNKNOWN && inputs[1].origin != TACHO_ORIGIN_UNKNOWN;
    bool is_wanted = agreement->options.is_of_any || inputs[0].origin != inputs[1].origin;
    return agreement->input_count == 2 && is_known && is_wanted && can_read_again(&inputs[0]) &&
           can_read_again(&inputs[1]);
}

static tacho_status compare(const tacho_agreement *agreement, const tacho_table_taker *to)
{
    const tacho_agreement_options *options = &agreement->options;
    size_t first = agreement->inputs[0].origin <= agreement->inputs[1].origin ? 0 : 1;
    bool is_one = agreement->inputs[0].origin == agreement->inputs[1].origin;
    tacho_comparing comparing = {
        .selection = options->selection,
        .samples = options->samples,
        .diff = {.by = agreement->has_operators && !is_one ? TACHO_DIFF_BY_OP
                                                           : TACHO_DIFF_BY_INSTANCE,
                 .is_fit_only = !options->is_of_any,
                 .top = options->top,
                 .notes = options->is_of_any ? NULL : options->notes},
        .taker = to,
    };
    for (size_t side = 0; side < 2; side++) {
        const tacho_agreement_input *input = &agreement->inputs[side == 0 ? first : 1 - first];
        comparing.intakes[side] = (tacho_intake){
            .inputs = &input->input,
            .input_count = 1,
            .options = agreement->intake->options,
            .is_cancelled = agreement->intake->is_cancelled,
        };
    }
    tacho_comparing_result result;
    return tacho_comparing_run(&comparing, &result);
}

tacho_status tacho_agreement_tables(const tacho_agreement *agreement, const tacho_table_taker *to)
{
    if (!is_of_interest(agreement)) {
        return TACHO_OK;
    }
    const tacho_notes *notes = agreement->options.notes;
    if (agreement->inputs[0].row_count > TACHO_AGREEMENT_ROWS_MAX ||
        agreement->inputs[1].row_count >
            TACHO_AGREEMENT_ROWS_MAX - agreement->inputs[0].row_count) {
        tacho_note(notes, "note",
                   "%s and %s have too many rows to be compared here; a diff of them does it",
                   agreement->inputs[0].input.path, agreement->inputs[1].input.path);
        return TACHO_OK;
    }
    tacho_status status = compare(agreement, to);
    if (tacho_status_code(status) == TACHO_CODE_BAD_DATA) {
        tacho_note(notes, "note", "the profiles are not compared: %s",
                   tacho_status_message(status));
        tacho_status_free(status);
        return TACHO_OK;
    }
    return status;
}
