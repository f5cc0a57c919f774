/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Names and units of columns, from the list.
 */
#include "table/column.h"

typedef struct column_facts {
    const char *name;
    tacho_column_unit unit;
} column_facts;

static const column_facts facts[TACHO_COLUMN_ID_COUNT] = {
    [TACHO_COL_OTHER] = {"", TACHO_COLUMN_UNIT_NONE},
#define COLUMN_FACTS(id, name, unit) [TACHO_COL_##id] = {name, TACHO_COLUMN_UNIT_##unit},
    TACHO_COLUMN_IDS(COLUMN_FACTS)
#undef COLUMN_FACTS
};

const char *tacho_column_name(const tacho_column *column)
{
    return column->id == TACHO_COL_OTHER ? column->name : facts[column->id].name;
}

tacho_column_unit tacho_column_unit_of(const tacho_column *column)
{
    return column->id == TACHO_COL_OTHER ? column->unit : facts[column->id].unit;
}

const char *tacho_column_unit_name(tacho_column_unit unit)
{
    static const char *const names[TACHO_COLUMN_UNIT_COUNT] = {
#define UNIT_NAME(id, word) word,
        TACHO_COLUMN_UNITS(UNIT_NAME)
#undef UNIT_NAME
    };
    return names[unit];
}
