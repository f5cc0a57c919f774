/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The join. Spans are sorted once by part, run and action, and then matched with the actions of the
 * debug info in one pass.
 *
 * A job runs from its own start to its own wait. The profile alone cannot know this: without the
 * program, the next wait ends every job that was started before it.
 */
#include "questions/annotate/annotate.h"

#include "questions/annotate/annotate_fit.h"
#include "base/grow.h"
#include "base/text.h"

#include <stdlib.h>

enum {
    FITTED_DISPATCH_MAX = 256,   /* candidates compared with a run without a name */
    COMPARED_OPS_MAX = 16 << 20, /* inner ops whose locations are compared, over all rows */
};

/* In this order within a run. */
typedef enum entry_group {
    GROUP_ACTION,
    GROUP_JOB, /* of a profile without runs */
    GROUP_PHASE,
    GROUP_HAL, /* after all runs */
} entry_group;

/* A span with its sort keys. */
typedef struct entry {
    uint32_t part;
    entry_group group;
    int64_t invocation;
    int64_t action; /* or the number of a job */
    int64_t start;
    int64_t end;
    uint32_t run;
    uint32_t span;
    uint32_t site;
    tacho_track_class track_class;
    bool is_program;  /* a host program: from the action that starts it to the end of the wait */
    bool is_step;     /* the start of a host program, or the wait for it */
    bool lacks_start; /* the input has only its end */
    bool lacks_end;   /* the input has only its begin */
} entry;

/* When a job ran, in the current run. */
typedef struct job_time {
    uint32_t run_mark; /* of the run that these times belong to */
    bool has_start;
    bool has_end;
    bool has_span; /* the profile itself has a span of the job */
    int64_t start;
    int64_t end;
    int64_t span_start;
    int64_t span_end;
} job_time;

typedef struct joiner {
    const tacho_debug_info *info;
    const tacho_profile *profile;
    tacho_dict *dict;
    const tacho_annotate_options *options;
    tacho_annotation *annotation;
    entry *entries;
    size_t entry_count, entry_capacity;
    job_time *jobs; /* by job */
    uint32_t run_mark;
    uint32_t *waits; /* actions that wait for jobs of the accelerator, in order of the program */
    size_t wait_count, wait_capacity;
    tacho_text text;
    /* Keys of arguments, TACHO_NONE if no span has such an argument. */
    uint32_t action_key;
    uint32_t job_key;
    uint32_t scope_key;
    uint32_t unmatched_key;
    uint32_t host_actions; /* string: the name of the track */
    uint64_t compared_op_count;
} joiner;

const char *tacho_annotation_kind_name(tacho_annotation_kind kind)
{
#define KIND_NAME(name, text) text,
    static const char *const names[] = {TACHO_ANNOTATION_KINDS(KIND_NAME)};
#undef KIND_NAME
    return names[kind];
}

const char *tacho_annotation_reason_key(tacho_annotation_reason reason)
{
#define REASON_KEY(name, key, phrase) key,
    static const char *const keys[] = {TACHO_ANNOTATION_REASONS(REASON_KEY)};
#undef REASON_KEY
    return keys[reason];
}

const char *tacho_annotation_reason_phrase(tacho_annotation_reason reason)
{
#define REASON_PHRASE(name, key, phrase) phrase,
    static const char *const phrases[] = {TACHO_ANNOTATION_REASONS(REASON_PHRASE)};
#undef REASON_PHRASE
    return phrases[reason];
}

/* ---- entries ---------------------------------------------------------------------------- */

static void read_args(const joiner *self, const tacho_span *span, entry *made, bool *out_has_scope)
{
    made->action = -1;
    *out_has_scope = false;
    bool more = span->args != TACHO_NONE;
    for (size_t i = span->args; more; i++) {
        const tacho_stored_arg *stored = &self->profile->args[i];
        const tacho_arg *arg = &stored->arg;
        bool is_number = arg->type == TACHO_ARG_INT || arg->type == TACHO_ARG_UINT;
        if (is_number && (arg->key == self->action_key || arg->key == self->job_key)) {
            made->action = arg->value.as_int;
        }
        *out_has_scope = *out_has_scope || arg->key == self->scope_key;
        made->lacks_start = made->lacks_start || arg->key == self->unmatched_key;
        more = !stored->is_last;
    }
}

