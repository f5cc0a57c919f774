/* SPDX-License-Identifier: Apache-2.0 */
/*
 * JSON files of rocprofv3. Names and agents precede the records, which are read one at a time: a
 * record is a short object, in which a key appears once, so its numbers are found by their keys.
 */
#include "codec/json_number.h"
#include "codec/json_reader.h"
#include "sources/rocm/rocm.h"
#include "sources/rocm/rocm_tracks.h"

#include <ctype.h>
#include <stdlib.h>

enum { OPERATION_BITS = 32 };

typedef struct json_reader {
    rocm_part rocm;
    tacho_json_reader *json;
    tacho_number_map kernels;    /* kernel ids to strings */
    tacho_number_map operations; /* kind and operation to strings */
    tacho_number_map kinds;      /* kind to string */
    tacho_number_map agents;     /* handle to number << 33 | is a GPU << 32 | name */
    uint64_t gpu_count, process_count;
    int64_t process;
} json_reader;

/* ---- values of a record --------------------------------------------------------------------- */

/* The text from the value of |key| on, the key with its quotes; empty where there is none. */
static tacho_str value_of(tacho_str record, const char *key)
{
    size_t len = strlen(key);
    const char *at = record.data;
    const char *end = record.data + record.len;
    while ((size_t)(end - at) > len) {
        const char *quote = memchr(at, '"', (size_t)(end - at) - len);
        if (quote == NULL) {
            break;
        }
        if (memcmp(quote, key, len) == 0) {
            return tacho_str_make(quote + len, (size_t)(end - quote) - len);
        }
        at = quote + 1;
    }
    return TACHO_STR("");
}

/* The first number at or after the start of |text|, past it; false where there is none. */
static bool take_number(tacho_str *text, int64_t *out_value)
{
    size_t at = 0;
    while (at < text->len && text->data[at] != '-' && !isdigit((unsigned char)text->data[at])) {
        at++;
    }
    size_t end = at + 1;
    while (end < text->len && isdigit((unsigned char)text->data[end])) {
        end++;
    }
    if (at >= text->len) {
        return false;
    }
    tacho_str digits = tacho_str_make(text->data + at, end - at);
    *text = tacho_str_from(*text, end);
    return tacho_json_number_i64(digits, out_value);
}

static int64_t number(tacho_str record, const char *key, int64_t absent)
{
    tacho_str text = value_of(record, key);
    int64_t value = absent;
    return take_number(&text, &value) ? value : absent;
}

/* The string that is the value of |key|, as written; empty where there is none. */
static tacho_str string_of(tacho_str record, const char *key)
{
    tacho_str text = value_of(record, key);
    size_t open = tacho_str_find_byte(text, '"');
    size_t end = open + 1;
    while (end < text.len && text.data[end] != '"') {
        end += text.data[end] == '\\' ? 2 : 1;
    }
    return open < text.len && end < text.len ? tacho_str_make(text.data + open + 1, end - open - 1)
                                             : TACHO_STR("");
}

/* ---- names ---------------------------------------------------------------------------------- */

static tacho_status add_text(json_reader *reader, tacho_number_map *map, uint64_t key,
                             tacho_str text)
{
    uint32_t string = 0;
    TACHO_TRY(tacho_dict_ensure_string(reader->rocm.gpu.dict, text, &string));
    return tacho_number_map_set(map, key, string);
}

static tacho_status take_agent(json_reader *reader, tacho_str record)
{
    enum { TYPE_GPU = 2 };
    bool is_gpu = number(record, "\"type\"", 0) == TYPE_GPU;
    uint64_t place = is_gpu ? reader->gpu_count++ : (uint64_t)number(record, "\"node_id\"", 0);
    uint32_t string = 0;
    tacho_str name = string_of(record, "\"product_name\"");
    TACHO_TRY(tacho_dict_ensure_string(reader->rocm.gpu.dict, name, &string));
    return tacho_number_map_set(&reader->agents, (uint64_t)number(record, "\"handle\"", -1),
                                (place & 0xffffff) << 33 | (uint64_t)is_gpu << 32 | string);
}

static tacho_status take_symbol(json_reader *reader, tacho_str record)
{
    static const char *const keys[] = {"\"formatted_kernel_name\"", "\"demangled_kernel_name\"",
                                       "\"kernel_name\""};
    tacho_str name = TACHO_STR("");
    for (size_t i = 0; i < sizeof(keys) / sizeof(keys[0]) && name.len == 0; i++) {
        name = string_of(record, keys[i]);
    }
    return add_text(reader, &reader->kernels, (uint64_t)number(record, "\"kernel_id\"", -1), name);
}

