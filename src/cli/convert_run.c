/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the person sees of a conversion.
 */
#include "cli/convert_run.h"

#include "cli/command.h"
#include "cli/talk.h"

#include <inttypes.h>
#include <stdio.h>

static void print_summary(const tacho_conversion *conversion, const tacho_dict *dict)
{
    uint64_t events = 0;
    for (size_t i = 0; i < dict->part_count; i++) {
        events += dict->parts[i].row_count;
    }
    char text[512];
    snprintf(text, sizeof(text), "%s: %" PRIu64 " events from %zu input%s", conversion->output_path,
             events, conversion->input_count,
             conversion->input_count == 1 ? "" : "s, each from its own zero (not aligned)");
    tacho_talk_line("wrote", text);
}

static int report(const tacho_conversion *conversion, const tacho_dict *dict, bool is_quiet)
{
    if (!is_quiet) {
        print_summary(conversion, dict);
    }
    tacho_talk_losses(dict);
    return dict->loss_count > 0 ? TACHO_EXIT_LOSSY : TACHO_EXIT_DONE;
}

int tacho_convert_run(tacho_conversion *conversion, bool is_quiet)
{
    tacho_talk_progress progress;
    tacho_talk_progress_init(&progress, "converting", is_quiet, &conversion->progress);
    tacho_dict dict;
    tacho_status status = tacho_dict_init(&dict);
    if (status == TACHO_OK) {
        status = tacho_conversion_run(conversion, &dict);
    }
    tacho_talk_progress_end(&progress);
    int exit_code = TACHO_EXIT_FAILED;
    if (status == TACHO_OK) {
        exit_code = report(conversion, &dict, is_quiet);
    } else {
        tacho_talk_losses(&dict);
        tacho_talk_failure(status);
    }
    tacho_dict_deinit(&dict);
    return exit_code;
}
