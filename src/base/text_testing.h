/* SPDX-License-Identifier: Apache-2.0 */
/*
 * For tests that compare output as text: a text that grows, and success or its message.
 * Include it after <cmocka.h>.
 */
#ifndef TACHO_BASE_TEXT_TESTING_H
#define TACHO_BASE_TEXT_TESTING_H

#include "base/attributes.h"
#include "base/status.h"

#include <stdarg.h>
#include <stdio.h>

typedef struct test_text {
    char bytes[1 << 16]; /* ends with a NUL */
    size_t len;
} test_text;

static inline void assert_ok(tacho_status status)
{
    if (status != TACHO_OK) {
        fail_msg("%s", tacho_status_message(status));
    }
}

static inline void put(test_text *to, const char *format, ...) TACHO_PRINTF(2, 3);

static inline void put(test_text *to, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    size_t room = sizeof(to->bytes) - to->len;
    int len = vsnprintf(to->bytes + to->len, room, format, arguments);
    va_end(arguments);
    assert_true(len >= 0 && (size_t)len < room);
    to->len += (size_t)len;
}

static inline void clear_text(test_text *text)
{
    text->len = 0;
    text->bytes[0] = '\0';
}

#endif
