/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One sentence on what limits a device: the largest part of its span, if that is large enough.
 */
#include "questions/breakdown/breakdown_rules.h"

#include <stdarg.h>
#include <stdio.h>

/* In percent of the span. */
enum { LEAST_BOUND = 40, LEAST_IDLE = 50, LEAST_COMPUTE = 80 };

/* A factor above that needs its reason. */
enum { SPEED_MOST = 20, SPEED_BYTES = 128, TOP_OPS = 3, NAME_SHOWN = 60 };

/* The span of a device and its parts, which add up to it. */
typedef struct span_parts {
    double compute, communication, copies, idle; /* percent; the middle two exposed */
    double late;                                 /* of the span, host late */
    const char *period;                          /* the name of that span */
} span_parts;

/* "up to 2.8x" as fast without |ns| of the span. A recording that is nearly all idle shows only
 * that its work would take little time. */
static void print_speed_up(const tacho_device_facts *of, double ns, char text[SPEED_BYTES])
{
    double span = tacho_fact(of, TACHO_COL_SPAN_NS);
    double rest = span > ns ? span - ns : span;
    if (span <= SPEED_MOST * rest) {
        snprintf(text, SPEED_BYTES, "up to %.1fx", span / rest);
        return;
    }
    double steps = tacho_fact(of, TACHO_COL_STEP_COUNT);
    snprintf(text, SPEED_BYTES,
             "more than %dx (all but %.3f ms of %s is such idle time; the rest is all that the "
             "device does)",
             SPEED_MOST, rest / (steps > 1 ? steps : 1) / 1e6, tacho_fact_period(of));
}

TACHO_PRINTF(2, 3) static void say(char out_text[TACHO_VERDICT_ROOM], const char *format, ...)
{
    va_list values;
    va_start(values, format);
    vsnprintf(out_text, TACHO_VERDICT_ROOM, format, values);
    va_end(values);
}

/* Many short gaps are the cost of launches; in long ones the host does something else. */
static void say_host_bound(const tacho_device_facts *of, const span_parts *parts,
                           char out_text[TACHO_VERDICT_ROOM])
{
    double short_ns = tacho_fact(of, TACHO_COL_SHORT_LATE_NS);
    double long_ns = tacho_fact(of, TACHO_COL_LONG_LATE_NS);
    double late = TACHO_FACTS_PERCENT * parts->late / parts->idle;
    char speed[SPEED_BYTES];
    bool is_short = short_ns >= long_ns;
    print_speed_up(of, is_short ? (double)tacho_breakdown_launch_gain(of) : long_ns, speed);
    tacho_str device = tacho_fact_text(of, TACHO_COL_DEVICE);
    if (is_short) {
        say(out_text,
            "Host-bound: the %.*s is idle %.1f %% of %s, %.0f %% of it waiting for launches; "
            "merging launches (%s) can give %s.",
            TACHO_STR_ARG(device), parts->idle, parts->period, late, tacho_breakdown_graphs(of),
            speed);
    } else {
        say(out_text,
            "Host-bound: the %.*s is idle %.1f %% of %s, %.0f %% of it waiting for launches, "
            "mostly in gaps of 1 ms and longer; shortening them can give %s.",
            TACHO_STR_ARG(device), parts->idle, parts->period, late, speed);
    }
}

/* |what|: "Communication-bound: the GPU communicates"; |hideable|: what compute could hide. */
static void say_exposed(const tacho_device_facts *of, const char *what, double exposed,
                        double hideable_ns, char out_text[TACHO_VERDICT_ROOM])
{
    double hideable = TACHO_FACTS_PERCENT * hideable_ns / tacho_fact(of, TACHO_COL_SPAN_NS);
    if (2 * hideable >= exposed) {
        char speed[SPEED_BYTES];
        print_speed_up(of, hideable_ns, speed);
        say(out_text, "%s %.1f %% of %s while nothing computes; overlapping the two can give %s.",
            what, exposed, tacho_fact_period(of), speed);
    } else {
        say(out_text,
            "%s %.1f %% of %s while nothing computes; compute takes only %.1f %%, so no "
            "overlap can hide it.",
            what, exposed, tacho_fact_period(of), tacho_fact_share(of, TACHO_COL_COMPUTE_NS));
    }
}

static void say_communication_bound(const tacho_device_facts *of, const span_parts *parts,
                                    char out_text[TACHO_VERDICT_ROOM])
{
    char what[96];
    snprintf(what, sizeof(what), "Communication-bound: the %.*s communicates",
             TACHO_STR_ARG(tacho_fact_text(of, TACHO_COL_DEVICE)));
    say_exposed(of, what, parts->communication, tacho_fact(of, TACHO_COL_HIDEABLE_COMMUNICATION_NS),
                out_text);
}

static void say_transfer_bound(const tacho_device_facts *of, const span_parts *parts,
                               char out_text[TACHO_VERDICT_ROOM])
{
    char what[96];
    snprintf(what, sizeof(what), "Transfer-bound: the %.*s moves memory",
             TACHO_STR_ARG(tacho_fact_text(of, TACHO_COL_DEVICE)));
    say_exposed(of, what, parts->copies, tacho_fact(of, TACHO_COL_HIDEABLE_COPY_NS), out_text);
}

