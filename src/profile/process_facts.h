/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How a capture records processes: spans of a category, on tracks of class phase, with arguments of
 * these names. The capture writes them, an analysis reads them.
 */
#ifndef TACHO_PROFILE_PROCESS_FACTS_H
#define TACHO_PROFILE_PROCESS_FACTS_H

#define TACHO_PROCESS_FORMAT "profile" /* of the part */
#define TACHO_CATEGORY_PROCESS "process"
#define TACHO_CATEGORY_THREAD "thread"

/* Arguments of the span that is a process: those that are not known are absent. */
#define TACHO_PROCESS_ARGS(X)                                                                      \
    X(PID, "pid")                                                                                  \
    X(PARENT, "parent_pid")                                                                        \
    X(COMMAND, "command")                                                                          \
    X(LAUNCHER, "launcher")                                                                        \
    X(RANK, "rank")                                                                                \
    X(CPU, "cpu_time")                                                                             \
    X(RSS, "max_rss")                                                                              \
    X(THREADS, "max_threads")                                                                      \
    X(STATUS, "exit_status")                                                                       \
    X(SIGNAL, "signal")

typedef enum tacho_process_arg {
#define TACHO_PROCESS_ARG_ENUM(id, name) TACHO_PROCESS_ARG_##id,
    TACHO_PROCESS_ARGS(TACHO_PROCESS_ARG_ENUM)
#undef TACHO_PROCESS_ARG_ENUM
        TACHO_PROCESS_ARG_COUNT,
} tacho_process_arg;

static inline const char *tacho_process_arg_name(tacho_process_arg arg)
{
    static const char *const names[] = {
#define TACHO_PROCESS_ARG_NAME(id, name) name,
        TACHO_PROCESS_ARGS(TACHO_PROCESS_ARG_NAME)
#undef TACHO_PROCESS_ARG_NAME
    };
    return names[arg];
}

#endif
