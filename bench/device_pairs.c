/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Devices on compiled programs, as lines of tab-separated numbers:
 *
 *     device_pairs sim PROGRAM             jobs, cycles, seconds of the simulation (best of 5),
 *                                          of a run with records
 *     device_pairs pairs PLAIN RECORDED N  the cpu on two programs of one model, in turns: median
 *                                          seconds of the processor of both, median of RECORDED /
 * PLAIN - 1 over N pairs, and the interval that holds it 19 times of 20
 */
#include "device/clock.h"
#include "device/device.h"
#include "device/program_machine.h"
#include "device/sim/simulate.h"
#include "program/container.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

static void must(tacho_status status)
{
    if (status != TACHO_OK) {
        fprintf(stderr, "device_pairs: %s\n", tacho_status_message(status));
        tacho_status_free(status);
        exit(1);
    }
}

static tacho_device *open_device(const char *name, const tacho_program *program, bool skips_values)
{
    tacho_device *device;
    tacho_device_options options = {.threads = 1, .skips_values = skips_values};
    must(tacho_device_open(tacho_str_from_cstring(name), &options, &device));
    must(device->type->load(device, program));
    for (size_t i = 0; device->execution != NULL && i < program->input_count; i++) {
        const tacho_program_tensor *tensor = &program->tensors[program->inputs[i]];
        tacho_array value = {(tacho_dtype)tensor->dtype, *tacho_program_shape(program, tensor),
                             calloc(tensor->bytes + 1, 1)};
        must(tacho_execution_set_input(device->execution, i, &value));
        free(value.data);
    }
    return device;
}

/* ---- the simulation ------------------------------------------------------------------------ */

enum { REPEATS = 5 };

static int measure_sim(const char *path)
{
    tacho_program program;
    tacho_arena arena;
    tacho_machine *machine;
    tacho_sim_limits limits;
    tacho_arena_init(&arena);
    must(tacho_program_read(path, &program));
    must(tacho_program_machine(&program, &arena, &machine));
    must(tacho_sim_limits_init(&limits, machine));
    int64_t best = INT64_MAX;
    int64_t cycles = 0;
    for (int i = 0; i < REPEATS; i++) {
        tacho_simulation simulation;
        int64_t began = tacho_now_ns();
        must(tacho_simulate(&simulation, &program, &limits, 1));
        int64_t took = tacho_now_ns() - began;
        best = took < best ? took : best;
        cycles = simulation.cycles;
        tacho_simulation_deinit(&simulation);
    }
    tacho_device *device = open_device("sim", &program, true);
    tacho_device_result result;
    int64_t recorded = INT64_MAX;
    for (uint64_t i = 0; i < REPEATS; i++) {
        must(device->type->run(device, i, true, &result));
        recorded = result.wall_ns < recorded ? result.wall_ns : recorded;
    }
    printf("%zu\t%" PRId64 "\t%.6f\t%.6f\n", program.job_count, cycles, (double)best / 1e9,
           (double)recorded / 1e9);
    tacho_device_close(device);
    tacho_program_deinit(&program);
    tacho_arena_deinit(&arena);
    return 0;
}

/* ---- pairs --------------------------------------------------------------------------------- */

static int compare_doubles(const void *a, const void *b)
{
    double x = *(const double *)a;
    double y = *(const double *)b;
    return (x > y) - (x < y);
}

enum { RUNS_MIN = 5 };

/* Processor time of the best of some runs: others do not count. */
static double run_best(tacho_device *device)
{
    tacho_device_result result;
    struct timespec before;
    struct timespec after;
    double best = 1e9;
    double spent = 0;
    for (size_t i = 0; i < RUNS_MIN || spent < 0.1; i++) {
        clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &before);
        must(device->type->run(device, i, true, &result));
        clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &after);
        double took =
            (double)(after.tv_sec - before.tv_sec) + (double)(after.tv_nsec - before.tv_nsec) / 1e9;
        best = took < best ? took : best;
        spent += took;
    }
    return best;
}

static double median(double *values, size_t count)
{
    qsort(values, count, sizeof(*values), compare_doubles);
    return count % 2 != 0 ? values[count / 2] : (values[count / 2 - 1] + values[count / 2]) / 2;
}

/* The |low|-th and |low|-th but last of the sorted values hold the median 95 % of the time. */
static size_t interval_rank(size_t count)
{
    double tail = 1; /* of the binomial distribution, in parts of 2^count */
    double sum = 1;
    double all = 1;
    for (size_t i = 0; i < count; i++) {
        all *= 2;
    }
    size_t low = 0;
    while (2 * sum / all <= 0.05 && low < count / 2) {
        tail = tail * (double)(count - low) / (double)(low + 1);
        low++;
        sum += tail;
    }
    return low > 0 ? low - 1 : 0;
}

/* Where memory lies matters more than records do: each measurement has its own device. */
static double run_anew(const tacho_program *program)
{
    tacho_device *device = open_device("cpu", program, false);
    double seconds = run_best(device);
    tacho_device_close(device);
    return seconds;
}

static int measure_pairs(const char *plain_path, const char *recorded_path, size_t count)
{
    tacho_program programs[2];
    must(tacho_program_read(plain_path, &programs[0]));
    must(tacho_program_read(recorded_path, &programs[1]));
    double *times[2] = {calloc(count, sizeof(double)), calloc(count, sizeof(double))};
    double *ratios = calloc(count, sizeof(double));
    for (size_t i = 0; i < count; i++) {
        size_t first = i % 2; /* each goes first as often */
        times[first][i] = run_anew(&programs[first]);
        times[1 - first][i] = run_anew(&programs[1 - first]);
        ratios[i] = times[1][i] / times[0][i] - 1;
    }
    double middle = median(ratios, count);
    size_t low = interval_rank(count);
    double plain = median(times[0], count);
    printf("%.6f\t%.6f\t%.5f\t%.5f\t%.5f\n", plain, median(times[1], count), middle, ratios[low],
           ratios[count - 1 - low]);
    for (size_t i = 0; i < 2; i++) {
        tacho_program_deinit(&programs[i]);
        free(times[i]);
    }
    free(ratios);
    return 0;
}

int main(int argc, char **argv)
{
    if (argc == 3 && strcmp(argv[1], "sim") == 0) {
        return measure_sim(argv[2]);
    }
    uint64_t count = 0;
    if (argc == 5 && strcmp(argv[1], "pairs") == 0 &&
        tacho_str_parse_u64(tacho_str_from_cstring(argv[4]), &count) && count > 0) {
        return measure_pairs(argv[2], argv[3], (size_t)count);
    }
    fprintf(stderr, "usage: device_pairs sim PROGRAM | pairs PLAIN RECORDED N\n");
    return 2;
}
