/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Tracy's wire protocol as data: the event of each type byte, and its length, in every supported
 * version. Events were only ever inserted, so one ordered list with the protocol that introduced
 * each of them gives the numbers of all versions.
 *
 * Tenstorrent's fork of Tracy uses numbers of upstream (66 and 77) with another layout: two bytes
 * for a GPU context instead of one. Nothing in the handshake distinguishes them; see
 * codec/tracy_block.h for how the data does.
 */
#ifndef TACHO_CODEC_TRACY_PROTOCOL_H
#define TACHO_CODEC_TRACY_PROTOCOL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The parts that must directly precede an event, and belong to it. */
enum {
    TACHO_TRACY_NEED_S = 1 << 0,  /* a string */
    TACHO_TRACY_NEED_S2 = 1 << 1, /* a second one */
    TACHO_TRACY_NEED_P = 1 << 2,  /* a source location made at run time */
    TACHO_TRACY_NEED_C = 1 << 3,  /* a call stack */
    TACHO_TRACY_NEED_M = 1 << 4,  /* the name of a memory pool */
    TACHO_TRACY_NEED_I = 1 << 5,  /* a picture of a frame */
};

/* The variable part after the fixed part of an event. */
typedef enum tacho_tracy_tail {
    TACHO_TRACY_TAIL_NONE,
    TACHO_TRACY_TAIL_STRING8,  /* u8 length, bytes */
    TACHO_TRACY_TAIL_STRING16, /* u16 length, bytes; the length is 256 more since protocol 80 */
    TACHO_TRACY_TAIL_TEXT16,   /* u16 length, bytes, after a pointer */
    TACHO_TRACY_TAIL_TEXT32,   /* u32 length, bytes, after a pointer */
} tacho_tracy_tail;

/*
 * Name, first protocol, bytes with the type byte, whether the fork's GPU context makes it one
 * longer, the part after it, the parts before it. Order is that of the type bytes.
 */
