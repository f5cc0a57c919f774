/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One row per hint: the words that go behind the message, before and after the hint's detail. Hints
 * of one kind in a row share the words before.
 */
#include "cli/hints.h"

#include "cli/talk.h"

#include <stdlib.h>

typedef struct hint_words {
    const char *before; /* once */
    const char *each;   /* before every detail; NULL: it has none */
    const char *after;  /* every detail */
} hint_words;

static const hint_words words[TACHO_HINT_COUNT] = {
    [TACHO_HINT_FORCE_COMPILE] = {", or use --force", NULL, NULL},
    [TACHO_HINT_FORCE_RUN] = {"; run it with 'tacho run --force'", NULL, NULL},
    [TACHO_HINT_FORCE_OR_NO_VALUES] = {", or run it with 'tacho run --force' or --no-values", NULL,
                                       NULL},
    [TACHO_HINT_TIMES_ALONE] = {", or simulate its times alone with --device sim --no-values", NULL,
                                NULL},
    [TACHO_HINT_REFERENCE_KERNELS] = {", or use --kernels reference", NULL, NULL},
    [TACHO_HINT_SIZE] = {":", " ", ""}, /* the option is the dialect's */
    [TACHO_HINT_SIZES] = {" with --dim NAME=N", NULL, NULL},
    [TACHO_HINT_BATCH] = {"; --batch N runs several inferences as one", NULL, NULL},
    [TACHO_HINT_FIX_INPUT] = {"; fix it with", " --bind ", "=VALUE"},
    [TACHO_HINT_GIVE_VALUES] = {"; its inputs can be given with --input NAME=VALUE", NULL, NULL},
    [TACHO_HINT_GIVE_INPUT] = {"; give them with", " --input '", "'"},
    [TACHO_HINT_STRICT] = {" (--strict)", NULL, NULL},
    [TACHO_HINT_STRICT_HEALTH] = {" (--strict); 'tacho fleet health' lists", " ", ""},
    [TACHO_HINT_MACHINES] = {"; 'tacho machine list' shows them", NULL, NULL},
    [TACHO_HINT_FORMATS] = {"; use a format of 'tacho help formats'", NULL, NULL},
    [TACHO_HINT_NAME_FORMAT] = {"; use --from to name the format; 'tacho help formats' lists them",
                                NULL, NULL},
    [TACHO_HINT_CHOOSE_FORMAT] = {"; use --from to name the format", NULL, NULL},
    [TACHO_HINT_WRITE_TRACE] = {" (-o NAME.pb), or annotate with --columns torq-a3", NULL, NULL},
    [TACHO_HINT_NAME_PROGRAM] = {" with --program FILE", NULL, NULL},
    [TACHO_HINT_ALL_ROWS] = {"; --top 0 shows all", NULL, NULL},
    [TACHO_HINT_TRACK_CLASS] = {"; --class dma_in, dma_out or compute lists them", NULL, NULL},
    [TACHO_HINT_RECORD_OPERATORS] = {"; compile the program with --stats-level 70 to record "
                                     "operators",
                                     NULL, NULL},
    [TACHO_HINT_SELECTION] = {"; 'tacho info' shows the time range of the input, and 'tacho ops' "
                              "the names",
                              NULL, NULL},
    [TACHO_HINT_SEED] = {"", " (--seed ", ")"},
    [TACHO_HINT_MORE_INFERENCES] = {"; -n runs more", NULL, NULL},
    [TACHO_HINT_SIGNPOSTS] = {"; --ignore-signposts shows all, --start-signpost NAME others", NULL,
                              NULL},
    [TACHO_HINT_BOARD_RUNTIME] = {", and --board-runtime FILE names one", NULL, NULL},
    [TACHO_HINT_BOARD_WAIT] = {", or wait with --board-wait SECONDS", NULL, NULL},
    [TACHO_HINT_BOARD_TIMEOUT] = {", or wait longer with --timeout SECONDS", NULL, NULL},
    [TACHO_HINT_FIT] = {"; name some with --fit", NULL, NULL},
    [TACHO_HINT_FIT_ONLY] = {"; it does", " --fit ", ""},
    [TACHO_HINT_BY_OPERATOR] = {"; --by op compares the operators that launched kernels", NULL,
                                NULL},
    [TACHO_HINT_RUN] = {"; --run ID chooses one", NULL, NULL},
    [TACHO_HINT_WEIGHTS] = {", or run it with 'tacho run --weights random:SEED' or '--weights "
                            "zeros'",
                            NULL, NULL},
    [TACHO_HINT_MEMORY] = {"; --memory SIZE allows more", NULL, NULL},
    [TACHO_HINT_COMPILE_PROGRAM] = {"; 'tacho compile -o' writes one", NULL, NULL},
};

static const tacho_hint_dialect own = {"--dim ", '=', true};

const tacho_hint_dialect tacho_hints_qaic = {"-onnx-define-symbol=", ',', false};

/* "NAME=SIZE" as the dialect has it; a name may have a '=' in it. */
static void print_size(const tacho_hint_dialect *dialect, const char *detail, FILE *to)
{
    const char *equals = strrchr(detail, '=');
    char *name = equals != NULL ? strndup(detail, (size_t)(equals - detail)) : NULL;
    if (name == NULL) {
        tacho_talk_print_safe(detail, to);
        return;
    }
    fputs(dialect->size_option, to);
    tacho_talk_print_safe(name, to);
    fputc(dialect->size_separator, to);
    tacho_talk_print_safe(equals + 1, to);
    free(name);
}

void tacho_hints_print(const tacho_hint_dialect *dialect, const tacho_hint *hints, FILE *to)
{
    dialect = dialect != NULL ? dialect : &own;
    tacho_hint_id last = TACHO_HINT_NONE;
    for (; hints->id != TACHO_HINT_NONE; hints++) {
        const hint_words *row = &words[hints->id];
        if (hints->id == TACHO_HINT_BATCH && !dialect->has_batch) {
            continue;
        }
        fputs(last != hints->id ? row->before : "", to);
        last = hints->id;
        if (row->each == NULL) {
            continue;
        }
        fputs(row->each, to);
        if (hints->id == TACHO_HINT_SIZE) {
            print_size(dialect, hints->detail, to);
        } else {
            tacho_talk_print_safe(hints->detail, to);
        }
        fputs(row->after, to);
    }
}
