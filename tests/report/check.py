#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Opens report pages in a headless browser and uses them as a person would.

Usage: check.py TACHO GEN_TORQ FIXTURE EXAMPLES WORK [PART...]
What the page computes is compared with what tests/judge reads from the trace of `tacho convert`:
neither shares code with the page. EXAMPLES is tools/example_profiles.py, WORK an empty folder."""
import base64
import collections
import functools
import json
import math
import os
import subprocess
import sys
import time

import browser
from verify import best_of, check, finish, run

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "..", "judge"))
import trace_judge  # noqa: E402 pylint: disable=wrong-import-position

MANY_SPANS, PAGE_BYTES_MAX, OPEN_SECONDS_MAX, FRAME_MS_MAX = 1000000, 15000000, 15, 200
COARSE_SPANS = 1300000  # more than a page holds one by one
HOSTILE = ['</script><img src=x onerror="window.__pwned=1">', "<b>bold</b>", "'\"`${window.__pwned=1}",
           "{{DATA}}<!--", "\u202eright to left", "a\x01b\x1b[31m", "__proto__", "constructor",
           "javascript:window.__pwned=1", "x" * 100000]

def judge(path):
    """What the judge reads in a trace; once, until the file changes."""
    return judge_version(os.path.abspath(path), os.stat(path).st_mtime_ns)


@functools.lru_cache(maxsize=4)
def judge_version(path, _):
    return trace_judge.Judge(trace_judge.load(path))


def judge_rows(path):
    """(start, duration, track path, name) of each slice."""
    return [(int(f[0]), int(f[1]), f[3], f[4]) for f in (line.split("\t") for line in judge(path).row_lines())]


def judge_tracks(path):
    """Rank, kind, path and slices of each track in the order shown; ids may differ."""
    return [fields[2:4] + fields[5:] for fields in (line.split("\t") for line in judge(path).track_lines())]


def judge_details(path):
    """Category and location of each slice."""
    return [(f[5], json.loads(f[6]).get("location")) for f in (line.split("\t") for line in judge(path).row_lines())]


def union_length(intervals):
    total, reach = 0, -math.inf
    for start, end in sorted(intervals):
        total += max(0, end - max(start, reach))
        reach = max(reach, end)
    return total


def expected_ops(rows):
    """What the operator table must say, by name; classes keep equal names apart by track."""
    lengths = collections.defaultdict(list)
    for _, duration, _, name in rows:
        lengths[name].append(duration)
    result = {}
    for name, values in lengths.items():
        values.sort()
        rank = lambda part, v=values: v[max(0, math.ceil(part * len(v)) - 1)]
        result[name] = [len(values), sum(values), rank(0.5), rank(0.99), values[0], values[-1]]
    return result


def ort_events():
    """A profile of ONNX Runtime: the operator is an argument, nodes may have no name."""
    nodes = [("conv_0_kernel_time", "Conv", 50), ("conv_1_kernel_time", "Conv", 70),
             ("_kernel_time", "Conv", 11), ("_kernel_time", "Add", 13),
             ("relu_0_kernel_time", "Relu", 5), ("relu_1_kernel_time", "Relu", 7),
             ("relu_1_fence_before", "Relu", 3), ("odd_kernel_time", "", 2)]
    events = [{"cat": "Session", "pid": 1, "tid": 1, "ts": 0, "dur": 1000, "ph": "X",
               "name": "model_run", "args": {}}]
    for i, (name, op, length) in enumerate(nodes):
        events.append({"cat": "Node", "pid": 1, "tid": 1, "ts": 100 * (i + 1), "dur": length,
                       "ph": "X", "name": name, "args": {"nested": {"op_name": "No"}, "op_name": op}})
    return events


def mixed_events():
    """Work inside annotations on one thread, and moments."""
    span = lambda name, cat, ts, dur: {"ph": "X", "pid": 1, "tid": 1, "name": name, "cat": cat,
                                       "ts": ts, "dur": dur}
    return [span("step", "user_annotation", 0, 100), span("work", "cpu_op", 10, 20),
            span("work", "cpu_op", 40, 50), span("inner", "cpu_op", 45, 5), span("", "only", 120, 8),
            {"ph": "i", "pid": 1, "tid": 1, "name": "moment", "ts": 60, "s": "t"}]


class Checks:
    def __init__(self, page, tacho, gen_torq, fixture, examples):
        self.page, self.tacho, self.gen_torq = page, tacho, gen_torq
        self.fixture, self.examples = fixture, examples

    def report(self, *words, out="report.html", status=0):
        run(self.tacho, "report", *words, "-o", out, "-q", status=status)
        return out

    def ops(self):
        """Names of the table's rows, as shown."""
        return self.page.evaluate(
            "[...document.querySelectorAll('#operator-table tbody tr td:first-child')]"
            ".map(cell => cell.textContent)")

    def group(self):
        """What the page knows of the first part and origin."""
        return self.page.evaluate("(({entry, ...facts}) => facts)(tachoReport.state.entries[0].groups[0])")

    def view(self):
        view = self.page.evaluate("tachoReport.timeline.view")
        return view["from"], view["to"]

    def save_trace(self, path):
        text = self.page.evaluate("""(() => { const bytes = tachoReport.makeTrace(); let text = '';
            for (let i = 0; i < bytes.length; i += 8192)
                text += String.fromCharCode(...bytes.subarray(i, i + 8192));
            return btoa(text) })()""")
        with open(path, "wb") as file:
            file.write(base64.b64decode(text))

    def quiet(self, name):
        check(f"{name}: nothing on the console", self.page.messages, [])
        self.page.messages.clear()

    def as_ops(self, *words):
        """The operator table against `tacho ops`: every number, apart by part and origin."""
        lines = run(self.tacho, "ops", *words, "--top", "0", "--format", "json", "-q").splitlines()
        expected = [row for row in map(json.loads, lines) if row.get("table", "ops") == "ops"]
        for row in expected:
            row.pop("table", None)
            row.pop("schema_version")
        actual = self.page.evaluate("""tachoReport.state.ops.map(op => ({
            file: op.profile.parts[op.part].name, operation: op.profile.texts.get(op.text),
            class: op.class, origin: op.origin, count: op.count, total_ns: op.total,
            self_ns: op.self, share_percent: op.share * 100, mean_ns: op.mean, p50_ns: op.p50,
            p99_ns: op.p99, min_ns: op.min, max_ns: op.max, bytes: op.hasBytes ? op.bytes : null,
            location: op.location < 0 ? null : op.profile.texts.get(op.location)}))""")
        for row in actual:
            row["share_percent"] = float(f"{row['share_percent']:.2f}")
        order = lambda row: json.dumps([row[k] for k in ("file", "origin", "class", "operation")])
        check(f"the table of {words} is that of tacho ops", sorted(actual, key=order),
              sorted(expected, key=order))
        return expected

    # ---- one profile -------------------------------------------------------------------------

    def one_profile(self):
        run(sys.executable, self.examples, ".")
        self.page.open(self.report("compile.csv", out="one.html"))
        self.quiet("one")
        check("title", self.page.evaluate("document.title"), "compile.csv \u2013 tacho report")
        run(self.tacho, "convert", "compile.csv", "-o", "one.pb", "-q")
        rows = judge_rows("one.pb")
        self.numbers(rows)
        self.trace("one", "one.pb")
        self.sorting()
        self.searching(rows)
        self.filtering(rows)
        self.zooming()
        self.selecting()
        self.looking_at_a_part(rows)
        self.downloading()
        self.opening_perfetto()
        self.tabbing()
        self.printing()
        self.quiet("one, used")

    def numbers(self, rows):
        ops = self.page.evaluate("""tachoReport.state.ops.map(op =>
            [op.profile.texts.get(op.text), op.count, op.total, op.p50, op.p99, op.min, op.max])""")
        check("operators", {op[0]: op[1:] for op in ops}, expected_ops(rows))
        check("shares", round(self.page.evaluate(
            "tachoReport.state.ops.reduce((sum, op) => sum + op.share, 0)"), 9), 1)
        summary = self.group()
        check("busy", summary["busyNs"], union_length((s, s + d) for s, d, _, _ in rows))
        check("span", summary["spanNs"], max(s + d for s, d, _, _ in rows))
        for name, word in (("dma_in", "DMA In"), ("compute", "Slice")):
            busy = next(c["busyNs"] for c in summary["classes"] if c["name"] == name)
            check(f"busy {name}", busy,
                  union_length((s, s + d) for s, d, track, _ in rows if word in track))
        engines = sorted(e["busyNs"] for e in summary["engines"])
        tracks = collections.defaultdict(list)
        for start, duration, track, _ in rows:
            tracks[track].append((start, start + duration))
        check("busy by track", engines, sorted(map(union_length, tracks.values())))
        check("metrics", self.page.evaluate("document.querySelector('#metrics tr').innerText"),
              "Time span\t478.835 \u00b5s\tfirst to last event")

    def trace(self, name, expected_path):
        path = f"{name}.page.pb"
        self.save_trace(path)
        check(f"{name}: trace is sound", judge(path).first, {})
        check(f"{name}: trace has the same slices", judge_rows(path), judge_rows(expected_path))
        check(f"{name}: trace has the same tracks", judge_tracks(path), judge_tracks(expected_path))
        check(f"{name}: trace has the same details", judge_details(path),
              judge_details(expected_path))
        with open(path, "rb") as file:
            head = file.read(128)
        check(f"{name}: trace starts with our own words", b"tacho.about" in head)

    # ---- tables ------------------------------------------------------------------------------

    def sorting(self):
        def column(key):
            return self.page.evaluate(f"tachoReport.state.visibleOps.map(op => op.{key})")
        check("sorted by self at first", column("self"), sorted(column("self"), reverse=True))
        for key in ("count", "mean", "p99", "max", "share"):
            self.page.click(f"#operator-table button[data-key={key}]")
            check(f"sorted by {key}", column(key), sorted(column(key), reverse=True))
            check(f"arrow at {key}", self.page.evaluate(
                f"document.querySelector('button[data-key={key}]').parentElement"
                ".getAttribute('aria-sort')"), "descending")
        self.page.click("#operator-table button[data-key=share]")
        check("sorted upwards", column("share"), sorted(column("share")))
        self.page.click("#operator-table button[data-key=name]")
        check("sorted by name", self.ops(), sorted(self.ops()))
        self.page.evaluate("document.activeElement.blur()")

    def searching(self, rows):
        before = self.ops()
        self.page.key("/", "Slash")
        check("slash goes to the search", self.page.evaluate("document.activeElement.id"), "search")
        self.page.type("dma o")
        self.page.wait("tachoReport.state.query === 'dma o'")
        check("search finds", self.ops(), ["DMA Out"])
        matched = self.page.evaluate("tachoReport.timeline.items.filter(i => i.kind === 'row')"
                                     ".map(i => i.row.matches[i.row.site.length])")
        check("search highlights", sum(matched), sum(r[3] == "DMA Out" for r in rows))
        self.page.key("Escape")
        self.page.wait("tachoReport.state.query === ''")
        check("escape ends the search", self.ops(), before)
        self.page.evaluate("document.activeElement.blur()")

    def filtering(self, rows):
        before = len(self.ops())
        self.page.click("#classes input[value=compute]")
        names = {r[3] for r in rows if "Slice" not in r[2]}
        check("filter by class", set(self.ops()), names)
        check("filter hides tracks", self.page.evaluate(
            "tachoReport.timeline.items.filter(i => i.kind === 'row').length"), 2)
        self.page.click("#classes input[value=compute]")
        check("filter undone", len(self.ops()), before)

    # ---- timeline ----------------------------------------------------------------------------

    def zooming(self):
        self.page.evaluate("canvas.focus()")
        whole = self.view()
        for key, code in (("w", "KeyW"), ("ArrowUp", None), ("+", "Equal")):
            before = self.view()
            self.page.key(key, code)
            after = self.view()
            check(f"{key} zooms in", after[1] - after[0] < before[1] - before[0])
        for key, sign in (("d", 1), ("ArrowRight", 1), ("a", -1), ("ArrowLeft", -1)):
            before = self.view()
            self.page.key(key)
            after = self.view()
            check(f"{key} moves", (after[0] - before[0]) * sign > 0)
            check(f"{key} keeps the width", math.isclose(after[1] - after[0], before[1] - before[0]))
        before = self.view()
        self.page.key("s")
        check("s zooms out", self.view()[1] - self.view()[0] > before[1] - before[0])
        self.page.key("0")
        check("0 shows all", self.view(), whole)
        self.wheeling(whole)
        self.dragging(whole)

    def wheeling(self, whole):
        box = self.page.box("#canvas")
        at = (box["x"] + 700, box["y"] + 60)
        under = self.page.evaluate("tachoReport.timeline.timeAt(700)")
        self.page.mouse("mouseWheel", *at, deltaX=0, deltaY=-200)
        self.page.frame()
        check("wheel zooms in", self.view()[1] - self.view()[0] < whole[1] - whole[0])
        check("wheel zooms at the pointer",
              math.isclose(self.page.evaluate("tachoReport.timeline.timeAt(700)"), under))
        self.page.key("0")
        self.page.evaluate("canvas.blur()")
        self.page.mouse("mouseWheel", *at, deltaX=0, deltaY=-200)
        self.page.frame()
        check("wheel without focus scrolls the page", self.view(), whole)
        box = self.page.box("#canvas")
        self.page.mouse("mouseWheel", box["x"] + 700, box["y"] + 60, deltaX=0, deltaY=-200,
                        modifiers=2)
        self.page.frame()
        check("ctrl and wheel zooms", self.view()[1] - self.view()[0] < whole[1] - whole[0])

    def dragging(self, whole):
        box = self.page.box("#canvas")
        x, y = box["x"] + 700, box["y"] + 60
        before = self.view()
        self.page.mouse("mousePressed", x, y, button="left", clickCount=1)
        self.page.mouse("mouseMoved", x - 100, y, button="left", buttons=1)
        self.page.mouse("mouseReleased", x - 100, y, button="left", clickCount=1)
        check("dragging moves", self.view()[0] > before[0])
        self.page.evaluate("tachoReport.timeline.fit()")
        check("fit", self.view(), whole)

    def selecting(self):
        self.page.evaluate("canvas.focus()")
        self.page.key("ArrowRight", modifiers=8)
        self.page.key("ArrowRight", modifiers=8)
        details = self.page.evaluate("document.getElementById('details').innerText")
        check("keys select a span", "DMA In" in details and "Cycles" in details)
        selected = self.page.evaluate("""(() => { const s = tachoReport.timeline.selected;
            return [s.at, s.row.start[s.at], s.row.end[s.at]] })()""")
        check("the second span", selected[0], 1)
        self.page.key("Enter")
        view = self.view()
        check("enter zooms to it", view[0] < selected[1] < selected[2] < view[1] and
              view[1] - view[0] < 10 * (selected[2] - selected[1]))
        self.page.key("Escape")
        check("escape drops it", self.page.evaluate("document.getElementById('details').innerText"), "")
        self.page.key("0")
        place = self.page.evaluate("""(() => { const t = tachoReport.timeline;
            const i = t.items.find(i => i.kind === 'row');
            const middle = (i.row.start[3] + i.row.end[3]) / 2;
            return [t.gutter + middle / t.full.to * t.plotWidth, i.y + 10] })()""")
        self.page.click("#canvas", place)
        check("a click selects", self.page.evaluate("tachoReport.timeline.selected.at"), 3)
        self.page.key("Escape")

    def looking_at_a_part(self, rows):
        half = self.view()[1] / 2
        self.page.evaluate(f"tachoReport.timeline.setView(0, {half})")
        self.page.click("#in-view")
        count = self.page.evaluate("tachoReport.state.ops.reduce((sum, op) => sum + op.count, 0)")
        check("only what the timeline shows", count, sum(start < half for start, _, _, _ in rows))
        self.page.click("#in-view")
        self.page.evaluate("tachoReport.timeline.fit()")

    # ---- the rest ----------------------------------------------------------------------------

    def downloading(self):
        os.makedirs("downloads", exist_ok=True)
        self.page.call("Browser.setDownloadBehavior", behavior="allow",
                       downloadPath=os.path.abspath("downloads"))
        self.page.click("#download")
        path, until = os.path.join("downloads", "compile.pb"), time.monotonic() + 120
        while not os.path.exists(path) and time.monotonic() < until:
            time.sleep(0.05)
        check("download arrives", os.path.exists(path))
        with open(path, "rb") as got, open("one.page.pb", "rb") as wanted:
            check("download is the trace", got.read() == wanted.read())

    def opening_perfetto(self):
        self.page.evaluate("""(() => { const port = new MessageChannel().port1;
            window.posted = [];
            port.postMessage = (...words) => window.posted.push(words);
            window.openReal = window.open;
            window.open = url => { window.opened = url; window.viewer = port; return port; } })()""")
        self.page.click("#perfetto")
        self.page.wait("posted.length > 0")
        check("opens the viewer", self.page.evaluate("opened"), "https://ui.perfetto.dev")
        check("asks first", self.page.evaluate("posted[0]"), ["PING", "*"])
        for origin in ("https://example.com", "https://ui.perfetto.dev"):
            self.page.evaluate("posted.length = 0")
            self.page.evaluate(f"""dispatchEvent(new MessageEvent('message',
                {{data: 'PONG', origin: '{origin}', source: viewer}})) && 0""")
            self.page.frame()
            sent = self.page.evaluate("""posted.filter(([what]) => what.perfetto).map(
                ([{perfetto: p}, to, [moved]]) => [p.title, p.fileName, to, moved === p.buffer,
                                                   p.buffer.byteLength > 1000])""")
            check(f"answer from {origin}", sent, [] if "example" in origin else
                  [["compile.csv", "compile.pb", "https://ui.perfetto.dev", True, True]])
        self.page.evaluate("window.open = window.openReal, 0")

    def tabbing(self):
        self.page.evaluate("document.querySelector('.skip').focus()")
        seen = []
        for _ in range(60):
            self.page.key("Tab")
            seen.append(self.page.evaluate("""(() => { const e = document.activeElement;
                return [e.id || e.dataset.key || e.value || e.textContent,
                        e.matches(':focus-visible')] })()"""))
        order = [name for name, _ in seen]
        wanted = ["perfetto", "download", "search", "in-view", "name", "canvas"]
        check("tab order", [n for n in order if n in wanted][:len(wanted)], wanted)
        check("focus can be seen", all(is_visible for _, is_visible in seen[:12]))

    def printing(self):
        pdf = base64.b64decode(self.page.call("Page.printToPDF", printBackground=True)["data"])
        check("prints", pdf[:5] == b"%PDF-" and len(pdf) > 20000)
        self.page.call("Emulation.setEmulatedMedia", media="print")
        shown = self.page.evaluate("""['.actions', '.toolbar', '#answer', '#operator-table', '#canvas']
            .map(s => document.querySelector(s).getClientRects().length > 0)""")
        check("print shows the verdict, tables, timeline", shown, [False, False, True, True, True])
        dark = [{"name": "prefers-color-scheme", "value": "dark"}]
        back = []
        for media in ("print", "screen"):
            self.page.call("Emulation.setEmulatedMedia", media=media, features=dark)
            self.page.frame()
            back.append(self.page.evaluate("getComputedStyle(document.body).backgroundColor"))
        check("dark screen, light paper", back, ["rgb(255, 255, 255)", "rgb(18, 22, 29)"])
        drawn = [self.page.evaluate(f"(dispatchEvent(new Event('{event}')), "
                                    "tachoReport.timeline.isDark)")
                 for event in ("beforeprint", "afterprint")]
        check("the timeline is drawn for paper", drawn, [False, True])
        self.page.call("Emulation.setEmulatedMedia", media="", features=[])

    # ---- phases and origins ------------------------------------------------------------------

    def operators(self):
        """The table is that of `tacho ops`, whatever the input; phases come when asked for."""
        data = os.path.join(HERE, "..", "data")
        run(self.tacho, "annotate", f"{data}/annotate/two.mlir", f"{data}/annotate/r2i.csv",
            "-o", "two.pb", "-q", status=3)
        run(self.tacho, "annotate", f"{data}/annotate/clean.9.executable-targets.mlir",
            f"{data}/annotate/clean_r2i.csv", "-o", "clean.pb", "-q")
        run(self.tacho, "convert", "compile.csv", "runtime.csv", "-o", "both.pb", "-q")
        with open("ort.json", "w", encoding="ascii") as file:
            json.dump(ort_events(), file)
        with open("mixed.json", "w", encoding="ascii") as file:
            json.dump(mixed_events(), file)
        for path in (f"{data}/torq/r2i.csv", f"{data}/torq/r1.csv", f"{data}/chrome/kineto.json",
                     f"{data}/chrome/phases.json", f"{data}/chrome/ort.json", "compile.csv",
                     "ort.json", "mixed.json", "both.pb", "two.pb", "clean.pb"):
            self.page.open(self.report(path, out="ops.html"))
            check(f"{path} has operators", len(self.as_ops(path)) > 0)
            self.quiet(path)
        self.phases()
        self.searching_types()
        self.parts()

    def parts(self):
        """One file with an estimated and a measured part: each has its cards, heads and map line."""
        self.page.open(self.report("both.pb", out="ops.html"))
        titles = ["compile.csv", "runtime.csv"]  # of one file, whose name goes without saying
        check("metrics by part", self.page.evaluate(
            "[...document.querySelectorAll('.profile h3 span:first-child')].map(e => e.textContent)"),
              titles)
        check("heads by part", self.page.evaluate(
            "tachoReport.timeline.items.filter(i => i.kind === 'head').map(i => i.label)"),
              [f"{titles[0]}  \u00b7  estimated", f"{titles[1]}  \u00b7  measured"])
        check("map by part", self.page.evaluate("tachoReport.timeline.map.length"), 2)
        rows = [judge_rows(path) for path in self.converted("compile.csv", "runtime.csv")]
        check("busy by part", self.page.evaluate(
            "tachoReport.state.entries[0].groups.map(g => [g.origin, g.busyNs, g.spanCount])"),
              [[origin, union_length((s, s + d) for s, d, _, _ in part), len(part)]
               for origin, part in zip(("estimated", "measured"), rows)])
        box = self.page.box("#canvas")
        self.page.mouse("mouseMoved", box["x"] + 30, box["y"] + 36)
        self.page.frame()
        check("a track's name in full", self.page.evaluate("document.getElementById('tip').innerText"),
              "DMA In\ndma_in, 54 spans")
        self.quiet("parts")

    def converted(self, *paths):
        for path in paths:
            run(self.tacho, "convert", path, "-o", f"{path}.pb", "-q")
        return [f"{path}.pb" for path in paths]

    def phases(self):
        """clean.pb is open: a measured job with estimates fitted into it, and an overview."""
        check("all is measured", {op for op in self.page.evaluate(
            "tachoReport.state.ops.map(op => op.origin)")}, {"measured"})
        drawn = "tachoReport.timeline.items.filter(i => i.track && i.track.class === 'phase').length"
        rows = self.page.evaluate(drawn)
        check("phases are drawn", rows > 15)
        summary = self.group()
        # Worked out in tests/data/annotate: one call of the runtime, 240 us, around it all.
        check("phases are not busy", [summary["busyNs"], summary["spanNs"]], [240000, 240000])
        check("estimates have no metrics", self.page.evaluate(
            "document.querySelectorAll('.profile').length"), 1)
        check("no phase in the bars", "OVERVIEW" in self.page.evaluate(
            "document.getElementById('bar-list').textContent"), False)
        self.page.click("#with-phases")
        counted = self.page.evaluate("tachoReport.state.ops.filter(op => op.class === 'phase').length")
        everything = self.page.evaluate("tachoReport.state.ops.length")
        self.page.click("#with-phases")
        plain = self.page.evaluate("tachoReport.state.ops.length")
        check("phases are counted when asked for", [counted > 15, everything - plain], [True, counted])
        names = self.page.evaluate("[...document.querySelectorAll('#classes input')].map(i => i.value)")
        for name in names:
            if name != "phase":
                self.page.click(f"#classes input[value={name}]")
        check("phases alone are counted", len(self.as_ops("clean.pb", "--class", "phase")), counted)
        check("with origins apart", self.page.evaluate(
            "document.querySelector('#operator-table button[data-key=origin]') !== null"))
        check("and origins share apart", self.page.evaluate("""['estimated', 'measured'].map(origin =>
            Math.round(100 * tachoReport.state.ops.filter(op => op.origin === origin)
                .reduce((sum, op) => sum + op.share, 0)))"""), [100, 100])
        for name in names:
            if name != "phase":
                self.page.click(f"#classes input[value={name}]")
        check("phases are still drawn", self.page.evaluate(drawn), rows)
        self.quiet("phases")

    def searching_types(self):
        self.page.open(self.report("ort.json", out="ops.html"))
        for query, names, spans in (("conv", ["Conv"], 3), ("relu_1_k", ["Relu"], 1)):
            self.page.evaluate(f"""(f => {{ f.value = '{query}'; f.dispatchEvent(new Event('input')) }})(
                document.getElementById('search'))""")
            self.page.wait(f"tachoReport.state.query === '{query}'")
            check(f"search for {query}", self.ops(), names)
            check(f"spans of {query}", sum(self.page.evaluate(
                "tachoReport.timeline.items.filter(i => i.kind === 'row')"
                ".map(i => i.row.matches[i.row.site.length])")), spans)
        self.quiet("types")

    def nothing(self):
        """A profile without spans says so, and nothing breaks."""
        with open("nothing.json", "w", encoding="ascii") as file:
            json.dump([{"ph": "C", "pid": 1, "ts": 5, "name": "load", "args": {"v": 3}}], file)
        self.page.open(self.report("nothing.json", out="nothing.html"))
        check("no operators", self.ops(), ["The profile has no spans."])
        self.page.evaluate("canvas.focus()")
        for key in ("w", "ArrowRight", "0", "Enter"):
            self.page.key(key)
        self.quiet("nothing")

    # ---- several profiles --------------------------------------------------------------------

    def several_profiles(self):
        os.makedirs("set", exist_ok=True)
        run(sys.executable, self.examples, "set")
        for i, rows in enumerate((300, 200, 100)):
            with open(f"set/more{i}.csv", "w", encoding="ascii") as file:
                file.write(run(self.gen_torq, "t4", str(rows), "--seed", str(i + 1)))
        with open("set/notes.txt", "w", encoding="ascii") as file:
            file.write("not a profile <img src=x onerror='window.__pwned=1'>\n")
        self.page.open(self.report("set", out="set.html", status=3))
        self.quiet("several")
        table = "[...document.querySelectorAll('#profile-table tbody tr')].map(r => r.cells[1].textContent)"
        names = ["compile.csv", "more0.csv", "more1.csv", "more2.csv", "runtime.csv"]
        check("profiles by name", self.page.evaluate(table), names)
        check("first is shown", self.page.evaluate(
            "tachoReport.state.entries.map(e => e.isShown)"), [True] + 4 * [False])
        check("skipped file is named", "set/notes.txt" in self.page.evaluate(
            "document.getElementById('loss-table').textContent"))
        self.page.click("#profile-table button[data-key=spans]")
        check("profiles by spans", self.page.evaluate(table),
              ["more0.csv", "more1.csv", "compile.csv", "more2.csv", "runtime.csv"])
        self.page.evaluate("""(f => { f.value = 'measured'; f.dispatchEvent(new Event('input')) })(
            document.getElementById('profile-filter'))""")
        check("profiles filtered", self.page.evaluate(table), ["runtime.csv"])
        self.page.click("#profile-table tbody input[type=checkbox]")
        self.page.wait("document.querySelectorAll('.profile').length === 2")
        run(self.tacho, "convert", "set/compile.csv", "set/runtime.csv", "-o", "set.pb", "-q")
        self.trace("two profiles", "set.pb")
        self.page.click("#profile-table tbody .name button")
        self.page.wait("document.querySelectorAll('.profile').length === 1")
        check("only one", self.page.evaluate("tachoReport.state.entries.filter(e => e.isShown)"
                                             ".map(e => e.name)"), ["runtime.csv"])
        self.quiet("several, used")

    # ---- hostile input -----------------------------------------------------------------------

    def hostile(self):
        name = "<img src=x onerror=window.__pwned=1>"
        with open(name + ".csv", "w", encoding="utf-8") as file:
            for i, text in enumerate(HOSTILE):
                file.write(f'S{i}_0,{i * 80},{i * 80 + 60},loc("{text[:60]}":1:1),{text}\n')
        self.page.open(self.report(name + ".csv", "--title", HOSTILE[0], out="hostile.html"))
        self.page.evaluate("canvas.focus()")
        for _ in range(3):
            self.page.key("ArrowRight", modifiers=8)
        time.sleep(0.2)
        check("nothing ran", self.page.evaluate("typeof window.__pwned"), "undefined")
        check("nothing became markup",
              self.page.evaluate("document.querySelectorAll('img, b').length"), 0)
        check("title is text", self.page.evaluate("document.getElementById('title').textContent"),
              HOSTILE[0])
        shown = self.ops()
        check("all names are there", len(shown), len(HOSTILE))
        for text in HOSTILE[:4] + ["\\u202eright to left", "a\\x01b\\x1b[31m", "constructor"]:
            check(f"shown as text: {text}", text in shown)
        check("a long name is cut", "x" * 300 + "\u2026 (100,000 characters)" in shown)
        check("the page stays in its width", self.page.evaluate(
            "document.documentElement.scrollWidth <= innerWidth"))
        run(self.tacho, "convert", name + ".csv", "-o", "hostile.pb", "-q")
        self.trace("hostile", "hostile.pb")
        self.quiet("hostile")

    def processes(self):
        """A capture of processes alone: they are listed as by 'tacho info'."""
        run(self.tacho, "profile", "-q", "-o", "procs.tacho", "--", "sh", "-c", "sleep 0.2 & wait")
        listed = [json.loads(line) for line in run(
            self.tacho, "info", "procs.tacho", "--json").splitlines() if '"processes"' in line]
        self.page.open(self.report("procs.tacho", out="procs.html"))
        rows = self.page.evaluate("[...document.querySelectorAll('#process-table tbody tr')]"
                                  ".map(tr => [...tr.cells].map(td => td.textContent))")
        check("processes are listed", [row[1] for row in rows], [str(row["pid"]) for row in listed])
        check("with their names", rows[0][0], listed[0]["process"])
        check("and how they ended", rows[0][-1], "0")
        check("times are times", rows[0][3].endswith("s"))
        self.quiet("processes")
        data = os.path.join(HERE, "..", "data")
        self.page.open(self.report(f"{data}/torq/r1.csv", out="none.html"))
        check("no processes, no table", self.page.evaluate("document.getElementById('processes').hidden"))

    def agreement(self):
        """An estimate and a measurement: the page says what 'tacho ops' says of the two."""
        with open("estimate.csv", "w", encoding="ascii") as file:
            file.write('S1,800,8800,loc("m":2:1),conv\nS2,8800,9600,loc("m":3:1),relu\n')
        events = [{"ph": "X", "pid": 1, "tid": 1, "name": name, "ts": ts, "dur": dur}
                  for name, ts, dur in (("conv", 2, 20), ("relu", 22, 5))]
        with open("measured.json", "w", encoding="ascii") as file:
            json.dump(events, file)
        said = [json.loads(line) for line in run(
            self.tacho, "ops", "measured.json", "estimate.csv", "--json").splitlines()]
        self.page.open(self.report("measured.json", "estimate.csv", out="agreement.html"))
        cells = self.page.evaluate(
            "[...document.querySelectorAll('#agreement table')].map(table => "
            "[...table.querySelectorAll('tbody tr')].map(tr => "
            "[...tr.cells].map(td => td.textContent)))")
        check("agreement: three tables", len(cells), 3)
        check("agreement: the fit", cells[0], [
            [row["property"], row["value"]] for row in said if row["table"] == "fit"])
        for number, name, key in ((1, "types", "type"), (2, "agreement", "operation")):
            rows = [row for row in said if row["table"] == name]
            check(f"agreement: {name}", [row[0] for row in cells[number]],
                  [row[key] for row in rows])
            check(f"agreement: ratios of {name}", [row[-3] for row in cells[number]],
                  [f"{row['ratio']:.3f}" for row in rows])
        self.page.click("#agreement button[data-key=B]")
        self.quiet("agreement")
        data = os.path.join(HERE, "..", "data")
        self.page.open(self.report(f"{data}/torq/r1.csv", out="none.html"))
        check("one profile agrees with nothing", self.page.evaluate(
            "document.getElementById('agreement').hidden"))

    def lost(self):
        data = os.path.join(HERE, "..", "data")
        self.page.open(self.report(f"{data}/bad/r0_bad_rows.csv", out="lost.html", status=3))
        check("losses are said", self.page.evaluate(
            "document.querySelector('#subtitle .bad').textContent !== '' && "
            "document.querySelector('#health .bad') !== null"))
        check("losses are listed", self.page.evaluate(
            "document.querySelectorAll('#loss-table tr').length > 0"))
        for part in ("shapes/lanes_t2.csv", "torq/r2.csv", "shapes/zero_length_t1.csv", "torq/r1.csv"):
            base = os.path.basename(part)
            self.page.open(self.report(f"{data}/{part}", out=f"{base}.html"))
            run(self.tacho, "convert", f"{data}/{part}", "-o", f"{base}.pb", "-q")
            self.trace(base, f"{base}.pb")
            self.quiet(base)

    # ---- what no small input has ---------------------------------------------------------------

    def made_up(self):
        run(self.fixture, "made.html", "made.pb")
        self.page.open("made.html")
        self.trace("made", "made.pb")
        counters = [list(judge(path).counter_lines()) for path in ("made.page.pb", "made.pb")]
        check("counters in the trace", counters[0], counters[1])
        check("samples", len(counters[0]), 50)
        rows = self.page.evaluate("""[...document.querySelectorAll('#metrics tr')].slice(1, 3).map(
            row => [...row.cells].map(cell => cell.textContent))""")
        check("metrics", rows, [["Critical <path>", "1.235 ms", "62.5 % of overall"],
                                ["Gap", "-250 ns", ""]])
        kinds = self.page.evaluate("""(() => { const counts = {};
            for (const i of tachoReport.timeline.items) counts[i.kind] = (counts[i.kind] || 0) + 1;
            return counts })()""")
        # Host has three depths and a lane for the crossing span; the moment lies on the third.
        check("rows", kinds, {"head": 1, "row": 304, "counter": 1})
        depths = self.page.evaluate("tachoReport.state.entries[0].profile.rows"
                                    ".filter(row => row.track.class === 'host')"
                                    ".map(row => [...row.start])")
        check("depths", sorted(depths), [[0], [100, 400], [100, 500], [950]])
        summary = self.group()
        check("host is busy in all lanes", next(
            c["busyNs"] for c in summary["classes"] if c["name"] == "host"), 1200)
        self.page.evaluate("document.getElementById('scroll').scrollTop = 1e6")
        self.page.frame()
        self.quiet("made up")

    def late(self):
        """Times that doubles cannot tell apart: shown roughly, zoomed without end, never stuck."""
        run(self.fixture, "late.html", "late.pb", "late")
        self.page.open("late.html")
        for i in range(120):
            self.page.evaluate(f"tachoReport.timeline.zoom(0.5, {i % 2} * 9.2e18)")
        self.page.frame()
        check("the view keeps a width", self.view()[1] > self.view()[0])
        self.quiet("late")

    # ---- size --------------------------------------------------------------------------------

    def large(self):
        with open("large.csv", "w", encoding="ascii") as file:
            subprocess.run([self.gen_torq, "t4", str(MANY_SPANS)], stdout=file, check=True)
        out = self.report("large.csv", out="large.html")
        size = os.path.getsize(out)
        check(f"a million spans in {PAGE_BYTES_MAX} bytes", size < PAGE_BYTES_MAX)
        seconds = best_of(4, lambda: self.page.open(out), OPEN_SECONDS_MAX)
        check("a million spans open soon", seconds < OPEN_SECONDS_MAX)
        frame = best_of(10, lambda: self.page.evaluate("""(() => { const t = tachoReport.timeline;
            t.fit();
            const began = performance.now();
            for (let i = 0; i < 10; i++) { t.zoom(0.5); t.drawNow(); }
            return (performance.now() - began) / 10 })()"""), FRAME_MS_MAX)
        check("a frame is quick", frame < FRAME_MS_MAX)
        self.quiet("large")
        print(f"{MANY_SPANS} spans: {size} bytes, open in {seconds:.2f} s, {frame:.1f} ms a frame")

    # ---- more than a page holds --------------------------------------------------------------

    def coarse(self):
        with open("coarse.csv", "w", encoding="utf-8") as file:
            subprocess.run([self.gen_torq, "t1", str(COARSE_SPANS)], stdout=file, check=True)
        out = self.report("coarse.csv", out="coarse.html")
        check("a page that is not in full", os.path.getsize(out) < PAGE_BYTES_MAX)
        self.page.open(out)
        self.as_ops("coarse.csv")
        check("the page says so", self.page.evaluate(
            "/has 1,300,000 spans, more than a page holds/.test("
            "document.getElementById('coarse').textContent) && "
            "!document.getElementById('coarse').hidden"))
        rows = self.page.evaluate("tachoReport.state.entries[0].profile.tracks"
                                  ".reduce((sum, track) => sum + track.count, 0)")
        check(f"{rows} stretches on the page", 100000 < rows <= 1 << 20)
        check("all spans are counted", self.page.evaluate(
            "tachoReport.state.entries[0].profile.tracks.reduce((sum, track) => sum + "
            "(track.counts ? track.counts.reduce((a, b) => a + b, 0) : 0), 0)"), COARSE_SPANS)
        check("spans of the group", self.group()["spanCount"], COARSE_SPANS)
        self.coarse_times()
        self.save_trace("coarse.page.pb")
        check("a coarse trace is sound", judge("coarse.page.pb").first, {})
        self.quiet("coarse")

    def coarse_times(self):
        """Busy times of tracks, and the ends of what is drawn, against all spans of the input."""
        with open("coarse.csv", encoding="utf-8") as file:
            rows = [(int(f[1]), int(f[2]), f[-1]) for f in (line.strip().split(",") for line in file)]
        first = min(row[0] for row in rows)
        spans = collections.defaultdict(list)
        for start, end, kind in rows:  # 5/4 ns per cycle
            spans[kind.lower()].append(((start - first) * 5 // 4, (end - first) * 5 // 4))
        for kind in ("dma_in", "dma_out"):
            busy = [e["busyNs"] for e in self.group()["engines"] if e["class"] == kind]
            check(f"busy {kind}", busy, [union_length(spans[kind])])
        check("nothing crosses", self.page.evaluate(
            "tachoReport.state.entries[0].profile.tracks.every(track => track.isCounter || "
            "track.start.every((start, i) => i === 0 || start >= track.start[i - 1]))"))
        extent = self.page.evaluate("tachoReport.state.entries[0].groups[0].extentNs")
        check("extent", extent, max(end for ends in spans.values() for _, end in ends))


def main():
    *programs, work = (os.path.abspath(word) for word in sys.argv[1:6])
    os.chdir(work)
    with browser.Browser(browser.find()) as page:
        checks = Checks(page, *programs)
        parts = {"use": (checks.one_profile, checks.operators, checks.nothing, checks.several_profiles, checks.hostile,
                         checks.processes, checks.agreement, checks.lost, checks.made_up, checks.late),
                 "large": (checks.large, checks.coarse)}
        for name in sys.argv[6:] or parts:
            for step in parts[name]:
                step()
    finish()


main()
