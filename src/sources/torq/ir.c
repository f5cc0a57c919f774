/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The host's side of a Torq module: functions, the actions in their bodies, and the pairs of start
 * and wait.
 *
 * In newer files every operation that becomes an action has its number (torq-action-id). In a
 * function without any, actions are numbered as the compiler does: all operations of the body in
 * order, except those without work, see |forms|.
 */
#include "sources/torq/ir.h"

#include "base/grow.h"
#include "sources/torq/ir_kind.h"
#include "sources/torq/ir_state.h"

#include <stdlib.h>

typedef enum body_role {
    BODY_START,
    BODY_WAIT,
    BODY_COPY,
    BODY_ALLOC,
    BODY_DEALLOC,
    BODY_INVOCATION,
    BODY_SILENT, /* never an action */
    BODY_OTHER,
} body_role;

typedef struct body_form {
    tacho_str name;
    body_role role;
} body_form;

static const body_form forms[] = {
    {TACHO_STR_INIT("torq_hl.start_program"), BODY_START},
    {TACHO_STR_INIT("torq_hl.wait_program"), BODY_WAIT},
    {TACHO_STR_INIT("torq_hl.program"), BODY_SILENT},
    {TACHO_STR_INIT("torq_hl.create_invocation"), BODY_INVOCATION},
    {TACHO_STR_INIT("torq_hl.descriptor"), BODY_INVOCATION},
    {TACHO_STR_INIT("torq_hl.host_copy"), BODY_COPY},
    {TACHO_STR_INIT("torq_hl.dynamic_host_copy"), BODY_COPY},
    {TACHO_STR_INIT("memref.alloc"), BODY_ALLOC},
    {TACHO_STR_INIT("memref.dealloc"), BODY_DEALLOC},
    {TACHO_STR_INIT("torq_hl.const"), BODY_SILENT},
    {TACHO_STR_INIT("torq_hl.map_binding"), BODY_SILENT},
    {TACHO_STR_INIT("torq_hl.return"), BODY_SILENT},
    {TACHO_STR_INIT("torq_hl.import_program"), BODY_SILENT},
    {TACHO_STR_INIT("torq_hl.program_code"), BODY_SILENT},
    {TACHO_STR_INIT("torq_hl.get_block"), BODY_SILENT},
    {TACHO_STR_INIT("torq_hl.dispatch_profiling"), BODY_SILENT},
    {TACHO_STR_INIT("torq_hw.dispatch_profiling"), BODY_SILENT},
    {TACHO_STR_INIT("func.return"), BODY_SILENT},
    {TACHO_STR_INIT("arith.constant"), BODY_SILENT},
    {TACHO_STR_INIT("bufferization.to_buffer"), BODY_SILENT},
    {TACHO_STR_INIT("bufferization.to_memref"), BODY_SILENT},
    {TACHO_STR_INIT("memref.get_global"), BODY_SILENT},
    {TACHO_STR_INIT("memref.subview"), BODY_SILENT},
    {TACHO_STR_INIT("memref.cast"), BODY_SILENT},
    {TACHO_STR_INIT("memref.reinterpret_cast"), BODY_SILENT},
    {TACHO_STR_INIT("memref.memory_space_cast"), BODY_SILENT},
    {TACHO_STR_INIT("memref.collapse_shape"), BODY_SILENT},
    {TACHO_STR_INIT("memref.expand_shape"), BODY_SILENT},
    {TACHO_STR_INIT("memref.transpose"), BODY_SILENT},
    {TACHO_STR_INIT("memref.view"), BODY_SILENT},
};

static body_role find_role(tacho_str name)
{
    for (size_t i = 0; i < sizeof(forms) / sizeof(forms[0]); i++) {
        if (tacho_str_equal(name, forms[i].name)) {
            return forms[i].role;
        }
    }
    return BODY_OTHER;
}

/* ---- jobs ------------------------------------------------------------------------------- */

/* The invocation's number as the compiler gives it, else by its place in the text. */
static int64_t job_number(const torq_ir *ir, uint32_t invocation)
{
    const tacho_mlir_op *op = torq_ir_definition(ir, invocation);
    int64_t id = -1;
    if (op != NULL && tacho_mlir_module_int(ir->module, op, ir->attrs.job_id, &id) && id >= 0) {
        return id;
    }
    uint32_t ordinal = invocation == TACHO_NONE ? TACHO_NONE : ir->values[invocation].ordinal;
    return ordinal == TACHO_NONE ? -1 : (int64_t)ordinal;
}

