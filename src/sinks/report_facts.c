/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A line per argument, "grid<tab>64x3x1". Sizes are written in the usual form; an array of arrays,
 * such as the shapes of an operator's inputs, one after another.
 */
#include "sinks/report_facts.h"

#include "sinks/args_text.h"

enum { FACT_BYTES_MAX = 400 };

void report_facts_deinit(report_facts *facts)
{
    tacho_text_deinit(&facts->text);
    *facts = (report_facts){.is_ready = false};
}

static tacho_status prepare(report_facts *facts, tacho_dict *dict)
{
    static const char *const names[REPORT_FACT_KEYS] = {
        "grid",
        "block",
        "registers per thread",
        "shared memory",
        "est. achieved occupancy %",
        "Input Dims",
        "Input type",
    };
    for (size_t i = 0; i < REPORT_FACT_KEYS; i++) {
        TACHO_TRY(
            tacho_dict_ensure_string(dict, tacho_str_from_cstring(names[i]), &facts->keys[i]));
    }
    facts->is_ready = true;
    return TACHO_OK;
}

static bool is_wanted(const report_facts *facts, const tacho_arg *arg)
{
    for (size_t i = 0; i < REPORT_FACT_KEYS; i++) {
        if (arg->key == facts->keys[i]) {
            return true;
        }
    }
    return false;
}

/* The number of items of |row->args[at]|, itself included. */
static size_t arg_length(const tacho_row *row, size_t at)
{
    const tacho_arg *arg = &row->args[at];
    bool holds = arg->type == TACHO_ARG_DICT || arg->type == TACHO_ARG_ARRAY;
    size_t inside = holds ? (size_t)arg->value.as_uint : 0;
    return 1 + (inside < row->arg_count - at ? inside : row->arg_count - at - 1);
}

static tacho_status put_plain(report_facts *facts, const tacho_dict *dict, const tacho_arg *arg)
{
    char number[TACHO_REAL_MAX];
    tacho_str text = TACHO_STR("");
    if (arg->type == TACHO_ARG_STRING) {
        text = tacho_dict_string(dict, arg->value.as_string);
    } else if (arg->type == TACHO_ARG_TEXT) {
        text = arg->value.as_text;
    } else if (arg->type == TACHO_ARG_JSON) {
        text = TACHO_STR("-"); /* an empty shape: a scalar */
    } else if (arg->type != TACHO_ARG_BOOL) {
        text = tacho_args_text_number(arg, number);
    }
    return tacho_text_put(&facts->text, text);
}

/* Writes the elements of an array; |is_size|: they are numbers, "64x3x1". */
static tacho_status put_elements(report_facts *facts, const tacho_dict *dict, const tacho_row *row,
                                 size_t at)
{
    size_t end = at + arg_length(row, at);
    size_t inner_end = at; /* of the array in the array */
    bool is_first = true;
    for (size_t i = at + 1; i < end && facts->text.item_count < FACT_BYTES_MAX; i++) {
        const tacho_arg *arg = &row->args[i];
        bool is_number = arg->type == TACHO_ARG_INT || arg->type == TACHO_ARG_UINT;
        bool is_size = is_number && (i < inner_end || inner_end == at);
        if (!is_first) {
            TACHO_TRY(tacho_text_put(&facts->text, is_size ? TACHO_STR("x") : TACHO_STR(", ")));
        }
        is_first = arg->type == TACHO_ARG_ARRAY;
        if (is_first) {
            inner_end = i + arg_length(row, i);
        } else {
            TACHO_TRY(put_plain(facts, dict, arg));
        }
    }
    return TACHO_OK;
}

static tacho_status put_fact(report_facts *facts, const tacho_dict *dict, const tacho_row *row,
                             size_t at)
{
    const tacho_arg *arg = &row->args[at];
    bool is_next = facts->text.item_count > 0;
    TACHO_TRY(is_next ? tacho_text_put(&facts->text, TACHO_STR("\n")) : TACHO_OK);
    TACHO_TRY(tacho_text_put(&facts->text, tacho_dict_string(dict, arg->key)));
    TACHO_TRY(tacho_text_put(&facts->text, TACHO_STR("\t")));
    return arg->type == TACHO_ARG_ARRAY ? put_elements(facts, dict, row, at)
                                        : put_plain(facts, dict, arg);
}

tacho_status report_facts_of_row(report_facts *facts, tacho_dict *dict, const tacho_row *row,
                                 tacho_str *out_text)
{
    TACHO_TRY(facts->is_ready ? TACHO_OK : prepare(facts, dict));
    (void)tacho_text_take(&facts->text);
    for (size_t i = 0; i < row->arg_count; i += arg_length(row, i)) {
        if (is_wanted(facts, &row->args[i]) && facts->text.item_count < FACT_BYTES_MAX) {
            TACHO_TRY(put_fact(facts, dict, row, i));
        }
    }
    *out_text = tacho_text_take(&facts->text);
    return TACHO_OK;
}
