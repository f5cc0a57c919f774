/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Names of metrics: Torq's words, Tenstorrent's, or those of the machine that tacho ran or
 * estimated, whose tracks are named after engines.
 */
#include "questions/overview/overview.h"

#include "profile/gpu_api.h"
#include "profile/part_format.h"
#include "profile/tt_columns.h"

#include <inttypes.h>
#include <stdio.h>

typedef struct metric_names {
    const char *key;
    const char *dashboard;
    const char *label;
} metric_names;

static const metric_names names[] = {
#define METRIC_AS_ROW(name, key, dashboard, label) {key, dashboard, label},
    TACHO_METRICS(METRIC_AS_ROW)
#undef METRIC_AS_ROW
};

/* Tenstorrent's names where they differ: BRISC and NCRISC move data, TRISC computes. */
typedef struct other_names {
    tacho_metric metric;
    metric_names names;
} other_names;

static const other_names tt_names[] = {
    {TACHO_METRIC_DMA, {"DM", "dm_time", "DM (BRISC/NCRISC)"}},
    {TACHO_METRIC_DMA_ONLY, {"DM_ONLY", "dm_only_time", "DM Only"}},
    {TACHO_METRIC_DMA_COMBINED, {"DM_ERISC", "dm_erisc_time", "DM and ERISC"}},
    {TACHO_METRIC_CDMA, {"ERISC", "erisc_time", "ERISC"}},
    {TACHO_METRIC_DMA_IN, {"NCRISC", "ncrisc_time", "NCRISC"}},
    {TACHO_METRIC_DMA_OUT, {"BRISC", "brisc_time", "BRISC"}},
    {TACHO_METRIC_COMPUTE, {"TRISC", "trisc_time", "TRISC"}},
    {TACHO_METRIC_COMPUTE_ONLY, {"TRISC_ONLY", "trisc_only_time", "TRISC Only"}},
    {TACHO_METRIC_OVERLAP, {"DM_TRISC_OVERLAP", "overlap_time", "Overlap"}},
};

/* Labels for GPUs: a stream computes, copies and communicates. */
static const struct {
    tacho_metric metric;
    const char *gpu, *device;
} stream_labels[] = {
    {TACHO_METRIC_OVERALL, "OVERALL (host and GPU)", "OVERALL (host and device)"},
    {TACHO_METRIC_COMPUTE, "GPU busy", "Device busy"},
    {TACHO_METRIC_DEVICE_IDLE, "GPU idle", "Device idle"},
    {TACHO_METRIC_HOST, "Host busy", "Host busy"},
    {TACHO_METRIC_IDLE, "Both idle", "Both idle"},
};

static const metric_names kernel_names = {"KERNELS", "kernel_time", "Kernels"};

/* For sequencers other than Torq's. */
static const metric_names control_names = {"CONTROL", "control_time", "Control"};

/* Engines of a machine: the class of their tracks, and the metrics of that engine alone. */
static const struct {
    tacho_track_class track_class;
    tacho_metric metric;
} engines[TACHO_NAMED_COUNT] = {
    [TACHO_NAMED_DMA_IN] = {TACHO_TRACK_DMA_IN, TACHO_METRIC_DMA_IN},
    [TACHO_NAMED_DMA_OUT] = {TACHO_TRACK_DMA_OUT, TACHO_METRIC_DMA_OUT},
    [TACHO_NAMED_DMA_LOCAL] = {TACHO_TRACK_DMA_LOCAL, TACHO_METRIC_CDMA},
    [TACHO_NAMED_COMPUTE] = {TACHO_TRACK_COMPUTE, TACHO_METRIC_SLICE},
    [TACHO_NAMED_VECTOR] = {TACHO_TRACK_VECTOR, TACHO_METRIC_CSS},
};

#define METRIC(name) (UINT32_C(1) << TACHO_METRIC_##name)

/* ---- names ----------------------------------------------------------------------------------- */

static const metric_names *names_of(const tacho_overview_block *block, tacho_metric metric)
{
    if (block->words == TACHO_WORDS_TT_KERNELS && metric == TACHO_METRIC_COMPUTE) {
        return &kernel_names;
    }
    if (block->words != TACHO_WORDS_TORQ && metric == TACHO_METRIC_NSS) {
        return &control_names;
    }
    for (size_t i = 0; i < sizeof(tt_names) / sizeof(tt_names[0]); i++) {
        if (block->words == TACHO_WORDS_TT_RISCS && tt_names[i].metric == metric) {
            return &tt_names[i].names;
        }
    }
    return &names[metric];
}

