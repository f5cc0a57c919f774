/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The memory budget: how much memory this process may hold. It is one limit over everything that
 * inputs can ask for: names, tracks, rows, results, tensors. Arenas, growing arrays, indexes and
 * the memory of tensors ask here before they get larger, so exceeding it is a clear failure, long
 * before the system ends the process.
 *
 * There is one for each process. Unless one is set, there is no limit.
 */
#ifndef TACHO_BASE_BUDGET_H
#define TACHO_BASE_BUDGET_H

#include "base/status.h"
#include "base/str.h"

/* The environment's word for it, which holds where no one has called tacho_budget_set. */
#define TACHO_BUDGET_VARIABLE "TACHO_MEMORY"

/* The least that can be set: with less, little could be done. */
#define TACHO_BUDGET_MIN (UINT64_C(16) << 20)

/* Bytes of anonymous memory; 0: any. */
void tacho_budget_set(uint64_t bytes);
uint64_t tacho_budget_get(void);

/*
 * Sets a quarter of the memory of the computer, or of this process's control group. Where it holds,
 * no one has chosen how much to spend: what grows out of all proportion to its input is refused
 * earlier (tacho_budget_check_growth).
 */
void tacho_budget_set_default(void);

/* "512M", "2G", "1.5GiB", a number of bytes; "none" is 0. False for any other text. */
bool tacho_budget_parse(tacho_str text, uint64_t *out_bytes);

enum { TACHO_BUDGET_TEXT_MAX = 32 };

/* "1.50 GiB", "96.0 MiB", "640.0 KiB". */
void tacho_budget_format(uint64_t bytes, char out_text[TACHO_BUDGET_TEXT_MAX]);

/* Whether |bytes| more would be too much: a NO_MEMORY failure that names the limit. */
tacho_status tacho_budget_check(uint64_t bytes) TACHO_MUST_USE;

/* Bytes in use now; 0 where unknown. */
uint64_t tacho_budget_used(void);

/* What any input may take besides twice its size, unless a limit was chosen. */
#define TACHO_BUDGET_FREE (UINT64_C(256) << 20)

/*
 * An input has given |bytes| more. Where one of them is a bomb, whose few bytes unpack to many, the
 * default limit is at most TACHO_BUDGET_FREE and twice what inputs have given.
 */
void tacho_budget_add_input(uint64_t bytes, bool is_bomb);

/*
 * Whether more than TACHO_BUDGET_FREE and |allowed_bytes| have been added to |before|, a value of
 * tacho_budget_used: a NO_MEMORY failure that begins with |subject|. Always OK unless the default
 * limit holds.
 */
tacho_status tacho_budget_check_growth(const char *subject, uint64_t before,
                                       uint64_t allowed_bytes) TACHO_MUST_USE;

/* As tacho_budget_check, now and then only: for callers that ask for little at a time. */
tacho_status tacho_budget_take(uint64_t bytes) TACHO_MUST_USE;

#endif
