/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The sliding window. Plain files are read with read(2) rather than mapped: one code path for
 * files, pipes and compressed streams, no SIGBUS when a file shrinks under us, and the copy
 * from the page cache stays in the second-level cache.
 */
#define _GNU_SOURCE /* posix_fadvise */
#include "base/input.h"

#include "base/budget.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

enum {
    WINDOW_BYTES = 256 << 10,
    RAW_BYTES = 128 << 10,
    PATH_BYTES = 4096,
    HEAD_RAW_BYTES = 4096,  /* read at a time for the head of a compressed file */
    HEAD_RAW_MAX = 1 << 18, /* a block of zstd gives nothing until it is whole */
};

static tacho_status io_failure(const tacho_input *input, const char *verb)
{
    return tacho_fail(errno == ENOENT ? TACHO_CODE_NOT_FOUND : TACHO_CODE_IO, "%s: cannot %s: %s",
                      input->name, verb, strerror(errno));
}

/* read(2) that retries on signals; 0 at the end. */
static tacho_status read_fd(tacho_input *input, void *bytes, size_t room, size_t *out_len)
{
    *out_len = 0;
    if (input->fd < 0) {
        return TACHO_OK;
    }
    ssize_t got = 0;
    do {
        got = read(input->fd, bytes, room);
    } while (got < 0 && errno == EINTR);
    if (got < 0) {
        return io_failure(input, "read");
    }
    *out_len = (size_t)got;
    input->raw_read_bytes += (uint64_t)got;
    if (input->progress.update != NULL) {
        input->progress.update(input->progress.self, input->raw_read_bytes, input->raw_total_bytes);
    }
    return TACHO_OK;
}

static tacho_status refill_raw(tacho_input *input)
{
    if (input->raw_len > 0 || input->raw_at_end) {
        return TACHO_OK;
    }
    input->raw_at = 0;
    TACHO_TRY(read_fd(input, input->raw, RAW_BYTES, &input->raw_len));
    input->raw_at_end = input->raw_len == 0;
    return TACHO_OK;
}

static void end_damaged(tacho_input *input, const char *damage)
{
    input->damage = damage;
    input->at_end = true;
}

/* Decodes until some output is there or the stream ends. */
static tacho_status read_decoded(tacho_input *input, char *bytes, size_t room, size_t *out_len)
{
    tacho_decode_io io = {.out = (unsigned char *)bytes, .out_len = room};
    while (io.out_len == room && !input->at_end) {
        TACHO_TRY(refill_raw(input));
        if (input->raw_at_end && input->raw_len == 0 && input->stream_ended) {
            input->at_end = true;
            break;
        }
        io.in = input->raw + input->raw_at;
        io.in_len = input->raw_len;
        tacho_decode_result result = tacho_decoder_run(input->decoder, &io);
        bool stuck = io.in_len == input->raw_len && io.out_len == room;
        input->raw_at += input->raw_len - io.in_len;
        input->raw_len = io.in_len;
        input->stream_ended = result == TACHO_DECODE_END;
        if (result == TACHO_DECODE_BAD) {
            end_damaged(input, "the compressed stream is damaged");
        } else if (stuck && input->raw_at_end) {
            end_damaged(input, "the compressed stream is cut off");
        }
    }
    *out_len = room - io.out_len;
    return TACHO_OK;
}

static tacho_status check_use(const tacho_input *input)
{
    bool is_useless = input->limit_offset >= TACHO_INPUT_USELESS_MAX &&
                      tacho_input_may_be_endless(input) && input->use.has_any != NULL &&
                      !input->use.has_any(input->use.self);
    return is_useless ? tacho_fail(TACHO_CODE_LIMIT,
                                   "%s: nothing can be read in its first %d MiB, and what is not "
                                   "a file may have no end; if it has one, save it to a file",
                                   input->name, TACHO_INPUT_USELESS_MAX >> 20)
                      : TACHO_OK;
}

/*
 * A few bytes can unpack to gigabytes of events that all have to be held: beyond
 * TACHO_INPUT_RATIO_MAX unpacked bytes do not count towards the memory that an input may take.
 */
