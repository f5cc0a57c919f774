/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A library to be preloaded that makes one call of the system fail, so that a test can walk through
 * all of them. TACHO_FAULT is FAMILY:N (the N-th call fails, once) or FAMILY:N+ (it and all behind
 * it); N is 0 to count only. At exit a line "calls live" is written to the file TACHO_FAULT_REPORT:
 * how many calls of the family there were, and how many blocks of memory that the program itself
 * had asked for were never released. It is all about the first process: the library takes itself
 * out of the environment, so a program that this process starts meets none of it.
 *
 * Families: memory, map, open, read, write, sync, name (rename, link, make a folder), thread, facts
 * (stat), process (start one, follow it, hear from it). Memory that the dynamic loader, oneDNN,
 * OpenMP and OpenCL ask for with malloc does not count: they end the process where they get none,
 * which the program can only prevent beforehand (it asks whether there is room, see base/pages.h).
 * What oneDNN asks for with operator new does count.
 */
#define _GNU_SOURCE
#undef _FORTIFY_SOURCE /* its headers would put functions of their own in the place of these */
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <link.h>
#include <pthread.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/mman.h>
#include <sys/signalfd.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

extern void *__libc_malloc(size_t size);
extern void *__libc_calloc(size_t count, size_t size);
extern void *__libc_realloc(void *memory, size_t size);
extern void *__libc_memalign(size_t align, size_t size);
extern void __libc_free(void *memory);

enum { TABLE_BITS = 20, TABLE_SIZE = 1 << TABLE_BITS };

typedef enum family {
    FAMILY_NONE,
    FAMILY_MEMORY,
    FAMILY_MAP,
    FAMILY_OPEN,
    FAMILY_READ,
    FAMILY_WRITE,
    FAMILY_SYNC,
    FAMILY_NAME,
    FAMILY_THREAD,
    FAMILY_FACTS,
    FAMILY_PROCESS,
    FAMILY_COUNT,
} family;

static const char *const family_names[FAMILY_COUNT] = {
    "none", "memory", "map", "open", "read", "write", "sync", "name", "thread", "facts", "process",
};

/* A preloaded library has nowhere else to keep this. */
static struct {
    family chosen;
    unsigned long at;
    bool is_lasting;
    _Atomic unsigned long call_count;
    _Atomic unsigned long live_count;
    uintptr_t code_begin, code_end; /* of the program itself */
    pid_t process;                  /* what it forks is another, until it runs another program */
    char report[4096];              /* path */
    _Atomic uintptr_t table[TABLE_SIZE];
} fault;

/* ---- blocks that the program asked for ----------------------------------------------------- */

static size_t slot_of(uintptr_t block)
{
    return (size_t)(block / 16 * UINT64_C(0x9e3779b97f4a7c15) >> (64 - TABLE_BITS));
}

static void keep_block(const void *memory, const void *caller)
{
    uintptr_t from = (uintptr_t)caller;
    if (memory == NULL || from < fault.code_begin || from >= fault.code_end) {
        return;
    }
    atomic_fetch_add(&fault.live_count, 1);
    for (size_t i = 0, slot = slot_of((uintptr_t)memory); i < TABLE_SIZE; i++) {
        uintptr_t expected = 0;
        uintptr_t *none = &expected;
        _Atomic uintptr_t *place = &fault.table[(slot + i) % TABLE_SIZE];
        if (atomic_compare_exchange_strong(place, none, (uintptr_t)memory)) {
            return;
        }
        expected = 1; /* a place that became free */
        if (atomic_compare_exchange_strong(place, none, (uintptr_t)memory)) {
            return;
        }
    }
}

static void drop_block(const void *memory)
{
    if (memory == NULL || fault.code_end == 0) {
        return;
    }
    for (size_t i = 0, slot = slot_of((uintptr_t)memory); i < TABLE_SIZE; i++) {
        _Atomic uintptr_t *place = &fault.table[(slot + i) % TABLE_SIZE];
        uintptr_t found = atomic_load(place);
        if (found == (uintptr_t)memory) {
            atomic_store(place, 1);
            atomic_fetch_sub(&fault.live_count, 1);
            return;
        }
        if (found == 0) {
            return;
        }
    }
}

/* ---- which call fails ---------------------------------------------------------------------- */

/* Whether a call from |caller| is one that the program has to bear. */
static bool is_borne(const void *caller)
{
    static const char *const others[] = {"ld-linux", "libdnnl", "libgomp", "libOpenCL"};
    struct dl_find_object object;
    uintptr_t address = (uintptr_t)caller;
    if (_dl_find_object((void *)address, &object) != 0) {
        return false;
    }
    const char *name = object.dlfo_link_map->l_name;
    for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++) {
        if (strstr(name, others[i]) != NULL) {
            return false;
        }
    }
    return true;
}

