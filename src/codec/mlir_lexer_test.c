/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A text and its tokens, each as one letter for its kind and its bytes.
 */
#include "codec/mlir_lexer.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

/* "k:text" of each token; '~' before one after a blank, '^' before one after a newline. */
static void dump_tokens(const char *text, char *out, size_t capacity)
{
    static const char letters[] = {'E', '?', 'w', 'v', 'b', 's', 'h', 't', 'q', 'n', 'a', 'm'};
    tacho_mlir_lexer lexer = {tacho_str_from_cstring(text), 0};
    size_t len = 0;
    for (;;) {
        tacho_mlir_token token = tacho_mlir_lexer_next(&lexer);
        const char *before = token.after_newline ? "^" : token.after_blank ? "~" : "";
        len +=
            (size_t)snprintf(out + len, capacity - len, "%s%c:%.*s ", before, letters[token.kind],
                             (int)(token.end - token.start), text + token.start);
        assert_true(len < capacity);
        assert_int_equal(token.mark, letters[token.kind] == 'm' ? text[token.start] : '\0');
        if (token.kind == TACHO_MLIR_TOKEN_END) {
            out[len - 1] = '\0';
            return;
        }
    }
}

static void test_tokens(void **state)
{
    (void)state;
    static const char *const cases[][2] = {
        {"", "^E:"},
        {"module {}", "^w:module ~m:{ m:} E:"},
        {"torq_hl.program$x", "^w:torq_hl.program$x E:"},
        {"%0 %a#1 %c-1_i8#", "^v:%0 ~v:%a#1 ~v:%c-1_i8 ?:# E:"},
        {"%0a", "^v:%0 w:a E:"},
        {"%#1", "^?:% h:#1 E:"},
        {"^bb0: @a @\"b \\\" c\" @", "^b:^bb0 m:: ~s:@a ~s:@\"b \\\" c\" ~?:@ E:"},
        {"#loc1 #hal.x<1> !t !d.x", "^h:#loc1 ~h:#hal.x m:< n:1 m:> ~t:!t ~t:!d.x E:"},
        {"\"a\\\"b\" \"open", "^q:\"a\\\"b\" ~?:\" w:open E:"},
        {"\"line\nend\"", "^?:\" w:line ^w:end ?:\" E:"},
        {"12 0x1F 0xg 1.5e-3 1.e 2.", "^n:12 ~n:0x1F ~n:0 w:xg ~n:1.5e-3 ~n:1. w:e ~n:2. E:"},
        {"-> - > -1", "^a:-> ~m:- ~m:> ~m:- n:1 E:"},
        {"a // b\nc//", "^w:a ^w:c ~E:"},
        {"a {-# \"#-}\" #-} b {-# c", "^w:a ~w:b ~E:"},
        {"\x01 ~", "^?:\x01 ~?:~ E:"},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
        char tokens[256];
        dump_tokens(cases[i][0], tokens, sizeof(tokens));
        assert_string_equal(tokens, cases[i][1]);
    }
}

static void test_escapes(void **state)
{
    (void)state;
    char byte = 0;
    assert_int_equal(tacho_mlir_read_escape(TACHO_STR("n"), &byte), 1);
    assert_int_equal(byte, '\n');
    assert_int_equal(tacho_mlir_read_escape(TACHO_STR("4a"), &byte), 2);
    assert_int_equal(byte, 'J');
    assert_int_equal(tacho_mlir_read_escape(TACHO_STR("4"), &byte), 0);
    assert_int_equal(tacho_mlir_read_escape(TACHO_STR("q0"), &byte), 0);
    assert_int_equal(tacho_mlir_read_escape(TACHO_STR(""), &byte), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_tokens),
        cmocka_unit_test(test_escapes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