static bool is_of_r2(const joiner *self, uint32_t part)
{
    uint32_t generation = self->dict->parts[part].generation;
    return tacho_str_starts_with(tacho_dict_string(self->dict, generation), TACHO_STR("R2"));
}

/* Newer files give host programs a start and a wait, older ones only the whole span. */
static void note_program(const joiner *self, const tacho_track *track, entry *made)
{
    made->is_step = track->track_class == TACHO_TRACK_SYNC && track->name == self->host_actions;
    made->is_program = track->track_class == TACHO_TRACK_CONTROL ||
                       (track->track_class == TACHO_TRACK_HOST && is_of_r2(self, track->part));
    if (made->is_step) {
        made->track_class = TACHO_TRACK_HOST;
    }
}

static void add_entry(joiner *self, uint32_t id)
{
    tacho_span span = tacho_profile_span(self->profile, id);
    const tacho_track *track = &self->dict->tracks[span.track];
    bool has_scope = false;
    entry made = {
        .part = track->part,
        .invocation = span.run != TACHO_NONE ? self->dict->runs[span.run].invocation : -1,
        .start = span.start,
        .end = span.end,
        .run = span.run,
        .span = id,
        .site = span.site,
        .track_class = track->track_class,
        .lacks_end = (span.flags & TACHO_SPAN_UNENDED) != 0,
    };
    read_args(self, &span, &made, &has_scope);
    note_program(self, track, &made);
    if (has_scope) {
        made.group = GROUP_HAL;
    } else if (span.run == TACHO_NONE) {
        made.group = made.track_class == TACHO_TRACK_CONTROL ? GROUP_JOB : GROUP_PHASE;
    } else {
        made.group = made.action >= 0 ? GROUP_ACTION : GROUP_PHASE;
    }
    self->entries[self->entry_count++] = made;
}

static int compare_numbers(int64_t a, int64_t b)
{
    return a < b ? -1 : (a > b);
}

static int compare_hal(const entry *a, const entry *b)
{
    int order = compare_numbers(a->start, b->start);
    order = order != 0 ? order : compare_numbers(b->end, a->end);
    return order != 0 ? order : compare_numbers(a->span, b->span);
}

/* Sorts jobs in the order in which they were waited for. */
static int compare_jobs(const entry *a, const entry *b)
{
    int order = compare_numbers(a->end, b->end);
    order = order != 0 ? order : compare_numbers(a->action, b->action);
    return order != 0 ? order : compare_numbers(a->span, b->span);
}

static int compare_entries(const void *left, const void *right)
{
    const entry *a = left;
    const entry *b = right;
    if (a->part != b->part) {
        return compare_numbers(a->part, b->part);
    }
    bool is_hal = a->group == GROUP_HAL;
    if (is_hal != (b->group == GROUP_HAL)) {
        return is_hal ? 1 : -1;
    }
    if (is_hal) {
        return compare_hal(a, b);
    }
    int order = compare_numbers(a->invocation, b->invocation);
    order = order != 0 ? order : compare_numbers(a->run, b->run);
    order = order != 0 ? order : compare_numbers(a->group, b->group);
    if (order != 0) {
        return order;
    }
    if (a->group == GROUP_JOB) {
        return compare_jobs(a, b);
    }
    order = compare_numbers(a->action, b->action);
    if (order == 0) { /* a program follows the action that starts it */
        order = compare_numbers(a->is_program, b->is_program);
    }
    return order != 0 ? order : compare_hal(a, b);
}