/* Names of kinds and operations, by their places in lists. */
static tacho_status take_kind(json_reader *reader, uint64_t kind, tacho_str record)
{
    tacho_str rest = value_of(record, "\"operations\"");
    size_t end = tacho_str_find_byte(rest, ']');
    rest.len = end;
    TACHO_TRY(add_text(reader, &reader->kinds, kind, string_of(record, "\"kind\"")));
    for (uint64_t operation = 0;; operation++) {
        size_t open = tacho_str_find_byte(rest, '"');
        if (open == rest.len) {
            return TACHO_OK;
        }
        rest = tacho_str_from(rest, open + 1);
        size_t len = tacho_str_find_byte(rest, '"');
        TACHO_TRY(add_text(reader, &reader->operations, kind << OPERATION_BITS | operation,
                           tacho_str_make(rest.data, len)));
        rest = tacho_str_from(rest, len < rest.len ? len + 1 : len);
    }
}

static tacho_status find_text(json_reader *reader, const tacho_number_map *map, uint64_t key,
                              const char *otherwise, uint32_t *out_string)
{
    const uint64_t *found = tacho_number_map_find(map, key);
    *out_string = found != NULL ? (uint32_t)*found : 0;
    bool is_empty = tacho_dict_string(reader->rocm.gpu.dict, *out_string).len == 0;
    return is_empty ? gpu_part_string(&reader->rocm.gpu, otherwise, out_string) : TACHO_OK;
}

/* ---- records -------------------------------------------------------------------------------- */

static rocm_agent agent_of(const json_reader *reader, int64_t handle)
{
    const uint64_t *found = tacho_number_map_find(&reader->agents, (uint64_t)handle);
    rocm_agent agent = {.owner = reader->process_count, .id = handle, .number = handle};
    if (found != NULL) {
        agent.number = (int64_t)(*found >> 33);
        agent.is_gpu = (*found >> 32 & 1) != 0;
        agent.name = tacho_dict_string(reader->rocm.gpu.dict, (uint32_t)*found);
    }
    return agent;
}

static gpu_part_span span_of(tacho_str record)
{
    return (gpu_part_span){
        .start = number(record, "\"start_timestamp\"", -1),
        .end = number(record, "\"end_timestamp\"", -1),
    };
}

/* The number of the launch, which is unique in its process: calls may follow their work. */
static void add_launch(json_reader *reader, tacho_str record)
{
    enum { NUMBER_BITS = 32 };
    uint64_t value = (uint64_t)number(record, "\"correlation_id\"", 0) & UINT32_MAX;
    if (value != 0) {
        gpu_part_add_launch(&reader->rocm.gpu, reader->rocm.words[ROCM_CORRELATION],
                            (int64_t)(reader->process_count << NUMBER_BITS | value));
    }
}

static void take_sizes(tacho_str record, const char *key, int64_t out_sizes[3])
{
    tacho_str text = value_of(record, key);
    for (size_t i = 0; i < 3; i++) {
        out_sizes[i] = 0;
        (void)take_number(&text, &out_sizes[i]);
    }
}

static tacho_status take_dispatch(json_reader *reader, tacho_str record)
{
    gpu_part *gpu = &reader->rocm.gpu;
    gpu_part_span span = span_of(record);
    rocm_agent agent = agent_of(reader, number(record, "\"agent_id\"", -1));
    int64_t grid[3];
    int64_t workgroup[3];
    span.category = reader->rocm.words[ROCM_KERNEL];
    TACHO_TRY(find_text(reader, &reader->kernels, (uint64_t)number(record, "\"kernel_id\"", -1),
                        "kernel", &span.name));
    TACHO_TRY(
        rocm_find_queue(&reader->rocm, &agent, number(record, "\"queue_id\"", 0), &span.track));
    take_sizes(record, "\"grid_size\"", grid);
    take_sizes(record, "\"workgroup_size\"", workgroup);
    TACHO_TRY(rocm_add_shape(&reader->rocm, grid, workgroup));
    add_launch(reader, record);
    gpu_part_add_number(gpu, reader->rocm.words[ROCM_LDS], TACHO_UNIT_BYTES,
                        number(record, "\"group_segment_size\"", 0));
    gpu_part_add_number(gpu, reader->rocm.words[ROCM_SCRATCH], TACHO_UNIT_BYTES,
                        number(record, "\"private_segment_size\"", 0));
    gpu_part_add_number(gpu, reader->rocm.words[ROCM_STREAM], TACHO_UNIT_NONE,
                        number(record, "\"stream_id\"", 0));
    return gpu_part_push(gpu, &span);
}

