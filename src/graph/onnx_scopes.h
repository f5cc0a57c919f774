/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The origin of a node, from the metadata that exporters write: PyTorch's exporter names the
 * modules around it and the lines of the program.
 */
#ifndef TACHO_GRAPH_ONNX_SCOPES_H
#define TACHO_GRAPH_ONNX_SCOPES_H

#include "base/arena.h"
#include "base/status.h"
#include "base/str.h"

/* Values of metadata_props, empty where a node has none. */
typedef struct tacho_onnx_metadata {
    tacho_str name_scopes;     /* pkg.torch.onnx.name_scopes: "['', 'encoder', 'linear_1']" */
    tacho_str name_space;      /* namespace: ": Net/encoder: Encoder/linear_1: aten.linear" */
    tacho_str class_hierarchy; /* pkg.torch.onnx.class_hierarchy: "['Net', 'Encoder', 'aten']" */
    tacho_str stack_trace;     /* pkg.torch.onnx.stack_trace */
} tacho_onnx_metadata;

/* Keeps |value| where |key| is one of them. */
void tacho_onnx_metadata_add(tacho_onnx_metadata *metadata, tacho_str key, tacho_str value);

/*
 * The path of the module that the node is in, each level without the names around it: "encoder",
 * "layer.3" and "mlp" of 'encoder.layer.3.mlp' in 'encoder.layer.3' in 'encoder'. Without names of
 * modules, that of their classes. Empty where the metadata lacks both. It lives in |arena|.
 */
tacho_status tacho_onnx_metadata_layer(const tacho_onnx_metadata *metadata, tacho_arena *arena,
                                       tacho_str *out_layer) TACHO_MUST_USE;

/*
 * The innermost line outside of PyTorch itself, or the innermost where all are PyTorch's; the file
 * is relative to where packages are installed. False where there is none.
 */
bool tacho_onnx_metadata_line(const tacho_onnx_metadata *metadata, tacho_str *out_file,
                              uint32_t *out_line);

#endif
