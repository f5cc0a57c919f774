/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Memory in use is the system's count of anonymous pages. It is read once for each STEP_BYTES that
 * are requested, so that the check costs next to nothing.
 */
#include "base/budget.h"

#include "base/whole.h"

#include <tacho/hint.h>

#include <fcntl.h>
#include <inttypes.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

enum { STEP_BYTES = 16 << 20, STEPS_MIN = 16, SHARE_OF_COMPUTER = 4 };

#define UNSET UINT64_MAX

static _Atomic uint64_t limit_bytes = UNSET;
static _Atomic uint64_t unchecked_bytes;
static _Atomic bool is_default, has_bomb;
static _Atomic uint64_t input_bytes;

void tacho_budget_set(uint64_t bytes)
{
    atomic_store(&is_default, false);
    atomic_store(&limit_bytes, bytes);
}

static uint64_t from_environment(void)
{
    const char *text = getenv(TACHO_BUDGET_VARIABLE);
    uint64_t bytes = 0;
    return text != NULL && tacho_budget_parse(tacho_str_from_cstring(text), &bytes) ? bytes : 0;
}

uint64_t tacho_budget_get(void)
{
    uint64_t limit = atomic_load_explicit(&limit_bytes, memory_order_relaxed);
    if (TACHO_UNLIKELY(limit == UNSET)) {
        limit = from_environment();
        atomic_store(&limit_bytes, limit);
    }
    return limit;
}

/* The numbers at the beginning of a small file; how many there are. */
static int read_numbers(const char *path, uint64_t numbers[3])
{
    char text[128];
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    ssize_t len = fd >= 0 ? read(fd, text, sizeof(text) - 1) : 0;
    if (fd >= 0) {
        close(fd);
    }
    text[len > 0 ? len : 0] = '\0';
    return sscanf(text, "%" SCNu64 " %" SCNu64 " %" SCNu64, &numbers[0], &numbers[1], &numbers[2]);
}

void tacho_budget_set_default(void)
{
    uint64_t group[3] = {0};
    long pages = sysconf(_SC_PHYS_PAGES);
    long page = sysconf(_SC_PAGESIZE);
    uint64_t bytes = pages > 0 && page > 0 ? (uint64_t)pages * (uint64_t)page : 0;
    bool has_group = read_numbers("/sys/fs/cgroup/memory.max", group) >= 1;
    bytes = has_group && group[0] > 0 && (bytes == 0 || group[0] < bytes) ? group[0] : bytes;
    uint64_t share = bytes / SHARE_OF_COMPUTER;
    tacho_budget_set(bytes > 0 && share < TACHO_BUDGET_MIN ? TACHO_BUDGET_MIN : share);
    atomic_store(&is_default, true);
}

/* ---- as text -------------------------------------------------------------------------------- */

static const char units[] = "KMGT";

/* "", "K", "KiB", "KB" and so on: the power of 1024 for the suffix; 0 for any other text. */
static double unit_of(const char *text)
{
    const char *at = strchr(units, text[0]);
    double unit = 1;
    if (text[0] == '\0') {
        return unit;
    }
    bool is_whole = at != NULL &&
                    (text[1] == '\0' || strcmp(text + 1, "iB") == 0 || strcmp(text + 1, "B") == 0);
    for (const char *from = units; is_whole && from <= at; from++) {
        unit *= 1024;
    }
    return is_whole ? unit : 0;
}

bool tacho_budget_parse(tacho_str text, uint64_t *out_bytes)
{
    char copy[32], number[32];
    char *end = NULL;
    if (text.len == 0 || text.len >= sizeof(copy)) {
        return false;
    }
    snprintf(copy, sizeof(copy), "%.*s", TACHO_STR_ARG(text));
    size_t digits = strspn(copy, "0123456789.");
    snprintf(number, sizeof(number), "%.*s", (int)digits, copy);
    double bytes = strtod(number, &end) * unit_of(copy + digits);
    bool is_none = strcmp(copy, "none") == 0;
    bool is_size =
        digits > 0 && end == number + digits && bytes >= (double)TACHO_BUDGET_MIN && bytes < 0x1p62;
    *out_bytes = is_size ? tacho_whole_u64(bytes) : 0;
    return is_none || is_size;
}

