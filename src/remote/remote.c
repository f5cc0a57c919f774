/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The host's side: each call of the device is a message and its answer. Values of an inference are
 * fetched when they are first requested.
 */
#include "remote/remote.h"

#include "base/grow.h"
#include "base/tempfile.h"
#include "device/program_machine.h"
#include "program/container.h"
#include "remote/result.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <tacho/version.h>

typedef struct remote_device {
    tacho_device base;
    tacho_device_type type; /* that of its kind, with other functions */
    tacho_device_options options;
    tacho_arena arena;
    const char *argument;
    const tacho_notes *notes;
    tacho_link link;
    bool is_linked;
    bool is_claimed;          /* the board is ours */
    int64_t waited_ns;        /* until it was, for others who used it */
    uint64_t board_waited_ns; /* the same by the board's clock */
    tacho_deployment deployment;
    tacho_stats_layout layout;
    bool has_layout;
    tacho_wire_loaded loaded; /* texts in the arena */
    tacho_wire_result result;
    tacho_bytes result_bytes; /* that |result| borrows from */
    tacho_bytes *outputs;     /* payloads, by output; empty: not fetched */
} remote_device;

static const tacho_device_values remote_values;

/* ---- life ---------------------------------------------------------------------------------- */

static void close_remote(tacho_device *device)
{
    remote_device *self = (remote_device *)device;
    if (self->is_claimed && self->link.tether.guard >= 0) {
        tacho_status_free(tacho_link_ask(&self->link, TACHO_WIRE_END, TACHO_STR(""),
                                         TACHO_WIRE_DONE, "saying goodbye"));
    }
    if (self->is_linked) {
        tacho_link_close(&self->link);
    }
    for (size_t i = 0; self->outputs != NULL && i < self->base.program->output_count; i++) {
        tacho_bytes_deinit(&self->outputs[i]);
    }
    if (self->has_layout) {
        tacho_stats_layout_deinit(&self->layout);
    }
    free(self->outputs);
    tacho_wire_result_deinit(&self->result);
    tacho_bytes_deinit(&self->result_bytes);
    tacho_arena_deinit(&self->arena);
    free(self);
}

static tacho_status check_hello(remote_device *self)
{
    tacho_wire_hello hello;
    const tacho_link *link = &self->link;
    TACHO_TRY(tacho_link_ask(&self->link, TACHO_WIRE_NONE, TACHO_STR(""), TACHO_WIRE_HELLO,
                             "starting the runtime"));
    TACHO_TRY(tacho_wire_get_hello(tacho_bytes_view(&link->message.payload), &hello));
    if (hello.protocol == TACHO_WIRE_PROTOCOL &&
        tacho_str_equal(hello.version, TACHO_STR(TACHO_VERSION))) {
        return TACHO_OK;
    }
    return tacho_fail(TACHO_CODE_UNSUPPORTED,
                      "%s: the runtime is version %.*s (protocol %u), and this is %s (protocol "
                      "%d); use one of the same version",
                      link->host, hello.version.len < 40 ? (int)hello.version.len : 40,
                      hello.version.data, (unsigned)hello.protocol, TACHO_VERSION,
                      TACHO_WIRE_PROTOCOL);
}

static tacho_str holder_of(const tacho_link *link)
{
    tacho_wire_reader reader = {.bytes = tacho_bytes_view(&link->message.payload)};
    tacho_str holder = tacho_wire_get_text(&reader);
    holder.len = holder.len < 200 ? holder.len : 200;
    return holder;
}

