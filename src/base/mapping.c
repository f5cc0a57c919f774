/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Whole files: mapped where possible, else read.
 */
#include "base/mapping.h"

#include "base/beneath.h"
#include "base/grow.h"
#include "base/pages.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

/* A pipe may not fill the memory: models are smaller. */
enum { READ_FIRST = TACHO_MAPPING_HEAD_BYTES };
static const size_t read_max = (size_t)4 << 30;

static tacho_status fail_file(const char *path, const char *what)
{
    tacho_code code = errno == ENOENT ? TACHO_CODE_NOT_FOUND : TACHO_CODE_IO;
    return tacho_fail(code, "%s: %s: %s", path, what, strerror(errno));
}

/* Bytes that are read into one growing block. */
typedef struct reading {
    int file;
    const char *path;
    char *bytes;
    size_t len, capacity;
} reading;

/* Reads on until there are |most| bytes, or no more. */
static tacho_status read_up_to(reading *self, uint64_t most, bool *out_is_end)
{
    *out_is_end = false;
    while (self->len < most && !*out_is_end) {
        if (self->len == self->capacity) {
            size_t want = self->capacity == 0 ? READ_FIRST : self->capacity * 2;
            TACHO_TRY(tacho_grow(&self->bytes, &self->capacity, want));
        }
        uint64_t room = self->capacity - self->len, left = most - self->len;
        ssize_t got = read(self->file, self->bytes + self->len, room < left ? room : left);
        if (got < 0 && errno != EINTR) {
            return fail_file(self->path, "cannot read");
        }
        self->len += got > 0 ? (size_t)got : 0;
        *out_is_end = got == 0;
    }
    return TACHO_OK;
}

static tacho_status read_bounded(reading *self, const tacho_mapping_bound *bound)
{
    bool is_end;
    TACHO_TRY(read_up_to(self, TACHO_MAPPING_HEAD_BYTES, &is_end));
    if (!is_end && bound != NULL &&
        (bound->is_known == NULL || !bound->is_known(tacho_str_make(self->bytes, self->len)))) {
        if (bound->bytes_max < read_max) {
            return read_up_to(self, bound->bytes_max, &is_end);
        }
    }
    TACHO_TRY(read_up_to(self, read_max, &is_end));
    return is_end ? TACHO_OK
                  : tacho_fail(TACHO_CODE_LIMIT, "%s: more than 4 GiB that are not in a file",
                               self->path);
}

static tacho_status read_all(int file, const char *path, const tacho_mapping_bound *bound,
                             tacho_mapping *out_mapping)
{
    reading self = {.file = file, .path = path};
    tacho_status status = read_bounded(&self, bound);
    if (status != TACHO_OK) {
        free(self.bytes);
        return status;
    }
    *out_mapping = (tacho_mapping){.memory = self.bytes, .len = self.len};
    return TACHO_OK;
}

static tacho_status map_file(int file, const char *path, const tacho_mapping_bound *bound,
                             tacho_mapping *out_mapping)
{
    struct stat facts;
    if (fstat(file, &facts) != 0) {
        return fail_file(path, "cannot read");
    }
    if (S_ISDIR(facts.st_mode)) {
        return tacho_fail(TACHO_CODE_BAD_DATA, "%s is a directory; expected a file", path);
    }
    if (!S_ISREG(facts.st_mode) || facts.st_size == 0) {
        return read_all(file, path, bound, out_mapping);
    }
    void *bytes = mmap(NULL, (size_t)facts.st_size, PROT_READ, MAP_PRIVATE, file, 0);
    if (bytes == MAP_FAILED) {
        return fail_file(path, "cannot map");
    }
    *out_mapping = (tacho_mapping){
        .memory = bytes,
        .len = (size_t)facts.st_size,
        .is_mapped = true,
        .device = (uint64_t)facts.st_dev,
        .inode = (uint64_t)facts.st_ino,
    };
    return TACHO_OK;
}

