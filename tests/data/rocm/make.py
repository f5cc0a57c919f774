#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Composes rocpd databases: v3.db, two ranks merged into one file, and v4.db, the same rows with times and
tracks in tables of their own."""
import sqlite3
import sys

V3 = """
CREATE TABLE "rocpd_metadata{s}" ("id" INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT, "tag" TEXT, "value" TEXT);
CREATE TABLE "rocpd_string{s}" ("id" INTEGER NOT NULL PRIMARY KEY, "guid" TEXT, "string" TEXT);
CREATE TABLE "rocpd_info_process{s}" ("id" INTEGER NOT NULL PRIMARY KEY, "pid" INTEGER, "command" TEXT, "environment" JSONB);
CREATE TABLE "rocpd_info_thread{s}" ("id" INTEGER NOT NULL PRIMARY KEY, "pid" INTEGER, "tid" INTEGER, "name" TEXT);
CREATE TABLE "rocpd_info_agent{s}" ("id" INTEGER NOT NULL PRIMARY KEY, "type" TEXT, "type_index" INTEGER, "name" TEXT,
  "product_name" TEXT, CHECK ("type" IN ('CPU', 'GPU')));
CREATE TABLE "rocpd_info_kernel_symbol{s}" ("id" INTEGER NOT NULL PRIMARY KEY, "kernel_name" TEXT, "display_name" TEXT);
CREATE TABLE "rocpd_event{s}" ("id" INTEGER NOT NULL PRIMARY KEY, "category_id" INTEGER, "stack_id" INTEGER,
  "correlation_id" INTEGER, "extdata" JSONB);
CREATE TABLE "rocpd_kernel_dispatch{s}" ("id" INTEGER NOT NULL PRIMARY KEY, {where}, "kernel_id" INTEGER, {times},
  "private_segment_size" INTEGER, "group_segment_size" INTEGER, "workgroup_size_x" INTEGER, "workgroup_size_y" INTEGER,
  "workgroup_size_z" INTEGER, "grid_size_x" INTEGER, "grid_size_y" INTEGER, "grid_size_z" INTEGER, "event_id" INTEGER);
CREATE TABLE "rocpd_region{s}" ("id" INTEGER NOT NULL PRIMARY KEY, {thread}, {times}, "name_id" INTEGER, "event_id" INTEGER);
CREATE TABLE "rocpd_memory_copy{s}" ("id" INTEGER NOT NULL PRIMARY KEY, {thread}, {times}, "name_id" INTEGER,
  "src_agent_id" INTEGER, "dst_agent_id" INTEGER, "size" INTEGER, "event_id" INTEGER);
CREATE TABLE "rocpd_memory_allocate{s}" ("id" INTEGER NOT NULL PRIMARY KEY, {thread}, {times}, "agent_id" INTEGER,
  "type" TEXT, "address" INTEGER, "size" INTEGER, "event_id" INTEGER);
CREATE TABLE "rocpd_info_pmc{s}" ("id" INTEGER NOT NULL PRIMARY KEY, "name" TEXT, "symbol" TEXT);
CREATE TABLE "rocpd_pmc_event{s}" ("id" INTEGER NOT NULL PRIMARY KEY, "event_id" INTEGER, "pmc_id" INTEGER, "value" REAL);
CREATE VIEW "rocpd_region_of{s}" AS SELECT * FROM "rocpd_region{s}";
"""
V4 = """
CREATE TABLE "rocpd_timestamp{s}" ("id" INTEGER NOT NULL PRIMARY KEY, "value" BIGINT, "phase" TEXT, "track_id" INTEGER);
CREATE TABLE "rocpd_track{s}" ("id" INTEGER NOT NULL PRIMARY KEY, "pid" INTEGER, "tid" INTEGER, "agent_id" INTEGER,
  "queue_id" INTEGER, "stream_id" INTEGER, "name_id" INTEGER);