static bool fails(family of, int error)
{
    if (fault.chosen != of || getpid() != fault.process) {
        return false;
    }
    unsigned long number = atomic_fetch_add(&fault.call_count, 1) + 1;
    bool is_failing = fault.at != 0 && (fault.is_lasting ? number >= fault.at : number == fault.at);
    if (is_failing) {
        errno = error;
    }
    return is_failing;
}

static int note_program(struct dl_phdr_info *info, size_t size, void *self)
{
    (void)size;
    (void)self;
    for (int i = 0; i < info->dlpi_phnum; i++) {
        const ElfW(Phdr) *part = &info->dlpi_phdr[i];
        if (part->p_type == PT_LOAD && (part->p_flags & PF_X) != 0) {
            fault.code_begin = info->dlpi_addr + part->p_vaddr;
            fault.code_end = fault.code_begin + part->p_memsz;
        }
    }
    return 1; /* the first object is the program */
}

__attribute__((constructor)) static void begin(void)
{
    const char *text = getenv("TACHO_FAULT");
    if (text == NULL) {
        return;
    }
    const char *report = getenv("TACHO_FAULT_REPORT");
    snprintf(fault.report, sizeof(fault.report), "%s", report != NULL ? report : "");
    fault.process = getpid();
    dl_iterate_phdr(note_program, NULL);
    for (int i = 1; i < FAMILY_COUNT; i++) {
        size_t len = strlen(family_names[i]);
        if (strncmp(text, family_names[i], len) == 0 && text[len] == ':') {
            char *end = NULL;
            fault.at = strtoul(text + len + 1, &end, 10);
            fault.is_lasting = *end == '+';
            fault.chosen = (family)i;
        }
    }
    unsetenv("LD_PRELOAD");
    unsetenv("TACHO_FAULT");
    unsetenv("TACHO_FAULT_REPORT");
}

__attribute__((destructor)) static void end(void)
{
    if (fault.report[0] == '\0' || fault.chosen == FAMILY_NONE || getpid() != fault.process) {
        return;
    }
    char text[64];
    int len = snprintf(text, sizeof(text), "%lu %lu\n", atomic_load(&fault.call_count),
                       atomic_load(&fault.live_count));
    long file = syscall(SYS_openat, AT_FDCWD, fault.report, O_WRONLY | O_CREAT | O_TRUNC, 0600);
    fault.chosen = FAMILY_NONE;
    ssize_t ignored = write((int)file, text, (size_t)len);
    (void)ignored;
    close((int)file);
}

/* ---- memory -------------------------------------------------------------------------------- */

static bool fails_memory(const void *caller)
{
    return fault.chosen == FAMILY_MEMORY && is_borne(caller) && fails(FAMILY_MEMORY, ENOMEM);
}

static void *allocate(size_t size, const void *caller)
{
    void *memory = fails_memory(caller) ? NULL : __libc_malloc(size);
    keep_block(memory, caller);
    return memory;
}

void *malloc(size_t size)
{
    return allocate(size, __builtin_return_address(0));
}

void *calloc(size_t count, size_t size)
{
    const void *caller = __builtin_return_address(0);
    void *memory = fails_memory(caller) ? NULL : __libc_calloc(count, size);
    keep_block(memory, caller);
    return memory;
}

void *realloc(void *memory, size_t size)
{
    const void *caller = __builtin_return_address(0);
    if (fails_memory(caller)) {
        return NULL;
    }
    drop_block(memory);
    void *grown = __libc_realloc(memory, size);
    keep_block(grown != NULL ? grown : memory, caller);
    return grown;
}

static void *allocate_aligned(size_t align, size_t size, const void *caller)
{
    void *memory = fails_memory(caller) ? NULL : __libc_memalign(align, size);
    keep_block(memory, caller);
    return memory;
}

void *aligned_alloc(size_t align, size_t size)
{
    return allocate_aligned(align, size, __builtin_return_address(0));
}

void *memalign(size_t align, size_t size);
void *memalign(size_t align, size_t size)
{
    return allocate_aligned(align, size, __builtin_return_address(0));
}

int posix_memalign(void **out_memory, size_t align, size_t size)
{
    void *memory = allocate_aligned(align, size, __builtin_return_address(0));
    if (memory != NULL) {
        *out_memory = memory;
    }
    return memory != NULL ? 0 : ENOMEM;
}

void free(void *memory)
{
    int kept = errno;
    drop_block(memory);
    __libc_free(memory);
    errno = kept;
}

