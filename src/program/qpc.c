/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reading and writing QPC containers. Fields are read byte by byte, since pointers of other
 * writers' files are not aligned.
 */
#include "program/qpc.h"

#include "program/bytes.h"

#include <assert.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

enum {
    AT_MAGIC = 0,
    AT_MAJOR = 4,
    AT_MINOR = 5,
    AT_FORM = 6,
    AT_SIZE = 8,
    AT_BASE = 16,
    AT_COUNT = 24,
    AT_TABLE = 32,
    HEADER_BYTES = 40,
    SEGMENT_SIZE = 0,
    SEGMENT_OFFSET = 8,
    SEGMENT_NAME = 16,
    SEGMENT_DATA = 24,
    SEGMENT_BYTES = 32,
    FORM_ON_DISK = 1,
};

/* A range of the file that a part claims. */
typedef struct region {
    uint64_t start, end;
    const char *what;
    size_t segment; /* counted from 1; 0 for none */
} region;

bool tacho_qpc_is_container(tacho_str head)
{
    return head.len >= 4 && tacho_bytes_load(head.data, 4) == TACHO_QPC_MAGIC;
}

static uint64_t load(const tacho_qpc *qpc, uint64_t at, size_t width)
{
    return tacho_bytes_load(qpc->bytes.data + at, width);
}

static tacho_status fail_field(uint64_t at, const char *what, uint64_t expected, uint64_t found)
{
    return tacho_fail(TACHO_CODE_BAD_DATA,
                      "container, byte %" PRIu64 ": %s: expected %" PRIu64 ", found %" PRIu64, at,
                      what, expected, found);
}

static tacho_status check_header(const tacho_qpc *qpc)
{
    if (qpc->bytes.len < HEADER_BYTES) {
        return tacho_fail(TACHO_CODE_BAD_DATA,
                          "container, byte %zu: the file ends in the header: expected 40 bytes or "
                          "more, found %zu",
                          qpc->bytes.len, qpc->bytes.len);
    }
    uint64_t magic = load(qpc, AT_MAGIC, 4);
    if (magic != TACHO_QPC_MAGIC) {
        return tacho_fail(TACHO_CODE_BAD_DATA,
                          "container, byte 0: magic: expected 0x%08x, found 0x%08" PRIx64,
                          TACHO_QPC_MAGIC, magic);
    }
    if (load(qpc, AT_MAJOR, 1) != 0 || load(qpc, AT_MINOR, 1) != 1) {
        return tacho_fail(TACHO_CODE_UNSUPPORTED,
                          "container, byte 4: version: expected 0.1, found %" PRIu64 ".%" PRIu64,
                          load(qpc, AT_MAJOR, 1), load(qpc, AT_MINOR, 1));
    }
    if (load(qpc, AT_FORM, 2) != FORM_ON_DISK) {
        return fail_field(AT_FORM, "form of the file", FORM_ON_DISK, load(qpc, AT_FORM, 2));
    }
    uint64_t size = load(qpc, AT_SIZE, 8);
    if (size == qpc->bytes.len) {
        return TACHO_OK;
    }
    return tacho_fail(
        TACHO_CODE_BAD_DATA, "the container is %s: its header says %" PRIu64 " bytes, it has %zu",
        size > qpc->bytes.len ? "cut short" : "followed by other bytes", size, qpc->bytes.len);
}

/* The place in the file that the pointer at |at| refers to, with |size| bytes from there on. */
static tacho_status resolve(const tacho_qpc *qpc, uint64_t at, uint64_t size, const char *what,
                            uint64_t *out_place)
{
    uint64_t pointer = load(qpc, at, 8);
    if (pointer < qpc->base) {
        return tacho_fail(TACHO_CODE_BAD_DATA,
                          "container, byte %" PRIu64 ": pointer to %s: expected at least the base, "
                          "0x%" PRIx64 ", found 0x%" PRIx64,
                          at, what, qpc->base, pointer);
    }
    *out_place = pointer - qpc->base;
    if (*out_place > qpc->bytes.len || size > qpc->bytes.len - *out_place) {
        return tacho_fail(TACHO_CODE_BAD_DATA,
                          "container, byte %" PRIu64 ": pointer to %s: expected %" PRIu64
                          " bytes within the file's %zu, found them at byte %" PRIu64,
                          at, what, size, qpc->bytes.len, *out_place);
    }
    return TACHO_OK;
}

