/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Clocks of Perfetto traces: snapshots relate them, each sequence may have its own, and times on
 * unrelated clocks are lost.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "sources/perfetto/perfetto_source_testing.h"

static void timed(uint64_t sequence, uint64_t clock, uint64_t time)
{
    packet(sequence);
    number(PF_PACKET_TIMESTAMP, time);
    if (clock != 0) {
        number(PF_PACKET_CLOCK_ID, clock);
    }
    begin(PF_PACKET_TRACK_EVENT);
    number(PF_EVENT_TYPE, PF_TYPE_INSTANT);
    end_event();
}

static void test_clocks(void **state)
{
    (void)state;
    start();
    timed(1, 0, 5);
    timed(1, PF_CLOCK_BOOTTIME, 6);
    timed(1, 3, 7); /* the snapshot follows later */
    timed(1, 4, 7); /* lost: no snapshot relates it */
    packet(1);
    begin(PF_PACKET_CLOCK_SNAPSHOT);
    clock_value(PF_CLOCK_BOOTTIME, 1000, 0, false);
    clock_value(3, 100, 0, false);
    end();
    end();
    timed(1, 3, 110);
    timed(1, 3, 90);
    packet(1);
    begin(PF_PACKET_CLOCK_SNAPSHOT);
    clock_value(PF_CLOCK_BOOTTIME, 3000, 0, false);
    clock_value(3, 2000, 0, false);
    end();
    end();
    timed(1, 3, 1999); /* before the second: by the first */
    timed(1, 3, 2001);
    packet(1);
    begin(PF_PACKET_CLOCK_SNAPSHOT);
    clock_value(3, 2000, 0, false);
    clock_value(200, 7, 0, false);
    end();
    end();
    timed(1, 200, 8); /* through clock 3 */
    check_out_of_order("Default|5|5|||instant\nDefault|6|6|||instant\nDefault|907|907|||"
                       "instant\nDefault|990|990|||instant\n"
                       "Default|1010|1010|||instant\nDefault|2899|2899|||instant\n"
                       "Default|3001|3001|||instant\nDefault|3001|3001|||instant\n"
                       "lost unknown_clock 1 byte 36\n");
}

/* An offset between clocks ends at the next snapshot, even one that is read later. */
static void test_later_snapshot(void **state)
{
    (void)state;
    start();
    for (uint64_t i = 1; i <= 3; i++) {
        packet(1);
        begin(PF_PACKET_CLOCK_SNAPSHOT);
        clock_value(PF_CLOCK_BOOTTIME, 1000 * i, 0, false);
        clock_value(3, 100 * i, 0, false);
        end();
        end();
        timed(1, 3, 100 * i + 1);
        timed(1, 3, 100 * i + 2);
    }
    check("Default|1001|1001|||instant\nDefault|1002|1002|||instant\n"
          "Default|2001|2001|||instant\nDefault|2002|2002|||instant\n"
          "Default|3001|3001|||instant\nDefault|3002|3002|||instant\n");
}

static void test_private_clocks(void **state)
{
    (void)state;
    start();
    for (uint64_t sequence = 1; sequence <= 2; sequence++) {
        packet(sequence);
        number(PF_PACKET_SEQUENCE_FLAGS, 1);
        begin(PF_PACKET_DEFAULTS);
        number(PF_DEFAULTS_CLOCK_ID, 64);
        end();
        begin(PF_PACKET_CLOCK_SNAPSHOT);
        clock_value(PF_CLOCK_BOOTTIME, 1000 * sequence, 0, false);
        clock_value(64, 10, 5, true);
        end();
        end();
    }
    timed(1, 0, 2);            /* 1000 + 10 */
    timed(2, 0, 3);            /* 2000 + 15 */
    timed(1, 0, 1);            /* 1000 + 15 */
    timed(1, 0, (uint64_t)-1); /* back again */
    packet(1);
    number(PF_PACKET_TIMESTAMP, 100); /* no event, but time goes on */
    end();
    timed(1, 0, 0);
    timed(1, PF_CLOCK_BOOTTIME, 42);
    timed(3, 64, 1); /* lost: another sequence's */
    packet(1);
    number(PF_PACKET_SEQUENCE_FLAGS, 1);
    end();
    timed(1, 64, 1); /* lost: the clock starts afresh */
    check("Default|42|42|||instant\nDefault|1010|1010|||instant\nDefault|1010|1010|||instant\n"
          "Default|1015|1015|||instant\nDefault|1510|1510|||instant\n"
          "Default|2015|2015|||instant\n"
          "lost unknown_clock 2 byte 140\n");
}

static void test_primary_clock(void **state)
{
    (void)state;
    start();
    packet(1);
    begin(PF_PACKET_CLOCK_SNAPSHOT);
    clock_value(PF_CLOCK_BOOTTIME, 1000, 0, false);
    clock_value(3, 100, 0, false);
    number(PF_SNAPSHOT_PRIMARY, 3);
    end();
    end();
    timed(1, PF_CLOCK_BOOTTIME, 1010);
    timed(1, 3, 120);
    timed(1, PF_CLOCK_BOOTTIME, 10); /* lost: before zero */
    timed(1, 0, 1ULL << 63);         /* lost: too large */
    event(7, PF_TYPE_INSTANT, 0);
    end_event();
    packet(1); /* lost: no time */
    begin(PF_PACKET_TRACK_EVENT);
    number(PF_EVENT_TYPE, PF_TYPE_INSTANT);
    end_event();
    check("Default|7|7|||instant\nDefault|110|110|||instant\nDefault|120|120|||instant\n"
          "lost negative_time 1 byte 48\nlost time_overflow 1 byte 61\n"
          "lost missing_field 1 byte 90\n");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_clocks),
        cmocka_unit_test(test_later_snapshot),
        cmocka_unit_test(test_private_clocks),
        cmocka_unit_test(test_primary_clock),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
