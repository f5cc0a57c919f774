/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The script takes paths and digests as lines of its input, so nothing that a user wrote is ever
 * text of a shell. It reads no further than its last request: we send the next item only when it
 * has answered. A copy has a name of its own until it is complete, and is removed if it never is;
 * one that a board left when it was switched off is removed by the next. It is a new file (set -C),
 * never one that someone else has put there under that name.
 */
#include "remote/deploy.h"

#include "base/beside.h"
#include "base/mapping.h"
#include "base/sha256.h"

#include <ctype.h>
#include <limits.h>
#include <pwd.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#define GREETING "tacho-board-1 "

enum { NOISE_LINES_MAX = 1000, USER_BYTES = 64 };

/* For /bin/sh of any system, busybox included; in single quotes for the login shell. */
static const char script[] =
    "exec /bin/sh -c '"
    "umask 077; "
    "echo \"tacho-board-1 $(uname -m)\"; "
    "IFS= read -r path || exit 0; IFS= read -r want || exit 0; IFS= read -r size || exit 0; "
    "IFS= read -r check || exit 0; "
    "digest() { sum=$(sha256sum <\"$1\" 2>/dev/null) || sum=; echo \"${sum%% *}\"; }; "
    "fail() { echo \"fail $*\"; exit 1; }; "
    "sum=$(printf \"%s\\n\" \"$path\" \"$want\" \"$size\" | digest /dev/stdin); "
    "test -z \"$sum\" || test \"$sum\" = \"$check\" || "
    "fail \"the name or the size was damaged on its way\"; "
    "if test -f \"$path\" && test -x \"$path\" && test \"$(digest \"$path\")\" = \"$want\"; "
    "then echo same; else "
    "dir=${path%/*}; new=$path.new.$$; "
    "error=$(mkdir -p \"${dir:-/}\" 2>&1) || fail \"$error\"; "
    "for old in \"$path\".new.[0-9]*; "
    "do kill -0 \"${old##*.}\" 2>/dev/null || rm -f \"$old\"; done; "
    "rm -f \"$new\"; "
    "trap \"rm -f \\\"\\$new\\\"\" 0; trap \"exit 1\" 1 2 13 15; "
    "error=$( { set -C; : >\"$new\"; } 2>&1) || fail \"cannot write there: $error\"; "
    "echo push; "
    "error=$( { head -c \"$size\" >\"$new\"; } 2>&1) || fail \"cannot copy: $error\"; "
    "got=$(wc -c <\"$new\"); "
    "test \"$got\" -eq \"$size\" || fail \"only $got of $size bytes arrived\"; "
    "sum=$(digest \"$new\"); "
    "test -z \"$sum\" || test \"$sum\" = \"$want\" || fail \"the copy is damaged\"; "
    "error=$(chmod 700 \"$new\" 2>&1 && mv -f \"$new\" \"$path\" 2>&1) || fail \"$error\"; "
    "trap - 0 1 2 13 15; "
    "fi; echo start; exec \"$path\"'";

/* ---- names --------------------------------------------------------------------------------- */

static void find_user(char out_user[USER_BYTES])
{
    char memory[4096];
    struct passwd entry;
    struct passwd *found = NULL;
    if (getpwuid_r(geteuid(), &entry, memory, sizeof(memory), &found) == 0 && found != NULL) {
        snprintf(out_user, USER_BYTES, "%s", found->pw_name);
    } else {
        snprintf(out_user, USER_BYTES, "%lu", (unsigned long)geteuid());
    }
}

void tacho_remote_who(char out_who[TACHO_REMOTE_WHO_BYTES])
{
    char user[USER_BYTES];
    char name[80] = "";
    find_user(user);
    gethostname(name, sizeof(name) - 1);
    snprintf(out_who, TACHO_REMOTE_WHO_BYTES, "%s@%s", user, name);
    for (char *at = out_who; *at != '\0'; at++) {
        *at = isgraph((unsigned char)*at) ? *at : '_';
    }
}

/* Letters, digits and a few more, so that it is one file's name wherever it is. */
static void make_plain(char *name)
{
    for (char *at = name; *at != '\0'; at++) {
        bool is_plain =
            isalnum((unsigned char)*at) || *at == '_' || (at > name && (*at == '-' || *at == '.'));
        *at = is_plain ? *at : '_';
    }
}

