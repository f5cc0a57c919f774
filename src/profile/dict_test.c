/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Interning is checked against numbers from which the keys are made: equal numbers must give
 * equal ids, new numbers the next id. Enough of them, that every index grows many times.
 */
#include "profile/dict.h"

#include <assert.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

enum { KEY_COUNT = 5000, ROUND_COUNT = 40000 };

static uint64_t next_random(uint64_t *state)
{
    uint64_t z = (*state += 0x9e3779b97f4a7c15u);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
}

static int open_dict(void **state)
{
    tacho_dict *dict = malloc(sizeof(*dict));
    if (dict == NULL || tacho_dict_init(dict) != TACHO_OK) {
        return -1;
    }
    *state = dict;
    return 0;
}

static int close_dict(void **state)
{
    tacho_dict *dict = *state;
    tacho_dict_deinit(dict);
    assert_int_equal(dict->track_count, 0);
    assert_null(dict->tracks);
    free(dict);
    return 0;
}

static uint32_t ensure_string(tacho_dict *dict, const char *text)
{
    uint32_t id = TACHO_NONE;
    assert_null(tacho_dict_ensure_string(dict, tacho_str_from_cstring(text), &id));
    return id;
}

static void check_string(const tacho_dict *dict, uint32_t id, const char *expected)
{
    tacho_str text = tacho_dict_string(dict, id);
    assert_int_equal(text.len, strlen(expected));
    assert_string_equal(text.data, expected); /* the table's strings end with a NUL */
}

static uint32_t add_clock(tacho_dict *dict, const char *name)
{
    tacho_clock clock;
    tacho_clock_init(&clock, 5, 4);
    uint32_t id = TACHO_NONE;
    assert_null(tacho_dict_add_clock(dict, &clock, tacho_str_from_cstring(name), &id));
    return id;
}

static uint32_t add_part(tacho_dict *dict, const char *path)
{
    tacho_part_facts facts = {
        .path = tacho_str_from_cstring(path),
        .format = TACHO_STR("torq-timeline"),
        .generation = TACHO_STR("T1"),
        .origin = TACHO_ORIGIN_ESTIMATED,
        .clock = dict->clock_count > 0 ? 0 : add_clock(dict, "cycles"),
    };
    uint32_t id = TACHO_NONE;
    assert_null(tacho_dict_add_part(dict, &facts, &id));
    return id;
}

static uint32_t add_root(tacho_dict *dict, const char *path)
{
    uint32_t part = add_part(dict, path);
    return dict->parts[part].root;
}

static uint32_t ensure_track(tacho_dict *dict, const tacho_track *facts, const char *name)
{
    uint32_t id = TACHO_NONE;
    assert_null(tacho_dict_ensure_track(dict, facts, tacho_str_from_cstring(name), &id));
    return id;
}

static void test_strings(void **state)
{
    tacho_dict *dict = *state;
    assert_int_equal(ensure_string(dict, ""), 0);
    assert_int_equal(ensure_string(dict, "a"), 1);
    assert_int_equal(ensure_string(dict, "ab"), 2);
    assert_int_equal(ensure_string(dict, "a"), 1);
    char buffer[] = "conv2d";
    uint32_t conv = ensure_string(dict, buffer);
    buffer[0] = 'x'; /* the dictionary has its own copy */
    check_string(dict, conv, "conv2d");
    assert_int_equal(ensure_string(dict, "conv2d"), conv);
    uint32_t nul[2] = {0};
    assert_null(tacho_dict_ensure_string(dict, tacho_str_make("a\0b", 3), &nul[0]));
    assert_null(tacho_dict_ensure_string(dict, tacho_str_make("a\0c", 3), &nul[1]));
    assert_int_not_equal(nul[0], nul[1]);
    assert_int_not_equal(nul[0], 1);
}

