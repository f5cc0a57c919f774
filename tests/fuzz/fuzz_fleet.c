/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Fuzzes parts of fleets. Checksums would keep a search out, so the input is also taken as the
 * payloads of a part, whose checksums are then right.
 *
 * Laws: whatever the bytes, reading ends well; a part that is read can be merged with itself, and
 * written and read again gives the same bytes.
 */
#include "questions/fleet/fleet_part.h"
#include "questions/fleet/fleet_part_chunks.h"
#include "reading.h"
#include "mutate/mutate.h"

#include <stdio.h>
#include <stdlib.h>

const fuzz_layout fuzz_input_layout = {
    .piece_head_bytes = 2, .length_at = 0, .is_big_endian = true};

static tacho_str bytes_of(FILE *file)
{
    fseek(file, 0, SEEK_END);
    long len = ftell(file);
    char *bytes = malloc((size_t)len + 1);
    rewind(file);
    require(bytes != NULL && fread(bytes, 1, (size_t)len, file) == (size_t)len);
    fclose(file);
    return tacho_str_make(bytes, (size_t)len);
}

static tacho_str write_part(tacho_fleet *fleet)
{
    FILE *file = tmpfile();
    tacho_output output;
    require(file != NULL);
    require(tacho_output_open_descriptor(fileno(file), "part", &output) == TACHO_OK);
    require(tacho_fleet_write(fleet, &output) == TACHO_OK);
    require(tacho_output_commit(&output) == TACHO_OK);
    tacho_output_close(&output);
    return bytes_of(file);
}

static void check(tacho_str bytes)
{
    tacho_fleet fleet, again, twice;
    tacho_status status = tacho_fleet_read(&fleet, bytes);
    if (status == TACHO_OK) {
        tacho_str first = write_part(&fleet);
        require(tacho_fleet_read(&again, first) == TACHO_OK);
        tacho_str second = write_part(&again);
        require(tacho_str_equal(first, second));
        require(tacho_fleet_init(&twice, fleet.sections) == TACHO_OK);
        require(tacho_fleet_merge(&twice, &fleet) == TACHO_OK);
        require(tacho_fleet_merge(&twice, &again) == TACHO_OK);
        tacho_fleet_deinit(&twice);
        tacho_fleet_deinit(&again);
        free((void *)(uintptr_t)first.data);
        free((void *)(uintptr_t)second.data);
    }
    tacho_status_free(status);
    tacho_fleet_deinit(&fleet);
}

/* The next payload of |rest|: a length of two bytes, and so many bytes. */
static tacho_str next_payload(tacho_str *rest)
{
    size_t len = rest->len >= 2
                     ? (size_t)(unsigned char)rest->data[0] << 8 | (unsigned char)rest->data[1]
                     : 0;
    *rest = rest->len >= 2 ? tacho_str_from(*rest, 2) : TACHO_STR("");
    len = len < rest->len ? len : rest->len;
    tacho_str payload = tacho_str_make(rest->data, len);
    *rest = tacho_str_from(*rest, len);
    return len > 0 ? payload : TACHO_STR("\0");
}

/* A part whose frames are sound. */
static tacho_str frame(tacho_str input)
{
    enum { LIST_COUNT = 4 + TACHO_FLEET_TABLE_COUNT };
    FILE *file = tmpfile();
    tacho_output output;
    tacho_chunk_writer writer;
    require(file != NULL);
    require(tacho_output_open_descriptor(fileno(file), "part", &output) == TACHO_OK);
    tacho_chunk_begin(&writer, &output, TACHO_FLEET_CHUNK_FILE_KIND);
    for (size_t i = 0; i < LIST_COUNT; i++) {
        uint32_t type = i == 0   ? TACHO_FLEET_CHUNK_HEAD
                        : i == 1 ? TACHO_FLEET_CHUNK_FILES
                        : i == 2 ? TACHO_FLEET_CHUNK_DEVICES
                        : i == LIST_COUNT - 1
                            ? TACHO_FLEET_CHUNK_END
                            : tacho_fleet_table_letters((tacho_fleet_table_id)(i - 3));
        tacho_str payload = next_payload(&input);
        const tacho_chunk chunk = {.type = type,
                                   .version = TACHO_FLEET_PART_VERSION,
                                   .record_size = 1,
                                   .record_count = (uint32_t)payload.len,
                                   .payload = payload};
        tacho_chunk_write(&writer, &chunk);
    }
    require(tacho_output_commit(&output) == TACHO_OK);
    tacho_output_close(&output);
    return bytes_of(file);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    tacho_str input = tacho_str_make((const char *)data, size);
    check(input);
    tacho_str framed = frame(input);
    check(framed);
    free((void *)(uintptr_t)framed.data);
    return 0;
}
