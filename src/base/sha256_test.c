/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Digests that FIPS 180-4 and its examples publish, and lengths around the end of a block.
 */
#include "base/sha256.h"

#include <stdlib.h>

#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>

static void expect(tacho_str bytes, const char *hex)
{
    char found[TACHO_SHA256_HEX_BYTES];
    tacho_sha256_hex(bytes, found);
    assert_string_equal(found, hex);
}

static void publishes_digests(void **state)
{
    (void)state;
    expect(TACHO_STR(""), "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
    expect(TACHO_STR("abc"), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
    expect(TACHO_STR("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq"),
           "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
}

/* Computed by coreutils' sha256sum. */
static void ends_blocks(void **state)
{
    char *bytes = malloc(1000000);
    (void)state;
    assert_non_null(bytes);
    memset(bytes, 'a', 1000000);
    expect(tacho_str_make(bytes, 55),
           "9f4390f8d30c2dd92ec9f095b65e2b9ae9b0a925a5258e241c9f1e910f734318");
    expect(tacho_str_make(bytes, 64),
           "ffe054fe7ae0cb6dc65c3af9b61d5209f439851db43d0ba5997337df154668eb");
    expect(tacho_str_make(bytes, 1000000),
           "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
    free(bytes);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(publishes_digests),
        cmocka_unit_test(ends_blocks),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
