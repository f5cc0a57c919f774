/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Values of ONNX tensors: every type in every field, in other files, and absent ones.
 */
#include "graph/onnx_testing.h"

/* ---- values --------------------------------------------------------------------------------- */

/* Two elements (three of four bits), listed as |list| in field |field|, packed. */
static const struct {
    uint64_t data_type;
    uint32_t field;
    tacho_dtype dtype;
    tacho_str list;
    tacho_str bytes;
} listed[] = {
#define ROW(type, field, dtype, list, bytes)                                                       \
    {                                                                                              \
        type, field, TACHO_DTYPE_##dtype, TACHO_STR_INIT(list), TACHO_STR_INIT(bytes)              \
    }
    ROW(1, 4, F32, "\0\0\x80\x3f\0\0\0\x40", "\0\0\x80\x3f\0\0\0\x40"),
    ROW(2, 5, U8, "\x05\xff\x01", "\x05\xff"),
    ROW(3, 5, I8, "\x05\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01", "\x05\xff"),
    ROW(4, 5, U16, "\x05\xff\xff\x03", "\x05\0\xff\xff"),
    ROW(5, 5, I16, "\x05\xfe\xff\xff\xff\xff\xff\xff\xff\xff\x01", "\x05\0\xfe\xff"),
    ROW(6, 5, I32, "\x80\x01\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01",
        "\x80\0\0\0\xff\xff\xff\xff"),
    ROW(7, 7, I64, "\x01\x80\x01", "\x01\0\0\0\0\0\0\0\x80\0\0\0\0\0\0\0"),
    ROW(9, 5, BOOL, "\x01\0", "\x01\0"),
    ROW(10, 5, F16, "\x80\x78\x80\x80\x02", "\0\x3c\0\x80"),
    ROW(11, 10, F64, "\0\0\0\0\0\0\xf0\x3f\0\0\0\0\0\0\0\x40",
        "\0\0\0\0\0\0\xf0\x3f\0\0\0\0\0\0\0\x40"),
    ROW(12, 11, U32, "\x01\xff\xff\xff\xff\x0f", "\x01\0\0\0\xff\xff\xff\xff"),
    ROW(13, 11, U64, "\x01\x02", "\x01\0\0\0\0\0\0\0\x02\0\0\0\0\0\0\0"),
    ROW(14, 4, C64, "abcdefghijklmnop", "abcdefghijklmnop"),
    ROW(16, 5, BF16, "\x80\x7f\x80\x80\x01", "\x80\x3f\0\x40"),
    ROW(17, 5, F8E4M3, "\x05\x06", "\x05\x06"),
    ROW(18, 5, F8E4M3FNUZ, "\x05\x06", "\x05\x06"),
    ROW(19, 5, F8E5M2, "\x05\x06", "\x05\x06"),
    ROW(20, 5, F8E5M2FNUZ, "\x05\x06", "\x05\x06"),
    ROW(24, 5, F8E8M0, "\x05\x06", "\x05\x06"),
    ROW(21, 5, U4, "\xa5\x01\x07", "\xa5\x07"),
    ROW(22, 5, I4, "\xa5\x01\x07", "\xa5\x07"),
    ROW(23, 5, F4E2M1, "\xa5\x01\x07", "\xa5\x07"),
    ROW(25, 5, U2, "\x25", "\x25"),
    ROW(26, 5, I2, "\x25", "\x25"),
#undef ROW
};

static void check_value(const message *tensor, tacho_dtype dtype, tacho_str bytes)
{
    message graph = small_graph();
    put_message(&graph, 5, tensor);
    message whole = model(&graph);
    tacho_graph read;
    read_ok(&whole, &no_options, &read);
    const tacho_tensor *found = find_tensor(&read, "v");
    uint64_t size;
    assert_int_equal(found->dtype, dtype);
    assert_true(tacho_tensor_bytes(found, &size) && size == bytes.len);
    assert_int_equal(read.constants[found->constant].kind, TACHO_CONSTANT_BYTES);
    assert_memory_equal(read.constants[found->constant].bytes, bytes.data, bytes.len);
    assert_int_equal(read.absent_weight_count, 0);
    tacho_graph_deinit(&read);
}

