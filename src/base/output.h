/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Output: a file that is complete or does not exist.
 *
 * Bytes go to an unnamed or temporary file in the target's folder; commit syncs it and renames
 * it over the target, close without commit leaves no file. "-" is standard output; a device or
 * pipe is written directly. A path that ends in .gz or .zst is compressed. Output to a terminal
 * goes through base/terminal.h.
 *
 * Where a second processor is free for it, a thread writes large files while the next bytes are
 * made.
 *
 * The first failure sticks: later writes do nothing, and commit reports it. So writers need
 * not check every byte.
 */
#ifndef TACHO_BASE_OUTPUT_H
#define TACHO_BASE_OUTPUT_H

#include <sys/types.h>

#include "base/attributes.h"
#include "base/behind.h"
#include "base/encoder.h"
#include "base/status.h"
#include "base/str.h"
#include "base/terminal.h"
#include "base/turns.h"

/* The most that one tacho_output_reserve may ask for. */
enum { TACHO_OUTPUT_RESERVE_MAX = 64 << 10 };

typedef struct tacho_output {
    unsigned char *buffer;
    unsigned char *cursor; /* next free byte of the buffer */
    unsigned char *limit;  /* end of the buffer */
    uint64_t flushed_bytes;

    char *name;      /* as the user wrote it, for messages */
    char *path;      /* the target, symbolic links resolved */
    char *temp_path; /* NULL when the file has no name yet */
    int fd;
    int folder_fd;  /* for syncing the rename; -1 when written directly */
    bool is_direct; /* standard output, a device or a pipe */
    bool replaces;  /* there was something of that name */
    bool owns_fd;
    uint64_t written_bytes; /* before compression */
    uint64_t synced_bytes;  /* how far write-back was asked for */
    tacho_encoder *encoder;
    bool is_terminal;                 /* whose control characters are shown, not sent */
    tacho_terminal terminal;          /* the state of that */
    bool is_colored;                  /* standard output, where colours are wanted */
    tacho_behind *behind;             /* writes large files, where there is a second processor */
    bool is_alone;                    /* there is none, or it cannot be had */
    struct tacho_output_turns *turns; /* of threads that write; see tacho_output_shared */
    tacho_status failure;             /* the first one, until it is taken */
    bool has_failed;                  /* nothing is put in place any more */
} tacho_output;

tacho_status tacho_output_open(const char *path, tacho_output *out_output) TACHO_MUST_USE;

/*
 * The same for a name that the user did not type: one of several files in a folder. An existing
 * file stays unless it is a regular one with |mark| in its first 4 KiB, or an empty one; any
 * regular file is replaced where |mark| is NULL. Symbolic links are not followed.
 */
tacho_status tacho_output_open_chosen(const char *path, const char *mark,
                                      tacho_output *out_output) TACHO_MUST_USE;

/*
 * Another place for |output|, which was opened like this and is not committed: |path| is in the
 * same file system and is treated as above.
 */
tacho_status tacho_output_move_chosen(tacho_output *output, const char *path,
                                      const char *mark) TACHO_MUST_USE;

/*
 * Writes all bytes of |output|, which was opened like this, and frees the resources for writing: a
 * file that waits for its place keeps only a descriptor. Then it is moved and committed, or closed.
 */
tacho_status tacho_output_rest(tacho_output *output) TACHO_MUST_USE;

/*
 * A new file that has its name from the start and is written directly, so that flushed bytes are
 * kept even if this program is killed. It must not exist; only its owner may read it. Close leaves
 * it, and commit only flushes: giving it another name is up to the caller.
 */
tacho_status tacho_output_open_live(const char *path, tacho_output *out_output) TACHO_MUST_USE;

/*
 * Where writing to a path ends up, under whatever name: the file, if there is one, or the folder
 * and the name that it would get there. Standard output and devices have no such place: they may be
 * shared.
 */
enum { TACHO_OUTPUT_NAME_BYTES = 256 }; /* of a file, with its NUL */

typedef struct tacho_output_place {
    bool is_known;
    dev_t device;
    ino_t inode;                        /* of the file or the folder */
    char name[TACHO_OUTPUT_NAME_BYTES]; /* empty for a file that exists */
} tacho_output_place;

void tacho_output_find_place(const char *path, tacho_output_place *out_place);

bool tacho_output_is_same_place(const tacho_output_place *place, const tacho_output_place *other);