/* The gaps of an estimate are the cost of starting operators. */
static bool is_modelled(const tacho_device_facts *of)
{
    tacho_str origin = tacho_fact_text(of, TACHO_COL_ORIGIN);
    return tacho_str_equal(origin, TACHO_STR("estimated")) ||
           tacho_str_equal(origin, TACHO_STR("simulated"));
}

static void say_idle(const tacho_device_facts *of, const span_parts *parts,
                     char out_text[TACHO_VERDICT_ROOM])
{
    if (is_modelled(of)) {
        say(out_text,
            "Overhead-bound: the %.*s neither computes nor moves memory for %.1f %% of %s, in "
            "which operators are started; fewer or larger operators, or batches, help.",
            TACHO_STR_ARG(tacho_fact_text(of, TACHO_COL_DEVICE)), parts->idle, parts->period);
        return;
    }
    double queued = tacho_fact_share(of, TACHO_COL_QUEUED_NS);
    const char *why = ".";
    if (!tacho_facts_have_launches(of)) {
        why = "; the profile does not show why.";
    } else if (2 * queued >= parts->idle) {
        why = ", most of it with work in its queue.";
    }
    say(out_text, "Mostly idle: the %.*s does nothing for %.1f %% of %s%s",
        TACHO_STR_ARG(tacho_fact_text(of, TACHO_COL_DEVICE)), parts->idle, parts->period, why);
}

/* A copy of |name| that is short enough for a sentence: a kernel without its arguments. */
static int shown_length(tacho_str name)
{
    size_t len = 0;
    while (len < name.len && len < NAME_SHOWN && name.data[len] != '<' && name.data[len] != '(') {
        len++;
    }
    return (int)(len > 0 ? len : name.len < NAME_SHOWN ? name.len : NAME_SHOWN);
}

/* ", mostly aten::mm (41.2 %, product), ...": the operators that take most of it. */
static void add_top(const tacho_device_facts *of, char out_text[TACHO_VERDICT_ROOM])
{
    const tacho_op_sum *ops[TOP_OPS];
    size_t count =
        of->more != NULL ? tacho_work_patterns_top(&of->more->patterns, ops, TOP_OPS) : 0;
    for (size_t i = 0; i < count; i++) {
        const tacho_dict *dict = of->more->dict;
        tacho_str name = tacho_dict_string(dict, dict->sites[ops[i]->site].name);
        name = tacho_str_from(name, tacho_str_starts_with(name, TACHO_STR("void ")) ? 5 : 0);
        size_t len = strlen(out_text);
        snprintf(out_text + len, TACHO_VERDICT_ROOM - len, "%s%.*s (%.1f %%, %s)",
                 i == 0          ? ", mostly in "
                 : i + 1 < count ? ", "
                                 : " and ",
                 shown_length(name), name.data, tacho_fact_part(of, ops[i]->ns),
                 tacho_kernel_class_name(tacho_op_sum_class(ops[i])));
    }
}

/* Kernels may wait for memory while they run, so only engines can be bound by computing. */
static void say_compute_bound(const tacho_device_facts *of, const span_parts *parts,
                              char out_text[TACHO_VERDICT_ROOM])
{
    tacho_str level = tacho_fact_text(of, TACHO_COL_LEVEL);
    tacho_str device = tacho_fact_text(of, TACHO_COL_DEVICE);
    if (tacho_str_equal(level, TACHO_STR(TACHO_LEVEL_ENGINES))) {
        say(out_text,
            "Compute-bound: the %.*s computes %.1f %% of %s; fewer or cheaper operations help.",
            TACHO_STR_ARG(device), parts->compute, parts->period);
        return;
    }
    say(out_text, "Kernel-bound: the %.*s computes %.1f %% of %s", TACHO_STR_ARG(device),
        parts->compute, parts->period);
    add_top(of, out_text);
    size_t len = strlen(out_text);
    snprintf(out_text + len, TACHO_VERDICT_ROOM - len, ".");
}

static void say_parts(const tacho_device_facts *of, const span_parts *parts,
                      char out_text[TACHO_VERDICT_ROOM])
{
    char others[96] = "";
    if (parts->communication > 0) {
        snprintf(others, sizeof(others), ", only communicates %.1f %%", parts->communication);
    }
    if (parts->copies > 0) {
        size_t len = strlen(others);
        snprintf(others + len, sizeof(others) - len, ", only moves memory %.1f %%", parts->copies);
    }
    say(out_text, "No single limit: the %.*s computes %.1f %% of %s%s and is idle %.1f %%.",
        TACHO_STR_ARG(tacho_fact_text(of, TACHO_COL_DEVICE)), parts->compute, parts->period, others,
        parts->idle);
}

