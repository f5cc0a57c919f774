/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Samples are found by binary search once they are sorted.
 */
#include "sources/tenstorrent/log_counters.h"

#include "base/grow.h"

#include <math.h>
#include <stdlib.h>

enum { COUNTER_BITS = 8, COUNTER_MASK = (1 << COUNTER_BITS) - 1 };
_Static_assert((int)TT_COUNTER_COUNT <= (int)COUNTER_MASK, "a counter fits its bits");

tacho_status tt_log_counters_init(tt_log_counters *counters)
{
    static const char *const names[TT_COUNTER_COUNT] = {
#define TT_COUNTER_NAME(name) #name,
        TT_COUNTERS(TT_COUNTER_NAME)
#undef TT_COUNTER_NAME
    };
    *counters = (tt_log_counters){.samples = NULL};
    TACHO_TRY(tacho_strings_init(&counters->names));
    for (size_t i = 0; i < TT_COUNTER_COUNT; i++) {
        uint32_t id = 0;
        TACHO_TRY(tacho_strings_ensure(&counters->names, tacho_str_from_cstring(names[i]), &id));
    }
    return TACHO_OK;
}

void tt_log_counters_deinit(tt_log_counters *counters)
{
    tacho_strings_deinit(&counters->names);
    free(counters->samples);
    free(counters->chips);
    counters->samples = NULL;
    counters->chips = NULL;
}

/* ---- rows ---------------------------------------------------------------------------------- */

static tacho_status ensure_chip(tt_log_counters *counters, uint32_t chip, tt_counter_chip **out)
{
    for (size_t i = 0; i < counters->chip_count; i++) {
        if (counters->chips[i].chip == chip) {
            *out = &counters->chips[i];
            return TACHO_OK;
        }
    }
    TACHO_TRY(tacho_grow(&counters->chips, &counters->chip_capacity, counters->chip_count + 1));
    *out = &counters->chips[counters->chip_count++];
    **out = (tt_counter_chip){.chip = chip};
    return TACHO_OK;
}

static bool find_number(tacho_str meta, const char *key, uint64_t *out_value)
{
    tacho_str text;
    return tt_log_meta_find(meta, key, &text) && tacho_str_parse_u64(text, out_value);
}

tacho_status tt_log_counters_add(tt_log_counters *counters, const tt_log_row *row, uint32_t core,
                                 uint32_t op, bool *out_is_good)
{
    tacho_str name;
    tt_sample sample = {.op = op};
    *out_is_good = tt_log_meta_find(row->meta, "counter type", &name) &&
                   find_number(row->meta, "value", &sample.value) &&
                   find_number(row->meta, "ref cnt", &sample.cycles) &&
                   core < UINT32_MAX >> COUNTER_BITS;
    if (!*out_is_good) {
        return TACHO_OK;
    }
    tt_counter_chip *chip = NULL;
    TACHO_TRY(ensure_chip(counters, row->chip, &chip));
    uint32_t known = tacho_strings_find(&counters->names, name);
    if (known == TACHO_NONE || known == 0) { /* a counter that columns do not need */
        return TACHO_OK;
    }
    uint32_t counter = known - 1;
    chip->has[counter] = true;
    chip->sums[counter] += sample.value;
    sample.where = core << COUNTER_BITS | counter;
    TACHO_TRY(
        tacho_grow(&counters->samples, &counters->sample_capacity, counters->sample_count + 1));
    counters->samples[counters->sample_count++] = sample;
    return TACHO_OK;
}

/* ---- end of the log ------------------------------------------------------------------------ */

static int compare_numbers(uint64_t left, uint64_t right)
{
    return left < right ? -1 : left > right;
}

static int compare_samples(const void *a, const void *b)
{
    const tt_sample *left = a;
    const tt_sample *right = b;
    int order = compare_numbers(left->op, right->op);
    order = order != 0 ? order : compare_numbers(left->where, right->where);
    order = order != 0 ? order : compare_numbers(left->value, right->value);
    return order != 0 ? order : compare_numbers(left->cycles, right->cycles);
}

