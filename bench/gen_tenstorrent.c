/* SPDX-License-Identifier: Apache-2.0 */
/*
 * gen_tenstorrent: writes a synthetic device log or op table of Tenstorrent's profiler, as an input
 * of the benchmarks.
 *
 *     gen_tenstorrent OPS > profile_log_device.csv
 *     gen_tenstorrent --table OPS > ops_perf_results.csv
 *
 * One chip of 64 cores with five processors each, which write the four markers that every op has:
 * as many rows as ops times 1280. Rows are in the order of cores, processors and time. The table
 * has a row of about 1 KB for each op, every third a matrix product, in 78 columns.
 */
#include "gen.h"

#include <inttypes.h>
#include <string.h>

enum {
    COLUMN_COUNT = 8,
    CORE_COUNT = 64,
    RISC_COUNT = 5,
    ROW_BYTES_MAX = 256,
    OP_CYCLES = 10000,
    FIRST_WORK = 800,
    WORK = 4200,
    LAST_WORK = 200,
    TABLE_MORE_COLUMNS = 18,
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

static void write_table_header(void)
{
    static const char *const tensors[] = {"INPUT_0", "INPUT_1", "INPUT_2", "INPUT_3", "OUTPUT_0"};
    static const char *const fields[] = {
        "W_PAD[LOGICAL]", "Z_PAD[LOGICAL]", "Y_PAD[LOGICAL]", "X_PAD[LOGICAL]",
        "LAYOUT",         "DATATYPE",       "MEMORY",
    };
    printf("OP CODE,OP TYPE,GLOBAL CALL COUNT,DEVICE ID,DEVICE ARCH,ATTRIBUTES,MATH FIDELITY,"
           "CORE COUNT,AVAILABLE WORKER CORE COUNT,HOST START TS,HOST END TS,HOST DURATION [ns],"
           "DEVICE FW START CYCLE,DEVICE FW END CYCLE,OP TO OP LATENCY [ns],"
           "DEVICE FW DURATION [ns],DEVICE KERNEL DURATION [ns]");
    for (size_t i = 0; i < sizeof(tensors) / sizeof(tensors[0]); i++) {
        for (size_t k = 0; k < sizeof(fields) / sizeof(fields[0]); k++) {
            printf(",%s_%s", tensors[i], fields[k]);
        }
    }
    printf(",METAL TRACE ID,METAL TRACE REPLAY SESSION ID,COMPUTE KERNEL SOURCE,COMPUTE KERNEL "
           "HASH,DATA MOVEMENT KERNEL SOURCE,DATA MOVEMENT KERNEL HASH,PROGRAM HASH,PROGRAM CACHE "
           "HIT");
    for (int i = 0; i < TABLE_MORE_COLUMNS; i++) {
        printf(",COUNTER %d Avg (%%)", i);
    }
    printf("\r\n");
}

static void write_table_row(uint64_t op)
{
    bool is_product = op % 3 == 0;
    uint64_t start = FIRST_CYCLE + op * OP_CYCLES;
    uint64_t work = WORK + op % 997;
    printf("%s,tt_dnn_device,%" PRIu64 ",0,blackhole,", is_product ? "Matmul" : "BinaryNg",
           (op + 1) << 10);
    printf(
        "{'program_config': 'MatmulMultiCoreReuseMultiCastProgramConfig(compute_with_storage_grid_"
        "size=(x=8;y=8);in0_block_w=2;out_subblock_h=1;out_subblock_w=4;per_core_M=4;per_core_N=8;"
        "transpose_mcast=0;fused_activation=std::nullopt)'; 'bcast_batch': 'true'; "
        "'output_mem_config': 'MemoryConfig(memory_layout=TensorMemoryLayout::INTERLEAVED;"
        "buffer_type=BufferType::DRAM;shard_spec=std::nullopt)'},HiFi2,64,110,");
    printf("%" PRIu64 ",%" PRIu64 ",500,", op * 1000 + 7, op * 1000 + 507);
    printf("%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",%" PRIu64, start,
           start + work + FIRST_WORK, op % 9000, work + FIRST_WORK, work);
    for (int i = 0; i < 5; i++) {
        printf(",1[1],1[1],512[500],1024[1024],TILE,BFLOAT16,DEV_0_DRAM_INTERLEAVED");
    }
    printf(",,,['a/compute/bmm.cpp'],['bmm/1/'],['a/dataflow/reader.cpp'; 'a/dataflow/writer.cpp'],"
           "['reader/2/'; 'writer/3/'],%" PRIu64 ",False",
           op % 50 + 12901315163927030000u);
    for (int i = 0; i < TABLE_MORE_COLUMNS; i++) {
        printf(",%" PRIu64 ".%d", op % 90, i % 10);
    }
    printf("\r\n");
}

static void write_table(uint64_t ops)
{
    write_table_header();
    for (uint64_t op = 0; op < ops; op++) {
        write_table_row(op);
    }
}

int main(int argc, char **argv)
{
    char *end = NULL;
    bool is_table = argc == 3 && strcmp(argv[1], "--table") == 0;
    uint64_t ops = argc == 2 || is_table ? strtoull(argv[argc - 1], &end, 10) : 0;
    if (ops == 0 || *end != '\0' || ops > OPS_MAX) {
        fprintf(stderr, "usage: gen_tenstorrent [--table] OPS\n");
        return 2;
    }
    if (is_table) {
        write_table(ops);
        return fflush(stdout) == 0 && ferror(stdout) == 0 ? 0 : 1;
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
