/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A library calls functions of another through a table of addresses of its own. Those of CUPTI are
 * replaced there by ours, which call CUPTI in turn.
 */
#include "cuda/rivals.h"

#include <dlfcn.h>
#include <link.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/mman.h>
#include <tacho/client.h>
#include <time.h>
#include <unistd.h>

#if defined(__x86_64__)
enum { ADDRESS_OF_CALL = R_X86_64_JUMP_SLOT, ADDRESS_OF_FUNCTION = R_X86_64_GLOB_DAT };
#elif defined(__aarch64__)
enum { ADDRESS_OF_CALL = R_AARCH64_JUMP_SLOT, ADDRESS_OF_FUNCTION = R_AARCH64_GLOB_DAT };
#else
enum { ADDRESS_OF_CALL = -1, ADDRESS_OF_FUNCTION = -1 }; /* nothing is replaced */
#endif

enum { KINDS_MAX = 64 };

typedef tacho_cu_result subscribe_v2_function(void **out_subscriber, tacho_cu_callback *callback,
                                              void *user, void *params);
typedef tacho_cu_result context_function(void *context, uint32_t kind);
typedef tacho_cu_result finalize_function(void);
typedef uint64_t clock_function(void);
typedef tacho_cu_result register_clock_function(clock_function *clock);

/* One process has one CUPTI. */
static struct {
    tacho_cu_rival_actions actions;
    tacho_cu_Subscribe *subscribe;
    subscribe_v2_function *subscribe_v2;
    tacho_cu_Unsubscribe *unsubscribe;
    tacho_cu_ActivityRegisterCallbacks *register_callbacks;
    tacho_cu_ActivityEnable *enable;
    tacho_cu_ActivityDisable *disable;
    context_function *enable_context, *disable_context;
    finalize_function *finalize;
    register_clock_function *register_clock;
    _Atomic(clock_function *) clock;     /* the program's own; NULL: it has CUPTI's */
    _Atomic(tacho_cu_request *) request; /* the program's own; NULL: it has not registered */
    _Atomic(tacho_cu_complete *) complete;
    atomic_uint_least64_t kinds;      /* that the program has enabled, one bit each */
    atomic_int_least64_t in_contexts; /* the same for single contexts: how many */
    atomic_uint_least64_t last_ns;
    atomic_bool is_subscribed;
    atomic_bool is_down; /* it has taken CUPTI down, and not used it since */
} rivals;

static void note_time(void)
{
    atomic_store(&rivals.is_down, false);
    atomic_store(&rivals.last_ns, tacho_client_now());
}

/* From now on records go to the program, through the functions that it registered. */
static void make_way(void)
{
    tacho_cu_request *request = atomic_load(&rivals.request);
    clock_function *clock = atomic_load(&rivals.clock);
    note_time();
    bool is_new = rivals.actions.make_way();
    note_time(); /* taking the records may have been long */
    if (is_new && clock != NULL) {
        rivals.register_clock(clock);
    }
    if (is_new && request != NULL) {
        rivals.register_callbacks(request, atomic_load(&rivals.complete));
    }
}

/* PyTorch counts ticks of the processor. */
static tacho_cu_result register_clock(clock_function *clock)
{
    make_way();
    tacho_cu_result result = rivals.register_clock(clock);
    if (result == 0) {
        atomic_store(&rivals.clock, clock);
    }
    return result;
}

