/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Programs and files, opened in the order in which each needs the one before.
 */
#include "vendors/qaic/opstats_decoder.h"

#include "program/container.h"
#include "vendors/qaic/opstats_machine.h"

bool tacho_opstats_decoder_can(const tacho_opstats_decoder *decoder)
{
    return decoder->program.facts.stats.level >= TACHO_STATS_LEVEL_INFERENCE;
}

tacho_status tacho_opstats_decoder_init(tacho_opstats_decoder *decoder, const char *program_path)
{
    TACHO_TRY(tacho_program_read(program_path, &decoder->program));
    if (!tacho_opstats_decoder_can(decoder)) {
        return TACHO_OK;
    }
    TACHO_TRY(tacho_stats_layout_init(&decoder->layout, &decoder->program));
    TACHO_TRY(tacho_stats_words_init(&decoder->words, &decoder->layout));
    TACHO_TRY(tacho_opstats_plan_init(&decoder->plan, &decoder->words));
    TACHO_TRY(tacho_opstats_init(&decoder->stats, &decoder->plan));
    tacho_opstats_take_machine(&decoder->stats);
    return TACHO_OK;
}

void tacho_opstats_decoder_deinit(tacho_opstats_decoder *decoder)
{
    tacho_opstats_deinit(&decoder->stats);
    tacho_opstats_plan_deinit(&decoder->plan);
    tacho_stats_words_deinit(&decoder->words);
    tacho_stats_layout_deinit(&decoder->layout);
    tacho_program_deinit(&decoder->program);
}

tacho_status tacho_opstats_file_open(const tacho_opstats_decoder *decoder, const char *path,
                                     tacho_opstats_file *out)
{
    tacho_str bytes = TACHO_STR("");
    TACHO_TRY(tacho_mappings_open(&out->mappings, path, &bytes));
    if (bytes.len == 0) {
        return tacho_fail(TACHO_CODE_BAD_DATA, "the file is empty");
    }
    TACHO_TRY(tacho_stats_read(&out->file, bytes));
    return tacho_stats_bind(&out->file, &decoder->layout);
}

void tacho_opstats_file_close(tacho_opstats_file *file)
{
    tacho_stats_file_deinit(&file->file);
    tacho_mappings_close(&file->mappings);
}
