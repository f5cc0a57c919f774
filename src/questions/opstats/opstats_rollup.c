/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Roll-ups except the critical path: sums over op records by name, by core, by pair of devices.
 */
#include "questions/opstats/opstats_rollup.h"

#include "questions/opstats/opstats_path.h"
#include "base/grow.h"
#include "base/maths.h"

#include <stdlib.h>

#define COUNT_OF(array) (sizeof(array) / sizeof((array)[0]))

tacho_rollup_kind tacho_rollup_find(tacho_str word)
{
    static const char *const words[] = {
#define ROLLUP_WORD(name, word, title) word,
        TACHO_ROLLUPS(ROLLUP_WORD)
#undef ROLLUP_WORD
    };
    for (size_t i = 0; i < COUNT_OF(words); i++) {
        if (tacho_str_equal(word, tacho_str_from_cstring(words[i]))) {
            return (tacho_rollup_kind)(i + 1);
        }
    }
    return TACHO_ROLLUP_NONE;
}

static tacho_status add_count(tacho_table *table, uint64_t value)
{
    return tacho_table_add_int(table, value > INT64_MAX ? INT64_MAX : (int64_t)value);
}

static tacho_status add_known(tacho_table *table, bool is_known, uint64_t value)
{
    return is_known ? add_count(table, value) : tacho_table_add_absent(table);
}

/* Adds the inference of a row: its number, and the copy of the program that ran it. */
static tacho_status add_run(tacho_table *table, const tacho_stats_head *head)
{
    TACHO_TRY(add_count(table, head->inference));
    return add_count(table, head->activation);
}

static double percent(double part, double whole)
{
    return whole > 0.0 ? 100.0 * part / whole : 0.0;
}

/* ---- by name ------------------------------------------------------------------------------- */

static const tacho_column name_columns[] = {
    TACHO_COLUMN(INFERENCE, "inference", INT),
    TACHO_COLUMN(ACTIVATION, "activation", INT),
    TACHO_COLUMN(NAME, "name", TEXT),
    TACHO_COLUMN(OP_COUNT, "ops", INT),
    TACHO_COLUMN(RECORD_COUNT, "records", INT),
    TACHO_COLUMN(ENGINE_UCYCLES, "engine ucycles", INT),
    TACHO_COLUMN(SHARE_PERCENT, "share", PERCENT),
    TACHO_COLUMN(PCYCLES, "pcycles", INT),
    TACHO_COLUMN(SYNC_UCYCLES, "sync ucycles", INT),
    TACHO_COLUMN(ESTIMATED_CYCLES, "estimated cycles", INT),
    TACHO_COLUMN(MACS, "MACs", INT),
    TACHO_COLUMN(OUTPUT_BYTES, "output bytes", INT),
};

typedef struct name_sum {
    uint32_t name; /* string */
    uint64_t op_count, record_count, ucycles, pcycles, sync_u, macs, bytes;
    uint64_t wanted_count; /* expected records; with fewer, times are not known */
    int64_t estimate;
} name_sum;

typedef struct name_sums {
    tacho_strings strings;
    name_sum *items; /* by string */
    size_t item_count, item_capacity;
    uint32_t *op_name; /* by op, then one for jobs without an op */
} name_sums;

/* "/layers.0/attn" of "/layers.0/attn/MatMul"; the whole name without a slash. */
static tacho_str layer_of(tacho_str name)
{
    size_t at = name.len;
    while (at > 0 && name.data[at - 1] != '/') {
        at--;
    }
    return at > 1 ? tacho_str_make(name.data, at - 1) : name;
}

