/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Test helpers for Torq sources: a profile that is filled through the order filter, and the text
 * forms common to all of them. Include it after <cmocka.h>.
 */
#ifndef TACHO_SOURCES_TORQ_TORQ_TESTING_H
#define TACHO_SOURCES_TORQ_TORQ_TESTING_H

#include "base/text_testing.h"
#include "profile/order.h"
#include "profile/profile.h"
#include "sources/source.h"

enum { SPOOL_BYTES = 1 << 16 };

typedef struct fixture {
    tacho_dict dict;
    tacho_profile profile;
    tacho_order *order;
    tacho_source_options options;
    test_text text;
} fixture;

static inline void setup_in(fixture *made, tacho_order_mode mode)
{
    memset(made, 0, sizeof(*made));
    assert_ok(tacho_dict_init(&made->dict));
    tacho_profile_init(&made->profile, &made->dict);
    assert_ok(tacho_order_create(&made->profile.events, mode, SPOOL_BYTES, &made->order));
}

static inline void setup(fixture *made)
{
    setup_in(made, TACHO_ORDER_SORT);
}

static inline void teardown(fixture *made)
{
    tacho_order_destroy(made->order);
    tacho_profile_deinit(&made->profile);
    tacho_dict_deinit(&made->dict);
}

/* Reads |bytes| as the file |name| of the folder /runs. */
static inline tacho_status read_as(fixture *to, const tacho_source *source, const char *name,
                                   tacho_str bytes)
{
    tacho_input input;
    char path[64];
    snprintf(path, sizeof(path), "/runs/%s", name);
    assert_ok(tacho_input_open_bytes(name, bytes, &input));
    tacho_reading reading = {
        .input = &input,
        .path = tacho_str_from_cstring(path),
        .options = &to->options,
        .events = tacho_order_events(to->order),
    };
    tacho_status status = source->read(&reading);
    tacho_input_close(&input);
    return status;
}

static inline void put_string(fixture *to, uint32_t string)
{
    put(&to->text, "%.*s", TACHO_STR_ARG(tacho_dict_string(&to->dict, string)));
}

static inline void put_part(fixture *to, const tacho_part *part)
{
    const tacho_clock *clock = &to->dict.clocks[part->clock];
    put(&to->text, "part ");
    put_string(to, part->name);
    put(&to->text, " ");
    put_string(to, part->format);
    put(&to->text, " ");
    put_string(to, part->generation);
    put(&to->text, " %s, ", tacho_origin_name(part->origin));
    put_string(to, clock->name);
    put(&to->text, " of %lld/%lld ns from %lld\n", (long long)clock->ns_numerator,
        (long long)clock->ns_denominator, (long long)clock->zero_ticks);
}

/* Parts, spans as |put_span| writes them, losses. */
static inline const char *render_with(fixture *from, void (*put_span)(fixture *to, size_t id))
{
    clear_text(&from->text);
    for (size_t i = 0; i < from->dict.part_count; i++) {
        put_part(from, &from->dict.parts[i]);
    }
    for (size_t i = 0; i < from->profile.span_count; i++) {
        put_span(from, i);
    }
    for (size_t i = 0; i < from->dict.loss_count; i++) {
        const tacho_loss *loss = &from->dict.losses[i];
        put(&from->text, "lost %s %llu at %llu\n", tacho_loss_key(loss->reason),
            (unsigned long long)loss->count, (unsigned long long)loss->first_line);
    }
    return from->text.bytes;
}

#endif
