/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Where the time of devices went: by host, then the devices that were idle the longest, and the
 * launches of each host. Shares are of the spans of the devices together.
 */
#include "questions/fleet/fleet_tables.h"

#include "base/grow.h"

#include <stdlib.h>

#define COUNT_OF(array) (sizeof(array) / sizeof((array)[0]))

#define TIME_COLUMNS                                                                               \
    TACHO_COLUMN(SPAN_NS, "span", DURATION), TACHO_COLUMN(BUSY_NS, "busy", DURATION),              \
        TACHO_COLUMN(BUSY_PERCENT, "busy %", PERCENT),                                             \
        TACHO_COLUMN(COMPUTE_NS, "compute", DURATION),                                             \
        TACHO_COLUMN(COMMUNICATION_NS, "communication", DURATION),                                 \
        TACHO_COLUMN(EXPOSED_COMMUNICATION_NS, "exposed", DURATION),                               \
        TACHO_COLUMN(COPY_NS, "copy", DURATION),                                                   \
        TACHO_COLUMN(EXPOSED_COPY_NS, "exposed copy", DURATION),                                   \
        TACHO_COLUMN(IDLE_NS, "idle", DURATION), TACHO_COLUMN(IDLE_PERCENT, "idle %", PERCENT),    \
        TACHO_COLUMN(HOST_LATE_NS, "host late", DURATION),                                         \
        TACHO_COLUMN(DEPENDENCY_NS, "dependency", DURATION),                                       \
        TACHO_COLUMN(QUEUE_EMPTY_NS, "queue empty", DURATION),                                     \
        TACHO_COLUMN(QUEUED_NS, "queued", DURATION), TACHO_COLUMN(UNKNOWN_NS, "unknown", DURATION)

static const tacho_column host_columns[] = {
    TACHO_COLUMN(RUN, "run", TEXT), TACHO_COLUMN(HOST, "host", TEXT),
    TACHO_COLUMN(ORIGIN, "origin", TEXT), TACHO_COLUMN(DEVICES, "devices", INT), TIME_COLUMNS};

static const tacho_column device_columns[] = {TACHO_COLUMN(RUN, "run", TEXT),
                                              TACHO_COLUMN(HOST, "host", TEXT),
                                              TACHO_COLUMN(RANK, "rank", INT),
                                              TACHO_COLUMN(PATH, "path", TEXT),
                                              TACHO_COLUMN(DEVICE, "device", TEXT),
                                              TACHO_COLUMN(ORIGIN, "origin", TEXT),
                                              TIME_COLUMNS};

static const tacho_column launch_columns[] = {
    TACHO_COLUMN(RUN, "run", TEXT),
    TACHO_COLUMN(HOST, "host", TEXT),
    TACHO_COLUMN(ORIGIN, "origin", TEXT),
    TACHO_COLUMN(WORK_COUNT, "work", INT),
    TACHO_COLUMN(LAUNCH_COUNT, "launches", INT),
    TACHO_COLUMN(MEAN_NS, "mean", DURATION),
    TACHO_COLUMN(P50_NS, "p50", DURATION),
    TACHO_COLUMN(P99_NS, "p99", DURATION),
    TACHO_COLUMN(MAX_NS, "max", DURATION),
    TACHO_COLUMN(QUEUE_MAX, "queue max", INT),
    TACHO_COLUMN(CALL_MEAN_NS, "call mean", DURATION),
    TACHO_COLUMN(SHORT_COUNT, "shorter than call", INT),
    TACHO_COLUMN(SHORT_PERCENT, "shorter %", PERCENT),
};

static const tacho_column_id kept[] = {
    TACHO_COL_HOST,         TACHO_COL_RANK,       TACHO_COL_DEVICE,  TACHO_COL_BUSY_PERCENT,
    TACHO_COL_IDLE_PERCENT, TACHO_COL_COMPUTE_NS, TACHO_COL_SPAN_NS, TACHO_COL_OTHER};