static void count_bytes(const tacho_input *input, size_t new_bytes)
{
    uint64_t most = input->raw_read_bytes * TACHO_INPUT_RATIO_MAX;
    bool is_bomb = input->decoder != NULL && input->limit_offset + new_bytes > most;
    tacho_budget_add_input(is_bomb ? 0 : new_bytes, is_bomb);
}

static tacho_status read_more(tacho_input *input, char *bytes, size_t room, size_t *out_len)
{
    TACHO_TRY(check_use(input));
    if (input->decoder != NULL) {
        TACHO_TRY(read_decoded(input, bytes, room, out_len));
    } else {
        TACHO_TRY(read_fd(input, bytes, room, out_len));
        input->at_end = *out_len == 0;
    }
    count_bytes(input, *out_len);
    return TACHO_OK;
}

/* A buffer with the readable bytes ahead of it; NULL if out of memory. */
static char *allocate_buffer(size_t capacity)
{
    char *memory = malloc(TACHO_INPUT_LEAD_BYTES + capacity);
    return memory != NULL
               ? (char *)memset(memory, 0, TACHO_INPUT_LEAD_BYTES) + TACHO_INPUT_LEAD_BYTES
               : NULL;
}

static void free_buffer(char *buffer)
{
    free(buffer != NULL ? buffer - TACHO_INPUT_LEAD_BYTES : NULL);
}

/* Moves unread bytes to the front of the buffer, which is made larger when they fill it. */
static tacho_status make_room(tacho_input *input)
{
    size_t unread = (size_t)(input->limit - input->cursor);
    size_t capacity = input->buffer_capacity;
    char *buffer = input->buffer;
    if (unread == capacity) {
        capacity *= 2;
        buffer = allocate_buffer(capacity);
        if (buffer == NULL) {
            return tacho_fail(TACHO_CODE_NO_MEMORY, "%s: cannot get %zu bytes of memory",
                              input->name, capacity);
        }
    }
    memmove(buffer, input->cursor, unread);
    if (buffer != input->buffer) {
        free_buffer(input->buffer);
        input->buffer = buffer;
        input->buffer_capacity = capacity;
    }
    input->cursor = buffer;
    input->limit = buffer + unread;
    return TACHO_OK;
}

/* Adds at least one byte to the window, or sets at_end. */
static tacho_status refill(tacho_input *input)
{
    if (input->at_end) {
        return TACHO_OK;
    }
    TACHO_TRY(make_room(input));
    size_t unread = (size_t)(input->limit - input->cursor);
    size_t got = 0;
    TACHO_TRY(read_more(input, input->buffer + unread, input->buffer_capacity - unread, &got));
    input->limit += got;
    input->limit_offset += got;
    return TACHO_OK;
}

tacho_status tacho_input_peek(tacho_input *input, size_t want, tacho_str *out_bytes)
{
    while ((size_t)(input->limit - input->cursor) < want && !input->at_end) {
        TACHO_TRY(refill(input));
    }
    *out_bytes = tacho_str_make(input->cursor, (size_t)(input->limit - input->cursor));
    return TACHO_OK;
}

tacho_status tacho_input_take(tacho_input *input, char *bytes, size_t room, size_t *out_len)
{
    size_t visible = (size_t)(input->limit - input->cursor);
    *out_len = visible < room ? visible : room;
    if (visible > 0) {
        memcpy(bytes, input->cursor, *out_len);
        input->cursor += *out_len;
        return TACHO_OK;
    }
    if (!input->at_end) {
        TACHO_TRY(read_more(input, bytes, room, out_len));
        input->limit_offset += *out_len;
    }
    return TACHO_OK;
}

#if defined(__SSE2__)
enum { BLOCK_BYTES = 64 };

