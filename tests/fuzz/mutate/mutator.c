/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The custom mutator of all targets: one structured change, chosen by what the input looks like, or
 * now and then a change of bytes.
 */
#include "mutate.h"

#include <string.h>

typedef bool (*mutate_function)(mutation *self);

enum { BYTES_OF = 4 }; /* every so many changes are of bytes */

size_t mutation_draw(mutation *self, size_t count)
{
    self->seed = self->seed * 6364136223846793005u + 1442695040888963407u;
    return count == 0 ? 0 : (size_t)((self->seed >> 33) % count);
}

void mutation_put(mutation *self, const void *bytes, size_t len)
{
    if (len > MUTATION_ROOM - self->made_len) {
        self->is_full = true;
    } else if (len > 0) {
        memcpy(self->made + self->made_len, bytes, len);
        self->made_len += len;
    }
}

void mutation_put_range(mutation *self, size_t start, size_t end)
{
    mutation_put(self, self->data + start, end - start);
}

void mutation_replace(mutation *self, size_t start, size_t end, const void *bytes, size_t len)
{
    mutation_put_range(self, 0, start);
    mutation_put(self, bytes, len);
    mutation_put_range(self, end, self->size);
}

const char *mutation_odd_number(mutation *self)
{
    static const char *const odd[] = {"0",
                                      "1",
                                      "-1",
                                      "2",
                                      "7",
                                      "64",
                                      "255",
                                      "65536",
                                      "2147483647",
                                      "4294967295",
                                      "4294967296",
                                      "-2147483649",
                                      "999",
                                      "1e3",
                                      "0.5",
                                      "-0",
                                      "1e400",
                                      "1e-400",
                                      "9223372036854775807",
                                      "9223372036854775808",
                                      "-9223372036854775808",
                                      "18446744073709551615",
                                      "0.0000001",
                                      "123456789.123456789",
                                      "1e18",
                                      "1e19"};
    return odd[mutation_draw(self, sizeof(odd) / sizeof(odd[0]))];
}

size_t mutation_change_bytes(mutation *self, const uint8_t *bytes, size_t len, uint8_t *to,
                             size_t room)
{
    size_t kept = len < room ? len : room;
    (void)self;
    if (kept > 0) {
        memcpy(to, bytes, kept);
    }
    return LLVMFuzzerMutate(to, kept, room);
}

static bool is_text(const uint8_t *data, size_t size)
{
    size_t odd = 0;
    for (size_t i = 0; i < size; i++) {
        odd += (data[i] < ' ' && data[i] != '\n' && data[i] != '\t' && data[i] != '\r') ||
               data[i] == 0x7f;
    }
    return odd * 16 <= size;
}

/* Mutators in the order tried; the first that makes a change ends it. */
static bool mutate_by_content(mutation *self)
{
    static const mutate_function binary[] = {mutate_chunks, mutate_sealed, mutate_tracy,
                                             mutate_protobuf, mutate_numbers};
    static const mutate_function texts[] = {mutate_json, mutate_table, mutate_lines};
    bool has_text = is_text(self->data, self->size);
    const mutate_function *list = has_text ? texts : binary;
    size_t count = has_text ? sizeof(texts) / sizeof(texts[0]) : sizeof(binary) / sizeof(binary[0]);
    /* Lines of JSON and CSV are lines, too; and any bytes are numbers. */
    size_t first = mutation_draw(self, 4) == 0 ? count - 1 : 0;
    for (size_t i = first; i < count; i++) {
        self->made_len = 0;
        self->is_full = false;
        if (list[i](self) && !self->is_full) {
            return true;
        }
    }
    return false;
}

static bool mutate_content(mutation *self, const fuzz_layout *layout)
{
    bool is_whole = self->size > 4 && memcmp(self->data + 1, "TCH", 3) == 0; /* not divided */
    bool has_pieces = layout->piece_head_bytes > 0 && !is_whole && mutation_draw(self, 3) > 0;
    return (has_pieces && mutate_pieces(self, layout) && !self->is_full) || mutate_by_content(self);
}

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max_size, unsigned seed)
{
    static const fuzz_layout plain = {0};
    static uint8_t made[MUTATION_ROOM];
    const fuzz_layout *layout = &fuzz_input_layout != NULL ? &fuzz_input_layout : &plain;
    size_t prefix = layout->prefix_bytes;
    mutation self = {.seed = seed, .made = made};
    if (size <= prefix || size - prefix > MUTATION_INPUT_MAX ||
        mutation_draw(&self, BYTES_OF) == 0) {
        return LLVMFuzzerMutate(data, size, max_size);
    }
    self.data = data + prefix;
    self.size = size - prefix;
    if (!mutate_content(&self, layout) || self.made_len > max_size - prefix) {
        return LLVMFuzzerMutate(data, size, max_size);
    }
    memcpy(data + prefix, made, self.made_len);
    return prefix + self.made_len;
}