static void test_many_strings(void **state)
{
    tacho_dict *dict = *state;
    static uint32_t ids[KEY_COUNT];
    static const char *places[KEY_COUNT];
    memset(ids, 0xff, sizeof(ids));
    uint64_t random = 21;
    uint32_t expected_count = (uint32_t)dict->strings.item_count;
    for (size_t i = 0; i < ROUND_COUNT; i++) {
        unsigned key = (unsigned)(next_random(&random) % KEY_COUNT);
        char text[64];
        snprintf(text, sizeof(text), "%.*sloc(\"/w/m/add.mlir\":%u:10)", (int)(key % 9),
                 "torq_hl.x", key);
        uint32_t id = ensure_string(dict, text);
        if (ids[key] == TACHO_NONE) {
            ids[key] = expected_count++;
            places[key] = tacho_dict_string(dict, id).data;
        }
        assert_int_equal(id, ids[key]);
        assert_ptr_equal(tacho_dict_string(dict, id).data, places[key]); /* never moves */
        check_string(dict, id, text);
    }
    assert_int_equal(dict->strings.item_count, expected_count);
}

static void test_sites(void **state)
{
    tacho_dict *dict = *state;
    static uint32_t ids[KEY_COUNT];
    memset(ids, 0xff, sizeof(ids));
    uint64_t random = 22;
    uint32_t expected_count = 0;
    for (size_t i = 0; i < ROUND_COUNT; i++) {
        uint32_t key = (uint32_t)(next_random(&random) % KEY_COUNT);
        /* Sums of the three repeat: fields must be distinguished by position. */
        tacho_site site = {key % 10, key / 10 % 10, key / 100};
        site.location = site.location == 0 ? TACHO_NONE : site.location;
        uint32_t id = TACHO_NONE;
        assert_null(tacho_dict_ensure_site(dict, &site, &id));
        if (ids[key] == TACHO_NONE) {
            ids[key] = expected_count++;
        }
        assert_int_equal(id, ids[key]);
        assert_int_equal(dict->sites[id].name, site.name);
        assert_int_equal(dict->sites[id].category, site.category);
        assert_int_equal(dict->sites[id].location, site.location);
    }
    assert_int_equal(dict->site_count, expected_count);
}

/* A location is its text; the meaning of the text is stored with the first. */
static void test_locations(void **state)
{
    tacho_dict *dict = *state;
    static uint32_t ids[KEY_COUNT];
    memset(ids, 0xff, sizeof(ids));
    uint64_t random = 23;
    uint32_t expected_count = 0;
    for (size_t i = 0; i < ROUND_COUNT; i++) {
        uint32_t key = (uint32_t)(next_random(&random) % KEY_COUNT);
        tacho_location location = {key, key + 1, key + 2, key + 3};
        uint32_t id = TACHO_NONE;
        assert_null(tacho_dict_ensure_location(dict, &location, &id));
        if (ids[key] == TACHO_NONE) {
            ids[key] = expected_count++;
        }
        assert_int_equal(id, ids[key]);
        assert_int_equal(dict->locations[id].text, key);
        assert_int_equal(dict->locations[id].file, key + 1);
        assert_int_equal(dict->locations[id].line, key + 2);
        assert_int_equal(dict->locations[id].column, key + 3);
    }
    assert_int_equal(dict->location_count, expected_count);
}

/* ---- keys of equal hash ----------------------------------------------------------------- */

enum { COLLISION_KEYS = 400000 };

typedef struct hashed_key {
    uint32_t hash;
    uint32_t value;
} hashed_key;

static int compare_hashes(const void *a, const void *b)
{
    const hashed_key *key_a = a;
    const hashed_key *key_b = b;
    return (key_a->hash > key_b->hash) - (key_a->hash < key_b->hash);
}

/*
 * Two values for |words[at]| that give keys of one hash. The index is seeded anew for that, so it
 * must be empty.
 */
static void find_collision(tacho_index *index, uint32_t *words, size_t word_count, size_t at,
                           uint32_t out_values[2])
{
    hashed_key *keys = malloc(COLLISION_KEYS * sizeof(*keys));
    if (keys == NULL) {
        abort();
    }
    assert_int_equal(index->used_count, 0);
    index->seed = 1;
    for (uint32_t i = 0; i < COLLISION_KEYS; i++) {
        words[at] = i;
        tacho_str bytes = tacho_str_make((const char *)words, word_count * sizeof(*words));
        keys[i] = (hashed_key){tacho_index_hash(index, bytes), i};
    }
    qsort(keys, COLLISION_KEYS, sizeof(*keys), compare_hashes);
    size_t i = 1;
    while (i < COLLISION_KEYS && keys[i - 1].hash != keys[i].hash) {
        i++;
    }
    assert_true(i < COLLISION_KEYS); /* about twenty are expected */
    out_values[0] = keys[i - 1].value;
    out_values[1] = keys[i].value;
    free(keys);
}