static tacho_status start_job(torq_ir *ir, const tacho_mlir_op *op, tacho_action *action)
{
    tacho_debug_info *info = ir->info;
    uint32_t invocation = torq_ir_operand(ir, op, 0);
    uint32_t id = (uint32_t)info->job_count;
    tacho_debug_job job = {
        .dispatch = ir->dispatch,
        .id = job_number(ir, invocation),
        .name = action->name,
        .location = action->location,
        .start_action = (uint32_t)info->action_count,
        .wait_action = TACHO_NONE,
    };
    TACHO_TRY(tacho_grow(&info->jobs, &info->job_capacity, info->job_count + 1));
    TACHO_TRY(tacho_grow(&ir->next_jobs, &ir->next_job_capacity, info->job_count + 1));
    info->jobs[info->job_count++] = job;
    ir->next_jobs[id] = TACHO_NONE;
    action->job = id;
    if (invocation != TACHO_NONE) {
        torq_ir_value *value = &ir->values[invocation];
        if (value->oldest_job == TACHO_NONE) {
            value->oldest_job = id;
        } else {
            ir->next_jobs[value->newest_job] = id;
        }
        value->newest_job = id;
    }
    return torq_ir_run_job(ir, op, id);
}

static void wait_for_job(torq_ir *ir, const tacho_mlir_op *op, tacho_action *action)
{
    uint32_t invocation = torq_ir_operand(ir, op, 0);
    torq_ir_value *value = invocation == TACHO_NONE ? NULL : &ir->values[invocation];
    if (value == NULL || value->oldest_job == TACHO_NONE) {
        ir->info->unmatched_wait_count++;
        return;
    }
    action->job = value->oldest_job;
    value->oldest_job = ir->next_jobs[action->job];
    ir->info->jobs[action->job].wait_action = (uint32_t)ir->info->action_count;
}

/* ---- actions ---------------------------------------------------------------------------- */

static tacho_action_kind action_kind(body_role role)
{
    switch (role) {
    case BODY_START:
        return TACHO_ACTION_START;
    case BODY_WAIT:
        return TACHO_ACTION_WAIT;
    case BODY_COPY:
        return TACHO_ACTION_COPY;
    case BODY_ALLOC:
        return TACHO_ACTION_ALLOC;
    case BODY_DEALLOC:
        return TACHO_ACTION_DEALLOC;
    case BODY_INVOCATION:
    case BODY_SILENT:
    case BODY_OTHER:
        break;
    }
    return TACHO_ACTION_OTHER;
}

/* Whether |op| is an action, and its number. */
static bool find_number(const torq_ir *ir, const tacho_mlir_op *op, body_role role, int64_t *out_id)
{
    if (ir->is_numbered) {
        return tacho_mlir_module_int(ir->module, op, ir->attrs.action_id, out_id);
    }
    *out_id = ir->info->dispatches[ir->dispatch].action_count;
    return role != BODY_SILENT && role != BODY_INVOCATION;
}

static tacho_status add_action(torq_ir *ir, const tacho_mlir_op *op, body_role role, int64_t id)
{
    tacho_debug_info *info = ir->info;
    tacho_dispatch *dispatch = &info->dispatches[ir->dispatch];
    tacho_action action = {
        .dispatch = ir->dispatch,
        .id = id,
        .kind = action_kind(role),
        .job = TACHO_NONE,
        .order = dispatch->action_count,
    };
    TACHO_TRY(torq_ir_own_string(ir, op->name, &action.operation));
    TACHO_TRY(torq_ir_location(ir, op->location, &action.location));
    if (role == BODY_START || role == BODY_WAIT) {
        uint32_t invocation = torq_ir_operand(ir, op, 0);
        action.executor = torq_ir_executor(ir, invocation);
        TACHO_TRY(torq_ir_string(ir, torq_ir_invocation_name(ir, invocation), &action.name));
    }
    if (action.executor == TACHO_EXECUTOR_NSS) {
        if (role == BODY_START) {
            TACHO_TRY(start_job(ir, op, &action));
        } else {
            wait_for_job(ir, op, &action);
        }
    }
    TACHO_TRY(tacho_grow(&info->actions, &info->action_capacity, info->action_count + 1));
    info->actions[info->action_count++] = action;
    dispatch->action_count++;
    return TACHO_OK;
}

static tacho_status read_body_op(torq_ir *ir, const tacho_mlir_op *op)
{
    body_role role = find_role(torq_ir_op_name(ir, op));
    int64_t id = 0;
    if (role == BODY_INVOCATION && op->result_count > 0 &&
        torq_ir_executor(ir, op->first_result) == TACHO_EXECUTOR_NSS) {
        ir->values[op->first_result].ordinal = ir->nss_invocation_count++;
    }
    if (role == BODY_OTHER && torq_ir_is_own_name(torq_ir_op_name(ir, op))) {
        TACHO_TRY(torq_ir_note_unknown(ir, op));
    }
    return find_number(ir, op, role, &id) ? add_action(ir, op, role, id) : TACHO_OK;
}

