/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a file is, told by its content: so that people learn what can be done with it.
 */
#ifndef TACHO_API_FILE_KIND_H
#define TACHO_API_FILE_KIND_H

#include "base/status.h"
#include <tacho/front.h>

/*
 * Looks at |path|, which is a folder only where its files are one input: debug information, or the
 * logs of a run. A failure is that of opening or reading it.
 */
tacho_status tacho_file_recognise(const char *path, tacho_file_facts *out_facts) TACHO_MUST_USE;

#endif
