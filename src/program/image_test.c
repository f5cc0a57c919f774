/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Programs as bytes: a written program is read back unchanged, and damage to any byte is refused.
 */
#include "program/image.h"

#include "program/check.h"
#include "program/container.h"
#include "program/schema.h"
#include "program/seal.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/output_testing.h"
#include "program/program_testing.h"

static void make_program(tacho_program *program)
{
    assert_null(tacho_program_init(program));
    assert_null(make_test_program(program));
}

static tacho_bytes image_of(const tacho_program *program)
{
    tacho_bytes bytes = {0};
    assert_null(tacho_image_write(program, &bytes));
    return bytes;
}

/* ---- images ------------------------------------------------------------------------------- */

static void check_tables_equal(const tacho_program *a, const tacho_program *b)
{
    for (int i = 0; i < TACHO_TABLE_COUNT; i++) {
        tacho_program_table table = (tacho_program_table)i;
        tacho_program_rows left = tacho_program_rows_of(a, table);
        tacho_program_rows right = tacho_program_rows_of(b, table);
        assert_true(left.count > 0); /* the program has something in every table */
        assert_int_equal(left.count, right.count);
        assert_memory_equal(left.items, right.items,
                            left.count * tacho_program_schema(table)->memory_bytes);
    }
    assert_memory_equal(&a->facts, &b->facts, sizeof(a->facts));
}

static void check_attrs(const tacho_program *program)
{
    assert_int_equal(program->attr_count, 9);
    const tacho_attr *attrs = program->attrs;
    assert_int_equal(tacho_attr_int(attrs, 9, "group", 0), -1);
    assert_true(tacho_attr_real(attrs, 9, "max", 0) == 6.0);
    assert_true(tacho_str_equal(tacho_attr_text(attrs, 9, "auto_pad"), TACHO_STR("VALID")));
    size_t count = 0;
    const int64_t *strides = tacho_attr_ints(attrs, 9, "strides", &count);
    assert_int_equal(count, 3);
    assert_true(strides[1] == -2 && strides[2] == INT64_MAX);
    assert_int_equal(attrs[4].count, 2);
    assert_true(attrs[4].value.as_reals[1] == -1e300);
    assert_int_equal(attrs[5].count, 3);
    assert_true(tacho_str_equal(attrs[5].value.as_texts[2], TACHO_STR("long")));
    assert_int_equal(attrs[6].value.as_tensor, 6);
    assert_int_equal(attrs[7].value.as_int, 12);
    assert_int_equal(attrs[8].kind, TACHO_ATTR_OTHER);
}

static void test_round_trip(void **state)
{
    (void)state;
    tacho_program program;
    tacho_program again;
    make_program(&program);
    tacho_bytes bytes = image_of(&program);
    assert_true(tacho_image_is_image(tacho_bytes_view(&bytes)));
    assert_null(tacho_program_init(&again));
    again.constants = program.constants;
    assert_null(tacho_image_read(tacho_bytes_view(&bytes), &again));
    check_tables_equal(&program, &again);
    check_attrs(&again);
    assert_int_equal(again.strings.item_count, program.strings.item_count);
    for (uint32_t i = 0; i < program.strings.item_count; i++) {
        assert_true(tacho_str_equal(tacho_strings_get(&again.strings, i),
                                    tacho_strings_get(&program.strings, i)));
    }
    tacho_bytes second = image_of(&again);
    assert_int_equal(second.len, bytes.len);
    assert_memory_equal(second.data, bytes.data, bytes.len);
    tacho_bytes_deinit(&bytes);
    tacho_bytes_deinit(&second);
    tacho_program_deinit(&program);
    tacho_program_deinit(&again);
}

