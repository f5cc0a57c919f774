/* SPDX-License-Identifier: Apache-2.0 */
/*
 * json_vs_jansson: reads mutated JSON with our reader and with jansson, and compares.
 *
 *     json_vs_jansson [INPUTS [SEED [FILE...]]]
 *
 * Texts of its own, and those of FILEs, are mutated by a generator that always gives the same
 * texts for the same seed; only valid UTF-8 counts as an input. Both must accept or both refuse,
 * and the values must be the same: integers exactly, reals and strings bit by bit. jansson is
 * told to take scalars at the top and \u0000 in strings. What it still refuses and we read is let
 * pass, if both sides give the reason: a lone surrogate, \u0000 in a key, a number beyond the
 * range of long long or double. The other way round: we refuse depths past 512, jansson those past
 * 2048; and jansson overlooks a zero byte behind a number.
 *
 * Prints the number of inputs and of differences; exits 1 when there are any.
 */
#include "base/utf8.h"
#include "codec/json_number.h"
#include "codec/json_reader.h"

#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>

enum { TEXT_MAX = 4096, SEED_MAX = 64, SHOWN_MAX = 10 };

static const char *const own_seeds[] = {
    "{\"schemaVersion\": 1, \"traceEvents\": [\n  {\n    \"ph\": \"X\", \"cat\": \"cpu_op\", "
    "\"name\": \"aten::slice\", \"pid\": 396,\n    \"ts\": 3869985522496.010, \"dur\": 16.477,\n"
    "    \"args\": {\"External id\": 3074, \"Input Dims\": [[1, 512], []], \"x\": [\"\", \"1\"]}\n"
    "  }\n], \"traceName\": \"a.json\"}",
    "[\n{\"cat\" : \"Node\",\"pid\" :396,\"dur\" :654,\"args\" : {\"shape\" : "
    "[{\"float\":[1,64,111,111]}]}}\n]\n",
    "[\"\\\"\\\\\\/\\b\\f\\n\\r\\t\",\"\\u0041\\u00e9\\u20ac\",\"\\ud83d\\ude00\",{\"\\u006bey\":"
    "\"\\u0000\"}]",
    "[0,-0,1.5,-2.5e-3,1E+22,1e23,9223372036854775807,-9223372036854775808,9007199254740993.0]",
    "{\"t\":true,\"f\":false,\"n\":null,\"e\":{},\"a\":[],\"a\":[[[{\"b\":{\"c\":[]}}]]]}",
    "[\"caf\xc3\xa9 \xe2\x82\xac \xf0\x9f\x98\x80\", \"a string of more than sixteen bytes\"]",
    "-12.75e2",
    "\"top\"",
};

static const char *const snippets[] = {
    "\"",
    "\\",
    "{",
    "}",
    "[",
    "]",
    ",",
    ":",
    " ",
    "\n",
    "\t",
    "\r",
    "0",
    "1",
    "-",
    ".",
    "e",
    "E",
    "+",
    "u",
    "true",
    "false",
    "null",
    "\\u0000",
    "\\ud800",
    "\\udc00",
    "\\ud83d\\ude00",
    "\\n",
    "\\\"",
    "\\\\",
    "1e309",
    "1e-400",
    "99999999999999999999",
    "0.1",
    "{}",
    "[]",
    "\"\"",
    "\"a\":",
    "NaN",
    "\x01",
    "\x7f",
    "\xc3\xa9",
    "\xef\xbb\xbf",
    "\xe2\x80\xa8",
    "/",
    "01",
    "-0",
    "1.5E+3",
};

typedef struct generator {
    uint64_t random;
    tacho_str seeds[SEED_MAX];
    size_t seed_count;
    char text[TEXT_MAX];
    size_t len;
} generator;

static size_t pick(generator *source, size_t count)
{
    source->random ^= source->random << 13;
    source->random ^= source->random >> 7;
    source->random ^= source->random << 17;
    return (size_t)(source->random >> 11) % count;
}

