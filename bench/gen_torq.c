/* SPDX-License-Identifier: Apache-2.0 */
/*
 * gen_torq: writes a synthetic Torq profile of any size to stdout, as the input of the benchmarks.
 *
 *     gen_torq FORMAT ROWS [--shuffle] [--seed N] > file.csv
 *
 * FORMAT is t1, t2 or t4 (timelines), r0 (jobs), r1q, r2 or r2i (host profiles).
 *
 * Every row is a pure function of its index and the seed, so that a shuffled file is the ordered
 * one visited through a permutation that needs no memory. Time is cut into steps of fixed length; a
 * row owns a place in its step and moves only inside it, so the rows of one engine ascend and never
 * overlap. Costs follow the vendor's rules of each generation (DMA cycles from bytes and so on).
 */

#include "gen.h"
#include "gen_torq_host.h"

enum {
    LOCATION_COUNT = 2000,
    LOCATION_BYTES = 80, /* longest text a location can have; it is always copied whole */
    BUFFER_BYTES = 256 * 1024,
    ROW_BYTES = 256, /* no row is longer */
    STEP_CYCLES = 65536,
    QUARTER_CYCLES = STEP_CYCLES / 4,
    JITTER_CYCLES = 4096, /* quarter + jitter + the longest DMA stays inside half a step */
    STEPS_PER_LOCATION = 2,
    STEPS_PER_CSS = 8,
    SLICE_COUNT = 2,
    JOB_PERIOD_US = 512,
    JOB_JITTER_US = 100,
};

static const uint64_t STEADY_CLOCK_US = UINT64_C(81234567000);
static const uint64_t MAX_ROWS = UINT64_C(1) << 40; /* keeps every time below 2^57 */

/* kind, T1/T2 id prefix, T1/T2 op type, T4 event. A slice's op type is its op name. */
#define JOB_KINDS(X)                                                                               \
    X(DMA_IN, "DI", "DMA_IN", "DMA In")                                                            \
    X(DMA_OUT, "DO", "DMA_OUT", "DMA Out")                                                         \
    X(CDMA_L2D, "CDMA_L2D", "CDMA_LRAM_TO_DTCM", "CDMA LRAM to DTCM")                              \
    X(CDMA_L2I, "CDMA_L2I", "CDMA_LRAM_TO_ITCM", "CDMA LRAM to ITCM")                              \
    X(CDMA_D2L, "CDMA_D2L", "CDMA_DTCM_TO_LRAM", "CDMA DTCM to LRAM")                              \
    X(SLICE, "S", "", "Slice ")                                                                    \
    X(CSS, "CSS", "CSS", "CSS")

#define JOB_ENUM(kind, prefix, type, event) JOB_##kind,
enum job_kind { JOB_KINDS(JOB_ENUM) };

struct job_names {
    const char *prefix, *type, *event;
};

#define JOB_NAMES(kind, prefix, type, event) {prefix, type, event},
static const struct job_names JOB_NAME_TABLE[] = {JOB_KINDS(JOB_NAMES)};

/* clang-format off */
static const char *const OP_NAMES[] = {
    "conv2d", "conv2d_add", "Conv1D", "Conv1DWithReduce", "depthwise_conv2d",
    "dw_conv_act", "add", "dw_conv_valid", "fully_connected", "maxpool2d",
    "avgpool2d", "reduce_mean", "reduce_sum", "reduce_max", "arg_max",
    "gather", "scatter", "fill", "fma", "generic",
    "depthtospace", "abs", "negate", "clz", "ceil",
    "floor", "i2f", "f2i", "mul", "sub",
    "rescale", "transpose", "table", "select", "softmax_exp",
    "matmul", "convert", "interleaved_copy", "resize_nearest", "unknown",
};
/* clang-format on */

enum { OP_COUNT = sizeof OP_NAMES / sizeof OP_NAMES[0] };

struct location {
    char text[LOCATION_BYTES];
    uint32_t length;
    uint32_t op;
    bool known;
};

/*
 * What stays the same for all rows. The first |dma_rows| rows are DMA, the next |slice_rows| are
 * slices, the rest is CSS: the order in which the vendor's pass prints them.
 */
struct plan {
    uint64_t rows;
    uint64_t seed;
    uint64_t dma_rows;
    uint64_t slice_rows;
    uint64_t dma_per_step;
    bool is_t4;
    struct location *locations;
    struct host *host; /* R2 and R2i */
};