char *strdup(const char *text)
{
    size_t size = strlen(text) + 1;
    char *copy = allocate(size, __builtin_return_address(0));
    return copy != NULL ? memcpy(copy, text, size) : NULL;
}

char *strndup(const char *text, size_t most)
{
    size_t len = strnlen(text, most);
    char *copy = allocate(len + 1, __builtin_return_address(0));
    if (copy != NULL) {
        memcpy(copy, text, len);
        copy[len] = '\0';
    }
    return copy;
}

/* ---- files --------------------------------------------------------------------------------- */

static mode_t mode_of(int flags, va_list more)
{
    bool has_mode = (flags & O_CREAT) != 0 || (flags & O_TMPFILE) == O_TMPFILE;
    return has_mode ? (mode_t)va_arg(more, unsigned) : 0;
}

static int open_at(int folder, const char *path, int flags, mode_t mode)
{
    return fails(FAMILY_OPEN, EMFILE) ? -1 : (int)syscall(SYS_openat, folder, path, flags, mode);
}

#define DEFINE_OPEN(name)                                                                          \
    int name(const char *path, int flags, ...);                                                    \
    int name(const char *path, int flags, ...)                                                     \
    {                                                                                              \
        va_list more;                                                                              \
        va_start(more, flags);                                                                     \
        mode_t mode = mode_of(flags, more);                                                        \
        va_end(more);                                                                              \
        return open_at(AT_FDCWD, path, flags, mode);                                               \
    }
#define DEFINE_OPENAT(name)                                                                        \
    int name(int folder, const char *path, int flags, ...);                                        \
    int name(int folder, const char *path, int flags, ...)                                         \
    {                                                                                              \
        va_list more;                                                                              \
        va_start(more, flags);                                                                     \
        mode_t mode = mode_of(flags, more);                                                        \
        va_end(more);                                                                              \
        return open_at(folder, path, flags, mode);                                                 \
    }
DEFINE_OPEN(open)
DEFINE_OPEN(open64)
DEFINE_OPENAT(openat)
DEFINE_OPENAT(openat64)

int __open_2(const char *path, int flags);
int __open_2(const char *path, int flags)
{
    return open_at(AT_FDCWD, path, flags, 0);
}

int __openat_2(int folder, const char *path, int flags);
int __openat_2(int folder, const char *path, int flags)
{
    return open_at(folder, path, flags, 0);
}

#define DEFINE_IO(name, of, error, parameters, call)                                               \
    ssize_t name parameters;                                                                       \
    ssize_t name parameters                                                                        \
    {                                                                                              \
        return fails(of, error) ? -1 : (ssize_t)call;                                              \
    }
DEFINE_IO(read, FAMILY_READ, EIO, (int fd, void *bytes, size_t len),
          syscall(SYS_read, fd, bytes, len))
DEFINE_IO(pread, FAMILY_READ, EIO, (int fd, void *bytes, size_t len, off_t at),
          syscall(SYS_pread64, fd, bytes, len, at))
DEFINE_IO(pread64, FAMILY_READ, EIO, (int fd, void *bytes, size_t len, off_t at),
          syscall(SYS_pread64, fd, bytes, len, at))
DEFINE_IO(__read_chk, FAMILY_READ, EIO, (int fd, void *bytes, size_t len, size_t room),
          (len > room ? -1 : syscall(SYS_read, fd, bytes, len)))
DEFINE_IO(write, FAMILY_WRITE, ENOSPC, (int fd, const void *bytes, size_t len),
          syscall(SYS_write, fd, bytes, len))
DEFINE_IO(pwrite, FAMILY_WRITE, ENOSPC, (int fd, const void *bytes, size_t len, off_t at),
          syscall(SYS_pwrite64, fd, bytes, len, at))
DEFINE_IO(pwrite64, FAMILY_WRITE, ENOSPC, (int fd, const void *bytes, size_t len, off_t at),
          syscall(SYS_pwrite64, fd, bytes, len, at))

#define DEFINE_CALL(name, of, error, parameters, call)                                             \
    int name parameters;                                                                           \
    int name parameters                                                                            \
    {                                                                                              \
        return fails(of, error) ? -1 : (int)call;                                                  \
    }
DEFINE_CALL(fsync, FAMILY_SYNC, EIO, (int fd), syscall(SYS_fsync, fd))
DEFINE_CALL(fdatasync, FAMILY_SYNC, EIO, (int fd), syscall(SYS_fdatasync, fd))
DEFINE_CALL(syncfs, FAMILY_SYNC, EIO, (int fd), syscall(SYS_syncfs, fd))
DEFINE_CALL(fchmod, FAMILY_SYNC, EPERM, (int fd, mode_t mode), syscall(SYS_fchmod, fd, mode))
DEFINE_CALL(rename, FAMILY_NAME, EACCES, (const char *from, const char *to),
            syscall(SYS_renameat2, AT_FDCWD, from, AT_FDCWD, to, 0))