CREATE TABLE "rocpd_info_category{s}" ("id" INTEGER NOT NULL PRIMARY KEY, "name" TEXT);
"""
STRINGS = ["", "HIP_RUNTIME_API_EXT", "MARKER_CORE_API", "KERNEL_DISPATCH", "MEMORY_COPY", "hipLaunchKernel",
           "roctxThreadRangeA", "hipMemcpyAsync", "MEMORY_COPY_DEVICE_TO_HOST", "hipDeviceSynchronize"]
HIP, MARKER, DISPATCH, COPY, LAUNCH, RANGE, MEMCPY, TO_HOST, WAIT = range(2, 11)


class Recording:
    def __init__(self, database, suffix, version):
        self.database, self.suffix, self.version = database, suffix, version
        new = version == 4
        times = '"start_id" INTEGER, "end_id" INTEGER' if new else '"start" BIGINT, "end" BIGINT'
        thread = '"track_id" INTEGER' if new else '"pid" INTEGER, "tid" INTEGER'
        where = thread if new else thread + ', "agent_id" INTEGER, "queue_id" INTEGER, "stream_id" INTEGER'
        database.executescript((V3 + (V4 if new else "")).format(s=suffix, times=times, thread=thread, where=where))
        self.counts, self.tracks = {}, {}

    def add(self, table, *values):
        number = self.counts[table] = self.counts.get(table, 0) + 1
        marks = ", ".join("?" * (len(values) + 1))
        self.database.execute(f'INSERT INTO "{table}{self.suffix}" VALUES ({marks})', (number, *values))
        return number

    def event(self, category, stack, extdata="{}"):
        return self.add("rocpd_event", category, stack, 0, extdata)

    def times(self, start, end):
        if self.version == 3:
            return start, end
        return self.add("rocpd_timestamp", start, "B", 1), self.add("rocpd_timestamp", end, "E", 1)

    def where(self, *place):
        if self.version == 3:
            return place
        if place not in self.tracks:
            self.tracks[place] = self.add("rocpd_track", *(place + (None,) * (5 - len(place))), 1)
        return (self.tracks[place],)

    def region(self, start, end, name, category, stack, extdata="{}"):
        self.add("rocpd_region", *self.where(1, 1), *self.times(start, end), name, self.event(category, stack, extdata))

    def kernel(self, start, end, kernel, stack):
        self.add("rocpd_kernel_dispatch", *self.where(1, 1, 2, 1, 0), kernel, *self.times(start, end), 16, 1024, 256, 1, 1,
                 2560, 4, 1, self.event(DISPATCH, stack))


def fill(at, pid, shift):
    at.add("rocpd_metadata", "schema_version", str(at.version))
    for text in STRINGS:
        at.add("rocpd_string", "guid", text)
    if at.version == 4:
        for text in STRINGS[:5]:
            at.add("rocpd_info_category", text)
    at.add("rocpd_info_process", pid, "/usr/bin/python3 train.py --token hunter2", '{"TOKEN":"hunter2"}')
    at.add("rocpd_info_thread", pid, pid + 1, "main")
    at.add("rocpd_info_agent", "CPU", 0, "CPU", "AMD EPYC")
    at.add("rocpd_info_agent", "GPU", pid % 2, "gfx942", "AMD Instinct MI300X")
    at.add("rocpd_info_kernel_symbol", "_Z4gemmPf.kd", "gemm(float*)")
    at.add("rocpd_info_kernel_symbol", "ncclDevKernel_Generic.kd", "")
    at.region(shift + 1000, shift + 9000, RANGE, MARKER, 1, '{"message":"layer \\"0\\""}')
    at.region(shift + 1500, shift + 2500, LAUNCH, HIP, 2)
    at.kernel(shift + 3000, shift + 6000, 1, 2)
    at.add("rocpd_info_pmc", "SQ_WAVES", "SQ_WAVES")
    at.add("rocpd_info_pmc", "", "TCC_HIT")
    for counter, value in ((1, 100.0), (1, 28.0), (2, 0.5)):
        at.add("rocpd_pmc_event", at.counts["rocpd_event"], counter, value)
    at.region(shift + 2600, shift + 3500, LAUNCH, HIP, 3)
    at.kernel(shift + 6000, shift + 8000, 2, 3)
    at.region(shift + 9100, shift + 9500, MEMCPY, HIP, 4)
    at.add("rocpd_memory_copy", *at.where(1, 1), *at.times(shift + 9600, shift + 9900), TO_HOST, 2, 1, 4096,
           at.event(COPY, 4))
    at.region(shift + 9500, shift + 9950, WAIT, HIP, 5)
    for time, kind, size in ((100, "ALLOC", 1 << 20), (9960, "FREE", 0)):
        at.add("rocpd_memory_allocate", *at.where(1, 1), *at.times(shift + time, shift + time + 10), 2, kind, 4096, size,
               at.event(COPY, 6))


def make(path, suffixes, version):
    database = sqlite3.connect(path)
    database.execute("PRAGMA page_size = 512")
    for rank, suffix in enumerate(suffixes):
        fill(Recording(database, suffix, version), 700 + rank, 300 * rank)
    database.commit()
    database.execute("VACUUM")
    database.close()


if __name__ == "__main__":
    folder = sys.argv[1] if len(sys.argv) > 1 else "."
    make(f"{folder}/v3.db", ["_0a", "_0b"], 3)
    make(f"{folder}/v4.db", ["_0c"], 4)
