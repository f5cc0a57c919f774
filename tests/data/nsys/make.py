#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Composes small.sqlite, as 'nsys export --type sqlite' writes it: two ranks, whose calls have the same
correlation ids, on a GPU each; every kind of row that is read; rows that cannot be read; the environment,
which must not be."""
import sqlite3
import sys

RANKS = (100, 200)


def process(pid):
    return (1 << 48) + (pid << 24)


def thread(pid, tid):
    return process(pid) + tid


NAMES = ["rank0", "cudaLaunchKernel_v7000", "cudaMemcpyAsync_v3020", "cudaStreamSynchronize_v3020",
         "void gemm<float>(float*)", "ncclDevKernel_AllReduce_Sum(ncclDevKernelArgs)", "layer.0", "layer.1",
         "poll", "cudaGraphLaunch_v10000", "cuModuleLoadData", "cudnnConvolutionForward", "MPI_Allreduce", "CUPTI buffer",
         "not referenced: /home/secret/path"]

SCHEMA = """
PRAGMA page_size = 512;
CREATE TABLE StringIds (
    id                          INTEGER   NOT NULL   PRIMARY KEY,        -- ID reference value.
    value                       TEXT      NOT NULL                       -- String value (a, b).
);
CREATE TABLE META_DATA_EXPORT (name TEXT NOT NULL, value TEXT);
CREATE TABLE META_DATA_CAPTURE (name TEXT NOT NULL, value TEXT);
CREATE TABLE TARGET_INFO_SESSION_START_TIME (utcEpochNs INTEGER, utcTime TEXT);
CREATE TABLE PROCESSES (globalPid INTEGER, pid INTEGER, name TEXT);
CREATE TABLE ThreadNames (nameId INTEGER NOT NULL, priority INTEGER, globalTid INTEGER);
CREATE TABLE TARGET_INFO_GPU (vmId INTEGER, id INTEGER, name TEXT);
CREATE TABLE TARGET_INFO_CUDA_DEVICE (gpuId INTEGER, cudaId INTEGER, pid INTEGER);
CREATE TABLE TARGET_INFO_GPU_METRICS (typeId INTEGER, sourceId INTEGER, metricId INTEGER, metricName TEXT);
CREATE TABLE CUPTI_ACTIVITY_KIND_KERNEL (
    start INTEGER, end INTEGER, deviceId INTEGER, contextId INTEGER, streamId INTEGER, correlationId INTEGER,
    globalPid INTEGER, demangledName INTEGER, shortName INTEGER, registersPerThread INTEGER,
    gridX INTEGER, gridY INTEGER, gridZ INTEGER, blockX INTEGER, blockY INTEGER, blockZ INTEGER,
    staticSharedMemory INTEGER, dynamicSharedMemory INTEGER, graphNodeId INTEGER);
CREATE TABLE CUPTI_ACTIVITY_KIND_MEMCPY (
    start INTEGER, end INTEGER, deviceId INTEGER, contextId INTEGER, streamId INTEGER, correlationId INTEGER,
    globalPid INTEGER, bytes INTEGER, copyKind INTEGER, srcKind INTEGER, dstKind INTEGER);
CREATE TABLE CUPTI_ACTIVITY_KIND_MEMSET (
    start INTEGER, end INTEGER, deviceId INTEGER, contextId INTEGER, streamId INTEGER, correlationId INTEGER,
    globalPid INTEGER, value INTEGER, bytes INTEGER, memKind INTEGER);
CREATE TABLE CUPTI_ACTIVITY_KIND_SYNCHRONIZATION (
    start INTEGER, end INTEGER, deviceId INTEGER, contextId INTEGER, streamId INTEGER, correlationId INTEGER,
    globalPid INTEGER, syncType INTEGER, eventId INTEGER);
CREATE TABLE CUPTI_ACTIVITY_KIND_GRAPH_TRACE (
    start INTEGER, end INTEGER, deviceId INTEGER, contextId INTEGER, streamId INTEGER, correlationId INTEGER,
    globalPid INTEGER, graphId INTEGER);
CREATE TABLE CUPTI_ACTIVITY_KIND_RUNTIME (
    start INTEGER, end INTEGER, eventClass INTEGER, globalTid INTEGER, correlationId INTEGER, nameId INTEGER,
    returnValue INTEGER, callchainId INTEGER);