/* Adds the number of steps that the shares cover, and that warm-up is excluded. */
static void add_steps(const tacho_device_facts *of, char out_text[TACHO_VERDICT_ROOM])
{
    size_t len = strlen(out_text);
    double steps = tacho_fact(of, TACHO_COL_STEP_COUNT);
    double warm_up = tacho_fact(of, TACHO_COL_WARM_UP_COUNT);
    const char *word = strchr(tacho_fact_period(of), ' ') + 1; /* "step" */
    if (warm_up > 0) {
        snprintf(out_text + len, TACHO_VERDICT_ROOM - len,
                 " Average of %.0f %s%s; %.0f warm-up %s%s left out.", steps, word,
                 steps == 1 ? "" : "s", warm_up, word, warm_up == 1 ? "" : "s");
    } else if (steps > 1) {
        snprintf(out_text + len, TACHO_VERDICT_ROOM - len, " Average of %.0f %ss.", steps, word);
    }
}

/* Adds the gaps that no number includes. */
static void add_once(const tacho_device_facts *of, char out_text[TACHO_VERDICT_ROOM])
{
    size_t len = strlen(out_text);
    if (of->more == NULL || of->more->once.count == 0) {
        return;
    }
    const tacho_once_facts *once = &of->more->once;
    const char *more = once->count > 1 ? "the longest " : "";
    snprintf(out_text + len, TACHO_VERDICT_ROOM - len,
             " Not counted: %llu gap%s of %.3f ms that %s once (%sat %.3f ms, ",
             (unsigned long long)once->count, once->count > 1 ? "s" : "", (double)once->ns / 1e6,
             once->count > 1 ? "happen" : "happens", more, (double)once->start_ns / 1e6);
    len = strlen(out_text);
    if (once->deed.len > 0) {
        snprintf(out_text + len, TACHO_VERDICT_ROOM - len, "in %.*s).", shown_length(once->deed),
                 once->deed.data);
    } else {
        snprintf(out_text + len, TACHO_VERDICT_ROOM - len, "nothing recorded).");
    }
}

/* One stream without launches, copies and communication counts all its work as compute. */
static bool can_compare(const tacho_device_facts *of)
{
    return tacho_fact(of, TACHO_COL_STREAMS) > 1 || tacho_fact(of, TACHO_COL_LAUNCH_COUNT) > 0 ||
           tacho_fact(of, TACHO_COL_COPY_NS) > 0 || tacho_fact(of, TACHO_COL_COMMUNICATION_NS) > 0;
}

void tacho_breakdown_host_verdict(const tacho_dict *dict, const tacho_host_time *time,
                                  char out_text[TACHO_VERDICT_ROOM])
{
    const tacho_op_sum *ops[TOP_OPS];
    out_text[0] = '\0';
    if (time->operator_count < TACHO_FACTS_LEAST_WORK || time->busy_ns <= 0) {
        return;
    }
    size_t count = tacho_work_patterns_top(&time->calls, ops, TOP_OPS);
    say(out_text,
        "Host only: no device works in this recording of %.3f ms; of the calls on %zu thread%s, "
        "most time goes to",
        (double)(time->end_ns - time->start_ns) / 1e6, time->thread_count,
        time->thread_count == 1 ? "" : "s");
    for (size_t i = 0; i < count; i++) {
        tacho_str name = tacho_dict_string(dict, dict->sites[ops[i]->site].name);
        size_t len = strlen(out_text);
        snprintf(out_text + len, TACHO_VERDICT_ROOM - len, "%s %.*s (%.1f %%)",
                 i == 0          ? ""
                 : i + 1 < count ? ","
                                 : " and",
                 shown_length(name), name.data,
                 TACHO_FACTS_PERCENT * (double)ops[i]->ns / (double)time->busy_ns);
    }
    size_t len = strlen(out_text);
    snprintf(out_text + len, TACHO_VERDICT_ROOM - len, ".");
}

void tacho_breakdown_verdict(const tacho_device_facts *of, char out_text[TACHO_VERDICT_ROOM])
{
    const span_parts parts = {
        .compute = tacho_fact_share(of, TACHO_COL_COMPUTE_NS),
        .communication = tacho_fact_share(of, TACHO_COL_EXPOSED_COMMUNICATION_NS),
        .copies = tacho_fact_share(of, TACHO_COL_EXPOSED_COPY_NS),
        .idle = tacho_fact_share(of, TACHO_COL_IDLE_NS),
        .late = tacho_fact_share(of, TACHO_COL_HOST_LATE_NS),
        .period = tacho_fact_period(of),
    };
    out_text[0] = '\0';
    if (!tacho_facts_are_enough(of) || !tacho_facts_show_work(of) || !can_compare(of)) {
        return;
    }
    if (parts.late >= LEAST_BOUND && tacho_facts_have_launches(of)) {
        say_host_bound(of, &parts, out_text);
    } else if (parts.communication >= LEAST_BOUND && parts.communication >= parts.copies) {
        say_communication_bound(of, &parts, out_text);
    } else if (parts.copies >= LEAST_BOUND) {
        say_transfer_bound(of, &parts, out_text);
    } else if (parts.idle >= LEAST_IDLE) {
        say_idle(of, &parts, out_text);
    } else if (parts.compute >= LEAST_COMPUTE) {
        say_compute_bound(of, &parts, out_text);
    } else {
        say_parts(of, &parts, out_text);
    }
    add_steps(of, out_text);
    add_once(of, out_text);
}
