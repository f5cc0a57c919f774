/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Files by the identity of their folder and their name, so that "a" and "./a" are one.
 */
#include "session/compile_outputs.h"

#include "base/folder.h"
#include "base/grow.h"
#include "base/input.h"

#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

struct tacho_compile_output {
    const char *path, *what;
    tacho_output output;
    struct stat place; /* its folder's facts; its own where it is written directly */
    bool is_new;       /* nothing is replaced */
};

void tacho_compile_outputs_init(tacho_compile_outputs *outputs)
{
    *outputs = (tacho_compile_outputs){0};
    tacho_arena_init(&outputs->arena);
}

void tacho_compile_outputs_deinit(tacho_compile_outputs *outputs)
{
    for (size_t i = 0; i < outputs->item_count; i++) {
        tacho_output_close(&outputs->items[i]->output);
    }
    for (size_t i = outputs->folder_count; i > 0 && !outputs->is_committed; i--) {
        rmdir(outputs->folders[i - 1]); /* a folder that others have used since stays */
    }
    free(outputs->items);
    free(outputs->folders);
    free(outputs->inputs);
    tacho_arena_deinit(&outputs->arena);
}

tacho_status tacho_compile_outputs_add_input(tacho_compile_outputs *outputs, const char *path)
{
    TACHO_TRY(tacho_grow(&outputs->inputs, &outputs->input_capacity, outputs->input_count + 1));
    outputs->inputs[outputs->input_count++] = path;
    return TACHO_OK;
}

/* ---- folders ------------------------------------------------------------------------------- */

static tacho_status make_folder(tacho_compile_outputs *outputs, tacho_str path)
{
    tacho_str kept;
    bool is_new = false;
    TACHO_TRY(tacho_grow(&outputs->folders, &outputs->folder_capacity, outputs->folder_count + 1));
    TACHO_TRY(tacho_arena_copy(&outputs->arena, path, &kept));
    TACHO_TRY(tacho_folder_ensure(kept.data, &is_new));
    if (is_new) {
        outputs->folders[outputs->folder_count++] = kept.data;
    }
    return TACHO_OK;
}

tacho_status tacho_compile_outputs_folder(tacho_compile_outputs *outputs, const char *path)
{
    tacho_str text = tacho_str_from_cstring(path);
    for (size_t i = 1; i < text.len; i++) {
        if (text.data[i] == '/' && text.data[i - 1] != '/') {
            TACHO_TRY(make_folder(outputs, tacho_str_make(text.data, i)));
        }
    }
    return make_folder(outputs, text);
}

/* ---- files --------------------------------------------------------------------------------- */

static bool is_same_place(const tacho_compile_output *a, const tacho_compile_output *b)
{
    if (a->output.is_direct != b->output.is_direct || a->place.st_dev != b->place.st_dev ||
        a->place.st_ino != b->place.st_ino) {
        return false;
    }
    return a->output.is_direct
               ? a->output.fd == b->output.fd || !S_ISCHR(a->place.st_mode)
               : tacho_str_equal(tacho_str_basename(tacho_str_from_cstring(a->output.path)),
                                 tacho_str_basename(tacho_str_from_cstring(b->output.path)));
}

static tacho_status check_inputs(const tacho_compile_outputs *outputs, const char *path)
{
    bool is_input = outputs->mappings != NULL && tacho_mappings_has(outputs->mappings, path);
    for (size_t i = 0; i < outputs->input_count && !is_input; i++) {
        is_input = tacho_input_is_same_file(outputs->inputs[i], path);
    }
    return is_input ? tacho_fail(TACHO_CODE_USAGE,
                                 "%s is read by this run and would be overwritten", path)
                    : TACHO_OK;
}

static tacho_status check_others(const tacho_compile_outputs *outputs,
                                 const tacho_compile_output *item)
{
    for (size_t i = 0; i < outputs->item_count; i++) {
        const tacho_compile_output *other = outputs->items[i];
        if (other != item && is_same_place(item, other)) {
            return tacho_fail(TACHO_CODE_USAGE, "the %s and the %s cannot both go to %s",
                              other->what, item->what, item->path);
        }
    }
    return TACHO_OK;
}

/* |mark|: NULL for a path that the user typed. */
static tacho_status open_marked(tacho_compile_outputs *outputs, const char *path, const char *what,
                                const char *mark, tacho_output **out_output)
{
    void *memory = NULL;
    struct stat facts;
    TACHO_TRY(check_inputs(outputs, path));
    TACHO_TRY(tacho_grow(&outputs->items, &outputs->item_capacity, outputs->item_count + 1));
    TACHO_TRY(tacho_arena_alloc(&outputs->arena, sizeof(tacho_compile_output), &memory));
    tacho_compile_output *item = memory;
    *item = (tacho_compile_output){.path = path, .what = what};
    TACHO_TRY(mark == NULL ? tacho_output_open(path, &item->output)
                           : tacho_output_open_chosen(path, mark, &item->output));
    outputs->items[outputs->item_count++] = item;
    const tacho_output *output = &item->output;
    item->is_new = !output->is_direct && stat(output->path, &facts) != 0;
    if (fstat(output->is_direct ? output->fd : output->folder_fd, &item->place) != 0) {
        return tacho_fail(TACHO_CODE_IO, "%s: cannot resolve this path", path);
    }
    *out_output = &item->output;
    return check_others(outputs, item);
}

tacho_status tacho_compile_outputs_open(tacho_compile_outputs *outputs, const char *path,
                                        const char *what, tacho_output **out_output)
{
    return open_marked(outputs, path, what, NULL, out_output);
}

tacho_status tacho_compile_outputs_open_chosen(tacho_compile_outputs *outputs, const char *path,
                                               const char *what, const char *mark,
                                               tacho_output **out_output)
{
    return open_marked(outputs, path, what, mark, out_output);
}

/* ---- in place ------------------------------------------------------------------------------ */

/* What was put in place and replaced nothing is taken away again. */
static void undo(const tacho_compile_outputs *outputs, size_t count, bool is_direct)
{
    for (size_t i = 0; i < count; i++) {
        const tacho_compile_output *item = outputs->items[i];
        if (!is_direct && item->is_new) {
            unlink(item->output.path);
        }
    }
}

static tacho_status commit_those(tacho_compile_outputs *outputs, bool is_direct)
{
    for (size_t i = 0; i < outputs->item_count; i++) {
        tacho_output *output = &outputs->items[i]->output;
        tacho_status status =
            output->is_direct == is_direct ? tacho_output_commit(output) : TACHO_OK;
        if (status != TACHO_OK) {
            undo(outputs, i, is_direct);
            return status;
        }
    }
    return TACHO_OK;
}

tacho_status tacho_compile_outputs_commit(tacho_compile_outputs *outputs)
{
    for (size_t i = 0; i < outputs->item_count; i++) {
        tacho_output_flush(&outputs->items[i]->output);
        TACHO_TRY(tacho_output_take_failure(&outputs->items[i]->output));
    }
    TACHO_TRY(commit_those(outputs, true));
    TACHO_TRY(commit_those(outputs, false));
    outputs->is_committed = true;
    return TACHO_OK;
}