/* CUPTI's default clock; its own function cannot be restored. */
static uint64_t real_time(void)
{
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

void tacho_cu_rivals_restore_clock(void)
{
    if (atomic_load(&rivals.clock) != NULL) {
        rivals.register_clock(real_time);
    }
}

static tacho_cu_result subscribe(void **out_subscriber, tacho_cu_callback *callback, void *user)
{
    note_time();
    rivals.actions.hang_up();
    tacho_cu_result result = rivals.subscribe(out_subscriber, callback, user);
    atomic_store(&rivals.is_subscribed, result == 0);
    return result;
}

static tacho_cu_result subscribe_v2(void **out_subscriber, tacho_cu_callback *callback, void *user,
                                    void *params)
{
    note_time();
    rivals.actions.hang_up();
    tacho_cu_result result = rivals.subscribe_v2(out_subscriber, callback, user, params);
    atomic_store(&rivals.is_subscribed, result == 0);
    return result;
}

static tacho_cu_result unsubscribe(void *subscriber)
{
    note_time();
    tacho_cu_result result = rivals.unsubscribe(subscriber);
    atomic_store(&rivals.is_subscribed, false);
    return result;
}

static tacho_cu_result register_callbacks(tacho_cu_request *request, tacho_cu_complete *complete)
{
    make_way();
    atomic_store(&rivals.complete, complete);
    atomic_store(&rivals.request, request);
    return rivals.register_callbacks(request, complete);
}

static uint64_t bit_of(uint32_t kind)
{
    return UINT64_C(1) << kind % KINDS_MAX;
}

static tacho_cu_result enable(uint32_t kind)
{
    make_way();
    tacho_cu_result result = rivals.enable(kind);
    if (result == 0) {
        atomic_fetch_or(&rivals.kinds, bit_of(kind));
    }
    return result;
}

/* A kind that the program has not enabled may be ours. */
static tacho_cu_result disable(uint32_t kind)
{
    note_time();
    uint64_t before = atomic_fetch_and(&rivals.kinds, ~bit_of(kind));
    return (before & bit_of(kind)) != 0 ? rivals.disable(kind) : 0;
}

static tacho_cu_result enable_context(void *context, uint32_t kind)
{
    make_way();
    tacho_cu_result result = rivals.enable_context(context, kind);
    atomic_fetch_add(&rivals.in_contexts, result == 0 ? 1 : 0);
    return result;
}

static tacho_cu_result disable_context(void *context, uint32_t kind)
{
    note_time();
    tacho_cu_result result = rivals.disable_context(context, kind);
    bool is_counted = result == 0 && atomic_load(&rivals.in_contexts) > 0;
    atomic_fetch_sub(&rivals.in_contexts, is_counted ? 1 : 0);
    return result;
}

/*
 * Ends all requests of the program. It happens inside callbacks, of a call that the program goes on
 * from: so it must not wait.
 */
static tacho_cu_result finalize(void)
{
    rivals.actions.forget();
    tacho_cu_result result = rivals.finalize();
    atomic_store(&rivals.kinds, 0);
    atomic_store(&rivals.in_contexts, 0);
    atomic_store(&rivals.is_subscribed, false);
    note_time();
    atomic_store(&rivals.is_down, true);
    rivals.actions.come_back();
    return result;
}

bool tacho_cu_rivals_are_done(uint64_t quiet_ns, uint64_t down_ns)
{
    uint64_t since_ns = tacho_client_now() - atomic_load(&rivals.last_ns);
    return atomic_load(&rivals.kinds) == 0 && atomic_load(&rivals.in_contexts) == 0 &&
           since_ns >= (atomic_load(&rivals.is_down) ? down_ns : quiet_ns);
}

bool tacho_cu_rivals_listen(void)
{
    return atomic_load(&rivals.is_subscribed);
}

/* The loader's: link.h has it for GNU sources only. */
typedef struct loaded_library {
    ElfW(Addr) address;
    const char *name;
    const ElfW(Phdr) * parts;
    ElfW(Half) part_count;
} loaded_library; /* and more */

typedef int library_visitor(loaded_library *library, size_t size, void *context);
extern int dl_iterate_phdr(library_visitor *visitor, void *context);

/* ---- libraries ----------------------------------------------------------------------------- */

/* A function of CUPTI, and ours in its place. */
typedef struct replacement {
    const char *name;
    ElfW(Addr) theirs, ours; /* theirs 0: this CUPTI has none */
} replacement;

typedef struct replacements {
    const replacement *items;
    size_t item_count;
} replacements;

/* The parts of a library's tables that are needed. */
typedef struct library_tables {
    const loaded_library *library;
    const ElfW(Sym) * symbols;
    const char *texts;
    ElfW(Addr) sealed_start, sealed_end; /* read-only once the library is loaded */
} library_tables;

static bool is_inside(const loaded_library *library, ElfW(Addr) address)
{
    for (ElfW(Half) i = 0; i < library->part_count; i++) {
        const ElfW(Phdr) *part = &library->parts[i];
        ElfW(Addr) start = library->address + part->p_vaddr;
        if (part->p_type == PT_LOAD && address >= start && address - start < part->p_memsz) {
            return true;
        }
    }
    return false;
}

static void replace_address(const library_tables *tables, ElfW(Addr) at, ElfW(Addr) ours)
{
    ElfW(Addr) page_size = (ElfW(Addr))sysconf(_SC_PAGESIZE);
    void *page = (void *)(at & ~(page_size - 1)); /* an address is in one page */
    bool is_sealed = at >= tables->sealed_start && at < (tables->sealed_end & ~(page_size - 1));
    if (is_sealed && mprotect(page, page_size, PROT_READ | PROT_WRITE) != 0) {
        return;
    }
    __atomic_store_n((ElfW(Addr) *)at, ours, __ATOMIC_RELEASE);
    if (is_sealed) {
        mprotect(page, page_size, PROT_READ);
    }
}

/* An address that is CUPTI's, or is looked up at the first call: then it leads into the library. */
static void replace_in(const library_tables *tables, const ElfW(Rela) * list, size_t bytes,
                       const replacements *all)
{
    for (size_t i = 0; list != NULL && i < bytes / sizeof(*list); i++) {
        int type = (int)ELF64_R_TYPE(list[i].r_info);
        if (type != ADDRESS_OF_CALL && type != ADDRESS_OF_FUNCTION) {
            continue;
        }
        const char *name = tables->texts + tables->symbols[ELF64_R_SYM(list[i].r_info)].st_name;
        ElfW(Addr) at = tables->library->address + list[i].r_offset;
        for (size_t j = 0; j < all->item_count && strncmp(name, "cupti", 5) == 0; j++) {
            const replacement *item = &all->items[j];
            ElfW(Addr) now = *(const ElfW(Addr) *)at;
            if (item->theirs != 0 && strcmp(name, item->name) == 0 &&
                (now == item->theirs || is_inside(tables->library, now))) {
                replace_address(tables, at, item->ours);
            }
        }
    }
}

/* An entry of a dynamic section; 0: it has none. */
static ElfW(Addr) find_entry(const ElfW(Dyn) * section, ElfW(Sxword) tag)
{
    for (; section->d_tag != DT_NULL; section++) {
        if (section->d_tag == tag) {
            return section->d_un.d_ptr;
        }
    }
    return 0;
}

/* A table that it names: the loader has made addresses of offsets, or not. */
static const void *find_table(const loaded_library *library, const ElfW(Dyn) * section,
                              ElfW(Sxword) tag)
{
    ElfW(Addr) value = find_entry(section, tag);
    return (const void *)(value != 0 && value < library->address ? value + library->address
                                                                 : value);
}

static int replace_in_library(loaded_library *library, size_t size, void *context)
{
    const replacements *all = context;
    const ElfW(Dyn) *section = NULL;
    library_tables tables = {.library = library};
    (void)size;
    for (ElfW(Half) i = 0; i < library->part_count; i++) {
        const ElfW(Phdr) *part = &library->parts[i];
        if (part->p_type == PT_DYNAMIC) {
            section = (const void *)(library->address + part->p_vaddr);
        } else if (part->p_type == PT_GNU_RELRO) {
            tables.sealed_start = library->address + part->p_vaddr;
            tables.sealed_end = tables.sealed_start + part->p_memsz;
        }
    }
    if (section == NULL || is_inside(library, all->items[0].theirs)) {
        return 0; /* CUPTI itself goes on as it does */
    }
    tables.symbols = find_table(library, section, DT_SYMTAB);
    tables.texts = find_table(library, section, DT_STRTAB);
    if (tables.symbols != NULL && tables.texts != NULL) {
        replace_in(&tables, find_table(library, section, DT_JMPREL),
                   find_entry(section, DT_PLTRELSZ), all);
        replace_in(&tables, find_table(library, section, DT_RELA), find_entry(section, DT_RELASZ),
                   all);
    }
    return 0;
}

/* Functions that we do not call ourselves; some versions lack them. */
static void find_others(void *library)
{
    const struct {
        const char *name;
        void *at;
    } others[] = {
        {"cuptiSubscribe_v2", &rivals.subscribe_v2},
        {"cuptiActivityEnableContext", &rivals.enable_context},
        {"cuptiActivityDisableContext", &rivals.disable_context},
        {"cuptiFinalize", &rivals.finalize},
        {"cuptiActivityRegisterTimestampCallback", &rivals.register_clock},
    };
    for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++) {
        void *found = dlsym(library, others[i].name);
        memcpy(others[i].at, &found, sizeof(found));
    }
}