static tacho_status claim_board(remote_device *self, uint64_t wait_s)
{
    char who[TACHO_REMOTE_WHO_BYTES];
    tacho_link *link = &self->link;
    tacho_remote_who(who);
    TACHO_TRY(tacho_bytes_put(&link->text, wait_s, 8));
    TACHO_TRY(tacho_bytes_put(&link->text, tacho_link_silence_s(link), 8));
    TACHO_TRY(tacho_wire_put_text(&link->text, tacho_str_from_cstring(who)));
    TACHO_TRY(tacho_link_ask(link, TACHO_WIRE_CLAIM, TACHO_STR(""), TACHO_WIRE_NONE,
                             "taking the board's lock"));
    if (link->message.type == TACHO_WIRE_BUSY && wait_s > 0) {
        tacho_note(self->notes, "note", "%s is in use by %.*s; waiting up to %" PRIu64 " s",
                   link->host, TACHO_STR_ARG(holder_of(link)), wait_s);
        int64_t began_ns = link->answered_ns;
        uint64_t board_began_ns = link->board_ns;
        TACHO_TRY(tacho_link_ask(link, TACHO_WIRE_NONE, TACHO_STR(""), TACHO_WIRE_NONE,
                                 "waiting for the board"));
        self->waited_ns = link->answered_ns - began_ns;
        self->board_waited_ns = link->board_ns - board_began_ns;
    }
    if (link->message.type == TACHO_WIRE_BUSY) {
        return tacho_fail_hint(TACHO_CODE_LIMIT, TACHO_HINT_BOARD_WAIT,
                               "%s is in use by %.*s; try again when that has ended", link->host,
                               TACHO_STR_ARG(holder_of(link)));
    }
    self->is_claimed = link->message.type == TACHO_WIRE_GRANTED;
    return self->is_claimed
               ? TACHO_OK
               : tacho_fail(TACHO_CODE_BAD_DATA, "%s: the runtime answered %s to a claim",
                            link->host, tacho_wire_type_name(link->message.type));
}

/* ---- loading ------------------------------------------------------------------------------- */

/* The program's file through a temporary one, which has no name. */
static tacho_status send_file(remote_device *self, const tacho_tempfile *file, uint64_t size)
{
    tacho_link *link = &self->link;
    void *memory = mmap(NULL, (size_t)size, PROT_READ, MAP_SHARED, file->fd, 0);
    if (memory == MAP_FAILED) {
        return tacho_fail(TACHO_CODE_NO_MEMORY, "cannot map a program of %" PRIu64 " bytes", size);
    }
    link->message.limit = tacho_wire_loaded_limit(self->base.program);
    tacho_status status =
        tacho_link_ask(link, TACHO_WIRE_PROGRAM, tacho_str_make(memory, (size_t)size),
                       TACHO_WIRE_LOADED, "loading the program");
    munmap(memory, (size_t)size);
    return status;
}

static tacho_status send_program(remote_device *self, const tacho_program *program)
{
    tacho_tempfile file;
    tacho_output output;
    TACHO_TRY(tacho_tempfile_open(&file));
    tacho_status status = tacho_output_open_descriptor(file.fd, "a temporary file", &output);
    if (status == TACHO_OK) {
        status = tacho_program_write_to(program, &output);
        if (status == TACHO_OK) {
            status = tacho_output_commit(&output);
        }
        uint64_t size = tacho_output_offset(&output);
        tacho_output_close(&output);
        if (status == TACHO_OK) {
            status = send_file(self, &file, size);
        }
    }
    tacho_tempfile_close(&file);
    return status;
}

static tacho_status take_loaded(remote_device *self)
{
    tacho_wire_loaded *loaded = &self->loaded;
    TACHO_TRY(tacho_wire_get_loaded(tacho_bytes_view(&self->link.message.payload),
                                    self->base.program, loaded));
    TACHO_TRY(tacho_arena_copy(&self->arena, loaded->missing, &loaded->missing));
    return tacho_arena_copy(&self->arena, loaded->computes_op, &loaded->computes_op);
}

static tacho_status load_remote(tacho_device *device, const tacho_program *program)
{
    remote_device *self = (remote_device *)device;
    tacho_link *link = &self->link;
    tacho_machine *machine = NULL;
    device->program = program;
    if (self->argument[0] != '\0') {
        TACHO_TRY(tacho_program_machine(program, &self->arena, &machine));
        TACHO_TRY(tacho_program_machine_check(machine, self->argument, &self->arena));
    }
    TACHO_TRY(tacho_items_make(&self->outputs, program->output_count));
    TACHO_TRY(tacho_stats_layout_init(&self->layout, program));
    self->has_layout = true;
    TACHO_TRY(tacho_wire_put_load(&link->text, self->type.name, &self->options));
    TACHO_TRY(tacho_link_ask(link, TACHO_WIRE_LOAD, TACHO_STR(""), TACHO_WIRE_DONE,
                             "opening the device"));
    TACHO_TRY(send_program(self, program));
    return take_loaded(self);
}

