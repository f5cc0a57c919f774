/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The machine that a profile names: the built-in one whose description lists the device
 * (machine/machine.h). PyTorch's profiler writes the names of all devices ahead of the events;
 * captures call the group of a device's streams by its name.
 */
#ifndef TACHO_ESTIMATES_ROOFLINE_ROOF_FOUND_H
#define TACHO_ESTIMATES_ROOFLINE_ROOF_FOUND_H

#include "estimates/roofline/roof.h"
#include "base/notes.h"
#include "profile/dict.h"

typedef struct tacho_roof_found {
    const char **machines; /* by part: name of a built-in machine, or NULL */
    tacho_str *devices;    /* by part: as the profile names it */
    size_t part_count, machine_capacity, device_capacity;
    const tacho_machine_device *known; /* devices of built-in machines */
    size_t known_count;
    size_t fact_count; /* facts of the dictionary that were looked at */
    size_t track_count;
    tacho_arena arena;
    tacho_roof *roofs; /* one per built-in machine that was read */
    const char **names;
    size_t roof_count, roof_capacity, name_capacity;
} tacho_roof_found;

void tacho_roof_found_init(tacho_roof_found *found);
void tacho_roof_found_deinit(tacho_roof_found *found);

/*
 * Looks at the facts and tracks that were added to |dict| since the last call; they are of |part|.
 * Devices of different kinds in one part name no machine.
 */
tacho_status tacho_roof_found_look(tacho_roof_found *found, const tacho_dict *dict,
                                   uint32_t part) TACHO_MUST_USE;

/* The name of the machine of |part|, or NULL. */
const char *tacho_roof_found_name(const tacho_roof_found *found, uint32_t part);

/* The roof of |part|, or NULL; good until the next call. */
tacho_status tacho_roof_found_roof(tacho_roof_found *found, uint32_t part,
                                   const tacho_roof **out_roof) TACHO_MUST_USE;

/* A note for each part whose machine was found. */
void tacho_roof_found_note(const tacho_roof_found *found, const tacho_dict *dict,
                           const tacho_notes *notes);

#endif
