#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Opens report pages in a headless browser and clicks through what they answer: verdict, bars,
findings, layers, selection, details, plots, two profiles; and that people can read and use them.

Usage: answers.py TACHO TRACES
What the page shows is compared with what the commands print: the two share the analyses, and here
is where it is seen that they do. Sums are worked out from the trace itself. TRACES is a folder of
real ones, which are used where they are; without a Chromium all is skipped."""
import json
import math
import os
import sys
import tempfile

sys.dont_write_bytecode = True
import browser
import composed
from verify import check, finish, run

CONTRAST = 4.5
HOSTILE = "<img src=x onerror='window.__pwned=1'>\u202e"

# Texts that are hard to read, as [text, contrast]; canvas and what cannot be seen aside.
HARD_TO_READ = """(() => {
    const canvas = document.createElement('canvas').getContext('2d', {willReadFrequently: true});
    const rgba = colour => { canvas.clearRect(0, 0, 1, 1); canvas.fillStyle = colour;
        canvas.fillRect(0, 0, 1, 1); return [...canvas.getImageData(0, 0, 1, 1).data]; };
    const part = c => (c /= 255) <= 0.03928 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4;
    const light = ([r, g, b]) => 0.2126 * part(r) + 0.7152 * part(g) + 0.0722 * part(b);
    const back = e => { for (; e; e = e.parentElement) {
        const c = rgba(getComputedStyle(e).backgroundColor); if (c[3] === 255) return c; }
        return [255, 255, 255, 255]; };
    const found = [];
    const walk = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
    while (walk.nextNode()) {
        const e = walk.currentNode.parentElement, text = walk.currentNode.textContent.trim();
        if (text === '' || e.closest('script, style, noscript, .unseen, svg, :disabled') ||
            e.getClientRects().length === 0) continue;
        const [a, b] = [light(rgba(getComputedStyle(e).color)), light(back(e))];
        const ratio = (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
        if (ratio < %s) found.push([text.slice(0, 40), +ratio.toFixed(2)]);
    }
    return found; })()""" % CONTRAST

# What assistive programs cannot name or find.
UNNAMED = """(() => {
    const seen = e => e.getClientRects().length > 0;
    const name = e => (e.getAttribute('aria-label') || e.textContent || e.title || '').trim() ||
        (e.labels && [...e.labels].map(l => l.textContent).join('').trim()) || '';
    const faults = [];
    for (const e of document.querySelectorAll('button, input, a, [role=img], [role=application]'))
        if (seen(e) && name(e) === '') faults.push(`no name: ${e.outerHTML.slice(0, 80)}`);
    for (const e of document.querySelectorAll('th'))
        if (!e.scope) faults.push(`no scope: ${e.textContent}`);
    for (const e of document.querySelectorAll('[tabindex]'))
        if (e.tabIndex > 0) faults.push(`tabindex ${e.tabIndex}`);
    const ids = [...document.querySelectorAll('[id]')].map(e => e.id);
    faults.push(...ids.filter((id, i) => ids.indexOf(id) !== i).map(id => `twice: ${id}`));
    for (const e of document.querySelectorAll('[aria-labelledby], [aria-describedby]'))
        for (const key of ['aria-labelledby', 'aria-describedby'])
            if (e.hasAttribute(key) && !document.getElementById(e.getAttribute(key)))
                faults.push(`nothing is ${e.getAttribute(key)}`);
    const levels = [...document.querySelectorAll('h1, h2, h3')].filter(seen).map(e => +e.tagName[1]);
    levels.forEach((level, i) => level - (i > 0 ? levels[i - 1] : 0) > 1 &&
        faults.push(`heading ${level} after ${levels[i - 1]}`));
    if (!document.documentElement.lang || document.querySelectorAll('main, header').length !== 2)
        faults.push('no language or landmarks');
    return faults; })()"""


# Whether the first arrow can be seen at both of its ends: pixels that are not there without it.
ARROW_ENDS = """(() => {
    const t = tachoReport.timeline, kept = t.arrows;
    const [from, to] = kept[0].map(span => t.boxOf(span));
    const shot = arrows => { t.arrows = arrows; t.drawNow(); const {width, height} = t.canvas;
        const copy = Object.assign(document.createElement('canvas'), {width, height})
            .getContext('2d', {willReadFrequently: true});
        copy.drawImage(t.canvas, 0, 0);
        return copy.getImageData(0, 0, width, height); };
    const [without, with_] = [shot([]), shot(kept)];
    const differs = (x, y) => [0, 1, 2].some(i => {
        const at = 4 * (y * with_.width + x) + i;
        return Math.abs(with_.data[at] - without.data[at]) > 40; });
    const near = (x, y) => { for (let dx = -6; dx <= 6; dx++) for (let dy = -6; dy <= 6; dy++)
        if (differs(Math.round(x) + dx, Math.round(y) + dy)) return true; return false; };
    const start = Math.max(from.left, Math.min(from.right, to.left));
    return [near(start, from.y), near(to.left, to.y)]; })()"""


class Answers:
    def __init__(self, page, tacho, traces):
        self.page, self.tacho, self.traces = page, tacho, traces
        self.rows = composed.write("made.json")

    def open(self, *words, out="page.html"):
        run(self.tacho, "report", *words, "-o", out, "-q")
        self.page.open(out)

    def tables(self, *words):
        """The rows of each table that a command prints."""
        tables = {}
        for line in run(self.tacho, *words, "--json", "-q").splitlines():
            row = json.loads(line)
            tables.setdefault(row["table"], []).append(row)
        return tables

    def quiet(self, name):
        check(f"{name}: nothing on the console", self.page.messages, [])
        self.page.messages.clear()

    def texts(self, selector):
        return self.page.evaluate(
            f"[...document.querySelectorAll({json.dumps(selector)})].map(e => e.textContent)")

    def size(self, width, height):
        self.page.call("Emulation.setDeviceMetricsOverride", width=width, height=height,
                       deviceScaleFactor=1, mobile=False)
        self.page.frame()

    # ---- verdict, bars, findings ---------------------------------------------------------------

    def verdict(self):
        """The top of the page says what 'tacho breakdown' says, with the same numbers."""
        self.open("made.json")
        tables = self.tables("breakdown", "made.json")
        said = tables["verdict"][0]["verdict"]
        shown = self.texts(".headline")[0] + " " + self.texts(".try")[0]
        check("a class of limit", self.texts(".headline strong"), [said.split(":")[0] + "."])
        for words in said.split(": ", 1)[1].rstrip(".").split("; "):
            check(f"the verdict says {words}", words[1:] in shown)
        advice = tables["advice"]
        rows = self.page.evaluate("[...document.querySelectorAll('#finding-table tbody tr')]"
                                  ".map(tr => [...tr.cells].map(td => td.textContent))")
        check("rules, the largest gain first", [row[1] for row in rows],
              [row["rule"] for row in advice][:3])
        check("gains", self.page.evaluate(
            "tableOf(tachoReport.state.entries[0], 'advice').map(row => row.gain_ns)"),
              [row["gain_ns"] for row in advice])
        check("gains say what they are of", [row[3].split(" of ")[1] for row in rows],
              [row["period"] for row in advice][:3])
        check("which is a step here", {row["period"] for row in advice}, {"a step"})
        check("where", "Model_0" in rows[0][4])
        self.bars(tables)
        self.reasons(tables)
        self.evidence(tables)
        self.quiet("verdict")

    def inferences(self):
        """A page of several inferences speaks of one, as the commands do."""
        model = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "data", "compile",
                             "block.mlir")
        run(self.tacho, "compile", model, "--machine", "aic100", "--devices", "2", "--stats-level",
            "70", "-q", "-o", "two.qpc")
        run(self.tacho, "run", "two.qpc", "-n", "5", "--samples", "5", "--profile", "run.tacho", "-q")
        self.open("run.tacho")
        tables = self.tables("breakdown", "run.tacho")
        bars = self.page.evaluate("barsOf(tachoReport.state.entries[0])"
                                  ".map(({entry, ...bar}) => bar)")
        mine = [bar for bar in bars if bar["label"] != "host"]
        check("a bar per device and engine", len(mine),
              len(tables["devices"]) + len(tables["streams"]))
        check("of an inference", {bar["of"] for bar in mine}, {"an inference"})
        check("the devices", [(bar["label"], bar["span"]) for bar in mine if bar["depth"] == 0],
              [(row["device"], row["span_ns"]) for row in tables["devices"]])
        cell = self.page.evaluate("document.querySelector('#finding-table td.number').textContent")
        check("and so is a gain", cell.split(" of ")[1], tables["advice"][0]["period"])
        self.press_why()
        check("reasons", "An inference" in self.texts(".why dt"))
        self.quiet("inferences")

    def press_why(self):
        self.page.evaluate("document.querySelector('.verdict button').click()")
        self.page.frame()

    def bars(self, tables):
        bars = self.page.evaluate("barsOf(tachoReport.state.entries[0])"
                                  ".map(({entry, ...bar}) => bar)")
        widths = self.page.evaluate("""[...document.querySelectorAll('#bar-list .stack')].map(stack =>
            [...stack.children].map(part => part.getBoundingClientRect().width / stack.clientWidth))""")
        shares = [[part["ns"] / bar["span"] for part in bar["segments"]] for bar in bars]
        check("bars are as long as they say", all(
            abs(width - share) < 0.02 for row, of in zip(widths, shares) for width, share
            in zip(row, of, strict=True)) and len(widths) > 1)
        steps, busy = self.step_times()
        parts = {part["title"]: part["ns"] for part in bars[0]["segments"]}
        check("parts of a bar", sorted(parts), ["compute", "idle: host late", "idle: queue empty"])
        check("it computes as long as in the trace, in a step on average", parts["compute"],
              busy("kernel") / len(steps))
        mean = sum(end - start for start, end in steps) / len(steps)
        check("parts add up to a step", math.isclose(sum(parts.values()), mean))
        check("the host is of the same steps", (bars[1]["span"], bars[1]["busy"]),
              (mean, busy("cpu_op", "cuda_runtime", "python_function") / len(steps)))
        check("host and device are never one bar", [bar["label"] for bar in bars],
              ["process 0", "host"])
        check("colour is class", self.page.evaluate(
            "getComputedStyle(document.querySelector('.segment')).backgroundColor === "
            "getComputedStyle(document.querySelector('#operator-table .dot')).backgroundColor"))
        check("a bar says what its share is of", self.texts(".bar-sum")[0],
              f"busy {100 * parts['compute'] / mean + 1e-9:.1f} % of a step, {mean / 1e3:.3f} \u00b5s")

    def step_times(self):
        """Steps of the composed trace, and how long spans of some categories cover them."""
        spans = [(round(r["ts"] * 1000), round((r["ts"] + r["dur"]) * 1000), r["cat"])
                 for r in self.rows if "dur" in r]
        first = min(start for start, _, _ in spans)
        steps = [(start, end) for start, end, cat in spans if cat == "user_annotation"]

        def busy(*cats):
            covered = 0
            for low, high in steps:
                at = low
                for start, end, cat in sorted(spans):
                    if cat in cats and end > at and start < high:
                        covered += min(end, high) - max(start, at)
                        at = min(end, high)
            return covered
        return [(start - first, end - first) for start, end in steps], busy

    def reasons(self, tables):
        self.page.click(".links button")
        facts = self.page.evaluate("document.querySelector('.why').innerText")
        mean = tables["step_statistics"][0]["mean_ns"]
        check("why", f"{mean / 1e3:.3f} \u00b5s, average of 2" in facts and
              f"{tables['launches'][0]['launch_count']}," in facts)
        self.page.click(".links button")
        check("why closes", self.page.evaluate("document.querySelector('.why').hidden"))

    def evidence(self, tables):
        start = tables["advice"][0]["start_ns"]
        self.page.click("#finding-table button")
        view = self.page.evaluate("tachoReport.timeline.view")
        check("evidence is in view", view["from"] <= start <= view["to"] and
              view["to"] - view["from"] < 1e6)
        check("and what follows is selected", self.page.evaluate(
            "(s => s.row.start[s.at])(tachoReport.timeline.selected)") >= start)

    # ---- layers and the selection --------------------------------------------------------------

    def layers(self):
        """The tree is that of 'tacho ops --by layer', and so are the sums of its spans."""
        data = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "data")
        for path in ("made.json", f"{data}/chrome/layers.json", f"{data}/chrome/ort_nodes.json",
                     f"{data}/chrome/kineto.json"):
            run(self.tacho, "report", path, "-o", "page.html", "-q")
            self.page.open("page.html")
            wanted = sorted(([r["layer"], r["device_total_ns"] or 0, r["host_total_ns"] or 0,
                              r["work_count"] or 0] for r in self.tables(
                                  "ops", path, "--by", "layer", "--top", "0")["groups"]))
            shown = "rows => rows.map(r => [r.path || '(no layer)', r.deviceTotal || 0, " \
                    "r.hostTotal || 0, r.pieces || 0]).sort((a, b) => a[0] < b[0] ? -1 : 1)"
            profile = "tachoReport.state.entries[0].profile"
            check(f"layers of {path}", sorted(self.page.evaluate(f"({shown})(layerRows({profile}))")),
                  wanted)
            totals = [row[:3] for row in wanted if row[1] + row[2] > 0]
            summed = self.page.evaluate(
                f"({shown})(filteredRows({profile}, layerRows({profile}), {{accepts: () => true}}))")
            check(f"layers of {path}, span by span",
                  sorted(row[:3] for row in summed if row[1] + row[2] > 0), totals)
            self.quiet(path)

    def choosing(self):
        """A click on a layer narrows operators, timeline and histogram; the address keeps it."""
        self.open("made.json")
        tree = "#layer-table tbody tr"
        check("the tree is open where it branches", self.texts(f"{tree} .row-name")[:3],
              ["Model_0", "Decoder_0", "Encoder_0"])
        self.page.click(f"{tree}:nth-child(3) .row-name")
        check("the row is pressed", self.page.evaluate(
            f"document.querySelector('{tree}:nth-child(3) .row-name').ariaPressed"), "true")
        check("operators of the layer", self.ops(), {"gemm": 12, "relu": 12})
        check("spans of the layer", self.matches(), 24)
        check("lengths of the layer", self.page.evaluate("tachoReport.state.lengths.length"), 24)
        view = self.page.evaluate("tachoReport.timeline.view")
        check("the timeline goes there", view["to"] < self.page.evaluate(
            "tachoReport.timeline.full.to") * 0.6)
        self.page.click("#operator-table tbody tr:first-child .row-name")
        check("an operator of the layer", self.matches(), 12)
        check("it is marked", self.page.evaluate(
            "document.querySelectorAll('#operator-table tr.selected').length"), 1)
        self.page.wait("location.hash.includes('op=')")
        self.linked()
        self.page.click("#chosen button:last-child")
        self.page.click("#chosen button")
        check("nothing is chosen", [self.ops(), self.page.evaluate("hasSelection()")],
              [{"gemm": 24, "relu": 24}, False])
        self.quiet("choosing")

    def linked(self):
        """What a link says is there again, in a page that is opened with it."""
        before = self.page.evaluate("[location.hash, {...selection}, tachoReport.timeline.view]")
        self.page.call("Page.navigate", url="about:blank")
        self.page.call("Page.navigate",
                       url="file://" + os.path.abspath("page.html") + before[0])
        self.page.wait("window.tachoReport && tachoReport.state.isReady")
        after = self.page.evaluate("[location.hash, {...selection}, tachoReport.timeline.view]")
        check("a link keeps the selection", after[1], before[1])
        check("and the view", [round(after[2]["from"]), round(after[2]["to"])],
              [round(before[2]["from"]), round(before[2]["to"])])

    def ops(self):
        return dict(self.page.evaluate("tachoReport.state.visibleOps.map(op => "
                                       "[op.profile.texts.get(op.text), op.count])"))

    def matches(self):
        return self.page.evaluate("""tachoReport.timeline.items.filter(i => i.kind === 'row' &&
            i.track.class === 'compute').reduce((sum, i) => sum + (i.row.matches ?
            i.row.matches[i.row.site.length] : i.row.site.length), 0)""")

    def search(self, query):
        self.page.evaluate(f"""(f => {{ f.focus(); f.value = {json.dumps(query)};
            f.dispatchEvent(new Event('input')) }})(document.getElementById('search'))""")
        self.page.wait(f"tachoReport.state.query === {json.dumps(query)}")

    def searching(self):
        """A search narrows the numbers, not only the rows."""
        self.open("made.json")
        for query in ("relu", "Decoder_0", "nothing at all"):
            self.search(query)
            kernels = [r for r in self.rows if r.get("cat") == "kernel" and (
                r["name"] == query or (query == "Decoder_0" and r["args"]["correlation"] > 24))]
            times = sum(r["dur"] for r in kernels) * 1000
            check(f"{query}: spans", self.matches(), len(kernels))
            check(f"{query}: time of operators", self.page.evaluate(
                "tachoReport.state.visibleOps.filter(op => sideOf(op) === 0)"
                ".reduce((sum, op) => sum + op.self, 0)"), times)
            check(f"{query}: time of layers", self.page.evaluate(
                "tachoReport.state.layerRows.filter(row => row.path === 'Model_0')"
                ".reduce((sum, row) => sum + row.deviceTotal, 0)"), times)
        whole = sum(r["dur"] for r in self.rows if r.get("cat") == "kernel")
        self.search("relu")
        part = sum(r["dur"] for r in self.rows if r.get("cat") == "kernel" and r["name"] == "relu")
        check("and so does its share", self.texts("#operator-table .percent"),
              [f"{100 * part / whole:.1f} %"])
        check("the sum says what it is of", self.texts("#operator-count")[0],
              f"1, 24 spans, {part:.3f} \u00b5s, {100 * part / whole:.1f} % of {whole:.3f} \u00b5s")
        self.quiet("searching")

    # ---- spans ---------------------------------------------------------------------------------

    def details(self):
        """A kernel leads to its layer, its operator and its launch, and back."""
        self.open("made.json")
        self.page.evaluate("""(() => { const t = tachoReport.timeline;
            const i = t.items.find(i => i.kind === 'row' && i.track.class === 'compute');
            goToSpan({row: i.row, at: 5, profile: i.profile}); })()""")
        text = self.page.evaluate("document.getElementById('details').innerText")
        for words in ("Layer\nModel_0/Encoder_0", "Launched\n9.000 \u00b5s earlier by cudaLaunchKernel",
                      "Called by\naten::relu", "Source\ntrain.py(12): step", "Grid\n64x3x2",
                      "Registers per thread\n32"):
            check(f"details: {words}", words in text)
        check("an arrow", self.page.evaluate("tachoReport.timeline.arrows.length"), 1)
        check("it is drawn from the call to the kernel", self.page.evaluate(ARROW_ENDS), [True, True])
        self.press("cudaLaunchKernel")
        text = self.page.evaluate("document.getElementById('details').innerText")
        check("the call knows its kernel", "Launches\nrelu" in text)
        check("and has its arrow", self.page.evaluate(ARROW_ENDS), [True, True])
        self.page.evaluate("tachoReport.timeline.select(null)")
        check("without a selection there is none",
              self.page.evaluate("tachoReport.timeline.arrows.length"), 0)
        self.press_work()
        self.press("relu")
        self.press("Model_0/Encoder_0")
        check("a span leads to its layer", self.page.evaluate("selection.layer"),
              "Model_0/Encoder_0")
        self.quiet("details")

    def press_work(self):
        """Selects the kernel again."""
        self.page.evaluate("""(() => { const t = tachoReport.timeline;
            const i = t.items.find(i => i.kind === 'row' && i.track.class === 'compute');
            goToSpan({row: i.row, at: 5, profile: i.profile}); })()""")
        self.press("cudaLaunchKernel")

    def press(self, text):
        self.page.evaluate(f"""[...document.querySelectorAll('#details button')]
            .find(b => b.textContent === {json.dumps(text)}).click()""")
        self.page.frame()

    # ---- plots ---------------------------------------------------------------------------------

    def plots(self):
        self.open("made.json", "--roof", "f32=67TFLOP/s,HBM=4.8TB/s")
        lengths = sorted(r["dur"] * 1000 for r in self.rows if r.get("cat") == "kernel")
        check("the histogram has every span", self.page.evaluate(
            "binsOf(tachoReport.state.lengths).counts.reduce((a, b) => a + b)"), len(lengths))
        check("percentiles", f"p50 {lengths[math.ceil(len(lengths) / 2) - 1] / 1000:.3f}" in
              self.texts("#histogram p")[0])
        values = [r["args"]["used"] for r in self.rows if r["ph"] == "C"]
        row = self.texts("#counter-table tbody td")
        check("least and most of a counter", [row[1], row[2], row[4]],
              [str(len(values)), str(min(values)), str(max(values))])
        check("and the 99th", f"p99 {lengths[math.ceil(len(lengths) * 0.99) - 1] / 1000:.3f}" in
              self.texts("#histogram p")[0])
        check("a counter says its value where the pointer is", self.page.evaluate("""(() => {
            const t = tachoReport.timeline, i = t.items.find(item => item.kind === 'counter');
            const {start, values} = i.track, at = start.length - 1;
            t.fit();
            const x = t.gutter + (start[at] + 1 - t.view.from) / (t.view.to - t.view.from) *
                t.plotWidth;
            const said = t.sampleText({offsetX: Math.ceil(x) + 1, offsetY: i.y + 2});
            return [said.includes(`: ${values[at]}`), values[at] !== values[0]]; })()"""),
              [True, True])
        check("health", "Nothing was lost" in self.texts("#health li"))
        self.quiet("plots")
        path = os.path.join(self.traces, "kineto_bert.json.gz")
        if os.path.exists(path):
            self.roofline(path)

    def roofline(self, path):
        roof = ("--roof", "f16=989TFLOP/s,f32=67TFLOP/s,HBM=4.8TB/s")
        self.open(path, *roof)
        points = [row for row in self.tables("roofline", path, *roof, "--top", "0")["roofline"]
                  if row["intensity"] and row["gflop_per_s"]]
        check("points of the roofline", self.page.evaluate(
            "document.querySelectorAll('#roofline circle').length"), len(points))
        places = self.page.evaluate("""(() => {
            const lines = [...document.querySelectorAll('#roofline line.roof')].map(
                line => [line.textContent, +line.getAttribute('y1'), +line.getAttribute('y2')]);
            return [lines, [...document.querySelectorAll('#roofline circle')].map(
                c => +c.getAttribute('cy'))]; })()""")
        flat = {name[:3]: y for name, y, other in places[0] if y == other}
        scale = (flat["f16"] - flat["f32"]) / (math.log10(989e3) - math.log10(67e3))
        expected = [flat["f32"] + scale * (math.log10(row["gflop_per_s"]) - math.log10(67e3))
                    for row in points]
        check("points lie under the roof by their rates", all(
            abs(a - b) < 0.5 for a, b in zip(sorted(places[1]), sorted(expected), strict=True)))
        check("names of ceilings are left of the bend, and none lies on another", self.page.evaluate(
            """(() => { const texts = [...document.querySelectorAll('#roofline text')]
                .filter(t => /^(f16|f32|HBM)/.test(t.textContent)).map(t => t.getBBox());
                const meet = (a, b) => a.x < b.x + b.width && b.x < a.x + a.width &&
                    a.y < b.y + b.height && b.y < a.y + a.height;
                const dots = [...document.querySelectorAll('#roofline circle')].map(c => c.getBBox());
                return [texts.length, texts.some((a, i) => texts.slice(i + 1).some(b => meet(a, b)) ||
                    dots.some(b => meet(a, b)))]; })()"""), [3, False])
        self.quiet("roofline")

    # ---- two profiles --------------------------------------------------------------------------

    def pair(self):
        composed.write("after.json", kernels=("gemm", "gelu"), calls=10)
        self.open("made.json", "after.json", out="pair.html")
        tables = self.tables("diff", "made.json", "after.json", "--top", "0")
        keys = ("operation", "a_ns", "b_ns", "difference_ns", "a_count", "b_count")
        check("operators side by side", self.page.evaluate(
            f"pairRows().map(row => {json.dumps(keys)}.map(key => row[key]))"),
              [[row[key] for key in keys] for row in tables["operations"]])
        falls = self.page.evaluate("[...document.querySelectorAll('#fall-table tbody tr')]"
                                   ".map(tr => tr.cells[0].textContent)")
        check("waterfall", falls, [row["step"] for row in tables["waterfall"]])
        check("it ends where B is", self.page.evaluate(
            "pairTable('waterfall').at(-1).total_ns"), tables["sides"][1]["total_ns"])
        check("columns", [title for title in self.texts("#pair-table th") if title != "Layer"][:4],
              ["Operator", "A", "B", "Difference \u25be"])
        check("layers side by side", [t.split(" ")[0] for t in self.texts("#layer-table th")],
              ["Layer", "A", "B", "Difference"])
        check("timelines under one another", [label.split(":")[0] for label in self.heads()],
              ["A", "B"])
        self.aligned()
        self.search("gelu")
        check("a search narrows both", self.page.evaluate("pairRows().length"),
              sum("gelu" in row["operation"] for row in tables["operations"]))
        self.page.evaluate("choose({query: '', layer: 'Model_0/Encoder_0'})")
        check("and so does a layer", self.page.evaluate("pairRows().length"),
              sum(row.get("layer") == "Model_0/Encoder_0" for row in tables["operations"]))
        self.page.click("#sides input[value=Device]")
        check("each profile by itself", self.page.evaluate(
            "!document.getElementById('operator-table').hidden"))
        self.quiet("pair")

    def heads(self):
        return self.page.evaluate(
            "tachoReport.timeline.items.filter(i => i.kind === 'head').map(i => i.label)")

    def aligned(self):
        """Steps of both start at the same place of the timeline, whichever step is picked."""
        def lefts():
            return self.page.evaluate("""(t => pairEntries().map(({profile}, side) => {
                const step = pairedSteps()[tachoReport.state.step][side];
                return (step.start + profile.shiftNs - t.view.from) / (t.view.to - t.view.from); }))
                (tachoReport.timeline)""")
        starts = self.page.evaluate("pairedSteps().map(p => p.map(s => s.start))")
        check("steps of both", len(starts), 2)
        check("which start at other times of their own", starts[1][0] != starts[1][1])
        for at in (0, 1, 0):
            self.page.evaluate(f"""(list => {{ list.value = '{at}';
                list.dispatchEvent(new Event('change')); }})(document.getElementById('step-list'))""")
            left, other = lefts()
            check(f"step {at + 1} of both at one place", left, other)
            check("and in view", 0 < left < 0.1)
            check("the ruler counts from there", self.page.evaluate(
                "(t => t.ticks().find(k => k.time === 0).x - t.gutter)(tachoReport.timeline) /"
                "tachoReport.timeline.plotWidth - %r" % left) < 1e-6)
            check("the heads say so", [f"aligned at step_{at}" in label for label in self.heads()],
                  [True, True])
        self.page.key("]")
        check("keys move both", self.page.evaluate("tachoReport.state.step"), 1)
        span = self.page.evaluate("""(() => { const t = tachoReport.timeline;
            const item = t.items.filter(i => i.kind === 'row' && i.track.class === 'compute').pop();
            const at = firstAtLeast(item.row.start, t.windowOf(item.profile).from);
            const box = t.boxOf({row: item.row, at, profile: item.profile});
            const found = t.pick((box.left + box.right) / 2, box.y);
            return found && [found.profile === item.profile, found.at === at]; })()""")
        check("a click on B finds the span that is drawn there", span, [True, True])

    def without_steps(self):
        """Where there are no steps, the host is shown in the span of the device."""
        rows = [row for row in self.rows if row.get("cat") != "user_annotation"]
        with open("bare.json", "w", encoding="utf-8") as file:
            json.dump({"schemaVersion": 1, "deviceProperties": [], "traceEvents": rows}, file)
        self.open("bare.json")
        times = {}
        for row in rows:
            if "dur" in row:
                side = "device" if row["cat"] == "kernel" else "host"
                times.setdefault(side, []).append((row["ts"] * 1000, (row["ts"] + row["dur"]) * 1000))
        low, high = min(s for s, _ in times["device"]), max(e for _, e in times["device"])
        at, busy = low, 0
        for start, end in sorted(times["host"]):
            if end > at and start < high:
                busy += min(end, high) - max(start, at)
                at = min(end, high)
        bars = self.page.evaluate("barsOf(tachoReport.state.entries[0])"
                                  ".map(({entry, ...bar}) => [bar.label, bar.of, bar.span, bar.busy])")
        check("host in the span of the device", bars[-1], ["host", "the span", high - low, busy])
        self.quiet("without steps")

    def long_names(self):
        """Names that do not fit lose their middle; columns of one word are left out."""
        names = [f"load /features/features.{i}/conv/conv.1/conv.1.0/a/long/path/to/Conv_{i}"
                 for i in (2, 3)]
        composed.write("long.json", kernels=names)
        self.open("long.json")
        shown = self.page.evaluate("""[...document.querySelectorAll('#operator-table .row-name')].map(
            e => { const [head, tail] = e.firstElementChild.children;
                   return [e.textContent, head.scrollWidth > head.clientWidth,
                           tail.scrollWidth > tail.clientWidth]; })""")
        check("whole names, whose ends are seen", sorted(shown),
              [[name, True, False] for name in names])
        check("no column of one word", "Class" in self.texts("#operator-table th"), False)
        check("times are written alike", [" us " in text for text in
                                          self.texts(".headline, .try, #finding-table td")].count(True), 0)
        self.quiet("long names")

    # ---- for people ----------------------------------------------------------------------------

    def first_look(self):
        """1280x800 shows verdict, bars, findings and the top of layers without scrolling."""
        self.size(1280, 800)
        self.open("made.json")
        ends = self.page.evaluate("""['#verdicts', '#bars', '#findings', '#layer-table tbody tr'].map(
            s => document.querySelector(s).getBoundingClientRect().bottom)""")
        check(f"what matters is on the first screen: {ends}", max(ends) < 800)
        check("nothing is cut in the bars", self.page.evaluate(
            "[...document.querySelectorAll('.segment span:not(.unseen)')].every("
            "e => e.offsetWidth <= e.parentElement.clientWidth)"))
        self.tips()
        self.size(1440, 900)

    def tips(self):
        """Tips are whole, wherever the pointer is."""
        box = self.page.box("#canvas")
        places = self.page.evaluate("""(() => { const t = tachoReport.timeline; t.fit();
            return t.items.filter(i => i.kind !== 'head').map(i => [i.y + i.height / 2, t.gutter,
                t.plotWidth]) })()""")
        cut = 0
        for y, gutter, width in places[::3] + places[-1:]:
            for x in (10, gutter + 4, gutter + width / 2, gutter + width - 3):
                self.page.mouse("mouseMoved", box["x"] + x, box["y"] + min(y, box["height"] - 3))
                self.page.frame()
                cut += self.page.evaluate("""(r => !document.getElementById('tip').hidden && (
                    r.left < 0 || r.top < 0 || r.right > innerWidth || r.bottom > innerHeight))(
                    document.getElementById('tip').getBoundingClientRect())""")
        check("tips are never cut", cut, 0)

    def reading(self):
        """Names, order and contrast, light and dark, wide and on a phone."""
        for name, words in (("made", ("made.json",)), ("pair", ("made.json", "after.json"))):
            run(self.tacho, "report", *words, "-o", f"{name}.html", "-q")
            for scheme in ("light", "dark"):
                self.page.call("Emulation.setEmulatedMedia", media="", features=[
                    {"name": "prefers-color-scheme", "value": scheme}])
                for width in (1280, 390):
                    self.size(width, 800)
                    self.page.open(f"{name}.html")
                    where = f"{name}, {scheme}, {width} pixels"
                    check(f"contrast: {where}", self.page.evaluate(HARD_TO_READ), [])
                    check(f"no sideways scrolling: {where}", self.page.evaluate(
                        "document.documentElement.scrollWidth <= innerWidth"))
            check(f"names and order: {name}", self.page.evaluate(UNNAMED), [])
        self.page.call("Emulation.setEmulatedMedia", media="", features=[])
        self.size(1440, 900)
        self.quiet("reading")

    def keys(self):
        """Layers and operators are chosen with the keyboard alone."""
        self.open("made.json")
        self.page.evaluate("document.querySelector('#layer-table .row-name').focus()")
        self.page.key("Enter")
        check("Enter chooses a layer", self.page.evaluate("selection.layer"), "Model_0")
        check("and the focus stays", self.page.evaluate(
            "document.activeElement.className"), "row-name")
        self.page.evaluate("document.querySelector('#layer-table .twist[aria-expanded]').focus()")
        self.page.key("Enter")
        check("Enter closes a layer", "Encoder_0" in self.texts("#layer-table .row-name"), False)
        self.quiet("keys")

    def steps(self):
        self.open("made.json")
        ranges = [(r["ts"] * 1000, (r["ts"] + r["dur"]) * 1000) for r in self.rows
                  if r.get("cat") == "user_annotation"]
        first = min(r["ts"] for r in self.rows if "ts" in r) * 1000
        chosen = "#step-list option:checked"
        check("steps are found", self.texts(chosen), [f"{len(ranges)} steps"])
        for key, at in (("]", 0), ("]", 1), ("]", 1), ("[", 0)):
            self.page.key(key)
            view = self.page.evaluate("tachoReport.timeline.view")
            start, end = ranges[at][0] - first, ranges[at][1] - first
            check(f"{key} goes to step {at + 1}", view["from"] <= start and end <= view["to"] and
                  view["to"] - view["from"] < 1.1 * (end - start))
        check("the step has a name", self.texts(chosen)[0].startswith("step_0, 1 of 2"))
        path = os.path.join(self.traces, "kineto_bert.json.gz")
        if os.path.exists(path):
            self.open(path)
            for key, at in (("]", 1), ("]", 2), ("]", 3), ("[", 2)):
                self.page.key(key)
                check(f"{key}: one step at a time", f", {at} of " in self.texts(chosen)[0])
        self.quiet("steps")

    def hostile(self):
        composed.write("hostile.json", layers=(HOSTILE, "__proto__"),
                       kernels=(HOSTILE + "k", "constructor"))
        self.open("hostile.json", out="hostile.html")
        for selector in ("#layer-table .row-name", "#operator-table .row-name"):
            for i in range(len(self.texts(selector))):
                self.page.evaluate(f"document.querySelectorAll('{selector}')[{i}].click()")
        self.page.evaluate("document.querySelector('#finding-table button').click()")
        check("nothing ran", self.page.evaluate("typeof window.__pwned"), "undefined")
        check("nothing became markup", self.page.evaluate("document.querySelectorAll('img').length"), 0)
        check("the policy is there", self.page.evaluate(
            "document.querySelector('meta[http-equiv]').content.startsWith(\"default-src 'none'\")"))
        self.quiet("hostile")


def main():
    tacho, traces = (os.path.abspath(word) for word in sys.argv[1:3])
    if browser.find() is None:
        print("skip report.answers: no Chromium here (Debian package chromium)")
        sys.exit(77)
    with tempfile.TemporaryDirectory(prefix="tacho-answers.") as work:
        os.chdir(work)
        with browser.Browser(browser.find()) as page:
            answers = Answers(page, tacho, traces)
            for part in (answers.verdict, answers.inferences, answers.layers, answers.choosing, answers.searching,
                         answers.details, answers.plots, answers.pair, answers.without_steps,
                         answers.long_names, answers.first_look,
                         answers.reading, answers.keys, answers.steps, answers.hostile):
                part()
        os.chdir("/")
    finish()


main()
