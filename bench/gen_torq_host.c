/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How a round comes about: a clock walks through the model once and notes each row with its time,
 * and how far it may be moved before it meets the next one.
 */
#include "gen_torq_host.h"

#include "gen.h"

enum {
    DISPATCH_COUNT = 24,
    ACTION_KINDS = 7,
    REPEATS_MAX = 6, /* of all kinds of actions in one dispatch */
    ROUND_ROWS_MAX = DISPATCH_COUNT * (2 * ACTION_KINDS * REPEATS_MAX + 32),
    INIT_ROWS_MAX = DISPATCH_COUNT * 16,
    DISPATCHES_PER_COPY = 3, /* of so many dispatches one is preceded by a copy */
    STREAM_TIME = 5,
    STREAM_ACTIONS = 6,
};

static const uint64_t FIRST_US = UINT64_C(81234567000); /* a steady clock, 22 hours after boot */

/* The scopes of the HAL follow the dispatches in the numbers of names. */
static const char *const SCOPES[] = {
    "__HAL_QUEUE_EXECUTE__",
    "__HAL_COMMAND_BUFFER_COPY_BUFFER__",
    "__HAL_COMMAND_BUFFER_DISPATCH__",
};

enum {
    SCOPE_QUEUE = DISPATCH_COUNT,
    SCOPE_COPY,
    SCOPE_DISPATCH,
};

static const char *const INIT_PHASES[] = {
    "INIT_PREPARE_OUTPUT_DIRS", "INIT_COMPUTE_XRAM_FOOTPRINT", "INIT_HW_OPEN",
    "INIT_CLEAR_MEMORY",        "INIT_LOAD_CODE_SEGMENTS",     "INIT_LOAD_HOST_CODE",
};

/*
 * Actions come in this order, over and over, so that each start has its wait; |spread_us| 0 is an
 * action that is over at once.
 */
static const struct {
    const char *event;
    uint32_t spread_us;
} ACTIONS[ACTION_KINDS] = {
    {"ALLOC", 2},      {"HOST_COPY", 100}, {"NSS_START", 3}, {"NSS_WAIT", 500},
    {"HOST_START", 3}, {"HOST_WAIT", 60},  {"DEALLOC", 0},
};

struct row {
    const char *event;
    uint32_t name;
    uint32_t invocation; /* of its round */
    int32_t action;
    uint32_t time_us; /* in its round */
    uint32_t slack_us;
    bool is_end;
};

/* The rows of one dispatch, all rounds: in the file from |first_row| on. */
struct group {
    uint64_t first_row;
    uint32_t first, count; /* in the round */
};

struct host {
    uint64_t seed;
    uint64_t round_count;
    struct row init[INIT_ROWS_MAX];
    struct row round[ROUND_ROWS_MAX];
    struct group groups[DISPATCH_COUNT];
    uint32_t init_count, round_rows;
    uint32_t init_us, round_us;
    uint32_t init_invocations, round_invocations;
    bool is_r2i;
};

/* ---- making a round -------------------------------------------------------------------------- */

/* Where the walk is. Rows go to |rows|. */
struct walk {
    struct row *rows;
    uint32_t count;
    uint32_t time_us;
    uint32_t next_invocation;
};

/* Notes a row; the next one comes |gap_us| later, or at the same time. */
static void walk_add(struct walk *walk, struct row row, uint32_t gap_us)
{
    row.time_us = walk->time_us;
    row.slack_us = gap_us > 1 ? gap_us - 1 : 0;
    walk->rows[walk->count++] = row;
    walk->time_us += gap_us;
}

static void walk_begin(struct walk *walk, struct row *row, const char *event)
{
    row->event = event;
    row->is_end = false;
    walk_add(walk, *row, 1);
}

static void walk_end(struct walk *walk, struct row *row, const char *event)
{
    row->event = event;
    row->is_end = true;
    walk_add(walk, *row, 1);
}

static void walk_both(struct walk *walk, struct row *row, const char *event, uint32_t length_us)
{
    row->event = event;
    row->is_end = false;
    walk_add(walk, *row, length_us);
    walk_end(walk, row, event);
}

static struct row walk_open(struct walk *walk, uint32_t name)
{
    return (struct row){.name = name, .invocation = walk->next_invocation++, .action = -1};
}

static void walk_init(struct walk *walk)
{
    for (uint32_t i = 0; i < DISPATCH_COUNT; ++i) {
        struct row row = walk_open(walk, i);
        walk_begin(walk, &row, "INIT");
        for (uint32_t j = 0; j < sizeof INIT_PHASES / sizeof INIT_PHASES[0]; ++j)
            walk_both(walk, &row, INIT_PHASES[j], 40 + 10 * j);
        walk_end(walk, &row, "INIT");
    }
}

static void walk_actions(struct walk *walk, struct row row, uint64_t seed)
{
    const uint64_t random = draw(seed, STREAM_ACTIONS, row.name);
    const uint32_t count = ACTION_KINDS * (1 + (uint32_t)(random % REPEATS_MAX));
    for (uint32_t i = 0; i < count; ++i) {
        const uint32_t spread_us = ACTIONS[i % ACTION_KINDS].spread_us;
        const uint64_t length = spread_us != 0 ? 1 + (random >> (i % 32)) % spread_us : 0;
        row.action = (int32_t)i;
        walk_both(walk, &row, ACTIONS[i % ACTION_KINDS].event, (uint32_t)length);
    }
}

