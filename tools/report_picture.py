#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Makes docs/report.png and docs/ranks.png: pages of traces that are composed here, in a headless
Chromium.

    tools/report_picture.py build/bin/tacho [FOLDER]"""
import os
import subprocess
import sys
import tempfile

ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..")
sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(ROOT, "tests", "report"))
import browser
import composed

SIZE = (1280, 1020)
LAYERS = ["BertEmbeddings_0"] + [f"BertLayer_{i}" for i in range(3)] + ["BertPooler_0"]
KERNELS = {"gemm_f16_128x64_tn": 17, "flash_attention_fwd": 11, "layer_norm_f16": 5,
           "gelu_f16": 4, "Memset (Device)": 1}


def picture_page(tacho, folder, out):
    trace, page = os.path.join(folder, "bert.json"), os.path.join(folder, "page.html")
    composed.write(trace, layers=LAYERS, kernels=list(KERNELS), calls=4,
                   lengths=list(KERNELS.values()))
    subprocess.run([tacho, "report", trace, "-o", page, "-q"], check=True)
    with browser.Browser(browser.find(), SIZE) as chromium:
        chromium.open(page)
        chromium.evaluate("tachoReport.timeline.setView(1.2e6, 1.7e6), 0")
        chromium.frame()
        chromium.screenshot(out)


def picture_ranks(tacho, folder, out):
    page = os.path.join(folder, "ranks.html")
    subprocess.run([sys.executable, os.path.join(ROOT, "tests", "fleet", "gen_fleet.py"), "ranks",
                    "--hosts", "4", "--devices", "4", "--steps", "6"], check=True, cwd=folder,
                   stdout=subprocess.DEVNULL)
    subprocess.run([tacho, "fleet", "report", "ranks", "-o", page, "-q"], check=True, cwd=folder)
    with browser.Browser(browser.find(), (1280, 700)) as chromium:
        chromium.open(page)
        chromium.screenshot(out)


def main():
    tacho = os.path.abspath(sys.argv[1])
    to = os.path.abspath(sys.argv[2]) if len(sys.argv) > 2 else os.path.join(ROOT, "docs")
    with tempfile.TemporaryDirectory(prefix="tacho-picture.") as folder:
        picture_page(tacho, folder, os.path.join(to, "report.png"))
        picture_ranks(tacho, folder, os.path.join(to, "ranks.png"))


main()