static tacho_status gather_entries(joiner *self)
{
    const tacho_strings *strings = &self->dict->strings;
    self->action_key = tacho_strings_find(strings, TACHO_STR("action"));
    self->job_key = tacho_strings_find(strings, TACHO_STR("job"));
    self->scope_key = tacho_strings_find(strings, TACHO_STR("scope"));
    self->unmatched_key = tacho_strings_find(strings, TACHO_STR("unmatched"));
    self->host_actions = tacho_strings_find(
        strings, tacho_str_from_cstring(tacho_torq_host_track_name(TACHO_TORQ_HOST_ACTIONS)));
    TACHO_TRY(tacho_grow(&self->entries, &self->entry_capacity, self->profile->span_count));
    for (size_t i = 0; i < self->profile->span_count; i++) {
        add_entry(self, (uint32_t)i);
    }
    if (self->entry_count > 1) {
        qsort(self->entries, self->entry_count, sizeof(*self->entries), compare_entries);
    }
    return TACHO_OK;
}

/* ---- rows ------------------------------------------------------------------------------- */

static tacho_status add_row(joiner *self, const tacho_annotation_row *row)
{
    tacho_annotation *annotation = self->annotation;
    if (annotation->row_count + annotation->inner_count >= TACHO_ANNOTATION_ROWS_MAX) {
        return tacho_fail(TACHO_CODE_LIMIT, "the annotated profile has more than %d rows",
                          TACHO_ANNOTATION_ROWS_MAX);
    }
    if (annotation->reason_counts[row->reason]++ == 0) {
        annotation->reason_first[row->reason] = annotation->row_count;
    }
    TACHO_TRY(tacho_grow(&annotation->rows, &annotation->row_capacity, annotation->row_count + 1));
    annotation->rows[annotation->row_count++] = *row;
    return TACHO_OK;
}

/* Makes the row of |from| from the profile alone. */
static tacho_annotation_row make_row(const joiner *self, const entry *from,
                                     tacho_annotation_kind kind)
{
    const tacho_site *site = &self->dict->sites[from->site];
    return (tacho_annotation_row){
        .kind = kind,
        .part = from->part,
        .dispatch_name = from->run != TACHO_NONE ? self->dict->runs[from->run].name : 0,
        .invocation = from->invocation,
        .action_id = from->group == GROUP_ACTION ? from->action : -1,
        .job_id = from->group == GROUP_JOB ? from->action : -1,
        .action = TACHO_NONE,
        .job = TACHO_NONE,
        .op = TACHO_NONE,
        .operation = site->name,
        .location = site->location,
        .span = from->span,
        .has_time = true,
        .lacks_start = from->group == GROUP_ACTION && from->lacks_start,
        .lacks_end = from->group == GROUP_ACTION && from->lacks_end,
        .is_step = from->is_step,
        .start = from->start,
        .end = from->end,
    };
}

/* Sets the job that |row| belongs to. */
static void set_job(const joiner *self, tacho_annotation_row *row, uint32_t job)
{
    if (job == TACHO_NONE) {
        return;
    }
    const job_time *time = &self->jobs[job];
    bool is_known = time->run_mark == self->run_mark;
    row->job = job;
    row->job_id = row->job_id >= 0 ? row->job_id : self->info->jobs[job].id;
    if (is_known && time->has_start && time->has_end && time->start <= time->end) {
        row->has_job_time = true;
        row->job_start = time->start;
        row->job_end = time->end;
    } else if (is_known && time->has_span) {
        row->has_job_time = true;
        row->job_start = time->span_start;
        row->job_end = time->span_end;
    }
}

/* Whether the compiler's location is better than the runtime's |location|; a line of the dump
 * itself is not. */
static bool is_better(const joiner *self, const tacho_action *action, uint32_t location)
{
    if (action->location == TACHO_NONE || location == TACHO_NONE) {
        return location == TACHO_NONE;
    }
    return self->dict->locations[action->location].file !=
           self->info->dispatches[action->dispatch].file;
}