static void test_values(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof(listed) / sizeof(listed[0]); i++) {
        bool is_small = tacho_dtype_is_packed(listed[i].dtype);
        message packed = vector("v", listed[i].data_type, is_small ? 3 : 2);
        message raw = packed;
        put_bytes(&packed, listed[i].field, listed[i].list.data, listed[i].list.len);
        put_bytes(&raw, 9, listed[i].bytes.data, listed[i].bytes.len);
        check_value(&packed, listed[i].dtype, listed[i].bytes);
        check_value(&raw, listed[i].dtype, listed[i].bytes);
    }
    message single = vector("v", 1, 2); /* not packed, and in two pieces */
    put_float(&single, 4, 1.0f);
    put_bytes(&single, 4, "\0\0\0\x40", 4);
    check_value(&single, TACHO_DTYPE_F32, TACHO_STR("\0\0\x80\x3f\0\0\0\x40"));
    message empty = vector("v", 1, 0);
    check_value(&empty, TACHO_DTYPE_F32, TACHO_STR(""));
    message texts = vector("v", 8, 2);
    put_text(&texts, 6, "one");
    assert_graph_refused(5, &texts, "tensor 'v' does not have a text for each element");
}

static void test_bad_values(void **state)
{
    (void)state;
    message raw = vector("v", 1, 3);
    put_bytes(&raw, 9, "12345678", 8);
    message graph = small_graph();
    put_message(&graph, 5, &raw);
    message whole = model(&graph);
    char expected[128];
    size_t at = whole.len - 8;
    assert_memory_equal(whole.bytes + at, "12345678", 8);
    snprintf(expected, sizeof(expected),
             "m.onnx: byte %zu: tensor 'v' has 8 bytes of data; 3 of f32 needs 12", at);
    assert_refused(&whole, &no_options, TACHO_CODE_BAD_DATA, expected);

    message list = vector("v", 3, 2);
    put_number(&list, 5, 1);
    assert_graph_refused(5, &list, "tensor 'v' has 1 values; its shape and type need 2");
    put_number(&list, 5, 256);
    assert_graph_refused(5, &list, "tensor 'v': element 1 is 256, which does not fit i8");
    message cut = vector("v", 3, 2);
    put_bytes(&cut, 5, "\x01\x02\x80", 3);
    assert_graph_refused(5, &cut, "ends inside a varint");
    message uneven = vector("v", 1, 1);
    put_bytes(&uneven, 4, "12345", 5);
    assert_graph_refused(5, &uneven, "5 bytes are not a whole number of 4-byte values");
    message other = vector("v", 1, 2);
    put_bytes(&other, 7, "\x01\x02", 2);
    assert_graph_refused(5, &other, "tensor 'v' is of type f32, its values are not");
    put_float(&other, 4, 1.0f);
    assert_graph_refused(5, &other, "tensor 'v' has values of two types");
    message unknown = vector("v", 77, 2);
    assert_graph_refused(5, &unknown, "tensor 'v' has the unknown data type 77");
    message none = {.len = 0};
    put_text(&none, 8, "v");
    assert_graph_refused(5, &none, "tensor 'v' has no data type");
    message negative = vector("v", 1, UINT64_MAX);
    assert_graph_refused(5, &negative, "tensor 'v' has a negative dimension");
    message absurd = vector("v", 1, INT64_MAX);
    put_bytes(&absurd, 9, "1234", 4);
    assert_graph_refused(5, &absurd, "tensor 'v' has more than 2^63 bytes");
    put_number(&absurd, 1, 2);
    assert_graph_refused(5, &absurd, "tensor 'v' has more than 2^63 elements");
    message nameless = vector("", 1, 0);
    assert_graph_refused(5, &nameless, "an initializer needs one");
    message deep = vector("v", 1, 1);
    put_bytes(&deep, 1, "\1\1\1\1\1\1\1\1", 8);
    graph = small_graph();
    put_message(&graph, 5, &deep);
    whole = model(&graph);
    assert_refused(&whole, &no_options, TACHO_CODE_LIMIT, "tensor 'v' has more than 8 dimensions");
}

