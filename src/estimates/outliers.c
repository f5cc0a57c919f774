/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The ratio of measured to estimated time, in logarithms, is compared with the median of all
 * operators. Far means four times the usual distance from it, and at least a factor of three.
 */
#include "estimates/outliers.h"

#include "base/grow.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { COUNT_MIN = 4, NAMED_MAX = 3 };

typedef struct ratio {
    const tacho_run_compared *item;
    double log; /* of measured over estimated */
} ratio;

static double distance(double value, double from)
{
    return fabs(value - from);
}

static int compare_logs(const void *left, const void *right)
{
    double a = ((const ratio *)left)->log, b = ((const ratio *)right)->log;
    return a < b ? -1 : a > b;
}

/* The median; sorts |ratios|. */
static double median_of(ratio *ratios, size_t count)
{
    qsort(ratios, count, sizeof(*ratios), compare_logs);
    return (ratios[(count - 1) / 2].log + ratios[count / 2].log) / 2;
}

/* Operators that have both times, and are not small. */
static size_t collect(const tacho_run_compare *compare, ratio *ratios)
{
    double estimated = 0, taken = 0;
    size_t count = 0;
    for (size_t i = 0; i < compare->item_count; i++) {
        estimated += (double)compare->items[i].estimated;
        taken += (double)compare->items[i].taken;
    }
    for (size_t i = 0; i < compare->item_count; i++) {
        const tacho_run_compared *item = &compare->items[i];
        double share = fmax((double)item->estimated / fmax(estimated, 1),
                            (double)item->taken / fmax(taken, 1));
        if (item->estimated > 0 && item->taken > 0 && !item->is_elsewhere && share >= 0.01) {
            ratios[count++] = (ratio){item, log((double)item->taken / (double)item->estimated)};
        }
    }
    return count;
}

/* The distance from which on an operator is an outlier. */
static double limit_of(const ratio *ratios, size_t count, double middle)
{
    ratio *away = calloc(count, sizeof(*away));
    double usual = 0;
    for (size_t i = 0; away != NULL && i < count; i++) {
        away[i].log = distance(ratios[i].log, middle);
    }
    if (away != NULL) {
        usual = median_of(away, count) * 1.4826; /* of a normal distribution: its deviation */
    }
    free(away);
    return fmax(log(3), 4 * usual);
}

static void print_far(const tacho_run_compare *compare, ratio *ratios, size_t count, char *to,
                      size_t size)
{
    double middle = median_of(ratios, count), limit = limit_of(ratios, count, middle);
    size_t far = 0, used = 0;
    char names[TACHO_RUN_OUTLIERS_TEXT] = "";
    for (size_t i = 0; i < count; i++) { /* the farthest are at the ends */
        const ratio *at = i % 2 == 0 ? &ratios[count - 1 - i / 2] : &ratios[i / 2];
        if (distance(at->log, middle) <= limit) {
            continue;
        }
        if (far++ < NAMED_MAX) {
            tacho_str name = tacho_recording_string(
                compare->recording, compare->recording->program->ops[at->item->op].name);
            used += (size_t)snprintf(names + used, sizeof(names) - used, "%s%.60s %.3g times",
                                     used > 0 ? ", " : "", name.data, exp(at->log - middle));
            used = used < sizeof(names) ? used : sizeof(names) - 1;
        }
    }
    if (far > 0) {
        snprintf(to, size, "%zu operator%s far from what the others suggest: %s%s", far,
                 far == 1 ? " took a time" : "s took times", names,
                 far > NAMED_MAX ? " and others" : "");
    }
}

void tacho_run_outliers_print(const tacho_run_compare *compare, char *to, size_t size)
{
    ratio *ratios = tacho_items_alloc(compare->item_count, sizeof(*ratios));
    to[0] = '\0';
    size_t count = ratios == NULL ? 0 : collect(compare, ratios);
    if (count >= COUNT_MIN) {
        print_far(compare, ratios, count, to, size);
    }
    free(ratios);
}
