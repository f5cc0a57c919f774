/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Notes arrive whole, whatever their length; without a taker nothing happens.
 */
#include "base/notes.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

enum { LONG_LEN = 5000 };

typedef struct taken {
    char kind[16];
    char text[LONG_LEN + 16];
    int count;
    tacho_hint_id hint;
    char detail[16];
} taken;

static void keep_note(void *self, const char *kind, const char *text, tacho_hint hint)
{
    taken *to = self;
    to->hint = hint.id;
    strncpy(to->detail, hint.detail, sizeof(to->detail) - 1);
    strncpy(to->kind, kind, sizeof(to->kind) - 1);
    strncpy(to->text, text, sizeof(to->text) - 1);
    to->count++;
}

static void test_a_note_arrives(void **state)
{
    taken to = {.count = 0};
    tacho_notes notes = {keep_note, &to};
    (void)state;
    tacho_note(&notes, "warning", "%d of %s", 3, "four");
    assert_string_equal(to.kind, "warning");
    assert_string_equal(to.text, "3 of four");
    assert_int_equal(to.count, 1);
    assert_int_equal(to.hint, TACHO_HINT_NONE);
    tacho_note_hint(&notes, (tacho_hint){TACHO_HINT_SIZE, "n=4"}, "note", "%s", "open");
    assert_string_equal(to.text, "open");
    assert_int_equal(to.hint, TACHO_HINT_SIZE);
    assert_string_equal(to.detail, "n=4");
}

static void test_long_notes_are_whole(void **state)
{
    static char text[LONG_LEN + 1];
    static taken to;
    tacho_notes notes = {keep_note, &to};
    (void)state;
    for (size_t len = 505; len < 520; len++) { /* around the size of the short ones */
        memset(text, 'a', len);
        text[len] = '\0';
        tacho_note(&notes, "note", "%s.", text);
        assert_int_equal(strlen(to.text), len + 1);
    }
    memset(text, 'b', LONG_LEN);
    tacho_note(&notes, "note", "%s!", text);
    assert_int_equal(strlen(to.text), LONG_LEN + 1);
    assert_int_equal(to.text[LONG_LEN], '!');
}

static void test_nobody_listens(void **state)
{
    (void)state;
    tacho_note(NULL, "note", "%s", "nothing happens");
    tacho_note_hint(NULL, (tacho_hint){TACHO_HINT_BATCH, ""}, "note", "%s", "nothing happens");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_a_note_arrives),
        cmocka_unit_test(test_long_notes_are_whole),
        cmocka_unit_test(test_nobody_listens),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
