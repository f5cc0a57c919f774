/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Fuzzes the reading of Torq debug information, from MLIR text or bytecode, and its join with a
 * runtime profile. Laws: numbers are in range; units begin with a start and end with a wait of
 * their engine; actions are sorted; every set of columns can be made, and the trace is sound.
 */
#include "questions/annotate/annotate.h"
#include "codec/mlir_bytecode.h"
#include "codec/mlir_text.h"
#include "profile/order.h"
#include "sources/torq/ir.h"
#include "sources/torq/ir_kind.h"
#include "sources/torq/torq.h"

#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const char r2[] = "dispatch_name,invocation_id,action_id,timestamp_us,event\n"
                         "d,0,0,10,NSS_START_BEGIN\nd,0,0,11,NSS_START_END\n"
                         "d,0,1,12,HOST_COPY_BEGIN\nd,0,1,13,HOST_COPY_END\n"
                         "d,0,2,14,NSS_WAIT_BEGIN\nd,0,2,99,NSS_WAIT_END\n"
                         "d,0,3,100,NSS_WAIT_BEGIN\nd,0,3,199,NSS_WAIT_END\n";
static const char r0[] = "id;time_since_open;time_since_start;location\n"
                         "0;100;50;\n1;200;90;\n0;300;10;\n";

static void require(bool holds)
{
    if (!holds) {
        abort();
    }
}

static bool succeeded(tacho_status status)
{
    bool is_ok = status == TACHO_OK;
    tacho_status_free(status);
    return is_ok;
}

static void check_job(const tacho_debug_info *info, const tacho_debug_job *job)
{
    require(job->start_action == TACHO_NONE || job->start_action < info->action_count);
    require(job->wait_action == TACHO_NONE || job->wait_action < info->action_count);
    require((size_t)job->first_op + job->op_count <= info->op_count);
    require((size_t)job->first_task + job->task_count <= info->task_count);
    require((size_t)job->first_kernel + job->kernel_count <= info->kernel_count);
    require((size_t)job->first_used + job->used_count <= info->used_count);
    for (uint32_t i = 1; i < job->used_count; i++) {
        const tacho_engine *a = &info->engines[info->used[job->first_used + i - 1]];
        const tacho_engine *b = &info->engines[info->used[job->first_used + i]];
        require(a->track_class < b->track_class ||
                (a->track_class == b->track_class && a->index < b->index));
    }
}

static void check_info(const tacho_debug_info *info)
{
    for (size_t i = 0; i < info->job_count; i++) {
        check_job(info, &info->jobs[i]);
    }
    for (size_t i = 0; i < info->unit_count; i++) {
        const tacho_unit_of_work *unit = &info->units[i];
        const tacho_inner_op *start = &info->ops[unit->start_op];
        require(start->unit == i && start->kind == TACHO_INNER_START);
        require(start->engine == unit->engine);
        if (unit->wait_op != TACHO_NONE) {
            const tacho_inner_op *wait = &info->ops[unit->wait_op];
            require(unit->wait_op > unit->start_op && wait->unit == i);
            require(wait->engine == unit->engine && wait->kind == TACHO_INNER_WAIT);
        }
    }
    for (size_t i = 0; i < info->dispatch_count; i++) {
        const tacho_dispatch *dispatch = &info->dispatches[i];
        require((size_t)dispatch->first_action + dispatch->action_count <= info->action_count);
        for (uint32_t a = 1; a < dispatch->action_count; a++) {
            require(info->actions[dispatch->first_action + a - 1].id <=
                    info->actions[dispatch->first_action + a].id);
        }
    }
}

static void read_profile(tacho_profile *profile, const tacho_source *source, const char *text)
{
    tacho_source_options options = {.choice_count = 0};
    tacho_input input;
    tacho_order *order = NULL;
    require(succeeded(tacho_order_create(&profile->events, TACHO_ORDER_SORT, 1 << 16, &order)));
    require(succeeded(tacho_input_open_bytes("r.csv", tacho_str_from_cstring(text), &input)));
    tacho_reading reading = {
        .input = &input,
        .path = TACHO_STR("r.csv"),
        .options = &options,
        .events = tacho_order_events(order),
    };
    require(succeeded(source->read(&reading)));
    tacho_input_close(&input);
    tacho_order_destroy(order);
}

static void check_outputs(const tacho_annotation *annotation, tacho_dict *dict)
{
    tacho_profile traced;
    tacho_order *order = NULL;
    for (size_t i = 0; tacho_annotation_set_at(i) != NULL; i++) {
        tacho_table table;
        require(succeeded(tacho_annotation_table(annotation, tacho_annotation_set_at(i), &table)));
        require(table.cell_count % table.column_count == 0);
        tacho_table_deinit(&table);
    }
    tacho_profile_init(&traced, dict);
    require(succeeded(tacho_order_create(&traced.events, TACHO_ORDER_SORT, 1 << 16, &order)));
    require(succeeded(tacho_annotation_push(annotation, tacho_order_events(order))));
    require(succeeded(tacho_profile_validate(&traced)));
    tacho_order_destroy(order);
    tacho_profile_deinit(&traced);
}

static void check_with(const tacho_mlir_module *module, const tacho_source *source,
                       const char *text)
{
    tacho_dict dict;
    tacho_profile profile;
    tacho_debug_info info;
    require(succeeded(tacho_dict_init(&dict)));
    tacho_profile_init(&profile, &dict);
    tacho_debug_info_init(&info, &dict);
    read_profile(&profile, source, text);
    if (succeeded(torq_ir_read_module(module, TACHO_STR("f"), &info))) {
        tacho_annotation annotation;
        check_info(&info);
        if (succeeded(tacho_annotate(&info, &profile, NULL, &annotation))) {
            check_outputs(&annotation, &dict);
        }
        tacho_annotation_deinit(&annotation);
    }
    tacho_debug_info_deinit(&info);
    tacho_profile_deinit(&profile);
    tacho_dict_deinit(&dict);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    tacho_str bytes = tacho_str_make((const char *)data, size);
    tacho_mlir_module module;
    (void)torq_ir_is_program(bytes); /* told before anything is read */
    require(succeeded(tacho_mlir_module_init(&module)));
    if (succeeded(tacho_mlir_is_bytecode(bytes) ? tacho_mlir_bytecode_read("f", bytes, &module)
                                                : tacho_mlir_text_read("f", bytes, &module))) {
        if (size % 2 == 0) { /* one of them for each input, which takes half the time */
            check_with(&module, &tacho_source_torq_host, r2);
        } else {
            check_with(&module, &tacho_source_torq_runtime, r0);
        }
    }
    tacho_mlir_module_deinit(&module);
    return 0;
}
