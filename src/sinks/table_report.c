/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reports: sinks that write table after table, and sinks that combine them in one workbook.
 */
#include "sinks/table_sink.h"

#include <assert.h>
#include <string.h>

bool tacho_table_sink_tells_tables(const tacho_table_sink *sink)
{
    return strcmp(sink->name, "text") == 0 || strcmp(sink->name, "json") == 0;
}

tacho_status tacho_table_report_open(tacho_table_report *report, const tacho_table_sink *sink,
                                     tacho_output *output)
{
    *report = (tacho_table_report){.sink = sink, .output = output};
    return output != NULL && sink->workbook != NULL ? sink->workbook->open(&report->workbook)
                                                    : TACHO_OK;
}

static tacho_status keep(const tacho_table_report *report, const tacho_table *table)
{
    const tacho_table_taker *keeper = report->keeper;
    return keeper != NULL && keeper->take != NULL ? keeper->take(keeper->self, table) : TACHO_OK;
}

static tacho_status add_written(tacho_table_report *report, const tacho_table *table)
{
    size_t index = report->table_count++;
    return report->workbook != NULL ? report->sink->workbook->add(report->workbook, table, index)
                                    : report->sink->write(table, index, report->output);
}

tacho_status tacho_table_report_add(tacho_table_report *report, const tacho_table *table)
{
    TACHO_TRY(keep(report, table));
    return report->output != NULL ? add_written(report, table) : TACHO_OK;
}

tacho_status tacho_table_report_take(void *self, const tacho_table *table)
{
    tacho_table_report *report = self;
    bool is_shown = table->cell_count > 0 || table->shows_empty;
    return is_shown ? tacho_table_report_add(report, table) : keep(report, table);
}

tacho_status tacho_table_report_append(tacho_table_report *report, const tacho_table *more)
{
    assert(report->table_count > 0 && tacho_table_sink_can_append(report->sink));
    return report->workbook != NULL ? report->sink->workbook->append(report->workbook, more)
                                    : report->sink->append(more, report->output);
}

tacho_status tacho_table_report_finish(tacho_table_report *report)
{
    return report->workbook != NULL
               ? report->sink->workbook->write(report->workbook, report->output)
               : TACHO_OK;
}

void tacho_table_report_close(tacho_table_report *report)
{
    if (report->workbook != NULL) {
        report->sink->workbook->close(report->workbook);
    }
    report->workbook = NULL;
}

typedef tacho_status (*table_adder)(void *user, tacho_table_report *report);

static tacho_status write_to(const tacho_table_target *to, tacho_output *output, table_adder add,
                             void *user)
{
    tacho_table_report report;
    TACHO_TRY(tacho_table_report_open(&report, to->sink, output));
    report.keeper = to->keeper;
    tacho_status status = add(user, &report);
    if (status == TACHO_OK) {
        status = tacho_table_report_finish(&report);
    }
    tacho_table_report_close(&report);
    return status;
}

tacho_status tacho_table_report_write(const tacho_table_target *to,
                                      tacho_status (*add)(void *user, tacho_table_report *report),
                                      void *user)
{
    tacho_output output;
    if (to->path == NULL) {
        return write_to(to, NULL, add, user);
    }
    TACHO_TRY(tacho_output_open(to->path, &output));
    tacho_status status = write_to(to, &output, add, user);
    if (status == TACHO_OK) {
        status = tacho_output_commit(&output);
    }
    tacho_output_close(&output);
    return status;
}
