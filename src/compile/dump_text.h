/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Pieces of MLIR text for dumps: strings, types, attributes and locations, all in the generic form
 * that any MLIR tool reads without knowing our dialects.
 */
#ifndef TACHO_COMPILE_DUMP_TEXT_H
#define TACHO_COMPILE_DUMP_TEXT_H

#include "base/arena.h"
#include "base/output.h"
#include "base/tensor.h"

/* Text in quotes; characters outside printable ASCII are escaped. */
void tacho_dump_quoted(tacho_output *output, tacho_str text);

/* The same without the quotes: a part of a text. */
void tacho_dump_escaped(tacho_output *output, tacho_str text);

/* The same for a name that tools split at dots or look up: bytes other than letters, digits, '_',
 * '.' and '$' become '_', and nothing is quoted. */
void tacho_dump_word(tacho_output *output, tacho_str text);

/* "tensor<1x56x56x24xi8>"; unknown dimensions are '?', unknown ranks '*', unknown types none. */
void tacho_dump_tensor_type(tacho_output *output, tacho_dtype dtype, const tacho_shape *shape);

/* |first|, |second| ...: "name = value" of each attribute, without the braces. */
void tacho_dump_attrs(tacho_output *output, const tacho_attr *attrs, size_t attr_count);

/*
 * "#loc<number> = loc(...)" and a newline. |location| is what MLIR prints, with or without its
 * loc(); any other text becomes a name. |scratch| is reset.
 */
tacho_status tacho_dump_location_alias(tacho_output *output, size_t number, tacho_str location,
                                       tacho_arena *scratch) TACHO_MUST_USE;

#endif
