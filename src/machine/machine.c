/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Machines by name or file, and small questions to them.
 */
#include "machine/machine.h"

#include "base/input.h"
#include "machine/machine_data.h"

#include <stdlib.h>

const char *tacho_engine_class_name(tacho_engine_class engine_class)
{
    static const char *const names[] = {
#define CLASS_NAME(name, text) text,
        TACHO_ENGINE_CLASSES(CLASS_NAME)
#undef CLASS_NAME
    };
    return names[engine_class];
}

const char *tacho_memory_kind_name(tacho_memory_kind kind)
{
    static const char *const names[] = {"local", "aux", "ddr"};
    return names[kind];
}

const char *tacho_form_name(tacho_form form)
{
    static const char *const names[] = {
#define TACHO_FORM_TEXT(name, text) text,
        TACHO_FORMS(TACHO_FORM_TEXT)
#undef TACHO_FORM_TEXT
    };
    return names[form];
}

/* ---- finding ----------------------------------------------------------------------------- */

static bool is_template(const tacho_machine_data *data)
{
    return strcmp(data->name, "template") == 0;
}

const char *tacho_machine_builtin(size_t index)
{
    for (size_t i = 0; i < tacho_machine_data_count; i++) {
        if (!is_template(&tacho_machine_data_items[i]) && index-- == 0) {
            return tacho_machine_data_items[i].name;
        }
    }
    return NULL;
}

tacho_str tacho_machine_builtin_text(tacho_str name)
{
    for (size_t i = 0; i < tacho_machine_data_count; i++) {
        const tacho_machine_data *data = &tacho_machine_data_items[i];
        if (tacho_str_equal(name, tacho_str_from_cstring(data->name))) {
            return tacho_str_make((const char *)data->bytes, data->len);
        }
    }
    return (tacho_str){"", 0};
}

/* The value of the next key "called" in the text of a built-in machine; false after the last. */
static bool take_device(tacho_str *text, tacho_str *out_device)
{
    const tacho_str key = TACHO_STR("\"called\": \"");
    size_t at = tacho_str_find(*text, key);
    if (at == SIZE_MAX) {
        return false;
    }
    *text = tacho_str_from(*text, at + key.len);
    *out_device = tacho_str_make(text->data, tacho_str_find_byte(*text, '"'));
    return true;
}

/* Adds the devices of |machine| to |devices| from |count| on, or just counts where it is NULL. */
static size_t add_devices(const char *machine, tacho_machine_device *devices, size_t count)
{
    tacho_str text = tacho_machine_builtin_text(tacho_str_from_cstring(machine));
    for (tacho_str name; take_device(&text, &name); count++) {
        if (devices != NULL) {
            devices[count] = (tacho_machine_device){name, machine};
        }
    }
    return count;
}

static size_t add_all_devices(tacho_machine_device *devices)
{
    size_t count = 0;
    for (size_t i = 0; tacho_machine_builtin(i) != NULL; i++) {
        count = add_devices(tacho_machine_builtin(i), devices, count);
    }
    return count;
}

tacho_status tacho_machine_devices(tacho_arena *arena, const tacho_machine_device **out_devices,
                                   size_t *out_count)
{
    void *memory = NULL;
    *out_count = add_all_devices(NULL);
    TACHO_TRY(tacho_arena_alloc(arena, (*out_count + 1) * sizeof(tacho_machine_device), &memory));
    add_all_devices(memory);
    *out_devices = memory;
    return TACHO_OK;
}

const char *tacho_machine_of_device(const tacho_machine_device *devices, size_t device_count,
                                    tacho_str device)
{
    for (size_t i = 0; i < device_count; i++) {
        if (tacho_str_equal(devices[i].name, device)) {
            return devices[i].machine;
        }
    }
    return NULL;
}

static tacho_status read_file(const char *path, tacho_arena *arena, tacho_machine **out_machine)
{
    tacho_input input;
    tacho_status status = tacho_input_open(path, &input);
    if (status != TACHO_OK) {
        status = tacho_status_add_note(status, "'%s' is not a built-in machine either", path);
        return tacho_status_add_hint(status, TACHO_HINT_MACHINES, "");
    }
    tacho_str text;
    status = tacho_input_peek(&input, TACHO_INPUT_TOKEN_MAX, &text);
    if (status == TACHO_OK) {
        status = tacho_machine_read(path, text, arena, out_machine);
    }
    tacho_input_close(&input);
    return status;
}

