/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Events with arguments: several records, written all or not at all.
 */
#ifndef TACHO_CLIENT_ARGS_H
#define TACHO_CLIENT_ARGS_H

#include "client/local.h"

typedef struct client_args {
    const tacho_client_arg *items;
    size_t item_count;
} client_args;

/* |record| with the arguments of |lists|, one after the other. Texts that are NULL are left out. */
void tacho_client_push_args(client_thread *thread, tacho_wire_record *record,
                            const client_args *lists, size_t list_count);

/* |record| with one argument, "text". */
void tacho_client_push_text(client_thread *thread, tacho_wire_record *record, const char *text,
                            size_t len);

#endif
