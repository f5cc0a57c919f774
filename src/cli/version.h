/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What 'tacho --version' prints: the version, and what kernels run on this computer.
 */
#ifndef TACHO_CLI_VERSION_H
#define TACHO_CLI_VERSION_H

void tacho_print_version(void);

#endif
