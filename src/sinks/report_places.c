/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Places by number, and the columns made from them.
 */
#include "sinks/report_places.h"

#include "base/grow.h"
#include "profile/dict.h"

#include <stdlib.h>
#include <string.h>

void report_places_deinit(report_places *places)
{
    free(places->codes);
    free(places->launch_of);
    free(places->launches);
    *places = (report_places){0};
}

tacho_status report_places_add(report_places *places, uint32_t *out_number)
{
    TACHO_TRY(tacho_grow(&places->codes, &places->code_capacity, places->code_count + 1));
    *out_number = (uint32_t)places->code_count;
    places->codes[places->code_count++] = 0;
    return TACHO_OK;
}

static tacho_status set_launch(report_places *places, size_t number, const report_place *place)
{
    size_t known_count = places->launch_of_count;
    if (number >= known_count) {
        TACHO_TRY(tacho_grow(&places->launch_of, &places->launch_of_capacity, places->code_count));
        memset(places->launch_of + known_count, 0,
               (places->code_count - known_count) * sizeof(*places->launch_of));
        places->launch_of_count = places->code_count;
    }
    if (places->launch_of[number] == 0) {
        TACHO_TRY(
            tacho_grow(&places->launches, &places->launch_capacity, places->launch_count + 1));
        places->launch_of[number] = (uint32_t)++places->launch_count;
    }
    places->launches[places->launch_of[number] - 1] =
        (report_launch){place->launch_ns, place->launch_track};
    return TACHO_OK;
}

tacho_status report_places_set(report_places *places, uint64_t number, const report_place *place)
{
    if (number >= places->code_count) {
        return TACHO_OK;
    }
    places->codes[number] = place->layer == 0
                                ? 0
                                : 1 + (place->layer - 1) * 4 + (place->is_piece ? 2u : 0u) +
                                      (place->is_device ? 1u : 0u);
    return place->launch_track != TACHO_NONE ? set_launch(places, (size_t)number, place) : TACHO_OK;
}

/* ---- columns of a track -------------------------------------------------------------------- */

tacho_status report_numbers_put(report_numbers *numbers, uint32_t number)
{
    TACHO_TRY(report_bytes_put_int(&numbers->bytes, (int64_t)number - numbers->last));
    numbers->last = number;
    return TACHO_OK;
}

/* Reads the numbers back. */
typedef struct number_reader {
    const report_bytes *bytes;
    size_t at;
    uint32_t number;
} number_reader;

static bool next_number(number_reader *reader)
{
    if (reader->at == reader->bytes->item_count) {
        return false;
    }
    reader->number += (uint32_t)report_bytes_take_int(reader->bytes, &reader->at);
    return true;
}

static const report_launch *launch_of(const report_places *places, uint32_t number)
{
    uint32_t launch = number < places->launch_of_count ? places->launch_of[number] : 0;
    return launch != 0 ? &places->launches[launch - 1] : NULL;
}

void report_places_look(const report_places *places, const report_numbers *numbers,
                        bool *out_has_places, bool *out_has_launches)
{
    number_reader reader = {.bytes = &numbers->bytes};
    *out_has_places = *out_has_launches = false;
    while (next_number(&reader)) {
        *out_has_places = *out_has_places || places->codes[reader.number] != 0;
        *out_has_launches = *out_has_launches || launch_of(places, reader.number) != NULL;
    }
}

tacho_status report_places_put_codes(const report_places *places, const report_numbers *numbers,
                                     report_bytes *out)
{
    number_reader reader = {.bytes = &numbers->bytes};
    while (next_number(&reader)) {
        TACHO_TRY(report_bytes_put_uint(out, places->codes[reader.number]));
    }
    return TACHO_OK;
}

tacho_status report_places_put_launches(const report_places *places, const report_numbers *numbers,
                                        report_bytes *out)
{
    number_reader reader = {.bytes = &numbers->bytes};
    int64_t last_ns = 0;
    while (next_number(&reader)) {
        const report_launch *launch = launch_of(places, reader.number);
        TACHO_TRY(report_bytes_put_uint(out, launch != NULL ? (uint64_t)launch->track + 1 : 0));
        if (launch != NULL) {
            TACHO_TRY(report_bytes_put_int(out, launch->start_ns - last_ns));
            last_ns = launch->start_ns;
        }
    }
    return TACHO_OK;
}