static void test_sites_of_equal_hash(void **state)
{
    tacho_dict *dict = *state;
    for (size_t at = 0; at < 3; at++) {
        uint32_t words[3] = {1, 2, 3};
        uint32_t values[2];
        find_collision(&dict->site_index, words, 3, at, values);
        uint32_t ids[2] = {TACHO_NONE, TACHO_NONE};
        for (size_t i = 0; i < 4; i++) {
            words[at] = values[i % 2];
            tacho_site site = {words[0], words[1], words[2]};
            tacho_site first = {words[0], 7, 7}; /* the index has all but the first of a name */
            uint32_t id = TACHO_NONE;
            assert_null(tacho_dict_ensure_site(dict, &first, &id));
            assert_null(tacho_dict_ensure_site(dict, &site, &id));
            assert_true(i < 2 || id == ids[i % 2]);
            ids[i % 2] = id;
        }
        assert_int_not_equal(ids[0], ids[1]);
        assert_int_equal(dict->site_index.used_count, 2);
        tacho_dict_deinit(dict);
        assert_null(tacho_dict_init(dict));
    }
}

static void test_tracks_of_equal_hash(void **state)
{
    tacho_dict *dict = *state;
    uint32_t words[2] = {0, ensure_string(dict, "CSS")};
    uint32_t parents[2];
    find_collision(&dict->track_index, words, 2, 0, parents);
    tacho_track facts[2] = {{.parent = parents[0]}, {.parent = parents[1]}};
    assert_int_equal(ensure_track(dict, &facts[0], "CSS"), 0);
    assert_int_equal(ensure_track(dict, &facts[1], "CSS"), 1);
    assert_int_equal(ensure_track(dict, &facts[0], "CSS"), 0);
}

/* A plot may be called as the frames or the thread beside it. */
static void test_counters_have_names_of_their_own(void **state)
{
    tacho_dict *dict = *state;
    uint32_t root = add_root(dict, "program");
    tacho_track phase = {.parent = root, .track_class = TACHO_TRACK_PHASE};
    tacho_track host = {.parent = root, .track_class = TACHO_TRACK_HOST};
    tacho_track counter = {.parent = root, .track_class = TACHO_TRACK_COUNTER};
    uint32_t frames = ensure_track(dict, &phase, "Frame");
    uint32_t plot = ensure_track(dict, &counter, "Frame");
    assert_int_not_equal(frames, plot);
    assert_int_equal(dict->tracks[plot].track_class, TACHO_TRACK_COUNTER);
    assert_int_equal(ensure_track(dict, &counter, "Frame"), plot);
    assert_int_equal(ensure_track(dict, &host, "Frame"), frames);
    uint32_t name = dict->tracks[plot].name;
    assert_int_equal(tacho_dict_find_track(dict, root, name, true), plot);
    assert_int_equal(tacho_dict_find_track(dict, root, name, false), frames);
}

static void test_locations_of_equal_hash(void **state)
{
    tacho_dict *dict = *state;
    uint32_t words[1];
    uint32_t texts[2];
    find_collision(&dict->location_index, words, 1, 0, texts);
    for (uint32_t i = 0; i < 4; i++) {
        tacho_location location = {.text = texts[i % 2]};
        uint32_t id = TACHO_NONE;
        assert_null(tacho_dict_ensure_location(dict, &location, &id));
        assert_int_equal(id, i % 2);
    }
}

/* ---- the rest --------------------------------------------------------------------------- */

static void test_clocks(void **state)
{
    tacho_dict *dict = *state;
    for (uint32_t i = 0; i < 100; i++) {
        tacho_clock clock;
        tacho_clock_init(&clock, 1000 + i, 7);
        clock.zero_ticks = i;
        clock.counts_cycles = i % 2 == 0;
        uint32_t id = TACHO_NONE;
        tacho_str name = i % 2 == 0 ? TACHO_STR("cycles") : TACHO_STR("us");
        assert_null(tacho_dict_add_clock(dict, &clock, name, &id));
        assert_int_equal(id, i); /* clocks are never shared, since each has its own zero */
    }
    for (uint32_t i = 0; i < 100; i++) {
        tacho_clock expected;
        tacho_clock_init(&expected, 1000 + i, 7);
        assert_int_equal(dict->clocks[i].ns_numerator, expected.ns_numerator);
        assert_int_equal(dict->clocks[i].ns_denominator, expected.ns_denominator);
        assert_int_equal(dict->clocks[i].max_ticks, expected.max_ticks);
        assert_int_equal(dict->clocks[i].zero_ticks, i);
        assert_int_equal(dict->clocks[i].counts_cycles, i % 2 == 0);
        check_string(dict, dict->clocks[i].name, i % 2 == 0 ? "cycles" : "us");
    }
}