/* The devices of one run, host and origin. */
typedef struct host_sum {
    tacho_str run, host;
    unsigned origin;
    int64_t device_count;
    int64_t numbers[TACHO_FLEET_NUMBER_COUNT];
    tacho_durations delays;
} host_sum;

typedef struct host_list {
    tacho_strings keys;
    host_sum *hosts;
    size_t host_count, host_capacity;
} host_list;

static void host_list_deinit(host_list *list)
{
    for (size_t i = 0; i < list->host_count; i++) {
        tacho_durations_deinit(&list->hosts[i].delays);
    }
    free(list->hosts);
    tacho_strings_deinit(&list->keys);
}

static int64_t idle_of(const int64_t *numbers)
{
    return numbers[TACHO_FLEET_SPAN_NS] - numbers[TACHO_FLEET_BUSY_NS];
}

/* The idle share of the time, by which hosts and devices are sorted. */
static double idle_share(const int64_t *numbers)
{
    double span = (double)numbers[TACHO_FLEET_SPAN_NS];
    return span > 0 ? (double)idle_of(numbers) / span : 0;
}

/* ---- hosts --------------------------------------------------------------------------------- */

static tacho_status ensure_host(host_list *list, tacho_str run, tacho_str host, unsigned origin,
                                host_sum **out_host)
{
    char key[2 * 512 + 2];
    size_t run_len = run.len < 512 ? run.len : 512;
    size_t host_len = host.len < 512 ? host.len : 512;
    uint32_t id = 0;
    memcpy(key, run.data, run_len);
    key[run_len] = '\0';
    memcpy(key + run_len + 1, host.data, host_len);
    key[run_len + 1 + host_len] = (char)origin;
    TACHO_TRY(tacho_strings_ensure(&list->keys, tacho_str_make(key, run_len + host_len + 2), &id));
    TACHO_TRY(tacho_grow(&list->hosts, &list->host_capacity, list->host_count + 1));
    if (id > list->host_count) {
        list->hosts[list->host_count] = (host_sum){.run = run, .host = host, .origin = origin};
        tacho_durations_init(&list->hosts[list->host_count++].delays);
    }
    *out_host = &list->hosts[id - 1];
    return TACHO_OK;
}

static tacho_status add_device(const tacho_fleet_view *view, size_t index, host_list *list)
{
    const tacho_fleet *fleet = view->fleet;
    const tacho_fleet_device *device = &fleet->devices[index];
    tacho_str key = tacho_fleet_key(&fleet->device_keys, index);
    const tacho_fleet_file *file = tacho_fleet_view_file(view, tacho_fleet_get_id(key));
    tacho_str none = TACHO_STR("");
    host_sum *host = NULL;
    TACHO_TRY(ensure_host(list, file != NULL ? tacho_fleet_view_text(view, file->run) : none,
                          file != NULL ? tacho_fleet_view_text(view, file->host) : none,
                          (unsigned char)key.data[TACHO_FLEET_ID_BYTES], &host));
    host->device_count++;
    for (size_t i = 0; i < TACHO_FLEET_NUMBER_COUNT; i++) {
        bool is_extreme = i == TACHO_FLEET_LONGEST_NS || i == TACHO_FLEET_DELAY_MAX_NS ||
                          i == TACHO_FLEET_QUEUE_MAX;
        host->numbers[i] = is_extreme ? tacho_most(host->numbers[i], device->numbers[i])
                                      : tacho_cycles_add(host->numbers[i], device->numbers[i]);
    }
    return tacho_durations_merge(&host->delays, &device->delays);
}

