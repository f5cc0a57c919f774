# SPDX-License-Identifier: Apache-2.0
"""A reader of flat Parquet files, written from the format's description, that trusts nothing: sizes,
counts, encodings and statistics of the footer must be those of the pages.

Pages are decompressed by libzstd, or by zstd(1) where the library cannot be loaded.
"""
import ctypes
import struct
import subprocess

BOOLEAN, INT64, DOUBLE, BYTE_ARRAY = 0, 2, 5, 6
PLAIN, RLE, DELTA, DICTIONARY = 0, 3, 5, 8


def open_libzstd():
    """The library, or None. A page is small: starting zstd(1) for it takes far longer than reading it."""
    try:
        library = ctypes.CDLL("libzstd.so.1")
    except OSError:
        return None
    library.ZSTD_decompress.restype = ctypes.c_size_t
    library.ZSTD_decompress.argtypes = [ctypes.c_void_p, ctypes.c_size_t, ctypes.c_char_p, ctypes.c_size_t]
    library.ZSTD_isError.argtypes = [ctypes.c_size_t]
    return library


LIBZSTD = open_libzstd()


def decompress(packed, room):
    """The content of a frame, which should have at most |room| bytes."""
    if LIBZSTD is None:
        return subprocess.run(["zstd", "-dcq"], input=packed, capture_output=True, check=True).stdout
    plain = ctypes.create_string_buffer(room + 1)
    size = LIBZSTD.ZSTD_decompress(plain, room + 1, packed, len(packed))
    assert not LIBZSTD.ZSTD_isError(size), "the page is damaged, or larger than its header says"
    return plain.raw[:size]


class Thrift:
    """Structs of the compact protocol as dictionaries by field number."""

    def __init__(self, data, at=0):
        self.data, self.at = data, at

    def byte(self):
        self.at += 1
        return self.data[self.at - 1]

    def varint(self):
        value = shift = 0
        while True:
            byte = self.byte()
            value |= (byte & 0x7f) << shift
            if byte < 0x80:
                return value
            shift += 7

    def zigzag(self):
        value = self.varint()
        return value >> 1 ^ -(value & 1)

    def value(self, kind):
        if kind in (1, 2):
            return kind == 1
        if kind in (4, 5, 6):
            return self.zigzag()
        if kind == 8:
            size = self.varint()
            self.at += size
            return bytes(self.data[self.at - size:self.at])
        if kind == 9:
            head = self.byte()
            count = head >> 4 if head >> 4 != 15 else self.varint()
            return [self.value(head & 15) for _ in range(count)]
        assert kind == 12, kind
        return self.struct()

    def struct(self):
        fields, last = {}, 0
        while (head := self.byte()) != 0:
            last = last + (head >> 4) if head >> 4 else self.zigzag()
            assert last not in fields
            fields[last] = self.value(head & 15)
        return fields


def unpack(data, count, width):
    """|count| numbers of |width| bits, from the lowest bit on, and how many bytes they take."""
    size = (count * width + 7) // 8
    assert len(data) >= size, "too few bytes"
    number, mask = int.from_bytes(data[:size], "little"), (1 << width) - 1
    text = [number >> (i * width) & mask for i in range(count)] if width else [0] * count
    return text, size


def read_runs(data, width, count):
    """The mixed encoding of runs and packed bits."""
    reader, values = Thrift(data), []
    while len(values) < count:
        head = reader.varint()
        if head & 1:
            more, size = unpack(data[reader.at:], (head >> 1) * 8, width)
            values += more
        else:
            size = (width + 7) // 8
            values += [int.from_bytes(data[reader.at:reader.at + size], "little")] * (head >> 1)
        reader.at += size
    assert reader.at == len(data), "bytes behind the values"
    assert len(values) - count < 8 and not any(values[count:])
    return values[:count]


def read_deltas(data, count):
    reader = Thrift(data)
    block, pieces, total, value = reader.varint(), reader.varint(), reader.varint(), reader.zigzag()
    assert total == count and block % 128 == 0 and block % pieces == 0
    values, size = [value], block // pieces
    while len(values) < total:
        least = reader.zigzag()
        widths = [reader.byte() for _ in range(pieces)]
        for width in widths:
            if len(values) >= total:
                break
            deltas, taken = unpack(data[reader.at:], size, width)
            reader.at += taken
            for delta in deltas[:total - len(values)]:
                value = (value + least + delta + (1 << 63)) % (1 << 64) - (1 << 63)
                values.append(value)
    assert reader.at == len(data)
    return values


