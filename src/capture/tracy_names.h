/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Names of a Tracy client. Its events carry addresses: of source locations, texts, plots. The
 * contents are queried, and rows that need them wait for the answer.
 *
 * Only addresses that the client sent are queried, each once: it reads them, and would crash on any
 * other.
 */
#ifndef TACHO_CAPTURE_TRACY_NAMES_H
#define TACHO_CAPTURE_TRACY_NAMES_H

#include "base/number_map.h"
#include "base/strings.h"
#include "codec/tracy_protocol.h"
#include "profile/tracy_rows.h"

enum {
    TACHO_TRACY_IN_FLIGHT = 2048,     /* questions without an answer, at most */
    TACHO_TRACY_HELD_MAX = 1 << 21,   /* rows that wait for a name, at most */
    TACHO_TRACY_NAMES_MAX = 1 << 22,  /* strings or places, at most */
    TACHO_TRACY_TEXT_MAX = 256 << 10, /* bytes of a zone's text */
};

/* A row that waits for the name of its place, or for its text. */
typedef struct tacho_tracy_held {
    tacho_tracy_span span; /* its site, function and text are filled in later */
    uint32_t place;        /* TACHO_NONE: it is a moment */
    uint32_t extra;        /* TACHO_NONE: none */
    uint32_t category;     /* string */
    uint32_t next;
} tacho_tracy_held;

/* A text at an address. */
typedef struct tacho_tracy_name {
    uint64_t address;
    uint32_t string; /* TACHO_NONE: not answered */
    uint32_t held;   /* moments that wait for it */
    uint32_t users;  /* places that wait for it: 3 * place + which of its names */
} tacho_tracy_name;

/* A source location. */
typedef struct tacho_tracy_known_place {
    uint64_t address; /* 0: made at run time */
    tacho_tracy_place place;
    bool is_asked, is_skipped; /* by us; that only others query */
    uint32_t missing;          /* how many of its names are not known; 4: none is known */
    uint32_t next_user[3];     /* others that wait for the same name */
    uint32_t site;             /* of zones there; TACHO_NONE: not made */
    uint32_t site_category;    /* of that site */
    uint32_t function_shown;   /* string; 0 for none */
    uint32_t held;             /* rows that wait for it */
} tacho_tracy_known_place;

/* Texts, name and colour of one zone. */
typedef struct tacho_tracy_extra {
    char *text;
    size_t text_len, text_capacity;
    uint32_t name; /* string, 0 for none */
    uint32_t color;
    uint32_t next_free;
} tacho_tracy_extra;

typedef struct tacho_tracy_question {
    uint8_t type;
    uint64_t address;
} tacho_tracy_question;

/*
 * Answers about places do not name their place: they are in the order of the questions. A recording
 * that is replayed to us answers the questions of another server. Tracy's own asks for the places
 * where locks are taken, others do not, and neither do we. From the first such place on, answers
 * are kept, until the client has proved that it answers us (it has sent a thread's name twice, as
 * asked), or until the end, where the number of answers decides.
 */
typedef struct tacho_tracy_asked {
    uint32_t *places; /* that we have queried */
    size_t count, capacity;
    uint32_t *wider; /* that Tracy's own server queries */
    size_t wider_count, wider_capacity;
    size_t answered_count;  /* places whose answer was used */
    unsigned char *answers; /* that are kept, TACHO_TRACY_ANSWER_BYTES each */
    size_t answer_count, answer_capacity;
    bool is_doubtful; /* answers are kept */
    bool is_heard;    /* the client listens to us */
    uint64_t witness; /* the thread whose name is queried twice */
} tacho_tracy_asked;

enum { TACHO_TRACY_ANSWER_BYTES = 31 };