/* The label of a metric of streams or threads; NULL if it has the general one. */
static const char *stream_label(const tacho_overview_block *block, tacho_metric metric)
{
    bool is_gpu = block->words == TACHO_WORDS_GPU;
    if (block->words == TACHO_WORDS_HOST) {
        return metric == TACHO_METRIC_HOST   ? "Host busy"
               : metric == TACHO_METRIC_IDLE ? "Host idle"
                                             : NULL;
    }
    for (size_t i = 0; i < sizeof(stream_labels) / sizeof(stream_labels[0]); i++) {
        if ((is_gpu || block->words == TACHO_WORDS_STREAMS) && stream_labels[i].metric == metric) {
            return is_gpu ? stream_labels[i].gpu : stream_labels[i].device;
        }
    }
    return NULL;
}

/* Replaces %u in a name by the number of the slice. */
static void format_name(const char *pattern, uint32_t index, char out_name[TACHO_METRIC_LABEL_MAX])
{
    const char *hole = strstr(pattern, "%u");
    if (hole == NULL) {
        snprintf(out_name, TACHO_METRIC_LABEL_MAX, "%s", pattern);
        return;
    }
    snprintf(out_name, TACHO_METRIC_LABEL_MAX, "%.*s%u%s", (int)(hole - pattern), pattern,
             (unsigned)index, hole + 2);
}

/* The name of the engine that a metric belongs to; NULL if not a single engine. */
static const tacho_str *engine_of(const tacho_overview_block *block, tacho_metric metric)
{
    tacho_metric whole = metric == TACHO_METRIC_SLICE_N ? TACHO_METRIC_SLICE : metric;
    for (size_t i = 0; block->words == TACHO_WORDS_OWN && i < TACHO_NAMED_COUNT; i++) {
        if (engines[i].metric == whole && block->engines[i].len > 0) {
            return &block->engines[i];
        }
    }
    return NULL;
}

/* Converts a text to one case, and replaces other characters than letters and digits by _. */
static void set_case(char *text, char first, char last, int shift)
{
    for (; *text != '\0'; text++) {
        bool is_other_case = *text >= first && *text <= last;
        *text = (char)(is_other_case ? *text + shift : *text);
        bool is_kept = (*text >= '0' && *text <= '9') || (*text >= 'a' && *text <= 'z') ||
                       (*text >= 'A' && *text <= 'Z');
        *text = is_kept ? *text : '_';
    }
}

static void name_engine(tacho_str engine, const tacho_metric_value *value,
                        tacho_metric_names *out_names)
{
    char number[16] = "";
    if (value->metric == TACHO_METRIC_SLICE_N) {
        snprintf(number, sizeof(number), " %" PRIu32, value->index);
    }
    snprintf(out_names->label, sizeof(out_names->label), "%.*s%s", TACHO_STR_ARG(engine), number);
    snprintf(out_names->key, sizeof(out_names->key), "%s", out_names->label);
    set_case(out_names->key, 'a', 'z', 'A' - 'a');
    snprintf(out_names->dashboard, sizeof(out_names->dashboard), "%.*s%s time",
             TACHO_STR_ARG(engine), number);
    set_case(out_names->dashboard, 'A', 'Z', 'a' - 'A');
}

void tacho_metric_name(const tacho_overview_block *block, const tacho_metric_value *value,
                       tacho_metric_names *out_names)
{
    const tacho_str *engine = engine_of(block, value->metric);
    if (engine != NULL) {
        name_engine(*engine, value, out_names);
        return;
    }
    const metric_names *called = names_of(block, value->metric);
    const char *label = stream_label(block, value->metric);
    format_name(called->key, value->index, out_names->key);
    format_name(called->dashboard, value->index, out_names->dashboard);
    format_name(label != NULL ? label : called->label, value->index, out_names->label);
}

void tacho_metric_label(const tacho_overview_block *block, const tacho_metric_value *value,
                        char out_label[TACHO_METRIC_LABEL_MAX])
{
    tacho_metric_names called;
    tacho_metric_name(block, value, &called);
    memcpy(out_label, called.label, sizeof(called.label));
}

/* ---- choice of words
 * ----------------------------------------------------------------------------- */

/* Facts of the tracks of one class. */
typedef struct engine_tracks {
    tacho_str word; /* the common word of all; else empty */
    size_t count;
    uint32_t first_index;
    bool has_several; /* of different index */
} engine_tracks;

