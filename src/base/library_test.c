/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Calls of a library, pointed elsewhere: zlib, which tacho is built with, asks for memory.
 */
#include "base/library.h"

#include <dlfcn.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

typedef void *open_of(const char *path, const char *mode);

static unsigned asked; /* how often memory was asked for */

static void *count_malloc(size_t bytes)
{
    asked++;
    return malloc(bytes);
}

static void *find(void *library, const char *name)
{
    void *found = dlsym(library, name);
    assert_non_null(found);
    return found;
}

static void test_redirected(void **state)
{
    (void)state;
    void *library = dlopen("libz.so.1", RTLD_NOW | RTLD_LOCAL);
    if (library == NULL) {
        skip();
    }
    open_of *open = (open_of *)(uintptr_t)find(library, "gzopen");
    int (*close)(void *) = (int (*)(void *))(uintptr_t)find(library, "gzclose");
    tacho_library_call calls[] = {{"malloc", (tacho_any_call *)count_malloc},
                                  {"no_such_call_of_all", (tacho_any_call *)count_malloc}};
    assert_false(tacho_library_redirect(library, calls, 2)); /* not all of them: none */
    assert_int_equal(close(open("/dev/null", "r")), 0);
    assert_int_equal(asked, 0);
    if (!tacho_library_redirect(library, calls, 1)) {
        skip(); /* it has memory in another way */
    }
    assert_int_equal(close(open("/dev/null", "r")), 0);
    assert_true(asked > 0);
    unsigned before = asked;
    free(malloc(1)); /* nobody else's are */
    assert_int_equal(asked, before);
    assert_true(tacho_library_redirect(library, calls, 1)); /* they are already */
    assert_false(tacho_library_redirect(library, calls, TACHO_LIBRARY_CALLS_MAX + 1));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_redirected),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