/* Padding between fields in memory is not written to a file. */
static void test_no_padding(void **state)
{
    (void)state;
    tacho_program program;
    make_program(&program);
    tacho_bytes clean = image_of(&program);
    tacho_program_tensor copy = program.tensors[4];
    memset(&program.tensors[4], 0xff, sizeof(copy));
    program.tensors[4].name = copy.name;
    program.tensors[4].dtype = copy.dtype;
    program.tensors[4].storage = copy.storage;
    program.tensors[4].offset = copy.offset;
    program.tensors[4].bytes = copy.bytes;
    program.tensors[4].shape = copy.shape;
    tacho_shape *shape = &program.shapes[copy.shape];
    for (size_t i = 1; i < TACHO_RANK_MAX; i++) {
        shape->dims[i] = -1; /* rank 1: seven dimensions mean nothing */
    }
    program.tensors[4].kept = copy.kept;
    program.tensors[4].is_local = copy.is_local;
    tacho_program_op op = program.ops[1];
    memset(&program.ops[1], 0xff, sizeof(op));
    const tacho_schema *schema = tacho_program_schema(TACHO_TABLE_op);
    for (size_t i = 0; i < schema->field_count; i++) {
        tacho_field_set(&schema->fields[i], (unsigned char *)&program.ops[1], 0,
                        tacho_field_get(&schema->fields[i], (unsigned char *)&op, 0));
    }
    tacho_bytes dirty = image_of(&program);
    assert_int_equal(dirty.len, clean.len);
    assert_memory_equal(dirty.data, clean.data, clean.len);
    tacho_bytes_deinit(&clean);
    tacho_bytes_deinit(&dirty);
    tacho_program_deinit(&program);
}

/* Fields follow one another, with no gaps except for alignment. */
static void check_covered(const tacho_schema *schema)
{
    size_t end = 0;
    for (size_t i = 0; i < schema->field_count; i++) {
        const tacho_field *field = &schema->fields[i];
        size_t aligned = (end + field->width - 1) / field->width * field->width;
        assert_int_equal(field->offset, aligned);
        end = field->offset + (size_t)field->width * field->count;
    }
    assert_true(schema->memory_bytes - end < 8);
}

static void test_schema(void **state)
{
    (void)state;
    check_covered(tacho_program_facts_schema());
    for (int i = 0; i < TACHO_TABLE_COUNT; i++) {
        check_covered(tacho_program_schema((tacho_program_table)i));
    }
    assert_string_equal(tacho_program_schema(TACHO_TABLE_job)->name, "jobs");
    assert_int_equal(tacho_schema_file_bytes(tacho_program_schema(TACHO_TABLE_job)), 84);
    assert_int_equal(tacho_schema_file_bytes(tacho_program_schema(TACHO_TABLE_tensor)), 32);
}

/* Reads |image| from memory of exactly its size; whether it was taken. */
static bool is_taken(const unsigned char *image, size_t len, tacho_str constants)
{
    unsigned char *exact = malloc(len + (len == 0));
    assert_non_null(exact);
    memcpy(exact, image, len);
    tacho_program program;
    assert_null(tacho_program_init(&program));
    program.constants = constants;
    tacho_status status = tacho_image_read(tacho_str_make((const char *)exact, len), &program);
    bool is_ok = status == TACHO_OK;
    if (is_ok) { /* then it is the image of the program read */
        tacho_bytes again = image_of(&program);
        assert_int_equal(again.len, len);
        assert_memory_equal(again.data, image, len);
        tacho_bytes_deinit(&again);
    }
    tacho_status_free(status);
    tacho_program_deinit(&program);
    free(exact);
    return is_ok;
}

/* Without the seal, so that every check of the image is reached. */
static void test_damaged_image(void **state)
{
    (void)state;
    tacho_program program;
    make_program(&program);
    tacho_bytes bytes = image_of(&program);
    size_t taken_count = 0;
    for (size_t i = 0; i < bytes.len * 8; i++) {
        bytes.data[i / 8] ^= (unsigned char)(1 << i % 8);
        taken_count += is_taken(bytes.data, bytes.len, program.constants);
        bytes.data[i / 8] ^= (unsigned char)(1 << i % 8);
    }
    assert_true(taken_count > 0 && taken_count < bytes.len * 8); /* names, sizes, times */
    for (size_t len = 0; len < bytes.len; len++) {
        assert_false(is_taken(bytes.data, len, program.constants));
    }
    for (size_t i = 0; i + 8 <= bytes.len; i += 4) { /* counts, offsets and ids of all sizes */
        static const uint64_t values[] = {UINT64_MAX, INT64_MAX, UINT32_MAX, 1ull << 32, 1 << 16};
        unsigned char saved[8];
        memcpy(saved, bytes.data + i, 8);
        for (size_t k = 0; k < sizeof(values) / sizeof(values[0]); k++) {
            tacho_bytes_store(bytes.data + i, values[k], 8);
            (void)is_taken(bytes.data, bytes.len, program.constants);
        }
        memcpy(bytes.data + i, saved, 8);
    }
    tacho_bytes_deinit(&bytes);
    tacho_program_deinit(&program);
}

