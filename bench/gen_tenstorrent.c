/* SPDX-License-Identifier: Apache-2.0 */
/*
 * gen_tenstorrent: writes a synthetic device log of Tenstorrent's profiler, as an input of the
 * benchmarks.
 *
 *     gen_tenstorrent OPS > profile_log_device.csv
 *
 * One chip of 64 cores with five processors each, which write the four markers that every op has:
 * as many rows as ops times 1280. Rows are in the order of cores, processors and time.
 */
#include "gen.h"

enum {
    COLUMN_COUNT = 8,
    CORE_COUNT = 64,
    RISC_COUNT = 5,
    ROW_BYTES_MAX = 256,
    OP_CYCLES = 10000,
    FIRST_WORK = 800,
    WORK = 4200,
    LAST_WORK = 200,
};

static const uint64_t FIRST_CYCLE = UINT64_C(2170879416545);
static const uint64_t OPS_MAX = UINT64_C(1) << 20;

static const struct {
    const char *risc, *zone, *file;
} RISCS[RISC_COUNT] = {
    {"BRISC", "BRISC", "brisc"},   {"NCRISC", "NCRISC", "ncrisc"}, {"TRISC_0", "TRISC", "trisc"},
    {"TRISC_1", "TRISC", "trisc"}, {"TRISC_2", "TRISC", "trisc"},
};

/* One marker: the first or last of the firmware or of the kernel. */
static void write_marker(unsigned core, unsigned risc, uint64_t op, unsigned marker)
{
    char row[ROW_BYTES_MAX];
    bool is_kernel = marker == 1 || marker == 2;
    uint64_t start = FIRST_CYCLE + op * OP_CYCLES + core * 3 + risc * 7;
    const uint64_t times[] = {start, start + FIRST_WORK, start + FIRST_WORK + WORK + op % 13,
                              start + FIRST_WORK + WORK + op % 13 + LAST_WORK};
    char *at = put_text(row, "0,");
    at = put_number(at, core % COLUMN_COUNT + 1);
    at = put_char(at, ',');
    at = put_number(at, core / COLUMN_COUNT + 1);
    at = put_char(at, ',');
    at = put_text(at, RISCS[risc].risc);
    at = put_text(at, is_kernel ? ",21766," : ",22845,");
    at = put_number(at, times[marker]);
    at = put_text(at, ",0,");
    at = put_number(at, (op + 1) << 10);
    at = put_text(at, ",,,");
    at = put_text(at, RISCS[risc].zone);
    at = put_text(at, is_kernel ? "-KERNEL," : "-FW,");
    at = put_text(at, marker < 2 ? "ZONE_START," : "ZONE_END,");
    at = put_text(at, is_kernel ? "64" : "412");
    at = put_text(at, ",/localdev/user/tt-metal/tt_metal/hw/firmware/src/tt-1xx/");
    at = put_text(at, RISCS[risc].file);
    at = put_text(at, is_kernel ? "k.cc,\n" : ".cc,\n");
    fwrite(row, 1, (size_t)(at - row), stdout);
}

int main(int argc, char **argv)
{
    char *end = NULL;
    uint64_t ops = argc == 2 ? strtoull(argv[1], &end, 10) : 0;
    if (ops == 0 || *end != '\0' || ops > OPS_MAX) {
        fprintf(stderr, "usage: gen_tenstorrent OPS\n");
        return 2;
    }
    printf("ARCH: wormhole_b0, CHIP_FREQ[MHz]: 1000, Max Compute Cores: 64\n"
           "PCIe slot, core_x, core_y, RISC processor type, timer_id, time[cycles since reset], "
           "data, run host ID, trace id, trace id counter, zone name, type, source line, source "
           "file,  meta data\n");
    for (unsigned core = 0; core < CORE_COUNT; core++) {
        for (unsigned risc = 0; risc < RISC_COUNT; risc++) {
            for (uint64_t op = 0; op < ops; op++) {
                for (unsigned marker = 0; marker < 4; marker++) {
                    write_marker(core, risc, op, marker);
                }
            }
        }
    }
    return fflush(stdout) == 0 && ferror(stdout) == 0 ? 0 : 1;
}