static tacho_status name_ops(name_sums *self, const tacho_program *program, bool by_layer)
{
    for (size_t i = 0; i <= program->op_count; i++) {
        tacho_str name = TACHO_STR("(no operator)");
        if (i < program->op_count) {
            const tacho_program_op *op = &program->ops[i];
            name = by_layer ? layer_of(tacho_strings_get(&program->strings, op->name))
                            : tacho_strings_get(&program->strings, op->type);
        }
        TACHO_TRY(tacho_strings_ensure(&self->strings, name, &self->op_name[i]));
        TACHO_TRY(tacho_grow(&self->items, &self->item_capacity, self->strings.item_count));
        for (; self->item_count < self->strings.item_count; self->item_count++) {
            self->items[self->item_count] = (name_sum){.name = (uint32_t)self->item_count};
        }
        if (i < program->op_count) {
            const tacho_program_op *op = &program->ops[i];
            name_sum *sum = &self->items[self->op_name[i]];
            sum->op_count++;
            sum->macs += op->macs;
            sum->bytes += op->output_bytes;
            sum->estimate += op->cycles;
        }
    }
    return TACHO_OK;
}

static void sum_array(name_sums *self, const tacho_rollup_files *files,
                      const tacho_stats_file *file, const tacho_stats_array *array)
{
    const tacho_stats_layout *layout = files->words->layout;
    bool is_by_op = (file->head.features & TACHO_STATS_BY_OP) != 0;
    size_t first = tacho_stats_words_task(files->words, array->stream, 0);
    const tacho_stats_op *ops = array->records;
    for (uint32_t i = 0; i < array->count; i++) {
        if (ops[i].oc == TACHO_NONE) {
            continue;
        }
        uint32_t op = is_by_op ? ops[i].oc : layout->tasks[first + ops[i].oc].op;
        name_sum *sum =
            &self->items[self->op_name[op != TACHO_NONE ? op : layout->program->op_count]];
        uint64_t end = ops[i].flags & TACHO_STATS_OP_ASYNC ? ops[i].async_done_u : ops[i].op_end_u;
        sum->record_count++;
        if (!is_by_op && layout->tasks[first + ops[i].oc].kind == TACHO_JOB_WAIT) {
            sum->sync_u += ops[i].op_end_u - ops[i].sync_start_u;
            continue; /* not engine work */
        }
        sum->ucycles += end - ops[i].op_start_u;
        sum->pcycles += ops[i].op_end_p - ops[i].op_start_p;
        sum->sync_u += ops[i].op_start_u - ops[i].sync_start_u;
    }
}

/* Counts the records of a complete file. Records by op may be fewer than ops, and are not
 * counted. */
static void want_records(name_sums *self, const tacho_stats_layout *layout,
                         const tacho_stats_file *file)
{
    const tacho_program *program = layout->program;
    bool is_by_op = (file->head.features & TACHO_STATS_BY_OP) != 0;
    for (size_t i = 0; !is_by_op && i < program->job_count; i++) {
        const tacho_job *job = &program->jobs[i];
        uint32_t op = job->op != TACHO_NONE ? job->op : (uint32_t)program->op_count;
        self->items[self->op_name[op]].wanted_count +=
            layout->job_slot[i] != TACHO_NONE &&
                    program->engines[job->engine].device == file->head.device
                ? 1
                : 0;
    }
}

static int compare_sums(const void *a, const void *b)
{
    const name_sum *left = a;
    const name_sum *right = b;
    if (left->ucycles != right->ucycles) {
        return left->ucycles > right->ucycles ? -1 : 1;
    }
    return (left->name > right->name) - (left->name < right->name);
}

static tacho_status add_sums(name_sums *self, const tacho_stats_head *head, tacho_table *table)
{
    double total = 0.0;
    bool is_total = true;
    for (size_t i = 0; i < self->item_count; i++) {
        total += (double)self->items[i].ucycles;
        is_total &= self->items[i].record_count >= self->items[i].wanted_count;
    }
    if (self->item_count > 0) {
        qsort(self->items, self->item_count, sizeof(self->items[0]), compare_sums);
    }
    for (size_t i = 0; i < self->item_count; i++) {
        const name_sum *sum = &self->items[i];
        bool is_known = sum->record_count >= sum->wanted_count;
        if (sum->record_count == 0 && is_known) {
            continue;
        }
        TACHO_TRY(add_run(table, head));
        TACHO_TRY(tacho_table_add_text(table, tacho_strings_get(&self->strings, sum->name)));
        TACHO_TRY(add_count(table, sum->op_count));
        TACHO_TRY(add_count(table, sum->record_count));
        TACHO_TRY(add_known(table, is_known, sum->ucycles));
        TACHO_TRY(is_total ? tacho_table_add_real(table, percent((double)sum->ucycles, total))
                           : tacho_table_add_absent(table));
        TACHO_TRY(add_known(table, is_known && tacho_stats_has_cycles(head), sum->pcycles));
        TACHO_TRY(add_known(table, is_known, sum->sync_u));
        TACHO_TRY(tacho_table_add_int(table, sum->estimate));
        TACHO_TRY(add_count(table, sum->macs));
        TACHO_TRY(add_count(table, sum->bytes));
    }
    return TACHO_OK;
}