/* ---- checks ------------------------------------------------------------------------------- */

static void expect_refused(tacho_program *program, const char *message)
{
    tacho_status status = tacho_program_check(program);
    assert_non_null(status);
    assert_string_equal(tacho_status_message(status), message);
    tacho_status_free(status);
    tacho_program_deinit(program);
    make_program(program);
}

/* A start that the needs do not allow is found in the file, and not written either. */
static void test_timeline(void **state)
{
    (void)state;
    static const char *const message =
        "program, jobs[6]: it starts at cycle 968, before jobs[5] lets it at 969";
    static const unsigned char times[16] = {969 & 0xff, 969 >> 8, [8] = 1200 & 0xff, 1200 >> 8};
    tacho_program program;
    make_program(&program);
    tacho_bytes bytes = image_of(&program);
    size_t at = 0;
    while (at + sizeof(times) <= bytes.len && memcmp(bytes.data + at, times, sizeof(times)) != 0) {
        at++;
    }
    assert_true(at + sizeof(times) <= bytes.len);
    bytes.data[at]--;
    tacho_program other;
    assert_null(tacho_program_init(&other));
    other.constants = program.constants;
    tacho_status status = tacho_image_read(tacho_bytes_view(&bytes), &other);
    assert_non_null(status);
    assert_string_equal(tacho_status_message(status), message);
    tacho_status_free(status);
    program.jobs[6].start--;
    status = tacho_image_write(&program, &bytes);
    assert_non_null(status);
    assert_string_equal(tacho_status_message(status), message);
    tacho_status_free(status);
    tacho_bytes_deinit(&bytes);
    tacho_program_deinit(&other);
    tacho_program_deinit(&program);
}

static void test_ids(void **state)
{
    (void)state;
    tacho_program program;
    make_program(&program);
    assert_null(tacho_program_check(&program));
    program.jobs[2].engine = 8;
    expect_refused(&program, "program, jobs[2].engine: expected less than 8, found 8");
    program.jobs[3].engine = TACHO_NONE;
    expect_refused(&program, "program, jobs[3].engine: expected less than 8, found 4294967295");
    program.jobs[1].op = 2;
    expect_refused(&program, "program, jobs[1].op: expected less than 2, found 2");
    program.jobs[6].buffer = 3;
    expect_refused(&program, "program, jobs[6].buffer: expected less than 3, found 3");
    program.jobs[7].kind = TACHO_JOB_P2P;
    program.jobs[7].partner = 1;
    expect_refused(&program, "program, jobs[7].partner: expected less than 1, found 1");
    program.jobs[7].kind = TACHO_JOB_KIND_COUNT;
    expect_refused(&program, "program, jobs[7].kind: expected less than 8, found 8");
    program.steps[1].op = 9;
    expect_refused(&program, "program, steps[1].op: expected less than 2, found 9");
    program.ops[0].dispatch = 1;
    expect_refused(&program, "program, ops[0].dispatch: expected less than 1, found 1");
    program.tensors[3].dtype = TACHO_DTYPE_COUNT;
    expect_refused(&program, "program, tensors[3].dtype: expected less than 30, found 30");
    program.tensors[3].storage = TACHO_STORAGE_COUNT;
    expect_refused(&program, "program, tensors[3].storage: expected less than 7, found 7");
    program.engines[7].name = 33;
    expect_refused(&program, "program, engines[7].name: expected less than 33, found 33");
    program.links[9] = 8;
    expect_refused(&program, "program, links[9].tensor: expected less than 8, found 8");
    program.inputs[0] = TACHO_NONE;
    expect_refused(&program, "program, inputs[0].tensor: expected less than 8, found 4294967295");
    program.attrs[6].value.as_tensor = 8;
    expect_refused(&program, "program, attrs[6].tensor: expected less than 8, found 8");
    program.engines[4].core = 2;
    expect_refused(&program, "program, engines[4].core: expected less than 2, found 2");
    program.buffers[1].device = 1;
    expect_refused(&program, "program, buffers[1].device: expected less than 1, found 1");
    program.facts.stats.pmu_event_count = 9;
    expect_refused(&program,
                   "program, facts[0].stats.pmu_event_count: expected less than 9, found 9");
    program.facts.job_names[TACHO_JOB_NAME_INPUT] = 33;
    expect_refused(&program, "program, facts[0].job_names: expected less than 33, found 33");
    program.needs[0].is_false = 2;
    expect_refused(&program, "program, needs[0].is_false: expected less than 2, found 2");
    program.regions[1].access = TACHO_ACCESS_KIND_COUNT;
    expect_refused(&program, "program, regions[1].access: expected less than 3, found 3");
    program.extents[0].offset = 373;
    expect_refused(&program, "program, extents[0]: expected a part of 768 elements, found 396 "
                             "from 373");
    tacho_program_deinit(&program);
}

