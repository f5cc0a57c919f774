/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Facts of devices, and the functions through which rules read them.
 */
#include "questions/breakdown/breakdown_facts.h"
#include "questions/breakdown/breakdown.h"
#include "questions/breakdown/breakdown_subjects.h"
#include "base/maths.h"
#include "base/whole.h"
#include "profile/gpu_api.h"

#include <math.h>

#define COUNT_OF(array) (sizeof(array) / sizeof((array)[0]))
#define KIND(name) (1U << TACHO_WORK_##name)
#define BIT(name) TACHO_TRACK_BIT(TACHO_TRACK_##name)

static const tacho_column fact_columns[] = {
    TACHO_COLUMN(GENERATION, "made by", TEXT),
    TACHO_COLUMN(API, "driven by", TEXT),
    TACHO_COLUMN(ORIGIN, "origin", TEXT),
    TACHO_COLUMN(DEVICE, "device", TEXT),
    TACHO_COLUMN(LEVEL, "level", TEXT),
    TACHO_COLUMN(PERIOD, "period", TEXT),
    TACHO_COLUMN(STEP_COUNT, "steps", INT),
    TACHO_COLUMN(WARM_UP_COUNT, "warm-up", INT),
    TACHO_COLUMN(LOST, "lost", INT),
    TACHO_COLUMN(COUNT, "work", INT),
    TACHO_COLUMN(LAUNCH_COUNT, "launches", INT),
    TACHO_COLUMN(STREAMS, "streams", INT),
    TACHO_COLUMN(SPAN_NS, "span", DURATION),
    TACHO_COLUMN(BUSY_NS, "busy", DURATION),
    TACHO_COLUMN(COMPUTE_NS, "compute", DURATION),
    TACHO_COLUMN(COMMUNICATION_NS, "communication", DURATION),
    TACHO_COLUMN(EXPOSED_COMMUNICATION_NS, "exposed", DURATION),
    TACHO_COLUMN(HIDEABLE_COMMUNICATION_NS, "can be hidden", DURATION),
    TACHO_COLUMN(COMMUNICATION_START_NS, "longest at", DURATION),
    TACHO_COLUMN(COPY_NS, "copy", DURATION),
    TACHO_COLUMN(EXPOSED_COPY_NS, "exposed copy", DURATION),
    TACHO_COLUMN(HIDEABLE_COPY_NS, "can be hidden", DURATION),
    TACHO_COLUMN(COPY_START_NS, "longest at", DURATION),
    TACHO_COLUMN(ENGINE, "engine", TEXT),
    TACHO_COLUMN(ENGINE_COUNT, "engines", INT),
    TACHO_COLUMN(BUSIEST_NS, "busiest", DURATION),
    TACHO_COLUMN(MEAN_BUSY_NS, "on average", DURATION),
    TACHO_COLUMN(START_NS, "first work", DURATION),
    TACHO_COLUMN(IDLE_NS, "idle", DURATION),
    TACHO_COLUMN(HOST_LATE_NS, "host late", DURATION),
    TACHO_COLUMN(SHORT_LATE_NS, "in short gaps", DURATION),
    TACHO_COLUMN(LONG_LATE_NS, "in long gaps", DURATION),
    TACHO_COLUMN(QUEUED_NS, "queued", DURATION),
    TACHO_COLUMN(LONGEST_NS, "longest gap", DURATION),
    TACHO_COLUMN(GAP_START_NS, "at", DURATION),
};

/* ---- kind of device ------------------------------------------------------------------------ */

static uint32_t classes_of(const tacho_dict *dict, const tacho_breakdown_device *device)
{
    uint32_t classes = 0;
    for (size_t i = 0; i < device->stream_count; i++) {
        classes |= TACHO_TRACK_BIT(dict->tracks[device->streams[i].track].track_class);
    }
    return classes;
}

