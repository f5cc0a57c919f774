/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One profile of a data set, in two steps. Reading it writes its tables to files without names;
 * several workers do that at once. Putting it in place gives them their names; that goes by the
 * order of the list, one file at a time.
 */
#ifndef TACHO_PIPELINE_DATASET_FILE_H
#define TACHO_PIPELINE_DATASET_FILE_H

#include "base/number_map.h"
#include "base/output.h"
#include "pipeline/dataset.h"
#include "pipeline/dataset_held.h"

enum { TACHO_DATASET_TABLES = 8 };

/* In the order in which files get their names; the first ones are those of events. */
extern const char *const tacho_dataset_table_names[TACHO_DATASET_TABLES];

/* What files are put into. */
typedef struct tacho_dataset {
    tacho_dataset_job *job;
    tacho_output_group group;
    tacho_dataset_held held; /* what earlier conversions wrote */
    tacho_number_map places; /* of files that are written, by identity: places in the list */
} tacho_dataset;

/* A file that has been read: descriptors, and little memory. */
typedef struct tacho_dataset_file tacho_dataset_file;

/* Reads the file at |place| of the list; what fails is told when it is put in place. NULL: no
 * memory. */
tacho_dataset_file *tacho_dataset_file_read(tacho_dataset *all, size_t place);
void tacho_dataset_file_destroy(tacho_dataset_file *file);

/* Puts it in place. |*out_unread|: why it could not be read, which ends nothing. */
tacho_status tacho_dataset_file_place(tacho_dataset_file *file,
                                      tacho_status *out_unread) TACHO_MUST_USE;

/* Adds a row of loss for the file at |place|, which was not read, as |why| says. */
tacho_status tacho_dataset_place_unread(tacho_dataset *all, size_t place,
                                        tacho_status why) TACHO_MUST_USE;

#endif