static const char *missing_remote(const tacho_device *device)
{
    const remote_device *self = (const remote_device *)device;
    return self->loaded.missing.len > 0 ? self->loaded.missing.data : NULL;
}

/* ---- running ------------------------------------------------------------------------------- */

static tacho_status run_remote(tacho_device *device, uint64_t inference, bool records,
                               tacho_device_result *out_result)
{
    remote_device *self = (remote_device *)device;
    tacho_link *link = &self->link;
    uint32_t activations = self->options.activations;
    const tacho_wire_asked asked = {&self->layout, activations > 0 ? activations : 1, inference};
    char doing[64];
    for (size_t i = 0; i < device->program->output_count; i++) {
        self->outputs[i].len = 0;
    }
    snprintf(doing, sizeof(doing), "running inference %" PRIu64, inference);
    TACHO_TRY(tacho_wire_put_pair(&link->text, inference, records ? 1 : 0));
    link->message.limit = tacho_wire_result_limit(&asked);
    TACHO_TRY(tacho_link_ask(link, TACHO_WIRE_RUN, TACHO_STR(""), TACHO_WIRE_RESULT, doing));
    tacho_bytes taken = link->message.payload;
    link->message.payload = self->result_bytes;
    self->result_bytes = taken;
    TACHO_TRY_NOTE(tacho_wire_get_result(tacho_bytes_view(&taken), &asked, &self->result),
                   "from %s, while %s", link->host, doing);
    *out_result = self->result.result;
    return TACHO_OK;
}

static bool has_remote_values(const tacho_device *device)
{
    return ((const remote_device *)device)->loaded.has_values;
}

enum { DOING_BYTES = 160 };

/* "fetching output 1 (logits)", for messages; names of models are shown as far as they fit. */
static void name_tensor(char out_doing[DOING_BYTES], const char *doing, size_t index,
                        const tacho_program *program, uint32_t tensor)
{
    tacho_str name = tacho_strings_get(&program->strings, program->tensors[tensor].name);
    int len = snprintf(out_doing, DOING_BYTES, "%s %zu", doing, index);
    if (name.len > 0) {
        snprintf(out_doing + len, DOING_BYTES - (size_t)len, " (%.*s%s)",
                 name.len < 80 ? (int)name.len : 80, name.data, name.len > 80 ? "..." : "");
    }
}

static tacho_status set_remote_input(tacho_device *device, size_t index, const tacho_array *value)
{
    remote_device *self = (remote_device *)device;
    tacho_link *link = &self->link;
    size_t len = 0;
    if (!tacho_wire_array_bytes(value, &len)) {
        return tacho_fail(TACHO_CODE_USAGE, "input %zu has no bytes that can be sent", index);
    }
    char doing[DOING_BYTES];
    const tacho_program *program = self->base.program;
    name_tensor(doing, "setting input", index, program, program->inputs[index]);
    TACHO_TRY(tacho_wire_put_array(&link->text, index, value));
    return tacho_link_ask(link, TACHO_WIRE_INPUT, tacho_str_make(value->data, len), TACHO_WIRE_DONE,
                          doing);
}

static tacho_status fetch_output(remote_device *self, size_t index)
{
    tacho_link *link = &self->link;
    char doing[DOING_BYTES];
    const tacho_program *program = self->base.program;
    name_tensor(doing, "fetching output", index, program, program->outputs[index]);
    TACHO_TRY(tacho_wire_put_pair(&link->text, index, 0));
    link->message.limit = tacho_wire_value_limit(program, index);
    TACHO_TRY(tacho_link_ask(link, TACHO_WIRE_OUTPUT, TACHO_STR(""), TACHO_WIRE_VALUE, doing));
    tacho_bytes taken = link->message.payload;
    link->message.payload = self->outputs[index];
    self->outputs[index] = taken;
    return TACHO_OK;
}