static void write_file(const char *path, const char *bytes, size_t len)
{
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(bytes, 1, len, file), len);
    assert_int_equal(fclose(file), 0);
}

static void test_external(void **state)
{
    (void)state;
    char folder[400];
    const char *temp = getenv("TMPDIR");
    snprintf(folder, sizeof(folder), "%s/tacho-onnx.XXXXXX",
             temp != NULL && temp[0] != '\0' ? temp : "/tmp");
    assert_non_null(mkdtemp(folder));
    char path[420], weights[420];
    snprintf(path, sizeof(path), "%s/m.onnx", folder);
    snprintf(weights, sizeof(weights), "%s/w.bin", folder);
    write_file(weights, "0123456789", 10);
    model_path = path;
    message tensor = external("w.bin", "3", "4");
    check_value(&tensor, TACHO_DTYPE_U8, TACHO_STR("3456"));
    tensor = external("./w.bin", "6", NULL);
    check_value(&tensor, TACHO_DTYPE_U8, TACHO_STR("6789"));
    tensor = external("w.bin", NULL, NULL);
    check_value(&tensor, TACHO_DTYPE_U8, TACHO_STR("0123"));
    tensor = external("w.bin", "7", NULL);
    assert_graph_refused(5, &tensor, "tensor 'v' needs bytes 7 to 11 of 'w.bin', which has 10");
    tensor = external("w.bin", "18446744073709551615", NULL);
    assert_graph_refused(5, &tensor, "of 'w.bin', which has 10");
    tensor = external("w.bin", "0", "5");
    assert_graph_refused(5, &tensor,
                         "tensor 'v' has 5 bytes of external data; its shape and type "
                         "need 4");
    tensor = external("w.bin", "-1", NULL);
    assert_graph_refused(5, &tensor, "'-1' is not a valid offset of external data");
    static const char *const outside[] = {"/etc/passwd", "../w.bin", "a/../../b", "a/..", "..", ""};
    for (size_t i = 0; i < sizeof(outside) / sizeof(outside[0]); i++) {
        tensor = external(outside[i], NULL, NULL);
        assert_graph_refused(5, &tensor, "expected a file in the model's directory");
    }
    tensor = external(NULL, NULL, NULL);
    assert_graph_refused(5, &tensor, "expected a file in the model's directory");
    unlink(weights);
    /* Names that look harmless, and are not. */
    assert_int_equal(symlink("/dev/zero", weights), 0);
    tensor = external("w.bin", NULL, NULL);
    assert_graph_refused(5, &tensor, "'w.bin' is outside the directory");
    unlink(weights);
    assert_int_equal(mkfifo(weights, 0600), 0);
    assert_graph_refused(5, &tensor, "is not a regular file");
    unlink(weights);
    rmdir(folder);
    model_path = "m.onnx";
}

static void check_random(const message *tensor, const tacho_model_options *options,
                         size_t absent_count, uint64_t *out_seed)
{
    message graph = small_graph();
    put_message(&graph, 5, tensor);
    message whole = model(&graph);
    tacho_graph read;
    read_ok(&whole, options, &read);
    const tacho_constant *constant = &read.constants[find_tensor(&read, "v")->constant];
    assert_int_equal(constant->kind, TACHO_CONSTANT_RANDOM);
    assert_int_equal(read.absent_weight_count, absent_count);
    assert_int_equal(read.zero_weight_count, 0);
    *out_seed = constant->seed;
    tacho_graph_deinit(&read);
}

