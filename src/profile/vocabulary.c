/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Names by table look-up, each table grown from the one list in the header.
 */
#include "profile/vocabulary.h"

#include <assert.h>

#define SECOND_AS_ROW(name, text) text,
#define KEY_AS_ROW(name, key, phrase) key,
#define THIRD_AS_ROW(name, middle, text) text,
#define CLASS_AS_ROW(name, track_class, text) TACHO_TRACK_##track_class,

const char *tacho_track_class_name(tacho_track_class track_class)
{
    static const char *const names[] = {TACHO_TRACK_CLASSES(SECOND_AS_ROW)};
    assert(track_class < TACHO_TRACK_CLASS_COUNT);
    return names[track_class];
}

const char *tacho_origin_name(tacho_origin origin)
{
    static const char *const names[] = {TACHO_ORIGINS(SECOND_AS_ROW)};
    assert(origin < TACHO_ORIGIN_COUNT);
    return names[origin];
}

const char *tacho_unit_name(tacho_unit unit)
{
    static const char *const names[] = {TACHO_UNITS(SECOND_AS_ROW)};
    assert(unit < TACHO_UNIT_END);
    return names[unit];
}

const char *tacho_loss_key(tacho_loss_reason reason)
{
    static const char *const keys[] = {TACHO_LOSS_REASONS(KEY_AS_ROW)};
    assert(reason < TACHO_LOSS_REASON_COUNT);
    return keys[reason];
}

const char *tacho_loss_phrase(tacho_loss_reason reason)
{
    static const char *const phrases[] = {TACHO_LOSS_REASONS(THIRD_AS_ROW)};
    assert(reason < TACHO_LOSS_REASON_COUNT);
    return phrases[reason];
}

const char *tacho_torq_engine_name(tacho_torq_engine engine)
{
    static const char *const names[] = {TACHO_TORQ_ENGINES(THIRD_AS_ROW)};
    assert(engine < TACHO_TORQ_ENGINE_COUNT);
    return names[engine];
}

tacho_track_class tacho_torq_engine_class(tacho_torq_engine engine)
{
    static const tacho_track_class classes[] = {TACHO_TORQ_ENGINES(CLASS_AS_ROW)};
    assert(engine < TACHO_TORQ_ENGINE_COUNT);
    return classes[engine];
}

static bool holds_word(tacho_str text, tacho_str word)
{
    for (; text.len >= word.len; text = tacho_str_from(text, 1)) {
        if (tacho_str_starts_with(text, word)) {
            return true;
        }
    }
    return false;
}

tacho_torq_memory tacho_torq_transfer_memory(tacho_str name)
{
    if (!tacho_str_starts_with(name, TACHO_STR("CDMA"))) {
        return TACHO_TORQ_MEMORY_NONE;
    }
    if (holds_word(name, TACHO_STR("DTCM"))) {
        return TACHO_TORQ_MEMORY_DTCM;
    }
    return holds_word(name, TACHO_STR("ITCM")) ? TACHO_TORQ_MEMORY_ITCM : TACHO_TORQ_MEMORY_NONE;
}

const char *tacho_torq_host_track_name(tacho_torq_host_track track)
{
    static const char *const names[] = {TACHO_TORQ_HOST_TRACKS(THIRD_AS_ROW)};
    assert(track < TACHO_TORQ_HOST_TRACK_COUNT);
    return names[track];
}

tacho_track_class tacho_torq_host_track_class(tacho_torq_host_track track)
{
    static const tacho_track_class classes[] = {TACHO_TORQ_HOST_TRACKS(CLASS_AS_ROW)};
    assert(track < TACHO_TORQ_HOST_TRACK_COUNT);
    return classes[track];
}