/* clang-format off */
#define TACHO_TRACY_EVENTS(X)                                                                     \
    X(ZONE_TEXT, 63, 1, SAME, NONE, NEED_S)                                                       \
    X(ZONE_NAME, 63, 1, SAME, NONE, NEED_S)                                                       \
    X(MESSAGE, 63, 10, SAME, NONE, NEED_S)                                                        \
    X(MESSAGE_COLOR, 63, 13, SAME, NONE, NEED_S)                                                  \
    X(MESSAGE_CALLSTACK, 63, 10, SAME, NONE, NEED_S)                                              \
    X(MESSAGE_COLOR_CALLSTACK, 63, 13, SAME, NONE, NEED_S)                                        \
    X(MESSAGE_APP_INFO, 63, 9, SAME, NONE, NEED_S)                                                \
    X(ZONE_BEGIN_ALLOC_SRC_LOC, 63, 9, SAME, NONE, NEED_P)                                        \
    X(ZONE_BEGIN_ALLOC_SRC_LOC_CALLSTACK, 63, 9, SAME, NONE, NEED_P)                              \
    X(CALLSTACK_SERIAL, 63, 1, SAME, NONE, NEED_C)                                                \
    X(CALLSTACK, 63, 1, SAME, NONE, NEED_C)                                                       \
    X(CALLSTACK_ALLOC, 63, 1, SAME, NONE, NEED_C)                                                 \
    X(CALLSTACK_SAMPLE, 63, 13, SAME, NONE, NEED_C)                                               \
    X(CALLSTACK_SAMPLE_32, 78, 9, SAME, NONE, NEED_C)                                             \
    X(CALLSTACK_SAMPLE_16, 78, 7, SAME, NONE, NEED_C)                                             \
    X(CALLSTACK_SAMPLE_CONTEXT_SWITCH, 63, 13, SAME, NONE, NEED_C)                                \
    X(CALLSTACK_SAMPLE_CONTEXT_SWITCH_32, 78, 9, SAME, NONE, NEED_C)                              \
    X(CALLSTACK_SAMPLE_CONTEXT_SWITCH_16, 78, 7, SAME, NONE, NEED_C)                              \
    X(FRAME_IMAGE, 63, 10, SAME, NONE, NEED_I)                                                    \
    X(ZONE_BEGIN, 63, 17, SAME, NONE, 0)                                                          \
    X(ZONE_BEGIN_32, 78, 13, SAME, NONE, 0)                                                       \
    X(ZONE_BEGIN_16, 78, 11, SAME, NONE, 0)                                                       \
    X(ZONE_BEGIN_CALLSTACK, 63, 17, SAME, NONE, 0)                                                \
    X(ZONE_BEGIN_CALLSTACK_32, 78, 13, SAME, NONE, 0)                                             \
    X(ZONE_BEGIN_CALLSTACK_16, 78, 11, SAME, NONE, 0)                                             \
    X(ZONE_END, 63, 9, SAME, NONE, 0)                                                             \
    X(ZONE_END_32, 78, 5, SAME, NONE, 0)                                                          \
    X(ZONE_END_16, 78, 3, SAME, NONE, 0)                                                          \
    X(LOCK_WAIT, 63, 17, SAME, NONE, 0)                                                           \
    X(LOCK_OBTAIN, 63, 17, SAME, NONE, 0)                                                         \
    X(LOCK_RELEASE, 63, 13, SAME, NONE, 0)                                                        \
    X(LOCK_SHARED_WAIT, 63, 17, SAME, NONE, 0)                                                    \
    X(LOCK_SHARED_OBTAIN, 63, 17, SAME, NONE, 0)                                                  \
    X(LOCK_SHARED_RELEASE, 63, 17, SAME, NONE, 0)                                                 \
    X(LOCK_NAME, 63, 5, SAME, NONE, NEED_S)                                                       \
    X(MEM_ALLOC, 63, 27, SAME, NONE, 0)                                                           \
    X(MEM_ALLOC_NAMED, 63, 27, SAME, NONE, NEED_M)                                                \
    X(MEM_FREE, 63, 21, SAME, NONE, 0)                                                            \
    X(MEM_FREE_NAMED, 63, 21, SAME, NONE, NEED_M)                                                 \
    X(MEM_ALLOC_CALLSTACK, 63, 27, SAME, NONE, 0)                                                 \
    X(MEM_ALLOC_CALLSTACK_NAMED, 63, 27, SAME, NONE, NEED_M)                                      \
    X(MEM_FREE_CALLSTACK, 63, 21, SAME, NONE, 0)                                                  \
    X(MEM_FREE_CALLSTACK_NAMED, 63, 21, SAME, NONE, NEED_M)                                       \
    X(MEM_DISCARD, 72, 21, SAME, NONE, 0)                                                         \
    X(MEM_DISCARD_CALLSTACK, 72, 21, SAME, NONE, 0)                                               \
    X(GPU_ZONE_BEGIN, 63, 24, WIDE, NONE, 0)                                                      \
    X(GPU_ZONE_BEGIN_CALLSTACK, 63, 24, WIDE, NONE, 0)                                            \
    X(GPU_ZONE_BEGIN_ALLOC_SRC_LOC, 63, 16, WIDE, NONE, NEED_P)                                   \
    X(GPU_ZONE_BEGIN_ALLOC_SRC_LOC_CALLSTACK, 63, 16, WIDE, NONE, NEED_P)                         \
    X(GPU_ZONE_END, 63, 16, WIDE, NONE, 0)                                                        \
    X(GPU_ZONE_BEGIN_SERIAL, 63, 24, WIDE, NONE, 0)                                               \
    X(GPU_ZONE_BEGIN_CALLSTACK_SERIAL, 63, 24, WIDE, NONE, 0)                                     \
    X(GPU_ZONE_BEGIN_ALLOC_SRC_LOC_SERIAL, 63, 16, WIDE, NONE, NEED_P)                            \
    X(GPU_ZONE_BEGIN_ALLOC_SRC_LOC_CALLSTACK_SERIAL, 63, 16, WIDE, NONE, NEED_P)                  \
    X(GPU_ZONE_END_SERIAL, 63, 16, WIDE, NONE, 0)                                                 \
    X(PLOT_DATA_INT, 63, 25, SAME, NONE, 0)                                                       \
    X(PLOT_DATA_FLOAT, 63, 21, SAME, NONE, 0)                                                     \
    X(PLOT_DATA_DOUBLE, 63, 25, SAME, NONE, 0)                                                    \
    X(CONTEXT_SWITCH, 63, 23, SAME, NONE, 0)                                                      \
    X(THREAD_WAKEUP, 63, 16, SAME, NONE, 0)                                                       \
    X(GPU_TIME, 63, 12, WIDE, NONE, 0)                                                            \
    X(GPU_CONTEXT_NAME, 63, 2, WIDE, NONE, NEED_S)                                                \
    X(GPU_ANNOTATION_NAME, 76, 10, SAME, NONE, NEED_S)                                            \
    X(GPU_MARKER_META, 83, 3, SAME, NONE, NEED_S)                                                 \
    X(GPU_MARKER, 83, 24, SAME, NONE, NEED_P)                                                     \
    X(CALLSTACK_FRAME_SIZE, 63, 10, SAME, NONE, NEED_S)                                           \
    X(SYMBOL_INFORMATION, 63, 13, SAME, NONE, NEED_S)                                             \
    X(EXTERNAL_NAME_METADATA, 63, 1, SAME, NONE, 0)                                               \
    X(SYMBOL_CODE_METADATA, 63, 1, SAME, NONE, 0)                                                 \
    X(SOURCE_CODE_METADATA, 63, 1, SAME, NONE, 0)                                                 \
    X(FIBER_ENTER, 63, 25, SAME, NONE, 0)                                                         \
    X(FIBER_LEAVE, 63, 13, SAME, NONE, 0)                                                         \
    X(SECTION_ENTER, 82, 15, SAME, NONE, NEED_S)                                                  \
    X(SECTION_LEAVE, 82, 13, SAME, NONE, 0)                                                       \
    X(SECTION_SETUP, 82, 3, SAME, NONE, NEED_S)                                                   \
    X(TERMINATE, 63, 1, SAME, NONE, 0)                                                            \
    X(KEEP_ALIVE, 63, 1, SAME, NONE, 0)                                                           \
    X(THREAD_CONTEXT, 63, 5, SAME, NONE, 0)                                                       \
    X(GPU_CALIBRATION, 63, 26, WIDE, NONE, 0)                                                     \
    X(GPU_TIME_SYNC, 65, 18, WIDE, NONE, 0)                                                       \
    X(GPU_ZONE, 83, 31, SAME, NONE, 0)                                                            \
    X(CRASH, 63, 1, SAME, NONE, 0)                                                                \
    X(CRASH_REPORT, 63, 17, SAME, NONE, 0)                                                        \
    X(ZONE_VALIDATION, 63, 5, SAME, NONE, 0)                                                      \
    X(ZONE_COLOR, 63, 4, SAME, NONE, 0)                                                           \
    X(ZONE_VALUE, 63, 9, SAME, NONE, 0)                                                           \
    X(FRAME_MARK_MSG, 63, 17, SAME, NONE, 0)                                                      \
    X(FRAME_MARK_MSG_START, 63, 17, SAME, NONE, 0)                                                \
    X(FRAME_MARK_MSG_END, 63, 17, SAME, NONE, 0)                                                  \
    X(FRAME_VSYNC, 63, 13, SAME, NONE, 0)                                                         \
    X(SOURCE_LOCATION, 63, 32, SAME, NONE, 0)                                                     \
    X(LOCK_ANNOUNCE, 63, 22, SAME, NONE, 0)                                                       \
    X(LOCK_TERMINATE, 63, 13, SAME, NONE, 0)                                                      \
    X(LOCK_MARK, 63, 17, SAME, NONE, 0)                                                           \
    X(MESSAGE_LITERAL, 63, 17, SAME, NONE, 0)                                                     \
    X(MESSAGE_LITERAL_COLOR, 63, 20, SAME, NONE, 0)                                               \
    X(MESSAGE_LITERAL_CALLSTACK, 63, 17, SAME, NONE, 0)                                           \
    X(MESSAGE_LITERAL_COLOR_CALLSTACK, 63, 20, SAME, NONE, 0)                                     \
    X(GPU_NEW_CONTEXT, 63, 28, WIDE, NONE, 0)                                                     \
    X(CALLSTACK_FRAME, 63, 17, SAME, NONE, NEED_S | NEED_S2)                                      \
    X(SYS_TIME_REPORT, 63, 13, SAME, NONE, 0)                                                     \
    X(SYS_POWER_REPORT, 64, 25, SAME, NONE, 0)                                                    \
    X(TID_TO_PID, 63, 17, SAME, NONE, 0)                                                          \
    X(HW_SAMPLE_CPU_CYCLE, 63, 17, SAME, NONE, 0)                                                 \
    X(HW_SAMPLE_INSTRUCTION_RETIRED, 63, 17, SAME, NONE, 0)                                       \
    X(HW_SAMPLE_CACHE_REFERENCE, 63, 17, SAME, NONE, 0)                                           \
    X(HW_SAMPLE_CACHE_MISS, 63, 17, SAME, NONE, 0)                                                \
    X(HW_SAMPLE_BRANCH_RETIRED, 63, 17, SAME, NONE, 0)                                            \
    X(HW_SAMPLE_BRANCH_MISS, 63, 17, SAME, NONE, 0)                                               \
    X(PLOT_CONFIG, 63, 16, SAME, NONE, 0)                                                         \
    X(PARAM_SETUP, 63, 18, SAME, NONE, 0)                                                         \
    X(ACK_SERVER_QUERY_NOOP, 63, 1, SAME, NONE, 0)                                                \
    X(ACK_SOURCE_CODE_NOT_AVAILABLE, 63, 5, SAME, NONE, 0)                                        \
    X(ACK_SYMBOL_CODE_NOT_AVAILABLE, 63, 1, SAME, NONE, 0)                                        \
    X(CPU_TOPOLOGY, 63, 17, SAME, NONE, 0)                                                        \
    X(SINGLE_STRING_DATA, 63, 1, SAME, STRING16, 0)                                               \
    X(SECOND_STRING_DATA, 63, 1, SAME, STRING16, 0)                                               \
    X(SINGLE_STRING_DATA_8, 80, 1, SAME, STRING8, 0)                                              \
    X(SECOND_STRING_DATA_8, 80, 1, SAME, STRING8, 0)                                              \
    X(MEM_NAME_PAYLOAD, 63, 9, SAME, NONE, 0)                                                     \
    X(THREAD_GROUP_HINT, 67, 9, SAME, NONE, 0)                                                    \
    X(GPU_ZONE_ANNOTATION, 76, 24, SAME, NONE, 0)                                                 \
    X(STRING_DATA, 63, 9, SAME, TEXT16, 0)                                                        \
    X(THREAD_NAME, 63, 9, SAME, TEXT16, 0)                                                        \
    X(PLOT_NAME, 63, 9, SAME, TEXT16, 0)                                                          \
    X(SOURCE_LOCATION_PAYLOAD, 63, 9, SAME, TEXT16, 0)                                            \
    X(CALLSTACK_PAYLOAD, 63, 9, SAME, TEXT16, 0)                                                  \
    X(CALLSTACK_ALLOC_PAYLOAD, 63, 9, SAME, TEXT16, 0)                                            \
    X(FRAME_NAME, 63, 9, SAME, TEXT16, 0)                                                         \
    X(FRAME_IMAGE_DATA, 63, 9, SAME, TEXT32, 0)                                                   \
    X(EXTERNAL_NAME, 63, 9, SAME, TEXT16, 0)                                                      \
    X(EXTERNAL_THREAD_NAME, 63, 9, SAME, TEXT16, 0)                                               \
    X(SYMBOL_CODE, 63, 9, SAME, TEXT32, 0)                                                        \
    X(SOURCE_CODE, 63, 9, SAME, TEXT32, 0)                                                        \
    X(FIBER_NAME, 63, 9, SAME, TEXT16, 0)