/* Integers that are not there may be indexes or sizes, so they are zeros. */
static void check_zero(const message *tensor)
{
    message graph = small_graph();
    put_message(&graph, 5, tensor);
    message whole = model(&graph);
    tacho_graph read;
    read_ok(&whole, &no_options, &read);
    const tacho_constant *constant = &read.constants[find_tensor(&read, "v")->constant];
    assert_int_equal(constant->kind, TACHO_CONSTANT_SPLAT);
    for (size_t i = 0; i < sizeof(constant->splat); i++) {
        assert_int_equal(constant->splat[i], 0);
    }
    assert_int_equal(read.absent_weight_count, 1);
    assert_int_equal(read.zero_weight_count, 1);
    tacho_graph_deinit(&read);
}

static void test_absent(void **state)
{
    (void)state;
    uint64_t seeds[5];
    message tensor = external("nowhere.bin", "0", "4");
    check_zero(&tensor);
    message nothing = vector("v", 1, 1000); /* no values at all */
    check_random(&nothing, &no_options, 1, &seeds[0]);
    assert_int_equal(seeds[0], 0xaf63eb4c86020609u); /* FNV-1a of "v" */
    model_path = "-";                                /* has no folder */
    check_zero(&tensor);
    model_path = "m.onnx";
    static const uint32_t integers[] = {2, 3, 5, 6, 7, 9, 12, 13}; /* u8, i8, ..., bool, u64 */
    for (size_t i = 0; i < sizeof(integers) / sizeof(integers[0]); i++) {
        message indexes = vector("v", integers[i], 5);
        check_zero(&indexes);
    }

    /* Zeros where requested, of reals, too; without them absent values fail and are named. */
    tacho_model_options zeros = {.has_zero_weights = true, .needs_values = true};
    message whole_graph = small_graph();
    put_message(&whole_graph, 5, &nothing);
    message whole_model = model(&whole_graph);
    tacho_graph made;
    read_ok(&whole_model, &zeros, &made);
    assert_int_equal(made.constants[find_tensor(&made, "v")->constant].kind, TACHO_CONSTANT_SPLAT);
    assert_int_equal(made.zero_weight_count, 1);
    assert_int_equal(made.random_weight_count, 0);
    tacho_graph_deinit(&made);

    tacho_model_options random = {.has_random_weights = true, .seed = 7};
    message matrix = vector("v", 3, 3);
    put_number(&matrix, 1, 6);
    put_bytes(&matrix, 9, "123456789012345678", 18);
    check_random(&matrix, &random, 0, &seeds[2]);
    random.seed = 8;
    check_random(&matrix, &random, 0, &seeds[3]);
    assert_int_not_equal(seeds[2], seeds[3]);
    check_value(&matrix, TACHO_DTYPE_I8, TACHO_STR("123456789012345678"));
    /* Lists of one dimension (means, scales) and indexes stay unchanged. */
    message graph = small_graph();
    message list = vector("list", 3, 18), indexes = vector("indexes", 6, 17);
    put_bytes(&list, 9, "123456789012345678", 18);
    put_number(&indexes, 1, 1);
    put_bytes(&indexes, 5, "12345678901234567", 17);
    put_message(&graph, 5, &list);
    put_message(&graph, 5, &indexes);
    message whole = model(&graph);
    tacho_graph read;
    read_ok(&whole, &random, &read);
    assert_int_equal(read.constants[0].kind, TACHO_CONSTANT_BYTES);
    assert_int_equal(read.constants[1].kind, TACHO_CONSTANT_BYTES);
    tacho_graph_deinit(&read);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_values),
        cmocka_unit_test(test_bad_values),
        cmocka_unit_test(test_external),
        cmocka_unit_test(test_absent),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
