/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One row per run: files read, device times, steps, and the time spent waiting in collectives.
 * Everything is computed from the sums in parts.
 */
#include "questions/fleet/fleet_tables.h"

#include "base/grow.h"

#include <stdlib.h>

#define COUNT_OF(array) (sizeof(array) / sizeof((array)[0]))

static const tacho_column columns[] = {
    TACHO_COLUMN(RUN, "run", TEXT),
    TACHO_COLUMN(FILES, "files", INT),
    TACHO_COLUMN_NAMED("hosts", "hosts", INT),
    TACHO_COLUMN_NAMED("spans", "spans", INT),
    TACHO_COLUMN(DEVICES, "devices", INT),
    TACHO_COLUMN(SPAN_NS, "device time", DURATION),
    TACHO_COLUMN(BUSY_PERCENT, "busy", PERCENT),
    TACHO_COLUMN_NAMED("compute_percent", "compute", PERCENT),
    TACHO_COLUMN_NAMED("exposed_communication_percent", "exposed communication", PERCENT),
    TACHO_COLUMN_NAMED("exposed_copy_percent", "exposed copy", PERCENT),
    TACHO_COLUMN(IDLE_PERCENT, "idle", PERCENT),
    TACHO_COLUMN(WAIT_NS, "waiting in collectives", DURATION),
    TACHO_COLUMN_NAMED("steps", "steps", INT),
    TACHO_COLUMN(MEAN_NS, "mean step", DURATION),
    TACHO_COLUMN(P50_NS, "p50", DURATION),
    TACHO_COLUMN(P99_NS, "p99", DURATION),
    TACHO_COLUMN(MAX_NS, "max", DURATION),
    TACHO_COLUMN(SLOWEST, "max on", TEXT),
};

typedef struct run_sum {
    uint64_t file_count, span_count;
    int64_t host_count, device_count;
    tacho_i128 numbers[TACHO_FLEET_NUMBER_COUNT];
    tacho_i128 wait_ns;
    uint64_t matched_count; /* collectives; 0: waiting is not known */
    tacho_fleet_row steps;
    tacho_durations durations; /* of the steps */
} run_sum;

typedef struct overview {
    const tacho_fleet_view *view;
    run_sum *runs;       /* by text */
    tacho_strings hosts; /* with their runs */
} overview;

static const tacho_fleet_file *file_of(const overview *self, tacho_str key)
{
    return tacho_fleet_view_file(self->view, tacho_fleet_get_id(key));
}

/* ---- sums ------------------------------------------------------------------------------------ */

/* Files that are counted, once each, with their steps. */
static tacho_status add_files(overview *self)
{
    const tacho_fleet_table *files = &self->view->fleet->tables[TACHO_FLEET_TABLE_FILES];
    for (size_t i = 0; i < files->row_count; i++) {
        const tacho_fleet_file *file = file_of(self, tacho_fleet_key(&files->keys, i));
        uint32_t place = 0;
        if (file == NULL) {
            continue;
        }
        run_sum *run = &self->runs[file->run];
        const uint32_t key[2] = {file->run, file->host};
        size_t known = self->hosts.item_count;
        TACHO_TRY(tacho_strings_ensure(&self->hosts, tacho_str_make((const char *)key, sizeof(key)),
                                       &place));
        run->host_count += self->hosts.item_count > known && file->host != 0 ? 1 : 0;
        run->file_count++;
        run->span_count += file->span_count;
        TACHO_TRY(tacho_fleet_steps_add(&run->steps, &run->durations, &files->rows[i]));
    }
    return TACHO_OK;
}

static void add_devices(overview *self)
{
    const tacho_fleet *fleet = self->view->fleet;
    for (size_t i = 0; i < fleet->device_count; i++) {
        const tacho_fleet_file *file = file_of(self, tacho_fleet_key(&fleet->device_keys, i));
        for (size_t k = 0; k < TACHO_FLEET_NUMBER_COUNT && file != NULL; k++) {
            self->runs[file->run].numbers[k] += fleet->devices[i].numbers[k];
        }
        self->runs[file != NULL ? file->run : 0].device_count += file != NULL ? 1 : 0;
    }
}

static void add_waits(overview *self)
{
    const tacho_fleet *fleet = self->view->fleet;
    const tacho_fleet_table *calls = &fleet->tables[TACHO_FLEET_TABLE_CALLS];
    for (size_t i = 0; i < calls->row_count; i++) {
        tacho_str key = tacho_fleet_key(&calls->keys, i);
        uint32_t run = tacho_strings_find(&fleet->texts, tacho_fleet_next_text(&key));
        if (run != TACHO_NONE) {
            self->runs[run].wait_ns += tacho_fleet_call_wait(&calls->rows[i]);
            self->runs[run].matched_count += calls->rows[i].count > 1 ? 1 : 0;
        }
    }
}

