/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A library calls functions of another through a table of addresses of its own. Those of CUPTI are
 * replaced there by ours, which call CUPTI in turn.
 */
#include "cuda/rivals.h"

#include <dlfcn.h>
#include <link.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#if defined(__x86_64__)
enum { ADDRESS_OF_CALL = R_X86_64_JUMP_SLOT, ADDRESS_OF_FUNCTION = R_X86_64_GLOB_DAT };
#elif defined(__aarch64__)
enum { ADDRESS_OF_CALL = R_AARCH64_JUMP_SLOT, ADDRESS_OF_FUNCTION = R_AARCH64_GLOB_DAT };
#else
enum { ADDRESS_OF_CALL = -1, ADDRESS_OF_FUNCTION = -1 }; /* nothing is replaced */
#endif

typedef tacho_cu_result subscribe_v2_function(void **out_subscriber, tacho_cu_callback *callback,
                                              void *user, void *params);

/* One process has one CUPTI. */
static struct {
    tacho_cu_rival_found *found;
    tacho_cu_Subscribe *subscribe;
    subscribe_v2_function *subscribe_v2;
    tacho_cu_ActivityRegisterCallbacks *register_callbacks;
} rivals;

static tacho_cu_result subscribe(void **out_subscriber, tacho_cu_callback *callback, void *user)
{
    rivals.found();
    return rivals.subscribe(out_subscriber, callback, user);
}

static tacho_cu_result subscribe_v2(void **out_subscriber, tacho_cu_callback *callback, void *user,
                                    void *params)
{
    rivals.found();
    return rivals.subscribe_v2(out_subscriber, callback, user, params);
}

static tacho_cu_result register_callbacks(tacho_cu_request *request, tacho_cu_complete *complete)
{
    rivals.found();
    return rivals.register_callbacks(request, complete);
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

/* What is needed of a library's tables. */
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

void tacho_cu_rivals_watch(const tacho_cupti *cupti, tacho_cu_rival_found *found)
{
    void *second = dlsym(cupti->library, "cuptiSubscribe_v2");
    rivals.found = found;
    rivals.subscribe = cupti->Subscribe;
    rivals.register_callbacks = cupti->ActivityRegisterCallbacks;
    memcpy(&rivals.subscribe_v2, &second, sizeof(second));
    const replacement items[] = {
        {"cuptiSubscribe", (ElfW(Addr))cupti->Subscribe, (ElfW(Addr))subscribe},
        {"cuptiSubscribe_v2", (ElfW(Addr))second, (ElfW(Addr))subscribe_v2},
        {"cuptiActivityRegisterCallbacks", (ElfW(Addr))cupti->ActivityRegisterCallbacks,
         (ElfW(Addr))register_callbacks},
    };
    replacements all = {items, sizeof(items) / sizeof(items[0])};
    dl_iterate_phdr(replace_in_library, &all);
}
