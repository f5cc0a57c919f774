/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How many entries an archive may have: 65535 is the mark of a ZIP64 archive, which this is not.
 */
#include "codec/zip.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

static void test_most_entries(void **state)
{
    (void)state;
    tacho_zip zip;
    assert_null(tacho_zip_open(&zip));
    zip.entries = calloc(65535, sizeof(*zip.entries)); /* as if all but the last were written */
    assert_non_null(zip.entries);
    zip.entry_count = 65533;
    zip.entry_capacity = 65535;
    assert_null(tacho_zip_add(&zip, "a", TACHO_STR("")));
    tacho_status status = tacho_zip_add(&zip, "a", TACHO_STR(""));
    assert_int_equal(tacho_status_code(status), TACHO_CODE_LIMIT);
    assert_non_null(strstr(tacho_status_message(status), "more than 65534 files"));
    tacho_status_free(status);
    tacho_zip_close(&zip);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_most_entries),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
