/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a person should know of inputs that were read: losses, what they are, and whether a
 * selection left anything of them.
 */
#ifndef TACHO_PIPELINE_INTAKE_NOTES_H
#define TACHO_PIPELINE_INTAKE_NOTES_H

#include "base/notes.h"
#include "profile/dict.h"

/* One warning per part and reason of loss. */
void tacho_intake_say_losses(const tacho_dict *dict, const tacho_notes *notes);

/* One line per part: its format and how many events were read. */
void tacho_intake_say_inputs(const tacho_dict *dict, const tacho_notes *notes);

/* Warns when events were read and a selection left out every one. */
void tacho_intake_say_selection(const tacho_dict *dict, const tacho_notes *notes);

/* How many events of all parts were read, and how many a selection left out. */
uint64_t tacho_intake_read_count(const tacho_dict *dict);
uint64_t tacho_intake_left_out_count(const tacho_dict *dict);

#endif
