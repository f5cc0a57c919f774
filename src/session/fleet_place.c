/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Names become names of directories; ranks of one job differ in theirs, so no file is shared.
 */
#include "session/fleet_place.h"

#include "base/folder.h"
#include "base/output.h"
#include "codec/json.h"
#include "pipeline/fleet_inputs.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/utsname.h>
#include <time.h>
#include <unistd.h>

enum { NAME_BYTES = 128, PATH_BYTES = 4096, CAPTURES_MAX = 100000 };

static tacho_status keep_text(tacho_fleet_place *place, const char *text, const char **out_text)
{
    tacho_str copy = TACHO_STR("");
    TACHO_TRY(tacho_arena_copy(&place->arena, tacho_str_make(text, strlen(text) + 1), &copy));
    *out_text = copy.data;
    return TACHO_OK;
}

/* The job, else the time: then every process is a run of its own. */
static tacho_job_naming name_run(char to[NAME_BYTES])
{
    time_t now = time(NULL);
    struct tm parts;
    to[0] = '\0';
    tacho_job_naming naming = tacho_launcher_name_job(to, NAME_BYTES);
    if (naming == TACHO_JOB_UNNAMED && gmtime_r(&now, &parts) != NULL) {
        strftime(to, NAME_BYTES, "%Y%m%dT%H%M%SZ", &parts);
    }
    tacho_make_plain_name(to);
    return naming;
}

static void name_host(char *to)
{
    struct utsname facts;
    snprintf(to, NAME_BYTES, "%s", uname(&facts) == 0 ? facts.nodename : "unknown");
    tacho_make_plain_name(to);
}

/* "capture.tacho", then "capture-2.tacho". */
static bool print_path(const tacho_fleet_place *place, const char *name, const char *suffix,
                       char path[PATH_BYTES])
{
    int len =
        place->number == 1
            ? snprintf(path, PATH_BYTES, "%s/%s%s", place->folder, name, suffix)
            : snprintf(path, PATH_BYTES, "%s/%s-%u%s", place->folder, name, place->number, suffix);
    return len < PATH_BYTES;
}

/* A name in the folder that nothing has. An empty file holds it: others may be looking, too. */
static tacho_status name_capture(tacho_fleet_place *place)
{
    char path[PATH_BYTES];
    for (place->number = 1; place->number < CAPTURES_MAX; place->number++) {
        if (!print_path(place, "capture", ".tacho", path)) {
            return tacho_fail(TACHO_CODE_IO, "%s: the path is too long", place->folder);
        }
        int fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
        if (fd >= 0) {
            close(fd);
            return keep_text(place, path, &place->capture);
        }
        if (errno != EEXIST) {
            return tacho_fail(TACHO_CODE_IO, "%s: cannot create it: %s", path, strerror(errno));
        }
    }
    return tacho_fail(TACHO_CODE_IO, "%s: too many captures in it", place->folder);
}

tacho_status tacho_fleet_place_init(tacho_fleet_place *place, const char *root)
{
    char run[NAME_BYTES], host[NAME_BYTES], folder[PATH_BYTES];
    bool is_new = false;
    *place = (tacho_fleet_place){.run = ""};
    tacho_arena_init(&place->arena);
    if (!tacho_launcher_find_own_rank(&place->rank)) {
        place->rank = (tacho_rank){.launcher = "", .world_size = 1};
    }
    place->run_naming = name_run(run);
    name_host(host);
    size_t root_len = strlen(root);
    while (root_len > 1 && root[root_len - 1] == '/') {
        root_len--;
    }
    int len = snprintf(folder, sizeof(folder), "%.*s/run=%s/host=%s/rank=%" PRIu64, (int)root_len,
                       root, run, host, place->rank.rank);
    if (len >= PATH_BYTES) {
        return tacho_fail(TACHO_CODE_IO, "%s: the path is too long", root);
    }
    TACHO_TRY(keep_text(place, run, &place->run));
    TACHO_TRY(keep_text(place, host, &place->host));
    TACHO_TRY(keep_text(place, folder, &place->folder));
    TACHO_TRY(tacho_folder_ensure(folder, &is_new));
    return name_capture(place);
}

void tacho_fleet_place_deinit(tacho_fleet_place *place)
{
    struct stat facts;
    if (place->capture != NULL && lstat(place->capture, &facts) == 0 && facts.st_size == 0) {
        unlink(place->capture); /* nothing came of it */
    }
    tacho_arena_deinit(&place->arena);
}

/* ---- manifest ------------------------------------------------------------------------------ */

static void write_text(tacho_output *output, const char *key, const char *text)
{
    tacho_output_printf(output, "  \"%s\": ", key);
    tacho_json_write_string(output, tacho_str_from_cstring(text));
    tacho_output_write_cstring(output, ",\n");
}

static void write_anchor(tacho_output *output, const tacho_anchor *anchor, const char *behind)
{
    tacho_output_printf(output,
                        "    {\"monotonic_ns\": %" PRId64 ", \"realtime_ns\": %" PRId64
                        ", \"error_ns\": %" PRId64 "}%s\n",
                        anchor->monotonic_ns, anchor->realtime_ns, anchor->error_ns, behind);
}

static void write_manifest(const tacho_fleet_place *place, const tacho_fleet_manifest *manifest,
                           tacho_output *output)
{
    tacho_str capture = tacho_str_basename(tacho_str_from_cstring(place->capture));
    tacho_output_write_cstring(output, "{\n  \"tacho_manifest\": 1,\n");
    write_text(output, "run", place->run);
    write_text(output, "host", place->host);
    tacho_output_printf(output, "  \"rank\": %" PRIu64 ",\n  \"world_size\": %" PRIu64 ",\n",
                        place->rank.rank, place->rank.world_size);
    write_text(output, "launcher", place->rank.launcher);
    write_text(output, "capture", capture.data);
    tacho_output_printf(output,
                        "  \"exit_status\": %d,\n  \"rows\": %" PRIu64 ",\n  \"lost\": %" PRIu64
                        ",\n  \"clock_step_ns\": %" PRId64 ",\n  \"anchors\": [\n",
                        manifest->exit_status, manifest->row_count, manifest->lost_count,
                        manifest->clock_step_ns);
    write_anchor(output, &manifest->start, ",");
    write_anchor(output, &manifest->end, "");
    tacho_output_write_cstring(output, "  ]\n}\n");
}

tacho_status tacho_fleet_place_write(const tacho_fleet_place *place,
                                     const tacho_fleet_manifest *manifest)
{
    char path[PATH_BYTES];
    tacho_output output;
    if (!print_path(place, TACHO_FLEET_MANIFEST, TACHO_FLEET_MANIFEST_SUFFIX, path)) {
        return tacho_fail(TACHO_CODE_IO, "%s: the path is too long", place->folder);
    }
    TACHO_TRY(tacho_output_open(path, &output));
    write_manifest(place, manifest, &output);
    tacho_status status = tacho_output_commit(&output);
    tacho_output_close(&output);
    return status;
}
