# SPDX-License-Identifier: Apache-2.0
"""Events of a trace of tacho opstats, a begin and its end joined to one complete event."""
import decimal
import json


def read(path):
    """What stands for a begin has "begun"; it lasts to the next end of its thread."""
    with open(path, encoding="utf-8") as file:
        events = json.load(file)["traceEvents"]
    open_ones, joined = {}, []
    for event in events:
        thread = event.get("pid"), event.get("tid")
        if event["ph"] == "B":
            event = dict(event, ph="X", begun=True)
            open_ones[thread] = event
        elif event["ph"] == "E":
            begun = open_ones.pop(thread)
            begun["dur"] = float(decimal.Decimal(str(event["ts"])) - decimal.Decimal(str(begun["ts"])))
            continue
        joined.append(event)
    if open_ones:
        raise ValueError(f"{path}: begun and not ended: {open_ones}")
    return joined
