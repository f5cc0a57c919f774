/* SPDX-License-Identifier: Apache-2.0 */
/*
 * NVTX: ranges and marks of the program, as zones and messages of its threads. A program without
 * CUDA may have them, too.
 */
#include "cuda/abi.h"
#include "cuda/names.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define INJECTION_API __attribute__((visibility("default")))

enum { DEPTH_MAX = 128, NAME_ROOM = 256, KEPT_MAX = 1 << 10 };

INJECTION_API int InitializeInjectionNvtx2(tacho_nvtx_find_export *find_export);

/* Attributes of a range, besides its name. */
typedef struct range_facts {
    uint32_t color; /* ARGB; 0: none */
    uint32_t category;
    int32_t payload_type; /* 0: none */
    uint64_t payload;     /* of that type */
} range_facts;

/* Ranges that a thread is in. Those deeper than DEPTH_MAX are lost, and counted. */
typedef struct range_stack {
    tacho_client_zone zones[DEPTH_MAX];
    range_facts facts[DEPTH_MAX];
    uint32_t depth;
} range_stack;

/* A range from one thread to another. */
typedef struct free_range {
    uint64_t id; /* 0: nothing */
    uint64_t start_ns;
    const char *name;
    range_facts facts;
} free_range;

static struct {
    pthread_mutex_t lock;
    free_range ranges[KEPT_MAX];
    uint64_t last_id;
} kept = {.lock = PTHREAD_MUTEX_INITIALIZER};

static const char range_category[] = "nvtx";

static pthread_key_t stack_key;
static bool has_key;

static void lock_kept(void)
{
    pthread_mutex_lock(&kept.lock);
}

static void unlock_kept(void)
{
    pthread_mutex_unlock(&kept.lock);
}

static void prepare_once(void)
{
    has_key = pthread_key_create(&stack_key, free) == 0;
    pthread_atfork(lock_kept, unlock_kept, unlock_kept);
}

/* This thread's; NULL without memory. Kept by key: thread-local room of a library is scarce. */
static range_stack *this_stack(void)
{
    range_stack *stack = has_key ? pthread_getspecific(stack_key) : NULL;
    if (stack == NULL && has_key) {
        stack = calloc(1, sizeof(*stack));
        if (stack != NULL && pthread_setspecific(stack_key, stack) != 0) {
            free(stack);
            return NULL;
        }
    }
    return stack;
}

/* ---- texts --------------------------------------------------------------------------------- */

static void put_wide(char room[NAME_ROOM], const uint32_t *text)
{
    size_t len = 0;
    for (; text != NULL && *text != 0 && len + 1 < NAME_ROOM; text++) {
        room[len++] = *text < 128 ? (char)*text : '?';
    }
    room[len] = '\0';
}

/* The name of a range: with its domain, if that has a name. */
static void put_name(char room[NAME_ROOM], const char *domain, const tacho_nvtx_attributes *given)
{
    char text[NAME_ROOM] = "range";
    if (given != NULL && given->message != NULL) {
        if (given->message_type == TACHO_NVTX_WIDE) {
            put_wide(text, given->message);
        } else if (given->message_type == TACHO_NVTX_ASCII ||
                   given->message_type == TACHO_NVTX_REGISTERED) {
            snprintf(text, sizeof(text), "%s", (const char *)given->message);
        }
    }
    if (domain != NULL && domain[0] != '\0') {
        snprintf(room, NAME_ROOM, "%.60s: %.190s", domain, text);
    } else {
        snprintf(room, NAME_ROOM, "%s", text);
    }
}

/* ---- facts --------------------------------------------------------------------------------- */

/* NVTX's structure has grown, and its size shows its fields; all of these were in the first. */
static range_facts facts_of(const tacho_nvtx_attributes *given)
{
    range_facts facts = {0};
    if (given != NULL) {
        facts.color = given->color_type == TACHO_NVTX_COLOR_ARGB ? given->color : 0;
        facts.category = given->category;
        facts.payload_type = given->payload_type;
        facts.payload = given->payload;
    }
    return facts;
}