/* ---- actions by number ------------------------------------------------------------------ */

static int compare_actions(const void *left, const void *right)
{
    const tacho_action *a = left;
    const tacho_action *b = right;
    if (a->id != b->id) {
        return a->id < b->id ? -1 : 1;
    }
    return a->order < b->order ? -1 : (a->order > b->order);
}

/* Sorts actions by number for look-up; they need not ascend in the program. */
static void sort_actions(tacho_debug_info *info, const tacho_dispatch *dispatch)
{
    if (dispatch->action_count == 0) {
        return;
    }
    tacho_action *actions = &info->actions[dispatch->first_action];
    bool is_sorted = true;
    for (uint32_t i = 1; i < dispatch->action_count; i++) {
        is_sorted = is_sorted && actions[i - 1].id <= actions[i].id;
    }
    if (is_sorted) {
        return;
    }
    qsort(actions, dispatch->action_count, sizeof(*actions), compare_actions);
    for (uint32_t i = 0; i < dispatch->action_count; i++) {
        if (actions[i].job != TACHO_NONE) {
            tacho_debug_job *job = &info->jobs[actions[i].job];
            *(actions[i].kind == TACHO_ACTION_START ? &job->start_action : &job->wait_action) =
                dispatch->first_action + i;
        }
    }
}

/* ---- functions -------------------------------------------------------------------------- */

/* Calls of one body: counted by |survey| before the body is read. */
typedef struct body_survey {
    bool is_dispatch; /* contains torq operations */
    bool is_numbered;
} body_survey;

static body_survey survey(const torq_ir *ir, const tacho_mlir_region *body)
{
    const tacho_mlir_module *module = ir->module;
    body_survey found = {false, false};
    for (uint32_t b = 0; b < body->block_count; b++) {
        uint32_t at = module->blocks[body->first_block + b].first_op;
        for (; at != TACHO_NONE && !found.is_numbered; at = module->next_op[at]) {
            const tacho_mlir_op *op = &module->ops[at];
            found.is_numbered = tacho_mlir_module_attr(module, op, ir->attrs.action_id) != NULL;
            found.is_dispatch = found.is_dispatch || found.is_numbered ||
                                torq_ir_is_own_name(torq_ir_op_name(ir, op));
        }
    }
    return found;
}

static tacho_status add_dispatch(torq_ir *ir, tacho_str name, bool *out_is_new)
{
    tacho_debug_info *info = ir->info;
    tacho_dispatch dispatch = {
        .first_action = (uint32_t)info->action_count,
        .first_job = (uint32_t)info->job_count,
        .first_unit = (uint32_t)info->unit_count,
    };
    TACHO_TRY(torq_ir_string(ir, name, &dispatch.name));
    TACHO_TRY(torq_ir_string(ir, ir->file, &dispatch.file));
    const tacho_dispatch *known = tacho_debug_info_dispatch(info, dispatch.name);
    *out_is_new = known == NULL;
    if (known != NULL) {
        return tacho_debug_info_add_problem(
            info, "%.*s: dispatch %.*s is in %.*s already; this one is left out",
            TACHO_STR_ARG(ir->file), TACHO_STR_ARG(name),
            TACHO_STR_ARG(tacho_dict_string(info->dict, known->file)));
    }
    return tacho_debug_info_add_dispatch(info, &dispatch, &ir->dispatch);
}

static tacho_status read_body(torq_ir *ir, const tacho_mlir_region *body)
{
    const tacho_mlir_module *module = ir->module;
    for (uint32_t b = 0; b < body->block_count; b++) {
        uint32_t at = module->blocks[body->first_block + b].first_op;
        for (; at != TACHO_NONE; at = module->next_op[at]) {
            TACHO_TRY(read_body_op(ir, &module->ops[at]));
        }
    }
    return TACHO_OK;
}

static void end_dispatch(torq_ir *ir)
{
    tacho_debug_info *info = ir->info;
    tacho_dispatch *dispatch = &info->dispatches[ir->dispatch];
    dispatch->job_count = (uint32_t)info->job_count - dispatch->first_job;
    dispatch->unit_count = (uint32_t)info->unit_count - dispatch->first_unit;
    for (uint32_t i = 0; i < dispatch->job_count; i++) {
        info->unwaited_count += info->jobs[dispatch->first_job + i].wait_action == TACHO_NONE;
    }
    torq_ir_end_jobs(ir);
    sort_actions(info, dispatch);
}