/* Sets the action of |row|. */
static void set_action(const joiner *self, tacho_annotation_row *row, const tacho_action *action)
{
    row->action = (uint32_t)(action - self->info->actions);
    row->operation = action->operation;
    row->location = is_better(self, action, row->location) ? action->location : row->location;
    set_job(self, row, action->job);
}

/* Adds |wait|, which the inner ops of its job follow. */
static tacho_status add_with_inner(joiner *self, tacho_annotation_row *wait)
{
    wait->is_expanded = !self->options->omit_inner && wait->job != TACHO_NONE &&
                        self->info->jobs[wait->job].op_count > 0;
    wait->first_fit = self->annotation->inner_count;
    self->annotation->inner_count += tacho_annotation_inner_count(self->annotation, wait);
    return add_row(self, wait);
}

/* ---- which dispatch --------------------------------------------------------------------- */

/* Whether the runtime could have made a span of |track_class| of the action. */
static bool is_fitting(const tacho_action *action, tacho_track_class track_class)
{
    bool is_program = action->kind == TACHO_ACTION_START || action->kind == TACHO_ACTION_WAIT;
    if (action->kind == TACHO_ACTION_OTHER ||
        (is_program && action->executor == TACHO_EXECUTOR_NONE)) {
        return true;
    }
    if (track_class == TACHO_TRACK_HOST_COPY) {
        return action->kind == TACHO_ACTION_COPY;
    }
    bool is_nss = is_program && action->executor == TACHO_EXECUTOR_NSS;
    if (track_class == TACHO_TRACK_SYNC || track_class == TACHO_TRACK_CONTROL) {
        return is_nss;
    }
    return !is_nss && action->kind != TACHO_ACTION_COPY;
}

static bool fits_all(const joiner *self, const tacho_dispatch *dispatch, const entry *entries,
                     size_t count)
{
    for (size_t i = 0; i < count; i++) {
        const tacho_action *action =
            tacho_debug_info_action(self->info, dispatch, entries[i].action);
        if (action == NULL || !is_fitting(action, entries[i].track_class)) {
            return false;
        }
    }
    return true;
}

/* The one dispatch that has all actions of a run without a name, or NULL. */
static const tacho_dispatch *fit_dispatch(const joiner *self, const entry *entries, size_t count)
{
    const tacho_debug_info *info = self->info;
    const tacho_dispatch *found = NULL;
    if (info->dispatch_count == 1 && !info->is_partial) {
        return &info->dispatches[0];
    }
    for (size_t i = 0; i < info->dispatch_count && i < FITTED_DISPATCH_MAX; i++) {
        if (fits_all(self, &info->dispatches[i], entries, count)) {
            if (found != NULL) {
                return NULL;
            }
            found = &info->dispatches[i];
        }
    }
    return found;
}

/* |entries| are the actions of one run. */
static const tacho_dispatch *find_dispatch(const joiner *self, const entry *entries, size_t count)
{
    uint32_t name = self->dict->runs[entries[0].run].name;
    const tacho_part *part = &self->dict->parts[entries[0].part];
    tacho_str generation = tacho_dict_string(self->dict, part->generation);
    const tacho_dispatch *found = tacho_debug_info_dispatch(self->info, name);
    bool is_unnamed = found == NULL && tacho_str_starts_with(generation, TACHO_STR("R1"));
    return is_unnamed ? fit_dispatch(self, entries, count) : found;
}

/* ---- locations -------------------------------------------------------------------------- */

/* Whether any operation of a job has the runtime's |location|. */
static tacho_place_verdict compare_with_job(joiner *self, uint32_t location,
                                            const tacho_debug_job *job)
{
    const tacho_debug_info *info = self->info;
    tacho_place_verdict found = tacho_debug_info_compare(info, location, job->location);
    uint32_t last = job->location;
    for (uint32_t i = 0; i < job->op_count && found != TACHO_PLACES_AGREE; i++) {
        uint32_t other = info->ops[job->first_op + i].location;
        if (self->compared_op_count++ >= COMPARED_OPS_MAX) {
            return TACHO_PLACES_UNKNOWN;
        }
        if (other != last) {
            tacho_place_verdict verdict = tacho_debug_info_compare(info, location, other);
            found = verdict != TACHO_PLACES_UNKNOWN ? verdict : found;
            last = other;
        }
    }
    return found;
}