static tacho_status find_operation(json_reader *reader, tacho_str record, const char *otherwise,
                                   uint32_t *out_string)
{
    uint64_t key = (uint64_t)number(record, "\"kind\"", 0) << OPERATION_BITS |
                   ((uint64_t)number(record, "\"operation\"", 0) & UINT32_MAX);
    return find_text(reader, &reader->operations, key, otherwise, out_string);
}

static tacho_status take_call(json_reader *reader, tacho_str record)
{
    gpu_part_span span = span_of(record);
    rocm_thread thread = {.owner = reader->process_count,
                          .process = reader->process,
                          .thread = number(record, "\"thread_id\"", 0)};
    uint32_t kind = 0;
    tacho_dict *dict = reader->rocm.gpu.dict;
    TACHO_TRY(
        find_text(reader, &reader->kinds, (uint64_t)number(record, "\"kind\"", 0), "", &kind));
    TACHO_TRY(find_operation(reader, record, "call", &span.name));
    rocm_word word = rocm_word_of_domain(tacho_dict_string(dict, kind));
    span.category = reader->rocm.words[word];
    if (word == ROCM_HIP && rocm_is_launch(tacho_dict_string(dict, span.name))) {
        add_launch(reader, record);
    }
    span.flags = word == ROCM_MARKER && span.start == span.end ? TACHO_SPAN_INSTANT : 0;
    TACHO_TRY(rocm_find_thread(&reader->rocm, &thread, &span.track));
    return gpu_part_push(&reader->rocm.gpu, &span);
}

static tacho_status take_copy(json_reader *reader, tacho_str record)
{
    gpu_part_span span = span_of(record);
    uint32_t operation = 0;
    TACHO_TRY(find_operation(reader, record, "", &operation));
    rocm_way way = rocm_way_of(tacho_dict_string(reader->rocm.gpu.dict, operation));
    rocm_agent agent = agent_of(
        reader,
        number(record, way == ROCM_WAY_DEVICE_TO_HOST ? "\"src_agent_id\"" : "\"dst_agent_id\"",
               -1));
    gpu_part_add_number(&reader->rocm.gpu, reader->rocm.words[ROCM_BYTES], TACHO_UNIT_BYTES,
                        number(record, "\"bytes\"", 0));
    add_launch(reader, record);
    return rocm_push_copy(&reader->rocm, &agent, way, &span);
}

/* ---- the file ------------------------------------------------------------------------------- */

typedef tacho_status (*take_record)(json_reader *reader, tacho_str record);

/* Takes each object of the array that follows. */
static tacho_status take_array(json_reader *reader, take_record take)
{
    tacho_json_token token = TACHO_JSON_END;
    tacho_str record;
    TACHO_TRY(tacho_json_next(reader->json, &token));
    if (token != TACHO_JSON_ARRAY_BEGIN) {
        return tacho_json_skip(reader->json);
    }
    TACHO_TRY(tacho_json_next(reader->json, &token));
    while (token != TACHO_JSON_ARRAY_END) {
        if (token == TACHO_JSON_OBJECT_BEGIN) {
            TACHO_TRY(tacho_json_raw_value(reader->json, &record));
            TACHO_TRY(take(reader, record));
        } else {
            TACHO_TRY(tacho_json_skip(reader->json));
        }
        TACHO_TRY(tacho_json_next(reader->json, &token));
    }
    return TACHO_OK;
}

typedef struct section {
    const char *key;
    take_record take;
} section;

/* Takes the arrays of an object whose keys are |sections|; others are passed over. */
static tacho_status take_sections(json_reader *reader, const section *sections)
{
    tacho_json_token token = TACHO_JSON_END;
    TACHO_TRY(tacho_json_next(reader->json, &token));
    if (token != TACHO_JSON_OBJECT_BEGIN) {
        return tacho_json_skip(reader->json);
    }
    TACHO_TRY(tacho_json_next(reader->json, &token));
    while (token == TACHO_JSON_KEY) {
        const section *at = sections;
        while (at->key != NULL &&
               !tacho_str_equal(reader->json->text, tacho_str_from_cstring(at->key))) {
            at++;
        }
        TACHO_TRY(at->key != NULL ? take_array(reader, at->take) : tacho_json_skip(reader->json));
        TACHO_TRY(tacho_json_next(reader->json, &token));
    }
    return TACHO_OK;
}

static tacho_status take_next_kind(json_reader *reader, tacho_str record)
{
    return take_kind(reader, reader->kinds.count, record);
}

static tacho_status take_metadata(json_reader *reader)
{
    tacho_str record;
    TACHO_TRY(tacho_json_raw_value(reader->json, &record));
    reader->process = number(record, "\"pid\"", -1);
    return TACHO_OK;
}

static const section string_sections[] = {{"buffer_records", take_next_kind}, {NULL, NULL}};