/* Keeps the mapping that was put after the last item. */
static void keep_last(tacho_mappings *mappings, tacho_str *out_bytes)
{
    const tacho_mapping *mapping = &mappings->items[mappings->item_count++];
    *out_bytes = tacho_str_make(mapping->memory, mapping->len);
}

tacho_status tacho_mappings_open_bounded(tacho_mappings *mappings, const char *path,
                                         const tacho_mapping_bound *bound, tacho_str *out_bytes)
{
    TACHO_TRY(tacho_grow(&mappings->items, &mappings->item_capacity, mappings->item_count + 1));
    tacho_mapping *mapping = &mappings->items[mappings->item_count];
    if (strcmp(path, "-") == 0) {
        TACHO_TRY(read_all(STDIN_FILENO, "standard input", bound, mapping));
    } else {
        int file = open(path, O_RDONLY | O_CLOEXEC);
        if (file < 0) {
            return fail_file(path, "cannot open");
        }
        tacho_status status = map_file(file, path, bound, mapping);
        close(file);
        TACHO_TRY(status);
    }
    keep_last(mappings, out_bytes);
    return TACHO_OK;
}

tacho_status tacho_mappings_open(tacho_mappings *mappings, const char *path, tacho_str *out_bytes)
{
    return tacho_mappings_open_bounded(mappings, path, NULL, out_bytes);
}

tacho_status tacho_mappings_open_beneath(tacho_mappings *mappings, const char *folder,
                                         const char *path, tacho_str *out_bytes)
{
    TACHO_TRY(tacho_grow(&mappings->items, &mappings->item_capacity, mappings->item_count + 1));
    int file = -1;
    TACHO_TRY(tacho_beneath_open(folder, path, &file));
    tacho_status status = map_file(file, path, NULL, &mappings->items[mappings->item_count]);
    close(file);
    TACHO_TRY(status);
    keep_last(mappings, out_bytes);
    return TACHO_OK;
}

uint64_t tacho_mappings_bytes(const tacho_mappings *mappings)
{
    uint64_t bytes = 0;
    for (size_t i = 0; i < mappings->item_count; i++) {
        bytes += mappings->items[i].len;
    }
    return bytes;
}

void tacho_mappings_release(const tacho_mappings *mappings)
{
    for (size_t i = 0; i < mappings->item_count; i++) {
        if (mappings->items[i].is_mapped && mappings->items[i].memory != NULL) {
            tacho_pages_release(mappings->items[i].memory, mappings->items[i].len);
        }
    }
}

tacho_status tacho_mappings_remember(tacho_mappings *mappings, const tacho_mappings *from)
{
    TACHO_TRY(tacho_grow(&mappings->items, &mappings->item_capacity,
                         mappings->item_count + from->item_count));
    for (size_t i = 0; i < from->item_count; i++) {
        tacho_mapping *item = &mappings->items[mappings->item_count++];
        *item = from->items[i];
        item->memory = NULL;
        item->len = 0;
    }
    return TACHO_OK;
}

bool tacho_mappings_has(const tacho_mappings *mappings, const char *path)
{
    struct stat facts;
    bool is_there = stat(path, &facts) == 0;
    bool has = false;
    for (size_t i = 0; i < mappings->item_count && is_there && !has; i++) {
        const tacho_mapping *mapping = &mappings->items[i];
        has = mapping->is_mapped && mapping->device == (uint64_t)facts.st_dev &&
              mapping->inode == (uint64_t)facts.st_ino;
    }
    return has;
}

void tacho_mappings_close(tacho_mappings *mappings)
{
    for (size_t i = 0; i < mappings->item_count; i++) {
        tacho_mapping *mapping = &mappings->items[i];
        if (mapping->is_mapped && mapping->memory != NULL) {
            munmap(mapping->memory, mapping->len);
        } else {
            free(mapping->memory);
        }
    }
    free(mappings->items);
    *mappings = (tacho_mappings){0};
}
