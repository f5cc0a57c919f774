/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The clock of share.h: 20 bits after the point, parts of 2^26. With times of 56 bits and 2^20
 * users all products fit 128 bits.
 */
#include "device/sim/share.h"

enum { FRACTION_BITS = 20, WHOLE_BITS = 26 };

static const uint64_t WHOLE = (uint64_t)1 << WHOLE_BITS;

uint64_t tacho_sharing_part(uint64_t bytes, int64_t cycles, tacho_ratio capacity)
{
    tacho_u128 most = (tacho_u128)(uint64_t)cycles * (uint64_t)capacity.num;
    if (bytes >> 50 != 0 || (uint64_t)capacity.den >> 50 != 0) {
        return WHOLE;
    }
    tacho_u128 need = (tacho_u128)bytes * (uint64_t)capacity.den;
    if (need >= most) {
        return WHOLE;
    }
    return (uint64_t)((need << WHOLE_BITS) / most);
}

void tacho_sharing_advance(tacho_sharing *sharing, int64_t now)
{
    tacho_u128 passed = (tacho_u128)(uint64_t)(now - sharing->now) << FRACTION_BITS;
    sharing->now = now;
    sharing->clock += sharing->used <= WHOLE ? passed : (passed << WHOLE_BITS) / sharing->used;
}

tacho_status tacho_sharing_add(tacho_sharing *sharing, uint64_t key, int64_t cycles, uint64_t part)
{
    tacho_u128 end = sharing->clock + ((tacho_u128)(uint64_t)cycles << FRACTION_BITS);
    sharing->used += part;
    sharing->generation++;
    return tacho_heap_add(&sharing->users, (tacho_moment){end, key, part});
}

bool tacho_sharing_take(tacho_sharing *sharing, uint64_t *out_key)
{
    if (sharing->users.item_count == 0 || sharing->users.items[0].at > sharing->clock) {
        return false;
    }
    tacho_moment user = tacho_heap_take(&sharing->users);
    sharing->used -= user.value;
    sharing->generation++;
    *out_key = user.key;
    return true;
}

bool tacho_sharing_next(const tacho_sharing *sharing, int64_t *out_time)
{
    if (sharing->users.item_count == 0) {
        return false;
    }
    tacho_u128 end = sharing->users.items[0].at;
    tacho_u128 left = end > sharing->clock ? end - sharing->clock : 0;
    tacho_u128 unit = (tacho_u128)1 << FRACTION_BITS;
    if (sharing->used > WHOLE) {
        left *= sharing->used;
        unit <<= WHOLE_BITS;
    }
    tacho_u128 cycles = (left + unit - 1) / unit;
    tacho_u128 most = (tacho_u128)1 << TACHO_SHARE_TIME_BITS;
    *out_time = sharing->now + (int64_t)(cycles < most ? cycles : most);
    return true;
}