CREATE TABLE NVTX_EVENTS (
    start INTEGER, end INTEGER, eventType INTEGER, rangeId INTEGER, category INTEGER, color INTEGER, text TEXT,
    globalTid INTEGER, endGlobalTid INTEGER, textId INTEGER, domainId INTEGER, uint64Value INTEGER,
    int64Value INTEGER, doubleValue REAL);
CREATE TABLE OSRT_API (start INTEGER, end INTEGER, globalTid INTEGER, nameId INTEGER, nestingLevel INTEGER);
CREATE TABLE CUDNN_EVENTS (start INTEGER, end INTEGER, globalTid INTEGER, nameId INTEGER);
CREATE TABLE MPI_COLLECTIVES_EVENTS (start INTEGER, end INTEGER, globalTid INTEGER, textId INTEGER, size INTEGER);
CREATE TABLE PROFILER_OVERHEAD (start INTEGER, end INTEGER, globalTid INTEGER, nameId INTEGER, returnValue INTEGER);
CREATE TABLE CUDA_GPU_MEMORY_USAGE_EVENTS (
    start INTEGER, globalPid INTEGER, deviceId INTEGER, bytes INTEGER, memKind INTEGER, memoryOperationType INTEGER);
CREATE TABLE GPU_METRICS (timestamp INTEGER, typeId INTEGER, metricId INTEGER, value INTEGER);
CREATE TABLE SCHED_EVENTS (start INTEGER, cpu INTEGER);
"""


def rows_of(pid, rank):
    """Two layers with a GEMM and an all-reduce each, at 1000 ns, the second rank 300 ns later."""
    tid, at, gpu = thread(pid, pid), 1000 + 300 * rank, (0, 1, 7)
    for layer in range(2):
        begin = at + layer * 10000
        number = 1 + layer * 3
        yield "NVTX_EVENTS", (begin, begin + 9000, 59, None, 5, None, None, tid, None, 6 + layer, 0, 42 + layer, None, None)
        yield "NVTX_EVENTS", (begin + 2600, begin + 3900, 59, None, None, None, "ncclAllReduce", tid, None, None, 1, None, None, None)
        yield "CUPTI_ACTIVITY_KIND_RUNTIME", (begin + 500, begin + 1500, 0, tid, number, 1, 0, None)
        yield "CUPTI_ACTIVITY_KIND_KERNEL", (begin + 2000, begin + 6000, *gpu, number, process(pid), 4, 4, 32, 8, 2, 1, 128, 1, 1, 16, 1024, None)
        yield "CUPTI_ACTIVITY_KIND_RUNTIME", (begin + 2700, begin + 3700, 0, tid, number + 1, 1, 0, None)
        yield "CUPTI_ACTIVITY_KIND_KERNEL", (begin + 6000, begin + 8500, *gpu, number + 1, process(pid), 5, 5, 32, 1, 1, 1, 512, 1, 1, 0, 0, None)
        yield "CUPTI_ACTIVITY_KIND_RUNTIME", (begin + 4000, begin + 8800, 0, tid, number + 2, 3, 0, None)
        yield "CUPTI_ACTIVITY_KIND_SYNCHRONIZATION", (begin + 4100, begin + 8700, *gpu, number + 2, process(pid), 3, 4294967295)
    yield "CUPTI_ACTIVITY_KIND_RUNTIME", (at + 20000, at + 21000, 0, tid, 8, 2, 0, None)
    yield "CUPTI_ACTIVITY_KIND_MEMCPY", (at + 21500, at + 22500, *gpu, 8, process(pid), 4096, 2, 2, 1)
    yield "CUPTI_ACTIVITY_KIND_MEMSET", (at + 23000, at + 23200, *gpu, 0, process(pid), 0, 512, 2)
    yield "CUPTI_ACTIVITY_KIND_RUNTIME", (at + 24000, at + 24500, 0, tid, 9, 9, 0, None)
    yield "CUPTI_ACTIVITY_KIND_GRAPH_TRACE", (at + 25000, at + 27000, *gpu, 9, process(pid), 3)


def other_rows():
    main, other = thread(100, 100), thread(100, 101)
    yield "NVTX_EVENTS", (10, None, 75, None, None, None, "NCCL", main, None, None, 1, None, None, None)
    yield "NVTX_EVENTS", (11, None, 33, None, 5, None, "forward", main, None, None, 0, None, None, None)
    yield "NVTX_EVENTS", (900, 30000, 60, 1, None, None, "request, with \"quotes\"\nand a line", main, other, None, 0, None, None, 2.5)
    yield "NVTX_EVENTS", (950, 29000, 60, 2, None, None, "step 1", main, main, None, 0, None, None, None)
    yield "NVTX_EVENTS", (1200, None, 34, None, None, None, "mark", main, None, None, 0, None, -3, None)
    yield "NVTX_EVENTS", (1300, None, 12345, None, None, None, "unknown", main, None, None, 0, None, None, None)
    yield "NVTX_EVENTS", ("text", 5, 59, None, None, None, "no time", main, None, None, 0, None, None, None)
    yield "OSRT_API", (30000, 31000, other, 8, 0)
    yield "CUDNN_EVENTS", (31000, 32000, main, 11)
    yield "MPI_COLLECTIVES_EVENTS", (32000, 33000, main, 12, 64)
    yield "CUPTI_ACTIVITY_KIND_RUNTIME", (33000, 33500, 1, main, 50, 10, 2, None)
    yield "PROFILER_OVERHEAD", (100, 500, main, 13, 0)
    yield "CUPTI_ACTIVITY_KIND_KERNEL", (40000, 39000, 0, 1, 7, 60, process(100), 4, 4, 32, 1, 1, 1, 1, 1, 1, 0, 0, None)
    yield "CUPTI_ACTIVITY_KIND_KERNEL", (41000, 42000, 0, 1, 9, 61, process(100), 999, 998, 32, 1, 1, 1, 1, 1, 1, 0, 0, 77)
    for start, size, freed in ((50, 1000, 0), (60, 500, 0), (70, 1000, 1)):
        yield "CUDA_GPU_MEMORY_USAGE_EVENTS", (start, process(100), 0, size, 2, freed)
    for time in (1000, 2000):
        yield "GPU_METRICS", (time, 7, 1, time // 100)
        yield "GPU_METRICS", (time, 7, 2, time)
    yield "GPU_METRICS", (3000, 7, 2, None)
    yield "SCHED_EVENTS", (1000, 0)


def make(path):
    database = sqlite3.connect(path)
    database.executescript(SCHEMA)
    insert = lambda table, row: database.execute(f"INSERT INTO {table} VALUES ({', '.join('?' * len(row))})", row)
    for item in enumerate(NAMES):
        insert("StringIds", item)
    for row in (("EXPORT_SCHEMA_VERSION_MAJOR", "3"), ("EXPORT_SCHEMA_VERSION_MINOR", "24"), ("EXPORT_PRODUCT_VERSION", "2026.1.1")):
        insert("META_DATA_EXPORT", row)
    insert("META_DATA_CAPTURE", ("ENVIRONMENT_VARIABLES", "TOKEN=hunter2"))
    insert("TARGET_INFO_SESSION_START_TIME", (1700000000000000000, ""))
    for pid, gpu in zip(RANKS, (0, 1)):
        insert("PROCESSES", (process(pid), pid, "/usr/bin/python3 --password=hunter2" if pid == 0 else "/usr/bin/python3"))
        insert("TARGET_INFO_CUDA_DEVICE", (gpu, 0, pid))
        insert("TARGET_INFO_GPU", (0, gpu, "NVIDIA H200"))
    insert("PROCESSES", (process(300), 300, "/usr/bin/unrelated"))
    insert("ThreadNames", (0, 0, thread(100, 100)))
    insert("ThreadNames", (14, 0, thread(300, 300)))
    insert("TARGET_INFO_GPU_METRICS", (7, 0, 1, "SMs Active [Throughput %]"))
    insert("TARGET_INFO_GPU_METRICS", (7, 0, 2, "SM Clock [MHz]"))
    rows = list(other_rows())
    for rank, pid in enumerate(RANKS):
        rows += rows_of(pid, rank)
    for table, row in sorted(rows, key=lambda at: (isinstance(at[1][0], str), str(at[1][0]).zfill(9))):
        insert(table, row)
    database.commit()
    database.execute("VACUUM")
    database.close()


if __name__ == "__main__":
    make(sys.argv[1] if len(sys.argv) > 1 else "small.sqlite")
