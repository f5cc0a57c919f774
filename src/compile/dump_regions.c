/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Boxes as arrays of numbers, one for each dimension.
 */
#include "compile/dump_regions.h"

#include "base/index.h"

#include <inttypes.h>

void tacho_dump_extents(const tacho_program *program, uint32_t first, uint32_t count,
                        const char *before, tacho_output *output)
{
    static const char *const names[] = {"offsets", ", sizes", ", of"};
    for (size_t i = 0; i < 3 && count > 0; i++) {
        tacho_output_printf(output, "%s%s = array<i64: ", i == 0 ? before : "", names[i]);
        for (uint32_t k = 0; k < count; k++) {
            const tacho_extent *extent = &program->extents[first + k];
            const uint64_t numbers[] = {extent->offset, extent->size, extent->of};
            tacho_output_printf(output, "%s%" PRIu64, k > 0 ? ", " : "", numbers[i]);
        }
        tacho_output_write_cstring(output, ">");
    }
}

void tacho_dump_region(const tacho_program *program, const tacho_region *region,
                       tacho_output *output)
{
    static const char *const accesses[] = {"read", "write", "partial"};
    tacho_output_printf(output, "{access = \"%s\"", accesses[region->access]);
    if (region->tensor != TACHO_NONE) {
        tacho_output_printf(output, ", tensor = %" PRIu32 " : i32", region->tensor);
    }
    if (region->buffer != TACHO_NONE) {
        tacho_output_printf(output, ", buffer = %" PRIu32 " : i32", region->buffer);
    }
    tacho_output_printf(output, ", bytes = %" PRIu64 " : i64", region->bytes);
    tacho_dump_extents(program, region->first_extent, region->extent_count, ", ", output);
    tacho_output_write_cstring(output, "}");
}