static void test_part(void **state)
{
    tacho_dict *dict = *state;
    add_clock(dict, "unused");
    uint32_t clock = add_clock(dict, "cycles");
    tacho_part_facts facts = {
        .path = TACHO_STR("runs/7/a.csv"),
        .format = TACHO_STR("torq-timeline"),
        .generation = TACHO_STR("T2"),
        .origin = TACHO_ORIGIN_MEASURED,
        .clock = clock,
    };
    uint32_t id = TACHO_NONE;
    assert_null(tacho_dict_add_part(dict, &facts, &id));
    assert_int_equal(id, 0);
    assert_int_equal(dict->part_count, 1);
    const tacho_part *part = &dict->parts[id];
    check_string(dict, part->name, "a.csv");
    check_string(dict, part->path, "runs/7/a.csv");
    check_string(dict, part->format, "torq-timeline");
    check_string(dict, part->generation, "T2");
    assert_int_equal(part->origin, TACHO_ORIGIN_MEASURED);
    assert_int_equal(part->clock, clock);
    assert_int_equal(part->row_count, 0);
    const tacho_track *root = &dict->tracks[part->root];
    assert_int_equal(root->name, part->name);
    assert_int_equal(root->parent, TACHO_NONE);
    assert_int_equal(root->lane_of, TACHO_NONE);
    assert_int_equal(root->part, id);
    assert_int_equal(root->clock, clock);
    assert_int_equal(root->track_class, TACHO_TRACK_GROUP);
    assert_ptr_equal(tacho_dict_track_clock(dict, part->root), &dict->clocks[clock]);
}

static void test_part_names_are_unique(void **state)
{
    tacho_dict *dict = *state;
    static const char *const cases[][2] = {
        {"a.csv", "a.csv"},          {"a.csv", "a.csv #2"}, /* the same again */
        {"x/a.csv", "x/a.csv"},                             /* another folder's */
        {"b.csv", "b.csv"},          {"/y/z/a.csv", "/y/z/a.csv"},
        {"a.csv", "a.csv #3"},       {"c.csv #2", "c.csv #2"},
        {"/w/c.csv", "c.csv"},       {"/w/c.csv", "c.csv #3"},
        {"c.csv #2", "c.csv #2 #2"}, {"", ""},
        {"folder/", "folder/"},      {"b.csv", "b.csv #2"},
        {"q/d.csv", "d.csv"},        {"d.csv", "d.csv #2"}, /* no folder to add */
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        uint32_t id = add_part(dict, cases[i][0]);
        assert_int_equal(id, i);
        check_string(dict, dict->parts[id].name, cases[i][1]);
        check_string(dict, dict->parts[id].path, cases[i][0]);
        const tacho_track *root = &dict->tracks[dict->parts[id].root];
        assert_int_equal(root->name, dict->parts[id].name);
        assert_int_equal(root->part, id);
        assert_int_equal(root->rank, id); /* inputs are shown as given */
    }
}

/* No two parts have the same name, whatever their paths. */
static void test_part_names_never_meet(void **state)
{
    tacho_dict *dict = *state;
    static const char *const paths[] = {"a", "a #2",  "x/a", "x/a #2",  "a #3", "x/a #3",
                                        "/", "x/a/a", "./a", "a #2 #2", "",     "a/"};
    uint64_t random = 26;
    for (uint32_t i = 0; i < 200; i++) {
        const char *path = paths[next_random(&random) % (sizeof(paths) / sizeof(paths[0]))];
        uint32_t id = add_part(dict, path);
        assert_int_equal(id, i);
        check_string(dict, dict->parts[id].path, path);
        for (uint32_t k = 0; k < id; k++) {
            assert_int_not_equal(dict->parts[k].name, dict->parts[id].name);
        }
    }
}

