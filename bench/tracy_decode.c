/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tracy_decode [ZONES]: how fast the bytes of a Tracy client become rows, on one core: a stream of
 * nested zones is composed, then decoded to rows that nobody takes. Prints zones per second of CPU
 * time for protocols 76 and 82.
 */
#include "capture/tracy_client_testing.h"
#include "capture/tracy_session.h"

#include <stdio.h>
#include <time.h>

enum { PLACES = 64, THREADS = 4, BLOCK_BYTES = 200 << 10, PIECE = 256 << 10 };

static uint64_t row_count;

static tacho_status count_row(tacho_events *events, const tacho_row *row)
{
    (void)events;
    (void)row;
    row_count++;
    return TACHO_OK;
}

static const tacho_events_vtable vtable = {.row = count_row};

static void answer(client *from)
{
    for (uint64_t i = 0; i < PLACES; i++) {
        client_answer_place(from, 0x9000 + i, 0, 0xa000, 12);
    }
    for (uint64_t i = 0; i < PLACES; i++) {
        client_answer_text(from, TACHO_TRACY_STRING_DATA, 0x9000 + i, "zone");
    }
    client_answer_text(from, TACHO_TRACY_STRING_DATA, 0xa000, "main.c");
    client_send(from);
}

static void compose(client *from, uint32_t protocol, uint64_t zones)
{
    int64_t ticks[THREADS] = {5000, 5000, 5000, 5000};
    client_init(from, protocol, false);
    for (uint64_t i = 0; i < zones;) {
        uint32_t thread = (uint32_t)(i / 1000 % THREADS);
        client_thread(from, 100 + thread);
        for (unsigned k = 0; k < 1000 && i < zones; k += 2, i += 2) {
            client_begin(from, ticks[thread], 0x5000 + 32 * (i % PLACES));
            client_begin(from, ticks[thread] + 90, 0x5000 + 32 * ((i + 7) % PLACES));
            client_end(from, ticks[thread] + 400);
            client_end(from, ticks[thread] + 500);
            ticks[thread] += 700;
        }
        if (i == 1000) {
            answer(from);
        }
        if (from->block_len > BLOCK_BYTES) {
            client_send(from);
        }
    }
    client_send(from);
}

static double decode(const client *from, tacho_dict *dict)
{
    tacho_events events = {.vtable = &vtable, .dict = dict};
    tacho_clock ns;
    uint32_t clock_id = 0;
    uint32_t part = 0;
    tacho_tracy_clock shared = {0};
    tacho_tracy_session *session = calloc(1, sizeof(*session));
    tacho_clock_init(&ns, 1, 1);
    tacho_status status = tacho_dict_add_clock(dict, &ns, TACHO_STR("ns"), &clock_id);
    const tacho_part_facts part_facts = {
        .path = TACHO_STR("p"), .format = TACHO_STR("tracy"), .clock = clock_id};
    status = tacho_status_first(status, tacho_dict_add_part(dict, &part_facts, &part));
    const tacho_tracy_session_facts facts = {.events = &events,
                                             .part = part,
                                             .group = TACHO_NONE,
                                             .protocol = from->protocol.number,
                                             .clock = &shared};
    status = tacho_status_first(status, tacho_tracy_session_init(session, &facts));
    clock_t start = clock();
    for (size_t at = 0; at < from->len; at += PIECE) {
        size_t rest = from->len - at;
        tacho_tracy_session_take(
            session, tacho_str_make((const char *)from->bytes + at, rest < PIECE ? rest : PIECE),
            NULL, NULL);
    }
    status = tacho_status_first(status, tacho_tracy_session_finish(session));
    double seconds = (double)(clock() - start) / CLOCKS_PER_SEC;
    tacho_tracy_session_deinit(session);
    free(session);
    if (status != TACHO_OK) {
        fprintf(stderr, "%s\n", tacho_status_message(status));
        exit(1);
    }
    return seconds;
}

int main(int argc, char **argv)
{
    static const uint32_t protocols[] = {76, 82};
    uint64_t zones = argc > 1 ? strtoull(argv[1], NULL, 10) : 4000000;
    for (size_t i = 0; i < sizeof(protocols) / sizeof(*protocols); i++) {
        client from;
        tacho_dict dict;
        row_count = 0;
        compose(&from, protocols[i], zones);
        tacho_status status = tacho_dict_init(&dict);
        if (status != TACHO_OK) {
            return 1;
        }
        double seconds = decode(&from, &dict);
        printf("protocol %u: %.2f M zones/s (%llu zones, %.1f MB)\n", protocols[i],
               (double)row_count / seconds / 1e6, (unsigned long long)row_count,
               (double)from.len / 1e6);
        tacho_dict_deinit(&dict);
        client_deinit(&from);
    }
    return 0;
}
