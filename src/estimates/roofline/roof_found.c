/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Names of devices in facts ("chrome.deviceProperties.0.name", "device.0.name") and of groups of
 * tracks.
 */
#include "estimates/roofline/roof_found.h"

#include "base/grow.h"

#include <stdlib.h>

void tacho_roof_found_init(tacho_roof_found *found)
{
    *found = (tacho_roof_found){.part_count = 0};
    tacho_arena_init(&found->arena);
}

void tacho_roof_found_deinit(tacho_roof_found *found)
{
    free(found->machines);
    free(found->devices);
    free(found->roofs);
    free(found->names);
    tacho_arena_deinit(&found->arena);
}

static tacho_status grow_parts(tacho_roof_found *found, uint32_t part)
{
    size_t count = (size_t)part + 1;
    TACHO_TRY(tacho_grow(&found->machines, &found->machine_capacity, count));
    TACHO_TRY(tacho_grow(&found->devices, &found->device_capacity, count));
    for (; found->part_count < count; found->part_count++) {
        found->machines[found->part_count] = NULL;
        found->devices[found->part_count] = TACHO_STR("");
    }
    return TACHO_OK;
}

/* A second device of another kind makes the part's machine ambiguous, for good. */
static tacho_status add_device(tacho_roof_found *found, uint32_t part, tacho_str device)
{
    const char *machine = tacho_machine_of_device(found->known, found->known_count, device);
    tacho_str *known = &found->devices[part];
    if (known->len == 0) {
        found->machines[part] = machine;
        return tacho_arena_copy(&found->arena, device, known);
    }
    found->machines[part] = tacho_str_equal(*known, device) ? machine : NULL;
    *known = tacho_str_equal(*known, device) ? *known : TACHO_STR("several devices");
    return TACHO_OK;
}

static bool is_device_fact(tacho_str key)
{
    bool is_of_chrome = tacho_str_starts_with(key, TACHO_STR("chrome.deviceProperties.")) &&
                        tacho_str_ends_with(key, TACHO_STR(".name"));
    bool is_of_xplane = tacho_str_starts_with(key, TACHO_STR("xplane./device:")) &&
                        tacho_str_ends_with(key, TACHO_STR(".gpu_device_name"));
    bool is_of_device = tacho_str_starts_with(key, TACHO_STR("device.")) &&
                        tacho_str_ends_with(key, TACHO_STR(".name"));
    return is_of_chrome || is_of_xplane || is_of_device;
}

static tacho_status look_at_tracks(tacho_roof_found *found, const tacho_dict *dict)
{
    for (; found->track_count < dict->track_count; found->track_count++) {
        const tacho_track *track = &dict->tracks[found->track_count];
        tacho_str name =
            tacho_dict_string(dict, tacho_dict_track_name(dict, (uint32_t)found->track_count));
        bool is_named = track->track_class == TACHO_TRACK_GROUP &&
                        tacho_machine_of_device(found->known, found->known_count, name) != NULL;
        if (is_named) {
            TACHO_TRY(grow_parts(found, track->part));
            TACHO_TRY(add_device(found, track->part, name));
        }
    }
    return TACHO_OK;
}

tacho_status tacho_roof_found_look(tacho_roof_found *found, const tacho_dict *dict, uint32_t part)
{
    TACHO_TRY(grow_parts(found, part));
    if (found->known == NULL) {
        TACHO_TRY(tacho_machine_devices(&found->arena, &found->known, &found->known_count));
    }
    for (; found->fact_count < dict->metadata_count; found->fact_count++) {
        const tacho_metadata *fact = &dict->metadata[found->fact_count];
        if (is_device_fact(tacho_dict_string(dict, fact->key))) {
            TACHO_TRY(add_device(found, part, tacho_dict_string(dict, fact->value)));
        }
    }
    return look_at_tracks(found, dict);
}

const char *tacho_roof_found_name(const tacho_roof_found *found, uint32_t part)
{
    return part < found->part_count ? found->machines[part] : NULL;
}

static tacho_status read_roof(tacho_roof_found *found, const char *name)
{
    tacho_machine *machine = NULL;
    TACHO_TRY(tacho_grow(&found->roofs, &found->roof_capacity, found->roof_count + 1));
    TACHO_TRY(tacho_grow(&found->names, &found->name_capacity, found->roof_count + 1));
    TACHO_TRY(tacho_machine_find(name, &found->arena, &machine));
    tacho_roof_init(&found->roofs[found->roof_count], machine);
    found->names[found->roof_count++] = name;
    return TACHO_OK;
}

tacho_status tacho_roof_found_roof(tacho_roof_found *found, uint32_t part,
                                   const tacho_roof **out_roof)
{
    const char *name = tacho_roof_found_name(found, part);
    *out_roof = NULL;
    size_t at = 0;
    while (name != NULL && at < found->roof_count && strcmp(found->names[at], name) != 0) {
        at++;
    }
    if (name != NULL && at == found->roof_count) {
        TACHO_TRY(read_roof(found, name));
    }
    *out_roof = name != NULL ? &found->roofs[at] : NULL;
    return TACHO_OK;
}

void tacho_roof_found_note(const tacho_roof_found *found, const tacho_dict *dict,
                           const tacho_notes *notes)
{
    for (size_t i = 0; i < found->part_count; i++) {
        if (found->machines[i] != NULL) {
            tacho_note(notes, "note", "%.*s: recorded on %.*s: the ceilings are those of '%s'",
                       TACHO_STR_ARG(tacho_dict_string(dict, dict->parts[i].name)),
                       TACHO_STR_ARG(found->devices[i]), found->machines[i]);
        }
    }
}
