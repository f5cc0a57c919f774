/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What every trace says about itself: tool, inputs with format, clock and origin, how they are
 * aligned, what was lost or left out. Trace sinks write it in their own form.
 */
#ifndef TACHO_SINKS_ATTRIBUTES_H
#define TACHO_SINKS_ATTRIBUTES_H

#include "sinks/trace_sink.h"

/* Takes one fact; the views are good for the call only. */
typedef tacho_status (*tacho_attribute_visit)(void *self, tacho_str key, tacho_str value);

/* What is known before the first event: keys and values are words of our own. */
tacho_status tacho_attributes_visit_head(tacho_attribute_visit visit, void *self) TACHO_MUST_USE;

/* What is known of a part when its first row comes: the zero of its clock, too. */
tacho_status tacho_attributes_visit_part(const tacho_dict *dict, const tacho_trace_options *options,
                                         uint32_t part, tacho_attribute_visit visit,
                                         void *self) TACHO_MUST_USE;

/* What is known after the last: counts, losses, metadata. */
tacho_status tacho_attributes_visit_tail(const tacho_dict *dict, tacho_attribute_visit visit,
                                         void *self) TACHO_MUST_USE;

#endif