/* Sizes that were others up to and including a protocol. */
#define TACHO_TRACY_OLD_SIZES(X)                                                                  \
    X(MESSAGE, 76, 9)                                                                             \
    X(MESSAGE_CALLSTACK, 76, 9)                                                                   \
    X(MESSAGE_COLOR, 76, 12)                                                                      \
    X(MESSAGE_COLOR_CALLSTACK, 76, 12)                                                            \
    X(CONTEXT_SWITCH, 72, 20)                                                                     \
    X(THREAD_WAKEUP, 72, 13)                                                                      \
    X(FIBER_ENTER, 67, 21)                                                                        \
    X(CPU_TOPOLOGY, 68, 13)

/* Number, whether it is that of the fork. */
#define TACHO_TRACY_PROTOCOLS(X)                                                                  \
    X(63, false) X(64, false) X(66, false) X(66, true) X(69, false) X(74, false) X(76, false)     \
    X(77, false) X(77, true) X(82, false) X(83, true)
/* clang-format on */

typedef enum tacho_tracy_event {
#define TACHO_TRACY_ENUM(name, since, bytes, context, tail, needs) TACHO_TRACY_##name,
    TACHO_TRACY_EVENTS(TACHO_TRACY_ENUM)
#undef TACHO_TRACY_ENUM
        TACHO_TRACY_EVENT_COUNT,
} tacho_tracy_event;

