/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The page of report/page.{html,css,js} as bytes: the part before the data and the part after it.
 * cmake/embed_page.cmake makes them.
 */
#ifndef TACHO_SINKS_REPORT_PAGE_DATA_H
#define TACHO_SINKS_REPORT_PAGE_DATA_H

#include <stddef.h>

extern const unsigned char tacho_report_head[];
extern const size_t tacho_report_head_len;
extern const unsigned char tacho_report_tail[];
extern const size_t tacho_report_tail_len;

#endif