struct job {
    enum job_kind kind;
    uint64_t number; /* counter of its section, as in DI<number> */
    uint64_t slice;
    uint64_t start_cycles;
    uint64_t length_cycles;
    uint64_t byte_count;
    const struct location *location;
};

/*
 * A bijection of [0, count): a Feistel network over the next power of two, walked until it lands
 * inside. The halves may differ by one bit, which keeps the walk below two rounds on average.
 */
struct shuffle {
    uint64_t count;
    uint64_t seed;
    unsigned right_bits;
    uint64_t left_mask;
    uint64_t right_mask;
};

struct format {
    const char *name;
    const char *header;
    uint64_t dma_per_step; /* 0: not a timeline */
    bool has_css;
    char *(*put_row)(const struct plan *plan, uint64_t row, char *at);
};

struct options {
    const struct format *format;
    uint64_t rows;
    uint64_t seed;
    bool shuffle;
};

/* ---- numbers --------------------------------------------------------------------------------- */

static uint64_t divide_up(uint64_t dividend, uint64_t divisor)
{
    return (dividend + divisor - 1) / divisor;
}

static void shuffle_init(struct shuffle *shuffle, uint64_t count, uint64_t seed)
{
    unsigned bits = 2;
    while ((UINT64_C(1) << bits) < count)
        ++bits;
    shuffle->count = count;
    shuffle->seed = seed;
    shuffle->right_bits = bits - bits / 2;
    shuffle->left_mask = (UINT64_C(1) << (bits / 2)) - 1;
    shuffle->right_mask = (UINT64_C(1) << shuffle->right_bits) - 1;
}

static uint64_t shuffle_step(const struct shuffle *shuffle, uint64_t value)
{
    uint64_t left = value >> shuffle->right_bits;
    uint64_t right = value & shuffle->right_mask;
    for (uint64_t round = 0; round < 3; ++round) {
        left ^= draw(shuffle->seed, 4, right * 8 + 2 * round) & shuffle->left_mask;
        right ^= draw(shuffle->seed, 4, left * 8 + 2 * round + 1) & shuffle->right_mask;
    }
    return left << shuffle->right_bits | right;
}

static uint64_t shuffle_map(const struct shuffle *shuffle, uint64_t index)
{
    do {
        index = shuffle_step(shuffle, index);
    } while (index >= shuffle->count);
    return index;
}

static char *put_location(char *at, const struct location *location)
{
    memcpy(at, location->text, LOCATION_BYTES);
    return at + location->length;
}

/* ---- locations ------------------------------------------------------------------------------- */

static char *put_place(char *at, uint64_t random)
{
    at = put_text(at, "\"/w/m/net.mlir\":");
    at = put_number(at, 3 + random % 4000);
    at = put_char(at, ':');
    return put_number(at, 3 + (random >> 32) % 20);
}

/* 5 % fused, 2 % callsite, 1 % unknown, the rest a plain file position. */
static char *put_location_body(char *at, uint64_t index, uint64_t random)
{
    const uint64_t percent = index % 100;
    if (percent == 99)
        return put_text(at, "unknown");
    if (percent < 5) {
        at = put_place(put_text(at, "fused["), random);
        at = put_place(put_text(at, ", "), mix(random));
        return put_char(at, ']');
    }
    if (percent < 7) {
        at = put_place(put_text(at, "callsite("), random);
        at = put_place(put_text(at, " at "), mix(random));
        return put_char(at, ')');
    }
    return put_place(at, random);
}

static void locations_fill(struct location *locations, uint64_t seed)
{
    for (uint64_t i = 0; i < LOCATION_COUNT; ++i) {
        struct location *location = &locations[i];
        const uint64_t random = draw(seed, 0, i);
        char *at = put_location_body(put_text(location->text, "loc("), i, random);
        at = put_char(at, ')');
        location->length = (uint32_t)(at - location->text);
        location->op = (uint32_t)((random >> 40) % OP_COUNT);
        location->known = i % 100 != 99;
    }
}

/* Neighbouring steps share a location, as the tiles of one layer do. */
static const struct location *location_of_step(const struct plan *plan, uint64_t step)
{
    return &plan->locations[draw(plan->seed, 1, step / STEPS_PER_LOCATION) % LOCATION_COUNT];
}

/* ---- jobs of a timeline ---------------------------------------------------------------------- */