static tacho_status read_segment(const tacho_qpc *qpc, uint64_t at, tacho_qpc_segment *segment,
                                 region regions[2])
{
    uint64_t name_place = 0;
    TACHO_TRY(resolve(qpc, at + SEGMENT_NAME, 1, "a name", &name_place));
    tacho_str rest = tacho_str_from(qpc->bytes, (size_t)name_place);
    rest.len = rest.len < TACHO_QPC_NAME_MAX ? rest.len : TACHO_QPC_NAME_MAX;
    size_t name_len = tacho_str_find_byte(rest, '\0');
    if (name_len == rest.len) {
        return tacho_fail(TACHO_CODE_BAD_DATA,
                          "container, byte %" PRIu64 ": a name: expected a NUL within %zu bytes, "
                          "found none",
                          name_place, rest.len);
    }
    uint64_t size = load(qpc, at + SEGMENT_SIZE, 8);
    segment->name = tacho_str_make(rest.data, name_len);
    segment->offset = load(qpc, at + SEGMENT_OFFSET, 8);
    TACHO_TRY(resolve(qpc, at + SEGMENT_DATA, size, "data", &segment->place));
    segment->data = tacho_str_make(qpc->bytes.data + segment->place, (size_t)size);
    regions[0].start = name_place;
    regions[0].end = name_place + name_len + 1;
    regions[0].what = "name";
    regions[1].start = segment->place;
    regions[1].end = segment->place + size;
    regions[1].what = "data";
    return TACHO_OK;
}

static int compare_regions(const void *a, const void *b)
{
    const region *left = a;
    const region *right = b;
    if (left->start != right->start) {
        return left->start < right->start ? -1 : 1;
    }
    return (left->end > right->end) - (left->end < right->end);
}

static const char *print_region(const region *of, char *to, size_t size)
{
    if (of->segment == 0) {
        snprintf(to, size, "the %s", of->what);
    } else {
        snprintf(to, size, "the %s of segment %zu", of->what, of->segment);
    }
    return to;
}

static tacho_status fail_overlap(const region *first, const region *second)
{
    char first_text[64];
    char second_text[64];
    return tacho_fail(TACHO_CODE_BAD_DATA,
                      "container, byte %" PRIu64 ": two things in one place: expected %s to start "
                      "at byte %" PRIu64 " or later, where %s ends, found it at byte %" PRIu64,
                      second->start, print_region(second, second_text, sizeof(second_text)),
                      first->end, print_region(first, first_text, sizeof(first_text)),
                      second->start);
}

/* Empty regions may be anywhere; others do not share a byte. */
static tacho_status check_overlap(region *regions, size_t region_count)
{
    qsort(regions, region_count, sizeof(*regions), compare_regions);
    const region *last = &regions[0];
    for (size_t i = 1; i < region_count; i++) {
        const region *next = &regions[i];
        if (next->start == next->end) {
            continue;
        }
        if (next->start < last->end) {
            return fail_overlap(last, next);
        }
        last = next;
    }
    return TACHO_OK;
}

static int compare_names(const void *a, const void *b)
{
    const tacho_qpc_segment *const *left = a;
    const tacho_qpc_segment *const *right = b;
    return tacho_str_compare((*left)->name, (*right)->name);
}

static tacho_status check_names(const tacho_qpc *qpc, tacho_arena *arena)
{
    void *memory = NULL;
    TACHO_TRY(tacho_arena_alloc(arena, qpc->segment_count * sizeof(tacho_qpc_segment *), &memory));
    const tacho_qpc_segment **sorted = memory;
    for (size_t i = 0; i < qpc->segment_count; i++) {
        sorted[i] = &qpc->segments[i];
    }
    qsort(sorted, qpc->segment_count, sizeof(*sorted), compare_names);
    for (size_t i = 1; i < qpc->segment_count; i++) {
        if (tacho_str_equal(sorted[i - 1]->name, sorted[i]->name)) {
            return tacho_fail(TACHO_CODE_BAD_DATA,
                              "container, byte %" PRIu64 ": a name: expected another than '%.*s', "
                              "which two segments have",
                              (uint64_t)(sorted[i]->name.data - qpc->bytes.data),
                              TACHO_STR_ARG(sorted[i]->name));
        }
    }
    return TACHO_OK;
}

static tacho_status read_segments(tacho_qpc *qpc, uint64_t table, tacho_arena *arena)
{
    void *memory = NULL;
    TACHO_TRY(tacho_arena_alloc(arena, qpc->segment_count * sizeof(tacho_qpc_segment), &memory));
    tacho_qpc_segment *segments = memory;
    TACHO_TRY(tacho_arena_alloc(arena, (2 * qpc->segment_count + 2) * sizeof(region), &memory));
    region *regions = memory;
    regions[0] = (region){0, HEADER_BYTES, "header", 0};
    regions[1] = (region){table, table + qpc->segment_count * SEGMENT_BYTES, "segment table", 0};
    qpc->segments = segments;
    for (size_t i = 0; i < qpc->segment_count; i++) {
        region *own = &regions[2 + 2 * i];
        own[0].segment = own[1].segment = i + 1;
        TACHO_TRY_NOTE(read_segment(qpc, table + i * SEGMENT_BYTES, &segments[i], own),
                       "segment %zu of %zu", i + 1, qpc->segment_count);
    }
    TACHO_TRY(check_overlap(regions, 2 * qpc->segment_count + 2));
    return check_names(qpc, arena);
}

