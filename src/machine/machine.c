/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Machine descriptions: reading and checking.
 */
#include "machine/machine.h"
