/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Everything of libtacho.
 */
#ifndef TACHO_TACHO_H
#define TACHO_TACHO_H

#include <tacho/analyse.h>
#include <tacho/capture.h>
#include <tacho/compile.h>
#include <tacho/convert.h>
#include <tacho/front.h>
#include <tacho/hint.h>
#include <tacho/profile.h>
#include <tacho/report.h>
#include <tacho/request.h>
#include <tacho/run.h>
#include <tacho/status.h>
#include <tacho/table.h>
#include <tacho/timechart.h>
#include <tacho/version.h>

#endif
