/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Debug information by itself: its jobs and those of programs are different things of one name.
 */
#include "api/debug_tables.h"

#include "questions/annotate/debug_info_table.h"
#include "sources/torq/ir_files.h"

bool tacho_debug_tables_are_of(const char *path)
{
    return torq_ir_is_debug_path(path) && torq_ir_is_program_path(path);
}

static tacho_status add_debug_tables(const tacho_debug_info *info, const char *path,
                                     tacho_tables *tables)
{
    const tacho_debug_input input = {.info = info, .file = tacho_str_from_cstring(path)};
    const tacho_debug_inputs subject = {&input, 1};
    tacho_tables_target target = {.tables = tables, .input = path};
    const tacho_table_taker taker = tacho_tables_taker(&target);
    return tacho_analysis_debug_info.make(&subject, NULL, &taker);
}

tacho_status tacho_debug_tables_add(const char *path, tacho_tables *tables)
{
    tacho_dict dict;
    tacho_debug_info info;
    tacho_status status = tacho_dict_init(&dict);
    tacho_debug_info_init(&info, &dict);
    if (status == TACHO_OK) {
        status = torq_ir_read_path(path, NULL, &info);
    }
    if (status == TACHO_OK) {
        status = add_debug_tables(&info, path, tables);
    }
    tacho_debug_info_deinit(&info);
    tacho_dict_deinit(&dict);
    return status;
}
