/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ONNX has strides, dilations and pads (all begins, then all ends), or padding that keeps the size;
 * TOSA has stride, dilation and pad (begin and end of each).
 */
#include "compile/space_window.h"

#include "base/index.h"

static int64_t number_of(const tacho_space_maker *maker, const char *name, size_t at,
                         int64_t fallback)
{
    size_t count = 0;
    const int64_t *numbers = tacho_attr_ints(tacho_graph_attrs(maker->graph, maker->root),
                                             maker->root->attr_count, name, &count);
    return numbers != NULL && at < count ? numbers[at] : fallback;
}

static int64_t step_of(const tacho_space_maker *maker, const char *onnx, const char *tosa,
                       uint32_t index)
{
    int64_t step = number_of(maker, onnx, index, number_of(maker, tosa, index, 1));
    return step > 0 ? step : 1;
}

static int64_t half(const tacho_space_maker *maker, int64_t total)
{
    tacho_str mode = tacho_attr_text(tacho_graph_attrs(maker->graph, maker->root),
                                     maker->root->attr_count, "auto_pad");
    bool is_lower = tacho_str_equal(mode, TACHO_STR("SAME_LOWER"));
    return total <= 0 ? 0 : (is_lower ? total - total / 2 : total / 2);
}

static bool is_same(const tacho_space_maker *maker)
{
    tacho_str mode = tacho_attr_text(tacho_graph_attrs(maker->graph, maker->root),
                                     maker->root->attr_count, "auto_pad");
    return tacho_str_equal(mode, TACHO_STR("SAME_UPPER")) ||
           tacho_str_equal(mode, TACHO_STR("SAME_LOWER"));
}

tacho_reach tacho_window_reach(const tacho_space_maker *maker, const tacho_window *window)
{
    tacho_reach reach = tacho_reach_along(TACHO_NONE, (uint64_t)window->in);
    int64_t dilation = step_of(maker, "dilations", "dilation", window->index);
    reach.scale = step_of(maker, "strides", "stride", window->index);
    reach.window = (window->size - 1) * dilation + 1;
    reach.before = number_of(maker, "pads", window->index,
                             number_of(maker, "pad", 2 * (size_t)window->index, 0));
    if (is_same(maker)) {
        reach.before = half(maker, (window->out - 1) * reach.scale + reach.window - window->in);
    }
    return reach;
}

tacho_reach tacho_window_back(const tacho_space_maker *maker, const tacho_window *window)
{
    tacho_reach reach = tacho_reach_along(TACHO_NONE, (uint64_t)window->in);
    int64_t dilation = step_of(maker, "dilations", "dilation", window->index);
    int64_t stride = step_of(maker, "strides", "stride", window->index);
    int64_t spread = (window->size - 1) * dilation;
    size_t count = 0;
    const int64_t *shape = tacho_attr_ints(tacho_graph_attrs(maker->graph, maker->root),
                                           maker->root->attr_count, "output_shape", &count);
    int64_t more = number_of(maker, "output_padding", window->index, 0);
    int64_t pad = number_of(maker, "pads", window->index,
                            -number_of(maker, "out_pad", 2 * (size_t)window->index, 0));
    if (is_same(maker) || shape != NULL) {
        pad = half(maker, stride * (window->in - 1) + more + spread + 1 - window->out);
    }
    reach.divisor = stride;
    reach.window = spread + 1;
    reach.before = spread - pad;
    return reach;
}

tacho_reach tacho_window_resampled(int64_t in, int64_t out, int64_t taps)
{
    tacho_reach reach = tacho_reach_along(TACHO_NONE, (uint64_t)in);
    int64_t shrinks = in / out + (in % out != 0 ? 1 : 0);
    int64_t margin = (taps + 1) * shrinks + 1;
    reach.scale = in;
    reach.divisor = out;
    reach.before = margin * out;
    reach.window = 2 * margin * out + 1;
    return reach;
}
