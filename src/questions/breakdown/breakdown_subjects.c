/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Devices of inferences are one subject if all inferences have the same devices.
 */
#include "questions/breakdown/breakdown_subjects.h"

#include "questions/breakdown/breakdown.h"
#include "base/grow.h"

#include <stdlib.h>

uint32_t tacho_breakdown_inferences_end(const tacho_breakdown_gather *gather, uint32_t part)
{
    const tacho_part *parts = gather->events.dict->parts;
    const tacho_part_steps *steps = gather->steps;
    uint32_t end = part + 1;
    while (end < gather->step_part_count && steps[part].is_one_run && steps[end].is_one_run &&
           steps[end].run_name == steps[part].run_name && parts[end].path == parts[part].path) {
        end++;
    }
    return end;
}

/* How many devices from |first| on are of its part. */
static size_t count_devices(const tacho_breakdown_gather *gather, size_t first)
{
    size_t end = first;
    while (end < gather->device_count && gather->devices[end].part == gather->devices[first].part) {
        end++;
    }
    return end - first;
}

static bool is_same_device(const tacho_dict *dict, const tacho_breakdown_device *a,
                           const tacho_breakdown_device *b)
{
    bool is_root[2] = {a->group == dict->parts[a->part].root,
                       b->group == dict->parts[b->part].root};
    bool is_same_name = (is_root[0] && is_root[1]) || tacho_dict_track_name(dict, a->group) ==
                                                          tacho_dict_track_name(dict, b->group);
    return is_root[0] == is_root[1] && is_same_name && a->origin == b->origin;
}

/* Whether the parts from that of device |first| on to |end| have the same |stride| devices each. */
static bool are_alike(const tacho_breakdown_gather *gather, size_t first, size_t stride,
                      uint32_t end)
{
    uint32_t part = gather->devices[first].part;
    size_t last = first + stride * (end - part);
    bool is_alike = last <= gather->device_count;
    for (size_t i = first; i < last && is_alike; i++) {
        const tacho_breakdown_device *device = &gather->devices[i];
        is_alike = device->part == part + (i - first) / stride &&
                   is_same_device(gather->events.dict, device,
                                  &gather->devices[first + (i - first) % stride]);
    }
    return is_alike && (last == gather->device_count || gather->devices[last].part >= end);
}

static tacho_status count_warm_up(const tacho_breakdown_gather *gather, uint32_t part, uint32_t end,
                                  size_t *out_count)
{
    tacho_step_span *items = NULL;
    TACHO_TRY(tacho_items_make(&items, end - part));
    for (uint32_t i = part; i < end; i++) {
        items[i - part] = gather->steps[i].only_run;
    }
    tacho_status status = tacho_steps_mark_warm_up(items, end - part, out_count);
    free(items);
    return status;
}

tacho_status tacho_breakdown_subjects_make(const tacho_breakdown_gather *gather,
                                           tacho_breakdown_subject **out_subjects,
                                           size_t *out_count)
{
    *out_count = 0;
    TACHO_TRY(tacho_items_make(out_subjects, gather->device_count));
    for (size_t at = 0; at < gather->device_count;) {
        uint32_t part = gather->devices[at].part;
        uint32_t end = tacho_breakdown_inferences_end(gather, part);
        size_t stride = count_devices(gather, at);
        tacho_breakdown_subject subject = {.stride = stride, .count = 1};
        if (end - part > 1 && are_alike(gather, at, stride, end)) {
            subject.count = end - part;
            TACHO_TRY(count_warm_up(gather, part, end, &subject.warm_up_count));
        }
        for (size_t i = 0; i < stride; i++) {
            subject.first = at + i;
            (*out_subjects)[(*out_count)++] = subject;
        }
        at += stride * subject.count;
    }
    return TACHO_OK;
}

tacho_status tacho_breakdown_each_subject(const tacho_breakdown_gather *gather,
                                          tacho_breakdown_add_rows add, tacho_table *table)
{
    tacho_breakdown_subject *subjects = NULL;
    size_t count = 0;
    tacho_status status = tacho_breakdown_subjects_make(gather, &subjects, &count);
    for (size_t i = 0; i < count && status == TACHO_OK; i++) {
        status = add(gather, &subjects[i], table);
    }
    free(subjects);
    return status;
}

tacho_status tacho_breakdown_add_subject(const tacho_breakdown_gather *gather,
                                         const tacho_breakdown_subject *subject, tacho_table *table)
{
    const tacho_dict *dict = gather->events.dict;
    const tacho_breakdown_device *device = &gather->devices[subject->first];
    uint32_t name =
        subject->count > 1 ? gather->steps[device->part].run_name : dict->parts[device->part].name;
    return tacho_breakdown_add_named(gather, device, name, table);
}
