#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Checks a trace of tacho opstats by what its documentation promises, with nothing of tacho's:

    check_trace.py TRACE.json [--flows] [--barriers] [--split] [--devices N] [--cores A,B]

Prints the number of slices, marks and arrows."""
import argparse
import collections
import re
import sys

import trace_events

TRACK = re.compile(r"^(?P<network>.+)_Core_(?P<core>\d+)(?P<rest>|_.*)$")
DEVICE_TRACK = re.compile(r"^(?P<network>.+)_(Device_\d+|P2P_Port_\d+)$")


def fail(text):
    sys.exit(f"check_trace: {text}")


def check_tracks(events, arguments):
    names = {}
    for event in events:
        if event["ph"] == "M" and event["name"] == "thread_name":
            names[event["pid"], event["tid"]] = event["args"]["name"]
    cores, networks = set(), set()
    for name in names.values():
        match = TRACK.match(name)
        if DEVICE_TRACK.match(name):
            networks.add(DEVICE_TRACK.match(name)["network"])
            continue
        if not match:
            fail(f"a track called {name}")
        cores.add(int(match["core"]))
        networks.add(match["network"])
        if match["rest"].endswith("_Barrier") and not arguments.barriers:
            fail(f"barriers were not asked for: {name}")
        if re.search(r"_HVX_t\d(_|$)", match["rest"]) and not (arguments.split or
                                                              arguments.barriers):
            fail(f"threads share a track: {name}")
    if arguments.cores is not None and cores != set(map(int, arguments.cores.split(","))):
        fail(f"cores {sorted(cores)} are shown")
    if len(networks) != arguments.devices:
        fail(f"networks {sorted(networks)} are shown")
    return names


def check_op(event, name, args):
    if args["opKind"] != event["name"] or args["opKind"] == "wait":
        fail(f"kind of {event}")
    us = float(args["opUCycle"]) / 19.2
    if abs(us - event["dur"]) > 0.0021:
        fail(f"{event['dur']} us are not {args['opUCycle']} ticks")
    if (args["opKind"] == "aicmulticastvtcm_in") != ("_P2P_Port_" in name):
        fail(f"{event} on {name}")
    if "_P2P_Port_" in name:
        peers = re.fullmatch(r"(\d+)<-(\d+)", args["PortDescription"])
        if int(peers[1]) != int(name.split("_slice")[1][:2]) or \
                not name.endswith(f"_Port_{102 + 2 * int(peers[2])}"):
            fail(f"{args['PortDescription']} on {name}")


def check_slices(events, names, arguments):
    executions, devices = collections.Counter(), collections.Counter()
    ops = set()
    for event in events:
        if event["ph"] != "X":
            continue
        name = names[event["pid"], event["tid"]]
        args = event.get("args", {})
        match = TRACK.match(name)
        if (args.get("PortType") == "P2P") != ("_P2P_Port_" in name):
            fail(f"{event} on {name}")
        if re.fullmatch(r"Device_\d+_Execution", event["name"]):
            devices[name] += 1
        if "opKind" in args:
            check_op(event, name, args)
            ops.add((event["pid"], event["tid"], args["oc"], event["ts"]))
        if match is None:
            continue
        if event["name"] == f"Core-{match['core']}-Execution":
            executions[name] += 1
        if event["name"].startswith("sync "):
            if event["dur"] != 0 or float(args["opSyncDurUs"]) <= 0:
                fail(f"a sync slice {event}")
        if event["name"].startswith("barrier ") != name.endswith("_Barrier"):
            fail(f"a slice {event['name']} on {name}")
    if not executions or set(executions.values()) != {1}:
        fail(f"execution slices: {executions}")
    if len(devices) != arguments.devices or set(devices.values()) != {1}:
        fail(f"slices of devices: {devices}")
    return ops


def bind_flows(events):
    """Arrows as viewers draw them: an end belongs to the span of its thread that began last; of events of one
    time complete ones come first, the longest ahead, then begins and all else in the order of the file.
    Yields (end, span); an arrow must begin before it ends."""
    latest, begun = {}, set()

    def place(event):
        return event["ts"], 0 if "begun" in event else -event.get("dur", 0)
    for event in sorted((event for event in events if event["ph"] in "Xsf"), key=place):
        thread = event["pid"], event["tid"]
        if event["ph"] == "X":
            latest[thread] = event
            continue
        if event["ph"] == "s":
            begun.add(event["id"])
        elif event["id"] not in begun:
            fail(f"an arrow that ends before it begins: {event}")
        yield event, latest.get(thread)


def print_arrows(events):
    """A line for each arrow, as trace_judge.py --flows prints them."""
    sources = {}
    for event, span in bind_flows(events):
        place = f"{span['name']}@{round(span['ts'] * 1000)}"
        if event["ph"] == "s":
            sources[event["id"]] = place
        else:
            print(f"{sources[event['id']]}\t{place}")


def check_flows(events, ops, arguments):
    ends = collections.defaultdict(list)
    kinds = collections.Counter()
    for event, span in bind_flows(events):
        if span is None or span["name"] != event["args"]["span"] or \
                span["args"]["oc"] != event["args"]["oc"] or span["ts"] != event["ts"]:
            fail(f"an arrow {event} that viewers draw at {span}")
    for event in events:
        if event["ph"] in "sf":
            ends[event["id"]].append(event)
            kinds[event["cat"]] += 1
            key = (event["pid"], event["tid"], event["args"]["oc"], event["ts"])
            if key not in ops:
                fail(f"an arrow that ends at no op: {event}")
    for number, pair in ends.items():
        if sorted(event["ph"] for event in pair) != ["f", "s"]:
            fail(f"arrow {number} has ends {[event['ph'] for event in pair]}")
    if bool(ends) != arguments.flows or not set(kinds) <= {"true", "false"}:
        fail(f"arrows: {kinds}")
    return kinds


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("trace")
    parser.add_argument("--flows", action="store_true")
    parser.add_argument("--print-arrows", action="store_true")
    parser.add_argument("--barriers", action="store_true")
    parser.add_argument("--split", action="store_true")
    parser.add_argument("--devices", type=int, default=1)
    parser.add_argument("--cores")
    arguments = parser.parse_args()
    events = trace_events.read(arguments.trace)
    if arguments.print_arrows:
        return print_arrows(events)
    names = check_tracks(events, arguments)
    ops = check_slices(events, names, arguments)
    kinds = check_flows(events, ops, arguments)
    phases = collections.Counter(event["ph"] for event in events)
    print(f"{phases['X']} slices, {phases['i']} marks, {kinds['true'] // 2} true and "
          f"{kinds['false'] // 2} false arrows on {len(names)} tracks")


if __name__ == "__main__":
    main()
