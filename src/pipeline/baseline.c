/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reading a baseline: its list, and whether its captures are still those that were saved.
 */
#include "pipeline/baseline.h"

#include "base/folder.h"
#include "base/grow.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>

enum { VERSION = 1, LIST_BYTES_MAX = 1 << 20, PIECE_BYTES = 1 << 16, PATH_BYTES = 4096 };

static const tacho_str magic = TACHO_STR_INIT("tacho-baseline ");

typedef struct list_reader {
    tacho_baseline *baseline;
    const char *name;
    uint64_t line;
    bool has_ended;
} list_reader;

static tacho_status bad_line(const list_reader *self, const char *expected)
{
    return tacho_fail(TACHO_CODE_BAD_DATA,
                      "%s:%" PRIu64
                      ": expected %s; remove the directory and save the baseline again",
                      self->name, self->line, expected);
}

/* The text up to the next tab, and behind it. */
static tacho_str next_field(tacho_str *rest)
{
    size_t len = tacho_str_find_byte(*rest, '\t');
    tacho_str field = tacho_str_make(rest->data, len);
    *rest = tacho_str_from(*rest, len < rest->len ? len + 1 : len);
    return field;
}

static size_t count_digits(tacho_str text)
{
    size_t count = 0;
    while (count < text.len && text.data[count] >= '0' && text.data[count] <= '9') {
        count++;
    }
    return count;
}

/* A name that we give, so that no list leads out of its directory. */
static bool is_capture_name(tacho_str name)
{
    size_t first = count_digits(name);
    tacho_str rest = tacho_str_from(name, first);
    size_t second = rest.len > 0 ? count_digits(tacho_str_from(rest, 1)) : 0;
    return first > 0 && rest.data[0] == '-' && second > 0 &&
           tacho_str_equal(tacho_str_from(rest, 1 + second), TACHO_STR(".tacho"));
}

static tacho_status take_entry(list_reader *self, tacho_str rest)
{
    tacho_baseline *baseline = self->baseline;
    tacho_baseline_entry entry;
    tacho_str saved = next_field(&rest);
    if (saved.len == 0) {
        return bad_line(self, "when it was saved");
    }
    TACHO_TRY(tacho_arena_copy(&baseline->arena, saved, &entry.saved));
    TACHO_TRY(tacho_arena_copy(&baseline->arena, rest, &entry.reason));
    TACHO_TRY(tacho_grow(&baseline->entries, &baseline->entry_capacity, baseline->entry_count + 1));
    baseline->entries[baseline->entry_count++] = entry;
    return TACHO_OK;
}

static tacho_status take_capture(list_reader *self, tacho_str rest)
{
    tacho_baseline *baseline = self->baseline;
    tacho_baseline_capture capture = {.byte_count = 0};
    tacho_str name = next_field(&rest);
    tacho_str byte_count = next_field(&rest);
    tacho_str sum = next_field(&rest);
    if (!is_capture_name(name) || !tacho_str_parse_u64(byte_count, &capture.byte_count) ||
        !tacho_str_parse_hex(sum, &capture.checksum)) {
        return bad_line(self, "the name, size and checksum of a capture");
    }
    TACHO_TRY(tacho_arena_copy(&baseline->arena, name, &capture.name));
    TACHO_TRY(tacho_arena_copy(&baseline->arena, rest, &capture.input));
    TACHO_TRY(
        tacho_grow(&baseline->captures, &baseline->capture_capacity, baseline->capture_count + 1));
    baseline->captures[baseline->capture_count++] = capture;
    return TACHO_OK;
}

static tacho_status take_end(list_reader *self, tacho_str rest)
{
    uint64_t count = 0;
    self->has_ended = tacho_str_parse_u64(rest, &count) && count == self->baseline->capture_count;
    return self->has_ended ? TACHO_OK : bad_line(self, "the number of captures above");
}

static tacho_status take_line(list_reader *self, tacho_str line)
{
    if (self->has_ended) {
        return bad_line(self, "nothing behind the end");
    }
    if (tacho_str_starts_with(line, TACHO_STR("end "))) {
        return take_end(self, tacho_str_from(line, strlen("end ")));
    }
    if (tacho_str_starts_with(line, TACHO_STR("entry "))) {
        return take_entry(self, tacho_str_from(line, strlen("entry ")));
    }
    return tacho_str_starts_with(line, TACHO_STR("capture "))
               ? take_capture(self, tacho_str_from(line, strlen("capture ")))
               : bad_line(self, "an entry or a capture");
}

static tacho_status take_head(const list_reader *self, tacho_str line)
{
    uint64_t version = 0;
    if (!tacho_str_starts_with(line, magic) ||
        !tacho_str_parse_u64(tacho_str_from(line, magic.len), &version)) {
        return tacho_fail(TACHO_CODE_BAD_DATA, "%s: not the list of a baseline", self->name);
    }
    return version == VERSION
               ? TACHO_OK
               : tacho_fail(TACHO_CODE_UNSUPPORTED,
                            "%s: a baseline of version %" PRIu64 ", of which this tacho knows only "
                            "%d; remove the directory and save it again, or use the other tacho",
                            self->name, version, (int)VERSION);
}