/* Which of the BLOCK_BYTES at |block| are newlines, the first one lowest. */
static inline uint64_t newline_bits(const char *block)
{
    uint64_t bits = 0;
    for (unsigned i = 0; i < BLOCK_BYTES; i += 16) {
        __m128i bytes = _mm_loadu_si128((const __m128i *)(const void *)(block + i));
        __m128i are_newlines = _mm_cmpeq_epi8(bytes, _mm_set1_epi8('\n'));
        bits |= (uint64_t)(unsigned)_mm_movemask_epi8(are_newlines) << i;
    }
    return bits;
}

/* Adds the place of the lowest of |bits|; without any, the written place is not counted. */
static inline uint64_t add_newline(const char *block, uint64_t bits, const char **out_newlines,
                                   size_t *count)
{
    out_newlines[*count] = block + __builtin_ctzll(bits | UINT64_C(1) << (BLOCK_BYTES - 1));
    *count += bits != 0 ? 1 : 0;
    return bits & (bits - 1);
}
#endif

size_t tacho_input_find_newlines(const tacho_input *input, const char **out_newlines, size_t max)
{
    const char *at = input->cursor;
    size_t count = 0;
#if defined(__SSE2__)
    for (; input->limit - at >= BLOCK_BYTES && count < max; at += BLOCK_BYTES) {
        uint64_t bits = newline_bits(at);
        bits = add_newline(at, bits, out_newlines, &count); /* most blocks have one or two */
        bits = add_newline(at, bits, out_newlines, &count);
        while (TACHO_UNLIKELY(bits != 0) && count < max) {
            bits = add_newline(at, bits, out_newlines, &count);
        }
    }
#endif
    while (count < max && at < input->limit) {
        const char *newline = memchr(at, '\n', (size_t)(input->limit - at));
        at = newline != NULL ? newline + 1 : input->limit;
        if (newline != NULL) {
            out_newlines[count++] = newline;
        }
    }
    return count < max ? count : max;
}

tacho_status tacho_input_line_slow(tacho_input *input, tacho_str *out_line, bool *out_got)
{
    size_t seen = 0; /* bytes known to hold no newline */
    for (;;) {
        size_t visible = (size_t)(input->limit - input->cursor);
        const char *newline =
            visible > seen ? memchr(input->cursor + seen, '\n', visible - seen) : NULL;
        size_t len = newline != NULL ? (size_t)(newline - input->cursor) : visible;
        if (newline != NULL && len <= TACHO_INPUT_TOKEN_MAX) {
            return tacho_input_line(input, out_line, out_got);
        }
        if (len > TACHO_INPUT_TOKEN_MAX) {
            return tacho_fail(TACHO_CODE_LIMIT,
                              "%s:%llu: the line that starts at byte %llu is longer than %d MiB; "
                              "is this a text file?",
                              input->name, (unsigned long long)input->line_number + 1,
                              (unsigned long long)tacho_input_offset(input),
                              TACHO_INPUT_TOKEN_MAX >> 20);
        }
        if (input->at_end) {
            break;
        }
        seen = visible;
        TACHO_TRY(refill(input));
    }
    /* The last line of a damaged stream is cut too: half a number would read as a number. */
    *out_got = input->cursor < input->limit && input->damage == NULL;
    *out_line = tacho_str_make(input->cursor, (size_t)(input->limit - input->cursor));
    if (*out_got) {
        input->line_number++;
        out_line->len -= out_line->data[out_line->len - 1] == '\r' ? 1 : 0;
    }
    input->cursor = input->limit;
    return TACHO_OK;
}

/* Looks at the first bytes and, if they are compressed, turns the window into raw input. */
static tacho_status start_decoding(tacho_input *input)
{
    tacho_str head;
    TACHO_TRY(tacho_input_peek(input, 4, &head));
    TACHO_TRY(tacho_decoder_create(head, &input->decoder));
    if (input->decoder == NULL) {
        return TACHO_OK;
    }
    size_t capacity = head.len > RAW_BYTES ? head.len : RAW_BYTES;
    input->raw = malloc(capacity);
    if (input->raw == NULL) {
        return tacho_fail(TACHO_CODE_NO_MEMORY, "%s: cannot get memory to decompress", input->name);
    }
    memcpy(input->raw, head.data, head.len);
    input->raw_len = head.len;
    input->raw_read_bytes = input->fd < 0 ? head.len : input->raw_read_bytes;
    input->cursor = input->limit = input->buffer;
    input->limit_offset = 0;
    input->at_end = false;
    return TACHO_OK;
}