void tacho_cu_rivals_watch(const tacho_cupti *cupti, const tacho_cu_rival_actions *actions)
{
    rivals.actions = *actions;
    rivals.subscribe = cupti->Subscribe;
    rivals.unsubscribe = cupti->Unsubscribe;
    rivals.register_callbacks = cupti->ActivityRegisterCallbacks;
    rivals.enable = cupti->ActivityEnable;
    rivals.disable = cupti->ActivityDisable;
    find_others(cupti->library);
#define REPLACEMENT(name, member)                                                                  \
    {                                                                                              \
        name, (ElfW(Addr))rivals.member, (ElfW(Addr))member                                        \
    }
    const replacement items[] = {
        REPLACEMENT("cuptiSubscribe", subscribe),
        REPLACEMENT("cuptiSubscribe_v2", subscribe_v2),
        REPLACEMENT("cuptiUnsubscribe", unsubscribe),
        REPLACEMENT("cuptiActivityRegisterCallbacks", register_callbacks),
        REPLACEMENT("cuptiActivityEnable", enable),
        REPLACEMENT("cuptiActivityDisable", disable),
        REPLACEMENT("cuptiActivityEnableContext", enable_context),
        REPLACEMENT("cuptiActivityDisableContext", disable_context),
        REPLACEMENT("cuptiFinalize", finalize),
        REPLACEMENT("cuptiActivityRegisterTimestampCallback", register_clock),
    };
#undef REPLACEMENT
    replacements all = {items, sizeof(items) / sizeof(items[0])};
    dl_iterate_phdr(replace_in_library, &all);
}
