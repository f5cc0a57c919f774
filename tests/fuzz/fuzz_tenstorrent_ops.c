/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Fuzzes the reader of Tenstorrent op tables: whatever the bytes, what comes out of sorting is a
 * valid profile, or the file is refused as bad; its op report can be made, with advice,
 * and a capture reads back with all its rows.
 */
#include "estimates/tenstorrent/tt_report.h"
#include "read_back.h"
#include "sources/tenstorrent/tenstorrent.h"

/* Makes every table of the report of |profile|. */
static void check_report(const tacho_profile *profile, const tacho_tt_options *options)
{
    tacho_tt_ops ops;
    tacho_tt_report report;
    tacho_table table;
    tacho_tt_ops_init(&ops, profile->events.dict);
    require_ok(tacho_profile_replay_spans(profile, &ops.events));
    tacho_status status = tacho_tt_report_init(&report, &ops, options);
    if (status == TACHO_OK) {
        require(report.line_count <= ops.item_count);
        require_ok(tacho_tt_report_csv_table(&report, true, true, &table));
        require(tacho_table_row_count(&table) == report.line_count);
        tacho_table_deinit(&table);
        require_ok(tacho_tt_report_table(&report, &table));
        tacho_table_deinit(&table);
        require_ok(tacho_tt_summary_table(&report, &table));
        tacho_table_deinit(&table);
    } else {
        require(tacho_status_code(status) == TACHO_CODE_LIMIT);
        tacho_status_free(status);
    }
    tacho_tt_report_deinit(&report);
    tacho_tt_ops_deinit(&ops);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    tacho_dict dict;
    tacho_profile profile;
    require_ok(tacho_dict_init(&dict));
    tacho_profile_init(&profile, &dict);
    tacho_status status =
        read_through(&tacho_source_tenstorrent_ops, tacho_str_make((const char *)data, size),
                     TACHO_ORDER_SORT, &profile.events);
    if (status == TACHO_OK) {
        require_ok(tacho_profile_validate(&profile));
        require(profile.span_count > 0 || dict.loss_count > 0);
        check_report(&profile, &(tacho_tt_options){.ignores_signposts = true});
        check_report(&profile, &(tacho_tt_options){.keeps_devices = true});
        require_read_back(&tacho_source_tenstorrent_ops, tacho_str_make((const char *)data, size));
    } else {
        tacho_code code = tacho_status_code(status);
        require(code == TACHO_CODE_BAD_DATA || code == TACHO_CODE_LIMIT);
        tacho_status_free(status);
    }
    tacho_profile_deinit(&profile);
    tacho_dict_deinit(&dict);
    return 0;
}