/* Names that are longer than any file system allows still differ. */
static void test_long_part_names(void **state)
{
    tacho_dict *dict = *state;
    static char path[4000];
    memset(path, 'n', sizeof(path) - 1);
    for (uint32_t i = 0; i < 12; i++) {
        uint32_t id = add_part(dict, path);
        for (uint32_t k = 0; k < id; k++) {
            assert_int_not_equal(dict->parts[k].name, dict->parts[id].name);
        }
    }
    check_string(dict, dict->parts[0].name, path);
}

static void test_tracks_are_interned(void **state)
{
    tacho_dict *dict = *state;
    uint32_t roots[2] = {0};
    roots[0] = add_root(dict, "a");
    roots[1] = add_root(dict, "b");
    static uint32_t ids[2][KEY_COUNT];
    memset(ids, 0xff, sizeof(ids));
    uint64_t random = 24;
    uint32_t expected_count = 2;
    for (size_t i = 0; i < ROUND_COUNT; i++) {
        uint32_t key = (uint32_t)(next_random(&random) % KEY_COUNT);
        uint32_t under = (uint32_t)(next_random(&random) % 2);
        char name[32];
        snprintf(name, sizeof(name), "Slice %u", (unsigned)key);
        tacho_track facts = {
            .parent = roots[under],
            .part = under,
            .index = key,
            .lane_of = TACHO_NONE,
            .rank = (int32_t)i, /* only that of the first counts */
            .track_class = TACHO_TRACK_COMPUTE,
            .nesting = TACHO_NESTING_ENGINE,
        };
        uint32_t id = ensure_track(dict, &facts, name);
        if (ids[under][key] == TACHO_NONE) {
            ids[under][key] = expected_count++;
            assert_int_equal(dict->tracks[id].rank, i);
        }
        assert_int_equal(id, ids[under][key]);
        check_string(dict, dict->tracks[id].name, name);
        assert_int_equal(dict->tracks[id].parent, roots[under]);
        assert_int_equal(dict->tracks[id].part, under);
        assert_int_equal(dict->tracks[id].index, key);
        assert_int_equal(dict->tracks[id].nesting, TACHO_NESTING_ENGINE);
    }
    assert_int_equal(dict->track_count, expected_count);
}

/* Ranks put tracks in the order of the data flow, then by number, in any order of creation. */
static void test_ranks_by_class(void **state)
{
    tacho_dict *dict = *state;
    uint32_t root = add_root(dict, "a");
    static const uint32_t indexes[] = {0, 1, 2, 17, 4095};
    static const tacho_track_class classes[] = {
        TACHO_TRACK_GROUP,     TACHO_TRACK_PHASE,   TACHO_TRACK_HOST,    TACHO_TRACK_MEMORY,
        TACHO_TRACK_HOST_COPY, TACHO_TRACK_RUNTIME, TACHO_TRACK_CONTROL, TACHO_TRACK_DMA_IN,
        TACHO_TRACK_DMA_LOCAL, TACHO_TRACK_COMPUTE, TACHO_TRACK_VECTOR,  TACHO_TRACK_DMA_OUT,
        TACHO_TRACK_SYNC,      TACHO_TRACK_PORT,    TACHO_TRACK_COUNTER,
    };
    enum { INDEX_COUNT = sizeof(indexes) / sizeof(indexes[0]) };
    static_assert(sizeof(classes) / sizeof(classes[0]) == TACHO_TRACK_CLASS_COUNT, "all of them");
    int32_t ranks[TACHO_TRACK_CLASS_COUNT * INDEX_COUNT];
    for (size_t i = TACHO_TRACK_CLASS_COUNT * INDEX_COUNT; i-- > 0;) {
        tacho_track facts = {
            .parent = root,
            .index = indexes[i % INDEX_COUNT],
            .lane_of = TACHO_NONE,
            .rank = -1,
            .track_class = classes[i / INDEX_COUNT],
        };
        char name[64];
        snprintf(name, sizeof(name), "%s %u", tacho_track_class_name(facts.track_class),
                 (unsigned)facts.index);
        uint32_t id = ensure_track(dict, &facts, name);
        ranks[i] = dict->tracks[id].rank;
    }
    assert_true(ranks[0] >= 0);
    for (size_t i = 1; i < TACHO_TRACK_CLASS_COUNT * INDEX_COUNT; i++) {
        assert_true(ranks[i - 1] < ranks[i]);
    }
    /* All tracks of a core precede those of the next. */
    assert_true(tacho_track_rank(9, TACHO_TRACK_COUNTER, 4095) <
                tacho_track_rank(10, TACHO_TRACK_HOST, 0));
    assert_true(tacho_track_rank(16383, TACHO_TRACK_COUNTER, 4095) > 0);
    /* An enormous number stays within its class. */
    tacho_track facts = {.parent = root, .index = 4000000000u, .rank = -1};
    facts.track_class = TACHO_TRACK_HOST;
    uint32_t id = ensure_track(dict, &facts, "h");
    int32_t rank = dict->tracks[id].rank;
    assert_true(rank >= tacho_track_rank(0, TACHO_TRACK_HOST, 0));
    assert_true(rank <= tacho_track_rank(0, TACHO_TRACK_HOST, 4095));
    facts.rank = 12345;
    id = ensure_track(dict, &facts, "own rank");
    assert_int_equal(dict->tracks[id].rank, 12345);
    facts.rank = 0;
    id = ensure_track(dict, &facts, "first rank");
    assert_int_equal(dict->tracks[id].rank, 0);
}