static void note_track(const tacho_dict *dict, const tacho_track *track, engine_tracks *engine)
{
    tacho_str word = tacho_track_engine_word(tacho_dict_string(dict, track->name));
    if (engine->count == 0) {
        engine->word = word;
        engine->first_index = track->index;
    } else if (!tacho_str_equal(engine->word, word)) {
        engine->word.len = 0;
    }
    engine->has_several = engine->has_several || track->index != engine->first_index;
    engine->count++;
}

static void note_engines(const tacho_dict *dict, uint32_t part,
                         engine_tracks out_engines[TACHO_NAMED_COUNT])
{
    for (size_t i = 0; i < TACHO_NAMED_COUNT; i++) {
        out_engines[i] = (engine_tracks){.count = 0};
    }
    for (uint32_t t = 0; t < dict->track_count; t++) {
        const tacho_track *track = &dict->tracks[t];
        for (size_t i = 0; i < TACHO_NAMED_COUNT; i++) {
            if (track->part == part && track->lane_of == TACHO_NONE &&
                track->track_class == engines[i].track_class) {
                note_track(dict, track, &out_engines[i]);
            }
        }
    }
}

/* Hides engines that only Torq has: Tenstorrent's chips do not have slices. */
static uint32_t choose_tt(const engine_tracks found[TACHO_NAMED_COUNT], tacho_overview_block *block)
{
    bool has_moves = found[TACHO_NAMED_DMA_IN].count > 0 || found[TACHO_NAMED_DMA_OUT].count > 0 ||
                     found[TACHO_NAMED_DMA_LOCAL].count > 0;
    block->words = has_moves ? TACHO_WORDS_TT_RISCS : TACHO_WORDS_TT_KERNELS;
    /* Without Ethernet, all data movement is that of BRISC and NCRISC. */
    return METRIC(SLICE) | METRIC(SLICE_N) | METRIC(CSS) | METRIC(CDMA_DTCM) | METRIC(CDMA_ITCM) |
           METRIC(HAL) | (found[TACHO_NAMED_DMA_LOCAL].count == 0 ? METRIC(DMA_COMBINED) : 0);
}

/*
 * Torq's machines keep Torq's words. An engine without a track has no name, and neither have
 * several with different names: only their common metrics are shown.
 */
static uint32_t choose_own(const engine_tracks found[TACHO_NAMED_COUNT],
                           tacho_overview_block *block)
{
    tacho_str compute = found[TACHO_NAMED_COMPUTE].word, vector = found[TACHO_NAMED_VECTOR].word;
    if (tacho_str_equal(compute, TACHO_STR("SLICE")) || tacho_str_equal(vector, TACHO_STR("CSS")) ||
        compute.len + vector.len == 0) {
        return 0;
    }
    uint32_t hidden = METRIC(CDMA_DTCM) | METRIC(CDMA_ITCM);
    block->words = TACHO_WORDS_OWN;
    for (size_t i = 0; i < TACHO_NAMED_COUNT; i++) {
        block->engines[i] = found[i].word;
        bool is_torqs =
            found[i].word.len == 0 && (i == TACHO_NAMED_COMPUTE || i == TACHO_NAMED_VECTOR);
        hidden |= found[i].count == 0 || is_torqs ? UINT32_C(1) << engines[i].metric : 0;
    }
    hidden |= found[TACHO_NAMED_DMA_LOCAL].count == 0 ? METRIC(DMA_COMBINED) : 0;
    bool has_several = found[TACHO_NAMED_COMPUTE].has_several && compute.len > 0;
    return hidden | (has_several ? 0 : METRIC(SLICE_N));
}

/* Whether |track| is a stream of a GPU, by its name or that of a track around it. */
static bool is_gpu_stream(const tacho_dict *dict, const tacho_track *track)
{
    tacho_str name = tacho_dict_string(dict, track->name);
    if (tacho_str_starts_with(name, TACHO_STR("stream "))) {
        return true;
    }
    for (name = track->parent != TACHO_NONE
                    ? tacho_dict_string(dict, dict->tracks[track->parent].name)
                    : TACHO_STR("");
         name.len >= 3; name = tacho_str_from(name, 1)) {
        if (tacho_str_starts_with(name, TACHO_STR("GPU"))) {
            return true;
        }
    }
    return false;
}

