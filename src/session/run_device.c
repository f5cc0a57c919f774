/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The name of a device is that of its kind, and perhaps a machine behind a colon.
 */
#include "session/run_device.h"

#include "session/find_machine.h"

const tacho_device_type *tacho_run_device_type(const char *device)
{
    size_t colon = tacho_str_find_byte(tacho_str_from_cstring(device), ':');
    tacho_str kind = tacho_str_make(device, colon);
    const tacho_device_type *const *types = tacho_device_types();
    while (*types != NULL && !tacho_str_equal(kind, tacho_str_from_cstring((*types)->name))) {
        types++;
    }
    return *types;
}

const char *tacho_run_device_machine(const char *device)
{
    const tacho_device_type *type = tacho_run_device_type(device);
    const char *colon = strchr(device, ':');
    if (colon != NULL && colon[1] != '\0') {
        return colon + 1;
    }
    return type != NULL && type->machine != NULL ? type->machine : TACHO_DEFAULT_MACHINE;
}

static tacho_status check_argument(const char *machine, const tacho_notes *notes)
{
    tacho_arena arena;
    tacho_machine *found = NULL;
    if (tacho_machine_builtin_text(tacho_str_from_cstring(machine)).len > 0) {
        return TACHO_OK; /* host-cpu is not measured for this */
    }
    tacho_arena_init(&arena);
    tacho_status status = tacho_session_find_machine(machine, notes, &arena, &found);
    tacho_arena_deinit(&arena);
    return status;
}

tacho_status tacho_run_check_device(const char *device, const tacho_notes *notes)
{
    const tacho_device_type *type = tacho_run_device_type(device);
    const char *colon = strchr(device, ':');
    if (type == NULL && tacho_machine_builtin_text(tacho_str_from_cstring(device)).len > 0) {
        return tacho_fail(TACHO_CODE_USAGE,
                          "'%s' is a machine, not a device; use the device sim:%s", device, device);
    }
    bool has_machine = type != NULL && type->has_argument && colon != NULL && colon[1] != '\0';
    return has_machine ? check_argument(colon + 1, notes) : TACHO_OK;
}