tacho_status tacho_machine_find(const char *name_or_path, tacho_arena *arena,
                                tacho_machine **out_machine)
{
    tacho_str text = tacho_machine_builtin_text(tacho_str_from_cstring(name_or_path));
    if (text.len > 0) {
        return tacho_machine_read(name_or_path, text, arena, out_machine);
    }
    return read_file(name_or_path, arena, out_machine);
}

/* ---- questions --------------------------------------------------------------------------- */

bool tacho_machine_is_sequenced(const tacho_machine *machine)
{
    for (size_t i = 0; i < machine->engine_count; i++) {
        if (tacho_quantity_is_set(&machine->engines[i].issue_cycles)) {
            return true;
        }
    }
    return false;
}

const tacho_rate *tacho_rate_find(const tacho_rate *rates, size_t rate_count, tacho_dtype dtype)
{
    for (size_t i = 0; i < rate_count; i++) {
        if (rates[i].dtype == dtype) {
            return &rates[i];
        }
    }
    return NULL;
}

uint32_t tacho_machine_fidelity_default(const tacho_machine *machine, tacho_dtype dtype)
{
    bool is_block = dtype == TACHO_DTYPE_BFP8 || dtype == TACHO_DTYPE_BFP4;
    return tacho_machine_fidelity_find(machine, is_block && machine->block_fidelity.len > 0
                                                    ? machine->block_fidelity
                                                    : machine->default_fidelity);
}

tacho_dtype tacho_machine_legalise(const tacho_machine *machine, tacho_dtype dtype)
{
    for (size_t i = 0; i < machine->legalise_count; i++) {
        if (machine->legalise[i].from == dtype) {
            return machine->legalise[i].to;
        }
    }
    return dtype;
}

const tacho_memory *tacho_machine_memory(const tacho_machine *machine, tacho_memory_kind kind)
{
    for (size_t i = 0; i < machine->memory_count; i++) {
        if (machine->memories[i].kind == kind) {
            return &machine->memories[i];
        }
    }
    return NULL;
}

const tacho_dma *tacho_machine_dma(const tacho_machine *machine, tacho_engine_class dma_class)
{
    for (size_t i = 0; i < machine->dma_count; i++) {
        if (machine->dma[i].class == dma_class) {
            return &machine->dma[i];
        }
    }
    return NULL;
}

uint32_t tacho_machine_fidelity_find(const tacho_machine *machine, tacho_str name)
{
    for (size_t i = 0; i < machine->fidelity_count; i++) {
        if (tacho_str_equal(machine->fidelities[i].name, name)) {
            return (uint32_t)i + 1;
        }
    }
    return 0;
}

void tacho_machine_use_cores(tacho_machine *machine, uint64_t cores)
{
    cores = cores > 0 ? cores : tacho_machine_cores(machine);
    if (cores == 1 && tacho_quantity_is_set(&machine->launch_alone_cycles)) {
        machine->launch_cycles = machine->launch_alone_cycles;
    }
}

const tacho_counter_def *tacho_machine_counter_find(const tacho_machine *machine, uint64_t code)
{
    for (size_t i = 0; i < machine->counter_count; i++) {
        uint64_t known = 0;
        if (tacho_str_parse_hex(machine->counters[i].id, &known) && known == code) {
            return &machine->counters[i];
        }
    }
    return NULL;
}

tacho_str tacho_machine_op_name(const tacho_machine *machine, tacho_str of)
{
    for (size_t i = 0; i < machine->op_name_count; i++) {
        if (tacho_str_equal(machine->op_names[i].of, of)) {
            return machine->op_names[i].word;
        }
    }
    return of;
}

bool tacho_machine_has_timeline(const tacho_machine *machine, const char *vendor)
{
    return machine->timeline.len > 0 &&
           tacho_str_equal(machine->timeline, tacho_str_from_cstring(vendor));
}