void tacho_budget_format(uint64_t bytes, char out_text[TACHO_BUDGET_TEXT_MAX])
{
    unsigned unit = 0;
    double number = (double)bytes / 1024;
    for (; number >= 1024 && units[unit + 1] != '\0'; unit++) {
        number /= 1024;
    }
    snprintf(out_text, TACHO_BUDGET_TEXT_MAX, "%.*f %ciB", number < 10 ? 2 : 1, number,
             units[unit]);
}

/* ---- asking --------------------------------------------------------------------------------- */

/* Anonymous pages in memory. */
uint64_t tacho_budget_used(void)
{
    uint64_t pages[3] = {0}; /* of the address space, in memory, shared or of files */
    long page = sysconf(_SC_PAGESIZE);
    bool is_known = read_numbers("/proc/self/statm", pages) == 3 && pages[1] >= pages[2];
    return is_known && page > 0 ? (pages[1] - pages[2]) * (uint64_t)page : 0;
}

void tacho_budget_add_input(uint64_t bytes, bool is_bomb)
{
    atomic_fetch_add_explicit(&input_bytes, bytes, memory_order_relaxed);
    if (is_bomb) {
        atomic_store_explicit(&has_bomb, true, memory_order_relaxed);
    }
}

/* The limit as inputs leave it. */
static uint64_t current_limit(bool *out_is_lowered)
{
    uint64_t limit = tacho_budget_get();
    uint64_t lowered = TACHO_BUDGET_FREE + 2 * atomic_load(&input_bytes);
    *out_is_lowered = atomic_load(&is_default) && atomic_load(&has_bomb) && lowered < limit;
    return *out_is_lowered ? lowered : limit;
}

tacho_status tacho_budget_check(uint64_t bytes)
{
    char limit_text[TACHO_BUDGET_TEXT_MAX], used_text[TACHO_BUDGET_TEXT_MAX],
        more_text[TACHO_BUDGET_TEXT_MAX];
    bool is_lowered = false;
    uint64_t limit = current_limit(&is_lowered);
    uint64_t used = limit > 0 ? tacho_budget_used() : 0;
    if (limit == 0 || (used <= limit && bytes <= limit - used)) {
        return TACHO_OK;
    }
    tacho_budget_format(limit, limit_text);
    tacho_budget_format(used, used_text);
    tacho_budget_format(bytes, more_text);
    return tacho_fail_hint(
        TACHO_CODE_NO_MEMORY, TACHO_HINT_MEMORY,
        "the memory limit of %s%s is reached: %s are in use, and %s more are needed", limit_text,
        is_lowered ? " for inputs that unpack to more than 200 times their size" : "", used_text,
        more_text);
}

tacho_status tacho_budget_check_growth(const char *subject, uint64_t before, uint64_t allowed_bytes)
{
    char limit_text[TACHO_BUDGET_TEXT_MAX], grown_text[TACHO_BUDGET_TEXT_MAX];
    uint64_t limit = TACHO_BUDGET_FREE + allowed_bytes;
    uint64_t used = atomic_load(&is_default) ? tacho_budget_used() : 0;
    if (used <= before || used - before <= limit) {
        return TACHO_OK;
    }
    tacho_budget_format(limit, limit_text);
    tacho_budget_format(used - before, grown_text);
    return tacho_fail_hint(TACHO_CODE_NO_MEMORY, TACHO_HINT_MEMORY,
                           "%s: the memory limit of %s is reached: %s are in use", subject,
                           limit_text, grown_text);
}

tacho_status tacho_budget_take(uint64_t bytes)
{
    uint64_t limit = tacho_budget_get();
    if (TACHO_LIKELY(limit == 0)) {
        return TACHO_OK;
    }
    uint64_t step = limit / STEPS_MIN < STEP_BYTES ? limit / STEPS_MIN : STEP_BYTES;
    uint64_t unchecked =
        atomic_fetch_add_explicit(&unchecked_bytes, bytes, memory_order_relaxed) + bytes;
    if (unchecked < step) {
        return TACHO_OK;
    }
    atomic_store_explicit(&unchecked_bytes, 0, memory_order_relaxed);
    return tacho_budget_check(bytes);
}