/* Replaces |removed| bytes at |at| by |text|, as far as there is room. */
static void splice(generator *source, size_t at, size_t removed, tacho_str text)
{
    char copy[TEXT_MAX];
    text.len = text.len < TEXT_MAX / 4 ? text.len : TEXT_MAX / 4;
    if (source->len - removed + text.len > TEXT_MAX) {
        return;
    }
    memcpy(copy, text.data, text.len); /* it may be a part of what moves */
    memmove(source->text + at + text.len, source->text + at + removed, source->len - at - removed);
    memcpy(source->text + at, copy, text.len);
    source->len += text.len - removed;
}

static void mutate(generator *source)
{
    size_t at = pick(source, source->len + 1);
    size_t rest = source->len - at;
    size_t run = pick(source, (rest < 16 ? rest : 16) + 1);
    tacho_str own = tacho_str_make(source->text + at, run);
    tacho_str snippet =
        tacho_str_from_cstring(snippets[pick(source, sizeof(snippets) / sizeof(snippets[0]))]);
    switch (pick(source, 6)) {
    case 0:
        splice(source, at, 0, snippet);
        break;
    case 1:
        splice(source, at, run, snippet);
        break;
    case 2:
        splice(source, at, run < 2 ? run : 1, snippet);
        break;
    case 3:
        splice(source, at, run < 4 ? run : 3, tacho_str_make("", 0));
        break;
    case 4:
        splice(source, pick(source, source->len + 1), 0, own);
        break;
    default:
        if (rest > 0) {
            source->text[at] = (char)(source->text[at] ^ (1 << pick(source, 7)));
        }
        break;
    }
}

static bool is_utf8(tacho_str text)
{
    for (size_t at = 0; at < text.len;) {
        uint32_t point = 0;
        at += tacho_utf8_decode(tacho_str_from(text, at), &point);
        if (point == UINT32_MAX) {
            return false;
        }
    }
    return true;
}

/* The next input. Some are cut, one in eight is a seed as it is. */
static tacho_str generate(generator *source)
{
    do {
        tacho_str seed = source->seeds[pick(source, source->seed_count)];
        memcpy(source->text, seed.data, seed.len);
        source->len = seed.len;
        for (size_t count = pick(source, 8); count > 0; count--) {
            mutate(source);
        }
        if (pick(source, 16) == 0) {
            source->len = pick(source, source->len + 1);
        }
    } while (!is_utf8(tacho_str_make(source->text, source->len)));
    return tacho_str_make(source->text, source->len);
}

/* What our reader makes of an input: a tree in jansson's terms, and what jansson refuses. */
typedef struct verdict {
    json_t *root; /* NULL when refused */
    tacho_code code;
    bool has_surrogate;
    bool has_nul_in_key;
    bool has_huge_number;
} verdict;

typedef struct builder {
    json_t *open[TACHO_JSON_DEPTH_MAX];
    char *keys[TACHO_JSON_DEPTH_MAX + 1]; /* of the value that comes next, by depth */
    size_t key_lens[TACHO_JSON_DEPTH_MAX + 1];
    size_t depth;
    verdict *verdict;
} builder;

static void require(bool holds)
{
    if (!holds) {
        fprintf(stderr, "json_vs_jansson: out of memory\n");
        exit(2);
    }
}

static json_t *make_number(tacho_str text, verdict *ours)
{
    bool is_real = false;
    for (size_t i = 0; i < text.len; i++) {
        is_real = is_real || text.data[i] == '.' || text.data[i] == 'e' || text.data[i] == 'E';
    }
    double real = 0;
    int64_t integer = 0;
    if (is_real ? !tacho_json_number_double(text, &real) : !tacho_json_number_i64(text, &integer)) {
        ours->has_huge_number = true;
        return json_null();
    }
    return is_real ? json_real(real) : json_integer(integer);
}