/* A lane has its track's name and parent, yet the name finds the track. */
static void test_lanes_are_not_found(void **state)
{
    tacho_dict *dict = *state;
    uint32_t root = add_root(dict, "a");
    tacho_track facts = {.parent = root, .lane_of = TACHO_NONE, .rank = -1};
    uint32_t track = ensure_track(dict, &facts, "CSS");
    tacho_track lane = dict->tracks[track];
    lane.lane_of = track;
    for (uint32_t i = 0; i < 100; i++) {
        uint32_t id = TACHO_NONE;
        assert_null(tacho_dict_add_track(dict, &lane, &id));
        assert_int_equal(id, track + 1 + i);
        assert_int_equal(dict->tracks[id].lane_of, track);
        assert_int_equal(dict->tracks[id].rank, dict->tracks[track].rank);
    }
    assert_int_equal(ensure_track(dict, &facts, "CSS"), track);
    assert_int_equal(tacho_dict_track_name(dict, track), dict->tracks[track].name);
    dict->tracks[track].name = ensure_string(dict, "renamed"); /* its lanes follow */
    assert_int_equal(tacho_dict_track_name(dict, track), dict->tracks[track].name);
    assert_int_equal(tacho_dict_track_name(dict, track + 100), dict->tracks[track].name);
    facts.parent = track;
    assert_int_equal(ensure_track(dict, &facts, "CSS"), track + 101);
}

/* Runs are taken from the input as they are: each one is added, equal or not. */
static void test_runs(void **state)
{
    tacho_dict *dict = *state;
    uint32_t name = ensure_string(dict, "main_dispatch_0");
    for (uint32_t i = 0; i < 100; i++) {
        tacho_run run = {.part = i / 50, .name = name, .invocation = (int64_t)(i / 2) - 1};
        uint32_t id = TACHO_NONE;
        assert_null(tacho_dict_add_run(dict, &run, &id));
        assert_int_equal(id, i);
    }
    assert_int_equal(dict->run_count, 100);
    for (uint32_t i = 0; i < 100; i++) {
        assert_int_equal(dict->runs[i].part, i / 50);
        assert_int_equal(dict->runs[i].name, name);
        assert_int_equal(dict->runs[i].invocation, (int64_t)(i / 2) - 1);
    }
}

