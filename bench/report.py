#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Measures a report page: its size, and how long a headless Chromium takes to open it.

Usage: bench/report.py BUILD_DIR [ROWS [FORMAT]]      (1000000 rows of t4 unless said otherwise)
Opening ends when tables and timeline have been drawn and two frames have passed. Bars: a million
spans in less than 15 MB, opened in less than 3 s."""
import os
import subprocess
import sys
import tempfile
import time

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "tests", "report"))
import browser  # noqa: E402 (found by the path above)

REPEATS = 3


def measure(page, path):
    seconds = min(page.open(path) for _ in range(REPEATS))
    timings = page.evaluate("""(() => { const t = tachoReport.timeline;
        const time = work => { const from = performance.now(); work(); return performance.now() - from };
        let frame = 0;
        for (let i = 0; i < 20; i++) { t.zoom(0.6); frame += time(() => t.drawNow()) / 20; }
        return {frame, trace: time(() => tachoReport.makeTrace())} })()""")
    return seconds, timings


def main():
    build = sys.argv[1]
    rows = sys.argv[2] if len(sys.argv) > 2 else "1000000"
    kind = sys.argv[3] if len(sys.argv) > 3 else "t4"
    if browser.find() is None:
        raise SystemExit("bench/report.py: no Chromium here (Debian package chromium)")
    with tempfile.TemporaryDirectory(prefix="tacho-bench.") as work:
        source, out = os.path.join(work, "in.csv"), os.path.join(work, "out.html")
        with open(source, "wb") as file:
            subprocess.run([f"{build}/bench/gen_torq", kind, rows], stdout=file, check=True)
        began = time.monotonic()
        subprocess.run([f"{build}/bin/tacho", "report", source, "-o", out, "-q"], check=True)
        written = time.monotonic() - began
        with browser.Browser(browser.find()) as page:
            seconds, timings = measure(page, out)
        print(f"{kind}, {rows} rows: written in {written:.2f} s, {os.path.getsize(out) / 1e6:.1f} MB, "
              f"opened in {seconds:.2f} s, {timings['frame']:.1f} ms a frame, "
              f"trace made in {timings['trace'] / 1e3:.2f} s (load {os.getloadavg()[0]:.1f})")


main()
