/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Formatting and reading the texts; reading takes exactly what formatting writes.
 */
#include "profile/facts.h"

#include "profile/tt_columns.h"

#include <inttypes.h>
#include <stdio.h>

static const char track_prefix[] = "tacho: ";

void tacho_track_facts_format(const tacho_track *track, uint64_t lane_of,
                              char out_text[TACHO_FACTS_MAX])
{
    char lane[40] = "";
    char number[40] = "";
    char rank[40] = "";
    if (track->track_class == TACHO_TRACK_GROUP && track->part > 0 && track->parent != TACHO_NONE) {
        snprintf(rank, sizeof(rank), " rank %" PRId32, track->rank);
    }
    if (track->has_number) {
        snprintf(number, sizeof(number), " id%s %" PRId64, track->is_numbered ? " in name" : "",
                 track->number);
    }
    if (lane_of != 0) {
        snprintf(lane, sizeof(lane), " lane of %" PRIu64, lane_of);
    }
    snprintf(out_text, TACHO_FACTS_MAX, "%s%s %" PRIu32 " %s%s%s%s%s%s", track_prefix,
             tacho_track_class_name(track->track_class), track->index,
             track->nesting == TACHO_NESTING_ENGINE ? "engine" : "stack",
             track->parent == TACHO_NONE ? " root" : "", track->is_free ? " free" : "", rank,
             number, lane);
}

/* Tenstorrent's names for the processors of a core; NULL for tracks described in general words. */
static const char *describe_tenstorrent(tacho_track_class track_class)
{
    static const char *const sentences[TACHO_TRACK_CLASS_COUNT] = {
        [TACHO_TRACK_CONTROL] = "Ops from their first kernel to their last; or a processor of a "
                                "core that neither moves data nor computes.",
        [TACHO_TRACK_DMA_IN] = "NCRISC: a data movement processor of a core; mostly reads.",
        [TACHO_TRACK_DMA_OUT] = "BRISC: a data movement processor of a core; mostly writes.",
        [TACHO_TRACK_DMA_LOCAL] = "ERISC: the Ethernet processor of a core; moves data to and "
                                  "from other chips.",
        [TACHO_TRACK_COMPUTE] = "Compute kernels: the TRISC processors of a core unpack, do the "
                                "math and pack.",
    };
    return sentences[track_class];
}

void tacho_track_describe(const tacho_track *track, tacho_str format,
                          char out_text[TACHO_FACTS_MAX])
{
    static const char *const sentences[TACHO_TRACK_CLASS_COUNT] = {
        [TACHO_TRACK_GROUP] = "Tracks of one input or device.",
        [TACHO_TRACK_HOST] = "Work of the host processor.",
        [TACHO_TRACK_HOST_COPY] = "Memory copies by the host.",
        [TACHO_TRACK_RUNTIME] = "Calls of the runtime library.",
        [TACHO_TRACK_CONTROL] = "The accelerator's sequencer: jobs and programs as it runs them.",
        [TACHO_TRACK_DMA_IN] = "DMA engine: transfers from main memory to local memory.",
        [TACHO_TRACK_DMA_OUT] = "DMA engine: transfers from local memory to main memory.",
        [TACHO_TRACK_DMA_LOCAL] = "DMA engine: transfers between local memories.",
        [TACHO_TRACK_COMPUTE] = "Compute engine or queue: kernels of operators.",
        [TACHO_TRACK_VECTOR] = "Vector engine: what the compute engine cannot do.",
        [TACHO_TRACK_SYNC] = "Waits, launches and barriers; does not count as busy.",
        [TACHO_TRACK_PORT] = "Input and output ports: transactions with the host or other devices.",
        [TACHO_TRACK_COUNTER] = "Samples of a value over time.",
        [TACHO_TRACK_PHASE] = "Stretches of time that contain other work; does not count as busy.",
        [TACHO_TRACK_MEMORY] = "Memory that the host takes and gives back.",
    };
    bool is_tenstorrent = tacho_str_starts_with(format, TACHO_STR(TACHO_TT_VENDOR));
    const char *words = is_tenstorrent ? describe_tenstorrent(track->track_class) : NULL;
    words = words != NULL ? words : sentences[track->track_class];
    const char *unit = tacho_unit_name(track->unit);
    bool has_unit = track->track_class == TACHO_TRACK_COUNTER && unit[0] != '\0';
    snprintf(out_text, TACHO_FACTS_MAX, "%s%s%s%s", words, has_unit ? " Unit: " : "",
             has_unit ? unit : "", has_unit ? "." : "");
}

/* Takes |word| and the space after it off the front; false if the text starts differently. */
static bool accept_word(tacho_str *text, const char *word)
{
    tacho_str wanted = tacho_str_from_cstring(word);
    if (!tacho_str_starts_with(*text, wanted)) {
        return false;
    }
    *text = tacho_str_from(*text, wanted.len);
    return true;
}

/* Takes the text before |end| off the front, and |end| too. */
static bool take_until(tacho_str *text, char end, tacho_str *out_word)
{
    size_t len = tacho_str_find_byte(*text, end);
    if (len == text->len) {
        return false;
    }
    *out_word = tacho_str_make(text->data, len);
    *text = tacho_str_from(*text, len + 1);
    return true;
}

static bool find_class(tacho_str name, tacho_track_class *out_class)
{
    for (int i = 0; i < TACHO_TRACK_CLASS_COUNT; i++) {
        *out_class = (tacho_track_class)i;
        if (tacho_str_equal(name, tacho_str_from_cstring(tacho_track_class_name(*out_class)))) {
            return true;
        }
    }
    return false;
}

/* Takes " id 3254" or " id in name 3254" off the front, if present; false when no number
 * follows. */
