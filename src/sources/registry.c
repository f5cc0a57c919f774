/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The list of all sources, and detection of the source of a file. To add one, see
 * docs/adding-a-source.md.
 */
#include "sources/ascend/ascend.h"
#include "sources/chrome/chrome.h"
#include "sources/known_formats.h"
#include "sources/nsys/nsys.h"
#include "sources/perfetto/perfetto.h"
#include "sources/rocm/rocm.h"
#include "sources/null/null.h"
#include "sources/source.h"
#include "sources/stats/stats.h"
#include "sources/tacho/capture.h"
#include "sources/tenstorrent/log.h"
#include "sources/tenstorrent/tenstorrent.h"
#include "sources/torq/torq.h"
#include "sources/tracy/tracy.h"
#include "sources/xplane/xplane.h"

static const tacho_source *const sources[] = {
    &tacho_source_torq_timeline,
    &tacho_source_torq_runtime,
    &tacho_source_torq_host,
    &tacho_source_torq_annotated,
    &tacho_source_chrome,
    &tacho_source_perfetto,
    &tacho_source_stats,
    &tacho_source_tacho,
    &tacho_source_tenstorrent_ops,
    &tacho_source_tenstorrent_log,
    &tacho_source_tracy,
    &tacho_source_xplane,
    &tacho_source_nsys,
    &tacho_source_rocpd,
    &tacho_source_rocprof_csv,
    &tacho_source_rocprof_json,
    &tacho_source_ascend_db,
    &tacho_source_ascend_csv,
    &tacho_source_null,
    NULL,
};

/* Those of directories, which no probe finds. */
static const tacho_source *const folder_sources[] = {&tacho_source_tenstorrent_set, NULL};

const tacho_source *const *tacho_sources(void)
{
    return sources;
}

const tacho_source *tacho_source_find(tacho_str name)
{
    for (size_t i = 0; sources[i] != NULL; i++) {
        if (tacho_str_equal(name, tacho_str_from_cstring(sources[i]->name))) {
            return sources[i];
        }
    }
    return NULL;
}

const tacho_source *tacho_source_find_folder(const char *path)
{
    for (size_t i = 0; folder_sources[i] != NULL; i++) {
        if (folder_sources[i]->folder->is_folder(path)) {
            return folder_sources[i];
        }
    }
    return NULL;
}

static tacho_status find_table(const char *path, tacho_arena *arena, const char **out_table)
{
    *out_table = NULL;
    for (size_t i = 0; folder_sources[i] != NULL && *out_table == NULL; i++) {
        if (folder_sources[i]->folder->find_table != NULL) {
            TACHO_TRY(folder_sources[i]->folder->find_table(path, arena, out_table));
        }
    }
    return TACHO_OK;
}

tacho_status tacho_source_folder_tables(const char *const *paths, size_t path_count,
                                        tacho_arena *arena, const char ***out_paths)
{
    const char **list = NULL;
    TACHO_TRY(tacho_arena_alloc(arena, (path_count + 1) * sizeof(*list), (void **)&list));
    for (size_t i = 0; i < path_count; i++) {
        const char *table = NULL;
        TACHO_TRY(find_table(paths[i], arena, &table));
        list[i] = table != NULL ? table : paths[i];
    }
    list[path_count] = NULL;
    *out_paths = list;
    return TACHO_OK;
}

const char *tacho_source_folder_piece(tacho_str head)
{
    const char *piece = NULL;
    for (size_t i = 0; folder_sources[i] != NULL && piece == NULL; i++) {
        const tacho_source_folder *folder = folder_sources[i]->folder;
        piece = folder->describe_piece != NULL ? folder->describe_piece(head) : NULL;
    }
    return piece;
}

tacho_status tacho_source_folder_drop_own(const char *folder, const char **paths,
                                          size_t *path_count)
{
    const tacho_source *source = tacho_source_find_folder(folder);
    return source != NULL ? source->folder->drop_own(folder, paths, path_count) : TACHO_OK;
}

bool tacho_source_folder_holds(const char *folder, const char *path)
{
    for (size_t i = 0; folder_sources[i] != NULL; i++) {
        if (folder_sources[i]->folder->holds(folder, path)) {
            return true;
        }
    }
    return false;
}

/* The verdicts of all probes, best first. */
typedef struct probe_result {
    const tacho_source *best;
    const tacho_source *rival; /* as good as the best */
    tacho_probe_verdict verdict;
} probe_result;

static probe_result probe_all(tacho_str head)
{
    probe_result result = {NULL, NULL, TACHO_PROBE_NO};
    for (size_t i = 0; sources[i] != NULL; i++) {
        tacho_probe_verdict verdict = sources[i]->probe(head);
        if (verdict == TACHO_PROBE_NO || verdict < result.verdict) {
            continue;
        }
        result.rival = verdict == result.verdict ? result.best : NULL;
        result.best = sources[i];
        result.verdict = verdict;
    }
    return result;
}

static tacho_status unknown_format(const tacho_input *input, tacho_str head)
{
    if (tacho_str_starts_with(head, TACHO_STR("table,"))) {
        return tacho_fail_hint(
            TACHO_CODE_UNSUPPORTED, TACHO_HINT_WRITE_TRACE,
            "%s:1: a table written by tacho, not a profile; write a trace instead", input->name);
    }
    if (tacho_str_starts_with(head, TACHO_STR("kind,file,group,track,"))) {
        return tacho_fail(TACHO_CODE_UNSUPPORTED,
                          "%s:1: an event table for other programs, which tacho writes and does "
                          "not read back; write a trace instead, such as NAME.tacho or NAME.pb",
                          input->name);
    }
    const char *piece = tacho_source_folder_piece(head);
    if (piece != NULL) {
        return tacho_fail(
            TACHO_CODE_UNSUPPORTED,
            "%s: %s, no profile by themselves; name the directory that holds all logs "
            "of the run",
            input->name, piece);
    }
    size_t shown_len = tacho_str_find_byte(head, '\n');
    shown_len = shown_len > 48 ? 48 : shown_len;
    return tacho_fail_hint(TACHO_CODE_UNSUPPORTED, TACHO_HINT_NAME_FORMAT,
                           "%s:1: unknown format; the file begins with '%.*s'", input->name,
                           (int)shown_len, head.data);
}

tacho_status tacho_source_resolve(tacho_input *input, const tacho_source **out_source)
{
    tacho_str head;
    TACHO_TRY(tacho_input_peek(input, TACHO_PROBE_BYTES, &head));
    if (head.len > TACHO_PROBE_BYTES) {
        head.len = TACHO_PROBE_BYTES;
    }
    probe_result result = probe_all(head);
    const tacho_known_format *known =
        tacho_known_format_find(head, tacho_str_from_cstring(input->name));
    if (known != NULL && result.verdict != TACHO_PROBE_SURE) {
        return tacho_known_format_fail(known, input->name);
    }
    if (result.best == NULL) {
        return unknown_format(input, head);
    }
    if (result.rival != NULL) {
        return tacho_fail_hint(TACHO_CODE_BAD_DATA, TACHO_HINT_CHOOSE_FORMAT,
                               "%s: could be %s or %s", input->name, result.rival->name,
                               result.best->name);
    }
    *out_source = result.best;
    return TACHO_OK;
}
