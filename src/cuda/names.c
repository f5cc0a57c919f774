/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Two tables of texts under one lock. The demangler is the program's own: whoever has kernels with
 * mangled names has a C++ library.
 */
#include "cuda/names.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum { BUCKET_BITS = 12, BUCKETS = 1 << BUCKET_BITS, NAMES_MAX = 1 << 17 };

typedef struct known_name {
    struct known_name *next;
    tacho_client_site site; /* its name is |text|, or what that stands for */
    uint64_t hash;
    char text[];
} known_name;

typedef char *demangle_function(const char *name, char *room, size_t *room_size, int *out_status);

static struct {
    pthread_mutex_t lock;
    known_name *sites[BUCKETS], *kernels[BUCKETS];
    size_t count;
} names = {.lock = PTHREAD_MUTEX_INITIALIZER};

static uint64_t hash_text(const char *text, uint64_t hash)
{
    for (; *text != '\0'; text++) {
        hash = (hash ^ (unsigned char)*text) * UINT64_C(0x100000001b3);
    }
    return hash;
}

static known_name **bucket_of(known_name **table, uint64_t hash)
{
    return &table[(hash * UINT64_C(0x9e3779b97f4a7c15)) >> (64 - BUCKET_BITS)];
}

static known_name *find_name(known_name **table, uint64_t hash, const char *text)
{
    known_name *at = *bucket_of(table, hash);
    while (at != NULL && (at->hash != hash || strcmp(at->text, text) != 0)) {
        at = at->next;
    }
    return at;
}

/* Adds |text|, which is its own name so far. The lock is held. */
static known_name *add_name(known_name **table, uint64_t hash, const char *text)
{
    size_t size = strlen(text) + 1;
    known_name *made = names.count < NAMES_MAX ? calloc(1, sizeof(*made) + size) : NULL;
    if (made != NULL) {
        known_name **bucket = bucket_of(table, hash);
        memcpy(made->text, text, size);
        made->site.name = made->text;
        made->hash = hash;
        made->next = *bucket;
        *bucket = made;
        names.count++;
    }
    return made;
}

tacho_client_site *tacho_cu_site(const char *name, const char *category)
{
    uint64_t hash = hash_text(name, hash_text(category, 0));
    pthread_mutex_lock(&names.lock);
    known_name *found = find_name(names.sites, hash, name);
    if (found == NULL) {
        found = add_name(names.sites, hash, name);
        if (found != NULL) {
            found->site.category = category;
        }
    }
    pthread_mutex_unlock(&names.lock);
    return found != NULL ? &found->site : NULL;
}

/* Python loads its extensions apart from each other, and so the C++ library with them. */
static demangle_function *find_demangler(void)
{
    void *library = dlopen("libstdc++.so.6", RTLD_NOW | RTLD_NOLOAD);
    library = library != NULL ? library : dlopen(NULL, RTLD_NOW);
    void *symbol = library != NULL ? dlsym(library, "__cxa_demangle") : NULL;
    demangle_function *function = NULL;
    memcpy(&function, &symbol, sizeof(symbol));
    return function;
}

static const char *demangle(const char *name)
{
    int status = 0;
    demangle_function *function = find_demangler();
    if (function == NULL || strncmp(name, "_Z", 2) != 0) {
        return name;
    }
    const char *text = function(name, NULL, NULL, &status);
    return text != NULL && status == 0 ? text : name;
}

const char *tacho_cu_kernel_name(const char *name)
{
    uint64_t hash = hash_text(name, 0);
    pthread_mutex_lock(&names.lock);
    known_name *found = find_name(names.kernels, hash, name);
    if (found == NULL) {
        found = add_name(names.kernels, hash, name);
        if (found != NULL) {
            found->site.name = demangle(found->text);
        }
    }
    const char *text = found != NULL ? found->site.name : name;
    pthread_mutex_unlock(&names.lock);
    return text;
}