static tacho_status choose_path(const tacho_remote_options *options, tacho_arena *arena,
                                const char **out_path)
{
    char text[PATH_MAX];
    char user[USER_BYTES];
    tacho_str copy;
    const char *path = options->path;
    if (path == NULL) {
        find_user(user);
        make_plain(user);
        snprintf(text, sizeof(text), ".cache/tacho/%s/tacho-board", user);
        path = text;
    }
    size_t len = strlen(path);
    bool is_good = len > 0 && len < PATH_MAX && path[0] != '-' && path[len - 1] != '/';
    for (size_t i = 0; i < len && is_good; i++) {
        is_good = !iscntrl((unsigned char)path[i]);
    }
    if (!is_good || strchr(path, '/') == NULL) {
        return tacho_fail(TACHO_CODE_USAGE,
                          "'%.200s' is not a path for the runtime on the board; use DIR/NAME, from "
                          "the home directory on",
                          path);
    }
    TACHO_TRY(tacho_arena_copy(arena, tacho_str_from_cstring(path), &copy));
    *out_path = copy.data;
    return TACHO_OK;
}

/* ---- the runtime here ---------------------------------------------------------------------- */

/* Processors by their names in `uname -m` and ELF files. */
static const struct {
    const char *name;
    uint64_t number;
} processors[] = {{"x86_64", 62}, {"aarch64", 183}, {"armv7l", 40}, {"riscv64", 243}, {"i686", 3}};

static uint64_t number_of(const char *machine)
{
    for (size_t i = 0; i < sizeof(processors) / sizeof(processors[0]); i++) {
        if (strcmp(processors[i].name, machine) == 0) {
            return processors[i].number;
        }
    }
    return 0;
}

static const char *name_of(uint64_t number)
{
    for (size_t i = 0; i < sizeof(processors) / sizeof(processors[0]); i++) {
        if (processors[i].number == number) {
            return processors[i].name;
        }
    }
    return "another processor";
}

static tacho_status check_runtime(tacho_str bytes, const char *path, const char *machine)
{
    enum { ELF_MACHINE = 18, ELF_HEAD = 64 };
    uint64_t wanted = number_of(machine);
    if (tacho_str_starts_with(bytes, TACHO_STR("#!"))) {
        return TACHO_OK;
    }
    if (bytes.len < ELF_HEAD || memcmp(bytes.data, "\177ELF", 4) != 0) {
        return tacho_fail(TACHO_CODE_BAD_DATA, "%s: not a program that a board could run", path);
    }
    uint64_t found = tacho_bytes_load(bytes.data + ELF_MACHINE, 2);
    return wanted == 0 || wanted == found
               ? TACHO_OK
               : tacho_fail(TACHO_CODE_USAGE, "%s: a runtime for %s, but the board is %s", path,
                            name_of(found), machine);
}

static tacho_status open_runtime(const tacho_remote_options *options, const char *machine,
                                 tacho_mappings *mappings, tacho_str *out_bytes)
{
    char name[64];
    char found[PATH_MAX];
    const char *path = options->runtime;
    snprintf(name, sizeof(name), "board-%.40s", machine);
    make_plain(name);
    if (path == NULL && !tacho_beside_find(name, found, sizeof(found))) {
        return tacho_fail_hint(TACHO_CODE_NOT_FOUND, TACHO_HINT_BOARD_RUNTIME,
                               "%s: the board is %s, and no runtime for that is installed with "
                               "tacho; %s",
                               options->host, machine,
                               strcmp(machine, "aarch64") == 0
                                   ? "'make board' builds one"
                                   : "building tacho on such a computer makes one");
    }
    path = path != NULL ? path : found;
    TACHO_TRY_NOTE(tacho_mappings_open(mappings, path, out_bytes), "this is the runtime for %s",
                   options->host);
    return check_runtime(*out_bytes, path, machine);
}

/* ---- the conversation ---------------------------------------------------------------------- */