/* ---- rows ------------------------------------------------------------------------------------ */

static tacho_status add_shares(const run_sum *run, tacho_table *table)
{
    static const tacho_fleet_number shares[] = {TACHO_FLEET_BUSY_NS, TACHO_FLEET_COMPUTE_NS,
                                                TACHO_FLEET_EXPOSED_COMMUNICATION_NS,
                                                TACHO_FLEET_EXPOSED_COPY_NS};
    double span_ns = (double)run->numbers[TACHO_FLEET_SPAN_NS];
    for (size_t i = 0; i < COUNT_OF(shares); i++) {
        TACHO_TRY(tacho_fleet_add_percent(table, (double)run->numbers[shares[i]], span_ns));
    }
    return tacho_fleet_add_percent(table, span_ns - (double)run->numbers[TACHO_FLEET_BUSY_NS],
                                   span_ns);
}

static tacho_status add_run(const overview *self, uint32_t text, tacho_table *table)
{
    run_sum *run = &self->runs[text];
    TACHO_TRY(tacho_fleet_add_text(table, tacho_fleet_view_text(self->view, text)));
    TACHO_TRY(tacho_table_add_int(table, (int64_t)run->file_count));
    TACHO_TRY(run->host_count > 0 ? tacho_table_add_int(table, run->host_count)
                                  : tacho_table_add_absent(table)); /* not known */
    TACHO_TRY(tacho_table_add_int(table, (int64_t)run->span_count));
    TACHO_TRY(tacho_table_add_int(table, run->device_count));
    TACHO_TRY(tacho_table_add_int(table, tacho_fleet_cell_ns(run->numbers[TACHO_FLEET_SPAN_NS])));
    TACHO_TRY(add_shares(run, table));
    TACHO_TRY(run->matched_count > 0 ? tacho_table_add_int(table, tacho_fleet_cell_ns(run->wait_ns))
                                     : tacho_table_add_absent(table));
    TACHO_TRY(tacho_table_add_int(table, (int64_t)run->steps.count));
    if (run->steps.count == 0) {
        for (size_t i = 0; i < 5; i++) {
            TACHO_TRY(tacho_table_add_absent(table));
        }
        return TACHO_OK;
    }
    tacho_durations_sort(&run->durations);
    run->steps.durations = &run->durations;
    TACHO_TRY(tacho_fleet_steps_cells(&run->steps, table));
    TACHO_TRY(tacho_table_add_int(table, run->steps.most.ns));
    return tacho_fleet_add_label(self->view, run->steps.most.file, table);
}

/* Adds runs by name; a run has at least one file. */
static tacho_status add_runs(const overview *self, tacho_table *table)
{
    const tacho_strings *texts = &self->view->fleet->texts;
    tacho_fleet_place *places = NULL;
    size_t count = 0;
    TACHO_TRY(tacho_items_make(&places, texts->item_count));
    for (size_t i = 0; i < texts->item_count; i++) {
        if (self->runs[i].file_count > 0) {
            places[count++] =
                (tacho_fleet_place){0, tacho_fleet_view_text(self->view, (uint32_t)i), i};
        }
    }
    tacho_fleet_sort(places, count, 0);
    tacho_status status = TACHO_OK;
    for (size_t i = 0; i < count && status == TACHO_OK; i++) {
        status = add_run(self, (uint32_t)places[i].index, table);
    }
    free(places);
    return status;
}

static tacho_status fill(overview *self, tacho_table *table)
{
    TACHO_TRY(tacho_items_make(&self->runs, self->view->fleet->texts.item_count));
    for (size_t i = 0; i < self->view->fleet->texts.item_count; i++) {
        tacho_durations_init(&self->runs[i].durations);
    }
    TACHO_TRY(add_files(self));
    add_devices(self);
    add_waits(self);
    return add_runs(self, table);
}

static tacho_status write_overview(const tacho_fleet_view *view, const tacho_fleet_options *options,
                                   const tacho_table_taker *to)
{
    tacho_table table;
    overview self = {.view = view};
    (void)options;
    tacho_table_init(&table, "overview", "Runs", columns, COUNT_OF(columns));
    tacho_status status = tacho_strings_init(&self.hosts);
    if (status == TACHO_OK) {
        status = fill(&self, &table);
    }
    for (size_t i = 0; i < view->fleet->texts.item_count && self.runs != NULL; i++) {
        tacho_durations_deinit(&self.runs[i].durations);
    }
    free(self.runs);
    tacho_strings_deinit(&self.hosts);
    return tacho_table_hand_over(to, status, &table);
}

const tacho_fleet_question tacho_fleet_question_overview = {
    .name = "overview",
    .sections = TACHO_FLEET_DEVICES | TACHO_FLEET_STEPS | TACHO_FLEET_COLLECTIVES,
    .write = write_overview,
};
