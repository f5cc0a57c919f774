/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The image of a program: its tables as bytes, little-endian, each starting at a multiple of 8.
 *
 *     header     magic "TachoPrg", u8 version, u8[3] version of the tacho that wrote it, u32 number
 *                of sections, u64 id of the layout
 *                (program/schema.h), u64 bytes of the whole image
 *     directory  per section: name (16 bytes, padded by zeros), u64 offset, u64 bytes, u64 records
 *     sections   facts; strings (u32 lengths, then their bytes); the tables, in the order of
 *                TACHO_PROGRAM_TABLES, record after record without padding; attrs
 *
 * An attribute is u32 length of its name, u32 kind, u32 count, the name, the value: 8 bytes for an
 * integer, a real and operations of a graph, 4 for a tensor, the elements of a list; a text is its
 * u32 length and its bytes.
 *
 * A program has one image: writing a program that was read gives the same bytes.
 */
#ifndef TACHO_PROGRAM_IMAGE_H
#define TACHO_PROGRAM_IMAGE_H

#include "program/bytes.h"
#include "program/program.h"

enum { TACHO_IMAGE_VERSION = 1, TACHO_IMAGE_TEXT_MAX = 16 << 20 };

bool tacho_image_is_image(tacho_str head);

/* Bytes of the image of |program|, which is checked first. */
tacho_status tacho_image_measure(const tacho_program *program, uint64_t *out_bytes) TACHO_MUST_USE;

/* Appends the image of |program|, which is checked first. */
tacho_status tacho_image_write(const tacho_program *program, tacho_bytes *out_bytes) TACHO_MUST_USE;

/* The same of one that was measured, and has not changed since. */
tacho_status tacho_image_write_measured(const tacho_program *program,
                                        tacho_bytes *out_bytes) TACHO_MUST_USE;

/*
 * Reads an image into |program|, which is empty but for its constants, and checks it. Nothing of
 * |image| is kept.
 */
tacho_status tacho_image_read(tacho_str image, tacho_program *program) TACHO_MUST_USE;

/* The section of attributes (image_attrs.c). */
tacho_status tacho_image_write_attrs(const tacho_program *program,
                                     tacho_bytes *out_bytes) TACHO_MUST_USE;
tacho_status tacho_image_read_attrs(tacho_str section, uint64_t count,
                                    tacho_program *program) TACHO_MUST_USE;

#endif