static tacho_status read_remote_output(tacho_device *device, size_t index, tacho_array *out_value)
{
    remote_device *self = (remote_device *)device;
    uint64_t number = 0;
    if (self->outputs[index].len == 0) {
        TACHO_TRY(fetch_output(self, index));
    }
    TACHO_TRY(tacho_wire_get_array(tacho_bytes_view(&self->outputs[index]), TACHO_WIRE_VALUE,
                                   &number, out_value));
    if (number != index) {
        return tacho_fail(TACHO_CODE_BAD_DATA, "%s sent output %" PRIu64 ", not output %zu",
                          self->link.host, number, index);
    }
    TACHO_TRY_NOTE(tacho_wire_check_output(out_value, device->program, index), "sent by %s",
                   self->link.host);
    return TACHO_OK;
}

static tacho_execution_counts count_remote(const tacho_device *device)
{
    return ((const remote_device *)device)->loaded.counts;
}

static uint64_t remote_peak_bytes(const tacho_device *device)
{
    return ((const remote_device *)device)->loaded.peak_bytes;
}

static bool remote_computes_op(const tacho_device *device, uint32_t op)
{
    const remote_device *self = (const remote_device *)device;
    return op < self->loaded.computes_op.len && self->loaded.computes_op.data[op] != 0;
}

static const tacho_device_values remote_values = {
    .has_values = has_remote_values,
    .set_input = set_remote_input,
    .output = read_remote_output,
    .count = count_remote,
    .peak_bytes = remote_peak_bytes,
    .computes_op = remote_computes_op,
};

/* ---- opening ------------------------------------------------------------------------------- */

static tacho_device_type type_like(const tacho_device_type *kind)
{
    tacho_device_type type = *kind;
    type.about = kind->is_simulated ? kind->about
                                    : "the board's processor: measured times, one record per "
                                      "operator";
    type.open = NULL;
    type.load = load_remote;
    type.run = run_remote;
    type.close = close_remote;
    type.missing = missing_remote;
    type.values = &remote_values;
    return type;
}

static tacho_status connect_board(remote_device *self, const tacho_remote_options *remote,
                                  const char *argument)
{
    tacho_str copy;
    TACHO_TRY(tacho_arena_copy(&self->arena, tacho_str_from_cstring(argument), &copy));
    self->argument = copy.data;
    TACHO_TRY(tacho_link_check_host(remote->host));
    self->is_linked = true;
    TACHO_TRY(tacho_remote_deploy(&self->link, remote, &self->arena, &self->deployment));
    TACHO_TRY(check_hello(self));
    return claim_board(self, remote->wait_s);
}

tacho_status tacho_remote_open(const tacho_remote_options *remote, const tacho_device_type *kind,
                               const char *argument, const tacho_device_options *options,
                               tacho_device **out_device)
{
    remote_device *self = calloc(1, sizeof(*self));
    *out_device = NULL;
    if (self == NULL) {
        return tacho_no_memory();
    }
    self->type = type_like(kind);
    self->base.type = &self->type;
    self->options = *options;
    self->notes = remote->notes;
    self->link.tether.guard = -1;
    tacho_arena_init(&self->arena);
    tacho_wire_result_init(&self->result);
    tacho_status status = connect_board(self, remote, argument);
    if (status != TACHO_OK) {
        close_remote(&self->base);
        return status;
    }
    *out_device = &self->base;
    return TACHO_OK;
}

bool tacho_remote_facts_of(const tacho_device *device, tacho_remote_facts *out_facts)
{
    const remote_device *self = (const remote_device *)device;
    if (device->type->values != &remote_values) {
        return false;
    }
    *out_facts = (tacho_remote_facts){
        .host = self->link.host,
        .machine = self->deployment.machine,
        .path = self->deployment.path,
        .pushed_bytes = self->deployment.pushed_bytes,
        .wall_ns = self->link.answered_ns - self->link.started_ns - self->waited_ns,
        .board_ns = (int64_t)(self->link.board_ns - self->board_waited_ns),
        .wait_ns = self->waited_ns,
    };
    return true;
}