tacho_status tacho_baseline_init_from(tacho_baseline *baseline, tacho_input *input,
                                      const char *name)
{
    list_reader self = {.baseline = baseline, .name = name};
    tacho_str line = TACHO_STR("");
    bool has_line = true;
    *baseline = (tacho_baseline){.entry_count = 0};
    tacho_arena_init(&baseline->arena);
    while (true) {
        TACHO_TRY(tacho_input_line(input, &line, &has_line));
        if (!has_line) {
            break;
        }
        self.line++;
        if (tacho_input_offset(input) > LIST_BYTES_MAX) {
            return tacho_fail(TACHO_CODE_BAD_DATA, "%s: longer than %d bytes", name,
                              (int)LIST_BYTES_MAX);
        }
        TACHO_TRY(self.line == 1 ? take_head(&self, line) : take_line(&self, line));
    }
    return self.has_ended && baseline->entry_count > 0 && baseline->capture_count > 0
               ? TACHO_OK
               : tacho_fail(
                     TACHO_CODE_BAD_DATA,
                     "%s: the list of the baseline is cut off; remove the directory and save it "
                     "again",
                     name);
}

tacho_status tacho_baseline_init(tacho_baseline *baseline, const char *folder)
{
    tacho_arena arena;
    const char *path = NULL;
    tacho_input input;
    *baseline = (tacho_baseline){.entry_count = 0};
    tacho_arena_init(&baseline->arena);
    tacho_arena_init(&arena);
    tacho_status status = tacho_folder_join(folder, TACHO_STR(TACHO_BASELINE_LIST), &arena, &path);
    if (status == TACHO_OK) {
        status = tacho_input_open(path, &input);
        if (status == TACHO_OK) {
            status = tacho_baseline_init_from(baseline, &input, path);
            tacho_input_close(&input);
        }
    }
    tacho_arena_deinit(&arena);
    return status;
}

void tacho_baseline_deinit(tacho_baseline *baseline)
{
    free(baseline->entries);
    free(baseline->captures);
    tacho_arena_deinit(&baseline->arena);
    *baseline = (tacho_baseline){.entry_count = 0};
}

/* Without memory, so that it cannot fail: a path that is too long for it is none for stat either.
 */
bool tacho_baseline_is_there(const char *folder)
{
    struct stat facts;
    char path[PATH_BYTES];
    int len = snprintf(path, sizeof(path), "%s/" TACHO_BASELINE_LIST, folder);
    return len > 0 && (size_t)len < sizeof(path) && stat(path, &facts) == 0;
}

/*
 * FNV-1a of 64 bits. A capture is made of parts that end with their CRC-32C, so that the CRC-32C of
 * the whole would be the same for all.
 */
static tacho_status measure(tacho_input *input, uint64_t *out_byte_count, uint64_t *out_sum)
{
    char piece[PIECE_BYTES];
    size_t len = 0;
    *out_byte_count = 0;
    *out_sum = UINT64_C(0xcbf29ce484222325);
    do {
        TACHO_TRY(tacho_input_take(input, piece, sizeof(piece), &len));
        for (size_t i = 0; i < len; i++) {
            *out_sum = (*out_sum ^ (unsigned char)piece[i]) * UINT64_C(0x100000001b3);
        }
        *out_byte_count += len;
    } while (len > 0);
    return TACHO_OK;
}

tacho_status tacho_baseline_measure(const char *path, uint64_t *out_byte_count, uint64_t *out_sum)
{
    tacho_input input;
    TACHO_TRY(tacho_input_open(path, &input));
    tacho_status status = measure(&input, out_byte_count, out_sum);
    tacho_input_close(&input);
    return status;
}

tacho_status tacho_baseline_resolve(const tacho_baseline_capture *capture, const char *folder,
                                    tacho_arena *arena, const char **out_path)
{
    uint64_t byte_count = 0;
    uint64_t checksum = 0;
    TACHO_TRY(tacho_folder_join(folder, capture->name, arena, out_path));
    TACHO_TRY_NOTE(tacho_baseline_measure(*out_path, &byte_count, &checksum),
                   "the baseline %s has it in its list", folder);
    if (byte_count != capture->byte_count) {
        return tacho_fail(TACHO_CODE_BAD_DATA,
                          "%s: %" PRIu64 " bytes, but %" PRIu64 " were saved: it was %s since; "
                          "restore it, or accept new profiles in place of the baseline",
                          *out_path, byte_count, capture->byte_count,
                          byte_count < capture->byte_count ? "cut off" : "changed");
    }
    return checksum == capture->checksum
               ? TACHO_OK
               : tacho_fail(TACHO_CODE_BAD_DATA,
                            "%s: not the bytes that were saved: it was changed since; restore it, "
                            "or accept new profiles in place of the baseline",
                            *out_path);
}
