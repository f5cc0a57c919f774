/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Fuzzes the readers of Tenstorrent's messages and host times, one with each half of the input; a
 * half without a header gets one.
 *
 * Laws: whatever the bytes, reading ends well; ids are found again; every op has data.
 */
#include "reading.h"
#include "sources/tenstorrent/log_host.h"

typedef tacho_status (*read_function)(tt_host *host, tacho_input *input);

static void read_with(tt_host *host, tacho_str bytes, const char *header, read_function read)
{
    tacho_input input;
    size_t header_len = strlen(header);
    char *text = malloc(header_len + bytes.len + 1);
    require(text != NULL);
    memcpy(text, header, header_len);
    if (bytes.len > 0) {
        memcpy(text + header_len, bytes.data, bytes.len);
    }
    require_ok(
        tacho_input_open_bytes("fuzz", tacho_str_make(text, header_len + bytes.len), &input));
    free(text);
    tacho_status_free(read(host, &input));
    tacho_input_close(&input);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    tacho_str bytes = tacho_str_make((const char *)data, size);
    tacho_str half = tacho_str_make(bytes.data, size / 2);
    tt_losses losses = {{0}, {0}};
    tt_host host;
    require_ok(tt_host_init(&host, &losses));
    read_with(&host, bytes, tt_messages_probe(bytes) ? "" : "MessageName;total_ns\n",
              tt_host_read_messages);
    read_with(&host, tacho_str_from(bytes, half.len),
              "name,src_file,src_line,zone_name,zone_text,ns_since_start,exec_time_ns,thread,"
              "special_parent_text\n",
              tt_host_read_times);
    for (size_t i = 0; i < host.op_count; i++) {
        require(host.ops[i].data < host.data_count);
        require(tt_host_find(&host, host.ops[i].id) == i);
    }
    tt_host_deinit(&host);
    return 0;
}
