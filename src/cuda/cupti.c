/* SPDX-License-Identifier: Apache-2.0 */
/*
 * CUPTI by its names, loaded at run time: it is not linked.
 */
#include "cuda/cupti.h"

#include <dlfcn.h>
#include <stddef.h>
#include <string.h>

static void *open_library(void)
{
    static const char *const names[] = {"libcupti.so.13", "libcupti.so.12", "libcupti.so",
                                        "/usr/local/cuda/extras/CUPTI/lib64/libcupti.so",
                                        "/usr/local/cuda/lib64/libcupti.so"};
    const size_t count = sizeof(names) / sizeof(names[0]);
    void *library = NULL;
    for (size_t i = 0; i < count && library == NULL; i++) {
        library = dlopen(names[i], RTLD_NOW | RTLD_LOCAL | RTLD_NOLOAD);
    }
    for (size_t i = 0; i < count && library == NULL; i++) {
        library = dlopen(names[i], RTLD_NOW | RTLD_LOCAL);
    }
    return library;
}

/* A function of it, of any type: a pointer to data by the letter of dlsym. */
static bool find_function(void *library, const char *name, void *out_function)
{
    void *symbol = dlsym(library, name);
    memcpy(out_function, &symbol, sizeof(symbol));
    return symbol != NULL;
}

const char *tacho_cupti_load(tacho_cupti *out_cupti)
{
    static const struct {
        const char *name;
        size_t offset;
    } functions[] = {
#define FUNCTION(name, arguments) {"cupti" #name, offsetof(tacho_cupti, name)},
        TACHO_CU_FUNCTIONS(FUNCTION)
#undef FUNCTION
    };
    *out_cupti = (tacho_cupti){0};
    void *library = open_library();
    if (library == NULL) {
        return "there is no libcupti.so, which is part of the CUDA toolkit and of PyTorch";
    }
    out_cupti->library = library;
    for (size_t i = 0; i < sizeof(functions) / sizeof(functions[0]); i++) {
        if (!find_function(library, functions[i].name, (char *)out_cupti + functions[i].offset)) {
            return "its libcupti.so is older than CUDA 12";
        }
    }
    out_cupti->GetVersion(&out_cupti->version);
    return out_cupti->version < TACHO_CU_VERSION_MIN ? "its libcupti.so is older than CUDA 12"
                                                     : NULL;
}

const char *tacho_cupti_text(const tacho_cupti *cupti, tacho_cu_result result)
{
    const char *text = NULL;
    return cupti->GetResultString(result, &text) == 0 && text != NULL ? text : "unknown error";
}
