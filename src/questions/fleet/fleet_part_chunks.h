/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The chunks of a part, for its writer and reader: HEAD, FILE, DEVS, one per table in the order of
 * TACHO_FLEET_TABLES, END.
 */
#ifndef TACHO_QUESTIONS_FLEET_FLEET_PART_CHUNKS_H
#define TACHO_QUESTIONS_FLEET_FLEET_PART_CHUNKS_H

#include "codec/chunk.h"

#define TACHO_FLEET_CHUNK_FILE_KIND TACHO_FOURCC('P', 'A', 'R', 'T')
#define TACHO_FLEET_CHUNK_HEAD TACHO_FOURCC('H', 'E', 'A', 'D')
#define TACHO_FLEET_CHUNK_FILES TACHO_FOURCC('F', 'I', 'L', 'E')
#define TACHO_FLEET_CHUNK_DEVICES TACHO_FOURCC('D', 'E', 'V', 'S')
#define TACHO_FLEET_CHUNK_END TACHO_FOURCC('E', 'N', 'D', ' ')

#endif