static json_t *make_value(tacho_json_token token, tacho_str text, verdict *ours)
{
    switch (token) {
    case TACHO_JSON_OBJECT_BEGIN:
        return json_object();
    case TACHO_JSON_ARRAY_BEGIN:
        return json_array();
    case TACHO_JSON_STRING:
        return json_stringn_nocheck(text.data, text.len);
    case TACHO_JSON_NUMBER:
        return make_number(text, ours);
    case TACHO_JSON_TRUE:
        return json_true();
    case TACHO_JSON_FALSE:
        return json_false();
    case TACHO_JSON_NULL:
    case TACHO_JSON_KEY:
    case TACHO_JSON_OBJECT_END:
    case TACHO_JSON_ARRAY_END:
    case TACHO_JSON_END:
        break;
    }
    return json_null();
}

static void keep_key(builder *build, tacho_str text)
{
    char *key = malloc(text.len + 1);
    require(key != NULL);
    memcpy(key, text.data, text.len);
    build->verdict->has_nul_in_key |= memchr(key, '\0', text.len) != NULL;
    build->keys[build->depth] = key;
    build->key_lens[build->depth] = text.len;
}

/* Puts |value| where it belongs; containers take it over. */
static void place(builder *build, json_t *value)
{
    require(value != NULL);
    if (build->depth == 0) {
        build->verdict->root = value;
        return;
    }
    json_t *parent = build->open[build->depth - 1];
    if (json_is_array(parent)) {
        require(json_array_append_new(parent, value) == 0);
        return;
    }
    char *key = build->keys[build->depth];
    require(json_object_setn_new_nocheck(parent, key, build->key_lens[build->depth], value) == 0);
    free(key);
    build->keys[build->depth] = NULL;
}

static void add_token(builder *build, tacho_json_token token, tacho_str text)
{
    if (token == TACHO_JSON_KEY) {
        keep_key(build, text);
    } else if (token == TACHO_JSON_OBJECT_END || token == TACHO_JSON_ARRAY_END) {
        build->depth--;
    } else if (token != TACHO_JSON_END) {
        json_t *value = make_value(token, text, build->verdict);
        place(build, value);
        if (token == TACHO_JSON_OBJECT_BEGIN || token == TACHO_JSON_ARRAY_BEGIN) {
            build->open[build->depth++] = value;
        }
    }
}

static void read_ours(tacho_str text, size_t buffer_bytes, verdict *out_verdict)
{
    *out_verdict = (verdict){0};
    builder build = {.verdict = out_verdict};
    tacho_json_options options = {.buffer_bytes = buffer_bytes};
    tacho_input input;
    tacho_json_reader reader;
    require(tacho_input_open_bytes("input", text, &input) == TACHO_OK);
    require(tacho_json_reader_init(&reader, &input, &options) == TACHO_OK);
    tacho_json_token token = TACHO_JSON_NULL;
    tacho_status status = TACHO_OK;
    while (status == TACHO_OK && token != TACHO_JSON_END) {
        status = tacho_json_next(&reader, &token);
        if (status == TACHO_OK) {
            add_token(&build, token, reader.text);
        }
    }
    out_verdict->code = tacho_status_code(status);
    out_verdict->has_surrogate = reader.surrogate_count > 0;
    if (status != TACHO_OK) {
        json_decref(out_verdict->root);
        out_verdict->root = NULL;
    }
    for (size_t i = 0; i <= TACHO_JSON_DEPTH_MAX; i++) {
        free(build.keys[i]);
    }
    tacho_status_free(status);
    tacho_json_reader_deinit(&reader);
    tacho_input_close(&input);
}

static bool is_same(const json_t *a, const json_t *b);

static bool is_same_object(const json_t *a, const json_t *b)
{
    bool is_equal = json_object_size(a) == json_object_size(b);
    json_t *object = (json_t *)(uintptr_t)a;
    const char *key = NULL;
    size_t key_len = 0;
    json_t *value = NULL;
    json_object_keylen_foreach(object, key, key_len, value)
    {
        is_equal = is_equal && is_same(value, json_object_getn(b, key, key_len));
    }
    return is_equal;
}

