/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Whether to write colours: on terminals, unless NO_COLOR is set or TERM is dumb; TACHO_COLOR
 * overrides this. Colours never carry meaning alone.
 */
#ifndef TACHO_BASE_COLOR_H
#define TACHO_BASE_COLOR_H

#include <stdbool.h>

/* The environment variable that decides: "always", "never" or "auto". */
#define TACHO_COLOR_VARIABLE "TACHO_COLOR"

#define TACHO_COLOR_BOLD "\033[1m"
#define TACHO_COLOR_UNDERLINED "\033[4m"
#define TACHO_COLOR_DIM "\033[2m"
#define TACHO_COLOR_RED "\033[31m"
#define TACHO_COLOR_GREEN "\033[32m"
#define TACHO_COLOR_YELLOW "\033[33m"
#define TACHO_COLOR_CYAN "\033[36m"
#define TACHO_COLOR_END "\033[0m"

bool tacho_color_is_on(int fd);

#endif