/* A login shell may print any text before the script begins. */
static tacho_status read_greeting(tacho_link *link, tacho_arena *arena, const char **out_machine)
{
    char line[TACHO_LINK_LINE_BYTES] = "";
    tacho_str machine;
    size_t skip = strlen(GREETING);
    for (int i = 0; strncmp(line, GREETING, skip) != 0; i++) {
        TACHO_TRY(tacho_link_read_line(link, line, "starting a shell"));
        if (i == NOISE_LINES_MAX) {
            return tacho_fail(TACHO_CODE_BAD_DATA,
                              "%s: a shell there prints text without end; silence its start-up "
                              "files for commands",
                              link->host);
        }
    }
    tacho_link_set_up(link);
    TACHO_TRY(
        tacho_arena_copy(arena, tacho_str_trim(tacho_str_from_cstring(line + skip)), &machine));
    *out_machine = machine.data;
    return TACHO_OK;
}

static tacho_status send_wish(tacho_link *link, const char *path, tacho_str runtime)
{
    char digest[TACHO_SHA256_HEX_BYTES];
    char check[TACHO_SHA256_HEX_BYTES];
    char text[PATH_MAX + 300];
    tacho_sha256_hex(runtime, digest);
    int len = snprintf(text, sizeof(text), "%s\n%s\n%zu\n", path, digest, runtime.len);
    tacho_sha256_hex(tacho_str_make(text, (size_t)len), check);
    len += snprintf(text + len, sizeof(text) - (size_t)len, "%s\n", check);
    return tacho_link_send(link, tacho_str_make(text, (size_t)len), "comparing the runtime");
}

/* An error of the script, in its own words. */
static tacho_status check_answer(const tacho_link *link, const char *line, const char *path)
{
    if (strncmp(line, "fail ", 5) != 0) {
        return tacho_fail(TACHO_CODE_BAD_DATA, "%s: unexpected answer of the shell there: %.200s",
                          link->host, line);
    }
    return tacho_fail(TACHO_CODE_IO, "%s: cannot put the runtime at %s there: %s", link->host, path,
                      line + 5);
}

/* A board that cannot take it all stops reading; then its answer has the reason. */
static tacho_status push_runtime(tacho_link *link, const char *path, tacho_str runtime)
{
    char line[TACHO_LINK_LINE_BYTES];
    bool is_sent = tacho_tether_send(&link->tether, runtime.data, runtime.len);
    TACHO_TRY(tacho_link_read_line(link, line, "copying the runtime"));
    if (strcmp(line, "start") == 0) {
        return is_sent ? TACHO_OK : tacho_link_lost(link, "copying the runtime");
    }
    return check_answer(link, line, path);
}

static tacho_status start_runtime(tacho_link *link, const tacho_remote_options *options,
                                  tacho_str runtime, tacho_deployment *out)
{
    char line[TACHO_LINK_LINE_BYTES];
    TACHO_TRY(send_wish(link, out->path, runtime));
    TACHO_TRY(tacho_link_read_line(link, line, "comparing the runtime"));
    if (strcmp(line, "push") == 0) {
        TACHO_TRY(push_runtime(link, out->path, runtime));
        out->pushed_bytes = runtime.len;
        tacho_note(options->notes, "note", "copied the runtime to %s:%s (%zu bytes)", link->host,
                   out->path, runtime.len);
        return TACHO_OK;
    }
    if (strcmp(line, "same") != 0) {
        return check_answer(link, line, out->path);
    }
    TACHO_TRY(tacho_link_read_line(link, line, "starting the runtime"));
    return strcmp(line, "start") == 0 ? TACHO_OK : check_answer(link, line, out->path);
}

tacho_status tacho_remote_deploy(tacho_link *link, const tacho_remote_options *options,
                                 tacho_arena *arena, tacho_deployment *out)
{
    tacho_mappings mappings = {0};
    tacho_str runtime = TACHO_STR("");
    *out = (tacho_deployment){.machine = ""};
    TACHO_TRY(choose_path(options, arena, &out->path));
    TACHO_TRY(tacho_link_open(link, options->host, script, options->silence_s));
    link->tether.goes_on = options->goes_on;
    link->tether.watcher = options->watcher;
    TACHO_TRY(read_greeting(link, arena, &out->machine));
    tacho_status status = open_runtime(options, out->machine, &mappings, &runtime);
    if (status == TACHO_OK) {
        status = start_runtime(link, options, runtime, out);
    }
    tacho_mappings_close(&mappings);
    return status;
}