/* Values for an event. |color| is referred to by them. */
typedef struct range_args {
    tacho_client_arg items[3];
    size_t count;
    char color[16];
} range_args;

static bool read_payload(const range_facts *facts, tacho_client_arg *out_arg)
{
    int32_t whole = 0;
    float real = 0;
    *out_arg = (tacho_client_arg){.key = "payload", .type = TACHO_CLIENT_UINT};
    switch (facts->payload_type) {
    case TACHO_NVTX_U64:
        out_arg->value.as_uint = facts->payload;
        return true;
    case TACHO_NVTX_U32:
        out_arg->value.as_uint = (uint32_t)facts->payload;
        return true;
    case TACHO_NVTX_I64:
    case TACHO_NVTX_I32:
        memcpy(&whole, &facts->payload, sizeof(whole));
        out_arg->type = TACHO_CLIENT_INT;
        out_arg->value.as_int =
            facts->payload_type == TACHO_NVTX_I64 ? (int64_t)facts->payload : whole;
        return true;
    case TACHO_NVTX_F64:
        out_arg->type = TACHO_CLIENT_REAL;
        memcpy(&out_arg->value.as_real, &facts->payload, sizeof(double));
        return true;
    case TACHO_NVTX_F32:
        memcpy(&real, &facts->payload, sizeof(real));
        out_arg->type = TACHO_CLIENT_REAL;
        out_arg->value.as_real = (double)real;
        return true;
    default:
        return false;
    }
}

static void put_args(const range_facts *facts, range_args *out_args)
{
    out_args->count = 0;
    if (facts->color != 0) {
        snprintf(out_args->color, sizeof(out_args->color), "#%06x",
                 (unsigned)(facts->color & 0xffffff));
        out_args->items[out_args->count++] = (tacho_client_arg){
            .key = "color", .type = TACHO_CLIENT_TEXT, .value = {.as_text = out_args->color}};
    }
    if (facts->category != 0) {
        out_args->items[out_args->count++] = (tacho_client_arg){
            .key = "category", .type = TACHO_CLIENT_UINT, .value = {.as_uint = facts->category}};
    }
    if (read_payload(facts, &out_args->items[out_args->count])) {
        out_args->count++;
    }
}

/* ---- ranges -------------------------------------------------------------------------------- */

static int push_range(const char *name, range_facts facts)
{
    range_stack *stack = this_stack();
    if (stack == NULL) {
        return -1;
    }
    uint32_t depth = stack->depth++;
    tacho_client_site *site = depth < DEPTH_MAX ? tacho_cu_site(name, range_category) : NULL;
    if (depth < DEPTH_MAX) {
        stack->zones[depth] = (tacho_client_zone){0};
        stack->facts[depth] = facts;
    }
    if (site != NULL) {
        tacho_client_zone_begin(&stack->zones[depth], site);
    } else {
        tacho_client_report_lost(1);
    }
    return (int)depth;
}

static int pop_range(void)
{
    range_stack *stack = this_stack();
    if (stack == NULL || stack->depth == 0) {
        return -1;
    }
    uint32_t depth = --stack->depth;
    if (depth < DEPTH_MAX) {
        range_args args;
        put_args(&stack->facts[depth], &args);
        tacho_client_zone_end_args(&stack->zones[depth], args.items, args.count);
    }
    return (int)depth;
}

static uint64_t start_range(const char *name, range_facts facts)
{
    const tacho_client_site *site = tacho_cu_site(name, range_category);
    lock_kept();
    uint64_t id = ++kept.last_id;
    bool is_one_lost = kept.ranges[id % KEPT_MAX].id != 0; /* one that is open for too long */
    kept.ranges[id % KEPT_MAX] = (free_range){.id = id,
                                              .start_ns = tacho_client_now(),
                                              .name = site != NULL ? site->name : "range",
                                              .facts = facts};
    unlock_kept();
    if (is_one_lost) {
        tacho_client_report_lost(1);
    }
    return id;
}

