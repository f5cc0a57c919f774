/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Fuzzes what a roofline reads of the arguments of spans: shapes, types and values of operators as
 * PyTorch's profiler writes them, and cells of op tables.
 *
 * Law: whatever the arguments, there are tables, and no point has a time or a rate that is not a
 * number.
 */
#include "estimates/roofline/roofline.h"
#include "reading.h"
#include "sources/chrome/chrome.h"
#include "estimates/estimates.h"

#include <math.h>

static tacho_status check_table(void *self, const tacho_table *table)
{
    (void)self;
    for (size_t i = 0; i < table->cell_count; i++) {
        tacho_column_type type = table->columns[i % table->column_count].type;
        bool is_real = type == TACHO_COLUMN_REAL || type == TACHO_COLUMN_PERCENT;
        require(!is_real || table->cells[i].is_absent || isfinite(table->cells[i].value.real));
    }
    return TACHO_OK;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    tacho_dict dict;
    tacho_roof roof;
    tacho_events *events = NULL;
    require_ok(tacho_roof_parse(&roof, "f16=1TFLOP/s,f32=1TFLOP/s,RAM=1GB/s,L2=1MB"));
    const tacho_roofline_options options = {.roof = &roof, .is_for_people = true};
    const tacho_table_taker taker = {check_table, NULL};
    require_ok(tacho_dict_init(&dict));
    require_ok(tacho_analysis_roofline.open(&options, &dict, &events));
    tacho_status status =
        read_through(&tacho_source_chrome, tacho_str_make((const char *)data, size),
                     TACHO_ORDER_SORT_ALL, events);
    if (status == TACHO_OK) {
        require_ok(tacho_analysis_roofline.write(events, &options, &taker));
    }
    tacho_status_free(status);
    tacho_analysis_roofline.close(events);
    tacho_dict_deinit(&dict);
    return 0;
}