/* The meaning of a type byte. */
typedef struct tacho_tracy_type {
    uint8_t event; /* TACHO_TRACY_EVENT_COUNT: none */
    uint8_t bytes; /* with the type byte, without the variable part */
    uint8_t tail;
    uint8_t needs;
} tacho_tracy_type;

/* Queries, by the thing they ask for. */
typedef enum tacho_tracy_query {
    TACHO_TRACY_QUERY_TERMINATE = 0,
    TACHO_TRACY_QUERY_STRING = 1,
    TACHO_TRACY_QUERY_THREAD = 2,
    TACHO_TRACY_QUERY_LOCATION = 3,
    TACHO_TRACY_QUERY_PLOT = 4,
    TACHO_TRACY_QUERY_FRAME = 5,
    TACHO_TRACY_QUERY_FIBER = 7,
} tacho_tracy_query;

enum {
    TACHO_TRACY_QUERY_BYTES = 13,
    TACHO_TRACY_HELLO_BYTES = 12,
    TACHO_TRACY_BLOCK_MAX = 256 << 10, /* decoded bytes of a block */
    TACHO_TRACY_PACKED_MAX = (256 << 10) + 1028 + 16,
    TACHO_TRACY_WELCOME_MAX = 1178,
    TACHO_TRACY_ON_DEMAND_BYTES = 16,
    TACHO_TRACY_PROGRAM = 64,
    TACHO_TRACY_HOST = 1024,
};