static void test_losses_merge(void **state)
{
    tacho_dict *dict = *state;
    enum { ADDED_COUNT = 8, KEPT_COUNT = 4 };
    static const struct {
        uint32_t part;
        tacho_loss_reason reason;
        uint64_t count, first_line;
    } added[ADDED_COUNT] = {
        {1, TACHO_LOSS_FIELD_COUNT, 2, 40}, {0, TACHO_LOSS_FIELD_COUNT, 1, 7},
        {1, TACHO_LOSS_NUL_BYTE, 1, 3},     {1, TACHO_LOSS_FIELD_COUNT, 5, 9},
        {0, TACHO_LOSS_FIELD_COUNT, 1, 8},  {1, TACHO_LOSS_FIELD_COUNT, 1, 0},
        {0, TACHO_LOSS_CUT_INPUT, 1, 0},    {0, TACHO_LOSS_CUT_INPUT, 1, 5},
    };
    static const size_t kept[KEPT_COUNT] = {0, 1, 2, 6}; /* the first of each kind */
    static const uint64_t counts[KEPT_COUNT] = {8, 2, 1, 2};
    for (uint32_t i = 0; i < ADDED_COUNT; i++) {
        tacho_loss loss = {.part = added[i].part, .reason = added[i].reason, .example = i + 1};
        loss.count = added[i].count;
        loss.first_line = added[i].first_line;
        bool is_first = i < 3 || i == 6;
        assert_int_equal(tacho_dict_has_loss(dict, &loss), !is_first);
        assert_null(tacho_dict_add_loss(dict, &loss));
        assert_true(tacho_dict_has_loss(dict, &loss));
    }
    assert_int_equal(dict->loss_count, KEPT_COUNT);
    for (size_t i = 0; i < KEPT_COUNT; i++) {
        assert_int_equal(dict->losses[i].part, added[kept[i]].part);
        assert_int_equal(dict->losses[i].reason, added[kept[i]].reason);
        assert_int_equal(dict->losses[i].count, counts[i]);
        assert_int_equal(dict->losses[i].first_line, added[kept[i]].first_line);
        assert_int_equal(dict->losses[i].example, kept[i] + 1);
    }
}

/* A count stops at the limit, whether it is added at once or in pieces. */
static void test_loss_limit(void **state)
{
    tacho_dict *dict = *state;
    tacho_loss loss = {.reason = TACHO_LOSS_CUT_INPUT, .count = UINT64_MAX};
    assert_null(tacho_dict_add_loss(dict, &loss));
    assert_true(dict->losses[0].count == TACHO_LOSS_MAX);
    loss = (tacho_loss){.reason = TACHO_LOSS_DROPPED, .count = TACHO_LOSS_MAX - 1};
    assert_null(tacho_dict_add_loss(dict, &loss));
    assert_true(dict->losses[1].count == TACHO_LOSS_MAX - 1);
    assert_null(tacho_dict_add_loss(dict, &loss));
    assert_true(dict->losses[1].count == TACHO_LOSS_MAX);
}

/* Every part and reason has a count of its own, and none is lost. */
static void test_many_losses(void **state)
{
    tacho_dict *dict = *state;
    enum { PART_COUNT = 20 };
    uint64_t counts[PART_COUNT][TACHO_LOSS_REASON_COUNT] = {{0}};
    uint64_t first_lines[PART_COUNT][TACHO_LOSS_REASON_COUNT] = {{0}};
    uint64_t random = 25;
    for (uint64_t line = 1; line <= ROUND_COUNT; line++) {
        tacho_loss loss = {
            .part = (uint32_t)(next_random(&random) % PART_COUNT),
            .reason = (tacho_loss_reason)(next_random(&random) % TACHO_LOSS_REASON_COUNT),
            .count = next_random(&random) % 5,
            .first_line = line,
        };
        assert_null(tacho_dict_add_loss(dict, &loss));
        if (first_lines[loss.part][loss.reason] == 0) {
            first_lines[loss.part][loss.reason] = line;
        }
        counts[loss.part][loss.reason] += loss.count;
    }
    assert_int_equal(dict->loss_count, PART_COUNT * TACHO_LOSS_REASON_COUNT);
    for (size_t i = 0; i < dict->loss_count; i++) {
        const tacho_loss *loss = &dict->losses[i];
        assert_int_equal(loss->count, counts[loss->part][loss->reason]);
        assert_int_equal(loss->first_line, first_lines[loss->part][loss->reason]);
        counts[loss->part][loss->reason] = UINT64_MAX; /* so that twice the same would show */
    }
}

