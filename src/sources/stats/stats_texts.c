/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Texts of an op besides its times: name, type, shape, operands, attributes. Made once per op, as
 * strings of the dictionary.
 */
#include "sources/stats/stats_emit.h"

#include "base/decimal.h"

#include <inttypes.h>
#include <stdio.h>

enum {
    NUMBER_ROOM = 24,
    ATTRS_MAX = 16,     /* of an op that are shown */
    ATTR_ITEMS_MAX = 8, /* of a list */
    ATTR_TEXT_MAX = 64, /* bytes of a text */
};

/* ---- shapes and operands ------------------------------------------------------------------- */

static tacho_status put_shape(stats_emitter *self, const tacho_shape *shape)
{
    for (int32_t i = 0; i < shape->rank && i < TACHO_RANK_MAX; i++) {
        char text[NUMBER_ROOM] = "x";
        char *end = tacho_decimal_put_signed(text + 1, shape->dims[i]);
        const char *from = i > 0 ? text : text + 1;
        TACHO_TRY(tacho_text_put(&self->text, tacho_str_make(from, (size_t)(end - from))));
    }
    return TACHO_OK;
}

/* " 0.05KB"; halves between two hundredths round to even, as in printf. */
static tacho_status put_kb(stats_emitter *self, uint64_t bytes)
{
    char text[2 * NUMBER_ROOM] = " ";
    tacho_u128 parts = (tacho_u128)bytes * 25; /* units of 1/256 of a hundredth of a KB */
    uint64_t hundredths = (uint64_t)(parts >> 8);
    unsigned rest = (unsigned)(parts & 255);
    hundredths += rest > 128 || (rest == 128 && hundredths % 2 != 0) ? 1 : 0;
    char *at = tacho_decimal_put(text + 1, hundredths / 100);
    at[0] = '.';
    at[1] = (char)('0' + hundredths % 100 / 10);
    at[2] = (char)('0' + hundredths % 10);
    at[3] = 'K';
    at[4] = 'B';
    return tacho_text_put(&self->text, tacho_str_make(text, (size_t)(at + 5 - text)));
}

/* "in DDR weights conv1.w float16 8x3x1x1 0.05KB". */
static tacho_status put_operand(stats_emitter *self, uint32_t tensor, bool is_output)
{
    const tacho_program_tensor *of = &self->program->tensors[tensor];
    bool is_constant = of->storage >= TACHO_STORAGE_BYTES;
    bool is_outside = is_constant || of->storage != TACHO_STORAGE_ACTIVATION;
    TACHO_TRY(tacho_text_put(&self->text, is_output ? TACHO_STR("out ") : TACHO_STR("in ")));
    TACHO_TRY(tacho_text_put(&self->text, is_outside ? TACHO_STR("DDR ") : TACHO_STR("TCM ")));
    TACHO_TRY(
        tacho_text_put(&self->text, is_constant ? TACHO_STR("weights ") : TACHO_STR("data ")));
    TACHO_TRY(tacho_text_put(&self->text, tacho_strings_get(&self->program->strings, of->name)));
    TACHO_TRY(tacho_text_put(&self->text, TACHO_STR(" ")));
    TACHO_TRY(tacho_text_put(
        &self->text, tacho_str_from_cstring(tacho_stats_words_dtype((tacho_dtype)of->dtype))));
    TACHO_TRY(tacho_text_put(&self->text, TACHO_STR(" ")));
    TACHO_TRY(put_shape(self, tacho_program_shape(self->program, of)));
    return put_kb(self, of->bytes);
}

/* Operands of the op as a whole: what its first step reads and its last writes, and constants. */
static tacho_status add_operands(stats_emitter *self, const tacho_program_op *op,
                                 stats_op_texts *texts)
{
    for (uint32_t i = 0; i < op->step_count; i++) {
        const tacho_step *step = &self->program->steps[op->first_step + i];
        uint32_t count = (uint32_t)step->input_count + step->output_count;
        for (uint32_t j = 0; j < count && texts->operand_count < STATS_OPERANDS_MAX; j++) {
            uint32_t tensor = self->program->links[step->first_link + j];
            bool is_output = j >= step->input_count;
            if (tensor == TACHO_NONE || (is_output && i + 1 < op->step_count) ||
                (!is_output && i > 0 &&
                 self->program->tensors[tensor].storage < TACHO_STORAGE_BYTES)) {
                continue;
            }
            TACHO_TRY(put_operand(self, tensor, is_output));
            TACHO_TRY(tacho_dict_ensure_string(self->dict, tacho_text_take(&self->text),
                                               &texts->operands[texts->operand_count++]));
        }
    }
    return TACHO_OK;
}

