/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Rates are real numbers: they are printed, and compared with times in whole nanoseconds.
 */
#include "estimates/roofline/roof.h"

#include "codec/json_number.h"
#include "compile/machine_view.h"
#include "compile/op_cost.h"
#include "machine/cost.h"

static double value_of(const tacho_quantity *quantity)
{
    return tacho_quantity_is_set(quantity)
               ? (double)quantity->value.num / (double)quantity->value.den
               : 0;
}

/* ---- machines ---------------------------------------------------------------------------- */

/* Work per cycle of all engines of a kind in all cores. */
static double engine_rate(const tacho_machine *machine, tacho_work_kind kind, tacho_dtype dtype)
{
    uint32_t best = tacho_op_cost_engine(machine, kind, dtype);
    if (best == TACHO_NONE) {
        return 0;
    }
    const tacho_engine *engine = &machine->engines[best];
    const tacho_rate *rate = kind == TACHO_WORK_MATRIX ? tacho_cost_mac_rate(engine, dtype)
                                                       : tacho_cost_element_rate(engine, dtype);
    return value_of(&rate->per_cycle) * value_of(&engine->count) *
           (double)tacho_machine_cores(machine);
}

/* The rate from local memories to the engines: their own, else the input rate of the engines. */
static double local_rate(const tacho_machine *machine, const tacho_memory *local)
{
    double cores = (double)tacho_machine_cores(machine);
    double most = 0;
    if (local != NULL && tacho_quantity_is_set(&local->bytes_per_cycle)) {
        return value_of(&local->bytes_per_cycle) * cores;
    }
    for (size_t i = 0; i < machine->engine_count; i++) {
        double rate = value_of(&machine->engines[i].operand_bytes_per_cycle) *
                      value_of(&machine->engines[i].count) * cores;
        most = rate > most ? rate : most;
    }
    return most;
}

/* Total bytes of the cores' memories and the caches. */
static double near_bytes(const tacho_machine *machine)
{
    double sum = 0;
    for (size_t i = 0; i < machine->memory_count; i++) {
        if (machine->memories[i].kind != TACHO_MEMORY_DDR) {
            sum += value_of(&machine->memories[i].size_bytes);
        }
    }
    return sum * (double)tacho_machine_cores(machine);
}

void tacho_roof_init(tacho_roof *roof, const tacho_machine *machine)
{
    double hz = tacho_machine_view_hz(machine);
    const tacho_memory *shared = tacho_machine_memory(machine, TACHO_MEMORY_DDR);
    const tacho_memory *local = tacho_machine_memory(machine, TACHO_MEMORY_LOCAL);
    *roof = (tacho_roof){.name = machine->name, .machine = machine};
    roof->cores = tacho_machine_cores(machine);
    for (int i = TACHO_DTYPE_NONE + 1; i < TACHO_DTYPE_COUNT; i++) {
        tacho_dtype computed = tacho_machine_legalise(machine, (tacho_dtype)i);
        roof->matrix[i] = 2 * engine_rate(machine, TACHO_WORK_MATRIX, computed) * hz;
        roof->vector[i] = engine_rate(machine, TACHO_WORK_VECTOR, computed) * hz;
    }
    if (shared != NULL) {
        roof->levels[TACHO_ROOF_SHARED] = shared->name;
        roof->bytes_per_s[TACHO_ROOF_SHARED] = value_of(&shared->bytes_per_cycle) * hz;
    }
    roof->levels[TACHO_ROOF_LOCAL] = local != NULL ? local->name : TACHO_STR("local");
    roof->bytes_per_s[TACHO_ROOF_LOCAL] = local_rate(machine, local) * hz;
    roof->near_bytes = near_bytes(machine);
}

/* ---- ceilings as text -------------------------------------------------------------------- */

static tacho_status fail_ceiling(tacho_str item)
{
    return tacho_fail(TACHO_CODE_USAGE,
                      "'%.*s' is not a ceiling; write a type with operations per second "
                      "(f16=989TFLOP/s), a memory with bytes per second (HBM=4.8TB/s), or a cache "
                      "with its size (L2=50MB)",
                      TACHO_STR_ARG(item));
}

/* "4.8TB/s" without its unit: 4.8e12; false if malformed. */
static bool parse_rate(tacho_str text, tacho_str unit, double *out_rate)
{
    static const tacho_str prefixes = TACHO_STR_INIT("kMGTP");
    double factor = 1;
    if (!tacho_str_ends_with(text, unit) || text.len == unit.len) {
        return false;
    }
    text = tacho_str_trim(tacho_str_make(text.data, text.len - unit.len));
    size_t place = text.len > 0 ? tacho_str_find_byte(prefixes, text.data[text.len - 1]) : 0;
    for (size_t i = 0; place < prefixes.len && i <= place; i++) {
        factor *= 1000;
    }
    text.len -= place < prefixes.len ? 1 : 0;
    text = tacho_str_trim(text);
    bool is_number = text.len > 0 && tacho_json_number_double(text, out_rate);
    *out_rate *= factor;
    return is_number && *out_rate > 0 && *out_rate < 1e30;
}