static tacho_status sum_names(name_sums *self, const tacho_rollup_files *files, bool by_layer,
                              tacho_table *table)
{
    const tacho_program *program = files->words->layout->program;
    TACHO_TRY(tacho_strings_init(&self->strings));
    TACHO_TRY(tacho_items_make(&self->op_name, program->op_count));
    TACHO_TRY(name_ops(self, program, by_layer));
    for (size_t i = 0; i < files->file_count; i++) {
        const tacho_stats_file *file = files->files[i];
        want_records(self, files->words->layout, file);
        for (size_t j = 0; j < file->array_count; j++) {
            if (file->arrays[j].type == TACHO_STATS_TYPE_op) {
                sum_array(self, files, file, &file->arrays[j]);
            }
        }
    }
    return add_sums(self, &files->files[0]->head, table);
}

static tacho_status rollup_names(const tacho_rollup_files *files, bool by_layer, tacho_table *table)
{
    name_sums self = {0};
    if (files->files[0]->head.level < TACHO_STATS_LEVEL_OPS) {
        return TACHO_OK; /* semaphores at most: no operator's time is known */
    }
    tacho_status status = sum_names(&self, files, by_layer, table);
    tacho_strings_deinit(&self.strings);
    free(self.items);
    free(self.op_name);
    return status;
}

static tacho_status rollup_ops(const tacho_rollup_files *files, tacho_table *table)
{
    return rollup_names(files, false, table);
}

static tacho_status rollup_layers(const tacho_rollup_files *files, tacho_table *table)
{
    return rollup_names(files, true, table);
}

/* ---- cores --------------------------------------------------------------------------------- */

static const tacho_column core_columns[] = {
    TACHO_COLUMN(INFERENCE, "inference", INT),
    TACHO_COLUMN(ACTIVATION, "activation", INT),
    TACHO_COLUMN(DEVICE, "device", INT),
    TACHO_COLUMN(CORE, "core", INT),
    TACHO_COLUMN(UCYCLES, "ucycles", INT),
    TACHO_COLUMN(FLUSH_UCYCLES, "flush ucycles", INT),
    TACHO_COLUMN(WORK_UCYCLES, "ucycles without flush", INT),
    TACHO_COLUMN(OF_MEAN_PERCENT, "of mean", PERCENT),
    TACHO_COLUMN(BUSIEST_UCYCLES, "busiest thread ucycles", INT),
    TACHO_COLUMN(BUSY_PERCENT, "busy", PERCENT),
    TACHO_COLUMN(SYNC_UCYCLES, "its sync ucycles", INT),
    TACHO_COLUMN(BARRIER_UCYCLES, "its barrier ucycles", INT),
    TACHO_COLUMN(RECORD_COUNT, "records", INT),
    TACHO_COLUMN(DDR_BYTES, "DDR bytes", INT),
};

typedef struct core_sum {
    uint64_t record_count;
    const tacho_opstats_thread *busiest; /* with ops of computing engines; NULL: not known */
} core_sum;

static uint64_t work_of(const tacho_opstats_core *core)
{
    return core->end_u - core->start_u - core->flush_u;
}

