/* SPDX-License-Identifier: Apache-2.0 */
/*
 * gen_chrome: writes a synthetic Chrome Trace Event file of about the wanted size to stdout.
 *
 *     gen_chrome SHAPE BYTES [--seed N] > file.json
 *
 *     kineto        an object as PyTorch writes it: the operators of two host threads, block by
 *                   block; then the GPU's kernels, each with its launch and the arrow between them;
 *                   then names and sort indexes, many of them twice; some processes have names for
 *                   numbers, and a few kernels of a stream overlap
 *     kineto_epoch  the same as older releases write it, with times since 1970
 *     ordered       the X events of kineto alone, all in order of time
 *     ort           an array as ONNX Runtime writes it: nodes, kernels and sessions, whole us
 *     names         X events in order of time, of which each has a name of its own
 *
 * Time is cut into steps of fixed length, and a step is a pure function of its number and the seed:
 * kineto goes through the steps twice, once for the host and once for the GPU, without keeping
 * them. Bytes per event, members per event and the shares of the kinds follow files of the real
 * writers. Names and arguments repeat from step to step as those of a model's layers do.
 */
#include "gen_chrome.h"

enum {
    BUFFER_BYTES = 1 << 20,
    EVENT_BYTES = 4096, /* no event is longer */
    SAMPLE_STEPS = 8,   /* tell how long a step is */
};

/*
 * Times since 1970 need 19 digits, those since a base that the head tells need 16. That is more
 * than a matter of taste: parsers convert numbers of up to 18 digits or so on a fast path.
 */
#define EPOCH_NS UINT64_C(1700000000123456789)
#define BASE_NS UINT64_C(1696543210000000000)

/* ---- output ---------------------------------------------------------------------------------- */

static void flush(struct gen *gen)
{
    const size_t length = (size_t)(gen->at - gen->buffer);
    if (gen->ok && !gen->only_counts)
        gen->ok = write_all(gen->buffer, length);
    gen->written_bytes += length;
    gen->at = gen->buffer;
}

char *begin_text(struct gen *gen)
{
    if (gen->at > gen->buffer + BUFFER_BYTES - EVENT_BYTES)
        flush(gen);
    return gen->at;
}

char *begin_event(struct gen *gen, const char *separator)
{
    char *at = begin_text(gen);
    at = put_text(at, gen->is_first ? separator + 1 : separator);
    gen->is_first = false;
    return at;
}

/* ---- the file -------------------------------------------------------------------------------- */

static const struct shape SHAPES[] = {
    {"kineto", EPOCH_NS - BASE_NS, BASE_NS, write_kineto_head, write_kineto_step,
     write_kineto_second, write_kineto_tail},
    {"kineto_epoch", EPOCH_NS, 0, write_kineto_head, write_kineto_step, write_kineto_second,
     write_kineto_tail},
    {"ordered", EPOCH_NS - BASE_NS, BASE_NS, write_kineto_head, write_ordered_step, NULL,
     write_ordered_tail},
    {"ort", 0, 0, write_ort_head, write_ort_step, NULL, write_ort_tail},
    {"names", 0, 0, write_names_head, write_names_step, NULL, write_names_tail},
};

static void write_shape(struct gen *gen, uint64_t step_count)
{
    gen->step_count = step_count;
    gen->written_bytes = 0;
    gen->is_first = true;
    gen->shape->write_head(gen);
    for (uint64_t i = 0; i < step_count && gen->ok; ++i)
        gen->shape->write_step(gen, i);
    for (uint64_t i = 0; i < step_count && gen->ok && gen->shape->write_second != NULL; ++i)
        gen->shape->write_second(gen, i);
    gen->shape->write_tail(gen);
    flush(gen);
}

/* How many steps make up the wanted size, from a rehearsal of a few; at least one. */
static uint64_t rehearse(struct gen *gen)
{
    gen->only_counts = true;
    write_shape(gen, SAMPLE_STEPS);
    gen->only_counts = false;
    const uint64_t step_count = gen->bytes / (gen->written_bytes / SAMPLE_STEPS);
    return step_count > 0 ? step_count : 1;
}

static int write_file(struct gen *gen)
{
    gen->sites = calloc(SITE_COUNT, sizeof *gen->sites);
    gen->buffer = malloc(BUFFER_BYTES);
    gen->at = gen->buffer;
    gen->ok = gen->sites != NULL && gen->buffer != NULL;
    if (gen->ok) {
        sites_fill(gen->sites, gen->seed);
        setvbuf(stdout, NULL, _IONBF, 0); /* our buffer is the only one */
        write_shape(gen, rehearse(gen));
    } else {
        fprintf(stderr, "gen_chrome: out of memory\n");
    }
    free(gen->buffer);
    free(gen->sites);
    return gen->ok ? 0 : 1;
}

static const struct shape *shape_find(const char *name)
{
    for (size_t i = 0; i < COUNT_OF(SHAPES); ++i)
        if (strcmp(SHAPES[i].name, name) == 0)
            return &SHAPES[i];
    return NULL;
}

static bool options_parse(int argc, char **argv, struct gen *out_gen)
{
    const uint64_t max_bytes = UINT64_C(1) << 40; /* times stay below 2^63 ns */
    out_gen->seed = 1;
    if (argc != 3 && argc != 5)
        return false;
    out_gen->shape = shape_find(argv[1]);
    return out_gen->shape != NULL && number_parse(argv[2], &out_gen->bytes) &&
           out_gen->bytes <= max_bytes &&
           (argc == 3 || (strcmp(argv[3], "--seed") == 0 && number_parse(argv[4], &out_gen->seed)));
}

int main(int argc, char **argv)
{
    static const char usage[] =
        "usage: gen_chrome SHAPE BYTES [--seed N] > file.json\n"
        "  SHAPE kineto, kineto_epoch, ordered, ort or names; BYTES at most 2^40; seed 1 by "
        "default\n";
    static struct gen gen;
    if (argc == 2 && strcmp(argv[1], "--help") == 0)
        return fputs(usage, stdout) < 0;
    if (!options_parse(argc, argv, &gen)) {
        fputs(usage, stderr);
        return 2;
    }
    return write_file(&gen);
}