/* T1 and T2 charged bytes / 8; T4 charges an efficiency of 8 * 0.65 * 16 / 17.5 = 832 / 175. */
static void job_set_dma(struct job *job, const struct plan *plan, uint64_t random)
{
    if (plan->is_t4) {
        job->byte_count = 64 * (150 + random % 1330);
        job->length_cycles = divide_up(job->byte_count * 175, 832);
    } else {
        job->byte_count = 64 * (250 + random % 2250);
        job->length_cycles = job->byte_count / 8;
    }
}

/* The local DMA moves 16 * 0.36 = 144 / 25 bytes per cycle. */
static void job_set_cdma(struct job *job, uint64_t step, uint64_t random)
{
    static const enum job_kind kinds[] = {JOB_CDMA_L2I, JOB_CDMA_L2D, JOB_CDMA_D2L};
    job->kind = kinds[step % 3];
    job->byte_count = 4 * (16 + random % 500);
    job->length_cycles = divide_up(job->byte_count * 25, 144);
}

/*
 * A step issues in, out, in and (where the format has it) local DMA, a quarter of a step apart.
 * What goes out is the result of two steps before, hence usually of another location.
 */
static struct job job_of_dma(const struct plan *plan, uint64_t number, uint64_t random)
{
    const uint64_t step = number / plan->dma_per_step;
    const uint64_t slot = number % plan->dma_per_step;
    const uint64_t lag = slot == 1 && step >= 2 ? 2 : 0;
    struct job job = {.number = number, .location = location_of_step(plan, step - lag)};
    job.start_cycles = step * STEP_CYCLES + slot * QUARTER_CYCLES + (random >> 32) % JITTER_CYCLES;
    if (slot == 3) {
        job_set_cdma(&job, step, random);
    } else {
        job.kind = slot == 1 ? JOB_DMA_OUT : JOB_DMA_IN;
        job_set_dma(&job, plan, random);
    }
    return job;
}

/* Both slices work on the tile of the step before. Short jobs are commoner than long ones. */
static struct job job_of_slice(const struct plan *plan, uint64_t number, uint64_t random)
{
    const uint64_t step = number / SLICE_COUNT;
    const uint64_t start_cycles = (step + 1) * STEP_CYCLES + (random >> 32) % JITTER_CYCLES;
    return (struct job){
        .kind = JOB_SLICE,
        .number = number,
        .slice = number % SLICE_COUNT,
        .start_cycles = start_cycles,
        .length_cycles = 1000 + (random & 0xffff) % 243 * ((random >> 16 & 0xffff) % 243),
        .location = location_of_step(plan, step),
    };
}

static struct job job_of_css(const struct plan *plan, uint64_t number, uint64_t random)
{
    const uint64_t step = number * STEPS_PER_CSS;
    return (struct job){
        .kind = JOB_CSS,
        .number = number,
        .start_cycles = (step + 2) * STEP_CYCLES + random % JITTER_CYCLES,
        .length_cycles = 8000,
        .location = location_of_step(plan, step),
    };
}

static struct job job_of_row(const struct plan *plan, uint64_t row)
{
    const uint64_t random = draw(plan->seed, 2, row);
    if (row < plan->dma_rows)
        return job_of_dma(plan, row, random);
    row -= plan->dma_rows;
    if (row < plan->slice_rows)
        return job_of_slice(plan, row, random);
    return job_of_css(plan, row - plan->slice_rows, random);
}

/* ---- rows ------------------------------------------------------------------------------------ */

/* T1 and T2 share everything but the slice number in the id and the bytes of DMA rows. */
static char *put_job_t1(char *at, const struct job *job, bool is_t2)
{
    const struct job_names *names = &JOB_NAME_TABLE[job->kind];
    at = put_number(put_text(at, names->prefix), job->number);
    if (is_t2 && job->kind == JOB_SLICE)
        at = put_number(put_char(at, '_'), job->slice);
    at = put_number(put_char(at, ','), job->start_cycles);
    at = put_number(put_char(at, ','), job->start_cycles + job->length_cycles);
    at = put_location(put_char(at, ','), job->location);
    at = put_char(at, ',');
    at = put_text(at, job->kind == JOB_SLICE ? OP_NAMES[job->location->op] : names->type);
    if (is_t2 && job->byte_count != 0)
        at = put_number(put_char(at, ','), job->byte_count);
    return put_char(at, '\n');
}

static char *put_row_t1(const struct plan *plan, uint64_t row, char *at)
{
    const struct job job = job_of_row(plan, row);
    return put_job_t1(at, &job, false);
}