/* Processors of Tenstorrent's cores: a measured kernel of NCRISC or BRISC includes its waits. */
static bool has_processors(const tacho_dict *dict, const tacho_breakdown_device *device)
{
    for (size_t i = 0; i < device->stream_count; i++) {
        uint32_t name = tacho_dict_track_name(dict, device->streams[i].track);
        if (device->origin == TACHO_ORIGIN_MEASURED &&
            tacho_str_ends_with(tacho_dict_string(dict, name), TACHO_STR("RISC"))) {
            return true;
        }
    }
    return false;
}

static const char *level_of(const tacho_dict *dict, const tacho_breakdown_device *device)
{
    const uint32_t moves = BIT(DMA_IN) | BIT(DMA_OUT) | BIT(DMA_LOCAL);
    uint32_t classes = classes_of(dict, device);
    if ((classes & BIT(CONTROL)) != 0) {
        return TACHO_LEVEL_PROGRAMS;
    }
    if (has_processors(dict, device)) {
        return TACHO_LEVEL_PROCESSORS;
    }
    return (classes & (moves | BIT(VECTOR))) != 0 ? TACHO_LEVEL_ENGINES : TACHO_LEVEL_KERNELS;
}

/* The users' word for the device: from its name or, failing that, from its driver. */
static tacho_str word_of(const tacho_dict *dict, const tacho_breakdown_device *device)
{
    static const struct {
        tacho_str part, word;
    } words[] = {{TACHO_STR_INIT("GPU"), TACHO_STR_INIT("GPU")},
                 {TACHO_STR_INIT("TPU"), TACHO_STR_INIT("TPU")},
                 {TACHO_STR_INIT("HPU"), TACHO_STR_INIT("HPU")},
                 {TACHO_STR_INIT("MTIA"), TACHO_STR_INIT("MTIA device")}};
    bool is_root = device->group == dict->parts[device->part].root;
    const char *level = level_of(dict, device);
    tacho_str name = is_root ? TACHO_STR("")
                             : tacho_dict_string(dict, tacho_dict_track_name(dict, device->group));
    for (; name.len >= 3; name = tacho_str_from(name, 1)) {
        for (size_t i = 0; i < COUNT_OF(words); i++) {
            if (tacho_str_starts_with(name, words[i].part)) {
                return words[i].word;
            }
        }
    }
    bool is_driven =
        strcmp(level, TACHO_LEVEL_KERNELS) == 0 || strcmp(level, TACHO_LEVEL_ENGINES) == 0;
    if (is_driven && tacho_gpu_api(dict).len > 0) {
        return TACHO_STR("GPU");
    }
    return strcmp(level, TACHO_LEVEL_ENGINES) == 0 ? TACHO_STR("NPU") : TACHO_STR("device");
}

static uint64_t lost_count(const tacho_dict *dict, uint32_t part)
{
    uint64_t count = 0;
    for (size_t i = 0; i < dict->loss_count; i++) {
        count += dict->losses[i].part == part ? dict->losses[i].count : 0;
    }
    return count;
}

/* The subject of facts: all work of a device, or its work in steps without warm-up. */
typedef struct device_view {
    const tacho_breakdown_gather *gather;
    const tacho_breakdown_subject *subject;
    const tacho_breakdown_device *device; /* of the first inference */
    const tacho_part_steps *steps;        /* NULL: all */
    const char *period;
    size_t step_count, warm_up_count; /* 0: no steps */
    tacho_kind_time busy;             /* only sums */
    tacho_kind_time all;              /* stretches of work, warm-up included */
    tacho_idle_time idle;
    int64_t span_ns;
    uint64_t work_count, launch_count;
} device_view;

static void add_stretches(const tacho_kind_time *from, tacho_kind_time *to)
{
    for (size_t i = 0; i < TACHO_WORK_COMBINATIONS; i++) {
        if (from->longest[i].length_ns > to->longest[i].length_ns) {
            to->longest[i] = from->longest[i];
        }
    }
}

