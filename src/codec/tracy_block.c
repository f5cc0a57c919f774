/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Judging a block before acting on it.
 */
#include "codec/tracy_block.h"

enum { TYPE_MAX = 11, FLAG_MAX = 1 };

static tacho_tracy_cursor cursor_of(const tacho_tracy_protocol *protocol, tacho_str bytes)
{
    const unsigned char *at = (const unsigned char *)bytes.data;
    return (tacho_tracy_cursor){.protocol = protocol, .at = at, .end = at + bytes.len};
}

bool tacho_tracy_block_is_whole(const tacho_tracy_protocol *protocol, tacho_str bytes)
{
    tacho_tracy_cursor cursor = cursor_of(protocol, bytes);
    tacho_tracy_item item;
    while (tacho_tracy_next(&cursor, &item)) {
    }
    return !cursor.is_bad;
}

bool tacho_tracy_block_has_context(const tacho_tracy_protocol *protocol, tacho_str bytes)
{
    tacho_tracy_cursor cursor = cursor_of(protocol, bytes);
    tacho_tracy_item item;
    while (tacho_tracy_next(&cursor, &item)) {
        if (item.event == TACHO_TRACY_GPU_NEW_CONTEXT) {
            return true;
        }
    }
    return false;
}

static uint16_t context_at(const tacho_tracy_protocol *protocol, const unsigned char *at)
{
    return protocol->context_bytes == 2 ? tacho_tracy_u16(at) : *at;
}

/* The place of the context in an event of a GPU; -1 in any other. */
static int context_place(tacho_tracy_event event)
{
    switch ((int)event) {
    case TACHO_TRACY_GPU_ZONE_BEGIN:
    case TACHO_TRACY_GPU_ZONE_BEGIN_CALLSTACK:
    case TACHO_TRACY_GPU_ZONE_BEGIN_ALLOC_SRC_LOC:
    case TACHO_TRACY_GPU_ZONE_BEGIN_ALLOC_SRC_LOC_CALLSTACK:
    case TACHO_TRACY_GPU_ZONE_END:
    case TACHO_TRACY_GPU_ZONE_BEGIN_SERIAL:
    case TACHO_TRACY_GPU_ZONE_BEGIN_CALLSTACK_SERIAL:
    case TACHO_TRACY_GPU_ZONE_BEGIN_ALLOC_SRC_LOC_SERIAL:
    case TACHO_TRACY_GPU_ZONE_BEGIN_ALLOC_SRC_LOC_CALLSTACK_SERIAL:
    case TACHO_TRACY_GPU_ZONE_END_SERIAL:
        return 14;
    case TACHO_TRACY_GPU_TIME:
        return 10;
    case TACHO_TRACY_GPU_CONTEXT_NAME:
        return 0;
    case TACHO_TRACY_GPU_CALIBRATION:
        return 24;
    case TACHO_TRACY_GPU_TIME_SYNC:
        return 16;
    default:
        return -1;
    }
}

/* Whether a GPU's event makes no sense: a new context's facts, another one's context. */
static bool is_doubtful_gpu(const tacho_tracy_protocol *protocol, const tacho_tracy_item *item,
                            tacho_tracy_walk *walk)
{
    if (item->event == TACHO_TRACY_GPU_NEW_CONTEXT) {
        uint16_t context = context_at(protocol, item->data + 24);
        const unsigned char *rest = item->data + 24 + protocol->context_bytes;
        walk->contexts.bits[context / 8] |= (uint8_t)(1u << context % 8);
        return rest[0] > FLAG_MAX || rest[1] == 0 || rest[1] > TYPE_MAX;
    }
    int place = context_place(item->event);
    if (place < 0) {
        return false;
    }
    uint16_t context = context_at(protocol, item->data + place);
    return (walk->contexts.bits[context / 8] >> context % 8 & 1) == 0;
}

/* The TACHO_TRACY_NEED_ bit that an event provides for the next one. */
static uint8_t brings(tacho_tracy_event event)
{
    switch ((int)event) {
    case TACHO_TRACY_SINGLE_STRING_DATA:
    case TACHO_TRACY_SINGLE_STRING_DATA_8:
        return TACHO_TRACY_NEED_S;
    case TACHO_TRACY_SECOND_STRING_DATA:
    case TACHO_TRACY_SECOND_STRING_DATA_8:
        return TACHO_TRACY_NEED_S2;
    case TACHO_TRACY_SOURCE_LOCATION_PAYLOAD:
        return TACHO_TRACY_NEED_P;
    case TACHO_TRACY_CALLSTACK_PAYLOAD:
    case TACHO_TRACY_CALLSTACK_ALLOC_PAYLOAD:
        return TACHO_TRACY_NEED_C;
    case TACHO_TRACY_MEM_NAME_PAYLOAD:
        return TACHO_TRACY_NEED_M;
    case TACHO_TRACY_FRAME_IMAGE_DATA:
        return TACHO_TRACY_NEED_I;
    default:
        return 0;
    }
}

tacho_tracy_verdict tacho_tracy_block_judge(const tacho_tracy_protocol *protocol, tacho_str bytes,
                                            tacho_tracy_walk *walk)
{
    tacho_tracy_cursor cursor = cursor_of(protocol, bytes);
    tacho_tracy_verdict verdict = {0};
    tacho_tracy_item item;
    while (cursor.at != cursor.end) {
        uint8_t needs = protocol->types[*cursor.at].needs;
        if (!tacho_tracy_next(&cursor, &item)) {
            break;
        }
        uint8_t brought = brings(item.event);
        verdict.event_count++;
        verdict.has_gpu_context |= item.event == TACHO_TRACY_GPU_NEW_CONTEXT;
        verdict.doubt_count += (needs & ~walk->pending) != 0;
        verdict.doubt_count += (brought & walk->pending) != 0;
        verdict.doubt_count += is_doubtful_gpu(protocol, &item, walk);
        walk->pending = (uint8_t)((walk->pending & ~needs) | brought);
    }
    verdict.is_whole = !cursor.is_bad;
    return verdict;
}
