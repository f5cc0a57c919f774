/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A program as a file: a QPC container (program/qpc.h) with the segments
 *
 *     network.elf      the program's image (program/image.h), in our own format, not ELF
 *     networkdesc.bin  the network's description (program/networkdesc.h)
 *     constants.bin    the constants' bytes
 *     segments.crc32c  the seal (program/seal.h)
 *
 * A program of several devices has a description for each of its slices (program/slice.h) instead,
 * NETWORK_sliceNN_dir/networkdesc.bin.
 *
 * A file is complete or does not exist, and every damaged byte is noticed when it is read.
 */
#ifndef TACHO_PROGRAM_CONTAINER_H
#define TACHO_PROGRAM_CONTAINER_H

#include "base/output.h"
#include "program/program.h"
#include "program/qpc.h"

#define TACHO_SEGMENT_IMAGE "network.elf"
#define TACHO_SEGMENT_NETWORKDESC "networkdesc.bin"
#define TACHO_SEGMENT_CONSTANTS "constants.bin"
#define TACHO_SLICE_FOLDER "_dir/" /* after a slice's name, before its segments' */

/* Whether the segment of that name describes a network, or a slice of one. */
bool tacho_program_is_description(tacho_str segment);

/* A suffix that would compress is a failure: programs are mapped in place. */
tacho_status tacho_program_check_path(const char *path) TACHO_MUST_USE;

/* Writes |program| to |path|, which is replaced only when all went well. */
tacho_status tacho_program_write(const tacho_program *program, const char *path) TACHO_MUST_USE;

/* The same to an output that the caller commits. */
tacho_status tacho_program_write_to(const tacho_program *program,
                                    tacho_output *output) TACHO_MUST_USE;

/*
 * Reads and checks the program in |path|; call deinit even if this fails. Its constants are
 * borrowed from the file, which the program keeps mapped.
 */
tacho_status tacho_program_read(const char *path, tacho_program *out_program) TACHO_MUST_USE;

/* The same of a container that was read, whose bytes must outlive the program. */
tacho_status tacho_program_read_from(const tacho_qpc *qpc,
                                     tacho_program *out_program) TACHO_MUST_USE;

#endif
