/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Names are chosen for both sides before either is renamed.
 */
#include "questions/samples/sample_operators.h"

#include "questions/samples/sample_join.h"
#include "base/grow.h"

#include <stdlib.h>

typedef struct naming {
    tacho_samples *samples;
    bool *is_known;  /* by string: an innermost operator of this side */
    uint32_t *names; /* by operator: the string of its name */
} naming;

/* Removes the first operator from |path| and returns it. */
static tacho_str take_outermost(tacho_str *path)
{
    size_t len = tacho_str_find_byte(*path, '/');
    tacho_str name = tacho_str_make(path->data, len);
    *path = tacho_str_from(*path, len < path->len ? len + 1 : len);
    return name;
}

static tacho_str path_of(const tacho_samples *samples, const tacho_sampled_op *op)
{
    uint32_t id = op->operators != 0 ? op->operators : op->type != 0 ? op->type : op->name;
    return tacho_strings_get(&samples->strings, id);
}

/* A type is one name, even if it contains separators. */
static tacho_str innermost_of(const tacho_samples *samples, const tacho_sampled_op *op)
{
    tacho_str path = path_of(samples, op);
    size_t at = op->operators != 0 ? path.len : 0;
    while (at > 0 && path.data[at - 1] != '/') {
        at--;
    }
    return tacho_str_from(path, at);
}

static tacho_status see_operators(naming *self)
{
    tacho_samples *samples = self->samples;
    TACHO_TRY(tacho_items_make(&self->names, samples->op_count));
    for (size_t i = 0; i < samples->op_count; i++) {
        TACHO_TRY(tacho_strings_ensure(&samples->strings, innermost_of(samples, &samples->ops[i]),
                                       &self->names[i]));
    }
    TACHO_TRY(tacho_items_make(&self->is_known, samples->strings.item_count));
    for (size_t i = 0; i < samples->op_count; i++) {
        self->is_known[self->names[i]] = true;
    }
    return TACHO_OK;
}

static bool knows(const naming *other, tacho_str name)
{
    uint32_t id = tacho_strings_find(&other->samples->strings, name);
    return id != TACHO_NONE && other->is_known[id];
}

static tacho_status choose_names(naming *self, const naming *other)
{
    tacho_samples *samples = self->samples;
    for (size_t i = 0; i < samples->op_count; i++) {
        tacho_str path = tacho_strings_get(&samples->strings, samples->ops[i].operators);
        while (path.len > 0) {
            tacho_str name = take_outermost(&path);
            if (knows(other, name)) {
                TACHO_TRY(tacho_strings_ensure(&samples->strings, name, &self->names[i]));
                break;
            }
        }
    }
    return TACHO_OK;
}

static tacho_status rename_all(naming *self)
{
    for (size_t i = 0; i < self->samples->op_count; i++) {
        tacho_sampled_op *op = &self->samples->ops[i];
        op->name = op->type = self->names[i];
        op->location = 0;
        op->operators = 0;
    }
    return tacho_samples_join_same(self->samples);
}

tacho_status tacho_samples_name_operators(tacho_samples sides[2])
{
    naming both[2] = {{.samples = &sides[0]}, {.samples = &sides[1]}};
    tacho_status status = see_operators(&both[0]);
    status = status == TACHO_OK ? see_operators(&both[1]) : status;
    status = status == TACHO_OK ? choose_names(&both[0], &both[1]) : status;
    status = status == TACHO_OK ? choose_names(&both[1], &both[0]) : status;
    for (size_t i = 0; i < 2 && status == TACHO_OK; i++) {
        status = rename_all(&both[i]);
    }
    for (size_t i = 0; i < 2; i++) {
        free(both[i].is_known);
        free(both[i].names);
    }
    return status;
}
