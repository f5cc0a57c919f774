/* SPDX-License-Identifier: Apache-2.0 */
/*
 * oneDNN 2 is opened when it is first needed, so that everything else starts as quickly as before
 * and runs where it is absent. It computes with threads of its own, whose floating-point notes are
 * read here, too.
 */
#include "base/pages.h"
#include "kernels/invalid.h"
#include "kernels/onednn_library.h"

#include <dlfcn.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>

enum { LIBRARY_ROOM = 256 << 20 }; /* its address space, with its threads and a margin */

static bool load(void *library, const char *name, void *out_function)
{
    void *symbol = dlsym(library, name);
    memcpy(out_function, &symbol, sizeof(symbol));
    return symbol != NULL;
}

/* It stays open: its threads may outlive any kernel. */
static bool open_library(tacho_onednn_calls *call)
{
    bool is_mine = tacho_onednn_shorten_waits();
    void *library = dlopen("libdnnl.so.2", RTLD_NOW | RTLD_LOCAL);
    tacho_onednn_forget_waits(is_mine);
    if (library == NULL) {
        return false;
    }
    bool has_all = true;
#define CALL_LOAD(name) has_all = load(library, "dnnl_" #name, &call->name) && has_all;
    TACHO_ONEDNN_CALLS(CALL_LOAD)
#undef CALL_LOAD
    (void)load(library, "omp_set_num_threads", &call->set_threads);
    (void)load(library, "omp_get_num_procs", &call->get_threads);
    (void)load(library, "GOMP_parallel", &call->parallel);
    call->has_team = tacho_onednn_take_threads(library);
    call->parallel = call->has_team ? tacho_onednn_share : call->parallel;
    return has_all && call->version()->major == 2;
}

#if defined(__x86_64__)

static dnnl_cpu_isa_t theirs(tacho_isa isa)
{
    static const dnnl_cpu_isa_t all[] = {
        [TACHO_ISA_PLAIN] = dnnl_cpu_isa_sse41, /* their least */
        [TACHO_ISA_SSE41] = dnnl_cpu_isa_sse41,
        [TACHO_ISA_AVX] = dnnl_cpu_isa_avx,
        [TACHO_ISA_AVX2] = dnnl_cpu_isa_avx2,
        [TACHO_ISA_AVX2_VNNI] = dnnl_cpu_isa_avx2_vnni,
        [TACHO_ISA_AVX512_CORE] = dnnl_cpu_isa_avx512_core,
        [TACHO_ISA_AVX512_CORE_VNNI] = dnnl_cpu_isa_avx512_core_vnni,
        [TACHO_ISA_AVX512_CORE_BF16] = dnnl_cpu_isa_avx512_core_bf16,
        [TACHO_ISA_AVX512_CORE_AMX] = dnnl_cpu_isa_avx512_core_amx,
    };
    return all[isa];
}

/*
 * Keeps oneDNN from instructions that the processor shows and does not run. It takes a limit before
 * its first kernel only. Another part of this process may have been first, so the set that it
 * really uses decides; false: it would crash.
 */
static bool limit_isa(const tacho_onednn_calls *call, const tacho_isa_choice *choice)
{
    if (choice->reason == TACHO_ISA_BEST || choice->reason == TACHO_ISA_USER) {
        return true;
    }
    unsigned most = (unsigned)theirs(choice->isa);
    (void)call->set_max_cpu_isa((dnnl_cpu_isa_t)most);
    return ((unsigned)call->get_effective_cpu_isa() & ~most) == 0;
}

#else

static bool limit_isa(const tacho_onednn_calls *call, const tacho_isa_choice *choice)
{
    (void)call;
    (void)choice;
    return true;
}

#endif

void tacho_onednn_set_threads(const tacho_fast *fast, int threads)
{
    if (fast->call.has_team) {
        tacho_onednn_use_team(fast->team, threads);
    } else if (fast->call.set_threads != NULL && threads > 0) {
        fast->call.set_threads(threads);
    }
}

tacho_status tacho_fast_create(uint32_t threads, tacho_fast **out)
{
    tacho_cpu_facts facts = tacho_cpu_read();
    tacho_isa_choice choice = tacho_isa_choose(&facts, tacho_isa_limit());
    return tacho_fast_create_with(threads, &choice, out);
}

