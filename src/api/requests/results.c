/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Copies of all that a caller may want after the request is gone.
 */
#include "api/requests/results.h"

#include "base/grow.h"

#include <stdlib.h>

tacho_status tacho_results_create(tacho_results **out_results)
{
    tacho_results *results = calloc(1, sizeof(*results));
    *out_results = results;
    if (results == NULL) {
        return tacho_no_memory();
    }
    results->outcome = TACHO_OUTCOME_FAILED; /* until it is known */
    tacho_arena_init(&results->arena);
    return tacho_tables_create(&results->tables);
}

static tacho_status copy_text(tacho_arena *arena, const char **text)
{
    tacho_str copy;
    TACHO_TRY(tacho_arena_copy(arena, tacho_str_from_cstring(*text), &copy));
    *text = copy.data;
    return TACHO_OK;
}

static tacho_status copy_hints(tacho_arena *arena, const tacho_hint **hints)
{
    tacho_hint *copies = NULL;
    size_t count = 0;
    while ((*hints)[count].id != TACHO_HINT_NONE) {
        count++;
    }
    TACHO_TRY(tacho_arena_alloc(arena, (count + 1) * sizeof(*copies), (void **)&copies));
    for (size_t i = 0; i <= count; i++) {
        copies[i] = (*hints)[i];
        TACHO_TRY(copy_text(arena, &copies[i].detail));
    }
    *hints = copies;
    return TACHO_OK;
}

static tacho_status add_note(tacho_results *results, tacho_result_note note)
{
    TACHO_TRY(tacho_grow(&results->notes, &results->note_capacity, results->note_count + 1));
    TACHO_TRY(copy_text(&results->arena, &note.kind));
    TACHO_TRY(copy_text(&results->arena, &note.text));
    TACHO_TRY(copy_hints(&results->arena, &note.hints));
    results->notes[results->note_count++] = note;
    return TACHO_OK;
}

void tacho_results_add_note(tacho_results *results, const tacho_result_note *note)
{
    tacho_status_free(add_note(results, *note));
}

int tacho_results_outcome(const tacho_results *results)
{
    return results != NULL ? results->outcome : TACHO_OUTCOME_FAILED;
}

bool tacho_results_is_misuse(const tacho_results *results)
{
    return results != NULL && results->is_misuse;
}

const tacho_tables *tacho_results_tables(const tacho_results *results)
{
    return results != NULL ? results->tables : NULL;
}

tacho_tables *tacho_results_take_tables(tacho_results *results)
{
    tacho_tables *tables = results != NULL ? results->tables : NULL;
    if (results != NULL) {
        results->tables = NULL;
    }
    return tables;
}

bool tacho_results_note(const tacho_results *results, size_t index, tacho_result_note *out_note)
{
    if (results == NULL || index >= results->note_count || out_note == NULL) {
        return false;
    }
    *out_note = results->notes[index];
    return true;
}

void tacho_results_free(tacho_results *results)
{
    if (results == NULL) {
        return;
    }
    tacho_tables_free(results->tables);
    free(results->notes);
    tacho_arena_deinit(&results->arena);
    free(results);
}
