/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Tables of options: one per request. From them come command lines, help, man pages, completions
 * and the keyword arguments of Python. A new option is a row here and its use.
 */
#ifndef TACHO_API_REQUESTS_OPTIONS_H
#define TACHO_API_REQUESTS_OPTIONS_H

#include "api/requests/request.h"

#include <stddef.h>

/* Rows of a table of options; the help may be followed by what the option fills. */
#define TACHO_OPT_FLAG(name_, letter_, ...)                                                        \
    {                                                                                              \
        .name = name_, .letter = letter_, .help = __VA_ARGS__                                      \
    }
#define TACHO_OPT_OF(takes_, name_, letter_, value_, ...)                                          \
    {                                                                                              \
        .name = name_, .letter = letter_, .takes = takes_, .value = value_, .help = __VA_ARGS__    \
    }
#define TACHO_OPT_VALUE(...) TACHO_OPT_OF(TACHO_TAKES_ONE, __VA_ARGS__)
#define TACHO_OPT_EACH(...) TACHO_OPT_OF(TACHO_TAKES_EACH, __VA_ARGS__)
#define TACHO_OPT_LIST(...) TACHO_OPT_OF(TACHO_TAKES_LIST, __VA_ARGS__)

/* What an option fills: a |member| of the struct |type|. */
#define TACHO_INTO(kind_, type, member, least_, most_, words_)                                     \
    .fill = {.kind = TACHO_FILL_##kind_,                                                           \
             .offset = offsetof(type, member),                                                     \
             .size = sizeof(((type *)NULL)->member),                                               \
             .least = least_,                                                                      \
             .most = most_,                                                                        \
             .words = words_}
#define TACHO_INTO_FLAG(type, member) TACHO_INTO(FLAG, type, member, 0, 0, NULL)
#define TACHO_INTO_UNFLAG(type, member) TACHO_INTO(UNFLAG, type, member, 0, 0, NULL)
#define TACHO_INTO_TRUTH(type, member) TACHO_INTO(TRUTH, type, member, 0, 0, NULL)
#define TACHO_INTO_UNTRUTH(type, member) TACHO_INTO(UNTRUTH, type, member, 0, 0, NULL)
#define TACHO_INTO_TEXT(type, member) TACHO_INTO(TEXT, type, member, 0, 0, NULL)
#define TACHO_INTO_STRING(type, member) TACHO_INTO(STRING, type, member, 0, 0, NULL)
#define TACHO_INTO_NUMBER(type, member, least, most)                                               \
    TACHO_INTO(NUMBER, type, member, least, most, NULL)
#define TACHO_INTO_WORD(type, member) TACHO_INTO(WORD, type, member, 0, 0, NULL)
#define TACHO_INTO_WORDS(type, member, words) TACHO_INTO(WORD, type, member, 0, 0, words)

/* Options that several requests have. */
#define TACHO_OPTION_HELP TACHO_OPT_FLAG("help", 'h', "show this help", .is_front = true)
#define TACHO_OPTION_QUIET                                                                         \
    TACHO_OPT_FLAG("quiet", 'q', "no progress or summary; errors and losses are still shown",      \
                   .is_front = true)
#define TACHO_OPTION_VERBOSE                                                                       \
    TACHO_OPT_FLAG("verbose", 'v', "also show what was read, the elapsed time and the memory",     \
                   .is_front = true)
#define TACHO_OPTION_COLOR                                                                         \
    TACHO_OPT_VALUE("color", 0, "auto|always|never",                                               \
                    "colour headings and messages (default: auto, on terminals)",                  \
                    .is_front = true)
#define TACHO_OPTION_MEMORY                                                                        \
    TACHO_OPT_VALUE("memory", 0, "SIZE",                                                           \
                    "fail rather than hold more memory: 512M, 2G, none (default: TACHO_MEMORY in " \
                    "the environment, else a quarter of the computer's)",                          \
                    .is_front = true)
/* What every request has. */
#define TACHO_OPTIONS_COMMON                                                                       \
    TACHO_OPTION_QUIET, TACHO_OPTION_VERBOSE, TACHO_OPTION_COLOR, TACHO_OPTION_MEMORY,             \
        TACHO_OPTION_HELP
/* What every request that prints tables has; |others| are formats of its own: "|svg". */
#define TACHO_OPTIONS_TABLES_AND(others)                                                           \
    TACHO_OPT_VALUE(                                                                               \
        "format", 0, "text|csv|json|markdown|xlsx|parquet" others,                                 \
        "how to print the tables (default: as the output file's suffix says, else text)"),         \
        TACHO_OPT_FLAG("json", 0, "same as {format} json", .is_front = true),                      \
        TACHO_OPT_FLAG("csv", 0, "same as {format} csv", .is_front = true)
#define TACHO_OPTIONS_TABLES TACHO_OPTIONS_TABLES_AND("")
#define TACHO_OPTION_FROM                                                                          \
    TACHO_OPT_VALUE("from", 0, "FORMAT", "read every input as FORMAT instead of detecting it")
#define TACHO_OPTION_CLOCK                                                                         \
    TACHO_OPT_VALUE("clock-mhz", 0, "N", "frequency of cycle counts in MHz (default for Torq: 800)")
#define TACHO_OPTION_SLICES                                                                        \
    TACHO_OPT_VALUE("num-slices", 0, "N",                                                          \
                    "number of slices in T1 timelines, which do not name them (default: 2)")
#define TACHO_OPTION_PROGRAM                                                                       \
    TACHO_OPT_VALUE("program", 0, "FILE",                                                          \
                    "the compiled program that recorded the raw stats among the inputs")
#define TACHO_WINDOW_HELP                                                                          \
    "only events that overlap this time range, measured from the input's first event: 10us..2ms, " \
    "1s.., ..500; units are ns (default), us, ms, s; spans are kept whole"
#define TACHO_OPTION_WINDOW TACHO_OPT_VALUE("window", 0, "A..B", TACHO_WINDOW_HELP)
#define TACHO_OPTION_FILTER                                                                        \
    TACHO_OPT_VALUE(                                                                               \
        "filter", 0, "TEXT|/REGEX/",                                                               \
        "only events whose name or location contains TEXT, or matches the extended regular "       \
        "expression between slashes")
#define TACHO_NO_ADVICE_HELP "leave out the verdict and the advice"
#define TACHO_OPTION_NO_ADVICE TACHO_OPT_FLAG("no-advice", 0, TACHO_NO_ADVICE_HELP)
#define TACHO_OPTION_FORCE                                                                         \
    TACHO_OPT_FLAG("force", 0, "replace files that were not written by tacho, without a question", \
                   .is_front = true)
#define TACHO_OPTION_STRICT TACHO_OPT_FLAG("strict", 0, "fail if any record cannot be read")

#endif
