/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Getting the runtime onto a board and starting it: one connection, in which a small shell script
 * there and we talk in lines until the runtime takes over.
 */
#ifndef TACHO_REMOTE_DEPLOY_H
#define TACHO_REMOTE_DEPLOY_H

#include "base/arena.h"
#include "base/notes.h"
#include "remote/link.h"

typedef struct tacho_remote_options {
    const char *host;    /* [USER@]HOST, or a name of the user's ssh configuration */
    const char *path;    /* of the runtime there, from the home directory on; NULL: a default */
    const char *runtime; /* the file here; NULL: the one installed for the board's processor */
    uint64_t wait_s;     /* for others who use the board; 0: do not wait */
    uint64_t silence_s;  /* how long the board may be silent; 0: a default */
    const tacho_notes *notes;
    /* Optional: asked now and then while the board is waited for; false: CANCELLED. */
    bool (*goes_on)(void *watcher);
    void *watcher;
} tacho_remote_options;

/* The result of a deployment; texts are allocated in the arena. */
typedef struct tacho_deployment {
    const char *machine;   /* "aarch64", as the board reports */
    const char *path;      /* of the runtime there */
    uint64_t pushed_bytes; /* 0: it was there already */
} tacho_deployment;

/* Connects, copies the runtime where the board has another one or none, and starts it. */
tacho_status tacho_remote_deploy(tacho_link *link, const tacho_remote_options *options,
                                 tacho_arena *arena, tacho_deployment *out) TACHO_MUST_USE;

/* "ann@laptop": the user of this run, shown to others who want the board meanwhile. */
enum { TACHO_REMOTE_WHO_BYTES = 160 };
void tacho_remote_who(char out_who[TACHO_REMOTE_WHO_BYTES]);

#endif
