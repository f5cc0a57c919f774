/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Opens any profile and prints the ten operations that took longest, with their share of the time
 * of all operations.
 *
 *   top_spans PROFILE...
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <tacho/profile.h>

/* All spans of one name. */
typedef struct operation {
    const char *name;
    uint64_t count;
    int64_t total_ns;
} operation;

static int by_name(const void *a, const void *b)
{
    return strcmp(((const operation *)a)->name, ((const operation *)b)->name);
}

static int by_total(const void *a, const void *b)
{
    const operation *left = a;
    const operation *right = b;
    if (left->total_ns != right->total_ns) {
        return left->total_ns < right->total_ns ? 1 : -1;
    }
    return by_name(a, b);
}

/* Joins neighbours of one name; returns how many are left. */
static size_t join(operation *operations, size_t count)
{
    size_t kept = 0;
    for (size_t i = 0; i < count; i++) {
        if (kept > 0 && by_name(&operations[kept - 1], &operations[i]) == 0) {
            operations[kept - 1].count += operations[i].count;
            operations[kept - 1].total_ns += operations[i].total_ns;
        } else {
            operations[kept++] = operations[i];
        }
    }
    return kept;
}

static void print_top(const operation *operations, size_t count)
{
    int64_t all_ns = 0;
    for (size_t i = 0; i < count; i++) {
        all_ns += operations[i].total_ns;
    }
    printf("%12s  %6s  %6s  %s\n", "total ns", "share", "spans", "operation");
    for (size_t i = 0; i < count && i < 10; i++) {
        double share = all_ns > 0 ? 100.0 * (double)operations[i].total_ns / (double)all_ns : 0;
        printf("%12lld  %5.1f%%  %6llu  %s\n", (long long)operations[i].total_ns, share,
               (unsigned long long)operations[i].count, operations[i].name);
    }
}

static int print_profile(const tacho_view *view)
{
    size_t count = (size_t)tacho_view_count(view).span_count;
    operation *operations = calloc(count + 1, sizeof(*operations));
    if (operations == NULL) {
        fprintf(stderr, "top_spans: out of memory\n");
        return 1;
    }
    tacho_span_view span;
    for (size_t i = 0; tacho_view_span(view, i, &span); i++) {
        operations[i] = (operation){span.name, 1, span.end_ns - span.start_ns};
    }
    qsort(operations, count, sizeof(*operations), by_name);
    count = join(operations, count);
    qsort(operations, count, sizeof(*operations), by_total);
    print_top(operations, count);
    free(operations);
    tacho_loss_view loss;
    for (uint64_t i = 0; tacho_view_loss(view, i, &loss); i++) {
        printf("lost: %llu (%s, first in line %llu)\n", (unsigned long long)loss.count, loss.phrase,
               (unsigned long long)loss.first_line);
    }
    return 0;
}

int main(int argc, char **argv)
{
    tacho_view *view = NULL;
    const char *const *paths = (const char *const *)(argv + 1);
    tacho_status status = tacho_view_open(paths, (size_t)argc - 1, NULL, &view);
    if (status != TACHO_OK) {
        fprintf(stderr, "top_spans: %s\n", tacho_status_message(status));
        tacho_status_free(status);
        return 1;
    }
    int exit_code = print_profile(view);
    tacho_view_close(view);
    return exit_code;
}
