/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Profiles row by row: a view that holds one row at a time. Rows are sorted before the first is
 * shown, on the disk where memory does not suffice, since none can be taken back.
 */
#include "api/entry.h"
#include "api/profile_view.h"
#include "api/view_files.h"

/* Whom rows are shown to. */
typedef struct streamer {
    tacho_events events;
    tacho_view view;
    bool (*row)(void *user, const tacho_view *view);
    void *user;
} streamer;

static tacho_status show(streamer *self)
{
    return self->row(self->user, &self->view)
               ? TACHO_OK
               : tacho_fail(TACHO_CODE_CANCELLED, "the caller asked for no more rows");
}

static void forget_row(tacho_profile *profile)
{
    profile->span_count = 0;
    profile->sample_count = 0;
    profile->flow_end_count = 0;
    profile->arg_count = 0;
    tacho_arena_reset(&profile->arena);
}

static tacho_status show_row(tacho_events *events, const tacho_row *row)
{
    streamer *self = (streamer *)events;
    TACHO_TRY(tacho_events_row(&self->view.profile.events, row));
    tacho_status status = show(self);
    forget_row(&self->view.profile);
    return status;
}

static tacho_status stream(streamer *self, const tacho_view_files *files)
{
    static const tacho_events_vtable vtable = {.row = show_row};
    tacho_producer producer = tacho_intake_producer(&files->intake);
    self->events = (tacho_events){.vtable = &vtable, .dict = &self->view.dict};
    TACHO_TRY(tacho_dict_init(&self->view.dict));
    tacho_profile_init(&self->view.profile, &self->view.dict);
    TACHO_TRY(tacho_view_intern_words(&self->view));
    TACHO_TRY(tacho_pipeline_push_selected(&producer, TACHO_ORDER_SORT_ALL, &files->selection,
                                           &self->events));
    return show(self);
}

tacho_status tacho_view_stream(const char *const *paths, size_t path_count,
                               const tacho_view_options *options,
                               bool (*row)(void *user, const tacho_view *view), void *user)
{
    streamer self = {.row = row, .user = user};
    tacho_view_files files;
    if (row == NULL) {
        return tacho_fail(TACHO_CODE_USAGE, "no function to show rows to (NULL)");
    }
    tacho_entry entry = tacho_entry_begin();
    tacho_status status = tacho_view_files_open(&files, paths, path_count, options);
    if (status == TACHO_OK) {
        status = stream(&self, &files);
    }
    tacho_profile_deinit(&self.view.profile);
    tacho_dict_deinit(&self.view.dict);
    tacho_view_files_close(&files);
    tacho_entry_end(entry);
    return status;
}
