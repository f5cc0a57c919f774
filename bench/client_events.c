/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a client's event costs, and how fast they can come. Run it under 'tacho profile', or
 * without.
 *
 *     client_events cost          ns of a clock read, a counter, and a zone (two clock reads),
 *                                 least of many batches, tab-separated
 *     client_events rate N S      N events a second for S seconds; how many that were
 */
#include <tacho/client.h>

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { BATCH = 1000, BATCHES = 2000, PAUSE_EVERY = 50, PAUSE_NS = 20000000, BURST = 300 };

static void pause_ns(long ns)
{
    const struct timespec time = {.tv_nsec = ns};
    nanosleep(&time, NULL);
}

static void read_clock(void)
{
    volatile uint64_t now = tacho_client_now();
    (void)now;
}

static void count(void)
{
    TACHO_COUNTER("count", "count", 1);
}

static void enter_zone(void)
{
    TACHO_ZONE("zone");
}

/* The least of many batches: what it costs where nobody disturbs. */
static double cost_of(void (*event)(void))
{
    uint64_t least = UINT64_MAX;
    for (int batch = 0; batch < BATCHES; batch++) {
        uint64_t start = tacho_client_now();
        for (int i = 0; i < BATCH; i++) {
            event();
        }
        uint64_t elapsed = tacho_client_now() - start;
        least = elapsed < least ? elapsed : least;
        if (batch % PAUSE_EVERY == 0) {
            pause_ns(PAUSE_NS); /* the collector reads what is there */
        }
    }
    return (double)least / BATCH;
}

static void show_costs(void)
{
    double clock_cost = cost_of(read_clock);
    double counter_cost = cost_of(count);
    printf("%.1f\t%.1f\t%.1f\n", clock_cost, counter_cost, cost_of(enter_zone));
}

/* Events in bursts, as many as are due. */
static void keep_rate(uint64_t per_second, uint64_t seconds)
{
    const uint64_t wanted = per_second * seconds;
    uint64_t start = tacho_client_now();
    uint64_t done = 0;
    while (done < wanted) {
        uint64_t due = (tacho_client_now() - start) * per_second / 1000000000;
        due = due < wanted ? due : wanted;
        uint64_t until = done + BURST < due ? done + BURST : due;
        for (; done < until; done++) {
            count();
        }
    }
    double elapsed = (double)(tacho_client_now() - start) / 1e9;
    printf("%" PRIu64 "\t%.3f\n", done, elapsed);
}

int main(int argc, char **argv)
{
    if (argc == 2 && strcmp(argv[1], "cost") == 0) {
        show_costs();
        return 0;
    }
    if (argc == 4 && strcmp(argv[1], "rate") == 0) {
        keep_rate(strtoull(argv[2], NULL, 10), strtoull(argv[3], NULL, 10));
        return 0;
    }
    fprintf(stderr, "usage: client_events cost | rate N SECONDS\n");
    return 2;
}
