/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One operator over the whole machine.
 */
#include "compile/op_cost.h"