static void count_records(const tacho_stats_file *file, const tacho_program *program,
                          core_sum *cores)
{
    for (size_t i = 0; i < file->array_count; i++) {
        const tacho_stats_array *array = &file->arrays[i];
        const tacho_stats_op *ops = array->records;
        for (uint32_t j = 0; array->type == TACHO_STATS_TYPE_op && j < array->count; j++) {
            cores[program->engines[array->stream].core].record_count +=
                ops[j].oc != TACHO_NONE ? 1 : 0;
        }
    }
}

/* Finds the thread of each core that was busy with ops longest, except threads that only start
 * transfers. */
static void find_busiest(const tacho_opstats *stats, const tacho_stats_words *words,
                         core_sum *cores)
{
    const tacho_program *program = stats->program;
    bool is_by_op = (stats->file->head.features & TACHO_STATS_BY_OP) != 0;
    for (uint32_t i = 0; i < program->facts.core_count; i++) {
        cores[i].busiest = &stats->threads[(size_t)i * program->facts.thread_count];
    }
    for (uint32_t i = 0; !is_by_op && i < program->engine_count; i++) {
        core_sum *core = &cores[program->engines[i].core];
        const tacho_opstats_thread *thread = &stats->threads[stats->engine_thread[i]];
        if (program->engines[i].device == stats->file->head.device && !words->is_issue[i] &&
            core->busiest != NULL && thread->waits.op_u > core->busiest->waits.op_u) {
            core->busiest = thread;
        }
    }
    bool has_ops = stats->file->head.level >= TACHO_STATS_LEVEL_OPS;
    for (size_t i = 0; i < (size_t)program->facts.core_count * program->facts.thread_count; i++) {
        if (stats->threads[i].is_lost || !has_ops) {
            cores[i / program->facts.thread_count].busiest = NULL; /* it might be the lost one */
        }
    }
}

static tacho_status add_core(const tacho_opstats *stats, uint32_t number, const core_sum *sum,
                             double mean, tacho_table *table)
{
    const tacho_stats_head *head = &stats->file->head;
    const tacho_opstats_core *core = &stats->cores[number];
    const tacho_opstats_waits *waits = sum->busiest != NULL ? &sum->busiest->waits : NULL;
    uint64_t work = work_of(core);
    bool is_known = core->is_whole;
    TACHO_TRY(add_run(table, head));
    TACHO_TRY(add_count(table, head->device));
    TACHO_TRY(add_count(table, number));
    TACHO_TRY(add_known(table, is_known, core->end_u - core->start_u));
    TACHO_TRY(add_known(table, is_known, core->flush_u));
    TACHO_TRY(add_known(table, is_known, work));
    TACHO_TRY(stats->is_whole ? tacho_table_add_real(table, percent((double)work, mean))
                              : tacho_table_add_absent(table));
    TACHO_TRY(add_known(table, waits != NULL, waits != NULL ? waits->op_u : 0));
    TACHO_TRY(waits != NULL && is_known
                  ? tacho_table_add_real(table, percent((double)waits->op_u, (double)work))
                  : tacho_table_add_absent(table));
    TACHO_TRY(add_known(table, waits != NULL && is_known, waits != NULL ? waits->sync_u : 0));
    TACHO_TRY(add_known(table, waits != NULL, waits != NULL ? waits->barrier_u : 0));
    TACHO_TRY(add_known(table, waits != NULL, sum->record_count));
    return add_known(table, core->has_ddr, core->read_bytes + core->write_bytes);
}

static tacho_status rollup_file_cores(const tacho_rollup_files *files, const tacho_stats_file *file,
                                      core_sum *cores, tacho_table *table)
{
    tacho_opstats *stats = files->stats;
    double total = 0.0;
    uint32_t count = 0;
    TACHO_TRY(tacho_opstats_read(stats, file));
    memset(cores, 0, file->head.core_count * sizeof(*cores));
    count_records(file, stats->program, cores);
    find_busiest(stats, files->words, cores);
    for (uint32_t i = 0; i < file->head.core_count; i++) {
        total += (double)work_of(&stats->cores[i]);
        count += stats->cores[i].is_there ? 1 : 0;
    }
    for (uint32_t i = 0; i < file->head.core_count; i++) {
        if (stats->cores[i].is_there || !stats->cores[i].is_whole) {
            TACHO_TRY(
                add_core(stats, i, &cores[i], count > 0 ? total / (double)count : 0.0, table));
        }
    }
    return TACHO_OK;
}

