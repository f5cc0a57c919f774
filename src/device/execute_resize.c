/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Images to another size, where fast kernels mean the same by it.
 */
#include "device/execute_parts.h"

bool tacho_group_has_text(const tacho_group *group, const char *name, const char *value,
                          bool is_default)
{
    tacho_str text = tacho_attr_text(group->call.attrs, group->call.attr_count, name);
    return text.len == 0 ? is_default : tacho_str_equal(text, tacho_str_from_cstring(value));
}

/* Whether the sizes are multiples by the very scales that are given, if any. */
static bool has_whole_scales(tacho_group *group, uint32_t scales, const tacho_shape *in,
                             const tacho_shape *out)
{
    if (scales == TACHO_NONE || group->self->values[scales].bytes == 0) {
        return true;
    }
    const float *numbers = tacho_group_floats(group, scales, in->rank);
    for (int32_t i = 0; numbers != NULL && i < in->rank; i++) {
        if ((double)numbers[i] * (double)in->dims[i] != (double)out->dims[i]) {
            return false;
        }
    }
    return numbers != NULL;
}

/*
 * Images to another size. oneDNN takes centres of pixels for their places, and the nearest one. Of
 * nearest pixels that is the same as to round down from corners, where sizes are multiples.
 */
bool tacho_group_resize(tacho_group *group)
{
    const tacho_value *values = group->self->values;
    uint32_t data = tacho_step_input(group->self, group->step, 0);
    if (data == TACHO_NONE || values[data].state != TACHO_VALUE_LIVE ||
        values[data].dtype != TACHO_DTYPE_F32 || values[data].shape->rank < 3 ||
        values[data].shape->rank > 5 || values[data].shape->dims[1] == 1) {
        return false; /* with one channel, oneDNN 2 takes one layout for another */
    }
    const tacho_shape *in = values[data].shape, *out = values[group->output].shape;
    bool is_old =
        tacho_str_equal(tacho_step_type(group->self, group->step), TACHO_STR("Upsample")) ||
        group->call.opset < 11;
    bool is_multiple = in->rank == out->rank;
    for (int32_t i = 0; i < in->rank && is_multiple; i++) {
        is_multiple = in->dims[i] > 0 && out->dims[i] % in->dims[i] == 0 &&
                      (i > 1 || out->dims[i] == in->dims[i]);
    }
    const char *places = "coordinate_transformation_mode";
    bool is_centred = !is_old && tacho_group_has_text(group, places, "half_pixel", true);
    bool is_nearest = tacho_group_has_text(group, "mode", "nearest", true);
    bool is_rounded = tacho_group_has_text(group, "nearest_mode", "round_prefer_floor", true) ||
                      tacho_group_has_text(group, "nearest_mode", "round_prefer_ceil", false);
    bool is_cornered = is_old || (tacho_group_has_text(group, places, "asymmetric", false) &&
                                  tacho_group_has_text(group, "nearest_mode", "floor", false));
    bool is_whole = tacho_call_int(&group->call, "antialias", 0) == 0 &&
                    !tacho_call_has(&group->call, "axes") &&
                    !tacho_call_has(&group->call, "keep_aspect_ratio_policy");
    if (!is_whole || !is_multiple ||
        !has_whole_scales(group, tacho_step_input(group->self, group->step, is_old ? 1 : 2), in,
                          out) ||
        !(is_nearest ? (is_centred && is_rounded) || is_cornered
                     : is_centred && tacho_group_has_text(group, "mode", "linear", false))) {
        return false;
    }
    group->spec.kind = TACHO_FAST_RESAMPLING;
    group->spec.function = is_nearest ? TACHO_FAST_NEAREST : TACHO_FAST_BILINEAR;
    return tacho_group_add_input(group, data, TACHO_WISH_AS_IT_IS);
}