static bool take_number(tacho_str *text, tacho_track_facts *facts)
{
    uint64_t number = 0;
    if (!accept_word(text, " id")) {
        return true;
    }
    facts->has_number = true;
    facts->is_numbered = accept_word(text, " in name");
    *text = tacho_str_trim(*text);
    size_t len = tacho_str_find_byte(*text, ' ');
    if (!tacho_str_parse_u64(tacho_str_make(text->data, len), &number) ||
        number >= (uint64_t)TACHO_TRACK_NUMBER_END) {
        return false;
    }
    facts->number = (int64_t)number;
    *text = tacho_str_from(*text, len);
    return true;
}

/* Takes " rank 5" off the front, if present; false when no number follows. */
static bool take_rank(tacho_str *text, tacho_track_facts *facts)
{
    uint64_t rank = 0;
    facts->has_rank = accept_word(text, " rank ");
    if (!facts->has_rank) {
        return true;
    }
    bool is_negative = accept_word(text, "-");
    size_t len = tacho_str_find_byte(*text, ' ');
    if (!tacho_str_parse_u64(tacho_str_make(text->data, len), &rank) || rank > INT32_MAX) {
        return false;
    }
    facts->rank = is_negative ? -(int32_t)rank : (int32_t)rank;
    *text = tacho_str_from(*text, len);
    return true;
}

bool tacho_track_facts_parse(tacho_str text, tacho_track_facts *out_facts)
{
    *out_facts = (tacho_track_facts){0};
    tacho_str word;
    uint64_t index = 0;
    if (!accept_word(&text, track_prefix) || !take_until(&text, ' ', &word) ||
        !find_class(word, &out_facts->track_class) || !take_until(&text, ' ', &word) ||
        !tacho_str_parse_u64(word, &index) || index > UINT32_MAX) {
        return false;
    }
    out_facts->index = (uint32_t)index;
    out_facts->nesting = accept_word(&text, "engine") ? TACHO_NESTING_ENGINE : TACHO_NESTING_STACK;
    if (out_facts->nesting == TACHO_NESTING_STACK && !accept_word(&text, "stack")) {
        return false;
    }
    out_facts->is_root = accept_word(&text, " root");
    out_facts->is_free = accept_word(&text, " free");
    if (!take_rank(&text, out_facts) || !take_number(&text, out_facts)) {
        return false;
    }
    return text.len == 0 ||
           (accept_word(&text, " lane of ") && tacho_str_parse_u64(text, &out_facts->lane_of));
}

enum { CLOCK_NAME_MAX = 64 };

void tacho_clock_facts_format(const tacho_dict *dict, const tacho_clock *clock,
                              char out_text[TACHO_FACTS_MAX])
{
    tacho_str name = tacho_dict_string(dict, clock->name);
    snprintf(out_text, TACHO_FACTS_MAX,
             "%.*s: 1 tick = %" PRId64 "/%" PRId64 " ns%s, 0 ns = tick %" PRId64,
             name.len > CLOCK_NAME_MAX ? CLOCK_NAME_MAX : (int)name.len, name.data,
             clock->ns_numerator, clock->ns_denominator, clock->is_assumed ? " (assumed)" : "",
             clock->zero_ticks);
}

static bool parse_positive(tacho_str text, int64_t *out_value)
{
    uint64_t value = 0;
    if (!tacho_str_parse_u64(text, &value) || value > INT64_MAX) {
        return false;
    }
    *out_value = (int64_t)value;
    return true;
}

bool tacho_clock_facts_parse(tacho_str text, tacho_clock *out_clock, tacho_str *out_name)
{
    tacho_str numerator_text;
    tacho_str denominator_text;
    int64_t numerator = 0;
    int64_t denominator = 0;
    int64_t zero = 0;
    if (!take_until(&text, ':', out_name) || !accept_word(&text, " 1 tick = ") ||
        !take_until(&text, '/', &numerator_text) || !take_until(&text, ' ', &denominator_text) ||
        !accept_word(&text, "ns") || !parse_positive(numerator_text, &numerator) ||
        !parse_positive(denominator_text, &denominator) || numerator == 0 || denominator == 0) {
        return false;
    }
    bool is_assumed = accept_word(&text, " (assumed)");
    if (!accept_word(&text, ", 0 ns = tick ") || !parse_positive(text, &zero)) {
        return false;
    }
    tacho_clock_init(out_clock, (uint64_t)numerator, (uint64_t)denominator);
    out_clock->is_assumed = is_assumed;
    out_clock->zero_ticks = zero;
    /* The one clock that is called so counts a processor's cycles. */
    out_clock->counts_cycles = tacho_str_equal(*out_name, TACHO_STR("cycles"));
    return zero <= out_clock->max_ticks;
}

void tacho_classes_facts_format(uint32_t classes, char out_text[TACHO_FACTS_MAX])
{
    size_t len = 0;
    out_text[0] = '\0';
    for (int i = 0; i < TACHO_TRACK_CLASS_COUNT; i++) {
        if ((classes & TACHO_TRACK_BIT(i)) != 0) {
            len +=
                (size_t)snprintf(out_text + len, TACHO_FACTS_MAX - len, "%s%s", len > 0 ? ", " : "",
                                 tacho_track_class_name((tacho_track_class)i));
        }
    }
}

uint32_t tacho_classes_facts_parse(tacho_str text)
{
    uint32_t classes = 0;
    while (text.len > 0) {
        size_t len = tacho_str_find_byte(text, ',');
        tacho_track_class found;
        if (find_class(tacho_str_trim(tacho_str_make(text.data, len)), &found)) {
            classes |= TACHO_TRACK_BIT(found);
        }
        text = tacho_str_from(text, len < text.len ? len + 1 : len);
    }
    return classes;
}
