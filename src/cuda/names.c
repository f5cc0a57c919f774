/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Two tables of texts under one lock, which is held for a few instructions: a child that is forked
 * finds it open. The demangler is the program's own: a program with mangled kernel names has a C++
 * library.
 */
#include "cuda/names.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum {
    BUCKET_BITS = 12,
    BUCKETS = 1 << BUCKET_BITS,
    NAMES_MAX = 1 << 17,
    MANGLED_MAX = 1 << 14, /* bytes; demanglers take their memory from the stack */
    RECENT_BITS = 10,
    RECENT = 1 << RECENT_BITS,
};

typedef struct known_name {
    struct known_name *next;
    tacho_client_site site; /* its name is |text|, or the demangled |text| */
    uint64_t hash;
    char text[];
} known_name;

typedef char *demangle_function(const char *name, char *room, size_t *room_size, int *out_status);

static struct {
    pthread_mutex_t lock;
    known_name *sites[BUCKETS], *kernels[BUCKETS];
    size_t count;
    _Atomic(demangle_function *) demangler; /* NULL: there is none */
    struct {
        const char *address;
        const known_name *found;
    } recent[RECENT]; /* kernels by where CUPTI has their names: it has each in one place for long
                       */
} names = {.lock = PTHREAD_MUTEX_INITIALIZER};

static void lock_names(void)
{
    pthread_mutex_lock(&names.lock);
}

static void unlock_names(void)
{
    pthread_mutex_unlock(&names.lock);
}

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
    lock_names();
    known_name *found = find_name(names.sites, hash, name);
    if (found == NULL) {
        found = add_name(names.sites, hash, name);
        if (found != NULL) {
            found->site.category = category;
        }
    }
    unlock_names();
    return found != NULL ? &found->site : NULL;
}

/* ---- kernels ------------------------------------------------------------------------------- */

static void survive_forks(void)
{
    pthread_atfork(lock_names, unlock_names, unlock_names);
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

void tacho_cu_names_start(bool has_kernels)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, survive_forks);
    if (has_kernels) {
        atomic_store(&names.demangler, find_demangler());
    }
}

/* As people write it, or NULL. */
static char *demangle(const char *name)
{
    int status = 0;
    demangle_function *function = atomic_load(&names.demangler);
    if (function == NULL || strncmp(name, "_Z", 2) != 0 || strlen(name) > MANGLED_MAX) {
        return NULL;
    }
    char *text = function(name, NULL, NULL, &status);
    return status == 0 ? text : NULL;
}

static const char *look_up_kernel(const char *name, const known_name **out_found)
{
    uint64_t hash = hash_text(name, 0);
    lock_names();
    known_name *found = find_name(names.kernels, hash, name);
    unlock_names();
    *out_found = found;
    if (found != NULL) {
        return found->site.name;
    }
    char *text = demangle(name);
    lock_names();
    found = add_name(names.kernels, hash, name);
    if (found != NULL && text != NULL) {
        found->site.name = text;
    }
    unlock_names();
    if (found == NULL) {
        free(text); /* the table is full */
    }
    *out_found = found;
    return found != NULL ? found->site.name : name;
}

/* Another name may be at the same address by now. */
const char *tacho_cu_kernel_name(const char *name)
{
    uint64_t place = (uintptr_t)name * UINT64_C(0x9e3779b97f4a7c15) >> (64 - RECENT_BITS);
    const known_name *found = names.recent[place].found;
    if (names.recent[place].address == name && strcmp(found->text, name) == 0) {
        return found->site.name;
    }
    const char *text = look_up_kernel(name, &found);
    if (found != NULL) {
        names.recent[place].address = name;
        names.recent[place].found = found;
    }
    return text;
}
