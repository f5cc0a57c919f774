/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The story of a subject: that of its device, or of all its inferences but warm-up.
 */
#include "questions/breakdown/breakdown_more.h"

#include "base/grow.h"
#include "base/whole.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

/* Tensor cores come with CUDA's compute capability 7, matrix cores with gfx908 of AMD. */
enum { LEAST_MAJOR = 7, ADVICE_BYTES = 512, NS_LATE_PERCENT = 40 };

/* ---- making -------------------------------------------------------------------------------- */

static bool is_capability(tacho_str key)
{
    return tacho_str_starts_with(key, TACHO_STR("chrome.deviceProperties.")) &&
           tacho_str_ends_with(key, TACHO_STR(".computeMajor"));
}

static bool names_matrix_units(const tacho_dict *dict)
{
    for (size_t i = 0; i < dict->metadata_count; i++) {
        uint64_t major = 0;
        if (is_capability(tacho_dict_string(dict, dict->metadata[i].key)) &&
            tacho_str_parse_u64(tacho_dict_string(dict, dict->metadata[i].value), &major)) {
            return major >= LEAST_MAJOR;
        }
    }
    return false;
}

static tacho_status add_patterns(const tacho_breakdown_gather *gather,
                                 const tacho_breakdown_device *device, tacho_device_more *more)
{
    bool is_steady = tacho_breakdown_steady(gather, device) != NULL;
    const tacho_device_story *story = &device->story;
    TACHO_TRY(tacho_work_patterns_merge(&more->patterns, is_steady ? &story->steady : &story->all));
    if (device->part >= gather->host_count) {
        return TACHO_OK;
    }
    const tacho_host_story *host = &gather->hosts[device->part];
    return tacho_work_patterns_merge(&more->patterns, is_steady ? &host->steady : &host->all);
}

static bool is_long_and_late(const tacho_breakdown_gap *gap)
{
    return gap->gap.cause == TACHO_IDLE_HOST_LATE && !gap->is_once && gap->steady_ns > 0 &&
           gap->gap.end_ns - gap->gap.start_ns >= TACHO_LONG_GAP_NS;
}

/* The gaps with the deed of |gap|. */
static tacho_gap_facts sum_deed(const tacho_device_story *story, const tacho_breakdown_gap *gap)
{
    tacho_gap_facts facts = {.has_deed = true, .start_ns = gap->gap.start_ns};
    uint64_t at_step_count = 0;
    for (size_t i = 0; i < story->gap_count; i++) {
        const tacho_breakdown_gap *other = &story->gaps[i];
        facts.all_ns += is_long_and_late(other) ? other->steady_ns : 0;
        if (is_long_and_late(other) && other->deed.site == gap->deed.site) {
            facts.count++;
            facts.ns += other->steady_ns;
            at_step_count += other->is_at_step ? 1 : 0;
        }
    }
    facts.is_at_step = 2 * at_step_count > facts.count;
    return facts;
}

static void find_gaps(const tacho_dict *dict, const tacho_device_story *story,
                      tacho_device_more *more)
{
    for (size_t i = 0; i < story->gap_count; i++) {
        const tacho_breakdown_gap *gap = &story->gaps[i];
        if (!is_long_and_late(gap)) {
            continue;
        }
        tacho_gap_facts facts = sum_deed(story, gap);
        if (facts.ns > more->gaps.ns) {
            facts.deed = gap->deed.site == TACHO_NONE
                             ? TACHO_STR("")
                             : tacho_dict_string(dict, dict->sites[gap->deed.site].name);
            more->gaps = facts;
        }
    }
}

static void find_once(const tacho_dict *dict, const tacho_device_story *story,
                      tacho_device_more *more)
{
    for (size_t i = 0; i < story->gap_count; i++) {
        const tacho_breakdown_gap *gap = &story->gaps[i];
        if (!gap->is_once) {
            continue;
        }
        if (more->once.count++ == 0) {
            more->once.longest_ns = gap->steady_ns;
            more->once.start_ns = gap->gap.start_ns;
            more->once.deed = gap->deed.site == TACHO_NONE
                                  ? TACHO_STR("")
                                  : tacho_dict_string(dict, dict->sites[gap->deed.site].name);
        }
        more->once.ns += gap->steady_ns;
    }
}

