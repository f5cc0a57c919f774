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

tacho_origin tacho_origin_find(tacho_str name)
{
    for (int i = 0; i < TACHO_ORIGIN_COUNT; i++) {
        if (tacho_str_equal(name, tacho_str_from_cstring(tacho_origin_name((tacho_origin)i)))) {
            return (tacho_origin)i;
        }
    }
    return TACHO_ORIGIN_UNKNOWN;
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

tacho_category_kind tacho_category_kind_of(tacho_str category)
{
    static const struct {
        tacho_str word;
        tacho_category_kind kind;
    } words[] = {
        {TACHO_STR_INIT("kernel"), TACHO_CATEGORY_KIND_DEVICE},
        {TACHO_STR_INIT("gpu_memcpy"), TACHO_CATEGORY_KIND_DEVICE},
        {TACHO_STR_INIT("gpu_memset"), TACHO_CATEGORY_KIND_DEVICE},
        {TACHO_STR_INIT("mtia_ccp_events"), TACHO_CATEGORY_KIND_DEVICE},
        {TACHO_STR_INIT("hpu_op"), TACHO_CATEGORY_KIND_DEVICE},
        {TACHO_STR_INIT("Kernel"), TACHO_CATEGORY_KIND_DEVICE}, /* as files of 2021 have them */
        {TACHO_STR_INIT("Memcpy"), TACHO_CATEGORY_KIND_DEVICE},
        {TACHO_STR_INIT("Memset"), TACHO_CATEGORY_KIND_DEVICE},
        {TACHO_STR_INIT("cpu_op"), TACHO_CATEGORY_KIND_HOST},
        {TACHO_STR_INIT("python_function"), TACHO_CATEGORY_KIND_HOST},
        {TACHO_STR_INIT("cpu_instant_event"), TACHO_CATEGORY_KIND_HOST},
        {TACHO_STR_INIT("cuda_runtime"), TACHO_CATEGORY_KIND_HOST},
        {TACHO_STR_INIT("cuda_driver"), TACHO_CATEGORY_KIND_HOST},
        {TACHO_STR_INIT("mtia_runtime"), TACHO_CATEGORY_KIND_HOST},
        {TACHO_STR_INIT("xpu_runtime"), TACHO_CATEGORY_KIND_HOST},
        {TACHO_STR_INIT("xpu_driver"), TACHO_CATEGORY_KIND_HOST},
        {TACHO_STR_INIT("privateuse1_runtime"), TACHO_CATEGORY_KIND_HOST},
        {TACHO_STR_INIT("privateuse1_driver"), TACHO_CATEGORY_KIND_HOST},
        {TACHO_STR_INIT("glow_runtime"), TACHO_CATEGORY_KIND_HOST},
        {TACHO_STR_INIT("overhead"), TACHO_CATEGORY_KIND_HOST},
        {TACHO_STR_INIT("Operator"), TACHO_CATEGORY_KIND_HOST},
        {TACHO_STR_INIT("Runtime"), TACHO_CATEGORY_KIND_HOST},
        {TACHO_STR_INIT("user_annotation"), TACHO_CATEGORY_KIND_PHASE},
        {TACHO_STR_INIT("gpu_user_annotation"), TACHO_CATEGORY_KIND_PHASE},
        {TACHO_STR_INIT("cuda_profiler_range"), TACHO_CATEGORY_KIND_PHASE},
        {TACHO_STR_INIT("xpu_scope_profiler"), TACHO_CATEGORY_KIND_PHASE},
        {TACHO_STR_INIT("mtia_workloadd"), TACHO_CATEGORY_KIND_PHASE}, /* around others' work */
        {TACHO_STR_INIT("mtia_insight"), TACHO_CATEGORY_KIND_PHASE},
        {TACHO_STR_INIT("Trace"), TACHO_CATEGORY_KIND_PHASE},
        {TACHO_STR_INIT("cuda_sync"), TACHO_CATEGORY_KIND_WAIT},
        {TACHO_STR_INIT("cuda_event"), TACHO_CATEGORY_KIND_WAIT},
        {TACHO_STR_INIT("opencl_wait"), TACHO_CATEGORY_KIND_WAIT}, /* of tacho's own layer */
    };
    for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
        if (tacho_str_equal(category, words[i].word)) {
            return words[i].kind;
        }
    }
    return TACHO_CATEGORY_KIND_OTHER;
}