DEFINE_CALL(mkdir, FAMILY_NAME, EACCES, (const char *path, mode_t mode),
            syscall(SYS_mkdirat, AT_FDCWD, path, mode))
DEFINE_CALL(linkat, FAMILY_NAME, EACCES,
            (int from_folder, const char *from, int to_folder, const char *to, int flags),
            syscall(SYS_linkat, from_folder, from, to_folder, to, flags))
DEFINE_CALL(stat, FAMILY_FACTS, EACCES,
            (const char *restrict path, struct stat *restrict out_facts),
            syscall(SYS_newfstatat, AT_FDCWD, path, out_facts, 0))
DEFINE_CALL(lstat, FAMILY_FACTS, EACCES,
            (const char *restrict path, struct stat *restrict out_facts),
            syscall(SYS_newfstatat, AT_FDCWD, path, out_facts, AT_SYMLINK_NOFOLLOW))
DEFINE_CALL(fstat, FAMILY_FACTS, EIO, (int fd, struct stat *out_facts),
            syscall(SYS_fstat, fd, out_facts))

/* Processes and what is heard from them. The system's own header has other types for addresses. */
struct sockaddr;

#define DEFINE_NEXT(name, parameters, arguments)                                                   \
    int name parameters;                                                                           \
    int name parameters                                                                            \
    {                                                                                              \
        if (fails(FAMILY_PROCESS, EMFILE)) {                                                       \
            return -1;                                                                             \
        }                                                                                          \
        void *found = dlsym(RTLD_NEXT, #name);                                                     \
        int(*real) parameters = NULL;                                                              \
        memcpy(&real, &found, sizeof(real));                                                       \
        return real arguments;                                                                     \
    }
DEFINE_NEXT(fork, (void), ())
DEFINE_NEXT(pipe2, (int fds[2], int flags), (fds, flags))
DEFINE_NEXT(signalfd, (int fd, const sigset_t *mask, int flags), (fd, mask, flags))
DEFINE_NEXT(epoll_create1, (int flags), (flags))
DEFINE_NEXT(epoll_ctl, (int epoll_fd, int what, int fd, struct epoll_event *event),
            (epoll_fd, what, fd, event))
DEFINE_NEXT(epoll_wait, (int epoll_fd, struct epoll_event *events, int max, int timeout_ms),
            (epoll_fd, events, max, timeout_ms))
DEFINE_NEXT(socket, (int domain, int type, int protocol), (domain, type, protocol))
DEFINE_NEXT(bind, (int fd, const struct sockaddr *address, socklen_t len), (fd, address, len))
DEFINE_NEXT(listen, (int fd, int count), (fd, count))
DEFINE_NEXT(accept4, (int fd, struct sockaddr *address, socklen_t *len, int flags),
            (fd, address, len, flags))
DEFINE_NEXT(memfd_create, (const char *name, unsigned flags), (name, flags))
DEFINE_NEXT(ftruncate64, (int fd, off_t len), (fd, len))
DEFINE_NEXT(ftruncate, (int fd, off_t len), (fd, len))

char *mkdtemp(char *name)
{
    if (fails(FAMILY_PROCESS, EACCES)) {
        return NULL;
    }
    void *found = dlsym(RTLD_NEXT, "mkdtemp");
    char *(*real)(char *) = NULL;
    memcpy(&real, &found, sizeof(real));
    return real(name);
}

void *mmap(void *at, size_t len, int access, int flags, int fd, off_t offset)
{
    bool is_failing = is_borne(__builtin_return_address(0)) && fails(FAMILY_MAP, ENOMEM);
    return is_failing ? MAP_FAILED : (void *)syscall(SYS_mmap, at, len, access, flags, fd, offset);
}

void *mmap64(void *at, size_t len, int access, int flags, int fd, off_t offset)
    __attribute__((alias("mmap")));

typedef int (*thread_create)(pthread_t *, const pthread_attr_t *, void *(*)(void *), void *);

int pthread_create(pthread_t *restrict out_thread, const pthread_attr_t *restrict attributes,
                   void *(*run)(void *), void *restrict self)
{
    if (fails(FAMILY_THREAD, EAGAIN)) {
        return EAGAIN;
    }
    void *found = dlsym(RTLD_NEXT, "pthread_create");
    thread_create real = NULL;
    memcpy(&real, &found, sizeof(real));
    return real(out_thread, attributes, run, self);
}
