#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A database as 'nsys export --type sqlite' writes it, of any size: SQLite makes the rows.

  gen_nsys.py KERNELS OUT.sqlite

Each kernel has a launch on the host, inside seven nested NVTX ranges; every second one begins a
start/end range. 2000000 kernels give 15 million ranges.
"""
import sqlite3
import sys

SLOT = 10_000  # ns per kernel
NESTED = 7
LAYERS = 48
KERNELS = 24
THREAD = (1 << 48) + (4242 << 24) + 4242
PROCESS = (1 << 48) + (4242 << 24)

SCHEMA = """
CREATE TABLE StringIds (id INTEGER NOT NULL PRIMARY KEY, value TEXT NOT NULL);
CREATE TABLE ENUM_NSYS_EVENT_TYPE (id INTEGER NOT NULL PRIMARY KEY, name TEXT, label TEXT);
CREATE TABLE META_DATA_EXPORT (name TEXT NOT NULL, value TEXT);
CREATE TABLE META_DATA_CAPTURE (name TEXT NOT NULL, value TEXT);
CREATE TABLE TARGET_INFO_SESSION_START_TIME (utcEpochNs INTEGER, utcTime TEXT, localTime TEXT);
CREATE TABLE PROCESSES (globalPid INTEGER, pid INTEGER, name TEXT);
CREATE TABLE ThreadNames (nameId INTEGER NOT NULL, priority INTEGER, globalTid INTEGER);
CREATE TABLE TARGET_INFO_GPU (vmId INTEGER NOT NULL, id INTEGER NOT NULL, name TEXT);
CREATE TABLE TARGET_INFO_CUDA_DEVICE (gpuId INTEGER, cudaId INTEGER, pid INTEGER, uuid TEXT);
CREATE TABLE CUPTI_ACTIVITY_KIND_KERNEL (
    start INTEGER NOT NULL, -- Event start timestamp (ns).
    end INTEGER NOT NULL, deviceId INTEGER NOT NULL, contextId INTEGER NOT NULL, streamId INTEGER NOT NULL,
    correlationId INTEGER, globalPid INTEGER, demangledName INTEGER NOT NULL, shortName INTEGER NOT NULL,
    registersPerThread INTEGER, gridX INTEGER, gridY INTEGER, gridZ INTEGER, blockX INTEGER, blockY INTEGER,
    blockZ INTEGER, staticSharedMemory INTEGER, dynamicSharedMemory INTEGER, graphNodeId INTEGER);
CREATE TABLE CUPTI_ACTIVITY_KIND_RUNTIME (
    start INTEGER NOT NULL, end INTEGER NOT NULL, eventClass INTEGER, globalTid INTEGER,
    correlationId INTEGER, nameId INTEGER, returnValue INTEGER, callchainId INTEGER);
CREATE TABLE NVTX_EVENTS (
    start INTEGER NOT NULL, end INTEGER, eventType INTEGER NOT NULL, rangeId INTEGER, category INTEGER,
    color INTEGER, text TEXT, globalTid INTEGER, endGlobalTid INTEGER, textId INTEGER, domainId INTEGER,
    uint64Value INTEGER, int64Value INTEGER, doubleValue REAL);
"""


def make(path, kernels):
    database = sqlite3.connect(path)
    database.executescript("PRAGMA journal_mode=OFF; PRAGMA synchronous=OFF;" + SCHEMA)
    names = ["python3", "cudaLaunchKernel_v7000"]
    names += [f"void gemm_kernel_{i}<float, {i}>(float const*, float*)" for i in range(KERNELS)]
    names += [f"layer.{i}" for i in range(LAYERS)] + [f"aten::op{i}" for i in range(NESTED)] + ["request"]
    database.executemany("INSERT INTO StringIds VALUES (?, ?)", enumerate(names))
    facts = [("EXPORT_SCHEMA_VERSION_MAJOR", "3"), ("EXPORT_SCHEMA_VERSION_MINOR", "25"),
             ("EXPORT_PRODUCT_VERSION", "2026.2.1")]
    database.executemany("INSERT INTO META_DATA_EXPORT VALUES (?, ?)", facts)
    database.execute("INSERT INTO TARGET_INFO_SESSION_START_TIME VALUES (1700000000000000000, '', '')")
    database.execute("INSERT INTO PROCESSES VALUES (?, 4242, '/usr/bin/python3')", (PROCESS,))
    database.execute("INSERT INTO ThreadNames VALUES (0, 0, ?)", (THREAD,))
    database.execute("INSERT INTO TARGET_INFO_GPU VALUES (0, 0, 'NVIDIA H200')")
    database.execute("INSERT INTO TARGET_INFO_CUDA_DEVICE VALUES (0, 0, 4242, '')")
    slots = f"WITH RECURSIVE slot(k) AS (SELECT 0 UNION ALL SELECT k + 1 FROM slot WHERE k + 1 < {kernels}) "
    database.execute(
        f"INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL {slots} SELECT k * {SLOT} + 7000, k * {SLOT} + 14000 + k % 7 * 100, "
        f"0, 1, 7, k + 1, {PROCESS}, 2 + k % {KERNELS}, 2 + k % {KERNELS}, 32, 1 + k % 64, 1, 1, 128, 1, 1, 0, 0, NULL "
        "FROM slot")
    database.execute(
        f"INSERT INTO CUPTI_ACTIVITY_KIND_RUNTIME {slots} SELECT k * {SLOT} + 4000, k * {SLOT} + 6000, 0, {THREAD}, "
        "k + 1, 1, 0, NULL FROM slot")
    nested = ", ".join(f"({j})" for j in range(NESTED))
    database.execute(
        f"INSERT INTO NVTX_EVENTS {slots}, depth(j) AS (VALUES {nested}), range(k, j) AS (SELECT k, -1 FROM slot "
        "WHERE k % 2 = 0 UNION ALL SELECT k, j FROM slot, depth) "
        f"SELECT k * {SLOT} + max(j, 0) * 100, k * {SLOT} + CASE j WHEN -1 THEN 2 * {SLOT} - 50 ELSE 9900 - j * 100 END, "
        "CASE j WHEN -1 THEN 60 ELSE 59 END, NULL, NULL, NULL, NULL, "
        f"{THREAD}, CASE j WHEN -1 THEN {THREAD} END, CASE j WHEN -1 THEN {2 + KERNELS + LAYERS + NESTED} "
        f"WHEN 0 THEN {2 + KERNELS} + k % {LAYERS} ELSE {2 + KERNELS + LAYERS} + j END, 0, NULL, NULL, NULL "
        "FROM range ORDER BY k, j")
    database.commit()
    database.close()


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    make(sys.argv[2], int(sys.argv[1]))
