/* SPDX-License-Identifier: Apache-2.0 */
/*
 * All rules over the facts of devices.
 */
#include "questions/breakdown/breakdown_rules.h"

const tacho_rule *const tacho_breakdown_rules[] = {
#define RULE_ROW(name) &tacho_rule_##name,
    TACHO_BREAKDOWN_RULES(RULE_ROW)
#undef RULE_ROW
        NULL,
};
