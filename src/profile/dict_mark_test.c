/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Rollback to a mark: entries added after it are gone and no longer found, earlier ones are found
 * as before, and names can be used again.
 */
#include "profile/dict_mark.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

static uint32_t add_part(tacho_dict *dict, tacho_str name)
{
    uint32_t id = 0;
    tacho_part_facts facts = {.path = TACHO_STR("a")};
    dict->part_name = name;
    assert_null(tacho_dict_add_part(dict, &facts, &id));
    dict->part_name = TACHO_STR("");
    return id;
}

static uint32_t ensure_track(tacho_dict *dict, uint32_t part, unsigned number)
{
    char name[16];
    uint32_t id = 0;
    int len = snprintf(name, sizeof(name), "%u", number);
    tacho_track facts = {.parent = dict->parts[part].root, .part = part, .lane_of = TACHO_NONE};
    assert_null(tacho_dict_ensure_track(dict, &facts, tacho_str_make(name, (size_t)len), &id));
    return id;
}

static void init_dict(tacho_dict *dict)
{
    tacho_clock clock;
    uint32_t id = 0;
    assert_null(tacho_dict_init(dict));
    tacho_clock_init(&clock, 1, 1);
    assert_null(tacho_dict_add_clock(dict, &clock, TACHO_STR("ns"), &id));
}

static void test_tracks_are_forgotten(void **state)
{
    (void)state;
    tacho_dict dict;
    tacho_dict_mark mark;
    init_dict(&dict);
    uint32_t kept = add_part(&dict, TACHO_STR("kept"));
    for (unsigned i = 0; i < 100; i++) {
        assert_int_equal(ensure_track(&dict, kept, i), i + 1);
    }
    assert_null(tacho_dict_mark_init(&mark, &dict));
    for (unsigned round = 1; round <= 20; round++) {
        uint32_t part = add_part(&dict, TACHO_STR("lost"));
        assert_int_equal(part, 1);
        assert_string_equal(tacho_dict_string(&dict, dict.parts[part].name).data, "lost");
        for (unsigned i = 0; i < round * 37; i++) {
            /* Other names each time: a stale one would be found under a wrong number. */
            assert_int_equal(ensure_track(&dict, part, i * round), i + 102);
        }
        tacho_dict_mark_restore(&mark, &dict);
        assert_int_equal(dict.part_count, 1);
        assert_int_equal(dict.track_count, 101);
        assert_int_equal(dict.track_index.used_count, 101); /* the root, too */
        for (unsigned i = 0; i < 100; i++) {
            assert_int_equal(ensure_track(&dict, kept, i), i + 1);
        }
    }
    tacho_dict_mark_deinit(&mark);
    tacho_dict_deinit(&dict);
}

static void test_losses_are_set_back(void **state)
{
    (void)state;
    tacho_dict dict;
    tacho_dict_mark mark;
    init_dict(&dict);
    add_part(&dict, TACHO_STR("a"));
    tacho_loss known = {0, TACHO_LOSS_FIELD_COUNT, 3, 7, 0};
    tacho_loss other = {0, TACHO_LOSS_NUL_BYTE, 1, 9, 0};
    assert_null(tacho_dict_add_loss(&dict, &known));
    assert_null(tacho_dict_add_metadata(&dict, "k", TACHO_STR("v")));
    assert_null(tacho_dict_mark_init(&mark, &dict));
    assert_null(tacho_dict_add_loss(&dict, &known));
    assert_null(tacho_dict_add_loss(&dict, &other));
    assert_null(tacho_dict_add_metadata(&dict, "l", TACHO_STR("w")));
    assert_int_equal(dict.losses[0].count, 6);
    tacho_dict_mark_restore(&mark, &dict);
    assert_int_equal(dict.loss_count, 1);
    assert_int_equal(dict.losses[0].count, 3);
    assert_int_equal(dict.losses[0].first_line, 7);
    assert_int_equal(dict.metadata_count, 1);
    assert_int_equal(dict.clock_count, 1);
    tacho_dict_mark_deinit(&mark);
    tacho_dict_deinit(&dict);
}

static void test_given_part_names(void **state)
{
    (void)state;
    tacho_dict dict;
    init_dict(&dict);
    const char *const expected[] = {"x/y", "x/y #2", "x/y #3", "a"};
    for (size_t i = 0; i < 4; i++) {
        uint32_t part = add_part(&dict, i < 3 ? TACHO_STR("x/y") : TACHO_STR(""));
        assert_string_equal(tacho_dict_string(&dict, dict.parts[part].name).data, expected[i]);
        assert_int_equal(dict.tracks[dict.parts[part].root].name, dict.parts[part].name);
    }
    tacho_dict_deinit(&dict);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_tracks_are_forgotten),
        cmocka_unit_test(test_losses_are_set_back),
        cmocka_unit_test(test_given_part_names),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