def read_plain(data, kind, count):
    if kind == INT64:
        return list(struct.unpack(f"<{count}q", data))
    if kind == DOUBLE:
        return list(struct.unpack(f"<{count}d", data))
    if kind == BOOLEAN:
        assert len(data) == (count + 7) // 8
        return [bool(data[i // 8] >> i % 8 & 1) for i in range(count)]
    values, at = [], 0
    for _ in range(count):
        size = struct.unpack_from("<I", data, at)[0]
        values.append(data[at + 4:at + 4 + size].decode())
        assert at + 4 + size <= len(data)
        at += 4 + size
    assert at == len(data)
    return values


def read_page(data, at):
    reader = Thrift(data, at)
    header = reader.struct()
    packed = data[reader.at:reader.at + header[3]]
    plain = decompress(packed, header[2])
    assert len(plain) == header[2], "the page has another size than its header says"
    return header, plain, reader.at + header[3], reader.at - at + header[2]


def read_data(header, plain, kind, dictionary):
    facts = header[5]
    count, encoding = facts[1], facts[2]
    assert facts[3] == RLE and facts[4] == RLE
    size = struct.unpack_from("<I", plain)[0]
    levels = read_runs(plain[4:4 + size], 1, count)
    rest, present = plain[4 + size:], sum(levels)
    if encoding == DICTIONARY:
        values = [dictionary[i] for i in read_runs(rest[1:], rest[0], present)]
    elif encoding == DELTA:
        assert kind == INT64
        values = read_deltas(rest, present)
    else:
        assert encoding == PLAIN
        values = read_plain(rest, kind, present)
    values = iter(values)
    return [next(values) if level else None for level in levels], encoding


def as_bound(value, kind):
    return struct.unpack("<q", value)[0] if kind == INT64 else value.decode()


def check_statistics(facts, values, kind):
    statistics, present = facts[12], [value for value in values if value is not None]
    assert statistics[3] == len(values) - len(present)
    if 5 in statistics:
        order = (lambda text: text.encode()) if kind == BYTE_ARRAY else None
        assert as_bound(statistics[5], kind) == max(present, key=order)
        assert as_bound(statistics[6], kind) == min(present, key=order)


def read_chunk(data, chunk, kind, name):
    facts = chunk[3]
    assert facts[1] == kind and facts[3] == [name.encode()] and facts[4] == 6
    at, dictionary, plain_bytes = facts.get(11, facts[9]), None, 0
    start = at
    if 11 in facts:
        header, plain, at, size = read_page(data, at)
        assert header[1] == 2 and header[7][2] == PLAIN and at == facts[9]
        dictionary = read_plain(plain, kind, header[7][1])
        assert len(set(dictionary)) == len(dictionary), "a text is in the dictionary twice"
        plain_bytes += size
    header, plain, at, size = read_page(data, at)
    assert header[1] == 0
    values, encoding = read_data(header, plain, kind, dictionary)
    assert encoding in facts[2] and RLE in facts[2]
    assert at - start == facts[7] and plain_bytes + size == facts[6] and facts[5] == len(values)
    check_statistics(facts, values, kind)
    return values, at


def read(path, wanted=None):
    """Names -> values of all columns, or of those |wanted|; facts of the file; rows of each group."""
    with open(path, "rb") as file:
        data = file.read()
    assert data[:4] == data[-4:] == b"PAR1"
    size = struct.unpack_from("<I", data, len(data) - 8)[0]
    reader = Thrift(data, len(data) - 8 - size)
    footer = reader.struct()
    assert reader.at == len(data) - 8, "bytes behind the footer"
    root, *leaves = footer[2]
    assert root[5] == len(leaves) == len(footer[7])
    names = [leaf[4].decode() for leaf in leaves]
    assert len(set(names)) == len(names)
    columns, end = {name: [] for name in names}, 4
    for group in footer[4]:
        for leaf, name, chunk in zip(leaves, names, group[1]):
            assert leaf[3] == 1 and (leaf[1] != BYTE_ARRAY or leaf[6] == 0)
            assert chunk[3].get(11, chunk[3][9]) == end, "chunks do not follow one another"
            end += chunk[3][7]
            if wanted is None or name in wanted:
                values, stop = read_chunk(data, chunk, leaf[1], name)
                assert stop == end and len(values) == group[3]
                columns[name] += values
    assert end == len(data) - 8 - size, "bytes between the last chunk and the footer"
    assert sum(group[3] for group in footer[4]) == footer[3]
    facts = {fact[1].decode(): fact[2].decode() for fact in footer.get(5, [])}
    return columns, facts, [group[3] for group in footer[4]]
