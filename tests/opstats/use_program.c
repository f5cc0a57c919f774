/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The library on raw stats: converts a file, then opens it as a profile, both with the program that
 * recorded it:
 *
 *     use_program STATS OUTPUT [PROGRAM]
 */
#include <stdio.h>
#include <tacho/convert.h>
#include <tacho/profile.h>

static int fail(tacho_status status)
{
    fprintf(stderr, "use_program: %s\n", tacho_status_message(status));
    tacho_status_free(status);
    return 1;
}

int main(int word_count, char **words)
{
    const char *inputs[] = {word_count > 1 ? words[1] : ""};
    const char *program = word_count > 3 ? words[3] : NULL;
    tacho_convert_options options = {.program = program};
    tacho_view_options view_options = {.program = program};
    tacho_convert_result result;
    tacho_view *view = NULL;
    tacho_status status =
        tacho_convert(inputs, 1, word_count > 2 ? words[2] : "", &options, &result);
    if (status != TACHO_OK) {
        return fail(status);
    }
    status = tacho_view_open(inputs, 1, &view_options, &view);
    if (status != TACHO_OK) {
        return fail(status);
    }
    tacho_view_counts counts = tacho_view_count(view);
    printf("%llu events, %llu lost; %llu spans on %u tracks\n",
           (unsigned long long)result.event_count, (unsigned long long)result.lost_count,
           (unsigned long long)counts.span_count, (unsigned)counts.track_count);
    tacho_view_close(view);
    return 0;
}