static void test_runs(void **state)
{
    (void)state;
    tacho_program program;
    make_program(&program);
    program.needs[4].job = 5;
    expect_refused(&program,
                   "program, needs[4].job: expected a job before jobs[5], which waits for "
                   "it, found 5");
    program.jobs[6].need_count = 3;
    expect_refused(&program, "program, jobs[6].needs: expected a run within 7 records, found 3 "
                             "records from 5");
    program.jobs[6].first_need = 0;
    program.jobs[6].need_count = 4;
    expect_refused(&program, "program, jobs: expected needs to have one owner each, found 9 owned "
                             "of 7");
    program.steps[0].first_link = UINT32_MAX;
    expect_refused(&program, "program, steps[0].links: expected a run within 10 records, found 4 "
                             "records from 4294967295");
    program.steps[2].when = TACHO_WHEN_TRUE; /* a condition is one link more, which there is not */
    expect_refused(&program, "program, steps[2].links: expected a run within 10 records, found 5 "
                             "records from 6");
    program.steps[2].when = TACHO_WHEN_COUNT;
    expect_refused(&program, "program, steps[2].when: expected less than 3, found 3");
    program.steps[2].attr_count = 3;
    expect_refused(&program, "program, steps[2].attrs: expected a run within 9 records, found 3 "
                             "records from 7");
    program.ops[1].step_count = 2;
    expect_refused(&program, "program, ops[1].steps: expected a run within 3 records, found 2 "
                             "records from 2");
    program.ops[1].job_count = 4;
    expect_refused(&program, "program, ops[1].jobs: expected a run within 8 records, found 4 "
                             "records from 5");
    program.blocks[0].job_count = 9;
    expect_refused(&program, "program, blocks[0].jobs: expected a run within 8 records, found 9 "
                             "records from 0");
    program.dispatches[0].first_op = 1;
    expect_refused(&program, "program, dispatches[0].ops: expected a run within 2 records, found 2 "
                             "records from 1");
    program.jobs[4].end = 709;
    expect_refused(&program, "program, jobs[4]: expected 0 <= start <= end and 0 <= cycles, found "
                             "start 710, end 709, cycles 150");
    tacho_program_deinit(&program);
}