static tacho_status start_window(tacho_input *input)
{
    input->buffer = allocate_buffer(WINDOW_BYTES);
    if (input->buffer == NULL) {
        return tacho_fail(TACHO_CODE_NO_MEMORY, "%s: cannot get %d bytes of memory", input->name,
                          WINDOW_BYTES);
    }
    input->buffer_capacity = WINDOW_BYTES;
    input->cursor = input->limit = input->buffer;
    return start_decoding(input);
}

static tacho_status open_path(tacho_input *input, const char *path)
{
    input->owns_fd = true;
    input->fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY);
    return input->fd < 0 ? io_failure(input, "open") : TACHO_OK;
}

static tacho_status check_kind(tacho_input *input)
{
    struct stat facts;
    if (fstat(input->fd, &facts) != 0) {
        return io_failure(input, "examine");
    }
    if (S_ISDIR(facts.st_mode)) {
        return tacho_fail(TACHO_CODE_IO, "%s is a directory; name a file in it", input->name);
    }
    if (S_ISREG(facts.st_mode)) {
        input->raw_total_bytes = (uint64_t)facts.st_size;
        posix_fadvise(input->fd, 0, 0, POSIX_FADV_SEQUENTIAL); /* advice; failing is harmless */
    }
    return TACHO_OK;
}

static tacho_status set_name(tacho_input *input, const char *name)
{
    *input = (tacho_input){.fd = -1};
    input->name = strdup(name);
    if (input->name == NULL) {
        return tacho_no_memory();
    }
    return TACHO_OK;
}

static tacho_status open_all(tacho_input *input, const char *path, bool is_stdin)
{
    if (is_stdin) {
        input->fd = STDIN_FILENO;
    } else {
        TACHO_TRY(open_path(input, path));
    }
    TACHO_TRY(check_kind(input));
    return start_window(input);
}

tacho_status tacho_input_open(const char *path, tacho_input *out_input)
{
    bool is_stdin = strcmp(path, "-") == 0;
    if (path[0] == '\0') {
        *out_input = (tacho_input){.fd = -1};
        return tacho_fail(TACHO_CODE_NOT_FOUND, "the file name is empty");
    }
    TACHO_TRY(set_name(out_input, is_stdin ? "standard input" : path));
    tacho_status status = open_all(out_input, path, is_stdin);
    if (status != TACHO_OK) {
        tacho_input_close(out_input);
    }
    return status;
}

static tacho_status start_bytes(tacho_input *input, tacho_str bytes)
{
    input->buffer = allocate_buffer(bytes.len + 1);
    if (input->buffer == NULL) {
        return tacho_fail(TACHO_CODE_NO_MEMORY, "%s: cannot get %zu bytes of memory", input->name,
                          bytes.len);
    }
    if (bytes.len > 0) {
        memcpy(input->buffer, bytes.data, bytes.len);
    }
    input->buffer_capacity = bytes.len + 1;
    input->cursor = input->buffer;
    input->limit = input->buffer + bytes.len;
    input->limit_offset = bytes.len;
    return start_decoding(input);
}

tacho_status tacho_input_open_bytes(const char *name, tacho_str bytes, tacho_input *out_input)
{
    TACHO_TRY(set_name(out_input, name));
    tacho_status status = start_bytes(out_input, bytes);
    if (status != TACHO_OK) {
        tacho_input_close(out_input);
    }
    return status;
}

void tacho_input_close(tacho_input *input)
{
    if (input->owns_fd && input->fd >= 0) {
        close(input->fd);
    }
    tacho_decoder_destroy(input->decoder);
    free(input->raw);
    free_buffer(input->buffer);
    free(input->name);
    *input = (tacho_input){.fd = -1};
}