/* The first answer to the hello. */
typedef enum tacho_tracy_answer {
    TACHO_TRACY_ANSWER_WELCOME = 1,
    TACHO_TRACY_ANSWER_MISMATCH = 2,
    TACHO_TRACY_ANSWER_NOT_AVAILABLE = 3,
} tacho_tracy_answer;

typedef struct tacho_tracy_protocol {
    uint32_t number;
    bool is_fork;
    uint8_t context_bytes; /* of a GPU context */
    tacho_tracy_type types[256];
} tacho_tracy_protocol;

/* The tables of a version; false where it is not spoken. */
bool tacho_tracy_protocol_init(tacho_tracy_protocol *protocol, uint32_t number, bool is_fork);

/* Whether |number| is supported at all, and whether two layouts have it. */
bool tacho_tracy_is_spoken(uint32_t number);
bool tacho_tracy_is_ambiguous(uint32_t number);

/* The |index|-th number that is spoken, the most likely first; 0 after the last. */
uint32_t tacho_tracy_number(size_t index);

/* The type byte of an event; -1 where the version has none. */
int tacho_tracy_type_of(const tacho_tracy_protocol *protocol, tacho_tracy_event event);

/* A client's description of itself. */
typedef struct tacho_tracy_welcome {
    double ns_per_tick;
    int64_t init_begin, init_end; /* ticks */
    uint64_t resolution, epoch, exec_time, pid;
    int64_t sampling_period;
    uint8_t flags, cpu_arch;
    char cpu_vendor[13];
    uint32_t cpu_id;
    char program[TACHO_TRACY_PROGRAM + 1];
    char host[TACHO_TRACY_HOST + 1];
} tacho_tracy_welcome;

enum { TACHO_TRACY_ON_DEMAND = 1 }; /* a flag */

size_t tacho_tracy_welcome_bytes(uint32_t number);

/* Reads the welcome; false where its numbers cannot be those of a client. */
bool tacho_tracy_welcome_parse(tacho_tracy_welcome *welcome, uint32_t number,
                               const unsigned char *bytes);

/* A client's announcement by UDP. */
typedef struct tacho_tracy_announcement {
    uint16_t port;
    uint32_t protocol;
    uint64_t pid;
    bool is_gone;
    char program[TACHO_TRACY_PROGRAM + 1];
} tacho_tracy_announcement;

bool tacho_tracy_announcement_parse(tacho_tracy_announcement *announcement,
                                    const unsigned char *bytes, size_t len);

static inline uint16_t tacho_tracy_u16(const unsigned char *at)
{
    return (uint16_t)(at[0] | at[1] << 8);
}

static inline uint32_t tacho_tracy_u32(const unsigned char *at)
{
    return (uint32_t)at[0] | (uint32_t)at[1] << 8 | (uint32_t)at[2] << 16 | (uint32_t)at[3] << 24;
}

static inline uint64_t tacho_tracy_u64(const unsigned char *at)
{
    return tacho_tracy_u32(at) | (uint64_t)tacho_tracy_u32(at + 4) << 32;
}

static inline int64_t tacho_tracy_i64(const unsigned char *at)
{
    return (int64_t)tacho_tracy_u64(at);
}

#endif
