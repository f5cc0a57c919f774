# SPDX-License-Identifier: Apache-2.0
"""Each rule of json_judge.py, kept and broken."""
import json
import unittest

import json_judge


def span(ts, dur, tid=1, name="a", **more):
    return {"ph": "X", "pid": 1, "tid": tid, "ts": ts, "dur": dur, "name": name, **more}


def flow(phase, ts, tid=1, number=7, **more):
    return {"ph": phase, "pid": 1, "tid": tid, "ts": ts, "id": number, "name": "f", "cat": "flow", **more}


class JsonJudgeTest(unittest.TestCase):
    def judge(self, *events):
        return dict(json_judge.JsonJudge(json.dumps({"traceEvents": events})).problems)

    def clean(self, *events):
        self.assertEqual(self.judge(*events), {})

    def bad(self, name, *events):
        self.assertEqual(self.judge(*events), {name: 1})

    def test_slices_nest(self):
        self.clean(span(0, 10), span(2, 3), span(2, 8), span(10, 1), span(5, 20, tid=2))
        self.clean(span(1.001, 0.002), span(1.003, 0.001))
        self.bad("overlapping_slices", span(0, 10), span(5, 10))

    def test_correlations(self):
        one, other = {"args": {"correlation": 1}}, {"args": {"correlation": 2}}
        ends = flow("s", 0), flow("f", 5, tid=2, bp="e")
        self.clean(span(0, 2, **one), span(5, 1, tid=2, **one), *ends)
        self.clean(span(0, 2, **one), span(5, 1, tid=2), *ends)
        self.bad("flow_joins_other_correlations", span(0, 2, **one), span(5, 1, tid=2, **other), *ends)

    def test_times_and_numbers(self):
        self.bad("bad_time", span(-1, 2))
        self.bad("bad_time", span(1, -2))
        self.bad("bad_tid", span(0, 1, tid="main"))
        self.bad("bad_tid", span(0, 1, tid=1 << 32))
        self.bad("bad_tid", span(0, 1, tid=0))
        self.clean(span(0, 1, tid=0, pid=0))
        self.bad("unknown_phase", {"ph": "Z", "pid": 1, "tid": 1})
        self.bad("not_a_number", span(0, 1, args={"x": float("nan")}))
        self.bad("large_integer", span(0, 1, args={"x": 1 << 63}))
        self.bad("large_integer", span(0, 1, args={"x": {"y": [0, (-1 << 63) - 1]}}))
        self.clean(span(0, 1, args={"x": (1 << 63) - 1, "y": -1 << 63, "z": str(1 << 63), "w": True}))

    def test_arguments(self):
        """As trace_processor's __intrinsic_arg_set_to_json has it."""
        for name in ("DURATION [ns]", "a[", "[", "a[-1]", "a[x]", "a[0", "", "."):
            self.bad("unshown_argument", span(0, 1, args={name: 1, "z": 2}))
            self.bad("unshown_argument", span(0, 1, args={"outer": {"list": [{"x[y]": 1}]}}))
        for name in ("a]", "a[0]", "a[0][1]", "a.b", "a..b", ".a", "a.", "DURATION ［ns］"):
            self.clean(span(0, 1, args={name: 1, "z": 2}))
        for args in ({"a": 1, "a.b": 2}, {"a": [1], "a.b": 2}, {"a": 1, "a[0]": 2}, {"a": {"b": 1}, "a[0]": 3}):
            self.bad("unshown_argument", span(0, 1, args=args))
        self.clean(span(0, 1, args={"a.b": 2, "a": 1}), span(0, 1, args={"a": {"b": 1}, "a.b": 2}),
                   span(0, 1, args={"a": [1], "a[1]": 2}), span(0, 1, args={"a": [1, None, {"b": []}], "b": {}}))

    def test_begin_and_end(self):
        begin, end = span(0, 2, name="b", ph="B"), {"ph": "E", "pid": 1, "tid": 1, "ts": 2}
        named = {"args": {"span": "b"}}
        self.clean(span(0, 0), begin, flow("s", 0, **named), end, span(2, 1))
        self.bad("overlapping_slices", begin, end, span(1, 2))
        self.bad("begin_without_end", begin)
        self.bad("end_without_begin", end)
        self.bad("end_without_begin", begin, end, dict(end, ts=3))

    def test_counters(self):
        self.clean({"ph": "C", "pid": 1, "tid": 1, "ts": 0, "name": "c", "args": {"v": 1.5}})
        self.bad("counter_without_value", {"ph": "C", "pid": 1, "tid": 1, "ts": 0, "name": "c", "args": {"v": None}})

    def test_decimals(self):
        """As text: a float of Python has no 20 decimals."""
        text = '[{"ph": "X", "pid": 1, "tid": 1, "ts": 0, "dur": 1, "name": "a", "args": {"v": %s}}]'
        for value, is_bad in (("0.00030637254901960784", True), ("0.0030637254901960784", False),
                              ("3.0637254901960784e-04", False)):
            self.assertEqual("misread_decimals" in json_judge.JsonJudge(text % value).problems, is_bad, value)

    def test_names(self):
        name = {"ph": "M", "pid": 1, "tid": 1, "name": "thread_name", "args": {"name": "x"}}
        self.clean(name)
        self.bad("named_twice", name, name)

    def test_flows(self):
        self.clean(span(0, 2), flow("s", 0), span(5, 2, tid=2), flow("f", 5, tid=2, bp="e"))
        self.bad("flow_without_slice", span(0, 2), flow("s", 0), flow("f", 5, tid=2, bp="e"))
        self.bad("flow_ends_before_it_begins", span(0, 9), flow("f", 1, bp="e"), flow("s", 3))
        self.clean(span(0, 9), flow("f", 1, bp="e"))
        self.bad("flow_begins_twice", span(0, 9), flow("s", 1), flow("s", 3))
        named = {"args": {"span": "b"}}
        self.clean(span(0, 2), span(0, 2, name="b"), flow("s", 0, **named))
        self.bad("flow_on_another_slice", span(0, 2, name="b"), span(0, 2), flow("s", 0, **named))
        self.bad("large_flow_id", span(0, 9), flow("s", 1, number=1 << 60))
        # An empty slice is begun behind one with a length, wherever it stands.
        self.bad("flow_on_another_slice", span(0, 0), span(0, 2, name="b"), flow("s", 0, **named))
        self.clean(span(0, 2, name="b"), flow("s", 0, **named), span(0, 0))
        self.bad("flow_on_another_slice", span(0, 2, name="b"), flow("s", 0, args={"span": "b", "span_ticks": 0}))
        self.bad("flow_on_another_slice", span(0, 2, args={"oc": 1}), flow("s", 0, args={"oc": 2}))
        # A slice that begins behind the arrow in the file does not take it.
        self.bad("flow_without_slice", flow("s", 0), span(0, 2))


if __name__ == "__main__":
    unittest.main()