/* Like json_equal, but -0.0 is not 0.0. Goes no deeper than our reader does. */
static bool is_same(const json_t *a, const json_t *b)
{
    if (b == NULL || json_typeof(a) != json_typeof(b)) {
        return false;
    }
    if (json_is_real(a)) {
        double a_value = json_real_value(a);
        double b_value = json_real_value(b);
        return memcmp(&a_value, &b_value, sizeof(a_value)) == 0;
    }
    if (json_is_array(a)) {
        bool is_equal = json_array_size(a) == json_array_size(b);
        for (size_t i = 0; is_equal && i < json_array_size(a); i++) {
            is_equal = is_same(json_array_get(a, i), json_array_get(b, i));
        }
        return is_equal;
    }
    return json_is_object(a) ? is_same_object(a, b) : json_equal(a, b) == 1;
}

/* Whether jansson may refuse what we read. */
static bool may_refuse(const verdict *ours, enum json_error_code code)
{
    return (ours->has_surrogate && code == json_error_invalid_syntax) ||
           (ours->has_nul_in_key && code == json_error_null_byte_in_key) ||
           (ours->has_huge_number && code == json_error_numeric_overflow);
}

/* What became of an input. */
typedef enum outcome { BOTH_READ, BOTH_REFUSE, LET_PASS, DIFFERENT } outcome;

static outcome compare(tacho_str text, size_t buffer_bytes)
{
    verdict ours;
    json_error_t error = {0};
    read_ours(text, buffer_bytes, &ours);
    json_t *theirs = json_loadb(text.data, text.len, JSON_DECODE_ANY | JSON_ALLOW_NUL, &error);
    outcome result = BOTH_REFUSE;
    if (ours.root != NULL && theirs != NULL) {
        result = is_same(ours.root, theirs) ? BOTH_READ : DIFFERENT;
    } else if (ours.root != NULL) {
        result = may_refuse(&ours, json_error_code(&error)) ? LET_PASS : DIFFERENT;
    } else if (theirs != NULL) {
        bool has_zero = memchr(text.data, '\0', text.len) != NULL;
        result = ours.code == TACHO_CODE_LIMIT || has_zero ? LET_PASS : DIFFERENT;
    }
    json_decref(ours.root);
    json_decref(theirs);
    return result;
}

static void add_file(generator *source, const char *path)
{
    static char texts[SEED_MAX][TEXT_MAX];
    FILE *file = fopen(path, "rb");
    if (file == NULL || source->seed_count == SEED_MAX) {
        fprintf(stderr, "json_vs_jansson: %s: cannot be used as a seed\n", path);
        exit(2);
    }
    char *text = texts[source->seed_count];
    size_t len = fread(text, 1, TEXT_MAX / 2, file);
    source->seeds[source->seed_count++] = tacho_str_make(text, len);
    fclose(file);
}

int main(int argument_count, char **arguments)
{
    static generator source;
    size_t input_count = argument_count > 1 ? strtoul(arguments[1], NULL, 10) : 100000;
    source.random = 88172645463325252U + (argument_count > 2 ? strtoul(arguments[2], NULL, 10) : 0);
    for (size_t i = 0; i < sizeof(own_seeds) / sizeof(own_seeds[0]); i++) {
        source.seeds[source.seed_count++] = tacho_str_from_cstring(own_seeds[i]);
    }
    for (int i = 3; i < argument_count; i++) {
        add_file(&source, arguments[i]);
    }
    size_t counts[DIFFERENT + 1] = {0};
    for (size_t i = 0; i < input_count; i++) {
        tacho_str text = generate(&source);
        outcome result = compare(text, 1 + pick(&source, 200));
        counts[result]++;
        if (result == DIFFERENT && counts[DIFFERENT] <= SHOWN_MAX) {
            fprintf(stderr, "input %zu differs: %.*s\n", i, TACHO_STR_ARG(text));
        }
    }
    fprintf(stderr, "both read %zu, both refuse %zu, let pass %zu\n", counts[BOTH_READ],
            counts[BOTH_REFUSE], counts[LET_PASS]);
    printf("json_vs_jansson: %zu inputs, %zu differences\n", input_count, counts[DIFFERENT]);
    return counts[DIFFERENT] == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