static void add_idle(const tacho_idle_time *from, tacho_idle_time *to)
{
    for (size_t i = 0; i < TACHO_IDLE_CAUSE_COUNT; i++) {
        to->causes[i] = tacho_cycles_add(to->causes[i], from->causes[i]);
    }
    to->gap_count += from->gap_count;
    to->long_late_ns = tacho_cycles_add(to->long_late_ns, from->long_late_ns);
    if (from->longest_ns > to->longest_ns) {
        to->longest_ns = from->longest_ns;
        to->longest_start_ns = from->longest_start_ns;
    }
}

/* Adds all work of |device|. */
static void add_whole(const tacho_breakdown_device *device, device_view *view)
{
    for (size_t i = 0; i < TACHO_WORK_COMBINATIONS; i++) {
        view->busy.sums[i] = tacho_cycles_add(view->busy.sums[i], device->time.busy.sums[i]);
    }
    add_stretches(&device->time.busy, &view->all);
    add_idle(&device->time.idle, &view->idle);
    view->span_ns = tacho_cycles_add(view->span_ns, tacho_device_time_span(&device->time));
    for (size_t i = 0; i < device->stream_count; i++) {
        view->work_count += device->time.streams[i].work_count;
        view->launch_count += device->streams[i].launches.count;
    }
}

/* Takes out the gaps of |device| that happen once; the longest gap is one of the others. */
static void remove_once(const tacho_breakdown_device *device, device_view *view)
{
    bool has_once = false;
    tacho_idle_time *idle = &view->idle;
    for (size_t i = 0; i < device->story.gap_count; i++) {
        has_once = has_once || device->story.gaps[i].is_once;
    }
    idle->longest_ns = has_once ? 0 : idle->longest_ns;
    for (size_t i = 0; i < device->story.gap_count && has_once; i++) {
        const tacho_breakdown_gap *gap = &device->story.gaps[i];
        if (gap->is_once) {
            view->span_ns -= gap->steady_ns;
            idle->causes[gap->gap.cause] -= gap->steady_ns;
            idle->long_late_ns -= gap->gap.cause == TACHO_IDLE_HOST_LATE ? gap->steady_ns : 0;
        } else if (gap->steady_ns > idle->longest_ns) {
            idle->longest_ns = gap->steady_ns;
            idle->longest_start_ns = gap->gap.start_ns;
        }
    }
}

static device_view view_of(const tacho_breakdown_gather *gather,
                           const tacho_breakdown_subject *subject)
{
    device_view view = {.gather = gather,
                        .subject = subject,
                        .device = &gather->devices[subject->first],
                        .period = TACHO_PERIOD_SPAN};
    view.steps = tacho_breakdown_steady(gather, view.device);
    if (view.steps != NULL) {
        view.period = TACHO_PERIOD_STEP;
        view.step_count = tacho_part_steps_steady_count(view.steps);
        view.warm_up_count = view.steps->warm_up_count;
        view.busy = view.device->steps.busy;
        view.all = view.device->time.busy;
        view.idle = view.device->steps.idle;
        view.span_ns = view.steps->steady_ns;
        view.work_count = view.device->steps.work_count;
        view.launch_count = view.device->steps.launch_count;
        remove_once(view.device, &view);
        return view;
    }
    if (subject->count > 1) {
        view.period = TACHO_PERIOD_INFERENCE;
        view.step_count = subject->count - subject->warm_up_count;
        view.warm_up_count = subject->warm_up_count;
    }
    for (size_t i = subject->warm_up_count; i < subject->count; i++) {
        add_whole(tacho_breakdown_subject_device(gather, subject, i), &view);
    }
    if (subject->count == 1) {
        remove_once(view.device, &view);
    }
    return view;
}

static tacho_status add_period(const device_view *view, tacho_table *table)
{
    TACHO_TRY(tacho_table_add_text(table, tacho_str_from_cstring(view->period)));
    TACHO_TRY(tacho_table_add_int(table, (int64_t)view->step_count));
    return tacho_table_add_int(table, (int64_t)view->warm_up_count);
}