static void test_tensors(void **state)
{
    (void)state;
    tacho_program program;
    make_program(&program);
    program.tensors[0].shape = 8;
    expect_refused(&program, "program, tensors[0].shape: expected less than 8, found 8");
    program.shapes[0].rank = 9;
    expect_refused(&program, "program, shapes[0].rank: expected -1 to 8, found 9");
    program.shapes[0].rank = TACHO_RANK_UNKNOWN; /* allowed: nothing is known of its sizes */
    assert_null(tacho_program_check(&program));
    program.shapes[0].rank = -2;
    expect_refused(&program, "program, shapes[0].rank: expected -1 to 8, found -2");
    program.shapes[0].dims[3] = -2;
    expect_refused(&program, "program, shapes[0].dims[3]: expected -1 or more, found -2");
    program.tensors[5].bytes = 4095;
    expect_refused(&program,
                   "program, tensors[5].bytes: expected 4096 or more, by its shape, found "
                   "4095");
    program.tensors[1].offset = 3;
    expect_refused(&program, "program, tensors[1]: expected a constant within 50 bytes, found 48 "
                             "bytes at 3");
    program.tensors[1].offset = UINT64_MAX;
    expect_refused(&program, "program, tensors[1]: expected a constant within 50 bytes, found 48 "
                             "bytes at 18446744073709551615");
    program.tensors[4].offset = 49;
    expect_refused(&program, "program, tensors[4]: expected a constant within 50 bytes, found 2 "
                             "bytes at 49");
    program.tensors[4].offset = 47;
    expect_refused(&program, "program, tensors[4].offset: expected a multiple of 2, found 47");
    tacho_bytes bytes = {0};
    program.jobs[0].engine = 99; /* a program that would not read is not written */
    tacho_status status = tacho_image_write(&program, &bytes);
    assert_int_equal(tacho_status_code(status), TACHO_CODE_BAD_DATA);
    tacho_status_free(status);
    assert_int_equal(bytes.len, 0);
    tacho_bytes_deinit(&bytes);
    tacho_program_deinit(&program);
}

/* ---- files -------------------------------------------------------------------------------- */

typedef struct file_bytes {
    unsigned char *data;
    size_t len;
} file_bytes;

static file_bytes container_of_test_program(void)
{
    enum { ROOM = 1 << 16 };
    tacho_program program;
    make_program(&program);
    tacho_output output;
    open_test_output(&output);
    assert_null(tacho_program_write_to(&program, &output));
    file_bytes file = {malloc(ROOM), 0};
    assert_non_null(file.data);
    file.len = read_test_output(&output, (char *)file.data, ROOM);
    assert_true(file.len < ROOM);
    tacho_program_deinit(&program);
    return file;
}

static tacho_status read_bytes(tacho_str bytes)
{
    tacho_arena arena;
    tacho_arena_init(&arena);
    tacho_qpc qpc;
    tacho_status status = tacho_qpc_read(bytes, &arena, &qpc);
    if (status == TACHO_OK) {
        tacho_program program;
        status = tacho_program_read_from(&qpc, &program);
        tacho_program_deinit(&program);
    }
    tacho_arena_deinit(&arena);
    return status;
}

/* Not one flipped bit of a container goes unnoticed, in or between its segments. */
static void test_damaged_container(void **state)
{
    (void)state;
    file_bytes file = container_of_test_program();
    tacho_str bytes = tacho_str_make((const char *)file.data, file.len);
    assert_null(read_bytes(bytes));
    size_t unnoticed_count = 0;
    for (size_t i = 0; i < file.len * 8; i++) {
        file.data[i / 8] ^= (unsigned char)(1 << i % 8);
        tacho_status status = read_bytes(bytes);
        unnoticed_count += status == TACHO_OK;
        tacho_status_free(status);
        file.data[i / 8] ^= (unsigned char)(1 << i % 8);
    }
    assert_int_equal(unnoticed_count, 0);
    for (size_t len = 0; len < file.len; len++) {
        tacho_status status = read_bytes(tacho_str_make(bytes.data, len));
        assert_non_null(status);
        tacho_status_free(status);
    }
    free(file.data);
}

static void check_states(file_bytes file, size_t damaged_byte, const char *expected)
{
    tacho_arena arena;
    tacho_arena_init(&arena);
    tacho_qpc qpc;
    const tacho_seal_state *states = NULL;
    file.data[damaged_byte] ^= 1;
    assert_null(tacho_qpc_read(tacho_str_make((const char *)file.data, file.len), &arena, &qpc));
    assert_null(tacho_seal_states(&qpc, &arena, &states));
    file.data[damaged_byte] ^= 1;
    char text[64] = "";
    for (size_t i = 0; i < qpc.segment_count; i++) {
        size_t len = strlen(text);
        snprintf(text + len, sizeof(text) - len, "%s ", tacho_seal_state_name(states[i]));
    }
    assert_string_equal(text, expected);
    tacho_arena_deinit(&arena);
}