tacho_status tacho_fast_create_with(uint32_t threads, const tacho_isa_choice *choice,
                                    tacho_fast **out)
{
    tacho_fast *fast = calloc(1, sizeof(*fast));
    *out = NULL;
    if (fast == NULL) {
        return tacho_no_memory();
    }
    if (!tacho_pages_have_room(LIBRARY_ROOM)) {
        free(fast);
        return tacho_fail_hint(
            TACHO_CODE_NO_MEMORY, TACHO_HINT_REFERENCE_KERNELS,
            "no memory for fast kernels: the limits of this process leave less than "
            "%d MB; raise them (ulimit -v)",
            LIBRARY_ROOM >> 20);
    }
    tacho_status status = tacho_strings_init(&fast->keys);
    if (status != TACHO_OK) {
        tacho_fast_free(fast);
        return status;
    }
    if (!open_library(&fast->call) || !limit_isa(&fast->call, choice) ||
        fast->call.engine_create(&fast->engine, dnnl_cpu, 0) != dnnl_success ||
        fast->call.stream_create(&fast->stream, fast->engine, dnnl_stream_default_flags) !=
            dnnl_success) {
        tacho_fast_free(fast);
        return TACHO_OK;
    }
    const dnnl_version_t *version = fast->call.version();
    snprintf(fast->version, sizeof(fast->version), "%d.%d.%d", version->major, version->minor,
             version->patch);
    fast->threads = threads > 0 && threads < 4096    ? (int)threads
                    : fast->call.get_threads != NULL ? fast->call.get_threads()
                                                     : 0;
    if (fast->call.has_team && fast->threads > 1) {
        fast->team = tacho_team_create((unsigned)fast->threads);
        fast->threads = fast->team != NULL ? (int)tacho_team_size(fast->team) : 1;
    }
    *out = fast;
    return TACHO_OK;
}

void tacho_fast_free(tacho_fast *fast)
{
    if (fast == NULL) {
        return;
    }
    if (fast->stream != NULL) {
        fast->call.stream_destroy(fast->stream);
    }
    if (fast->engine != NULL) {
        fast->call.engine_destroy(fast->engine);
    }
    tacho_onednn_use_team(NULL, 0);
    tacho_team_free(fast->team);
    for (size_t i = 0; i < fast->layout_count; i++) {
        free(fast->layouts[i]);
    }
    free(fast->layouts);
    tacho_strings_deinit(&fast->keys);
    free(fast->shared);
    free(fast);
}

const char *tacho_fast_version(const tacho_fast *fast)
{
    return fast == NULL ? "" : fast->version;
}

/* Without these instructions pairs of products are summed up in 16 bits, which saturate. */
bool tacho_onednn_has_exact_bytes(const tacho_fast *fast)
{
    unsigned isa = (unsigned)fast->call.get_effective_cpu_isa();
    unsigned wide = dnnl_cpu_isa_avx512_core_vnni, narrow = dnnl_cpu_isa_avx2_vnni;
    return (isa & wide) == wide || (isa & narrow) == narrow;
}

/* ---- invalid operations -------------------------------------------------------------------- */

static void forget(void *unused)
{
    (void)unused;
    (void)tacho_invalid_take();
}

static void look(void *found)
{
    if (tacho_invalid_take()) {
        atomic_store((atomic_bool *)found, true);
    }
}

/* In this thread, and in the others that kernels use; a team collects what its threads note. */
static void in_all_threads(const tacho_fast *fast, void (*work)(void *data), void *data)
{
    if (fast->shares && !fast->call.has_team && fast->call.parallel != NULL) {
        fast->call.parallel(work, data, (unsigned)fast->threads, 0);
    } else {
        work(data);
    }
}

void tacho_fast_forget_invalid(const tacho_fast *fast)
{
    in_all_threads(fast, forget, NULL);
}

bool tacho_fast_was_invalid(const tacho_fast *fast)
{
    atomic_bool found = false;
    in_all_threads(fast, look, &found);
    return atomic_load(&found);
}