/*
 * Compares the location of |row|, which is the runtime's, with the compiler's location of the
 * action. The location of a job may be that of its start, its wait or any operation in it.
 */
static void check_location(joiner *self, tacho_annotation_row *row, const tacho_action *action,
                           uint32_t location)
{
    const tacho_debug_info *info = self->info;
    tacho_place_verdict verdict = tacho_debug_info_compare(info, location, action->location);
    if (verdict != TACHO_PLACES_AGREE && action->job != TACHO_NONE &&
        tacho_debug_info_place(info, location).mark_count > 0) {
        tacho_place_verdict of_job = compare_with_job(self, location, &info->jobs[action->job]);
        bool is_unsure =
            of_job == TACHO_PLACES_UNKNOWN && self->compared_op_count >= COMPARED_OPS_MAX;
        verdict = of_job != TACHO_PLACES_UNKNOWN || is_unsure ? of_job : verdict;
    }
    self->annotation->compared_count += verdict != TACHO_PLACES_UNKNOWN;
    if (verdict == TACHO_PLACES_DIFFER && row->reason == TACHO_ANNOTATION_REASON_NONE) {
        row->reason = TACHO_ANNOTATION_REASON_OTHER_LOCATION;
    }
}

/* ---- the actions of a run --------------------------------------------------------------- */

static const tacho_action *find_action(const joiner *self, const tacho_dispatch *dispatch,
                                       const entry *from, tacho_annotation_reason *out_reason)
{
    if (dispatch == NULL) {
        *out_reason = TACHO_ANNOTATION_REASON_NO_DISPATCH;
        return NULL;
    }
    const tacho_action *action = tacho_debug_info_action(self->info, dispatch, from->action);
    if (action == NULL) {
        *out_reason = TACHO_ANNOTATION_REASON_NO_ACTION;
        return NULL;
    }
    bool is_right = is_fitting(action, from->track_class);
    *out_reason = is_right ? TACHO_ANNOTATION_REASON_NONE : TACHO_ANNOTATION_REASON_OTHER_ACTION;
    return is_right ? action : NULL;
}

/* Notes when the jobs of a run were started and waited for. */
static void note_job_times(joiner *self, const tacho_dispatch *dispatch, const entry *entries,
                           size_t count)
{
    self->run_mark++;
    for (size_t i = 0; i < count; i++) {
        tacho_annotation_reason reason;
        const tacho_action *action = find_action(self, dispatch, &entries[i], &reason);
        if (action == NULL || action->job == TACHO_NONE) {
            continue;
        }
        job_time *time = &self->jobs[action->job];
        if (time->run_mark != self->run_mark) {
            *time = (job_time){.run_mark = self->run_mark};
        }
        if (entries[i].is_program) {
            time->has_span = !entries[i].lacks_start && !entries[i].lacks_end;
            time->span_start = entries[i].start;
            time->span_end = entries[i].end;
        } else if (action->kind == TACHO_ACTION_START) {
            time->has_start = !entries[i].lacks_start;
            time->start = entries[i].start;
        } else {
            time->has_end = !entries[i].lacks_end;
            time->end = entries[i].end;
        }
    }
}

/* Whether the runtime always times such an action; older runtimes never waited for the host. */
static bool is_always_timed(const joiner *self, uint32_t part, const tacho_action *action)
{
    if (action->kind == TACHO_ACTION_WAIT && action->executor != TACHO_EXECUTOR_NSS) {
        return self->host_actions != TACHO_NONE && is_of_r2(self, part);
    }
    return action->kind != TACHO_ACTION_OTHER;
}