/* Whether |part| is in a general trace format and was not converted from a profile of Torq. */
static bool is_of_anybody(const tacho_dict *dict, uint32_t part)
{
    static const tacho_str formats[] = {
        TACHO_STR_INIT("chrome"),      TACHO_STR_INIT("perfetto"),     TACHO_STR_INIT("tracy"),
        TACHO_STR_INIT("xplane"),      TACHO_STR_INIT("nsys"),         TACHO_STR_INIT("rocpd"),
        TACHO_STR_INIT("rocprof-csv"), TACHO_STR_INIT("rocprof-json"), TACHO_STR_INIT("ascend-csv"),
        TACHO_STR_INIT("ascend-db")};
    tacho_str format = tacho_dict_string(dict, dict->parts[part].format);
    bool is_trace = false;
    for (size_t i = 0; i < sizeof(formats) / sizeof(formats[0]); i++) {
        is_trace = is_trace || tacho_str_equal(format, formats[i]);
    }
    return is_trace && !tacho_part_is_of_format(dict, part, TACHO_STR("torq"));
}

/* Whether there are threads of the host, but none of Torq's tracks: runtime, sequencer, copies. */
static bool is_of_host(const tacho_dict *dict, uint32_t part)
{
    const uint32_t torqs = TACHO_TRACK_BIT(TACHO_TRACK_RUNTIME) |
                           TACHO_TRACK_BIT(TACHO_TRACK_CONTROL) |
                           TACHO_TRACK_BIT(TACHO_TRACK_HOST_COPY);
    uint32_t classes = 0;
    for (size_t i = 0; i < dict->track_count; i++) {
        const tacho_track *track = &dict->tracks[i];
        classes |= track->part == part ? TACHO_TRACK_BIT(track->track_class) : 0;
    }
    return (classes & torqs) == 0 && (classes & TACHO_TRACK_BIT(TACHO_TRACK_HOST)) != 0;
}

/* Whether the compute tracks of |part| are slices, and whether they are streams of GPUs. */
static void look_at_streams(const tacho_dict *dict, uint32_t part, bool *out_has_slices,
                            bool *out_is_gpu)
{
    *out_has_slices = false;
    *out_is_gpu = true;
    for (size_t i = 0; i < dict->track_count; i++) {
        const tacho_track *track = &dict->tracks[i];
        if (track->part == part && track->track_class == TACHO_TRACK_COMPUTE) {
            tacho_str word = tacho_track_engine_word(tacho_dict_string(dict, track->name));
            bool is_slice = tacho_str_equal(word, TACHO_STR("Slice")) ||
                            tacho_str_equal(word, TACHO_STR("SLICE"));
            *out_has_slices = *out_has_slices || is_slice;
            *out_is_gpu = *out_is_gpu && is_gpu_stream(dict, track);
        }
    }
}

/* Traces of PyTorch or JAX have streams as their only engines; slices are Torq's. */
static uint32_t choose_streams(const tacho_dict *dict, uint32_t part,
                               const engine_tracks found[TACHO_NAMED_COUNT],
                               tacho_overview_block *block)
{
    tacho_str generation = tacho_dict_string(dict, dict->parts[part].generation);
    bool has_streams = tacho_str_equal(generation, TACHO_STR("kineto"));
    bool has_slices = false;
    bool is_gpu = false;
    bool has_engines = false;
    bool has_others = false;
    for (size_t i = 0; i < TACHO_NAMED_COUNT; i++) {
        has_engines = has_engines || found[i].count > 0;
        has_others = has_others || (found[i].count > 0 && i != TACHO_NAMED_COMPUTE);
    }
    if (!has_engines) {
        bool is_host = is_of_anybody(dict, part) && is_of_host(dict, part);
        block->words = is_host ? TACHO_WORDS_HOST : block->words;
        return 0;
    }
    look_at_streams(dict, part, &has_slices, &is_gpu);
    is_gpu = is_gpu || (has_streams && tacho_gpu_api(dict).len > 0);
    has_streams = has_streams || (is_of_anybody(dict, part) && !has_slices);
    if (has_others || (!is_gpu && !has_streams)) {
        return 0;
    }
    block->words = is_gpu ? TACHO_WORDS_GPU : TACHO_WORDS_STREAMS;
    return METRIC(SLICE) | METRIC(SLICE_N) | METRIC(CSS) | METRIC(CDMA_DTCM) | METRIC(CDMA_ITCM);
}

uint32_t tacho_overview_choose_words(const tacho_dict *dict, uint32_t part,
                                     tacho_overview_block *block)
{
    engine_tracks found[TACHO_NAMED_COUNT];
    note_engines(dict, part, found);
    if (tacho_part_is_of_format(dict, part, TACHO_STR(TACHO_TT_VENDOR))) {
        return choose_tt(found, block);
    }
    bool is_ours = tacho_part_is_of_format(dict, part, TACHO_STR("stats")) ||
                   tacho_part_is_of_format(dict, part, TACHO_STR("tacho-estimate"));
    return is_ours ? choose_own(found, block) : choose_streams(dict, part, found, block);
}
