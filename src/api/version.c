/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The version that the library was built as.
 */
#include <tacho/version.h>

const char *tacho_version(void)
{
    return TACHO_VERSION;
}