/* Adds the actions from |*at| up to, but not including, |end_id|, which the run lacks. */
static tacho_status add_untimed(joiner *self, const tacho_dispatch *dispatch, const entry *like,
                                uint32_t *at, int64_t end_id)
{
    for (; *at < dispatch->action_count; ++*at) {
        const tacho_action *action = &self->info->actions[dispatch->first_action + *at];
        if (action->id >= end_id) {
            break;
        }
        if (!is_always_timed(self, like->part, action)) {
            continue;
        }
        tacho_annotation_row row = make_row(self, like, TACHO_ANNOTATION_ACTION);
        row.reason = TACHO_ANNOTATION_REASON_NOT_TIMED;
        row.action_id = action->id;
        row.dispatch_name = dispatch->name;
        row.span = TACHO_NONE;
        row.has_time = false;
        row.lacks_start = row.lacks_end = false;
        row.location = TACHO_NONE;
        row.start = row.end = 0;
        set_action(self, &row, action);
        TACHO_TRY(add_row(self, &row));
    }
    return TACHO_OK;
}

/* Adds the action of |from|, or the job that it starts. */
static tacho_status add_action_rows(joiner *self, const tacho_dispatch *dispatch, const entry *from)
{
    bool is_job = from->is_program;
    tacho_annotation_row row =
        make_row(self, from, is_job ? TACHO_ANNOTATION_JOB : TACHO_ANNOTATION_ACTION);
    uint32_t location = row.location;
    row.dispatch_name = dispatch != NULL ? dispatch->name : row.dispatch_name;
    const tacho_action *action = find_action(self, dispatch, from, &row.reason);
    if (action != NULL) {
        set_action(self, &row, action);
        bool is_nss_wait =
            action->kind == TACHO_ACTION_WAIT && action->executor == TACHO_EXECUTOR_NSS;
        if (is_nss_wait && action->job == TACHO_NONE) {
            row.reason = TACHO_ANNOTATION_REASON_NOT_WAITED;
        }
        if (!is_job) {
            check_location(self, &row, action, location);
        } else if (from->track_class == TACHO_TRACK_CONTROL) {
            row.has_time = row.has_job_time; /* an engine needs both ends of a time */
            row.lacks_start = row.lacks_end = false;
            row.start = row.has_job_time ? row.job_start : row.start;
            row.end = row.has_job_time ? row.job_end : row.end;
        }
        if (!is_job && row.reason == TACHO_ANNOTATION_REASON_NONE &&
            (row.lacks_start || row.lacks_end)) {
            row.reason = TACHO_ANNOTATION_REASON_HALF_TIMED;
        }
        return is_nss_wait ? add_with_inner(self, &row) : add_row(self, &row);
    }
    if (is_job) {
        row.reason = TACHO_ANNOTATION_REASON_NONE; /* its action was already counted */
    }
    return add_row(self, &row);
}

/* Joins the |count| actions of one run; 0 when only the runtime was set up. */
static tacho_status join_actions(joiner *self, const entry *entries, size_t count)
{
    const tacho_dispatch *dispatch = find_dispatch(self, entries, count);
    uint32_t at = 0;
    note_job_times(self, dispatch, entries, count);
    for (size_t i = 0; i < count; i++) {
        if (dispatch != NULL) {
            TACHO_TRY(add_untimed(self, dispatch, &entries[0], &at, entries[i].action));
            /* Actions with this number are timed. */
            while (at < dispatch->action_count &&
                   self->info->actions[dispatch->first_action + at].id == entries[i].action) {
                at++;
            }
        }
        TACHO_TRY(add_action_rows(self, dispatch, &entries[i]));
    }
    return dispatch != NULL ? add_untimed(self, dispatch, &entries[0], &at, INT64_MAX) : TACHO_OK;
}

/* ---- jobs by their place ---------------------------------------------------------------- */

