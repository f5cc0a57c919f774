/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Every source there is, and how a file finds its own. To add one, see
 * docs/adding-a-source.md.
 */
#include "sources/chrome/chrome.h"
#include "sources/perfetto/perfetto.h"
#include "sources/source.h"
#include "sources/stats/stats.h"
#include "sources/tacho/capture.h"
#include "sources/torq/torq.h"

static const tacho_source *const sources[] = {
    &tacho_source_torq_timeline,
    &tacho_source_torq_runtime,
    &tacho_source_torq_host,
    &tacho_source_torq_annotated,
    &tacho_source_chrome,
    &tacho_source_perfetto,
    &tacho_source_stats,
    &tacho_source_tacho,
    NULL,
};

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

/* What the probes said, best first. */
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
        return tacho_fail(TACHO_CODE_UNSUPPORTED,
                          "%s:1: a table that tacho wrote, not a profile; write a trace (-o "
                          "NAME.pb) in its place, or what 'tacho annotate' finds with --columns "
                          "torq-a3",
                          input->name);
    }
    size_t shown_len = tacho_str_find_byte(head, '\n');
    shown_len = shown_len > 48 ? 48 : shown_len;
    return tacho_fail(TACHO_CODE_UNSUPPORTED,
                      "%s:1: not a profile that tacho knows; it begins with '%.*s'. If you know "
                      "better, say --from FORMAT; 'tacho help formats' lists them",
                      input->name, (int)shown_len, head.data);
}

tacho_status tacho_source_resolve(tacho_input *input, const tacho_source **out_source)
{
    tacho_str head;
    TACHO_TRY(tacho_input_peek(input, TACHO_PROBE_BYTES, &head));
    if (head.len > TACHO_PROBE_BYTES) {
        head.len = TACHO_PROBE_BYTES;
    }
    probe_result result = probe_all(head);
    if (result.best == NULL) {
        return unknown_format(input, head);
    }
    if (result.rival != NULL) {
        return tacho_fail(TACHO_CODE_BAD_DATA,
                          "%s: looks like %s and like %s; say which with --from", input->name,
                          result.rival->name, result.best->name);
    }
    *out_source = result.best;
    return TACHO_OK;
}