static tacho_status make_more(const tacho_breakdown_gather *gather,
                              const tacho_breakdown_subject *subject, tacho_device_more *more)
{
    const tacho_dict *dict = gather->events.dict;
    more->dict = dict;
    for (size_t i = subject->warm_up_count; i < subject->count; i++) {
        TACHO_TRY(add_patterns(gather, tacho_breakdown_subject_device(gather, subject, i), more));
    }
    const tacho_device_story *story = &gather->devices[subject->first].story;
    more->has_matrix_units =
        names_matrix_units(dict) || more->patterns.sums[TACHO_PATTERN_HALF].count > 0;
    if (subject->count == 1) {
        find_gaps(dict, story, more);
        find_once(dict, story, more);
    }
    return TACHO_OK;
}

tacho_status tacho_device_more_make(const tacho_breakdown_gather *gather,
                                    const tacho_breakdown_subject *subjects, size_t count,
                                    tacho_device_more **out_more)
{
    TACHO_TRY(tacho_items_make(out_more, count));
    for (size_t i = 0; i < count; i++) {
        TACHO_TRY(make_more(gather, &subjects[i], &(*out_more)[i]));
    }
    return TACHO_OK;
}

void tacho_device_more_free(tacho_device_more *more, size_t count)
{
    for (size_t i = 0; i < count && more != NULL; i++) {
        tacho_work_patterns_deinit(&more[i].patterns);
    }
    free(more);
}

/* ---- for rules ----------------------------------------------------------------------------- */

tacho_pattern_sum tacho_fact_pattern(const tacho_device_facts *of, tacho_pattern pattern)
{
    tacho_str level = tacho_fact_text(of, TACHO_COL_LEVEL);
    bool is_known = of->more != NULL && tacho_str_equal(level, TACHO_STR(TACHO_LEVEL_KERNELS));
    return is_known ? of->more->patterns.sums[pattern] : (tacho_pattern_sum){0};
}

bool tacho_facts_are_busy(const tacho_device_facts *of)
{
    return !tacho_facts_have_launches(of) ||
           tacho_fact_share(of, TACHO_COL_HOST_LATE_NS) < NS_LATE_PERCENT;
}

int64_t tacho_facts_gain_of_pieces(const tacho_device_facts *of, uint64_t count, int64_t ns)
{
    double late_ns = tacho_fact(of, TACHO_COL_LONG_LATE_NS);
    double each_ns =
        (tacho_fact(of, TACHO_COL_SPAN_NS) - late_ns) / tacho_fact(of, TACHO_COL_COUNT);
    double short_ns = tacho_fact(of, TACHO_COL_SHORT_LATE_NS);
    double gain_ns = each_ns * (double)count < short_ns ? each_ns * (double)count : short_ns;
    return tacho_facts_are_busy(of) ? ns : tacho_whole_i64(gain_ns);
}

bool tacho_facts_explain_copies(const tacho_device_facts *of)
{
    int64_t known_ns = tacho_fact_pattern(of, TACHO_PATTERN_COPY_PAGED).ns +
                       tacho_fact_pattern(of, TACHO_PATTERN_COPY_WITHIN).ns;
    return 2 * (double)known_ns >= tacho_fact(of, TACHO_COL_COPY_NS);
}

double tacho_fact_part(const tacho_device_facts *of, int64_t ns)
{
    double span_ns = tacho_fact(of, TACHO_COL_SPAN_NS);
    return span_ns > 0 ? TACHO_FACTS_PERCENT * (double)ns / span_ns : 0;
}

double tacho_fact_each(const tacho_device_facts *of, uint64_t count)
{
    double steps = tacho_fact(of, TACHO_COL_STEP_COUNT);
    return steps > 1 ? (double)count / steps : (double)count;
}

int64_t tacho_facts_least(int64_t ns, double limit_ns)
{
    return (double)ns < limit_ns ? ns : tacho_whole_i64(limit_ns);
}

tacho_status tacho_facts_add_finding(const tacho_device_facts *of, tacho_findings *findings,
                                     int64_t gain_ns, int64_t start_ns, const char *format, ...)
{
    char text[ADVICE_BYTES];
    va_list values;
    va_start(values, format);
    vsnprintf(text, sizeof(text), format, values);
    va_end(values);
    findings->gain_ns = gain_ns;
    findings->has_start = true;
    findings->start_ns = start_ns;
    return tacho_findings_add(findings, of->row, "%s", text);
}