tacho_category_kind tacho_span_kind_of(tacho_str category, tacho_str name)
{
    bool is_event = tacho_str_equal(name, TACHO_STR("event_wait")) || /* for another stream */
                    tacho_str_equal(name, TACHO_STR("event_record"));
    bool is_wait = is_event && tacho_str_equal(category, TACHO_STR("mtia_ccp_events"));
    return is_wait ? TACHO_CATEGORY_KIND_WAIT : tacho_category_kind_of(category);
}

bool tacho_category_is_phase(tacho_str category)
{
    tacho_category_kind kind = tacho_category_kind_of(category);
    return kind == TACHO_CATEGORY_KIND_PHASE || kind == TACHO_CATEGORY_KIND_WAIT;
}

tacho_xla_line tacho_xla_line_of(tacho_str name)
{
    static const tacho_str summaries[] = {
        TACHO_STR_INIT("Steps"),
        TACHO_STR_INIT("XLA Modules"),
        TACHO_STR_INIT("Framework Ops"),
        TACHO_STR_INIT("Framework Name Scope"),
        TACHO_STR_INIT("TensorFlow Ops"), /* as older releases call these two */
        TACHO_STR_INIT("TensorFlow Name Scope"),
        TACHO_STR_INIT("Launch Stats"),
        TACHO_STR_INIT("Source code"),
        TACHO_STR_INIT(
            "XLA TraceMe"), /* waits for others, around the work of the row of operators */
        TACHO_STR_INIT("Overlay"),
        TACHO_STR_INIT("Sparse Core Steps"),
        TACHO_STR_INIT("Sparse Core Modules"),
    };
    for (size_t i = 0; i < sizeof(summaries) / sizeof(summaries[0]); i++) {
        if (tacho_str_equal(name, summaries[i])) {
            return TACHO_XLA_LINE_SUMMARY;
        }
    }
    bool is_stream = tacho_str_starts_with(name, TACHO_STR("Stream #")) ||
                     tacho_str_starts_with(name, TACHO_STR("stream #"));
    return is_stream                                     ? TACHO_XLA_LINE_STREAM
           : tacho_str_equal(name, TACHO_STR("XLA Ops")) ? TACHO_XLA_LINE_OPS
                                                         : TACHO_XLA_LINE_OTHER;
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

static bool find_torq_group(tacho_str name, bool *out_shows_work)
{
    static const struct {
        const char *name;
        bool shows_work;
    } groups[] = {
#define GROUP_AS_ROW(text, shows_work) {text, shows_work},
        TACHO_TORQ_TRACE_GROUPS(GROUP_AS_ROW)
#undef GROUP_AS_ROW
    };
    for (size_t i = 0; i < sizeof(groups) / sizeof(groups[0]); i++) {
        if (tacho_str_equal(name, tacho_str_from_cstring(groups[i].name))) {
            *out_shows_work = groups[i].shows_work;
            return true;
        }
    }
    return false;
}

bool tacho_torq_trace_group(tacho_str name)
{
    bool shows_work = false;
    return find_torq_group(name, &shows_work);
}

static bool cut_suffix(tacho_str *text, tacho_str suffix)
{
    bool found = tacho_str_ends_with(*text, suffix);
    text->len -= found ? suffix.len : 0;
    return found;
}

bool tacho_torq_trace_track(tacho_str group, tacho_str name, tacho_track_class *out_class,
                            uint32_t *out_index)
{
    static const struct {
        const char *name;
        tacho_track_class track_class;
    } tracks[] = {
#define TRACK_AS_ROW(text, track_class) {text, TACHO_TRACK_##track_class},
        TACHO_TORQ_TRACE_TRACKS(TRACK_AS_ROW)
#undef TRACK_AS_ROW
    };
    bool shows_work = false;
    *out_index = 0;
    *out_class = TACHO_TRACK_PHASE;
    if (!find_torq_group(group, &shows_work)) {
        return false;
    }
    if (!shows_work || cut_suffix(&name, TACHO_STR(" (Compile)"))) {
        return true;
    }
    cut_suffix(&name, TACHO_STR(" Used"));
    for (size_t i = 0; i < sizeof(tracks) / sizeof(tracks[0]); i++) {
        tacho_str known = tacho_str_from_cstring(tracks[i].name);
        uint64_t number = 0;
        bool is_numbered = known.data[known.len - 1] == ' ';
        *out_class = tracks[i].track_class;
        if (!is_numbered && tacho_str_equal(name, known)) {
            return true;
        }
        if (is_numbered && tacho_str_starts_with(name, known) &&
            tacho_str_parse_u64(tacho_str_from(name, known.len), &number) && number < 1024) {
            *out_index = (uint32_t)number;
            return true;
        }
    }
    return false;
}

/* The number that |*name| begins with is cut off; 0 when there is none. */
static size_t cut_digits(tacho_str *name)
{
    size_t count = 0;
    while (count < name->len && name->data[count] >= '0' && name->data[count] <= '9') {
        count++;
    }
    *name = tacho_str_from(*name, count);
    return count;
}

/* Capitals, and blanks for underscores; a name that does not fit matches none of them. */
static tacho_str spell_old(tacho_str name, char *out_text, size_t size)
{
    if (name.len > size) {
        return TACHO_STR("");
    }
    for (size_t i = 0; i < name.len; i++) {
        char byte = name.data[i];
        bool is_small = byte >= 'a' && byte <= 'z';
        out_text[i] = byte == '_' ? ' ' : (char)(is_small ? byte - 'a' + 'A' : byte);
    }
    return tacho_str_make(out_text, name.len);
}

static bool is_old_name(tacho_str name, tacho_str known, uint32_t *out_index)
{
    uint64_t number = 0;
    *out_index = 0;
    if (known.data[known.len - 1] != ' ') {
        return tacho_str_equal(name, known);
    }
    if (!tacho_str_starts_with(name, known) ||
        !tacho_str_parse_u64(tacho_str_from(name, known.len), &number) || number >= 1024) {
        return false;
    }
    *out_index = (uint32_t)number;
    return true;
}

bool tacho_torq_find_old_track(tacho_str name, tacho_torq_old_track *out_track)
{
    static const struct {
        const char *name;
        tacho_track_class track_class;
        bool is_engine;
    } tracks[] = {
#define OLD_AS_ROW(text, track_class, is_engine) {text, TACHO_TRACK_##track_class, is_engine},
        TACHO_TORQ_OLD_TRACKS(OLD_AS_ROW)
#undef OLD_AS_ROW
    };
    char text[64];
    size_t digits = cut_digits(&name);
    bool is_numbered = digits == 1 || digits == 2;
    if (is_numbered && (name.len < 2 || (name.data[0] != '_' && name.data[0] != ' '))) {
        return false;
    }
    tacho_str spelled = spell_old(tacho_str_from(name, is_numbered ? 1 : 0), text, sizeof(text));
    *out_track = (tacho_torq_old_track){TACHO_TRACK_PHASE, 0, is_numbered, false};
    if (is_numbered && tacho_str_starts_with(spelled, TACHO_STR("OVERVIEW "))) {
        return true;
    }
    for (size_t i = 0; i < sizeof(tracks) / sizeof(tracks[0]); i++) {
        tacho_str known = tacho_str_from_cstring(tracks[i].name);
        if (is_old_name(spelled, known, &out_track->index)) {
            out_track->track_class = tracks[i].track_class;
            out_track->is_engine = tracks[i].is_engine;
            /* Without a number only as the oldest tool spells it, and engines only. */
            return is_numbered ||
                   (digits == 0 && tracks[i].is_engine && tacho_str_equal(name, spelled));
        }
    }
    return false;
}

bool tacho_torq_is_old_process(tacho_str name)
{
    return tacho_str_ends_with(name, TACHO_STR(".csv")) && cut_digits(&name) == 2 &&
           tacho_str_starts_with(name, TACHO_STR(" "));
}

/* ---- engines --------------------------------------------------------------------------------- */

static size_t count_digits(tacho_str text, size_t at)
{
    size_t count = 0;
    while (at + count < text.len && text.data[at + count] >= '0' && text.data[at + count] <= '9') {
        count++;
    }
    return count;
}

tacho_str tacho_track_engine_word(tacho_str name)
{
    enum { WORD_MAX = 20 };
    tacho_str core = TACHO_STR("Core ");
    if (tacho_str_starts_with(name, core)) {
        size_t digits = count_digits(name, core.len);
        size_t end = core.len + digits;
        if (digits > 0 && end < name.len && name.data[end] == ' ') {
            name = tacho_str_from(name, end + 1);
        }
    }
    size_t end = name.len;
    while (end > 0 && name.data[end - 1] >= '0' && name.data[end - 1] <= '9') {
        end--;
    }
    if (end < name.len && end > 1 && name.data[end - 1] == ' ') {
        name.len = end - 1;
    }
    for (size_t i = 0; i < name.len; i++) {
        if (name.data[i] < ' ' || name.data[i] > '~') {
            return (tacho_str){NULL, 0};
        }
    }
    return name.len <= WORD_MAX ? name : (tacho_str){NULL, 0};
}
