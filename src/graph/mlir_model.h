/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Shared by the files of the MLIR model reader; no other file but their tests includes this.
 *
 * - mlir_model.c: which file is ours, which function is the network, its operations to nodes
 * - mlir_model_type.c: the text of a type to an element type and a shape
 * - mlir_model_constant.c: the value of a constant, from numbers, one number, or bytes
 * - mlir_model_number.c: numbers of one element
 * - mlir_model_attr.c: attributes of nodes
 * - tosa_schemas.c: attributes of TOSA's operations, which bytecode has without names
 */
#ifndef TACHO_GRAPH_MLIR_MODEL_H
#define TACHO_GRAPH_MLIR_MODEL_H

#include "codec/mlir_bytecode.h"
#include "codec/mlir_module.h"
#include "graph/model.h"

/* ---- types ---- */

typedef struct tacho_mlir_type {
    tacho_dtype dtype; /* NONE for types other than tensors, as !torch.int */
    tacho_shape shape;
    bool is_absent; /* !torch.none */
} tacho_mlir_type;

/*
 * Parses a type: tensor<1x?xi8>, tensor<*xf32>, i32 (a tensor without dimensions),
 * !tosa.shape<4> (4 integers), !torch.vtensor<[1,3],f32>. Returns an error text, or NULL.
 * A quantised element type counts as its storage type.
 */
const char *tacho_mlir_type_parse(tacho_str text, tacho_mlir_type *out_type);

/* ---- elements ---- */

/* Elements of these types as dense attributes hold them: whole bytes, except packed flags. */
size_t tacho_mlir_element_bytes(tacho_dtype dtype);

/*
 * Parses the element |text| ("-1", "true", "0x7FC0", "1.5e-3", "(1.0,2.0)"), little-endian in
 * |out_bytes|, of tacho_mlir_element_bytes. False when it is not of |dtype|.
 */
bool tacho_mlir_element_parse(tacho_str text, tacho_dtype dtype, unsigned char out_bytes[16]);

/* The same of an integer. */
bool tacho_mlir_element_from_int(int64_t value, tacho_dtype dtype, unsigned char out_bytes[16]);

/* Nearest number with |exponent_bits| and |mantissa_bits|, ties to even, as bits. */
typedef struct tacho_mlir_float_format {
    int exponent_bits;
    int mantissa_bits;
    bool has_infinity; /* else the greatest exponent holds numbers, and all ones is NaN */
} tacho_mlir_float_format;

uint64_t tacho_mlir_float_bits(double value, tacho_mlir_float_format format);

/* The value of such a number's |bits|. */
double tacho_mlir_float_value(uint64_t bits, tacho_mlir_float_format format);

/* Parses the number |text|, in decimal or as the bits of a |dtype| in hexadecimal. */
bool tacho_mlir_real_parse(tacho_str text, tacho_dtype dtype, double *out_value);

/* ---- reading ---- */

typedef struct tacho_mlir_import {
    tacho_graph *graph;
    const tacho_model_options *options;
    const char *path;
    tacho_str bytes; /* the file */
    tacho_mlir_module module;
    tacho_arena scratch;
    uint32_t *tensors;     /* by value: its tensor, or TACHO_NONE */
    bool *is_absent;       /* by value: it represents an absent input */
    bool *is_dim_used;     /* by dimension of the options */
    tacho_index lookup;    /* resources by key */
    bool has_resources;    /* they have been looked for */
    bool has_sorted_blobs; /* of the module, by where their keys are */
    uint64_t made_bytes;   /* in the graph, so far */
    int32_t opset;         /* of torch-onnx */
    bool is_torch;         /* an operator of ONNX has been seen */
    uint32_t *links;       /* inputs and outputs of the node at hand */
    size_t link_capacity;
    tacho_attr *attrs; /* of the node at hand */
    size_t attr_count, attr_capacity;
} tacho_mlir_import;

/* A failure at |op|: "a.mlir: tosa.add at "a.mlir":7:10: ...". */
tacho_status tacho_mlir_import_fail(const tacho_mlir_import *self, const tacho_mlir_op *op,
                                    const char *format, ...) TACHO_PRINTF(3, 4) TACHO_MUST_USE;

/*
 * Memory of the graph for a value or a list. Attributes can be shared, so few bytes can ask for
 * much; more than sixteen times the file, and some, is a failure.
 */
tacho_status tacho_mlir_import_alloc(tacho_mlir_import *self, uint64_t size,
                                     void **out_memory) TACHO_MUST_USE;

/* ---- constants ---- */

/* The type that an elements attribute has itself, else |declared|. */
tacho_status tacho_mlir_constant_type(const tacho_mlir_import *self, const tacho_mlir_op *op,
                                      const tacho_mlir_attr *attr, const tacho_mlir_type *declared,
                                      tacho_mlir_type *out_type) TACHO_MUST_USE;

/*
 * The value of |attr|, of |type|. Bytes are in the graph's arena or its mapping; elements that are
 * all the same become a splat, a resource that the file does not have a random value.
 */
tacho_status tacho_mlir_constant_read(tacho_mlir_import *self, const tacho_mlir_op *op,
                                      const tacho_mlir_attr *attr, const tacho_mlir_type *type,
                                      tacho_constant *out_constant) TACHO_MUST_USE;

/* Whether |attr| is elements: dense<...>, dense_resource<...>. */
bool tacho_mlir_is_elements(const tacho_mlir_attr *attr);

/* ---- attributes ---- */

/* |attr| as an attribute called |name|, texts and lists in the graph's arena. */
tacho_status tacho_mlir_attr_convert(tacho_mlir_import *self, const tacho_mlir_attr *attr,
                                     tacho_str name, tacho_attr *out_attr) TACHO_MUST_USE;

/* ---- schemas ---- */

extern const tacho_mlir_schemas tacho_tosa_schemas;

#endif