/* Gathers all waits of the program, dispatch by dispatch. */
static tacho_status gather_waits(joiner *self)
{
    const tacho_debug_info *info = self->info;
    for (size_t d = 0; d < info->dispatch_count; d++) {
        const tacho_dispatch *dispatch = &info->dispatches[d];
        size_t first = self->wait_count;
        TACHO_TRY(tacho_grow(&self->waits, &self->wait_capacity,
                             first + (size_t)dispatch->action_count + 1));
        for (uint32_t i = 0; i < dispatch->action_count; i++) {
            uint32_t order = info->actions[dispatch->first_action + i].order;
            self->waits[first + order] = dispatch->first_action + i;
        }
        for (uint32_t i = 0; i < dispatch->action_count; i++) {
            const tacho_action *action = &info->actions[self->waits[first + i]];
            if (action->kind == TACHO_ACTION_WAIT && action->executor == TACHO_EXECUTOR_NSS) {
                self->waits[self->wait_count++] = self->waits[first + i];
            }
        }
    }
    return TACHO_OK;
}

static tacho_status join_job(joiner *self, const entry *from, size_t place)
{
    const tacho_debug_info *info = self->info;
    tacho_annotation_row row = make_row(self, from, TACHO_ANNOTATION_JOB);
    row.is_only_job = true;
    row.has_job_time = true;
    row.job_start = row.start;
    row.job_end = row.end;
    if (place >= self->wait_count) {
        row.reason = TACHO_ANNOTATION_REASON_NO_JOB;
        return add_row(self, &row);
    }
    const tacho_action *wait = &info->actions[self->waits[place]];
    uint32_t site_location = row.location;
    row.dispatch_name = info->dispatches[wait->dispatch].name;
    row.action_id = wait->id;
    set_action(self, &row, wait);
    if (wait->job == TACHO_NONE) {
        row.reason = TACHO_ANNOTATION_REASON_NOT_WAITED;
    }
    check_location(self, &row, wait, site_location);
    return add_with_inner(self, &row);
}

/* Whether the job at |place| is the first of a dispatch. */
static bool is_first_of_dispatch(const joiner *self, size_t place)
{
    const tacho_action *actions = self->info->actions;
    return place < self->wait_count && (place == 0 || actions[self->waits[place]].dispatch !=
                                                          actions[self->waits[place - 1]].dispatch);
}

/*
 * Joins the |count| jobs of a profile without runs. Numbers that restart at 0 begin another run of
 * the program, unless another dispatch of the program begins at that place.
 */
static tacho_status join_jobs(joiner *self, const entry *entries, size_t count)
{
    size_t place = 0;
    for (size_t i = 0; i < count; i++) {
        if (entries[i].action == 0 && !is_first_of_dispatch(self, place)) {
            place = 0;
        }
        TACHO_TRY(join_job(self, &entries[i], place++));
    }
    return TACHO_OK;
}

/* ---- phases and calls ------------------------------------------------------------------- */

static tacho_status join_phases(joiner *self, const entry *entries, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        tacho_annotation_row row = make_row(self, &entries[i], TACHO_ANNOTATION_PHASE);
        TACHO_TRY(add_row(self, &row));
    }
    return TACHO_OK;
}

/* "__HAL_QUEUE_EXECUTE__.HAL_QUEUE_SIGNAL" */
static tacho_status name_call(joiner *self, tacho_annotation_row *row)
{
    tacho_str scope = tacho_dict_string(self->dict, row->dispatch_name);
    tacho_str event = tacho_dict_string(self->dict, row->operation);
    TACHO_TRY(tacho_text_put(&self->text, scope));
    TACHO_TRY(tacho_text_put(&self->text, TACHO_STR(".")));
    TACHO_TRY(tacho_text_put(&self->text, event));
    return tacho_dict_ensure_string(self->dict, tacho_text_take(&self->text), &row->operation);
}