static tacho_status add_what_it_is(const tacho_dict *dict, const device_view *view,
                                   tacho_table *table)
{
    const tacho_breakdown_device *device = view->device;
    TACHO_TRY(
        tacho_table_add_text(table, tacho_dict_string(dict, dict->parts[device->part].generation)));
    TACHO_TRY(tacho_table_add_text(table, tacho_gpu_api(dict)));
    const char *origin = tacho_origin_name(device->origin);
    TACHO_TRY(tacho_table_add_text(table, tacho_str_from_cstring(origin)));
    TACHO_TRY(tacho_table_add_text(table, word_of(dict, device)));
    TACHO_TRY(tacho_table_add_text(table, tacho_str_from_cstring(level_of(dict, device))));
    TACHO_TRY(add_period(view, table));
    TACHO_TRY(tacho_table_add_int(table, (int64_t)lost_count(dict, device->part)));
    TACHO_TRY(tacho_table_add_int(table, (int64_t)view->work_count));
    TACHO_TRY(tacho_table_add_int(table, (int64_t)view->launch_count));
    return tacho_table_add_int(table, (int64_t)device->stream_count);
}

/* ---- work ---------------------------------------------------------------------------------- */

/* Adds the start of the longest stretch with work of |any| and without work of |none|. */
static tacho_status add_longest(const tacho_kind_time *time, unsigned any, unsigned none,
                                tacho_table *table)
{
    int64_t start_ns = 0;
    int64_t length_ns = 0;
    for (unsigned i = 0; i < TACHO_WORK_COMBINATIONS; i++) {
        bool is_it = (i & any) != 0 && (i & none) == 0;
        if (is_it && time->longest[i].length_ns > length_ns) {
            start_ns = time->longest[i].start_ns;
            length_ns = time->longest[i].length_ns;
        }
    }
    return length_ns > 0 ? tacho_table_add_int(table, start_ns) : tacho_table_add_absent(table);
}

/*
 * Adds the time of |kind|, the part that |above| leaves exposed, how much of that other work could
 * hide, and the start of the longest stretch in |all|. Only work of |above| without |kind| can hide
 * anything.
 */
static tacho_status add_exposed(const tacho_kind_time *time, const tacho_kind_time *all,
                                unsigned kind, unsigned above, tacho_table *table)
{
    int64_t exposed = tacho_kind_time_sum(time, kind, above);
    int64_t room = tacho_kind_time_sum(time, above, kind);
    TACHO_TRY(tacho_table_add_int(table, tacho_kind_time_sum(time, kind, 0)));
    TACHO_TRY(tacho_table_add_int(table, exposed));
    TACHO_TRY(tacho_table_add_int(table, exposed < room ? exposed : room));
    return add_longest(all, kind, above, table);
}

static tacho_status add_work_facts(const tacho_kind_time *time, const tacho_kind_time *all,
                                   tacho_table *table)
{
    const unsigned both = KIND(COMPUTE) | KIND(COMMUNICATION);
    TACHO_TRY(tacho_table_add_int(table, tacho_kind_time_sum(time, both | KIND(COPY), 0)));
    TACHO_TRY(tacho_table_add_int(table, tacho_kind_time_sum(time, KIND(COMPUTE), 0)));
    TACHO_TRY(add_exposed(time, all, KIND(COMMUNICATION), KIND(COMPUTE), table));
    return add_exposed(time, all, KIND(COPY), both, table);
}

/* Engines of the class compute: their name, number, busiest engine and average. */
typedef struct engine_facts {
    tacho_str word;
    int64_t count, busiest_ns, mean_ns;
} engine_facts;

