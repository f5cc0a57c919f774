#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Composes msprof.db, as msprof --export writes it."""
import sqlite3
import sys

SCHEMA = """
PRAGMA page_size = 512;
CREATE TABLE STRING_IDS (id INTEGER PRIMARY KEY, value TEXT);
CREATE TABLE SESSION_TIME_INFO (startTimeNs INTEGER, endTimeNs INTEGER);
CREATE TABLE TASK (startNs INTEGER, endNs INTEGER, deviceId INTEGER, connectionId INTEGER, globalTaskId INTEGER,
  globalPid INTEGER, taskType INTEGER, contextId INTEGER, streamId INTEGER, taskId INTEGER, modelId INTEGER);
CREATE TABLE COMPUTE_TASK_INFO (name INTEGER, globalTaskId INTEGER PRIMARY KEY, blockDim INTEGER, taskType INTEGER,
  opType INTEGER, inputShapes INTEGER);
CREATE TABLE COMMUNICATION_OP (opName INTEGER, startNs INTEGER, endNs INTEGER, connectionId INTEGER, opType INTEGER,
  deviceId INTEGER);
CREATE TABLE CANN_API (startNs INTEGER, endNs INTEGER, type INTEGER, globalTid INTEGER, connectionId INTEGER PRIMARY KEY,
  name INTEGER);
"""
STRINGS = ["AI_CORE", "EVENT_WAIT", "MEMCPY_ASYNC", "MatMulV2", "aclnnMatmul_MatMulV2_1", "1,2;3", "aclnnMatmul",
           "hcom_allReduce__123_0_1", "hcom_allReduce"]
BASE = 1742490378358140951


def make(path):
    database = sqlite3.connect(path)
    database.executescript(SCHEMA)
    database.executemany("INSERT INTO STRING_IDS VALUES (?, ?)", enumerate(STRINGS))
    thread = (321 << 32) + 322
    insert = lambda table, *row: database.execute(f"INSERT INTO {table} VALUES ({', '.join('?' * len(row))})", row)
    for i in range(3):
        at = BASE + i * 10000
        insert("CANN_API", at, at + 1000, 1, thread, 10 + i, 6)
        insert("COMPUTE_TASK_INFO", 4, i, 8, 0, 3, 5)
        insert("TASK", at + 2000, at + 7000, 0, 10 + i, i, 321, 0, 0, 2, i, 1)
        insert("TASK", at + 7000, at + 7500, 0, 0, 100 + i, 321, 1, 0, 2, i, 1)
    insert("TASK", BASE + 40000, BASE + 41000, 0, 0, 200, 321, 2, 0, 3, 9, 1)
    insert("COMMUNICATION_OP", 7, BASE + 30000, BASE + 36000, 0, 8, 0)
    database.commit()
    database.execute("VACUUM")
    database.close()


if __name__ == "__main__":
    make(sys.argv[1] if len(sys.argv) > 1 else "msprof.db")
