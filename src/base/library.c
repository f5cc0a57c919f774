/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A library of ELF calls others through slots, which the loader fills with addresses and then may
 * close to writing.
 */
#define _GNU_SOURCE /* dlinfo */
#include "base/library.h"

#include <dlfcn.h>
#include <elf.h>
#include <link.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#if defined(__x86_64__)
enum { SLOT_TYPE = R_X86_64_JUMP_SLOT, DATA_TYPE = R_X86_64_GLOB_DAT };
#elif defined(__aarch64__)
enum { SLOT_TYPE = R_AARCH64_JUMP_SLOT, DATA_TYPE = R_AARCH64_GLOB_DAT };
#else
enum { SLOT_TYPE = -1, DATA_TYPE = -1 };
#endif

/* Where a loaded library keeps its tables. */
typedef struct loaded_tables {
    uintptr_t base;
    const char *names;
    const ElfW(Sym) * symbols;
    const ElfW(Rela) * slots[2]; /* of calls, and of other addresses */
    size_t slot_counts[2];
} loaded_tables;

static bool read_tables(void *library, loaded_tables *out)
{
    struct link_map *map = NULL;
    *out = (loaded_tables){.names = NULL};
    if (dlinfo(library, RTLD_DI_LINKMAP, &map) != 0 || map == NULL || map->l_ld == NULL) {
        return false;
    }
    out->base = map->l_addr;
    for (const ElfW(Dyn) *at = map->l_ld; at->d_tag != DT_NULL; at++) {
        const void *place = (const void *)at->d_un.d_ptr; /* as the loader has moved it */
        switch (at->d_tag) {
        case DT_STRTAB:
            out->names = place;
            break;
        case DT_SYMTAB:
            out->symbols = place;
            break;
        case DT_JMPREL:
            out->slots[0] = place;
            break;
        case DT_PLTRELSZ:
            out->slot_counts[0] = at->d_un.d_val / sizeof(ElfW(Rela));
            break;
        case DT_RELA:
            out->slots[1] = place;
            break;
        case DT_RELASZ:
            out->slot_counts[1] = at->d_un.d_val / sizeof(ElfW(Rela));
            break;
        default:
            break;
        }
    }
    return out->names != NULL && (uintptr_t)out->names > out->base && out->symbols != NULL &&
           out->slots[0] != NULL;
}

/* The slots of the calls, each exactly once. */
static bool find_slots(const loaded_tables *tables, const tacho_library_call *calls, size_t count,
                       tacho_any_call ***out_slots)
{
    size_t found = 0;
    for (size_t list = 0; list < 2; list++) {
        for (size_t i = 0; i < tables->slot_counts[list]; i++) {
            const ElfW(Rela) *slot = &tables->slots[list][i];
            int type = (int)ELF64_R_TYPE(slot->r_info);
            if (type != SLOT_TYPE && type != DATA_TYPE) {
                continue;
            }
            const char *name = tables->names + tables->symbols[ELF64_R_SYM(slot->r_info)].st_name;
            for (size_t call = 0; call < count; call++) {
                if (strcmp(name, calls[call].name) == 0) {
                    found += out_slots[call] == NULL ? 1 : count;
                    out_slots[call] = (tacho_any_call **)(tables->base + slot->r_offset);
                }
            }
        }
    }
    return found == count;
}

/* Whether the loader has closed the page of |slot| to writing. */
static bool is_closed(const loaded_tables *tables, const void *slot)
{
    const ElfW(Ehdr) *header = (const ElfW(Ehdr) *)tables->base;
    const ElfW(Phdr) *parts = (const ElfW(Phdr) *)(tables->base + header->e_phoff);
    bool is = false;
    for (size_t i = 0; i < header->e_phnum; i++) {
        uintptr_t first = tables->base + parts[i].p_vaddr;
        is |= parts[i].p_type == PT_GNU_RELRO && (uintptr_t)slot >= first &&
              (uintptr_t)slot < first + parts[i].p_memsz;
    }
    return is;
}

static bool write_slot(const loaded_tables *tables, tacho_any_call **slot, tacho_any_call *call)
{
    size_t page = (size_t)sysconf(_SC_PAGESIZE);
    void *first = (void *)((uintptr_t)slot & ~(page - 1));
    bool was_closed = is_closed(tables, slot);
    if (was_closed && mprotect(first, page, PROT_READ | PROT_WRITE) != 0) {
        return false;
    }
    *slot = call;
    return !was_closed || mprotect(first, page, PROT_READ) == 0;
}

bool tacho_library_redirect(void *library, const tacho_library_call *calls, size_t count)
{
    loaded_tables tables;
    tacho_any_call **slots[TACHO_LIBRARY_CALLS_MAX] = {NULL};
    tacho_any_call *before[TACHO_LIBRARY_CALLS_MAX];
    if (SLOT_TYPE < 0 || count > TACHO_LIBRARY_CALLS_MAX || !read_tables(library, &tables) ||
        !find_slots(&tables, calls, count, slots)) {
        return false;
    }
    for (size_t i = 0; i < count; i++) {
        before[i] = *slots[i];
        bool is_done = before[i] == calls[i].call || write_slot(&tables, slots[i], calls[i].call);
        for (size_t k = 0; !is_done && k < i; k++) {
            (void)write_slot(&tables, slots[k], before[k]);
        }
        if (!is_done) {
            return false;
        }
    }
    return true;
}
