/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Names of machines, and what may have been meant by one that is unknown.
 */
#include "session/find_machine.h"

#include "session/host_machine.h"
#include "base/suggest.h"

#include <stdio.h>
#include <unistd.h>

tacho_status tacho_session_find_machine(const char *name_or_path, const tacho_notes *notes,
                                        tacho_arena *arena, tacho_machine **out_machine)
{
    tacho_str name = tacho_str_from_cstring(name_or_path);
    if (tacho_is_host_machine(name_or_path)) {
        return tacho_host_machine(notes, arena, out_machine);
    }
    if (tacho_machine_builtin_text(name).len > 0 || tacho_str_equal(name, TACHO_STR("-")) ||
        access(name_or_path, F_OK) == 0) {
        return tacho_machine_find(name_or_path, arena, out_machine);
    }
    char names[256] = "";
    tacho_suggestion near = {.typed = name};
    for (size_t i = 0; tacho_machine_builtin(i) != NULL; i++) {
        size_t used = strlen(names);
        snprintf(names + used, sizeof(names) - used, "%s%s", i > 0 ? ", " : "",
                 tacho_machine_builtin(i));
        tacho_suggestion_offer(&near, tacho_machine_builtin(i));
    }
    return tacho_fail(TACHO_CODE_NOT_FOUND,
                      "'%s' is neither a file nor a built-in machine (%s)%s%s%s", name_or_path,
                      names, near.name != NULL ? "; did you mean '" : "",
                      near.name != NULL ? near.name : "", near.name != NULL ? "'?" : "");
}