/* HAL_CALL covers a whole call; it is redundant if the input has the steps of the call. */
static tacho_status join_calls(joiner *self, const entry *entries, size_t count)
{
    uint32_t general = tacho_strings_find(&self->dict->strings, TACHO_STR("HAL_CALL"));
    size_t run_count = self->dict->run_count;
    bool *has_steps = tacho_items_alloc(run_count, sizeof(*has_steps));
    if (has_steps == NULL) {
        return tacho_fail(TACHO_CODE_NO_MEMORY, "cannot get memory for %zu runs", run_count);
    }
    for (size_t i = 0; i < count; i++) {
        if (entries[i].run != TACHO_NONE && self->dict->sites[entries[i].site].name != general) {
            has_steps[entries[i].run] = true;
        }
    }
    tacho_status status = TACHO_OK;
    for (size_t i = 0; i < count && status == TACHO_OK; i++) {
        tacho_annotation_row row = make_row(self, &entries[i], TACHO_ANNOTATION_HAL);
        row.is_general =
            row.operation == general && entries[i].run != TACHO_NONE && has_steps[entries[i].run];
        status = name_call(self, &row);
        status = status == TACHO_OK ? add_row(self, &row) : status;
    }
    free(has_steps);
    return status;
}

/* ---- all -------------------------------------------------------------------------------- */

static bool is_same_bunch(const entry *a, const entry *b)
{
    return a->part == b->part && a->group == b->group &&
           (a->group == GROUP_HAL || (a->run == b->run && a->invocation == b->invocation));
}

static tacho_status join_bunch(joiner *self, const entry *entries, size_t count)
{
    switch (entries[0].group) {
    case GROUP_ACTION:
        return join_actions(self, entries, count);
    case GROUP_JOB:
        return join_jobs(self, entries, count);
    case GROUP_PHASE:
        return join_phases(self, entries, count);
    case GROUP_HAL:
        break;
    }
    return join_calls(self, entries, count);
}

static tacho_status join_all(joiner *self)
{
    self->jobs = tacho_items_alloc(self->info->job_count, sizeof(*self->jobs));
    if (self->jobs == NULL) {
        return tacho_fail(TACHO_CODE_NO_MEMORY, "cannot get memory for %zu jobs",
                          self->info->job_count);
    }
    tacho_annotation *annotation = self->annotation;
    TACHO_TRY(gather_entries(self));
    TACHO_TRY(gather_waits(self));
    TACHO_TRY(tacho_grow(&annotation->rows, &annotation->row_capacity, self->entry_count));
    for (size_t first = 0, end = 0; first < self->entry_count; first = end) {
        do {
            end++;
        } while (end < self->entry_count &&
                 is_same_bunch(&self->entries[first], &self->entries[end]));
        TACHO_TRY(join_bunch(self, self->entries + first, end - first));
    }
    return TACHO_OK;
}

tacho_status tacho_annotate(const tacho_debug_info *info, const tacho_profile *profile,
                            const tacho_annotate_options *options, tacho_annotation *out_annotation)
{
    static const tacho_annotate_options no_options = {.omit_inner = false};
    *out_annotation = (tacho_annotation){.info = info, .profile = profile};
    joiner self = {
        .info = info,
        .profile = profile,
        .dict = profile->events.dict,
        .options = options != NULL ? options : &no_options,
        .annotation = out_annotation,
    };
    tacho_status status = join_all(&self);
    if (status == TACHO_OK && !self.options->omit_inner) {
        status = tacho_annotation_fit_all(out_annotation);
    }
    free(self.entries);
    free(self.jobs);
    free(self.waits);
    tacho_text_deinit(&self.text);
    return status;
}

void tacho_annotation_deinit(tacho_annotation *annotation)
{
    free(annotation->rows);
    free(annotation->fits);
    *annotation = (tacho_annotation){.rows = NULL};
}

uint64_t tacho_annotation_unmatched_count(const tacho_annotation *annotation)
{
    uint64_t count = 0;
    for (size_t i = TACHO_ANNOTATION_REASON_NONE + 1; i < TACHO_ANNOTATION_REASON_COUNT; i++) {
        count += annotation->reason_counts[i];
    }
    return count;
}