static void test_states(void **state)
{
    (void)state;
    file_bytes file = container_of_test_program();
    tacho_arena arena;
    tacho_arena_init(&arena);
    tacho_qpc qpc;
    assert_null(tacho_qpc_read(tacho_str_make((const char *)file.data, file.len), &arena, &qpc));
    assert_int_equal(qpc.segment_count, 4);
    assert_int_equal(qpc.segments[2].offset, 50); /* the static part */
    static const char *const expected[] = {"bad ok ok ok ", "ok bad ok ok ", "ok ok bad ok ",
                                           "none none none bad "};
    for (size_t i = 0; i < 4; i++) {
        check_states(file, qpc.segments[i].place + 20, expected[i]);
    }
    check_states(file, 48, "ok ok ok ok "); /* the offset of segment 1: in the head */
    size_t seal_name = (size_t)(qpc.segments[3].name.data - (const char *)file.data);
    check_states(file, seal_name, "none none none none ");
    tacho_arena_deinit(&arena);
    free(file.data);
}

/* A folder for files, gone with remove_folder. */
static void make_folder(char path[64])
{
    snprintf(path, 64, "/tmp/tacho-image-test.XXXXXX");
    assert_non_null(mkdtemp(path));
}

static void test_file(void **state)
{
    (void)state;
    char folder[64];
    char path[128];
    make_folder(folder);
    snprintf(path, sizeof(path), "%s/programqpc.bin", folder);
    tacho_program program;
    tacho_program again;
    make_program(&program);
    assert_null(tacho_program_write(&program, path));
    assert_null(tacho_program_read(path, &again));
    check_tables_equal(&program, &again);
    assert_true(tacho_str_equal(program.constants, again.constants));
    tacho_program_deinit(&again);

    program.jobs[0].engine = 99; /* fails: the old file stays as it was */
    tacho_status status = tacho_program_write(&program, path);
    assert_int_equal(tacho_status_code(status), TACHO_CODE_BAD_DATA);
    tacho_status_free(status);
    assert_null(tacho_program_read(path, &again));
    tacho_program_deinit(&again);
    assert_int_equal(unlink(path), 0);
    assert_int_equal(rmdir(folder), 0); /* and has nothing else */
    tacho_program_deinit(&program);
}

static void expect_unwritten(const tacho_program *program, const char *path, tacho_code code)
{
    tacho_status status = tacho_program_write(program, path);
    assert_int_equal(tacho_status_code(status), code);
    tacho_status_free(status);
}

static void test_unwritable(void **state)
{
    (void)state;
    char folder[64];
    char path[128];
    make_folder(folder);
    tacho_program program;
    make_program(&program);
    snprintf(path, sizeof(path), "%s/missing/a.bin", folder);
    expect_unwritten(&program, path, TACHO_CODE_IO);
    snprintf(path, sizeof(path), "%s/a.bin.gz", folder);
    expect_unwritten(&program, path, TACHO_CODE_USAGE);
    expect_unwritten(&program, "/dev/full", TACHO_CODE_IO);
    assert_int_equal(rmdir(folder), 0);
    tacho_program again;
    tacho_status status = tacho_program_read(path, &again);
    assert_int_equal(tacho_status_code(status), TACHO_CODE_NOT_FOUND);
    tacho_status_free(status);
    tacho_program_deinit(&again);
    tacho_program_deinit(&program);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_round_trip),
        cmocka_unit_test(test_no_padding),
        cmocka_unit_test(test_schema),
        cmocka_unit_test(test_damaged_image),
        cmocka_unit_test(test_timeline),
        cmocka_unit_test(test_ids),
        cmocka_unit_test(test_runs),
        cmocka_unit_test(test_tensors),
        cmocka_unit_test(test_damaged_container),
        cmocka_unit_test(test_states),
        cmocka_unit_test(test_file),
        cmocka_unit_test(test_unwritable),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
