/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A roofline as a drawing (.svg): of the tables "ceilings" and "roofline"
 * (estimates/roofline/roofline.h) only. Not in the list of table sinks.
 */
#ifndef TACHO_SINKS_ROOFLINE_SVG_H
#define TACHO_SINKS_ROOFLINE_SVG_H

#include "sinks/table_sink.h"

extern const tacho_table_sink tacho_table_sink_roofline_svg;

#endif
