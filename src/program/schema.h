/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The records of a program's tables, described as data: one list of fields per table defines how a
 * record is written, read and checked.
 *
 * To add a field: add it to the record in program/program.h and to the list in schema.c, and
 * correct the size that is asserted there. The layout's id changes with it, and files of the old
 * layout are refused as such.
 */
#ifndef TACHO_PROGRAM_SCHEMA_H
#define TACHO_PROGRAM_SCHEMA_H

#include "program/program.h"

/* The meaning of a field's numbers. From FIELD_ID on they are ids: of FIELD_ID + a table. */
enum {
    TACHO_FIELD_NUMBER,
    TACHO_FIELD_STRING, /* id of a string */
    TACHO_FIELD_ENUM,   /* below |limit| */
    TACHO_FIELD_ID,
};

typedef struct tacho_field {
    const char *name;
    uint16_t offset; /* in the record in memory */
    uint8_t width;   /* bytes of one element: 2, 4 or 8 */
    uint8_t count;   /* elements */
    uint16_t meaning;
    uint16_t limit;   /* of an enum */
    bool may_be_none; /* of an id: TACHO_NONE */
} tacho_field;

typedef struct tacho_schema {
    const char *name; /* of the table: "jobs" */
    const tacho_field *fields;
    size_t field_count;
    size_t memory_bytes; /* of a record in memory, with padding */
} tacho_schema;

const tacho_schema *tacho_program_schema(tacho_program_table table);

/* Of the facts, a single record. */
const tacho_schema *tacho_program_facts_schema(void);

/* Bytes of a record in a file: its fields one after the other. */
size_t tacho_schema_file_bytes(const tacho_schema *schema);

/* A number that differs when any table or field does. */
uint64_t tacho_program_layout_id(void);

/* A table of a program, whatever its type. */
typedef struct tacho_program_rows {
    unsigned char *items;
    size_t count;
} tacho_program_rows;

tacho_program_rows tacho_program_rows_of(const tacho_program *program, tacho_program_table table);

/* Makes the table |count| records long; the caller fills them. */
tacho_status tacho_program_resize(tacho_program *program, tacho_program_table table,
                                  size_t count) TACHO_MUST_USE;

/* Element |index| of a field of a record in memory, zero-extended. */
uint64_t tacho_field_get(const tacho_field *field, const unsigned char *record, size_t index);
void tacho_field_set(const tacho_field *field, unsigned char *record, size_t index, uint64_t value);

#endif