static void end_range(uint64_t id)
{
    lock_kept();
    const free_range range = kept.ranges[id % KEPT_MAX];
    if (range.id == id) {
        kept.ranges[id % KEPT_MAX].id = 0;
    }
    unlock_kept();
    if (range.id == id && id != 0) {
        range_args args;
        put_args(&range.facts, &args);
        const tacho_client_op op = {.code = range.name,
                                    .type = range_category,
                                    .call = id,
                                    .host_start_ns = range.start_ns,
                                    .host_end_ns = tacho_client_now(),
                                    .args = args.items,
                                    .arg_count = args.count};
        tacho_client_report_op(&op);
    }
}

/* ---- NVTX's entry points: domains are their names ------------------------------------------ */

/* A message is a text only, so a payload is appended to it. */
static void domain_mark_ex(const char *domain, const tacho_nvtx_attributes *given)
{
    char name[NAME_ROOM], text[NAME_ROOM + 48];
    const range_facts facts = facts_of(given);
    tacho_client_arg payload;
    put_name(name, domain, given);
    int len = snprintf(text, sizeof(text), "%s", name);
    if (read_payload(&facts, &payload)) {
        size_t used = (size_t)len;
        char *rest = text + used;
        len += payload.type == TACHO_CLIENT_REAL
                   ? snprintf(rest, sizeof(text) - used, ", payload %.17g", payload.value.as_real)
               : payload.type == TACHO_CLIENT_INT
                   ? snprintf(rest, sizeof(text) - used, ", payload %lld",
                              (long long)payload.value.as_int)
                   : snprintf(rest, sizeof(text) - used, ", payload %llu",
                              (unsigned long long)payload.value.as_uint);
    }
    tacho_client_message(text, (size_t)len);
}

static int domain_push_ex(const char *domain, const tacho_nvtx_attributes *given)
{
    char name[NAME_ROOM];
    put_name(name, domain, given);
    return push_range(name, facts_of(given));
}

static int domain_pop(const char *domain)
{
    (void)domain;
    return pop_range();
}

static uint64_t domain_start_ex(const char *domain, const tacho_nvtx_attributes *given)
{
    char name[NAME_ROOM];
    put_name(name, domain, given);
    return start_range(name, facts_of(given));
}

static void domain_end(const char *domain, uint64_t id)
{
    (void)domain;
    end_range(id);
}

/* A permanent copy of a text: NVTX passes the same ones again and again, and each is kept once. */
static const char *keep_text(const char *text)
{
    const tacho_client_site *site = tacho_cu_site(text != NULL ? text : "", "nvtx text");
    return site != NULL ? site->name : "";
}

static const char *domain_register(const char *domain, const char *text)
{
    (void)domain;
    return keep_text(text);
}

static const char *domain_register_wide(const char *domain, const uint32_t *text)
{
    char room[NAME_ROOM];
    (void)domain;
    put_wide(room, text);
    return keep_text(room);
}

static const char *domain_create(const char *name)
{
    return keep_text(name);
}

static const char *domain_create_wide(const uint32_t *name)
{
    return domain_register_wide(NULL, name);
}

static void mark_ex(const tacho_nvtx_attributes *given)
{
    domain_mark_ex(NULL, given);
}

static void mark_text(const char *text)
{
    tacho_client_message(text != NULL ? text : "", text != NULL ? strlen(text) : 0);
}

static void mark_wide(const uint32_t *text)
{
    char room[NAME_ROOM];
    put_wide(room, text);
    mark_text(room);
}

static int push_ex(const tacho_nvtx_attributes *given)
{
    return domain_push_ex(NULL, given);
}

static int push_text(const char *text)
{
    return push_range(text != NULL ? text : "range", facts_of(NULL));
}

static int push_wide(const uint32_t *text)
{
    char room[NAME_ROOM];
    put_wide(room, text);
    return push_text(room);
}

static uint64_t start_ex(const tacho_nvtx_attributes *given)
{
    return domain_start_ex(NULL, given);
}