static char *put_row_t2(const struct plan *plan, uint64_t row, char *at)
{
    const struct job job = job_of_row(plan, row);
    return put_job_t1(at, &job, true);
}

static char *put_row_t4(const struct plan *plan, uint64_t row, char *at)
{
    const struct job job = job_of_row(plan, row);
    /* One control task per quarter of a step, so tasks are numbered in order of execution. */
    at = put_number(at, job.start_cycles / QUARTER_CYCLES);
    at = put_number(put_char(at, ','), job.length_cycles);
    at = put_number(put_char(at, ','), job.start_cycles);
    at = put_text(put_char(at, ','), JOB_NAME_TABLE[job.kind].event);
    if (job.kind == JOB_SLICE)
        at = put_number(at, job.slice);
    at = put_location(put_char(at, ','), job.location);
    at = put_char(at, ',');
    if (job.byte_count != 0)
        at = put_number(at, job.byte_count);
    return put_char(at, '\n');
}

/* One job per period, the stamp taken when it completes. An unknown location is left empty here. */
static char *put_row_r0(const struct plan *plan, uint64_t row, char *at)
{
    const uint64_t random = draw(plan->seed, 3, row);
    const struct location *location = location_of_step(plan, row * STEPS_PER_LOCATION);
    const uint64_t length_us = 60 + random % 340;
    const uint64_t start_us = 1210 + row * JOB_PERIOD_US + (random >> 32) % JOB_JITTER_US;
    at = put_number(at, row);
    at = put_number(put_char(at, ';'), start_us + length_us);
    at = put_number(put_char(at, ';'), length_us);
    at = put_char(at, ';');
    if (location->known)
        at = put_location(at, location);
    return put_char(at, '\n');
}

/*
 * One dispatch, whose actions do not overlap; a row starts or ends one. Quotes inside the quoted
 * location are doubled.
 */
static char *put_row_r1q(const struct plan *plan, uint64_t row, char *at)
{
    static const char *const starts[] = {"ALLOC_START",    "HOST_COPY_START",    "NSS_START",
                                         "NSS_WAIT_START", "HOST_PROGRAM_START", "DEALLOC_START"};
    static const char *const ends[] = {"ALLOC_END",    "HOST_COPY_END",    "NSS_START_END",
                                       "NSS_WAIT_END", "HOST_PROGRAM_END", "DEALLOC_END"};
    const uint64_t action = row / 2;
    const uint64_t kind = action % (sizeof starts / sizeof starts[0]);
    const bool is_end = row % 2 != 0;
    const struct location *location = location_of_step(plan, action / 3);
    const uint64_t random = draw(plan->seed, 3, action);
    const uint64_t length_us = is_end ? 1 + random % 340 : 0;
    const uint64_t start_us = action * JOB_PERIOD_US + (random >> 32) % JOB_JITTER_US;
    const uint64_t first_us = (draw(plan->seed, 3, 0) >> 32) % JOB_JITTER_US;
    at = put_number(at, action);
    at = put_number(put_char(at, ','), start_us + length_us - first_us);
    at = put_number(put_char(at, ','), STEADY_CLOCK_US + start_us + length_us);
    at = put_text(put_char(at, ','), is_end ? ends[kind] : starts[kind]);
    at = put_text(at, ",\"");
    for (uint32_t i = 0; i < location->length; ++i) {
        if (location->text[i] == '"')
            at = put_char(at, '"');
        at = put_char(at, location->text[i]);
    }
    return put_text(at, "\"\n");
}

static char *put_row_r2(const struct plan *plan, uint64_t row, char *at)
{
    return host_put_row(plan->host, row, at);
}

static const char R2_HEADER[] = "dispatch_name,invocation_id,action_id,timestamp_us,event\n";

static const struct format FORMATS[] = {
    {"t1", "", 3, false, put_row_t1},
    {"t2", "", 4, true, put_row_t2},
    {"t4", "taskId, elapsed_time(us), timestamp(us), event, location, bytes\n", 4, true,
     put_row_t4},
    {"r0", "id;time_since_open;time_since_start;location\n", 0, false, put_row_r0},
    {"r1q", "actionIndex, elapsed_time(us), timestamp(us), event, location\n", 0, false,
     put_row_r1q},
    {"r2", R2_HEADER, 0, false, put_row_r2},
    {"r2i", R2_HEADER, 0, false, put_row_r2},
};

