/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Hardware counter events, in words that hold for any machine. A machine description gives each of
 * its counters one of these words; programs and stats carry it beside the vendor's code, so that
 * readers need not know the codes of a machine. A core's cycles are counted apart from those of its
 * threads: a cycle in which several threads are active counts once for the core and once for each
 * of these threads.
 */
#ifndef TACHO_BASE_EVENT_H
#define TACHO_BASE_EVENT_H

#include <stddef.h>

/* One row per event: name and word. Related events are in order of threads or sizes. */
#define TACHO_EVENTS(X)                                                                            \
    X(OTHER, "other")                                                                              \
    X(PACKETS, "packets")                                                                          \
    X(RUNNING_1, "threads_running_1")                                                              \
    X(RUNNING_2, "threads_running_2")                                                              \
    X(RUNNING_3, "threads_running_3")                                                              \
    X(RUNNING_4, "threads_running_4")                                                              \
    X(RUNNING_5, "threads_running_5")                                                              \
    X(RUNNING_6, "threads_running_6")                                                              \
    X(READS, "bus_reads")                                                                          \
    X(READS_32, "bus_reads_32")                                                                    \
    X(READS_64, "bus_reads_64")                                                                    \
    X(READS_128, "bus_reads_128")                                                                  \
    X(READS_256, "bus_reads_256")                                                                  \
    X(WRITES, "bus_writes")                                                                        \
    X(WRITES_32, "bus_writes_32")                                                                  \
    X(WRITES_64, "bus_writes_64")                                                                  \
    X(WRITES_128, "bus_writes_128")                                                                \
    X(WRITES_256, "bus_writes_256")                                                                \
    X(VECTOR, "vector_active")                                                                     \
    X(COMPUTE, "compute_active")                                                                   \
    X(MACS, "compute_macs")                                                                        \
    X(MACS_FIXED, "compute_macs_fixed")                                                            \
    X(MACS_FLOAT, "compute_macs_float")                                                            \
    X(DMA, "dma_active")                                                                           \
    X(COMPUTE_CLOCKS, "compute_clocks")

typedef enum tacho_event {
#define TACHO_EVENT_ENUM(name, word) TACHO_EVENT_##name,
    TACHO_EVENTS(TACHO_EVENT_ENUM)
#undef TACHO_EVENT_ENUM
        TACHO_EVENT_COUNT
} tacho_event;

/* The word of an event, or NULL after the last. */
static inline const char *tacho_event_word(unsigned event)
{
    static const char *const words[] = {
#define TACHO_EVENT_WORD(name, word) word,
        TACHO_EVENTS(TACHO_EVENT_WORD)
#undef TACHO_EVENT_WORD
    };
    return event < TACHO_EVENT_COUNT ? words[event] : NULL;
}

#endif