const char *tacho_input_compression(const tacho_input *input)
{
    return input->decoder == NULL ? NULL : tacho_decoder_name(input->decoder);
}

bool tacho_input_is_rereadable(const char *path)
{
    struct stat facts;
    return strcmp(path, "-") != 0 && stat(path, &facts) == 0 && S_ISREG(facts.st_mode);
}

bool tacho_input_is_same_file(const char *path, const char *other_path)
{
    struct stat facts;
    struct stat other;
    return stat(path, &facts) == 0 && stat(other_path, &other) == 0 &&
           facts.st_dev == other.st_dev && facts.st_ino == other.st_ino && S_ISREG(facts.st_mode);
}

/* The directory that contains |path|, by its numbers; false where there is none. */
static bool stat_folder(const char *path, tacho_str name, struct stat *out_facts)
{
    char folder[PATH_BYTES];
    size_t len = strlen(path) - name.len;
    if (len + 2 > sizeof(folder)) {
        return false;
    }
    memcpy(folder, path, len);
    memcpy(folder + len, ".", 2); /* "a/b/." and "." */
    return stat(folder, out_facts) == 0;
}

bool tacho_input_is_same_place(const char *path, const char *other_path)
{
    struct stat facts;
    struct stat other;
    tacho_str name = tacho_str_basename(tacho_str_from_cstring(path));
    tacho_str other_name = tacho_str_basename(tacho_str_from_cstring(other_path));
    return tacho_input_is_same_file(path, other_path) ||
           (tacho_str_equal(name, other_name) && stat_folder(path, name, &facts) &&
            stat_folder(other_path, other_name, &other) && facts.st_dev == other.st_dev &&
            facts.st_ino == other.st_ino);
}

static int open_regular(const char *path)
{
    struct stat facts;
    if (strcmp(path, "-") == 0) {
        return fstat(STDIN_FILENO, &facts) == 0 && S_ISREG(facts.st_mode) ? dup(STDIN_FILENO) : -1;
    }
    return stat(path, &facts) == 0 && S_ISREG(facts.st_mode) ? open(path, O_RDONLY | O_CLOEXEC)
                                                             : -1;
}

size_t tacho_input_read_head(const char *path, char *out_head, size_t size)
{
    int file = open_regular(path);
    if (file < 0) {
        return 0;
    }
    ssize_t len = pread(file, out_head, size, 0);
    close(file);
    return len > 0 ? (size_t)len : 0;
}

/* Decompresses the head of |file|, up to |size| bytes or the end of the readable data. */
static size_t decode_head(int file, tacho_decoder *decoder, char *out_head, size_t size)
{
    unsigned char raw[HEAD_RAW_BYTES];
    tacho_decode_io io = {.out = (unsigned char *)out_head, .out_len = size};
    tacho_decode_result result = TACHO_DECODE_MORE;
    for (off_t at = 0; at < HEAD_RAW_MAX && io.out_len > 0 && result != TACHO_DECODE_BAD;) {
        ssize_t len = pread(file, raw, sizeof(raw), at);
        if (len <= 0) {
            break;
        }
        at += len;
        io.in = raw;
        io.in_len = (size_t)len;
        while (io.in_len > 0 && io.out_len > 0 && result != TACHO_DECODE_BAD) {
            result = tacho_decoder_run(decoder, &io);
        }
    }
    return size - io.out_len;
}

size_t tacho_input_read_content(const char *path, char *out_head, size_t size)
{
    tacho_decoder *decoder = NULL;
    size_t content_len = 0;
    int file = open_regular(path);
    if (file < 0) {
        return 0;
    }
    ssize_t len = pread(file, out_head, size, 0);
    if (len > 0) {
        tacho_status status = tacho_decoder_create(tacho_str_make(out_head, (size_t)len), &decoder);
        content_len = status != TACHO_OK ? 0
                      : decoder != NULL  ? decode_head(file, decoder, out_head, size)
                                         : (size_t)len;
        tacho_status_free(status);
    }
    tacho_decoder_destroy(decoder);
    close(file);
    return content_len;
}
