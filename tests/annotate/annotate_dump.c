/* SPDX-License-Identifier: Apache-2.0 */
/*
 * annotate_dump DEBUG RUNTIME WHAT...: prints what becomes of debug information and a runtime
 * profile: "info" what the compiler says, "trace" the annotated events, "problems" and the names
 * of sets a table as CSV. For tests/annotate/run.sh.
 */
#include "questions/annotate/annotate.h"
#include "pipeline/intake.h"
#include "profile/order.h"
#include "sinks/table_sink.h"
#include "sources/torq/ir_files.h"
#include "sources/torq/model_lines.h"

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

typedef struct dump {
    tacho_dict dict;
    tacho_profile profile;
    tacho_debug_info info;
    tacho_annotation annotation;
} dump;

static tacho_dict *dict;

static const char *text(uint32_t string)
{
    return tacho_dict_string(dict, string).data;
}

static const char *place(const tacho_debug_info *info, uint32_t location)
{
    return text(tacho_debug_info_place(info, location).text);
}

static void print_op(const tacho_debug_info *info, uint32_t id)
{
    const tacho_inner_op *op = &info->ops[id];
    const tacho_engine *engine = &info->engines[op->engine];
    printf("      %s %s %u '%s' %s", text(op->operation),
           tacho_track_class_name(engine->track_class), (unsigned)engine->index, text(op->name),
           place(info, op->location));
    if (op->unit != TACHO_NONE) {
        printf(" unit %u", (unsigned)op->unit);
    }
    printf(" async %lld %s->%s\n", (long long)op->async_cycles, text(op->from_space),
           text(op->to_space));
}

static void print_job(const tacho_debug_info *info, const tacho_debug_job *job)
{
    printf("  job %lld %s %s from %d to %d used", (long long)job->id, text(job->name),
           place(info, job->location),
           job->start_action == TACHO_NONE ? -1 : (int)info->actions[job->start_action].id,
           job->wait_action == TACHO_NONE ? -1 : (int)info->actions[job->wait_action].id);
    for (uint32_t i = 0; i < job->used_count; i++) {
        const tacho_engine *engine = &info->engines[info->used[job->first_used + i]];
        printf(" %s/%u", tacho_track_class_name(engine->track_class), (unsigned)engine->index);
    }
    printf(" kernels");
    for (uint32_t i = 0; i < job->kernel_count; i++) {
        printf(" %s", text(info->kernels[job->first_kernel + i]));
    }
    printf("\n");
    uint32_t task = TACHO_NONE;
    for (uint32_t i = 0; i < job->op_count; i++) {
        uint32_t next = info->ops[job->first_op + i].task;
        if (next != task && next != TACHO_NONE) {
            printf("    task %lld %lld..%lld\n", (long long)info->tasks[next].id,
                   (long long)info->tasks[next].start_cycles,
                   (long long)info->tasks[next].end_cycles);
        }
        task = next;
        print_op(info, job->first_op + i);
    }
}

static void print_dispatch(const tacho_debug_info *info, const tacho_dispatch *dispatch)
{
    printf("dispatch %s: %u actions, %u jobs, %u units\n", text(dispatch->name),
           (unsigned)dispatch->action_count, (unsigned)dispatch->job_count,
           (unsigned)dispatch->unit_count);
    for (uint32_t i = 0; i < dispatch->action_count; i++) {
        const tacho_action *action = &info->actions[dispatch->first_action + i];
        printf("  action %lld kind %d executor %d %s '%s' %s [%s]\n", (long long)action->id,
               (int)action->kind, (int)action->executor, text(action->operation),
               text(action->name), place(info, action->location),
               text(tacho_debug_info_place(info, action->location).operators));
    }
    for (uint32_t i = 0; i < dispatch->job_count; i++) {
        print_job(info, &info->jobs[dispatch->first_job + i]);
    }
}

static void print_info(const tacho_debug_info *info)
{
    for (size_t i = 0; i < info->dispatch_count; i++) {
        print_dispatch(info, &info->dispatches[i]);
    }
    for (size_t i = 0; i < info->unit_count; i++) {
        const tacho_unit_of_work *unit = &info->units[i];
        int64_t start = 0;
        int64_t end = 0;
        tacho_debug_info_unit_cycles(info, unit, &start, &end);
        printf("unit %zu: job %u to %d, cycles %lld..%lld\n", i,
               (unsigned)info->ops[unit->start_op].job,
               unit->wait_op == TACHO_NONE ? -1 : (int)info->ops[unit->wait_op].job,
               (long long)start, (long long)end);
    }
    printf(
        "unknown %llu undecoded %llu unmatched waits %llu unwaited %llu problems %zu notes %zu\n",
        (unsigned long long)info->unknown_op_count, (unsigned long long)info->undecoded_count,
        (unsigned long long)info->unmatched_wait_count, (unsigned long long)info->unwaited_count,
        info->problem_count, info->note_count);
}