static void walk_dispatch(struct walk *walk, uint32_t number, uint64_t seed, bool has_phases)
{
    struct row row = walk_open(walk, number);
    walk_begin(walk, &row, "DISPATCH");
    if (has_phases) {
        walk_both(walk, &row, "INIT_PREPARE_OUTPUT_DIRS", 1);
        walk_both(walk, &row, "DISPATCH_ACQUIRE_HW_RESOURCES", 4);
        walk_both(walk, &row, "DISPATCH_SYNC_BINDINGS_IN", 20);
        walk_begin(walk, &row, "DISPATCH_EXECUTE_ACTIONS");
    }
    walk_actions(walk, row, seed);
    if (has_phases) {
        walk_end(walk, &row, "DISPATCH_EXECUTE_ACTIONS");
        walk_both(walk, &row, "DISPATCH_SYNC_BINDINGS_OUT", 20);
        walk_both(walk, &row, "DISPATCH_RELEASE_HW_RESOURCES", 3);
    }
    walk_end(walk, &row, "DISPATCH");
}

/* A dispatch inside the calls of the HAL that lead to it. */
static void walk_execute(struct walk *walk, uint32_t number, uint64_t seed)
{
    struct row queue = walk_open(walk, SCOPE_QUEUE);
    walk_begin(walk, &queue, "HAL_CALL");
    walk_both(walk, &queue, "HAL_QUEUE_WAIT", 5);
    walk_begin(walk, &queue, "HAL_QUEUE_APPLY_DEFERRED");
    if (number % DISPATCHES_PER_COPY == 0) {
        struct row copy = walk_open(walk, SCOPE_COPY);
        walk_begin(walk, &copy, "HAL_CALL");
        walk_both(walk, &copy, "HAL_COMMAND_BUFFER_COPY_BUFFER", 30);
        walk_end(walk, &copy, "HAL_CALL");
    }
    struct row call = walk_open(walk, SCOPE_DISPATCH);
    walk_begin(walk, &call, "HAL_CALL");
    walk_dispatch(walk, number, seed, true);
    walk_end(walk, &call, "HAL_CALL");
    walk_end(walk, &queue, "HAL_QUEUE_APPLY_DEFERRED");
    walk_both(walk, &queue, "HAL_QUEUE_SIGNAL", 2);
    walk_end(walk, &queue, "HAL_CALL");
}

static void make_init(struct host *host)
{
    struct walk walk = {.rows = host->init};
    walk_init(&walk);
    host->init_count = walk.count;
    host->init_us = walk.time_us;
    host->init_invocations = walk.next_invocation;
}

static void make_round(struct host *host)
{
    struct walk walk = {.rows = host->round};
    for (uint32_t i = 0; i < DISPATCH_COUNT; ++i) {
        host->groups[i].first = walk.count;
        if (host->is_r2i)
            walk_execute(&walk, i, host->seed);
        else
            walk_dispatch(&walk, i, host->seed, false);
        host->groups[i].count = walk.count - host->groups[i].first;
    }
    host->round_rows = walk.count;
    host->round_us = walk.time_us + 50;
    host->round_invocations = walk.next_invocation;
}

struct host *host_create(bool is_r2i, uint64_t rows, uint64_t seed)
{
    struct host *host = calloc(1, sizeof *host);
    if (host == NULL)
        return NULL;
    host->seed = seed;
    host->is_r2i = is_r2i;
    if (is_r2i)
        make_init(host);
    make_round(host);
    const uint64_t rest = rows > host->init_count ? rows - host->init_count : 1;
    host->round_count = (rest + host->round_rows - 1) / host->round_rows;
    uint64_t first_row = 0;
    for (uint32_t i = 0; i < DISPATCH_COUNT; ++i) {
        host->groups[i].first_row = first_row;
        first_row += host->groups[i].count * host->round_count;
    }
    return host;
}

void host_destroy(struct host *host)
{
    free(host);
}

uint64_t host_row_count(const struct host *host)
{
    return host->init_count + host->round_rows * host->round_count;
}

/* ---- rows ------------------------------------------------------------------------------------ */

static const struct row *find_grouped(const struct host *host, uint64_t number, uint64_t *out_round)
{
    uint32_t i = DISPATCH_COUNT - 1;
    while (host->groups[i].first_row > number)
        --i;
    const struct group *group = &host->groups[i];
    *out_round = (number - group->first_row) / group->count;
    return &host->round[group->first + (number - group->first_row) % group->count];
}

static char *put_name(char *at, uint32_t name)
{
    if (name >= DISPATCH_COUNT)
        return put_text(at, SCOPES[name - DISPATCH_COUNT]);
    return put_number(put_text(at, "main$async_dispatch_"), name);
}

char *host_put_row(const struct host *host, uint64_t number, char *at)
{
    const uint64_t random = draw(host->seed, STREAM_TIME, number);
    const bool is_init = number < host->init_count;
    uint64_t round = 0;
    uint64_t time_us = FIRST_US;
    uint64_t invocation = 0;
    const struct row *row = &host->init[is_init ? number : 0];
    if (!is_init) {
        number -= host->init_count;
        round = number / host->round_rows;
        row = host->is_r2i ? &host->round[number % host->round_rows]
                           : find_grouped(host, number, &round);
        time_us += host->init_us + round * host->round_us;
        invocation = host->init_invocations + round * host->round_invocations;
    }
    at = put_name(at, row->name);
    at = put_number(put_char(at, ','), invocation + row->invocation);
    at = put_char(at, ',');
    at = row->action < 0 ? put_text(at, "-1") : put_number(at, (uint64_t)row->action);
    at = put_number(put_char(at, ','), time_us + row->time_us + random % (row->slack_us + 1));
    at = put_text(put_char(at, ','), row->event);
    return put_text(at, row->is_end ? "_END\n" : "_BEGIN\n");
}