static tacho_status add_times(const int64_t *numbers, tacho_table *table)
{
    double span = (double)numbers[TACHO_FLEET_SPAN_NS];
    TACHO_TRY(tacho_table_add_int(table, numbers[TACHO_FLEET_SPAN_NS]));
    TACHO_TRY(tacho_table_add_int(table, numbers[TACHO_FLEET_BUSY_NS]));
    TACHO_TRY(tacho_fleet_add_percent(table, (double)numbers[TACHO_FLEET_BUSY_NS], span));
    for (size_t i = TACHO_FLEET_COMPUTE_NS; i <= TACHO_FLEET_EXPOSED_COPY_NS; i++) {
        TACHO_TRY(tacho_table_add_int(table, numbers[i]));
    }
    TACHO_TRY(tacho_table_add_int(table, idle_of(numbers)));
    TACHO_TRY(tacho_fleet_add_percent(table, (double)idle_of(numbers), span));
    for (size_t i = TACHO_FLEET_HOST_LATE_NS; i <= TACHO_FLEET_UNKNOWN_NS; i++) {
        TACHO_TRY(tacho_table_add_int(table, numbers[i]));
    }
    return TACHO_OK;
}

static tacho_status add_host_who(const host_sum *host, tacho_table *table)
{
    const char *origin = tacho_origin_name((tacho_origin)host->origin);
    TACHO_TRY(tacho_fleet_add_text(table, host->run));
    TACHO_TRY(tacho_fleet_add_text(table, host->host));
    return tacho_table_add_text(table, tacho_str_from_cstring(origin));
}

static tacho_status add_launches(host_sum *host, tacho_table *table)
{
    const int64_t *numbers = host->numbers;
    int64_t count = numbers[TACHO_FLEET_LAUNCH_COUNT];
    int64_t calls = numbers[TACHO_FLEET_CALL_COUNT];
    if (count <= 0 || host->delays.count == 0) {
        return TACHO_OK;
    }
    tacho_durations_sort(&host->delays);
    TACHO_TRY(add_host_who(host, table));
    TACHO_TRY(tacho_table_add_int(table, numbers[TACHO_FLEET_WORK_COUNT]));
    TACHO_TRY(tacho_table_add_int(table, count));
    TACHO_TRY(tacho_table_add_int(table, tacho_fleet_cell_ns(tacho_mean(
                                             numbers[TACHO_FLEET_DELAY_SUM_NS], (uint64_t)count))));
    TACHO_TRY(tacho_table_add_int(table, tacho_durations_percentile(&host->delays, 50)));
    TACHO_TRY(tacho_table_add_int(table, tacho_durations_percentile(&host->delays, 99)));
    TACHO_TRY(tacho_table_add_int(table, numbers[TACHO_FLEET_DELAY_MAX_NS]));
    TACHO_TRY(tacho_table_add_int(table, numbers[TACHO_FLEET_QUEUE_MAX]));
    TACHO_TRY(calls > 0 ? tacho_table_add_int(
                              table, tacho_fleet_cell_ns(tacho_mean(
                                         numbers[TACHO_FLEET_CALL_SUM_NS], (uint64_t)calls)))
                        : tacho_table_add_absent(table));
    TACHO_TRY(tacho_table_add_int(table, numbers[TACHO_FLEET_SHORT_COUNT]));
    return tacho_fleet_add_percent(table, (double)numbers[TACHO_FLEET_SHORT_COUNT], (double)calls);
}

static tacho_status add_hosts(host_list *list, size_t top, tacho_table *table,
                              tacho_table *launches)
{
    tacho_fleet_place *places = NULL;
    TACHO_TRY(tacho_items_make(&places, list->host_count));
    for (size_t i = 0; i < list->host_count; i++) {
        places[i] = (tacho_fleet_place){idle_share(list->hosts[i].numbers),
                                        tacho_fleet_key(&list->keys, i), i};
    }
    size_t shown = tacho_fleet_sort(places, list->host_count, top);
    tacho_status status = TACHO_OK;
    for (size_t i = 0; i < shown && status == TACHO_OK; i++) {
        host_sum *host = &list->hosts[places[i].index];
        status = add_host_who(host, table);
        status = status == TACHO_OK ? tacho_table_add_int(table, host->device_count) : status;
        status = status == TACHO_OK ? add_times(host->numbers, table) : status;
        status = status == TACHO_OK ? add_launches(host, launches) : status;
    }
    free(places);
    return status;
}

