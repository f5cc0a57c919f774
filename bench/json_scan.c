/* SPDX-License-Identifier: Apache-2.0 */
/*
 * json_scan: times our JSON reader over a file, by CPU, as lines of tab-separated values.
 *
 *     json_scan FILE [REPEATS]
 *
 *     tokens   every token is taken
 *     skip     the one value of the file is skipped
 *     events   as a source of Chrome traces does: each event is held, ts and dur are converted
 *
 * Each repeat opens the file anew; the best one counts. MB is 10^6 bytes, after decompression.
 */
#include "codec/json_number.h"
#include "codec/json_reader.h"

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { EXIT_USAGE = 2, REPEATS = 20 };

/* What a pass found, so that no work can be left out. */
typedef struct tally {
    uint64_t byte_count;
    uint64_t item_count; /* tokens or events */
    uint64_t checksum;
} tally;

typedef tacho_status pass_function(tacho_json_reader *reader, tally *sum);

static tacho_status run_tokens(tacho_json_reader *reader, tally *sum)
{
    uint64_t token_count = 0;
    uint64_t text_bytes = 0; /* in locals, for memory would slow the loop down */
    tacho_json_token token = TACHO_JSON_NULL;
    while (token != TACHO_JSON_END) {
        TACHO_TRY(tacho_json_next(reader, &token));
        token_count++;
        text_bytes += reader->text.len;
    }
    sum->item_count = token_count;
    sum->checksum = text_bytes;
    return TACHO_OK;
}

static tacho_status run_skip(tacho_json_reader *reader, tally *sum)
{
    tacho_json_token token = TACHO_JSON_NULL;
    TACHO_TRY(tacho_json_next(reader, &token));
    TACHO_TRY(tacho_json_skip(reader));
    sum->item_count++;
    return tacho_json_next(reader, &token);
}

/* The value of |key|: ts and dur in nanoseconds, anything else as raw text. */
static tacho_status read_field(tacho_json_reader *reader, tally *sum)
{
    bool is_time = tacho_str_equal(reader->text, TACHO_STR("ts")) ||
                   tacho_str_equal(reader->text, TACHO_STR("dur"));
    tacho_json_token token = TACHO_JSON_NULL;
    TACHO_TRY(tacho_json_next(reader, &token));
    int64_t ns = 0;
    if (is_time && tacho_json_number_scaled(reader->text, 3, &ns)) {
        sum->checksum += (uint64_t)ns;
    }
    uint64_t text_bytes = 0;
    size_t depth = token == TACHO_JSON_OBJECT_BEGIN || token == TACHO_JSON_ARRAY_BEGIN;
    while (depth > 0) {
        TACHO_TRY(tacho_json_next(reader, &token));
        depth += token == TACHO_JSON_OBJECT_BEGIN || token == TACHO_JSON_ARRAY_BEGIN;
        depth -= token == TACHO_JSON_OBJECT_END || token == TACHO_JSON_ARRAY_END;
        text_bytes += reader->text.len;
    }
    sum->checksum += text_bytes;
    return TACHO_OK;
}

/* The events of an array that has begun. */
static tacho_status run_array(tacho_json_reader *reader, tally *sum)
{
    tacho_json_token token = TACHO_JSON_NULL;
    TACHO_TRY(tacho_json_next(reader, &token));
    while (token != TACHO_JSON_ARRAY_END) {
        tacho_json_hold(reader);
        while (token == TACHO_JSON_OBJECT_BEGIN || token == TACHO_JSON_KEY) {
            TACHO_TRY(token == TACHO_JSON_KEY ? read_field(reader, sum) : TACHO_OK);
            TACHO_TRY(tacho_json_next(reader, &token));
        }
        sum->item_count++;
        TACHO_TRY(tacho_json_next(reader, &token));
    }
    tacho_json_release(reader);
    return TACHO_OK;
}

static tacho_status run_events(tacho_json_reader *reader, tally *sum)
{
    tacho_json_token token = TACHO_JSON_NULL;
    TACHO_TRY(tacho_json_next(reader, &token));
    if (token == TACHO_JSON_ARRAY_BEGIN) {
        return run_array(reader, sum);
    }
    while (token != TACHO_JSON_END) {
        TACHO_TRY(tacho_json_next(reader, &token));
        if (token == TACHO_JSON_KEY) {
            bool is_events = tacho_str_equal(reader->text, TACHO_STR("traceEvents"));
            TACHO_TRY(is_events ? tacho_json_next(reader, &token) : tacho_json_skip(reader));
            TACHO_TRY(is_events ? run_array(reader, sum) : TACHO_OK);
        }
    }
    return TACHO_OK;
}

static tacho_status run_once(const char *path, pass_function *pass, tally *out_tally)
{
    static const tacho_json_options options = {.is_lenient = true, .allows_open_array = true};
    *out_tally = (tally){0};
    tacho_input input;
    TACHO_TRY(tacho_input_open(path, &input));
    tacho_json_reader reader;
    tacho_status status = tacho_json_reader_init(&reader, &input, &options);
    if (status == TACHO_OK) {
        status = pass(&reader, out_tally);
        tacho_json_reader_deinit(&reader);
    }
    out_tally->byte_count = tacho_input_offset(&input);
    tacho_input_close(&input);
    return status;
}

static double cpu_s(void)
{
    struct timespec now;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

static bool measure(const char *name, const char *path, pass_function *pass, long repeat_count)
{
    double best_s = 1e9;
    tally found = {0};
    for (long i = 0; i < repeat_count; i++) {
        double start_s = cpu_s();
        tacho_status status = run_once(path, pass, &found);
        double taken_s = cpu_s() - start_s;
        if (status != TACHO_OK) {
            fprintf(stderr, "json_scan: %s\n", tacho_status_message(status));
            tacho_status_free(status);
            return false;
        }
        best_s = taken_s < best_s ? taken_s : best_s;
    }
    printf("%s\t%.0f\t%llu\t%.1f\t%016llx\n", name, (double)found.byte_count / best_s * 1e-6,
           (unsigned long long)found.item_count, best_s * 1e9 / (double)found.item_count,
           (unsigned long long)found.checksum);
    return true;
}

int main(int argument_count, char **arguments)
{
    static const struct {
        const char *name;
        pass_function *pass;
    } passes[] = {{"tokens", run_tokens}, {"skip", run_skip}, {"events", run_events}};
    if (argument_count < 2 || argument_count > 3) {
        fprintf(stderr, "usage: json_scan FILE [REPEATS]\n");
        return EXIT_USAGE;
    }
    long repeat_count = argument_count > 2 ? strtol(arguments[2], NULL, 10) : REPEATS;
    printf("pass\tMB/s\titems\tns/item\tchecksum\n");
    bool is_ok = true;
    for (size_t i = 0; i < sizeof(passes) / sizeof(passes[0]); i++) {
        is_ok = measure(passes[i].name, arguments[1], passes[i].pass, repeat_count) && is_ok;
    }
    return is_ok ? EXIT_SUCCESS : EXIT_FAILURE;
}
