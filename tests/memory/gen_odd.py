#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Chrome traces in which everything is new, or everything is at once:

    gen_odd.py names|processes|threads|ties COUNT > trace.json

names: each span has a name of its own; processes, threads: likewise its process or thread; ties: all
start and end together."""
import sys

SHAPES = {
    "names": '{{"ph":"X","name":"op_{0:08}","pid":1,"tid":1,"ts":{1},"dur":1}},\n',
    "processes": '{{"ph":"X","name":"a","pid":{2},"tid":1,"ts":{1},"dur":1}},\n',
    "threads": '{{"ph":"X","name":"a","pid":1,"tid":{2},"ts":{1},"dur":1}},\n',
    "ties": '{{"ph":"X","name":"a","pid":1,"tid":1,"ts":5,"dur":1}},\n',
}


def write(shape, count, to):
    """A trace of |count| spans, and one that ends it and lasts as long as the others together."""
    line = SHAPES[shape]
    to.write('{"traceEvents":[\n')
    for i in range(count):
        to.write(line.format(i, 2 * i, i + 1))
    to.write('{"ph":"X","name":"last","pid":1,"tid":1,"ts":%d,"dur":%d}]}\n' %
             (2 * count, count))


if __name__ == "__main__":
    write(sys.argv[1], int(sys.argv[2]), sys.stdout)