static tacho_status take_ceiling(tacho_roof *roof, tacho_str item)
{
    size_t middle = tacho_str_find_byte(item, '=');
    tacho_str name = tacho_str_trim(tacho_str_make(item.data, middle));
    double rate = 0;
    if (middle == item.len || name.len == 0) {
        return fail_ceiling(item);
    }
    tacho_str text = tacho_str_trim(tacho_str_from(item, middle + 1));
    if (parse_rate(text, TACHO_STR("FLOP/s"), &rate) ||
        parse_rate(text, TACHO_STR("OP/s"), &rate)) {
        tacho_dtype dtype = tacho_dtype_find(name);
        if (dtype == TACHO_DTYPE_NONE) {
            return tacho_fail(TACHO_CODE_USAGE,
                              "'%.*s' is not a type of numbers; use f32, f16, "
                              "bf16, i8 ...",
                              TACHO_STR_ARG(name));
        }
        roof->matrix[dtype] = roof->vector[dtype] = rate;
        return TACHO_OK;
    }
    if (parse_rate(text, TACHO_STR("B"), &rate)) {
        roof->near_bytes += rate;
        return TACHO_OK;
    }
    if (!parse_rate(text, TACHO_STR("B/s"), &rate)) {
        return fail_ceiling(item);
    }
    tacho_roof_level level =
        roof->bytes_per_s[TACHO_ROOF_SHARED] > 0 ? TACHO_ROOF_LOCAL : TACHO_ROOF_SHARED;
    if (roof->bytes_per_s[level] > 0) {
        return tacho_fail(TACHO_CODE_USAGE, "'%.*s' is a third memory; two levels are known",
                          TACHO_STR_ARG(name));
    }
    roof->levels[level] = name;
    roof->bytes_per_s[level] = rate;
    return TACHO_OK;
}

tacho_status tacho_roof_parse(tacho_roof *roof, const char *text)
{
    tacho_str rest = tacho_str_from_cstring(text);
    *roof = (tacho_roof){.name = TACHO_STR("")};
    do {
        size_t len = tacho_str_find_byte(rest, ',');
        TACHO_TRY(take_ceiling(roof, tacho_str_make(rest.data, len)));
        rest = tacho_str_from(rest, len < rest.len ? len + 1 : len);
    } while (rest.len > 0);
    return TACHO_OK;
}

/* ---- work under a roof ------------------------------------------------------------------- */

const char *tacho_roof_bound_name(tacho_roof_bound bound)
{
    static const char *const names[TACHO_ROOF_BOUND_COUNT] = {"-", "compute", "memory",
                                                              "local memory"};
    return names[bound];
}

double tacho_roof_compute_rate(const tacho_roof *roof, const tacho_roof_work *work)
{
    bool is_matrix = work->kind == TACHO_WORK_MATRIX;
    double rate = is_matrix ? roof->matrix[work->dtype] : roof->vector[work->dtype];
    if (roof->cores > 0 && work->cores > roof->cores) {
        rate *= (double)work->cores / (double)roof->cores;
    }
    if (is_matrix && roof->machine != NULL &&
        tacho_cost_is_tf32(roof->machine, work->fidelity, work->dtype)) {
        const tacho_quantity *tf32 = &roof->machine->gpu.tf32_macs_per_cycle;
        double plain = engine_rate(roof->machine, TACHO_WORK_MATRIX, work->dtype);
        double cores = (double)tacho_machine_cores(roof->machine);
        rate *= plain > 0 ? value_of(tf32) * cores / plain : 1;
    } else if (is_matrix && roof->machine != NULL) {
        rate /= (double)tacho_cost_passes(roof->machine, work->fidelity, work->dtype);
    }
    return rate;
}

double tacho_roof_memory_rate(const tacho_roof *roof, tacho_roof_level level)
{
    return roof->bytes_per_s[level];
}

tacho_roof_least tacho_roof_find_least(const tacho_roof *roof, const tacho_roof_work *work)
{
    static const tacho_roof_bound bounds[TACHO_ROOF_LEVEL_COUNT] = {TACHO_ROOF_BY_MEMORY,
                                                                    TACHO_ROOF_BY_LOCAL};
    tacho_roof_least least = {0};
    double rate = tacho_roof_compute_rate(roof, work);
    if (work->has_operations && work->operations > 0 && rate > 0) {
        least.compute_ns = (double)work->operations / rate * 1e9;
        least.ns = least.compute_ns;
        least.bound = TACHO_ROOF_BY_COMPUTE;
    }
    for (int i = 0; i < TACHO_ROOF_LEVEL_COUNT; i++) {
        rate = tacho_roof_memory_rate(roof, (tacho_roof_level)i);
        double ns = rate > 0 ? (double)work->bytes[i] / rate * 1e9 : 0;
        least.memory_ns = ns > least.memory_ns ? ns : least.memory_ns;
        if (ns > least.ns) {
            least.ns = ns;
            least.bound = bounds[i];
        }
    }
    return least;
}

bool tacho_roof_is_near(const tacho_roof *roof, const tacho_roof_work *work)
{
    return work->is_by_shapes && (double)work->bytes[TACHO_ROOF_SHARED] <= roof->near_bytes;
}