typedef struct tacho_tracy_names {
    tacho_tracy_rows *rows;
    bool has_odd_color; /* colour 2 means none: the fork's, in protocol 66 */
    tacho_number_map name_map, place_map;
    tacho_tracy_name *names;
    size_t name_count, name_capacity;
    tacho_tracy_known_place *places;
    size_t place_count, place_capacity;
    tacho_strings payloads; /* places made at run time, as received */
    uint32_t *payload_places;
    size_t payload_capacity;
    tacho_tracy_held *held;
    size_t held_count, held_capacity;
    uint32_t free_held;
    tacho_tracy_extra *extras;
    size_t extra_count, extra_capacity;
    uint32_t free_extra;
    tacho_tracy_asked asked;
    tacho_tracy_question *questions;
    size_t question_count, question_capacity;
    size_t sent_count;      /* of them */
    uint64_t reply_count;   /* to those */
    uint64_t unnamed_count; /* rows whose name never arrived */
    uint32_t last_place;    /* found by address last */
} tacho_tracy_names;

tacho_status tacho_tracy_names_init(tacho_tracy_names *names,
                                    tacho_tracy_rows *rows) TACHO_MUST_USE;
void tacho_tracy_names_deinit(tacho_tracy_names *names);

/* Adds a question; it is sent when there is room for it. */
tacho_status tacho_tracy_names_ask(tacho_tracy_names *names, tacho_tracy_query type,
                                   uint64_t address) TACHO_MUST_USE;

/* Questions that may be sent now are put into |to|, of |room| bytes; returns how many bytes. */
size_t tacho_tracy_names_take_questions(tacho_tracy_names *names, unsigned char *to, size_t room);

/* Whether all that was asked is answered. */
static inline bool tacho_tracy_names_is_settled(const tacho_tracy_names *names)
{
    return names->sent_count == names->question_count && names->reply_count >= names->sent_count;
}

/* The text at |address|, which is queried at its first use. */
tacho_status tacho_tracy_names_text(tacho_tracy_names *names, uint64_t address,
                                    uint32_t *out_name) TACHO_MUST_USE;

/* The place at |address|, likewise; one that was made at run time. */
tacho_status tacho_tracy_names_place(tacho_tracy_names *names, uint64_t address,
                                     uint32_t *out_place) TACHO_MUST_USE;
tacho_status tacho_tracy_names_payload(tacho_tracy_names *names, tacho_str payload,
                                       uint32_t *out_place) TACHO_MUST_USE;

/* A place that only Tracy's own server queries; |thread| is the one whose name is the test. */
tacho_status tacho_tracy_names_skip_place(tacho_tracy_names *names, uint64_t address,
                                          uint64_t thread) TACHO_MUST_USE;

/* The name of |thread| has been received |count| times. */
tacho_status tacho_tracy_names_hear(tacho_tracy_names *names, uint64_t thread,
                                    uint32_t count) TACHO_MUST_USE;

/* Answers. Rows that waited for them are pushed. */
tacho_status tacho_tracy_names_answer_text(tacho_tracy_names *names, uint64_t address,
                                           tacho_str text) TACHO_MUST_USE;
tacho_status tacho_tracy_names_answer_place(tacho_tracy_names *names,
                                            const unsigned char *data) TACHO_MUST_USE;

/* Room for texts, name and colour of a zone; it is released when the zone's row is pushed. */
tacho_status tacho_tracy_names_add_extra(tacho_tracy_names *names,
                                         uint32_t *out_extra) TACHO_MUST_USE;
tacho_status tacho_tracy_names_add_text(tacho_tracy_names *names, uint32_t extra,
                                        tacho_str text) TACHO_MUST_USE;

/* Pushes a zone of |place| with |extra|, now or when its name is known. */
tacho_status tacho_tracy_names_push_zone(tacho_tracy_names *names,
                                         const tacho_tracy_held *zone) TACHO_MUST_USE;

/* Pushes a moment whose text is |name|, likewise. */
tacho_status tacho_tracy_names_push_moment(tacho_tracy_names *names,
                                           const tacho_tracy_moment *moment,
                                           uint32_t name) TACHO_MUST_USE;

/* Pushes all rows that wait: without a name, under their address. */
tacho_status tacho_tracy_names_finish(tacho_tracy_names *names) TACHO_MUST_USE;

/* The best name of a place, to call a track by: a string, 0 while it is not known. */
uint32_t tacho_tracy_names_title(const tacho_tracy_names *names, uint32_t place);

#endif
