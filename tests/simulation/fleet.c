/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The captures of a run as a fleet: parts of single files, merged in any order and grouping, give
 * the bytes of one pass over all files. A part that is cut or changed is refused.
 */
#include "simulator.h"

#include "pipeline/fleet.h"
#include "profile/select.h"
#include "questions/fleet/fleet_part.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define PART_PATH "fleet.tpart"

static tacho_status map_files(const char *const *paths, size_t path_count, tacho_fleet *fleet)
{
    const tacho_source_options options = {0};
    const tacho_selection all = TACHO_SELECT_ALL;
    const tacho_fleet_job job = {
        .paths = paths,
        .path_count = path_count,
        .sections = TACHO_FLEET_ALL,
        .options = &options,
        .selection = &all,
        .worker_count = 1,
    };
    TACHO_TRY(tacho_fleet_init(fleet, TACHO_FLEET_ALL));
    return tacho_fleet_run(&job, fleet);
}

/* The bytes of |fleet| as a part; the caller frees them. */
static tacho_status fleet_bytes(tacho_fleet *fleet, tacho_str *out_bytes)
{
    TACHO_TRY(tacho_fleet_write_part(fleet, PART_PATH));
    *out_bytes = sim_read_file(PART_PATH);
    unlink(PART_PATH);
    return TACHO_OK;
}

static void drop_bytes(tacho_str bytes)
{
    free((void *)(uintptr_t)bytes.data);
}

/* ---- parts ----------------------------------------------------------------------------------- */

static tacho_status make_part(const char *path, tacho_str *out_bytes)
{
    tacho_fleet fleet = {0};
    const char *const paths[] = {path};
    tacho_status status = map_files(paths, 1, &fleet);
    if (status == TACHO_OK) {
        status = fleet_bytes(&fleet, out_bytes);
    }
    tacho_fleet_deinit(&fleet);
    return status;
}

/* Merges two parts into one. */
static tacho_status merge_pair(tacho_str left, tacho_str right, tacho_str *out_bytes)
{
    tacho_fleet fleet = {0}, more = {0};
    tacho_status status = tacho_fleet_read(&fleet, left);
    if (status == TACHO_OK) {
        status = tacho_fleet_read(&more, right);
    }
    if (status == TACHO_OK) {
        status = tacho_fleet_merge(&fleet, &more);
    }
    if (status == TACHO_OK) {
        status = fleet_bytes(&fleet, out_bytes);
    }
    tacho_fleet_deinit(&more);
    tacho_fleet_deinit(&fleet);
    return status;
}

/* Merges |parts| two by two, in an order that chance gives, until one is left. */
static tacho_status merge_parts(tacho_str *parts, size_t count)
{
    while (count > 1) {
        size_t left = sim_below((uint32_t)count);
        size_t right = (left + 1 + sim_below((uint32_t)count - 1)) % count;
        tacho_str merged = {0};
        TACHO_TRY(merge_pair(parts[left], parts[right], &merged));
        drop_bytes(parts[left]);
        drop_bytes(parts[right]);
        parts[left] = merged;
        parts[right] = parts[count - 1];
        parts[left == count - 1 ? right : left] = merged;
        count--;
    }
    return TACHO_OK;
}

/* A part with one byte less, or one bit changed, is no part. */
static void check_torn(tacho_str part)
{
    tacho_fleet fleet = {0};
    char *bytes = malloc(part.len);
    if (bytes == NULL) {
        return;
    }
    memcpy(bytes, part.data, part.len);
    size_t len = sim_chance(2) ? sim_below((uint32_t)part.len) : part.len;
    if (len == part.len) {
        size_t at = sim_below((uint32_t)len);
        bytes[at] = (char)(bytes[at] ^ 1 << sim_below(8));
    }
    tacho_status status = tacho_fleet_read(&fleet, tacho_str_make(bytes, len));
    if (status == TACHO_OK) {
        sim_break("a part with %zu of %zu bytes, or a changed one, was accepted", len, part.len);
    }
    tacho_status_free(status);
    tacho_fleet_deinit(&fleet);
    free(bytes);
}

/* ---- a fleet --------------------------------------------------------------------------------- */

static tacho_status check_merging(const char *const *paths, size_t count)
{
    tacho_str parts[SIM_RANKS_MAX] = {{0}};
    tacho_str whole = {0};
    tacho_fleet fleet = {0};
    tacho_status status = map_files(paths, count, &fleet);
    if (status == TACHO_OK) {
        status = fleet_bytes(&fleet, &whole);
    }
    for (size_t i = 0; i < count && status == TACHO_OK; i++) {
        status = make_part(paths[i], &parts[i]);
    }
    if (status == TACHO_OK && sim_fails(SIM_TORN_PART)) {
        check_torn(parts[0]);
    }
    if (status == TACHO_OK) {
        status = merge_parts(parts, count);
    }
    bool is_equal = count < 2 || (parts[0].len == whole.len && whole.len > 0 &&
                                  memcmp(parts[0].data, whole.data, whole.len) == 0);
    if (status == TACHO_OK && !is_equal) {
        sim_break("%zu parts that were merged have %zu bytes, and those of one pass over their "
                  "files %zu: they differ",
                  count, parts[0].len, whole.len);
    }
    sim.digest = sim_hash(sim.digest, whole.data, whole.len);
    drop_bytes(whole);
    for (size_t i = 0; i < (status == TACHO_OK ? 1 : count); i++) {
        drop_bytes(parts[i]);
    }
    tacho_fleet_deinit(&fleet);
    return status;
}

/* What the fleet counts of each file is what is in it. */
void sim_check_fleet(void)
{
    const char *paths[SIM_RANKS_MAX];
    size_t count = 0;
    for (unsigned i = 0; i < sim.rank_count; i++) {
        if (access(sim.ranks[i].path, F_OK) == 0) {
            paths[count++] = sim.ranks[i].path;
        }
    }
    if (sim.broken[0] == '\0' && count > 0) {
        tacho_status status = check_merging(paths, count);
        if (status != TACHO_OK) {
            sim_break("the fleet cannot be read: %s", tacho_status_message(status));
        }
        tacho_status_free(status);
    }
    for (size_t i = 0; i < count; i++) {
        unlink(paths[i]);
    }
}
