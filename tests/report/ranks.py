#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Opens pages of 'tacho fleet report' in a headless browser: the picture of ranks has the times of
the traces, which are read here by themselves; cells open their rank, by pointer and by keyboard,
in the page or in one beside it; damaged files are named.

Usage: ranks.py TACHO GEN_FLEET"""
import json
import os
import subprocess
import sys
import tempfile
from glob import glob

sys.dont_write_bytecode = True
import browser
from verify import check, finish, run

HEAT = """(key => { const {columns, values} = tachoReport.state.fleet.heats.get(key);
    return {names: columns.map(c => c.sequence ?? c.name),
            values: [...values].map(v => Number.isNaN(v) ? null : v)}; })(%r)"""


def times_of(folder):
    """Of each rank: the times of its steps by name, and of its collectives by number."""
    ranks = {}
    for path in glob(f"{folder}/run=*/host=*/rank=*/trace.json"):
        with open(path, encoding="utf-8") as file:
            rows = json.load(file)["traceEvents"]
        rank = int(path.split("rank=")[1].split("/")[0])
        length = {id(r): round(1000 * r["dur"]) for r in rows if "dur" in r}
        ranks[rank] = {
            "steps": {r["name"]: length[id(r)] for r in rows if r.get("cat") == "user_annotation"},
            "calls": {r["args"]["Seq"]: length[id(r)] for r in rows if "Seq" in r.get("args", {})}}
    return [ranks[rank] for rank in sorted(ranks)]


class Ranks:
    def __init__(self, page, tacho, generator):
        self.page, self.tacho, self.generator = page, tacho, generator

    def generate(self, folder, *words):
        subprocess.run([sys.executable, self.generator, folder, "--hosts", "3", "--devices", "4",
                        "--steps", "4", *words], check=True, stdout=subprocess.DEVNULL)

    def quiet(self, name):
        check(f"{name}: nothing on the console", self.page.messages, [])
        self.page.messages.clear()

    def text(self, selector):
        return self.page.evaluate(f"document.querySelector({json.dumps(selector)}).innerText")

    def heat(self, key):
        return self.page.evaluate(HEAT % key)

    def picture(self):
        """Times are those of the traces; who came last waited for nobody."""
        self.generate("fleet")
        run(self.tacho, "fleet", "report", "fleet", "-o", "fleet.html", "-q")
        self.page.open("fleet.html")
        ranks = times_of("fleet")
        steps, calls, waits = (self.heat(key) for key in ("step", "collective", "wait"))
        check("steps in their order", steps["names"], sorted(ranks[0]["steps"]))
        check("times of steps", steps["values"],
              [rank["steps"][name] for rank in ranks for name in steps["names"]])
        check("collectives in their order", calls["names"], sorted(ranks[0]["calls"]))
        check("times in collectives", calls["values"],
              [rank["calls"][number] for rank in ranks for number in calls["names"]])
        least = {n: min(rank["calls"][n] for rank in ranks) for n in calls["names"]}
        check("waiting", waits["values"],
              [rank["calls"][n] - least[n] for rank in ranks for n in calls["names"]])
        check("waiting is what is shown first", "waiting in collectives" in self.text("#heat-scale"))
        caused = json.load(open("fleet/.expected.json", encoding="utf-8"))["caused"]
        worst = max(caused, key=lambda rank: caused[rank][1])
        check("whom the others waited for", f"rank {worst}," in self.text("#fleet-sentence"))
        self.table(ranks, waits)
        self.quiet("picture")

    def table(self, ranks, waits):
        rows = self.page.evaluate("[...document.querySelectorAll('#rank-table tbody tr')]"
                                  ".map(tr => [...tr.cells].map(td => td.textContent))")
        check("ranks by number", [row[0] for row in rows],
              [f"n{rank // 4:02d} rank {rank}" for rank in range(len(ranks))])
        width = len(waits["names"])
        waited = [sum(waits["values"][i * width:(i + 1) * width]) for i in range(len(ranks))]
        check("waited in all", [row[3] for row in rows],
              ["0 ns" if ns == 0 else f"{ns / 1000:.3f} \u00b5s" for ns in waited])

    def opening(self):
        """A cell opens its rank, and of it the step; by keyboard as well."""
        self.page.evaluate("""(list => { list.value = 'step';
            list.dispatchEvent(new Event('change')); })(document.getElementById('heat-mode'))""")
        box = self.page.evaluate("(m => ({...m.boxOf(5, 2), w: m.cellWidth, h: m.cellHeight}))"
                                 "(tachoReport.state.heatMap)")
        self.page.click("#heat", (box["left"] + box["w"] / 2, box["top"] + box["h"] / 2))
        self.page.wait("shownEntries().length === 1 && shownEntries()[0].path.includes('rank=5/')")
        check("the cell is named", "n01 rank 5, ProfilerStep#2:" in self.text("#heat-cell"))
        check("its step is shown", self.page.evaluate(
            "document.querySelector('#step-list option:checked').textContent"
            ".startsWith('ProfilerStep#2')"))
        self.page.evaluate("document.getElementById('heat').focus()")
        for key in ("ArrowDown", "ArrowDown", "ArrowLeft"):
            self.page.key(key)
        check("arrows move", "n01 rank 7, ProfilerStep#1:" in self.text("#heat-cell"))
        self.page.key("Enter")
        self.page.wait("shownEntries().length === 1 && shownEntries()[0].path.includes('rank=7/')")
        self.page.key("/")
        check("other keys still work", self.page.evaluate("document.activeElement.id"), "search")
        self.quiet("opening")

    def beside(self):
        """Profiles in pages of their own, which cells lead to."""
        run(self.tacho, "fleet", "report", "fleet", "-o", "split.html", "--split", "-q")
        check("a page for each", len(os.listdir("split-ranks")), 12)
        self.page.open("split.html")
        check("nothing but ranks", self.page.evaluate(
            "[...document.querySelectorAll('main > *')].filter(e => e.getClientRects().length > 0)"
            ".map(e => e.id)"), ["ranks"])
        links = self.page.evaluate("(document.querySelector('#ranks details').open = true, "
                                   "[...document.querySelectorAll('#rank-table a')].map(a => a.href))")
        for row in (0, 11):
            self.page.open(links[row][len("file://"):])
            check(f"the page of rank {row}", self.page.evaluate(
                "tachoReport.state.entries[0].path.includes('rank=%d/')" % row))
        self.quiet("beside")

    def damaged(self):
        """What is wrong with files is said; the rest is shown."""
        self.generate("broken", "--damage")
        run(self.tacho, "fleet", "report", "broken", "-o", "broken.html", "-q", status=3)
        run(self.tacho, "fleet", "report", "broken", "-o", "strict.html", "-q", "--strict", status=1)
        check("nothing is written with --strict", os.path.exists("strict.html"), False)
        self.page.open("broken.html")
        check("problems are counted", "5 problems with the files" in self.text("#fleet-sentence"))
        self.page.evaluate("document.querySelector('#ranks details').open = true, 0")
        for word in ("cut off", "copy", "missing rank"):
            check(f"{word} is named", word in self.text("#rank-tables"))
        check("a cut rank has no later steps", None in self.heat("step")["values"])
        self.quiet("damaged")

    def runs(self):
        """Two runs in one picture: rows, columns and the sentence say which one."""
        self.generate("runs")
        self.generate("runs", "--run", "r2", "--seed", "7")
        run(self.tacho, "fleet", "report", "runs", "-o", "runs.html", "-q")
        self.page.open("runs.html")
        rows = self.page.evaluate("[...document.querySelectorAll('#rank-table tbody tr')]"
                                  ".map(tr => tr.cells[0].textContent)")
        check("rows say the run", rows, [f"n{rank // 4:02d} rank {rank}, run {name}"
                                         for name in ("r1", "r2") for rank in range(12)])
        names = self.page.evaluate("['step', 'wait'].map(key => tachoReport.state.fleet.heats.get(key)"
                                   ".columns.map(column => columnLabel(column, 24)))")
        for some in names:
            check("columns say the run", len(set(some)), len(some))
            check("columns are short", max(map(len, some)) <= 28)
        check("titles have the number and the group", {name.split(" of ")[-1] for name in names[1]},
              {"group 0, run r1", "group 0, run r2"})
        sentence = self.text("#fleet-sentence")
        check("the sentence says the run", sentence.count(", run r"), 2)
        self.quiet("runs")

    def looks(self):
        for width in (1280, 390):
            self.page.call("Emulation.setDeviceMetricsOverride", width=width, height=800,
                           deviceScaleFactor=1, mobile=False)
            self.page.open("fleet.html")
            check(f"nothing sticks out at {width}", self.page.evaluate(
                "document.documentElement.scrollWidth <= innerWidth"))
            check(f"the picture fits at {width}", self.page.evaluate(
                "(c => c.clientWidth <= c.parentElement.clientWidth)(document.getElementById('heat'))"))
        self.quiet("looks")


def main():
    tacho, generator = (os.path.abspath(word) for word in sys.argv[1:3])
    if browser.find() is None:
        print("skip report.ranks: no Chromium here (Debian package chromium)")
        sys.exit(77)
    with tempfile.TemporaryDirectory(prefix="tacho-ranks.") as work:
        os.chdir(work)
        with browser.Browser(browser.find()) as page:
            ranks = Ranks(page, tacho, generator)
            for part in (ranks.picture, ranks.opening, ranks.beside, ranks.damaged, ranks.runs, ranks.looks):
                part()
        os.chdir("/")
    finish()


main()