static tacho_status add_shape(stats_emitter *self, const tacho_program_op *op,
                              stats_op_texts *texts)
{
    if (op->step_count == 0) {
        return TACHO_OK;
    }
    const tacho_step *last = &self->program->steps[op->first_step + op->step_count - 1];
    if (last->output_count == 0) {
        return TACHO_OK;
    }
    uint32_t tensor = self->program->links[last->first_link + last->input_count];
    if (tensor != TACHO_NONE) {
        TACHO_TRY(
            put_shape(self, tacho_program_shape(self->program, &self->program->tensors[tensor])));
    }
    return tacho_dict_ensure_string(self->dict, tacho_text_take(&self->text), &texts->shape);
}

/* ---- attributes ---------------------------------------------------------------------------- */

static tacho_status put_attr_item(stats_emitter *self, const tacho_attr *attr, uint32_t at)
{
    char text[2 * NUMBER_ROOM] = "...";
    tacho_str word = tacho_str_from_cstring(text);
    int len = 3;
    switch (attr->kind) {
    case TACHO_ATTR_INT:
        len = snprintf(text, sizeof(text), "%" PRId64, attr->value.as_int);
        break;
    case TACHO_ATTR_INTS:
        len =
            snprintf(text, sizeof(text), "%s%" PRId64, at > 0 ? "x" : "", attr->value.as_ints[at]);
        break;
    case TACHO_ATTR_REAL:
        len = snprintf(text, sizeof(text), "%g", attr->value.as_real);
        break;
    case TACHO_ATTR_REALS:
        len = snprintf(text, sizeof(text), "%s%g", at > 0 ? "," : "", attr->value.as_reals[at]);
        break;
    case TACHO_ATTR_TEXT:
        word = attr->value.as_text;
        word.len = word.len > ATTR_TEXT_MAX ? ATTR_TEXT_MAX : word.len;
        return tacho_text_put(&self->text, word);
    case TACHO_ATTR_TEXTS:
    case TACHO_ATTR_TENSOR:
    case TACHO_ATTR_GRAPH:
    case TACHO_ATTR_OTHER:
        break;
    }
    return tacho_text_put(&self->text, tacho_str_make(text, (size_t)len));
}

/* "strides=2x2"; lists are cut. */
static tacho_status put_attr(stats_emitter *self, const tacho_attr *attr)
{
    bool is_list = attr->kind == TACHO_ATTR_INTS || attr->kind == TACHO_ATTR_REALS;
    uint32_t count = is_list ? attr->count : 1;
    TACHO_TRY(tacho_text_put(&self->text, attr->name));
    TACHO_TRY(tacho_text_put(&self->text, TACHO_STR("=")));
    for (uint32_t i = 0; i < count && i < ATTR_ITEMS_MAX; i++) {
        TACHO_TRY(put_attr_item(self, attr, i));
    }
    return count > ATTR_ITEMS_MAX ? tacho_text_put(&self->text, TACHO_STR("...")) : TACHO_OK;
}

static tacho_status add_attributes(stats_emitter *self, const tacho_program_op *op,
                                   stats_op_texts *texts)
{
    uint32_t count = 0;
    texts->attributes = TACHO_NONE;
    for (uint32_t i = 0; i < op->step_count; i++) {
        const tacho_step *step = &self->program->steps[op->first_step + i];
        for (uint32_t j = 0; j < step->attr_count && count < ATTRS_MAX; j++, count++) {
            TACHO_TRY(tacho_text_put(&self->text, count > 0 ? TACHO_STR(" ") : TACHO_STR("")));
            TACHO_TRY(put_attr(self, &self->program->attrs[step->first_attr + j]));
        }
    }
    return count > 0 ? tacho_dict_ensure_string(self->dict, tacho_text_take(&self->text),
                                                &texts->attributes)
                     : TACHO_OK;
}

/* ---- the whole ----------------------------------------------------------------------------- */

tacho_status stats_texts_of(stats_emitter *self, uint32_t op, const stats_op_texts **out_texts)
{
    stats_op_texts *texts = &self->ops[op];
    *out_texts = texts;
    if (TACHO_LIKELY(texts->is_known)) {
        return TACHO_OK;
    }
    const tacho_program_op *of = &self->program->ops[op];
    const tacho_strings *strings = &self->program->strings;
    texts->is_known = true;
    TACHO_TRY(
        tacho_dict_ensure_string(self->dict, tacho_strings_get(strings, of->name), &texts->name));
    TACHO_TRY(
        tacho_dict_ensure_string(self->dict, tacho_strings_get(strings, of->type), &texts->type));
    TACHO_TRY(add_shape(self, of, texts));
    if (!stats_view_of(self)->has_vendor_words) {
        return TACHO_OK;
    }
    TACHO_TRY(add_attributes(self, of, texts));
    return add_operands(self, of, texts);
}
