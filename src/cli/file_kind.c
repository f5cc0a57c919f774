/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Programs, models and tacho's own table of events, told by their first bytes; debug information
 * by all of them, since it begins as models do.
 */
#include "cli/file_kind.h"

#include "base/input.h"
#include "graph/model.h"
#include "program/qpc.h"
#include "sources/torq/ir_files.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

enum { LOOK_BYTES = 4096 };

static bool is_network(tacho_str head)
{
    return tacho_onnx_reader.is_mine(head) || tacho_mlir_reader.is_mine(head);
}

static bool is_program(tacho_str head)
{
    return head.len >= 4 && tacho_qpc_is_container(head);
}

/* Networks and programs are not unpacked on the way, as profiles are. */
static const char *describe_packed(tacho_input *input, tacho_str head)
{
    if (tacho_input_compression(input) == NULL) {
        return NULL;
    }
    return is_network(head)   ? "is a compressed model; decompress it first"
           : is_program(head) ? "is a compressed program; decompress it first"
                              : NULL;
}

static const char *describe(tacho_input *input, tacho_str head)
{
    const char *packed = describe_packed(input, head);
    if (packed != NULL) {
        return packed;
    }
    if (is_program(head)) {
        return "is a program; use 'tacho info' to inspect it or 'tacho run' to run it";
    }
    if (tacho_str_starts_with(head, TACHO_STR("kind,file,group,track,class,index,start_ns,"))) {
        return "is an event table for other programs, which tacho does not read back; write .pb or "
               ".json instead";
    }
    if (is_network(head)) {
        return "is a model; use 'tacho compile' or 'tacho info'";
    }
    return NULL;
}

/* What a file is that is no model, if it can be told. */
static const char *describe_no_model(tacho_input *input, tacho_str head)
{
    const tacho_source *source = NULL;
    const char *packed = describe_packed(input, head);
    if (packed != NULL) {
        return packed;
    }
    if (is_program(head)) {
        return "is a compiled program; use 'tacho run' or 'tacho info'";
    }
    tacho_status status = tacho_source_resolve(input, &source);
    tacho_status_free(status);
    return source != NULL ? "is a profile; use 'tacho info'" : NULL;
}

static tacho_status note_kind(tacho_status status, const char *path, bool wants_model)
{
    tacho_input input;
    tacho_str head;
    const char *what = NULL;
    if (tacho_cli_is_debug_info(path)) {
        return tacho_status_add_note(status,
                                     "%s is debug information of a Torq program: 'tacho annotate' "
                                     "joins it with a runtime profile, 'tacho info' shows it",
                                     path);
    }
    tacho_status looked = tacho_input_open(path, &input);
    if (looked == TACHO_OK) {
        looked = tacho_input_peek(&input, LOOK_BYTES, &head);
        if (looked == TACHO_OK) {
            what = wants_model ? describe_no_model(&input, head) : describe(&input, head);
        }
        tacho_input_close(&input);
    }
    tacho_status_free(looked);
    return what != NULL ? tacho_status_add_note(status, "%s %s", path, what) : status;
}

tacho_status tacho_cli_note_kinds(tacho_status status, const tacho_intake *intake)
{
    if (tacho_status_code(status) != TACHO_CODE_UNSUPPORTED) {
        return status;
    }
    for (size_t i = 0; i < intake->input_count; i++) {
        const tacho_intake_input *input = &intake->inputs[i];
        if (input->source == NULL && tacho_input_is_rereadable(input->path)) {
            status = note_kind(status, input->path, false);
        }
    }
    return status;
}

tacho_status tacho_cli_note_no_model(tacho_status status, const char *path)
{
    bool is_wanted =
        status != TACHO_OK && tacho_input_is_rereadable(path) &&
        (tacho_status_code(status) == TACHO_CODE_UNSUPPORTED || tacho_cli_is_debug_info(path));
    return is_wanted ? note_kind(status, path, true) : status;
}

/* What kind of file it is; 0 where that cannot be told. */
static mode_t kind_of(const char *path)
{
    struct stat facts;
    bool is_input = strcmp(path, "-") == 0;
    bool is_known = (is_input ? fstat(STDIN_FILENO, &facts) : stat(path, &facts)) == 0;
    return is_known ? facts.st_mode & S_IFMT : 0;
}

tacho_status tacho_cli_note_pipes(tacho_status status, const tacho_intake *intake)
{
    if (tacho_status_code(status) != TACHO_CODE_UNSUPPORTED) {
        return status;
    }
    for (size_t i = 0; i < intake->input_count; i++) {
        const char *path = intake->inputs[i].path;
        mode_t kind = kind_of(path);
        if (intake->inputs[i].source == NULL && (kind == S_IFIFO || kind == S_IFSOCK)) {
            status = tacho_status_add_note(
                status, "%s is a pipe; a model or program must be a regular file",
                strcmp(path, "-") == 0 ? "standard input" : path);
        }
    }
    return status;
}

/* Whether |path| is compressed MLIR. */
static bool has_mlir_inside(const char *path)
{
    tacho_input input;
    tacho_str inside = TACHO_STR("");
    tacho_status status = tacho_input_open(path, &input);
    if (status != TACHO_OK) {
        tacho_status_free(status);
        return false;
    }
    status = tacho_input_compression(&input) != NULL ? tacho_input_peek(&input, LOOK_BYTES, &inside)
                                                     : TACHO_OK;
    bool is_mlir = status == TACHO_OK && inside.len > 0 && tacho_mlir_reader.is_mine(inside);
    tacho_status_free(status);
    tacho_input_close(&input);
    return is_mlir;
}

static bool begins_like_mlir(const char *path)
{
    char head[LOOK_BYTES];
    size_t len = tacho_input_read_head(path, head, sizeof(head));
    if (len == 0) {
        return false;
    }
    return tacho_mlir_reader.is_mine(tacho_str_make(head, len)) ||
           (tacho_input_is_rereadable(path) && has_mlir_inside(path));
}

bool tacho_cli_is_debug_info(const char *path)
{
    bool is_input = strcmp(path, "-") == 0;
    bool is_folder = !is_input && kind_of(path) == S_IFDIR;
    if (!is_folder && !begins_like_mlir(path)) {
        return false;
    }
    off_t at = is_input ? lseek(STDIN_FILENO, 0, SEEK_CUR) : 0;
    bool is_debug_info = at >= 0 && torq_ir_is_program_path(path);
    bool is_as_before = !is_input || lseek(STDIN_FILENO, at, SEEK_SET) == at;
    return is_debug_info && is_as_before;
}