static void test_metadata(void **state)
{
    tacho_dict *dict = *state;
    assert_null(tacho_dict_add_metadata(dict, "tool", TACHO_STR("tacho")));
    assert_null(tacho_dict_add_metadata_count(dict, "filtered.too_short", 0));
    assert_null(tacho_dict_add_metadata_count(dict, "filtered.too_short", UINT64_MAX));
    assert_null(tacho_dict_add_metadata(dict, "empty", TACHO_STR("")));
    for (unsigned i = 0; i < 100; i++) {
        assert_null(tacho_dict_add_metadata_count(dict, "n", i));
    }
    static const char *const expected[][2] = {
        {"tool", "tacho"},
        {"filtered.too_short", "0"},
        {"filtered.too_short", "18446744073709551615"},
        {"empty", ""},
    };
    assert_int_equal(dict->metadata_count, 104);
    for (size_t i = 0; i < 4; i++) {
        check_string(dict, dict->metadata[i].key, expected[i][0]);
        check_string(dict, dict->metadata[i].value, expected[i][1]);
    }
    check_string(dict, dict->metadata[103].key, "n");
    check_string(dict, dict->metadata[103].value, "99");
}

/* The words are part of the output: a slip of two lists against each other would show here. */
static void test_vocabulary(void **state)
{
    (void)state;
    assert_string_equal(tacho_track_class_name(TACHO_TRACK_GROUP), "group");
    assert_string_equal(tacho_track_class_name(TACHO_TRACK_DMA_IN), "dma_in");
    assert_string_equal(tacho_track_class_name(TACHO_TRACK_COUNTER), "counter");
    assert_string_equal(tacho_origin_name(TACHO_ORIGIN_UNKNOWN), "unknown");
    assert_string_equal(tacho_origin_name(TACHO_ORIGIN_MEASURED), "measured");
    assert_string_equal(tacho_unit_name(TACHO_UNIT_NONE), "");
    assert_string_equal(tacho_unit_name(TACHO_UNIT_PERCENT), "%");
    assert_string_equal(tacho_loss_key(TACHO_LOSS_FIELD_COUNT), "wrong_field_count");
    assert_string_equal(tacho_loss_phrase(TACHO_LOSS_FIELD_COUNT), "wrong number of fields");
    assert_string_equal(tacho_loss_key(TACHO_LOSS_UNBOUND_FLOW), "unbound_flow");
    assert_string_equal(tacho_torq_engine_name(TACHO_TORQ_NSS), "NSS Programs");
    assert_int_equal(tacho_torq_engine_class(TACHO_TORQ_CDMA), TACHO_TRACK_DMA_LOCAL);
    assert_string_equal(tacho_torq_engine_name(TACHO_TORQ_CSS), "CSS");
    assert_int_equal(tacho_torq_engine_class(TACHO_TORQ_CSS), TACHO_TRACK_VECTOR);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_strings, open_dict, close_dict),
        cmocka_unit_test_setup_teardown(test_many_strings, open_dict, close_dict),
        cmocka_unit_test_setup_teardown(test_sites, open_dict, close_dict),
        cmocka_unit_test_setup_teardown(test_locations, open_dict, close_dict),
        cmocka_unit_test_setup_teardown(test_sites_of_equal_hash, open_dict, close_dict),
        cmocka_unit_test_setup_teardown(test_tracks_of_equal_hash, open_dict, close_dict),
        cmocka_unit_test_setup_teardown(test_counters_have_names_of_their_own, open_dict,
                                        close_dict),
        cmocka_unit_test_setup_teardown(test_locations_of_equal_hash, open_dict, close_dict),
        cmocka_unit_test_setup_teardown(test_clocks, open_dict, close_dict),
        cmocka_unit_test_setup_teardown(test_part, open_dict, close_dict),
        cmocka_unit_test_setup_teardown(test_part_names_are_unique, open_dict, close_dict),
        cmocka_unit_test_setup_teardown(test_part_names_never_meet, open_dict, close_dict),
        cmocka_unit_test_setup_teardown(test_long_part_names, open_dict, close_dict),
        cmocka_unit_test_setup_teardown(test_tracks_are_interned, open_dict, close_dict),
        cmocka_unit_test_setup_teardown(test_ranks_by_class, open_dict, close_dict),
        cmocka_unit_test_setup_teardown(test_lanes_are_not_found, open_dict, close_dict),
        cmocka_unit_test_setup_teardown(test_runs, open_dict, close_dict),
        cmocka_unit_test_setup_teardown(test_losses_merge, open_dict, close_dict),
        cmocka_unit_test_setup_teardown(test_loss_limit, open_dict, close_dict),
        cmocka_unit_test_setup_teardown(test_many_losses, open_dict, close_dict),
        cmocka_unit_test_setup_teardown(test_metadata, open_dict, close_dict),
        cmocka_unit_test(test_vocabulary),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
