/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Verdicts of tables in the formats that build services read. Tables without a column of verdicts
 * are skipped, and so are rows without one. Not in the list of sinks: only gates have verdicts.
 */
#ifndef TACHO_SINKS_VERDICTS_H
#define TACHO_SINKS_VERDICTS_H

#include "sinks/table_sink.h"

/* Commands of GitHub's workflows: an error per regression, a warning for an unclear verdict. */
extern const tacho_table_sink tacho_table_sink_github;

/* JUnit's XML: a test case per verdict, failed where it is a regression. */
extern const tacho_table_sink tacho_table_sink_junit;

#endif