static tacho_status rollup_cores(const tacho_rollup_files *files, tacho_table *table)
{
    size_t count = files->words->layout->program->facts.core_count;
    core_sum *cores = NULL;
    TACHO_TRY(tacho_items_make(&cores, count));
    tacho_status status = TACHO_OK;
    for (size_t i = 0; i < files->file_count && status == TACHO_OK; i++) {
        status = rollup_file_cores(files, files->files[i], cores, table);
    }
    free(cores);
    return status;
}

/* ---- devices ------------------------------------------------------------------------------- */

static const tacho_column device_columns[] = {
    TACHO_COLUMN(INFERENCE, "inference", INT),
    TACHO_COLUMN(ACTIVATION, "activation", INT),
    TACHO_COLUMN(FROM_DEVICE, "from", INT),
    TACHO_COLUMN(TO_DEVICE, "to", INT),
    TACHO_COLUMN(TENSOR_COUNT, "tensors", INT),
    TACHO_COLUMN(BYTES, "bytes", INT),
    TACHO_COLUMN(SEND_WAIT_UCYCLES, "sender waited ucycles (all threads)", INT),
    TACHO_COLUMN(RECEIVE_WAIT_UCYCLES, "receiver waited ucycles (all threads)", INT),
};

enum { DEVICES_MAX = 1024 };

typedef struct device_pair {
    uint64_t tensor_count, bytes, send_u, receive_u;
    bool is_lost; /* the receiver's records of its ports */
} device_pair;

static uint32_t device_of(const tacho_program *program, uint32_t op)
{
    const tacho_program_op *of = &program->ops[op];
    return of->job_count > 0 ? program->engines[program->jobs[of->first_job].engine].device
                             : TACHO_NONE;
}

/*
 * Bytes of a tensor that moves between devices without a transfer job, since loads can reach all
 * memories: its size as stored by its maker, in the type that the machine computes in. Several
 * outputs of an op share its stored bytes in proportion to their sizes in the model.
 */
static uint64_t moved_bytes(const tacho_program *program, const tacho_step *step, uint32_t tensor)
{
    const tacho_program_op *op = &program->ops[step->op];
    uint64_t stored = 0;
    uint64_t made = 0;
    for (uint32_t i = 0; i < op->job_count; i++) {
        const tacho_job *job = &program->jobs[op->first_job + i];
        stored += job->kind == TACHO_JOB_STORE ? job->bytes : 0;
    }
    for (uint32_t i = 0; i < step->output_count; i++) {
        uint32_t output = program->links[step->first_link + step->input_count + i];
        made += output != TACHO_NONE ? program->tensors[output].bytes : 0;
    }
    uint64_t bytes = program->tensors[tensor].bytes;
    return stored > 0 && made > 0 ? (uint64_t)((tacho_u128)stored * bytes / made) : bytes;
}

/* Working state for following tensors. */
typedef struct device_marks {
    uint32_t *makers;  /* by tensor: the step that makes it, or TACHO_NONE */
    uint32_t *readers; /* by tensor: the last device that read it, or TACHO_NONE */
    uint32_t *first;   /* by device: its first step, or TACHO_NONE ... */
    uint32_t *next;    /* ... and by step the next one on its device */
} device_marks;