/* ---- devices ------------------------------------------------------------------------------- */

static tacho_status add_device_row(const tacho_fleet_view *view, size_t index, tacho_table *table)
{
    const tacho_fleet *fleet = view->fleet;
    tacho_str key = tacho_fleet_key(&fleet->device_keys, index);
    tacho_origin origin = (tacho_origin)(unsigned char)key.data[TACHO_FLEET_ID_BYTES];
    TACHO_TRY(tacho_fleet_add_who(view, tacho_fleet_get_id(key), table));
    TACHO_TRY(tacho_fleet_add_text(table, tacho_str_from(key, TACHO_FLEET_ID_BYTES + 1)));
    TACHO_TRY(tacho_table_add_text(table, tacho_str_from_cstring(tacho_origin_name(origin))));
    return add_times(fleet->devices[index].numbers, table);
}

static tacho_status add_devices(const tacho_fleet_view *view, size_t top, tacho_table *table)
{
    const tacho_fleet *fleet = view->fleet;
    tacho_fleet_place *places = NULL;
    TACHO_TRY(tacho_items_make(&places, fleet->device_count));
    for (size_t i = 0; i < fleet->device_count; i++) {
        places[i] = (tacho_fleet_place){idle_share(fleet->devices[i].numbers),
                                        tacho_fleet_key(&fleet->device_keys, i), i};
    }
    size_t shown = tacho_fleet_sort(places, fleet->device_count, top);
    tacho_status status = TACHO_OK;
    for (size_t i = 0; i < shown && status == TACHO_OK; i++) {
        status = add_device_row(view, places[i].index, table);
    }
    free(places);
    return status;
}

static tacho_status make_tables(const tacho_fleet_view *view, size_t top, host_list *list,
                                tacho_table tables[3])
{
    TACHO_TRY(tacho_strings_init(&list->keys));
    for (size_t i = 0; i < view->fleet->device_count; i++) {
        TACHO_TRY(add_device(view, i, list));
    }
    TACHO_TRY(add_hosts(list, top, &tables[0], &tables[2]));
    return add_devices(view, top, &tables[1]);
}

static tacho_status write_breakdown(const tacho_fleet_view *view,
                                    const tacho_fleet_options *options, const tacho_table_taker *to)
{
    host_list list = {.host_count = 0};
    tacho_table tables[3];
    tacho_table_init(&tables[0], "hosts", "Hosts, the idlest first", host_columns,
                     COUNT_OF(host_columns));
    tacho_table_init(&tables[1], "devices", "Devices, the idlest first", device_columns,
                     COUNT_OF(device_columns));
    tacho_table_init(&tables[2], "launches", "Launches by host", launch_columns,
                     COUNT_OF(launch_columns));
    tables[0].kept = tables[1].kept = kept;
    tacho_status status = make_tables(view, options->top, &list, tables);
    for (size_t i = 0; i < COUNT_OF(tables); i++) {
        status = tacho_table_hand_over(to, status, &tables[i]);
    }
    if (status == TACHO_OK) {
        tacho_fleet_say_more(options, list.host_count, "host");
        tacho_fleet_say_more(options, view->fleet->device_count, "device");
    }
    if (status == TACHO_OK && view->fleet->device_count == 0) {
        tacho_note(options->ops.notes, "note", "no work of devices was recorded");
    }
    host_list_deinit(&list);
    return status;
}

const tacho_fleet_question tacho_fleet_question_breakdown = {
    .name = "breakdown",
    .sections = TACHO_FLEET_DEVICES,
    .write = write_breakdown,
};
