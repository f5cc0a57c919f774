/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tracy_replay RECORDING PROTOCOL SEED QUERIES: plays a recorded Tracy client through a socket, in
 * pieces of sizes that SEED decides, to a session, and prints what came of it, a JSON array a line.
 * What the session asked goes to the file QUERIES.
 *
 * tracy_replay FILE.tracy: the same of a file.
 */
#include "capture/tracy_session.h"
#include "sources/tracy/tracy.h"

#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

static void print_text(tacho_str text)
{
    putchar('"');
    for (size_t i = 0; i < text.len; i++) {
        unsigned char byte = (unsigned char)text.data[i];
        if (byte < 0x20 || byte == '"' || byte == '\\' || byte == 0x7f) {
            printf("\\u%04x", byte);
        } else {
            putchar(byte);
        }
    }
    putchar('"');
}

static void print_args(const tacho_dict *dict, const tacho_row *row)
{
    printf(",{");
    for (size_t i = 0; i < row->arg_count; i++) {
        const tacho_arg *arg = &row->args[i];
        printf(i > 0 ? "," : "");
        print_text(tacho_dict_string(dict, arg->key));
        putchar(':');
        if (arg->type == TACHO_ARG_TEXT) {
            print_text(arg->value.as_text);
        } else if (arg->type == TACHO_ARG_STRING) {
            print_text(tacho_dict_string(dict, arg->value.as_string));
        } else {
            printf("%" PRIu64, arg->value.as_uint);
        }
    }
    putchar('}');
}

static tacho_status print_row(tacho_events *events, const tacho_row *row)
{
    const tacho_dict *dict = events->dict;
    if (row->kind == TACHO_ROW_SAMPLE) {
        printf("[\"sample\",%" PRIu32 ",%" PRId64 ",%.17g]\n", row->track, row->start,
               row->of.sample.value);
        return TACHO_OK;
    }
    const tacho_site *site = &dict->sites[row->of.span.site];
    printf("[\"span\",%" PRIu32 ",%" PRId64 ",%" PRId64 ",%" PRIu32 ",", row->track, row->start,
           row->of.span.end, row->of.span.flags);
    print_text(tacho_dict_string(dict, site->name));
    putchar(',');
    print_text(tacho_dict_string(dict, site->category));
    putchar(',');
    print_text(site->location == TACHO_NONE
                   ? TACHO_STR("")
                   : tacho_dict_string(dict, dict->locations[site->location].text));
    print_args(dict, row);
    printf("]\n");
    return TACHO_OK;
}

static const tacho_events_vtable vtable = {.row = print_row};

/* The whole file. */
static char *read_all(const char *path, size_t *out_len)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    char *bytes = malloc(1 << 24);
    ssize_t len = fd < 0 || bytes == NULL ? -1 : read(fd, bytes, 1 << 24);
    if (len < 0) {
        fprintf(stderr, "cannot read %s\n", path);
        exit(1);
    }
    close(fd);
    *out_len = (size_t)len;
    return bytes;
}

/* The client: waits for the hello, sends the recording piece by piece, and does not listen. */
static void play(int fd, const char *bytes, size_t len, unsigned seed)
{
    char hello[TACHO_TRACY_HELLO_BYTES];
    if (recv(fd, hello, sizeof(hello), MSG_WAITALL) != (ssize_t)sizeof(hello)) {
        _exit(1);
    }
    for (size_t at = 0; at < len;) {
        seed = seed * 1664525u + 1013904223u;
        size_t most = seed % 7 == 0 ? 60000 : seed % 7 == 1 ? 1 : 900;
        size_t piece = (seed >> 8) % most + 1;
        piece = piece < len - at ? piece : len - at;
        ssize_t sent = send(fd, bytes + at, piece, MSG_NOSIGNAL);
        if (sent <= 0) {
            _exit(0); /* the session is over: the rest is not wanted */
        }
        at += (size_t)sent;
    }
    _exit(0);
}

static void print_dict(const tacho_dict *dict)
{
    for (size_t i = 0; i < dict->track_count; i++) {
        printf("[\"track\",%zu,%" PRId64 ",", i,
               dict->tracks[i].parent == TACHO_NONE ? -1 : (int64_t)dict->tracks[i].parent);
        print_text(tacho_dict_string(dict, dict->tracks[i].name));
        printf(",\"%s\",%" PRId64 "]\n", tacho_track_class_name(dict->tracks[i].track_class),
               dict->tracks[i].has_number ? dict->tracks[i].number : -1);
    }
    for (size_t i = 0; i < dict->metadata_count; i++) {
        printf("[\"metadata\",");
        print_text(tacho_dict_string(dict, dict->metadata[i].key));
        putchar(',');
        print_text(tacho_dict_string(dict, dict->metadata[i].value));
        printf("]\n");
    }
    for (size_t i = 0; i < dict->loss_count; i++) {
        printf("[\"loss\",\"%s\",%" PRIu64 "]\n", tacho_loss_key(dict->losses[i].reason),
               dict->losses[i].count);
    }
}