static void list_steps(const tacho_program *program, device_marks *marks)
{
    for (size_t i = 0; i < program->tensor_count; i++) {
        marks->makers[i] = marks->readers[i] = TACHO_NONE;
    }
    for (size_t i = 0; i < program->facts.device_count; i++) {
        marks->first[i] = TACHO_NONE;
    }
    for (size_t i = program->step_count; i-- > 0;) {
        const tacho_step *step = &program->steps[i];
        uint32_t device = step->op < program->op_count ? device_of(program, step->op) : TACHO_NONE;
        if (device == TACHO_NONE) {
            continue;
        }
        marks->next[i] = marks->first[device];
        marks->first[device] = (uint32_t)i;
        for (uint32_t j = 0; j < step->output_count; j++) {
            uint32_t tensor = program->links[step->first_link + step->input_count + j];
            if (tensor != TACHO_NONE) {
                marks->makers[tensor] = (uint32_t)i;
            }
        }
    }
}

static void read_tensor(const tacho_program *program, device_marks *marks, uint32_t tensor,
                        uint32_t device, device_pair *pairs)
{
    if (tensor == TACHO_NONE || marks->makers[tensor] == TACHO_NONE) {
        return;
    }
    const tacho_step *maker = &program->steps[marks->makers[tensor]];
    uint32_t from = device_of(program, maker->op);
    if (from != device && marks->readers[tensor] != device) {
        device_pair *pair = &pairs[(size_t)from * program->facts.device_count + device];
        pair->tensor_count++;
        pair->bytes += moved_bytes(program, maker, tensor);
        marks->readers[tensor] = device;
    }
}

/* Goes device by device, so that a tensor counts once for a device that reads it several times. */
static tacho_status count_tensors(const tacho_program *program, device_pair *pairs)
{
    size_t room = 2 * program->tensor_count + program->step_count + program->facts.device_count;
    uint32_t *memory = NULL;
    TACHO_TRY(tacho_items_make(&memory, room));
    device_marks marks = {.makers = memory, .readers = memory + program->tensor_count};
    marks.first = marks.readers + program->tensor_count;
    marks.next = marks.first + program->facts.device_count;
    list_steps(program, &marks);
    for (uint32_t device = 0; device < program->facts.device_count; device++) {
        for (uint32_t i = marks.first[device]; i != TACHO_NONE; i = marks.next[i]) {
            const tacho_step *step = &program->steps[i];
            for (uint32_t j = 0; j < step->input_count; j++) {
                read_tensor(program, &marks, program->links[step->first_link + j], device, pairs);
            }
        }
    }
    free(memory);
    return TACHO_OK;
}

/* Counts transfer jobs between devices, a tensor each; false if the program has none. */
static bool count_transfers(const tacho_program *program, device_pair *pairs)
{
    bool has_any = false;
    for (size_t i = 0; i < program->job_count; i++) {
        const tacho_job *job = &program->jobs[i];
        if (job->kind == TACHO_JOB_P2P) {
            uint32_t device = program->engines[job->engine].device;
            device_pair *pair = &pairs[(size_t)job->partner * program->facts.device_count + device];
            pair->tensor_count++;
            pair->bytes += job->bytes;
            has_any = true;
        }
    }
    return has_any;
}

static void count_waits(const tacho_stats_file *file, uint32_t count, device_pair *pairs)
{
    bool has_ports = false;
    for (size_t i = 0; i < file->array_count; i++) {
        const tacho_stats_array *array = &file->arrays[i];
        const tacho_stats_port *ports = array->records;
        has_ports |= array->type == TACHO_STATS_TYPE_port;
        for (uint32_t j = 0; array->type == TACHO_STATS_TYPE_port && j < array->count; j++) {
            uint32_t device = file->head.device;
            if (!ports[j].is_p2p || ports[j].peer >= count) {
                continue;
            }
            if (ports[j].is_output) {
                pairs[(size_t)device * count + ports[j].peer].send_u += ports[j].wait_u;
            } else {
                pairs[(size_t)ports[j].peer * count + device].receive_u += ports[j].wait_u;
            }
        }
    }
    bool is_lost = !has_ports && tacho_stats_is_damaged(&file->damage);
    for (uint32_t i = 0; is_lost && i < count; i++) {
        pairs[(size_t)i * count + file->head.device].is_lost = true;
    }
}

