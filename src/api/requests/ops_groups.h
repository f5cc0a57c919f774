/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tacho ops --by op|kernel|layer[:N]|line|device|step: time by group, in place of the list of
 * operations.
 */
#ifndef TACHO_API_REQUESTS_OPS_GROUPS_H
#define TACHO_API_REQUESTS_OPS_GROUPS_H

#include "api/requests/ops_compat.h"

/* Whether --by asks for groups. */
bool tacho_ops_groups_asked(tacho_request *given);

/* Prints the groups; |request| has the defaults of the verb. */
int tacho_ops_groups_run(tacho_request *given, tacho_ops_request *request);

#endif