/* Sends what may be sent now, and keeps it. */
static void give(tacho_tracy_session *session, int fd, FILE *queries)
{
    unsigned char bytes[TACHO_TRACY_QUERY_BYTES * 64];
    for (size_t len; (len = tacho_tracy_session_give(session, bytes, sizeof(bytes))) > 0;) {
        fwrite(bytes, 1, len, queries);
        if (send(fd, bytes, len, MSG_NOSIGNAL | MSG_DONTWAIT) < 0) {
            return; /* the client does not listen; what was asked is on record */
        }
    }
}

static tacho_status talk(tacho_tracy_session *session, int fd, FILE *queries)
{
    unsigned char hello[TACHO_TRACY_HELLO_BYTES];
    char bytes[4096];
    tacho_tracy_session_hello(session, hello);
    fwrite(hello, 1, sizeof(hello), queries);
    if (send(fd, hello, sizeof(hello), MSG_NOSIGNAL) < 0) {
        return tacho_fail(TACHO_CODE_IO, "cannot send");
    }
    for (ssize_t len; (len = recv(fd, bytes, sizeof(bytes), 0)) > 0;) {
        tacho_tracy_session_take(session, tacho_str_make(bytes, (size_t)len), NULL, NULL);
        if (!session->has_terminated) { /* else it would be over, whatever is still on its way */
            give(session, fd, queries);
        }
    }
    give(session, fd, queries);
    return tacho_tracy_session_finish(session);
}

static tacho_status replay(char **words, int fd)
{
    tacho_dict dict;
    tacho_clock ns;
    uint32_t clock = 0;
    uint32_t part = 0;
    tacho_tracy_clock shared = {0};
    TACHO_TRY(tacho_dict_init(&dict));
    tacho_events events = {.vtable = &vtable, .dict = &dict};
    tacho_clock_init(&ns, 1, 1);
    TACHO_TRY(tacho_dict_add_clock(&dict, &ns, TACHO_STR("ns"), &clock));
    const tacho_part_facts part_facts = {
        .path = TACHO_STR("recording"), .format = TACHO_STR("tracy"), .clock = clock};
    TACHO_TRY(tacho_dict_add_part(&dict, &part_facts, &part));
    const tacho_tracy_session_facts facts = {.events = &events,
                                             .part = part,
                                             .group = TACHO_NONE,
                                             .protocol = (uint32_t)strtoul(words[2], NULL, 10),
                                             .clock = &shared};
    tacho_tracy_session *session = calloc(1, sizeof(*session));
    FILE *queries = fopen(words[4], "wb");
    if (session == NULL || queries == NULL) {
        return tacho_no_memory();
    }
    TACHO_TRY(tacho_tracy_session_init(session, &facts));
    TACHO_TRY(talk(session, fd, queries));
    print_dict(&dict);
    printf("[\"end\",%d,%d,%" PRIu64 ",%" PRIu64 "]\n", (int)session->end,
           (int)session->protocol.is_fork, session->counts.blocks, session->counts.events);
    tacho_tracy_session_deinit(session);
    fclose(queries);
    free(session);
    tacho_dict_deinit(&dict);
    return TACHO_OK;
}

/* A .tracy file through its source. */
static tacho_status read_file(const char *path)
{
    tacho_dict dict;
    tacho_input input;
    const tacho_source_options options = {.choice_count = 0};
    TACHO_TRY(tacho_dict_init(&dict));
    tacho_events events = {.vtable = &vtable, .dict = &dict};
    TACHO_TRY(tacho_input_open(path, &input));
    const tacho_reading reading = {.input = &input,
                                   .path = tacho_str_from_cstring(path),
                                   .options = &options,
                                   .events = &events};
    TACHO_TRY(tacho_source_tracy.read(&reading));
    print_dict(&dict);
    tacho_input_close(&input);
    tacho_dict_deinit(&dict);
    return TACHO_OK;
}

static int report(tacho_status status)
{
    if (status != TACHO_OK) {
        fprintf(stderr, "%s\n", tacho_status_message(status));
        return 1;
    }
    return 0;
}

int main(int argc, char **argv)
{
    int ends[2];
    size_t len = 0;
    if (argc == 2) {
        return report(read_file(argv[1]));
    }
    if (argc != 5 || socketpair(AF_UNIX, SOCK_STREAM, 0, ends) != 0) {
        fprintf(stderr, "usage: tracy_replay RECORDING PROTOCOL SEED QUERIES\n");
        return 2;
    }
    char *bytes = read_all(argv[1], &len);
    pid_t client = fork();
    if (client == 0) {
        close(ends[0]);
        play(ends[1], bytes, len, (unsigned)strtoul(argv[3], NULL, 10));
    }
    free(bytes);
    close(ends[1]);
    tacho_status status = replay(argv, ends[0]);
    close(ends[0]);
    waitpid(client, NULL, 0);
    return report(status);
}
