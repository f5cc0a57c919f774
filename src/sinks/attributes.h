/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Facts that every trace contains about itself: tool, inputs with format, clock and origin, their
 * alignment, losses and omissions. Trace sinks write them in their own form.
 */
#ifndef TACHO_SINKS_ATTRIBUTES_H
#define TACHO_SINKS_ATTRIBUTES_H

#include "sinks/trace_sink.h"

/* Receives one fact; the views are valid during the call only. */
typedef tacho_status (*tacho_attribute_visit)(void *self, tacho_str key, tacho_str value);

/* Visits facts known before the first event: keys and values are fixed text. */
tacho_status tacho_attributes_visit_head(tacho_attribute_visit visit, void *self) TACHO_MUST_USE;

/* Visits the facts of a part, known at its first row, including the zero of its clock. */
tacho_status tacho_attributes_visit_part(const tacho_dict *dict, const tacho_trace_options *options,
                                         uint32_t part, tacho_attribute_visit visit,
                                         void *self) TACHO_MUST_USE;

/* Visits facts known after the last row: counts, losses, metadata. */
tacho_status tacho_attributes_visit_tail(const tacho_dict *dict, tacho_attribute_visit visit,
                                         void *self) TACHO_MUST_USE;

#endif