static engine_facts engines_of(const device_view *view, const tacho_breakdown_device *device)
{
    const tacho_dict *dict = view->gather->events.dict;
    engine_facts facts = {.word = {NULL, 0}};
    int64_t sum_ns = 0;
    for (size_t i = 0; i < device->stream_count; i++) {
        uint32_t track = device->streams[i].track;
        tacho_str name = tacho_dict_string(dict, tacho_dict_track_name(dict, track));
        int64_t busy_ns = view->steps != NULL ? device->streams[i].steady_ns
                                              : tacho_kind_time_sum(&device->time.streams[i].busy,
                                                                    TACHO_WORK_COMBINATIONS - 1, 0);
        if (dict->tracks[track].track_class == TACHO_TRACK_COMPUTE) {
            tacho_str own = tacho_track_engine_word(name);
            bool is_same = facts.count == 0 || tacho_str_equal(facts.word, own);
            facts.word = is_same ? own : (tacho_str){NULL, 0};
            facts.busiest_ns = busy_ns > facts.busiest_ns ? busy_ns : facts.busiest_ns;
            sum_ns = tacho_cycles_add(sum_ns, busy_ns);
            facts.count++;
        }
    }
    facts.mean_ns = facts.count > 0 ? sum_ns / facts.count : 0;
    return facts;
}

static tacho_status add_engines(const device_view *view, tacho_table *table)
{
    const tacho_breakdown_subject *subject = view->subject;
    engine_facts sum = engines_of(view, view->device);
    sum.busiest_ns = sum.mean_ns = 0;
    for (size_t i = subject->warm_up_count; i < subject->count; i++) {
        const engine_facts more =
            engines_of(view, tacho_breakdown_subject_device(view->gather, subject, i));
        sum.busiest_ns = tacho_cycles_add(sum.busiest_ns, more.busiest_ns);
        sum.mean_ns = tacho_cycles_add(sum.mean_ns, more.mean_ns);
    }
    TACHO_TRY(tacho_table_add_text(table, sum.word));
    TACHO_TRY(tacho_table_add_int(table, sum.count));
    TACHO_TRY(tacho_table_add_int(table, sum.busiest_ns));
    TACHO_TRY(tacho_table_add_int(table, sum.mean_ns));
    return tacho_table_add_int(table, view->device->time.first_ns);
}

/* ---- idle time ----------------------------------------------------------------------------- */

static tacho_status add_idle_facts(const tacho_idle_time *idle, tacho_table *table)
{
    int64_t late_ns = idle->causes[TACHO_IDLE_HOST_LATE];
    TACHO_TRY(tacho_table_add_int(table, tacho_idle_time_sum(idle)));
    TACHO_TRY(tacho_table_add_int(table, late_ns));
    TACHO_TRY(tacho_table_add_int(table, late_ns - idle->long_late_ns));
    TACHO_TRY(tacho_table_add_int(table, idle->long_late_ns));
    TACHO_TRY(tacho_table_add_int(table, idle->causes[TACHO_IDLE_QUEUED]));
    TACHO_TRY(tacho_table_add_int(table, idle->longest_ns));
    return idle->gap_count > 0 ? tacho_table_add_int(table, idle->longest_start_ns)
                               : tacho_table_add_absent(table);
}

static tacho_status add_facts(const tacho_breakdown_gather *gather,
                              const tacho_breakdown_subject *subject, tacho_table *table)
{
    const device_view view = view_of(gather, subject);
    TACHO_TRY(add_what_it_is(gather->events.dict, &view, table));
    TACHO_TRY(tacho_table_add_int(table, view.span_ns));
    TACHO_TRY(add_work_facts(&view.busy, &view.all, table));
    TACHO_TRY(add_engines(&view, table));
    return add_idle_facts(&view.idle, table);
}

tacho_status tacho_breakdown_facts_table(const tacho_breakdown_gather *gather,
                                         tacho_table *out_table)
{
    tacho_table_init(out_table, "facts", "Facts", fact_columns, COUNT_OF(fact_columns));
    return tacho_breakdown_each_subject(gather, add_facts, out_table);
}

/* ---- for rules ----------------------------------------------------------------------------- */

