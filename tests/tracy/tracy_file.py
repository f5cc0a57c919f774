# SPDX-License-Identifier: Apache-2.0
"""A .tracy file of version 0.10.0 in one LZ4 stream, read to its last byte by its layout alone.

Everything that Tracy's own reader relies on is checked on the way: blocks of 64 KiB, numbers of
texts, places and threads that exist, how many zones each place has, how many zones hold others,
order of time. It shares no code with tacho.
"""
import struct
from collections import Counter

BLOCK = 65536


def lz4_block(packed, out):
    """Decodes a block to the end of |out|, whose last 64 KiB matches may reach into."""
    at, end = 0, len(packed)
    while True:
        token = packed[at]
        at += 1
        literals = token >> 4
        if literals == 15:
            while True:
                literals += packed[at]
                at += 1
                if packed[at - 1] != 255:
                    break
        out += packed[at:at + literals]
        at += literals
        if at == end:
            return
        offset = packed[at] | packed[at + 1] << 8
        at += 2
        assert 0 < offset <= len(out), "a match before the start"
        length = (token & 15) + 4
        if token & 15 == 15:
            while True:
                length += packed[at]
                at += 1
                if packed[at - 1] != 255:
                    break
        start = len(out) - offset
        if offset >= length:
            out += out[start:start + length]
        else:
            out += (out[start:] * (length // offset + 1))[:length]


def unpack(data):
    assert data[:4] == b"tlZ\x04", "not one LZ4 stream"
    out, at = bytearray(), 4
    while at < len(data):
        size, = struct.unpack_from("<I", data, at)
        before = len(out)
        lz4_block(data[at + 4:at + 4 + size], out)
        at += 4 + size
        made = len(out) - before
        assert made == BLOCK or (at == len(data) and 0 < made < BLOCK), "a short block"
    return bytes(out)


class File:
    def __init__(self, path):
        with open(path, "rb") as stream:
            self.data = unpack(stream.read())
        self.at = 0
        self.zones, self.device_zones, self.messages = [], [], []
        self.plots, self.frames = {}, {}
        self.read()
        assert self.at == len(self.data), "%d bytes behind the end" % (len(self.data) - self.at)

    def take(self, form):
        values = struct.unpack_from("<" + form, self.data, self.at)
        self.at += struct.calcsize("<" + form)
        return values[0] if len(values) == 1 else values

    def number(self, size):
        self.at += size
        assert self.at <= len(self.data)
        return int.from_bytes(self.data[self.at - size:self.at], "little")

    def bytes(self):
        length = self.take("Q")
        self.at += length
        assert self.at <= len(self.data)
        return self.data[self.at - length:self.at].decode("utf-8", "replace")

    def ref(self):
        value, flags = self.take("QB")
        assert flags in (0, 3), flags
        return self.texts[value] if flags else None

    def short_ref(self):
        value = self.number(3)
        return self.texts[value - 1] if value else None

    def zeros(self, count):
        assert self.data[self.at:self.at + count] == bytes(count), "not empty at %d" % self.at
        self.at += count

    def read(self):
        assert self.data[:8] == b"tracy\x00\x0a\x00"
        self.at = 8
        self.take("qq")
        assert self.take("d") == 1.0
        self.last_time = self.take("q")
        self.take("Q")
        self.pid = self.take("Q")
        self.zeros(26)
        self.capture, self.program = self.bytes(), self.bytes()
        self.take("QQ")
        self.host = self.bytes()
        self.zeros(8)
        self.crash = self.take("QqQI")
        self.read_frames()
        self.read_names()
        self.read_places()
        self.zeros(8)  # locks
        self.read_messages()
        self.read_extras()
        self.read_threads()
        self.read_devices()
        self.read_plots()
        self.read_rest()

    def read_frames(self):
        self.sets = []
        for index in range(self.take("Q")):
            name, continuous, count = self.take("QBQ")
            assert index > 0 or (name == 0 and continuous == 1 and count >= 2)
            running, marks = 0, []
            for _ in range(count):
                running += self.take("q")
                mark = [running]
                if not continuous:
                    running += self.take("q")
                    mark.append(running)
                assert self.take("i") == -1
                marks.append(mark)
            assert marks == sorted(marks)
            self.sets.append((name, continuous, marks))

    def read_names(self):
        keys, self.texts = [], []
        for _ in range(self.take("Q")):
            keys.append(self.take("Q"))
            self.texts.append(self.bytes())
        assert len(set(keys)) == len(keys) and 0 not in keys
        by_key = dict(zip(keys, self.texts))
        self.names = {key: by_key[pointer] for key, pointer in
                      (self.take("QQ") for _ in range(self.take("Q")))}
        self.thread_names = {tid: by_key[pointer] for tid, pointer in
                             (self.take("QQ") for _ in range(self.take("Q")))}
        self.zeros(8)
        self.tids = [self.take("Q") for _ in range(self.take("Q"))]
        assert self.tids[0] == 0 and len(set(self.tids)) == len(self.tids)
        assert set(self.tids[1:]) == set(self.thread_names)
        self.zeros(8)

    def place(self):
        name, function, file = self.ref(), self.ref(), self.ref()
        line, color = self.take("II")
        return name if name is not None else function, function, file, line, color

    def read_places(self):
        static = {}
        for _ in range(self.take("Q")):
            key = self.take("Q")
            static[key] = self.place()
        order = [self.take("Q") for _ in range(self.take("Q"))]
        assert order[0] == 0 and len(order) <= 32767
        self.places = {i: static[key] for i, key in enumerate(order) if i > 0}
        for i in range(self.take("Q")):
            assert i < 32767
            self.places[-i - 1] = self.place()
        self.counts = [dict(self.take("hQ") for _ in range(self.take("Q"))) for _ in range(2)]

    def read_messages(self):
        running, self.by_key = 0, {}
        for _ in range(self.take("Q")):
            key, delta = self.take("Qq")
            assert delta >= 0 and key not in self.by_key
            running += delta
            text = self.ref()
            color = self.take("I")
            self.zeros(3)
            self.by_key[key] = (running, text, color)

    def read_extras(self):
        self.extras = []
        for _ in range(self.take("Q")):
            self.zeros(3)
            self.extras.append((self.short_ref(), self.short_ref()))
            self.zeros(3)

    def timeline(self, device, owner, out):
        """Zones of a track, without recursion: |open| is what waits for its end."""
        count = self.take("Q" if device else "I")
        running, opened, before = 0, [[count, None]], 0
        parents = 0
        while opened:
            left, zone = opened[-1]
            if left == 0:
                opened.pop()
                if zone is None:
                    break
                end = running = running + self.take("q")
                if device:
                    assert self.take("q") == end - before
                    before = end
                start, place, extra = zone
                assert end == -1 or end >= start
                out.append((owner, place, start, end, extra))
                opened[-1][0] -= 1
                assert opened[-1][1] is None or start >= opened[-1][1][0]
                continue
            if device:
                running += self.take("q")
                assert self.take("q") == running - before
                before = running
                place = self.take("h")
                self.zeros(3)
                assert 0 < self.take("H") < len(self.tids)
                extra, children = 0, self.take("Q")
            else:
                place = self.take("h")
                running += self.take("q")
                extra, children = self.take("II")
            assert 0 <= running <= self.last_time
            parents += children > 0
            opened.append([children, (running, place, extra)])
        return parents

    def read_threads(self):
        total, children, threads = self.take("QQQ")
        parents, seen = 0, set()
        for _ in range(threads):
            tid, count, kernel, fiber = self.take("QQQB")
            assert tid in self.thread_names and kernel == 0 and (fiber == 1) == (tid >= 1 << 32)
            before = len(self.zones)
            parents += self.timeline(False, tid, self.zones)
            assert len(self.zones) - before == count
            for _ in range(self.take("Q")):
                key = self.take("Q")
                assert key not in seen
                seen.add(key)
                self.messages.append((tid,) + self.by_key[key])
            self.zeros(16)
        assert (total, children) == (len(self.zones), parents)
        assert seen == set(self.by_key)
        self.check_counts(self.zones, self.counts[0])

    def read_devices(self):
        total, children, contexts = self.take("QQQ")
        parents = 0
        for _ in range(contexts):
            thread, calibrated, count, period, kind = self.take("QBQfB")
            name = self.short_ref()
            assert self.take("Q") == 0 and calibrated == 0 and period == 1.0
            before = len(self.device_zones)
            lanes = []
            for _ in range(self.take("Q")):
                lane = self.take("Q")
                assert lane not in lanes and (thread == 0 or lane == 0)
                lanes.append(lane)
                parents += self.timeline(True, (name, kind, lane), self.device_zones)
            assert len(self.device_zones) - before == count
        assert (total, children) == (len(self.device_zones), parents)
        self.check_counts(self.device_zones, self.counts[1])

    def check_counts(self, zones, counts):
        assert Counter(zone[1] for zone in zones) == Counter(counts)
        assert all(zone[4] < len(self.extras) for zone in zones)

    def read_plots(self):
        for _ in range(self.take("Q")):
            kind, form, _, _, _, name = self.take("BBBBIQ")
            low, high, total = self.take("ddd")
            running, values = 0, []
            for _ in range(self.take("Q")):
                delta, value = self.take("qd")
                running += delta
                values.append((running, value))
            assert kind == 0 and values == sorted(values, key=lambda pair: pair[0])
            assert low == min(v for _, v in values) and high == max(v for _, v in values)
            assert abs(total - sum(v for _, v in values)) <= 1e-9 * max(1, abs(total))
            self.plots.setdefault(self.names[name], []).append((form, values))

    def read_rest(self):
        assert self.take("QQ") == (1, 0)
        assert self.take("QQQQ") == (0, 0, 0, 0)
        assert self.take("QQQQ") == (0, 2**64 - 1, 0, 0)
        self.zeros(16)
        self.infos = [self.ref() for _ in range(self.take("Q"))]
        self.zeros(4 + 8 + 8 + 8 + 256 * 8 + 16 + 24 + 32)

    def zone_rows(self):
        """(thread's name, name, file, line, start, end, text) of each zone."""
        for tid, place, start, end, extra in self.zones:
            name, _, file, line, _ = self.places[place]
            text, own = self.extras[extra]
            yield (self.thread_names[tid], own if own is not None else name, file, line, start,
                   self.last_time if end < 0 else end, text)