tacho_status tacho_qpc_read(tacho_str bytes, tacho_arena *arena, tacho_qpc *out_qpc)
{
    *out_qpc = (tacho_qpc){.bytes = bytes};
    TACHO_TRY(check_header(out_qpc));
    out_qpc->base = load(out_qpc, AT_BASE, 8);
    uint64_t count = load(out_qpc, AT_COUNT, 8);
    if (count > TACHO_QPC_SEGMENTS_MAX) {
        return tacho_fail(TACHO_CODE_LIMIT,
                          "container, byte %d: number of segments: expected at most %d, found "
                          "%" PRIu64,
                          AT_COUNT, TACHO_QPC_SEGMENTS_MAX, count);
    }
    uint64_t table = 0;
    TACHO_TRY(resolve(out_qpc, AT_TABLE, count * SEGMENT_BYTES, "the segment table", &table));
    out_qpc->segment_count = (size_t)count;
    return read_segments(out_qpc, table, arena);
}

tacho_status tacho_qpc_read_named(const char *path, tacho_str bytes, tacho_arena *arena,
                                  tacho_qpc *out_qpc)
{
    tacho_status status = tacho_qpc_read(bytes, arena, out_qpc);
    if (status == TACHO_OK) {
        return TACHO_OK;
    }
    const char *note = tacho_status_note(status, 0);
    tacho_status named =
        tacho_fail(tacho_status_code(status), "%s: %s%s%s%s", path, tacho_status_message(status),
                   note != NULL ? " (" : "", note != NULL ? note : "", note != NULL ? ")" : "");
    tacho_status_free(status);
    return named;
}

const tacho_qpc_segment *tacho_qpc_find(const tacho_qpc *qpc, tacho_str name)
{
    for (size_t i = 0; i < qpc->segment_count; i++) {
        if (tacho_str_equal(qpc->segments[i].name, name)) {
            return &qpc->segments[i];
        }
    }
    return NULL;
}

static void store_header(char *head, size_t segment_count, uint64_t size)
{
    tacho_bytes_store(head + AT_MAGIC, TACHO_QPC_MAGIC, 4);
    tacho_bytes_store(head + AT_MINOR, 1, 1);
    tacho_bytes_store(head + AT_FORM, FORM_ON_DISK, 2);
    tacho_bytes_store(head + AT_SIZE, size, 8);
    tacho_bytes_store(head + AT_COUNT, segment_count, 8);
    tacho_bytes_store(head + AT_TABLE, HEADER_BYTES, 8);
}

tacho_status tacho_qpc_make_head(const tacho_qpc_segment *segments, size_t segment_count,
                                 tacho_arena *arena, tacho_str *out_head)
{
    assert(segment_count <= TACHO_QPC_SEGMENTS_MAX);
    size_t name_at = HEADER_BYTES + segment_count * SEGMENT_BYTES;
    size_t len = name_at;
    for (size_t i = 0; i < segment_count; i++) {
        assert(segments[i].name.len < TACHO_QPC_NAME_MAX);
        len += segments[i].name.len + 1;
    }
    len = (size_t)tacho_bytes_align(len);
    void *memory = NULL;
    TACHO_TRY(tacho_arena_alloc(arena, len, &memory));
    char *head = memory;
    uint64_t end = len;
    for (size_t i = 0; i < segment_count; i++) {
        char *row = head + HEADER_BYTES + i * SEGMENT_BYTES;
        uint64_t place = tacho_bytes_align(end);
        tacho_bytes_store(row + SEGMENT_SIZE, segments[i].data.len, 8);
        tacho_bytes_store(row + SEGMENT_OFFSET, segments[i].offset, 8);
        tacho_bytes_store(row + SEGMENT_NAME, name_at, 8);
        tacho_bytes_store(row + SEGMENT_DATA, place, 8);
        memcpy(head + name_at, segments[i].name.data, segments[i].name.len);
        name_at += segments[i].name.len + 1;
        end = place + segments[i].data.len;
    }
    store_header(head, segment_count, end);
    *out_head = tacho_str_make(head, len);
    return TACHO_OK;
}

void tacho_qpc_write(const tacho_qpc_segment *segments, size_t segment_count, uint64_t at,
                     tacho_output *output)
{
    static const char zeros[8] = {0};
    for (size_t i = 0; i < segment_count; i++) {
        uint64_t place = tacho_bytes_align(at);
        tacho_output_write(output, zeros, (size_t)(place - at));
        tacho_output_write_str(output, segments[i].data);
        at = place + segments[i].data.len;
    }
}
