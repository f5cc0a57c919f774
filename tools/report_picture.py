#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Makes docs/report.png: the page of a trace that is composed here, in a headless Chromium.

    tools/report_picture.py build/bin/tacho [OUT.png]"""
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


def main():
    tacho = os.path.abspath(sys.argv[1])
    out = os.path.abspath(sys.argv[2] if len(sys.argv) > 2 else
                          os.path.join(ROOT, "docs", "report.png"))
    with tempfile.TemporaryDirectory(prefix="tacho-picture.") as folder:
        trace, page = os.path.join(folder, "bert.json"), os.path.join(folder, "page.html")
        composed.write(trace, layers=LAYERS, kernels=list(KERNELS), calls=4,
                       lengths=list(KERNELS.values()))
        subprocess.run([tacho, "report", trace, "-o", page, "-q"], check=True)
        with browser.Browser(browser.find(), SIZE) as chromium:
            chromium.open(page)
            chromium.evaluate("tachoReport.timeline.setView(1.2e6, 1.7e6), 0")
            chromium.frame()
            chromium.screenshot(out)


main()