static const section record_sections[] = {
    {"kernel_dispatch", take_dispatch}, {"hip_api", take_call},     {"hsa_api", take_call},
    {"marker_api", take_call},          {"rccl_api", take_call},    {"memory_copy", take_copy},
    {"rocdecode_api", take_call},       {"rocjpeg_api", take_call}, {NULL, NULL}};

static tacho_status take_key(json_reader *reader)
{
    tacho_str key = reader->json->text;
    if (tacho_str_equal(key, TACHO_STR("metadata"))) {
        return take_metadata(reader);
    }
    if (tacho_str_equal(key, TACHO_STR("agents"))) {
        return take_array(reader, take_agent);
    }
    if (tacho_str_equal(key, TACHO_STR("kernel_symbols"))) {
        return take_array(reader, take_symbol);
    }
    if (tacho_str_equal(key, TACHO_STR("strings"))) {
        return take_sections(reader, string_sections);
    }
    return tacho_str_equal(key, TACHO_STR("buffer_records"))
               ? take_sections(reader, record_sections)
               : tacho_json_skip(reader->json);
}

/* One process; its names are its own. */
static tacho_status take_process(json_reader *reader)
{
    tacho_json_token token = TACHO_JSON_END;
    tacho_number_map *maps[] = {&reader->kernels, &reader->operations, &reader->kinds,
                                &reader->agents};
    for (size_t i = 0; i < sizeof(maps) / sizeof(maps[0]); i++) {
        tacho_number_map_clear(maps[i]);
    }
    reader->gpu_count = 0;
    reader->process = -1;
    TACHO_TRY(tacho_json_next(reader->json, &token));
    while (token == TACHO_JSON_KEY) {
        TACHO_TRY(take_key(reader));
        TACHO_TRY(tacho_json_next(reader->json, &token));
    }
    reader->process_count++;
    return TACHO_OK;
}

static tacho_status take_all(json_reader *reader)
{
    tacho_json_token token = TACHO_JSON_END;
    TACHO_TRY(tacho_json_next(reader->json, &token)); /* the object */
    TACHO_TRY(tacho_json_next(reader->json, &token)); /* its key */
    TACHO_TRY(tacho_json_next(reader->json, &token)); /* the list of processes */
    TACHO_TRY(tacho_json_next(reader->json, &token));
    while (token == TACHO_JSON_OBJECT_BEGIN) {
        TACHO_TRY(take_process(reader));
        TACHO_TRY(tacho_json_next(reader->json, &token));
    }
    return TACHO_OK;
}

static tacho_status read_file(json_reader *reader, const tacho_reading *reading)
{
    static const tacho_json_options options = {.is_lenient = true};
    TACHO_TRY(
        rocm_part_init(&reader->rocm, reading, tacho_source_rocprof_json.name, TACHO_STR("")));
    reader->json = malloc(sizeof(*reader->json));
    if (reader->json == NULL) {
        return tacho_no_memory();
    }
    TACHO_TRY(tacho_json_reader_init(reader->json, reading->input, &options));
    tacho_status status = take_all(reader);
    bool is_cut = status != TACHO_OK && reader->json->is_cut;
    tacho_json_reader_deinit(reader->json);
    if (status != TACHO_OK && !is_cut) {
        return status;
    }
    tacho_status_free(status);
    return gpu_part_finish(&reader->rocm.gpu, reading->input,
                           is_cut ? "the file is cut off" : NULL);
}

static tacho_status rocprof_json_read(const tacho_reading *reading)
{
    json_reader *reader = calloc(1, sizeof(*reader));
    if (reader == NULL) {
        return tacho_no_memory();
    }
    tacho_status status = read_file(reader, reading);
    free(reader->json);
    tacho_number_map_deinit(&reader->kernels);
    tacho_number_map_deinit(&reader->operations);
    tacho_number_map_deinit(&reader->kinds);
    tacho_number_map_deinit(&reader->agents);
    rocm_part_deinit(&reader->rocm);
    free(reader);
    return status;
}

static tacho_probe_verdict rocprof_json_probe(tacho_str head)
{
    enum { SEARCHED = 64 };
    tacho_str start = tacho_str_make(head.data, head.len < SEARCHED ? head.len : SEARCHED);
    bool is_it = start.len > 0 && start.data[0] == '{' &&
                 tacho_str_contains(start, TACHO_STR("\"rocprofiler-sdk-tool\""));
    return is_it ? TACHO_PROBE_SURE : TACHO_PROBE_NO;
}

const tacho_source tacho_source_rocprof_json = {
    .name = "rocprof-json",
    .title = "ROCm: JSON of rocprofv3",
    .probe = rocprof_json_probe,
    .read = rocprof_json_read,
};