static tacho_status print_trace(dump *from)
{
    tacho_profile traced;
    tacho_order *order = NULL;
    tacho_profile_init(&traced, &from->dict);
    tacho_status status = tacho_order_create(&traced.events, TACHO_ORDER_SORT, 1 << 20, &order);
    if (status == TACHO_OK) {
        status = tacho_annotation_push(&from->annotation, tacho_order_events(order));
    }
    if (status == TACHO_OK) {
        status = tacho_profile_validate(&traced);
    }
    for (size_t i = 0; i < traced.span_count && status == TACHO_OK; i++) {
        tacho_span span = tacho_profile_span(&traced, i);
        const tacho_track *track = &dict->tracks[span.track];
        printf("%s (%s) %lld..%lld %s%s", text(track->name),
               tacho_track_class_name(track->track_class), (long long)span.start,
               (long long)span.end, text(dict->sites[span.site].name),
               (span.flags & TACHO_SPAN_ORIGIN_MASK) == TACHO_ORIGIN_ESTIMATED ? " estimated" : "");
        bool more = span.args != TACHO_NONE;
        for (size_t a = span.args; more; a++) {
            const tacho_arg *arg = &traced.args[a].arg;
            if (arg->type == TACHO_ARG_STRING) {
                printf(" %s='%s'", text(arg->key), text(arg->value.as_string));
            } else {
                printf(" %s=%lld", text(arg->key), (long long)arg->value.as_int);
            }
            more = !traced.args[a].is_last;
        }
        printf("\n");
    }
    if (order != NULL) {
        tacho_order_destroy(order);
    }
    tacho_profile_deinit(&traced);
    return status;
}

static tacho_status print_table(dump *from, tacho_str name)
{
    tacho_table table;
    const tacho_annotation_set *set = tacho_annotation_set_find(name);
    tacho_output output;
    tacho_status status = set != NULL ? tacho_annotation_table(&from->annotation, set, &table)
                                      : tacho_annotation_problems(&from->annotation, &table);
    fflush(stdout);
    if (status == TACHO_OK) {
        status = tacho_output_open("-", &output);
        if (status == TACHO_OK) {
            status = tacho_table_sink_csv.write(&table, 0, &output);
            status = tacho_status_first(status, tacho_output_commit(&output));
            tacho_output_close(&output);
        }
    }
    tacho_table_deinit(&table);
    return status;
}

static double now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + (double)time.tv_nsec / 1e9;
}

static tacho_status run(dump *made, int argc, char **argv)
{
    tacho_intake_input input = {.path = argv[2]};
    tacho_intake intake = {.inputs = &input, .input_count = 1};
    torq_model_search search = {.debug_path = argv[1]};
    tacho_strings wanted;
    bool is_all = false;
    double begin = now();
    TACHO_TRY(tacho_intake_load(&intake, &TACHO_SELECT_ALL, &made->dict, &made->profile));
    double loaded = now();
    TACHO_TRY(tacho_strings_init(&wanted));
    tacho_status status = torq_ir_wanted(&made->dict, &wanted, &is_all);
    if (status == TACHO_OK) {
        status = torq_ir_read_path(argv[1], is_all ? NULL : &wanted, &made->info);
    }
    tacho_strings_deinit(&wanted);
    TACHO_TRY(status);
    double read = now();
    TACHO_TRY(torq_model_lines_resolve(&made->info, &search));
    double resolved = now();
    TACHO_TRY(tacho_annotate(&made->info, &made->profile, NULL, &made->annotation));
    double joined = now();
    for (int i = 3; i < argc; i++) {
        tacho_str what = tacho_str_from_cstring(argv[i]);
        printf("== %s\n", argv[i]);
        if (tacho_str_equal(what, TACHO_STR("info"))) {
            print_info(&made->info);
        } else if (tacho_str_equal(what, TACHO_STR("trace"))) {
            TACHO_TRY(print_trace(made));
        } else {
            TACHO_TRY(print_table(made, what));
        }
    }
    if (getenv("ANNOTATE_DUMP_TIMES") != NULL) {
        fprintf(stderr,
                "load %.3f, debug info %.3f, lines %.3f, join %.3f, print %.3f s; %zu rows\n",
                loaded - begin, read - loaded, resolved - read, joined - resolved, now() - joined,
                made->annotation.row_count);
    }
    return TACHO_OK;
}

int main(int argc, char **argv)
{
    static dump made;
    if (argc < 4) {
        fprintf(stderr, "usage: annotate_dump DEBUG RUNTIME WHAT...\n");
        return 2;
    }
    dict = &made.dict;
    tacho_status status = tacho_dict_init(&made.dict);
    tacho_profile_init(&made.profile, &made.dict);
    tacho_debug_info_init(&made.info, &made.dict);
    if (status == TACHO_OK) {
        status = run(&made, argc, argv);
    }
    int code = status != TACHO_OK;
    if (status != TACHO_OK) {
        fprintf(stderr, "annotate_dump: %s\n", tacho_status_message(status));
        tacho_status_free(status);
    }
    tacho_annotation_deinit(&made.annotation);
    tacho_debug_info_deinit(&made.info);
    tacho_profile_deinit(&made.profile);
    tacho_dict_deinit(&made.dict);
    return code;
}