/* Columns of the terminal that it is written to; 0 for other outputs, or if unknown. */
size_t tacho_output_columns(const tacho_output *output);

/* Writes |sequence|, one of base/color.h, where colours are wanted. */
void tacho_output_paint(tacho_output *output, const char *sequence);

/* A file that the caller has open, and keeps; |name| is for messages. */
tacho_status tacho_output_open_descriptor(int fd, const char *name,
                                          tacho_output *out_output) TACHO_MUST_USE;

/* Standard error as an output; bytes are written unchanged. */
tacho_status tacho_output_open_standard_error(tacho_output *out_output) TACHO_MUST_USE;

/* Whether output to |path| is held back until commit, so that it may be started again. */
bool tacho_output_is_replaceable(const char *path);

/* Flushes, syncs and puts the file in place; the only success that counts. */
tacho_status tacho_output_commit(tacho_output *output) TACHO_MUST_USE;

/*
 * Files that belong together. Each is whole or not at all, as a single one is, but the disk is
 * waited for once for many of them: they are put in place some time after their commit, in its
 * order, and all of them when the group is finished. Zero-initialise.
 */
typedef struct tacho_output_group {
    tacho_output *items; /* written, and not in place yet */
    size_t item_count, item_capacity;
    uint64_t byte_count;
    bool is_whole; /* none is in place before all are: only descriptors limit their number */
} tacho_output_group;

/*
 * Commits |output| to |group|, which takes it over; direct outputs, and all outputs if |group| is
 * NULL, are committed by themselves. Close it as usual. The failure may be that of a file committed
 * before.
 */
tacho_status tacho_output_commit_to(tacho_output *output, tacho_output_group *group) TACHO_MUST_USE;

/* Puts all that was committed in place; the only success that counts. */
tacho_status tacho_output_group_finish(tacho_output_group *group) TACHO_MUST_USE;

/* Releases everything; files that are not in place are dropped. */
void tacho_output_group_deinit(tacho_output_group *group);

/* Releases everything; without a commit before it no file is left. */
void tacho_output_close(tacho_output *output);

/* Bytes written so far, before compression. */
static inline uint64_t tacho_output_offset(const tacho_output *output)
{
    return output->flushed_bytes + (uint64_t)(output->cursor - output->buffer);
}

/* Whether a failure is stuck: lets long work stop early. */
static inline bool tacho_output_failed(const tacho_output *output)
{
    return output->failure != TACHO_OK;
}

/* Takes the stuck failure out, so that the caller can return it. */
tacho_status tacho_output_take_failure(tacho_output *output) TACHO_MUST_USE;

/* Writes the buffer; its bytes can then be read from the file. */
void tacho_output_flush(tacho_output *output);

/*
 * How threads take turns to write to |output|, until it is closed: each passes on the bytes of its
 * turn afterwards, from memory that no other processor has seen. NULL when out of memory for that:
 * then they write within their turns.
 */
const tacho_shared *tacho_output_shared(tacho_output *output);

/* Frees the whole buffer; its contents are written now or later. */
void tacho_output_make_room(tacho_output *output);

/*
 * Room for |len| <= TACHO_OUTPUT_RESERVE_MAX bytes; move output->cursor past the used ones.
 * Always valid, even after a failure.
 */
static inline unsigned char *tacho_output_reserve(tacho_output *output, size_t len)
{
    if (TACHO_UNLIKELY((size_t)(output->limit - output->cursor) < len)) {
        tacho_output_make_room(output);
    }
    return output->cursor;
}

/* The general case of tacho_output_write: bytes that do not fit in the buffer. */
void tacho_output_write_slow(tacho_output *output, const void *bytes, size_t len);

static inline void tacho_output_write(tacho_output *output, const void *bytes, size_t len)
{
    if (TACHO_UNLIKELY((size_t)(output->limit - output->cursor) <= len)) {
        tacho_output_write_slow(output, bytes, len);
    } else if (len > 0) {
        memcpy(output->cursor, bytes, len);
        output->cursor += len;
    }
}

static inline void tacho_output_write_str(tacho_output *output, tacho_str text)
{
    tacho_output_write(output, text.data, text.len);
}

static inline void tacho_output_write_cstring(tacho_output *output, const char *text)
{
    tacho_output_write(output, text, strlen(text));
}

void tacho_output_printf(tacho_output *output, const char *format, ...) TACHO_PRINTF(2, 3);

#endif