/* Keeps one sample of each place. */
static void drop_repeated(tt_log_counters *counters, tt_losses *losses)
{
    size_t kept = 0;
    for (size_t i = 0; i < counters->sample_count; i++) {
        const tt_sample *sample = &counters->samples[i];
        const tt_sample *before = kept > 0 ? &counters->samples[kept - 1] : NULL;
        if (before != NULL && before->op == sample->op && before->where == sample->where) {
            tt_losses_add(losses, TT_LOSS_REPEATED_COUNTER, 0);
        } else {
            counters->samples[kept++] = *sample;
        }
    }
    counters->sample_count = kept;
}

static int compare_reals(const void *a, const void *b)
{
    double left = *(const double *)a;
    double right = *(const double *)b;
    return (left > right) - (left < right);
}

/*
 * On Blackhole, the grants of the first unpacker may count something else than its requests: then
 * most of them are a small part of the requests. |ratios| has room for one of each pair.
 */
static void match_grants(const tt_log_counters *counters, const tt_lanes *lanes,
                         tt_counter_chip *chip, double *ratios)
{
    _Static_assert((int)TT_L1_0_UNPACKER_0_GRANT == (int)TT_L1_0_UNPACKER_0 + 1,
                   "sorted side by side");
    static const double least = 0.1;
    size_t count = 0;
    for (size_t i = 0; i + 1 < counters->sample_count; i++) {
        const tt_sample *request = &counters->samples[i];
        const tt_sample *grant = request + 1;
        if ((request->where & COUNTER_MASK) == TT_L1_0_UNPACKER_0 && grant->op == request->op &&
            grant->where == request->where + 1 && request->value > 0 &&
            lanes->cores[request->where >> COUNTER_BITS].chip == chip->chip) {
            ratios[count++] = (double)grant->value / (double)request->value;
        }
    }
    if (count > 0) {
        qsort(ratios, count, sizeof(*ratios), compare_reals);
        chip->has_matching_grants = (ratios[(count - 1) / 2] + ratios[count / 2]) / 2 > least;
    }
}

tacho_status tt_log_counters_finish(tt_log_counters *counters, const tt_lanes *lanes,
                                    tt_losses *losses)
{
    if (counters->sample_count == 0) {
        return TACHO_OK;
    }
    double *ratios = NULL;
    qsort(counters->samples, counters->sample_count, sizeof(*counters->samples), compare_samples);
    drop_repeated(counters, losses);
    TACHO_TRY(tacho_items_make(&ratios, counters->sample_count));
    for (size_t i = 0; i < counters->chip_count; i++) {
        tt_counter_chip *chip = &counters->chips[i];
        if (chip->has[TT_L1_0_UNPACKER_0] && chip->has[TT_L1_0_UNPACKER_0_GRANT]) {
            match_grants(counters, lanes, chip, ratios);
        }
    }
    free(ratios);
    return TACHO_OK;
}

/* ---- lookup -------------------------------------------------------------------------------- */

const tt_counter_chip *tt_log_counters_chip(const tt_log_counters *counters, uint32_t chip)
{
    for (size_t i = 0; i < counters->chip_count; i++) {
        if (counters->chips[i].chip == chip) {
            return &counters->chips[i];
        }
    }
    return NULL;
}

/* The start of the samples of |op|, or the place where they would start. */
static size_t find_first(const tt_log_counters *counters, uint64_t op)
{
    size_t low = 0;
    size_t high = counters->sample_count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        bool is_before = counters->samples[middle].op < op;
        low = is_before ? middle + 1 : low;
        high = is_before ? high : middle;
    }
    return low;
}

void tt_log_counters_find(const tt_log_counters *counters, uint32_t op, size_t *out_first,
                          size_t *out_last)
{
    *out_first = find_first(counters, op);
    *out_last = find_first(counters, (uint64_t)op + 1);
}

size_t tt_log_counters_take_core(const tt_log_counters *counters, size_t first, size_t last,
                                 tt_core_counts *out_counts)
{
    uint32_t core = counters->samples[first].where >> COUNTER_BITS;
    for (size_t i = 0; i < TT_COUNTER_COUNT; i++) {
        out_counts->values[i] = out_counts->cycles[i] = (double)NAN;
    }
    for (; first < last && counters->samples[first].where >> COUNTER_BITS == core; first++) {
        const tt_sample *sample = &counters->samples[first];
        out_counts->values[sample->where & COUNTER_MASK] = (double)sample->value;
        out_counts->cycles[sample->where & COUNTER_MASK] = (double)sample->cycles;
    }
    return first;
}
