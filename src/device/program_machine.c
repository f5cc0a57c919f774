/* SPDX-License-Identifier: Apache-2.0 */
/*
 * From a program to its machine.
 */
#include "device/program_machine.h"

/* A text of the program as the C string that other interfaces take. */
static tacho_status copy_text(const tacho_program *program, uint32_t id, tacho_arena *arena,
                              const char **out_text)
{
    tacho_str text = tacho_strings_get(&program->strings, id);
    void *memory;
    TACHO_TRY(tacho_arena_alloc(arena, text.len + 1, &memory));
    char *copy = memory;
    if (text.len > 0) {
        memcpy(copy, text.data, text.len);
    }
    copy[text.len] = '\0';
    *out_text = copy;
    return TACHO_OK;
}

tacho_status tacho_program_machine(const tacho_program *program, tacho_arena *arena,
                                   tacho_machine **out_machine)
{
    const tacho_program_facts *facts = &program->facts;
    const char *name;
    const char *hardware;
    TACHO_TRY(copy_text(program, facts->machine, arena, &name));
    TACHO_TRY(copy_text(program, facts->hardware, arena, &hardware));
    tacho_str text = tacho_strings_get(&program->strings, facts->machine_text);
    if (text.len > 0) {
        TACHO_TRY_NOTE(tacho_machine_read(name, text, arena, out_machine),
                       "this is the machine that the program says it was compiled for");
    } else if (tacho_machine_builtin_text(tacho_str_from_cstring(name)).len > 0) {
        TACHO_TRY(tacho_machine_find(name, arena, out_machine));
    } else {
        return tacho_fail(TACHO_CODE_NOT_FOUND,
                          "the program was compiled for the machine '%s', which it does not "
                          "describe and which is not built in",
                          name);
    }
    return hardware[0] != '\0' ? tacho_machine_torq_hw(*out_machine, hardware, arena) : TACHO_OK;
}

tacho_status tacho_program_machine_check(const tacho_machine *machine, const char *argument,
                                         tacho_arena *arena)
{
    tacho_machine *named;
    if (argument[0] == '\0') {
        return TACHO_OK;
    }
    TACHO_TRY(tacho_machine_find(argument, arena, &named));
    return tacho_str_equal(named->name, machine->name)
               ? TACHO_OK
               : tacho_fail(TACHO_CODE_USAGE,
                            "the program was compiled for the machine '%.*s', the device is "
                            "'%.*s'; compile it for %.*s, or run it on sim",
                            TACHO_STR_ARG(machine->name), TACHO_STR_ARG(named->name),
                            TACHO_STR_ARG(named->name));
}
