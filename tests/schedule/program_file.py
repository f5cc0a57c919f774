# SPDX-License-Identifier: Apache-2.0
"""Reads program files: the container, then the tables of the image in it (docs/program.md).

It shares nothing with the reader that it checks: layouts are written down again here, and a table
whose records have another size than these say is refused.
"""
import struct

NONE = 0xFFFFFFFF
JOB_KINDS = ("load", "store", "copy", "compute", "control", "signal", "wait", "p2p")

_FACTS = ("name:I machine:I machine_text:I model_path:I device_count:I core_count:I thread_count:I "
          "batch_size:I hardware:I grid_width:I total_cycles:q core_clock_hz:Q timer_hz:Q local_bytes:Q "
          "local_peak_bytes:Q ddr_bytes:Q constant_bytes:Q moved_bytes:Q")
_TABLES = {
    "tensors": "name:I dtype:H storage:H offset:Q bytes:Q shape:I kept:H is_local:H",
    "steps": "op:I type:I opset:i first_link:I input_count:H output_count:H first_attr:I "
             "attr_count:I when:I",
    "ops": "name:I type:I location:I kind:I first_step:I step_count:I first_job:I job_count:I "
           "dispatch:I macs:Q input_bytes:Q weight_bytes:Q output_bytes:Q cycles:q",
    "engines": "name:I class_name:I device:H core:H index:H thread:H is_sequenced:I "
               "issue_cycles:I",
    "jobs": "op:I engine:I kind:H readers:H tile:I block:I first_need:I need_count:I buffer:I "
            "partner:I cycles:q start:q end:q bytes:Q macs:Q first_region:I region_count:I",
    "needs": "job:I is_false:I lag:q",
    "buffers": "memory:I device:H core:H offset:Q bytes:Q first_job:I last_job:I role:I tensor:I "
               "first_extent:I extent_count:I",
    "regions": "tensor:I buffer:I access:H extent_count:H first_extent:I bytes:Q",
    "extents": "offset:Q size:Q of:Q",
    "blocks": "name:I dispatch:I first_job:I job_count:I start_action:I wait_action:I",
    "links": "tensor:I",
    "inputs": "tensor:I",
    "outputs": "tensor:I",
}
# What programs had before jobs said what they touch: such a program is read, too, so that the rules
# can say what is wrong with it.
_OLD_JOBS = ("op:I engine:I kind:H readers:H tile:I block:I first_need:I need_count:I buffer:I "
             "repeat:I partner:I cycles:q start:q end:q bytes:Q macs:Q")
_OLD_TABLES = {
    "tensors": ["name:I dtype:H storage:H offset:Q bytes:Q rank:i dims:8q",
                "name:I dtype:H storage:H offset:Q bytes:Q rank:i dims:8q kept:I is_local:I"],
    "jobs": [_OLD_JOBS, _OLD_JOBS + " first_region:I region_count:I"],
    "buffers": ["memory:I device:H core:H offset:Q bytes:Q first_job:I last_job:I"],
}
_TEXTS = {"tensors": ("name",), "steps": ("type",), "ops": ("name", "type", "location", "kind"),
          "engines": ("name", "class_name"), "buffers": ("memory",), "blocks": ("name",),
          "facts": ("name", "machine", "machine_text", "model_path", "hardware")}


class Record:
    def __init__(self, fields):
        self.__dict__.update(fields)


def segments(data):
    magic, major, minor, form, size, base, count, table = struct.unpack_from("<IBBHQQQQ", data)
    if (magic, major, minor, form, size) != (0xA1CD7C, 0, 1, 1, len(data)):
        raise ValueError("not a whole program file")
    found = {}
    for i in range(count):
        length, _, name, place = struct.unpack_from("<4Q", data, table - base + 32 * i)
        end = data.index(b"\0", name - base)
        found[data[name - base:end].decode()] = data[place - base:place - base + length]
    return found


def _layout(spec):
    names, codes = [], []
    for field in spec.split():
        name, code = field.split(":")
        names.append((name, int(code[:-1]) if len(code) > 1 else 1))
        codes.append(code)
    return names, struct.Struct("<" + "".join(codes))


def _records(name, spec, section, count):
    names, layout = _layout(spec)
    for old in _OLD_TABLES.get(name, ()):
        if count and len(section) == count * _layout(old)[1].size:
            names, layout = _layout(old)
    if count and len(section) != count * layout.size:
        raise ValueError(f"table {name}: records of {layout.size} bytes expected, found "
                         f"{len(section) // count}; this reader does not know the layout")
    for values in layout.iter_unpack(section):
        fields, at = {}, 0
        for field, width in names:
            fields[field] = values[at] if width == 1 else values[at:at + width]
            at += width
        yield Record(fields)


def _strings(section, count):
    lengths = struct.unpack_from(f"<{count}I", section)
    texts, at = [], 4 * count
    for length in lengths:
        texts.append(section[at:at + length].decode("utf-8", "surrogateescape"))
        at += length
    return texts


def read(path):
    """A Record with |facts| and the tables as lists; ids of texts are replaced by the texts."""
    with open(path, "rb") as file:
        image = segments(file.read())["network.elf"]
    magic, _, count = struct.unpack_from("<8sII", image)
    if magic != b"TachoPrg":
        raise ValueError("not a program of tacho")
    sections = {}
    for i in range(count):
        name, offset, length, records = struct.unpack_from("<16s3Q", image, 32 + 40 * i)
        sections[name.rstrip(b"\0").decode()] = (image[offset:offset + length], records)
    texts = _strings(*sections["strings"])
    names, layout = _layout(_FACTS)
    program = Record({})
    facts = dict(zip((n for n, _ in names), layout.unpack_from(sections["facts"][0])))
    program.facts = Record(facts)
    for name, spec in _TABLES.items():
        section = sections.get(name, (b"", 0)) if name in ("regions", "extents") else sections[name]
        setattr(program, name, list(_records(name, spec, *section)))
    for table, fields in _TEXTS.items():
        for record in [program.facts] if table == "facts" else getattr(program, table):
            for field in fields:
                setattr(record, field, texts[getattr(record, field)])
    return program