double tacho_fact(const tacho_device_facts *of, tacho_column_id id)
{
    return tacho_rule_number(of->table, of->row, tacho_table_column(of->table, id));
}

double tacho_fact_share(const tacho_device_facts *of, tacho_column_id id)
{
    double span = tacho_fact(of, TACHO_COL_SPAN_NS);
    return span > 0 ? TACHO_FACTS_PERCENT * tacho_fact(of, id) / span : 0;
}

tacho_str tacho_fact_text(const tacho_device_facts *of, tacho_column_id id)
{
    return tacho_rule_text(of->table, of->row, tacho_table_column(of->table, id));
}

const char *tacho_fact_period(const tacho_device_facts *of)
{
    static const char *const periods[] = {TACHO_PERIOD_STEP, TACHO_PERIOD_INFERENCE};
    tacho_str period = tacho_fact_text(of, TACHO_COL_PERIOD);
    for (size_t i = 0; i < COUNT_OF(periods); i++) {
        if (tacho_str_equal(period, tacho_str_from_cstring(periods[i]))) {
            return periods[i];
        }
    }
    return TACHO_PERIOD_SPAN;
}

bool tacho_facts_are_enough(const tacho_device_facts *of)
{
    return tacho_fact(of, TACHO_COL_COUNT) >= TACHO_FACTS_LEAST_WORK &&
           tacho_fact(of, TACHO_COL_LOST) == 0;
}

bool tacho_facts_show_work(const tacho_device_facts *of)
{
    tacho_str level = tacho_fact_text(of, TACHO_COL_LEVEL);
    return tacho_str_equal(level, TACHO_STR(TACHO_LEVEL_KERNELS)) ||
           tacho_str_equal(level, TACHO_STR(TACHO_LEVEL_ENGINES));
}

bool tacho_facts_have_launches(const tacho_device_facts *of)
{
    double work = tacho_fact(of, TACHO_COL_COUNT);
    double launched = tacho_fact(of, TACHO_COL_LAUNCH_COUNT);
    return TACHO_FACTS_PERCENT * launched >= TACHO_FACTS_LEAST_LAUNCHED * work;
}

bool tacho_facts_are_of_torch_gpu(const tacho_device_facts *of)
{
    return tacho_str_equal(tacho_fact_text(of, TACHO_COL_GENERATION), TACHO_STR("kineto")) &&
           tacho_str_equal(tacho_fact_text(of, TACHO_COL_DEVICE), TACHO_STR("GPU"));
}

void tacho_facts_set_gain(const tacho_device_facts *of, tacho_findings *findings,
                          tacho_column_id gain, tacho_column_id start)
{
    double start_ns = tacho_fact(of, start);
    findings->gain_ns = tacho_whole_i64(tacho_fact(of, gain));
    findings->has_start = !isnan(start_ns);
    findings->start_ns = isnan(start_ns) ? 0 : tacho_whole_i64(start_ns);
}

int64_t tacho_facts_gain_per_step(const tacho_device_facts *of, int64_t gain_ns)
{
    int64_t step_count = tacho_whole_i64(tacho_fact(of, TACHO_COL_STEP_COUNT));
    int64_t span_ns = tacho_whole_i64(tacho_fact(of, TACHO_COL_SPAN_NS));
    int64_t least_ns = gain_ns < span_ns ? gain_ns : span_ns;
    return step_count > 1 ? least_ns / step_count : least_ns;
}

tacho_status tacho_facts_check_each(const tacho_table *facts, tacho_findings *findings,
                                    tacho_status (*check)(const tacho_device_facts *of,
                                                          tacho_findings *findings))
{
    for (size_t row = 0; row < tacho_table_row_count(facts); row++) {
        const tacho_device_more *more = findings->more;
        const tacho_device_facts of = {facts, row, more != NULL ? &more[row] : NULL};
        if (tacho_facts_are_enough(&of)) {
            TACHO_TRY(check(&of, findings));
        }
    }
    return TACHO_OK;
}