static tacho_status read_function(torq_ir *ir, const tacho_mlir_op *function)
{
    const tacho_mlir_region *body = &ir->module->regions[function->first_region];
    body_survey found = survey(ir, body);
    bool is_new = false;
    if (!found.is_dispatch) {
        return TACHO_OK; /* in the host's program */
    }
    TACHO_TRY(add_dispatch(ir, torq_ir_text(ir, function, ir->attrs.sym_name), &is_new));
    if (!is_new) {
        return TACHO_OK;
    }
    ir->is_numbered = found.is_numbered;
    ir->nss_invocation_count = 0;
    TACHO_TRY(read_body(ir, body));
    end_dispatch(ir);
    return TACHO_OK;
}

/* ---- modules ---------------------------------------------------------------------------- */

static tacho_status init_values(torq_ir *ir)
{
    size_t count = ir->module->value_count;
    ir->values = malloc((count + 1) * sizeof(*ir->values));
    if (ir->values == NULL) {
        return tacho_fail(TACHO_CODE_NO_MEMORY, "cannot get memory for %zu values", count);
    }
    for (size_t i = 0; i < count; i++) {
        ir->values[i] = (torq_ir_value){TACHO_NONE, TACHO_NONE, TACHO_NONE, TACHO_NONE};
    }
    for (size_t i = 0; i < TACHO_TRACK_CLASS_COUNT; i++) {
        ir->engines[i] = TACHO_NONE;
    }
    for (size_t i = 0; i < TORQ_SLICE_MAX; i++) {
        ir->slices[i] = TACHO_NONE;
    }
    return TACHO_OK;
}

/* Written by tacho's compiler: {name = "n0", operators = "onnx.Conv@n0 onnx.Relu@n1"}. */
static tacho_status read_operators(torq_ir *ir, const tacho_mlir_op *op)
{
    tacho_str name = torq_ir_text(ir, op, ir->attrs.name);
    tacho_str operators = torq_ir_text(ir, op, ir->attrs.operators);
    uint32_t name_string = 0;
    uint32_t operators_string = 0;
    if (name.len == 0 || operators.len == 0) {
        return TACHO_OK;
    }
    TACHO_TRY(torq_ir_string(ir, name, &name_string));
    TACHO_TRY(torq_ir_string(ir, operators, &operators_string));
    return tacho_debug_info_name_operators(ir->info, name_string, operators_string);
}

static tacho_status read_functions(torq_ir *ir)
{
    const tacho_mlir_module *module = ir->module;
    TACHO_TRY(torq_ir_names_init(ir));
    TACHO_TRY(init_values(ir));
    TACHO_TRY(torq_ir_reserve(ir));
    uint32_t function_name = tacho_strings_find(&module->strings, TACHO_STR("func.func"));
    uint32_t operators_name = tacho_strings_find(&module->strings, TACHO_STR("tacho.operators"));
    size_t open = 0;
    for (size_t i = 0; i < module->op_count; i++) {
        const tacho_mlir_op *op = &module->ops[i];
        if (op->name == operators_name) {
            TACHO_TRY(read_operators(ir, op));
        }
        while (open < module->open_op_count && module->open_ops[open] < i) {
            open++;
        }
        bool is_open = open < module->open_op_count && module->open_ops[open] == i;
        if (op->region_count > 0 && op->name == function_name && !is_open) {
            TACHO_TRY(read_function(ir, op));
        }
    }
    return TACHO_OK;
}

/* |count| dispatches of a damaged module were read. */
static tacho_status note_damage(const torq_ir *ir, size_t count)
{
    tacho_str damage = ir->module->damage;
    if (count == 0) {
        return tacho_fail(TACHO_CODE_BAD_DATA, "%.*s", TACHO_STR_ARG(damage));
    }
    ir->info->is_partial = true;
    return tacho_debug_info_add_problem(ir->info, "%.*s; %zu dispatch%s before that %s used",
                                        TACHO_STR_ARG(damage), count, count == 1 ? "" : "es",
                                        count == 1 ? "is" : "are");
}

tacho_status torq_ir_read_module(const tacho_mlir_module *module, tacho_str name,
                                 tacho_debug_info *info)
{
    torq_ir ir = {.module = module, .info = info, .file = name};
    tacho_debug_info before = *info;
    tacho_status status = read_functions(&ir);
    if (status == TACHO_OK && module->damage.len > 0) {
        status = note_damage(&ir, info->dispatch_count - before.dispatch_count);
    }
    if (status != TACHO_OK) {
        tacho_debug_info_cut(info, &before); /* drops a half-read dispatch */
    }
    info->undecoded_count += module->undecoded_count;
    torq_ir_names_deinit(&ir);
    free(ir.values);
    free(ir.queues);
    free(ir.next_units);
    free(ir.next_jobs);
    free(ir.kernel_jobs);
    return status;
}
