/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Fuzzes what a Tracy client may send. The first byte chooses the protocol and its layout, the
 * second how the rest is meant: as bytes of the connection, or as plain blocks (u16 length, bytes)
 * that are packed here, so that the search need not find out how LZ4 works.
 *
 * Laws: rows refer to what is in the dictionary and their times are in order; questions are whole,
 * of kinds that exist, and none is about address 0; a session that is over stays so.
 */
#include "capture/tracy_session.h"
#include "capture/tracy_client_testing.h"
#include "mutate/mutate.h"

const fuzz_layout fuzz_input_layout = {.prefix_bytes = 2, .piece_head_bytes = 2, .length_at = 0};

static void require(bool condition)
{
    if (!condition) {
        abort();
    }
}

static tacho_status check_row(tacho_events *events, const tacho_row *row)
{
    const tacho_dict *dict = events->dict;
    require(row->track < dict->track_count);
    require(row->start >= 0);
    if (row->kind == TACHO_ROW_SPAN) {
        require(row->of.span.site < dict->site_count && row->of.span.end >= row->start);
    }
    for (size_t i = 0; i < row->arg_count; i++) {
        require(row->args[i].key < dict->strings.item_count);
        if (row->args[i].type == TACHO_ARG_TEXT) {
            volatile char last = '\0';
            tacho_str text = row->args[i].value.as_text;
            last = text.len > 0 ? text.data[text.len - 1] : last;
        }
    }
    return TACHO_OK;
}

static const tacho_events_vtable vtable = {.row = check_row};

static const struct {
    uint32_t number;
    bool is_fork;
} versions[] = {
#define VERSION(number, is_fork) {number, is_fork},
    TACHO_TRACY_PROTOCOLS(VERSION)
#undef VERSION
};

static void check_questions(tacho_tracy_session *session)
{
    unsigned char bytes[64 * TACHO_TRACY_QUERY_BYTES];
    for (size_t len; (len = tacho_tracy_session_give(session, bytes, sizeof(bytes))) > 0;) {
        require(len % TACHO_TRACY_QUERY_BYTES == 0);
        for (size_t at = 0; at < len; at += TACHO_TRACY_QUERY_BYTES) {
            uint8_t type = bytes[at];
            require(type <= TACHO_TRACY_QUERY_FIBER && type != 6);
            require(type == TACHO_TRACY_QUERY_TERMINATE || type == TACHO_TRACY_QUERY_THREAD ||
                    type == TACHO_TRACY_QUERY_FIBER || tacho_tracy_u64(bytes + at + 1) != 0);
        }
    }
}

/* The input as what a client sends. */
static void compose(client *from, const uint8_t *data, size_t size)
{
    if ((data[1] & 1) == 0) {
        client_raw(from, data + 2, size - 2);
        return;
    }
    for (size_t at = 2; at + 2 <= size;) {
        size_t len = tacho_tracy_u16(data + at);
        len = len < size - at - 2 ? len : size - at - 2;
        client_bytes(from, (const char *)data + at + 2, len);
        client_send(from);
        at += 2 + len;
    }
}

static void talk(tacho_dict *dict, const client *from, size_t piece)
{
    tacho_events events = {.vtable = &vtable, .dict = dict};
    tacho_clock ns;
    uint32_t clock = 0;
    uint32_t part = 0;
    tacho_tracy_clock shared = {0};
    tacho_clock_init(&ns, 1, 1);
    require(tacho_dict_add_clock(dict, &ns, TACHO_STR("ns"), &clock) == TACHO_OK);
    const tacho_part_facts part_facts = {
        .path = TACHO_STR("p"), .format = TACHO_STR("tracy"), .clock = clock};
    require(tacho_dict_add_part(dict, &part_facts, &part) == TACHO_OK);
    const tacho_tracy_session_facts facts = {.events = &events,
                                             .part = part,
                                             .group = TACHO_NONE,
                                             .protocol = from->protocol.number,
                                             .clock = &shared};
    tacho_tracy_session *session = calloc(1, sizeof(*session));
    require(session != NULL && tacho_tracy_session_init(session, &facts) == TACHO_OK);
    for (size_t at = 0; at < from->len; at += piece) {
        size_t rest = from->len - at;
        bool was_over = session->phase == TACHO_TRACY_PHASE_OVER;
        tacho_tracy_session_take(
            session, tacho_str_make((const char *)from->bytes + at, rest < piece ? rest : piece),
            NULL, NULL);
        require(!was_over || session->phase == TACHO_TRACY_PHASE_OVER);
        check_questions(session);
    }
    require(tacho_tracy_session_finish(session) == TACHO_OK);
    tacho_tracy_session_deinit(session);
    free(session);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    tacho_dict dict;
    client from;
    if (size < 2 || size > 60000) {
        return 0;
    }
    size_t version = data[0] % (sizeof(versions) / sizeof(*versions));
    client_init(&from, versions[version].number, versions[version].is_fork);
    compose(&from, data, size);
    require(tacho_dict_init(&dict) == TACHO_OK);
    talk(&dict, &from, (data[1] & 2) != 0 ? 7 : 4096);
    tacho_dict_deinit(&dict);
    client_deinit(&from);
    return 0;
}