static uint64_t start_text(const char *text)
{
    return start_range(text != NULL ? text : "range", facts_of(NULL));
}

static uint64_t start_wide(const uint32_t *text)
{
    char room[NAME_ROOM];
    put_wide(room, text);
    return start_range(room, facts_of(NULL));
}

/* ---- the tables ------------------------------------------------------------------------------ */

typedef struct nvtx_entry {
    uint32_t place;
    tacho_nvtx_function function;
} nvtx_entry;

static void fill_table(const tacho_nvtx_callbacks *callbacks, int32_t module,
                       const nvtx_entry *entries, size_t count)
{
    tacho_nvtx_function **table = NULL;
    uint32_t size = 0;
    if (callbacks->find_table(module, &table, &size) == 0 || table == NULL) {
        return;
    }
    for (size_t i = 0; i < count; i++) {
        if (entries[i].place < size && table[entries[i].place] != NULL) {
            *table[entries[i].place] = entries[i].function;
        }
    }
}

int InitializeInjectionNvtx2(tacho_nvtx_find_export *find_export)
{
    static const nvtx_entry core[] = {
        {TACHO_NVTX_MARK_EX, (tacho_nvtx_function)mark_ex},
        {TACHO_NVTX_MARK, (tacho_nvtx_function)mark_text},
        {TACHO_NVTX_MARK_WIDE, (tacho_nvtx_function)mark_wide},
        {TACHO_NVTX_RANGE_START_EX, (tacho_nvtx_function)start_ex},
        {TACHO_NVTX_RANGE_START, (tacho_nvtx_function)start_text},
        {TACHO_NVTX_RANGE_START_WIDE, (tacho_nvtx_function)start_wide},
        {TACHO_NVTX_RANGE_END, (tacho_nvtx_function)end_range},
        {TACHO_NVTX_RANGE_PUSH_EX, (tacho_nvtx_function)push_ex},
        {TACHO_NVTX_RANGE_PUSH, (tacho_nvtx_function)push_text},
        {TACHO_NVTX_RANGE_PUSH_WIDE, (tacho_nvtx_function)push_wide},
        {TACHO_NVTX_RANGE_POP, (tacho_nvtx_function)pop_range},
    };
    static const nvtx_entry core2[] = {
        {TACHO_NVTX_DOMAIN_MARK_EX, (tacho_nvtx_function)domain_mark_ex},
        {TACHO_NVTX_DOMAIN_RANGE_START_EX, (tacho_nvtx_function)domain_start_ex},
        {TACHO_NVTX_DOMAIN_RANGE_END, (tacho_nvtx_function)domain_end},
        {TACHO_NVTX_DOMAIN_RANGE_PUSH_EX, (tacho_nvtx_function)domain_push_ex},
        {TACHO_NVTX_DOMAIN_RANGE_POP, (tacho_nvtx_function)domain_pop},
        {TACHO_NVTX_DOMAIN_REGISTER_STRING, (tacho_nvtx_function)domain_register},
        {TACHO_NVTX_DOMAIN_REGISTER_WIDE, (tacho_nvtx_function)domain_register_wide},
        {TACHO_NVTX_DOMAIN_CREATE, (tacho_nvtx_function)domain_create},
        {TACHO_NVTX_DOMAIN_CREATE_WIDE, (tacho_nvtx_function)domain_create_wide},
    };
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    const tacho_nvtx_callbacks *callbacks = find_export(TACHO_NVTX_CALLBACKS);
    if (callbacks == NULL || callbacks->size < sizeof(*callbacks) || !tacho_client_is_active() ||
        tacho_client_stats_level() < 70) {
        return 0; /* nothing is recorded: calls of NVTX cost nothing again */
    }
    pthread_once(&once, prepare_once);
    tacho_cu_names_start(false);
    fill_table(callbacks, TACHO_NVTX_CORE, core, sizeof(core) / sizeof(core[0]));
    fill_table(callbacks, TACHO_NVTX_CORE2, core2, sizeof(core2) / sizeof(core2[0]));
    return 1;
}
