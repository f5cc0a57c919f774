/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Kernels that steps share. A kernel of oneDNN takes kilobytes, and a network of a million steps
 * has a few kinds of them: equal requests get the same kernel, which is given other memory when it
 * runs. The key of a request has everything in the spec, constants only where they are short.
 */
#include "base/grow.h"
#include "base/index.h"
#include "kernels/onednn_library.h"

enum { KEY_MAX = 2048, CONSTANT_MAX = 64 };

typedef struct key {
    unsigned char bytes[KEY_MAX];
    size_t len;
    bool is_good; /* all of it fits */
} key;

static void put(key *self, const void *from, size_t size)
{
    self->is_good = self->is_good && size <= KEY_MAX - self->len;
    if (self->is_good && size > 0) {
        memcpy(self->bytes + self->len, from, size);
        self->len += size;
    }
}

static void put_tensor(key *self, const tacho_fast_tensor *tensor)
{
    uint64_t count, bytes;
    const unsigned char flags[] = {tensor->is_free, tensor->has_order, tensor->data != NULL};
    put(self, &tensor->dtype, sizeof(tensor->dtype));
    put(self, &tensor->shape.rank, sizeof(tensor->shape.rank));
    put(self, tensor->shape.dims, (size_t)tensor->shape.rank * sizeof(tensor->shape.dims[0]));
    put(self, &tensor->layout, sizeof(const tacho_layout *));
    put(self, flags, sizeof(flags));
    put(self, tensor->order, tensor->has_order ? (size_t)tensor->shape.rank : 0);
    if (tensor->data != NULL) {
        bool is_short = tacho_shape_elements(&tensor->shape, &count) &&
                        tacho_dtype_bytes(tensor->dtype, count, &bytes) && bytes <= CONSTANT_MAX;
        self->is_good = self->is_good && is_short;
        put(self, tensor->data, is_short ? (size_t)bytes : 0);
    }
}

static void put_window(key *self, const tacho_window *window)
{
    static const tacho_window none = {0};
    window = window == NULL ? &none : window;
    const int64_t *const lists[] = {window->in,      window->out,       window->kernel,
                                    window->strides, window->dilations, window->begins,
                                    window->ends};
    put(self, &window->spatial, sizeof(window->spatial));
    for (size_t i = 0; i < sizeof(lists) / sizeof(lists[0]); i++) {
        put(self, lists[i], (size_t)window->spatial * sizeof(int64_t));
    }
}

static void put_spec(key *self, const tacho_fast_spec *spec)
{
    const float reals[] = {spec->alpha, spec->beta, spec->gamma, spec->input_scales[0],
                           spec->input_scales[1]};
    const uint64_t numbers[] = {(uint64_t)spec->kind,
                                (uint64_t)spec->function,
                                (uint64_t)(int64_t)spec->axis,
                                spec->input_count,
                                spec->post_input_count,
                                spec->post_count,
                                spec->scale_count,
                                (uint64_t)(int64_t)spec->input_zero,
                                (uint64_t)(int64_t)spec->output_zero,
                                spec->has_live_zero,
                                spec->is_own};
    put(self, reals, sizeof(reals));
    put(self, numbers, sizeof(numbers));
    put_window(self, spec->window);
    for (size_t i = 0; i < spec->input_count + spec->post_input_count && self->is_good; i++) {
        put_tensor(self, &spec->inputs[i]);
    }
    put_tensor(self, &spec->output);
    for (size_t i = 0; i < spec->post_count; i++) {
        const tacho_fast_post *post = &spec->posts[i];
        put(self, &post->function, sizeof(post->function));
        put(self, &post->alpha, sizeof(post->alpha));
        put(self, &post->beta, sizeof(post->beta));
        put(self, &post->input, sizeof(post->input));
    }
    put(self, spec->scales, spec->scale_count * sizeof(*spec->scales));
    self->is_good = self->is_good && spec->weights == NULL;
}

tacho_status tacho_onednn_find(tacho_fast *fast, const tacho_fast_spec *spec, uint32_t *out_place)
{
    key self = {.is_good = true};
    *out_place = TACHO_NONE;
    put_spec(&self, spec);
    if (!self.is_good) {
        return TACHO_OK;
    }
    TACHO_TRY(tacho_strings_ensure(&fast->keys, tacho_str_make((const char *)self.bytes, self.len),
                                   out_place));
    TACHO_TRY(tacho_grow(&fast->shared, &fast->shared_capacity, fast->keys.item_count));
    while (fast->shared_count < fast->keys.item_count) {
        fast->shared[fast->shared_count++] = (tacho_onednn_shared){0};
    }
    return TACHO_OK;
}