/* ---- the file -------------------------------------------------------------------------------- */

/* Shares the rows out so that every engine runs through about the same number of steps. */
static void plan_init(struct plan *plan, const struct options *options, struct location *locations)
{
    const struct format *format = options->format;
    const uint64_t rows = options->rows;
    const uint64_t css = format->has_css ? 1 : 0;
    const uint64_t dma = format->dma_per_step * STEPS_PER_CSS;
    const uint64_t unit = dma + SLICE_COUNT * STEPS_PER_CSS + css;
    plan->rows = rows;
    plan->seed = options->seed;
    plan->dma_rows = divide_up(rows * dma, unit);
    plan->slice_rows = rows - plan->dma_rows - rows * css / unit;
    plan->dma_per_step = format->dma_per_step;
    plan->is_t4 = format->put_row == put_row_t4;
    plan->locations = locations;
    plan->host = NULL;
}

/* A host profile knows itself how many rows make it whole. */
static bool plan_add_host(struct plan *plan, const struct options *options)
{
    if (options->format->put_row != put_row_r2)
        return true;
    const bool is_r2i = strcmp(options->format->name, "r2i") == 0;
    plan->host = host_create(is_r2i, options->rows, options->seed);
    plan->rows = plan->host != NULL ? host_row_count(plan->host) : 0;
    return plan->host != NULL;
}

static bool write_rows(const struct plan *plan, const struct options *options, char *buffer)
{
    struct shuffle shuffle;
    shuffle_init(&shuffle, plan->rows, plan->seed);
    char *at = put_text(buffer, options->format->header);
    for (uint64_t i = 0; i < plan->rows; ++i) {
        if (at > buffer + BUFFER_BYTES - ROW_BYTES) {
            if (!write_all(buffer, (size_t)(at - buffer)))
                return false;
            at = buffer;
        }
        const uint64_t row = options->shuffle ? shuffle_map(&shuffle, i) : i;
        at = options->format->put_row(plan, row, at);
    }
    return write_all(buffer, (size_t)(at - buffer));
}

static int write_file(const struct options *options)
{
    struct plan plan = {.rows = 0};
    struct location *locations = calloc(LOCATION_COUNT, sizeof *locations);
    char *buffer = malloc(BUFFER_BYTES);
    bool ok = locations != NULL && buffer != NULL;
    if (ok) {
        locations_fill(locations, options->seed);
        plan_init(&plan, options, locations);
        ok = plan_add_host(&plan, options);
    }
    if (ok) {
        setvbuf(stdout, NULL, _IONBF, 0); /* our buffer is the only one */
        ok = write_rows(&plan, options, buffer);
    } else {
        fprintf(stderr, "gen_torq: out of memory\n");
    }
    host_destroy(plan.host);
    free(buffer);
    free(locations);
    return ok ? 0 : 1;
}

/* ---- command line ---------------------------------------------------------------------------- */

static const struct format *format_find(const char *name)
{
    for (size_t i = 0; i < sizeof FORMATS / sizeof FORMATS[0]; ++i)
        if (strcmp(FORMATS[i].name, name) == 0)
            return &FORMATS[i];
    return NULL;
}

static bool options_parse(int argc, char **argv, struct options *out_options)
{
    if (argc < 3)
        return false;
    *out_options = (struct options){.format = format_find(argv[1]), .seed = 1};
    bool ok = out_options->format != NULL && number_parse(argv[2], &out_options->rows) &&
              out_options->rows <= MAX_ROWS;
    for (int i = 3; ok && i < argc; ++i) {
        if (strcmp(argv[i], "--shuffle") == 0)
            out_options->shuffle = true;
        else if (strcmp(argv[i], "--seed") == 0 && i + 1 < argc)
            ok = number_parse(argv[++i], &out_options->seed);
        else
            ok = false;
    }
    return ok;
}

int main(int argc, char **argv)
{
    static const char usage[] = "usage: gen_torq FORMAT ROWS [--shuffle] [--seed N] > file.csv\n"
                                "  FORMAT t1, t2, t4, r0, r1q, r2 or r2i; seed 1 by default\n"
                                "  ROWS at most 2^40; r2 and r2i are filled up to whole runs\n";
    struct options options;
    if (argc == 2 && strcmp(argv[1], "--help") == 0)
        return fputs(usage, stdout) < 0;
    if (!options_parse(argc, argv, &options)) {
        fputs(usage, stderr);
        return 2;
    }
    return write_file(&options);
}
