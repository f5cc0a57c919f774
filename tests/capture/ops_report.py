#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Judges an op report in the form of tt_profile: its columns, its text form, and what must hold between them.

    ops_report.py REPORT.csv [rows=N] [timed=N] [mhz=MHZ]

Written from the description of the columns, without code of tacho. Prints what is wrong; exit status 1 then.
"""

import csv
import sys

HEAD = """OP CODE|OP TYPE|GLOBAL CALL COUNT|DEVICE ID|ATTRIBUTES|MATH FIDELITY|CORE COUNT|PARALLELIZATION STRATEGY|HOST START TS|
HOST END TS|HOST DURATION [ns]|DEVICE FW START CYCLE|DEVICE FW END CYCLE|OP TO OP LATENCY [ns]|
OP TO OP LATENCY BR/NRISC START [ns]|DEVICE FW DURATION [ns]|DEVICE KERNEL DURATION [ns]|DEVICE KERNEL DURATION DM START [ns]|
DEVICE KERNEL DURATION PER CORE MIN [ns]|DEVICE KERNEL DURATION PER CORE MAX [ns]|DEVICE KERNEL DURATION PER CORE AVG [ns]|
DEVICE KERNEL FIRST TO LAST START [ns]|DEVICE BRISC KERNEL DURATION [ns]|DEVICE NCRISC KERNEL DURATION [ns]|
DEVICE TRISC0 KERNEL DURATION [ns]|DEVICE TRISC1 KERNEL DURATION [ns]|DEVICE TRISC2 KERNEL DURATION [ns]|
DEVICE ERISC KERNEL DURATION [ns]|DEVICE COMPUTE CB WAIT FRONT [ns]|DEVICE COMPUTE CB RESERVE BACK [ns]|
DISPATCH TOTAL CQ CMD OP TIME [ns]|DISPATCH GO SEND WAIT TIME [ns]"""
TAIL = """METAL TRACE ID|METAL TRACE REPLAY SESSION ID|COMPUTE KERNEL SOURCE|COMPUTE KERNEL HASH|DATA MOVEMENT KERNEL SOURCE|
DATA MOVEMENT KERNEL HASH|BRISC MAX KERNEL SIZE [B]|NCRISC MAX KERNEL SIZE [B]|TRISC 0 MAX KERNEL SIZE [B]|
TRISC 1 MAX KERNEL SIZE [B]|TRISC 2 MAX KERNEL SIZE [B]|ERISC MAX KERNEL SIZE [B]|PM IDEAL [ns]|PM COMPUTE [ns]|
PM BANDWIDTH [ns]|PM REQ I BW|PM REQ O BW|PM FPU UTIL (%)|NOC UTIL (%)|DRAM BW UTIL (%)|NPE CONG IMPACT (%)|LOC|
CONST_EVAL_OP|PROGRAM_METADATA"""
TENSOR = ["W", "Z", "Y", "X", "LAYOUT", "DATATYPE", "MEMORY"]
RISCS = ["BRISC", "NCRISC", "TRISC0", "TRISC1", "TRISC2", "ERISC"]


def names(text):
    return text.replace("\n", "").split("|")


class Judge:
    def __init__(self, path):
        self.problems = []
        with open(path, newline="", encoding="utf-8") as file:
            self.text = file.read()
        self.header, *rows = csv.reader(self.text.splitlines(keepends=True))
        self.rows = [dict(zip(self.header, row)) for row in rows]
        for number, row in enumerate(rows, 2):
            if len(row) != len(self.header):
                self.say(number, f"{len(row)} cells under {len(self.header)} columns")

    def say(self, where, what):
        self.problems.append(f"row {where}: {what}")

    def number(self, row, column):
        return float(row[column]) if row[column] != "" else None

    def check_form(self):
        inputs = sum(name.startswith("INPUT_") and name.endswith("_W") for name in self.header)
        outputs = sum(name.startswith("OUTPUT_") and name.endswith("_W") for name in self.header)
        wanted = names(HEAD)
        for kind, count in (("INPUT", inputs), ("OUTPUT", outputs)):
            wanted += [f"{kind}_{i}_{part}" for i in range(count) for part in TENSOR]
        wanted += names(TAIL)
        if self.header != wanted:
            self.say(1, f"columns are not those of tt_profile: {sorted(set(self.header) ^ set(wanted))}")
        if self.text.count("\n") != self.text.count("\r\n"):
            self.say(1, "lines do not end in CR LF")
        for number, row in enumerate(self.rows, 2):
            for name, value in row.items():
                if "," in value and name not in ("LOC", "CONST_EVAL_OP", "PROGRAM_METADATA"):
                    self.say(number, f"{name} holds a comma")

    def check_filled(self, number, row):
        for name in ("OP CODE", "OP TYPE", "GLOBAL CALL COUNT", "ATTRIBUTES", "OUTPUT_0_X", "OUTPUT_0_DATATYPE"):
            if row[name] == "":
                self.say(number, f"{name} is empty")
        if not row["LOC"].startswith("loc(") or row["LOC"] == "loc(unknown)":
            self.say(number, f"LOC is {row['LOC']!r}")
        if row["CONST_EVAL_OP"] not in ("true", "false"):
            self.say(number, f"CONST_EVAL_OP is {row['CONST_EVAL_OP']!r}")
        if self.number(row, "HOST DURATION [ns]") is None and self.number(row, "DEVICE KERNEL DURATION [ns]") is None:
            self.say(number, "no duration at all")

    def check_host(self, number, row):
        start, end = self.number(row, "HOST START TS"), self.number(row, "HOST END TS")
        if start is not None and end is not None and end - start != self.number(row, "HOST DURATION [ns]"):
            self.say(number, "HOST END TS - HOST START TS is not HOST DURATION")

    def check_device(self, number, row, mhz):
        first, last = self.number(row, "DEVICE FW START CYCLE"), self.number(row, "DEVICE FW END CYCLE")
        firmware = self.number(row, "DEVICE FW DURATION [ns]")
        kernel = self.number(row, "DEVICE KERNEL DURATION [ns]")
        if abs((last - first) * 1000 / mhz - firmware) > 0.5001:
            self.say(number, "FW END CYCLE - FW START CYCLE is not FW DURATION")
        limits = [("DEVICE KERNEL DURATION DM START [ns]", kernel), ("DEVICE KERNEL FIRST TO LAST START [ns]", kernel),
                  ("DEVICE KERNEL DURATION PER CORE MAX [ns]", kernel), ("DEVICE KERNEL DURATION [ns]", firmware)]
        limits += [(f"DEVICE {risc} KERNEL DURATION [ns]", kernel) for risc in RISCS]
        for name, most in limits:
            value = self.number(row, name)
            if value is not None and not 0 <= value <= most:
                self.say(number, f"{name} is {value}, and at most {most} is possible")
        least, mean, most = (self.number(row, f"DEVICE KERNEL DURATION PER CORE {of} [ns]") for of in ("MIN", "AVG", "MAX"))
        last_start = self.number(row, "DEVICE KERNEL FIRST TO LAST START [ns]")
        if last_start is not None and last_start > kernel - least + 1:  # a core that starts last has to end in time
            self.say(number, f"the last core starts after {last_start} of {kernel}, and none works less than {least}")
        if not least <= mean <= most:
            self.say(number, f"per core: {least} {mean} {most}")
        for name in ("DRAM BW UTIL (%)", "NPE CONG IMPACT (%)"):
            if row[name] != "" and not 0 <= float(row[name]) <= 100:
                self.say(number, f"{name} is {row[name]}")
        if not 1 <= int(row["CORE COUNT"]) <= 1024:
            self.say(number, f"CORE COUNT is {row['CORE COUNT']}")
        if least == most and mean != most:
            self.say(number, "all cores alike, and the mean is another")

    def check_model(self, number, row):
        ideal, compute, bandwidth = (self.number(row, f"PM {of} [ns]") for of in ("IDEAL", "COMPUTE", "BANDWIDTH"))
        if ideal is None:
            return
        if ideal != max(compute, bandwidth):
            self.say(number, "PM IDEAL is not the larger of PM COMPUTE and PM BANDWIDTH")
        share = round(100 * compute / self.number(row, "DEVICE KERNEL DURATION [ns]"), 3)
        if abs(share - self.number(row, "PM FPU UTIL (%)")) > 0.0011:
            self.say(number, f"PM FPU UTIL is {row['PM FPU UTIL (%)']}, not {share}")
        if "Matmul" in row["OP CODE"] and ideal > self.number(row, "DEVICE KERNEL DURATION [ns]"):
            self.say(number, "faster than the performance model says is possible")

    def check_gaps(self, mhz):
        """Of operators of one device in order: kernels of the next start after the latency. Needs cycles."""
        devices = {}
        for number, row in enumerate(self.rows, 2):
            if row["DEVICE FW START CYCLE"] == "":
                continue
            key = (row["DEVICE ID"], row["PROGRAM_METADATA"])
            gap = self.number(row, "OP TO OP LATENCY [ns]")
            start, end = int(row["DEVICE FW START CYCLE"]), int(row["DEVICE FW END CYCLE"])
            if key in devices and start >= devices[key][1]:
                before = devices[key]
                most = (end - before[0]) * 1000 / mhz
                if not 0 <= gap <= most:
                    self.say(number, f"OP TO OP LATENCY is {gap}, and at most {most} is possible")
            devices[key] = (start, end)

    def run(self, facts):
        mhz = float(facts.get("mhz", 1000))
        self.check_form()
        timed = 0
        if self.problems:
            return
        for number, row in enumerate(self.rows, 2):
            self.check_filled(number, row)
            self.check_host(number, row)
            if row["DEVICE FW START CYCLE"] != "":
                timed += 1
                self.check_device(number, row, mhz)
                self.check_model(number, row)
        self.check_gaps(mhz)
        calls = [row["GLOBAL CALL COUNT"] for row in self.rows]
        if len(set(calls)) != len(calls):
            self.say(1, "two rows have the same GLOBAL CALL COUNT")
        for key, count in (("rows", len(self.rows)), ("timed", timed)):
            if key in facts and count != int(facts[key]):
                self.say(1, f"{count} {key}, not {facts[key]}")


def main():
    judge = Judge(sys.argv[1])
    judge.run(dict(word.partition("=")[::2] for word in sys.argv[2:]))
    print("\n".join(judge.problems[:20]))
    return 1 if judge.problems else 0


if __name__ == "__main__":
    sys.exit(main())