static tacho_status add_pairs(const tacho_rollup_files *files, const device_pair *pairs,
                              uint32_t count, tacho_table *table)
{
    const tacho_stats_head *head = &files->files[0]->head;
    bool has_ports = head->level >= TACHO_STATS_LEVEL_PORTS && tacho_stats_has_cycles(head);
    for (uint32_t i = 0; i < count * count; i++) {
        const device_pair *pair = &pairs[i];
        if (pair->tensor_count == 0 && pair->send_u == 0 && pair->receive_u == 0) {
            continue;
        }
        TACHO_TRY(add_run(table, head));
        TACHO_TRY(add_count(table, i / count));
        TACHO_TRY(add_count(table, i % count));
        TACHO_TRY(add_count(table, pair->tensor_count));
        TACHO_TRY(add_count(table, pair->bytes));
        TACHO_TRY(add_known(table, has_ports, pair->send_u));
        TACHO_TRY(add_known(table, has_ports && !pair->is_lost, pair->receive_u));
    }
    return TACHO_OK;
}

static tacho_status rollup_devices(const tacho_rollup_files *files, tacho_table *table)
{
    const tacho_program *program = files->words->layout->program;
    uint32_t count = program->facts.device_count;
    if (count > DEVICES_MAX) {
        return tacho_fail(TACHO_CODE_LIMIT, "a table of %u devices; at most %d", (unsigned)count,
                          DEVICES_MAX);
    }
    device_pair *pairs = tacho_items_alloc((size_t)count * count, sizeof(*pairs));
    tacho_status status = TACHO_OK;
    if (pairs == NULL) {
        status = tacho_no_memory();
    } else if (!count_transfers(program, pairs)) {
        status = count_tensors(program, pairs);
    }
    for (size_t i = 0; i < files->file_count && status == TACHO_OK; i++) {
        count_waits(files->files[i], count, pairs);
    }
    if (status == TACHO_OK) {
        status = add_pairs(files, pairs, count, table);
    }
    free(pairs);
    return status;
}

/* ---- all ----------------------------------------------------------------------------------- */

typedef struct rollup_row {
    const char *name, *title;
    const tacho_column *columns;
    size_t column_count;
    tacho_status (*add)(const tacho_rollup_files *files, tacho_table *table);
} rollup_row;

tacho_status tacho_rollup_table(tacho_rollup_kind kind, const tacho_rollup_files *files,
                                tacho_table *out_table)
{
    const rollup_row rows[TACHO_ROLLUP_COUNT] = {
        [TACHO_ROLLUP_OP] = {"rollup_op", "By type of operator", name_columns,
                             COUNT_OF(name_columns), rollup_ops},
        [TACHO_ROLLUP_LAYER] = {"rollup_layer", "By layer", name_columns, COUNT_OF(name_columns),
                                rollup_layers},
        [TACHO_ROLLUP_CORE] = {"rollup_core", "Balance of cores", core_columns,
                               COUNT_OF(core_columns), rollup_cores},
        [TACHO_ROLLUP_DEVICE] = {"rollup_device", "From device to device", device_columns,
                                 COUNT_OF(device_columns), rollup_devices},
        [TACHO_ROLLUP_CRITICAL] = {"rollup_critical", "Critical path", tacho_opstats_path_columns,
                                   TACHO_OPSTATS_PATH_COLUMN_COUNT, tacho_opstats_path_add},
    };
    const rollup_row *row = &rows[kind];
    tacho_table_init(out_table, row->name, row->title, row->columns, row->column_count);
    static const tacho_column_id kept[] = {TACHO_COL_NAME,           TACHO_COL_OP,
                                           TACHO_COL_CORE,           TACHO_COL_FROM_DEVICE,
                                           TACHO_COL_TO_DEVICE,      TACHO_COL_UCYCLES,
                                           TACHO_COL_ENGINE_UCYCLES, TACHO_COL_SHARE_PERCENT,
                                           TACHO_COL_BUSY_PERCENT,   TACHO_COL_BYTES,
                                           TACHO_COL_OTHER};
    out_table->kept = kept;
    return row->add(files, out_table);
}
