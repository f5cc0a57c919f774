#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Memory in proportion: what inputs of many names, processes, threads and equal times take at most.

    check_memory.py TACHO

Inputs are made by gen_odd.py. Limits are MB of resident memory and between what such an input takes
and what it took before structures were made smaller."""
import csv
import io
import os
import subprocess
import sys
import tempfile

sys.dont_write_bytecode = True
import gen_odd  # noqa: E402 pylint: disable=wrong-import-position

TACHO = os.path.abspath(sys.argv[1])
IS_SANITISED = any(name in TACHO for name in ("asan", "tsan", "msan"))

# (shape, count): {command: MB at most}
LIMITS = {
    ("names", 300000): {"convert": 75, "ops": 150, "overview": 70, "breakdown": 60, "report": 100,
                        "info": 50},
    ("processes", 20000): {"convert": 50, "ops": 52, "overview": 50, "breakdown": 46, "report": 110,
                           "info": 60},
    ("threads", 20000): {"convert": 35, "ops": 38, "overview": 36, "breakdown": 30, "report": 90,
                         "info": 60},
    ("ties", 300000): {"convert": 40, "ops": 47, "overview": 45, "breakdown": 45, "report": 75,
                       "info": 30},
}
failures = []


def require(condition, message):
    if not condition:
        failures.append(message)
        print(f"FAIL {message}", file=sys.stderr)


def run(*words):
    """(exit status, standard output, standard error, MB at most)."""
    with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err:
        child = subprocess.Popen([TACHO, *words], stdout=out, stderr=err)
        _, status, usage = os.wait4(child.pid, 0)
        child.returncode = os.waitstatus_to_exitcode(status)
        out.seek(0)
        err.seek(0)
        return child.returncode, out.read().decode(), err.read().decode(), usage.ru_maxrss * 1024 / 1e6


def check_shape(shape, count, limits):
    path = f"{shape}.json"
    with open(path, "w", encoding="ascii") as file:
        gen_odd.write(shape, count, file)
    for command, limit in limits.items():
        more = {"convert": ["-o", "out.pb"], "report": ["-o", "out.html"]}.get(command, [])
        status, _, err, peak = run(command, path, "-q", *more)
        require(status == 0, f"{command} of {count} {shape}: exit status {status}: {err}")
        require(IS_SANITISED or peak <= limit,
                f"{command} of {count} {shape}: {peak:.0f} MB, at most {limit}")
        print(f"{command} of {count} {shape}: {peak:.0f} MB")


def check_top():
    """The top rows are those of the whole table, though not all rows are in memory at once."""
    for order in ("self", "name"):
        rows = {}
        for top in ("7", "0"):
            status, out, _, _ = run("ops", "names.json", "--csv", "--top", top, "--sort", order)
            require(status == 0, f"ops --top {top}: exit status {status}")
            rows[top] = list(csv.reader(io.StringIO(out)))
        require(len(rows["0"]) == 300002, f"ops --top 0: {len(rows['0'])} rows")
        require(rows["7"] == rows["0"][:8], f"ops --top 7 --sort {order} differs from --top 0")
        share = rows["7"][0].index("share_percent")
        require(order == "name" or rows["7"][1][share] == "50.00", f"not half: {rows['7'][1]}")
    _, _, err, _ = run("ops", "names.json")
    require("299981 more rows" in err, f"ops: {err}")


def check_limit():
    """What needs more than --memory or TACHO_MEMORY is refused, near the limit and by its name."""
    full = "tacho: error: the memory limit of 32.0 MiB is reached: "
    for words in (["ops", "names.json"], ["convert", "names.json", "-o", "out.pb"],
                  ["report", "processes.json", "-o", "out.html"],
                  ["query", "ties.json", "WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x + 1 "
                   "FROM c LIMIT 9000000) SELECT x FROM c"]):
        status, _, err, peak = run(*words, "-q", "--memory", "32M")
        require(status == 1 and err.startswith(full) and "; --memory SIZE allows more" in err,
                f"{words[0]} --memory 32M: exit status {status}: {err}")
        require("names and" in err, f"{words[0]} --memory 32M does not name what it held: {err}")
        require(IS_SANITISED or peak < 60, f"{words[0]} --memory 32M: {peak:.0f} MB")
    require(run("ops", "names.json", "-q", "--memory", "1G")[0] == 0, "ops --memory 1G fails")
    os.environ["TACHO_MEMORY"] = "32M"
    require(run("ops", "names.json", "-q")[2].startswith(full), "TACHO_MEMORY=32M does not limit ops")
    require(run("ops", "names.json", "-q", "--memory", "none")[0] == 0, "--memory none fails")
    os.environ["TACHO_MEMORY"] = "much"
    status, _, err, _ = run("ops", "names.json", "-q")
    require(status == 2 and "TACHO_MEMORY: not a size of memory: 'much'" in err, f"much: {err}")
    del os.environ["TACHO_MEMORY"]


def check_bombs():
    """A few bytes that ask for much: refused near 256 MiB, unless the user chose a limit."""
    line = b'{"ph":"X","name":"a","pid":1,"tid":1,"ts":5,"dur":1},\n' * 100000
    with open("bomb.json.zst", "wb") as file:
        packer = subprocess.Popen(["zstd", "-q", "-c"], stdin=subprocess.PIPE, stdout=file)
        packer.stdin.write(b'{"traceEvents":[\n')
        for _ in range(150):
            packer.stdin.write(line)
        packer.stdin.write(b'{"ph":"X","name":"last","pid":1,"tid":1,"ts":60,"dur":1}]}\n')
        packer.stdin.close()
        require(packer.wait() == 0, "zstd fails")
    size = os.path.getsize("bomb.json.zst")
    require(size < 100000, f"a bomb of {size} bytes")
    refused = "MiB for inputs that unpack to more than 200 times their size is reached"
    for words in (["ops"], ["convert", "-o", "bomb.pb"], ["report", "-o", "bomb.html"]):
        status, _, err, peak = run(words[0], "bomb.json.zst", "-q", *words[1:])
        require(status == 1 and refused in err and "; --memory SIZE allows more" in err,
                f"{words[0]} of a bomb: exit status {status}: {err}")
        require(IS_SANITISED or peak < 400, f"{words[0]} of a bomb: {peak:.0f} MB")
        require(words[-1] == "ops" or not os.path.exists(words[-1]), f"{words[-1]} was written")
    require(run("info", "bomb.json.zst", "-q")[0] == 0, "info, which holds nothing, is refused")
    require(run("ops", "bomb.json.zst", "-q", "--memory", "2G")[0] == 0, "ops --memory 2G of a bomb fails")


def check_query():
    """The result of a statement may take 256 MiB and twice its profile, unless a limit was chosen."""
    with open("one.json", "w", encoding="ascii") as file:
        gen_odd.write("names", 1, file)
    rows = "WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c%s) SELECT x FROM c"
    for limit in ("", " LIMIT 20000000"):
        status, _, err, peak = run("query", "one.json", rows % limit, "-q")
        require(status == 1 and "the SQL statement: the memory limit of 2" in err and
                "; --memory SIZE allows more" in err, f"query of rows{limit}: {status}: {err}")
        require(IS_SANITISED or peak < 330, f"query of rows{limit}: {peak:.0f} MB")
    nowhere = ["-q", "-o", os.devnull]
    require(run("query", "one.json", rows % " LIMIT 2000000", *nowhere)[0] == 0, "2 million rows are refused")
    require(run("query", "one.json", rows % " LIMIT 9000000", *nowhere, "--memory", "2G")[0] == 0,
            "9 million rows with --memory 2G are refused")


FILLED = """func.func @main(%x: tensor<1xf32>) -> tensor<{0}xf32> {{
  %t = tosa.const_shape {{values = dense<{0}> : tensor<1xindex>}} : () -> !tosa.shape<1>
  %0 = tosa.tile %x, %t : (tensor<1xf32>, !tosa.shape<1>) -> tensor<{0}xf32>
  %c = "tosa.const"() <{{values = dense<2.0> : tensor<{1}xf32>}}> : () -> tensor<{1}xf32>
  %1 = tosa.{2} : (tensor<{0}xf32>, tensor<{1}xf32>) -> tensor<{0}xf32>
  return %1 : tensor<{0}xf32>
}}
"""


def check_models():
    """Tensors that a model of a few bytes asks for are refused before there is memory for them."""
    count = 1 << 26
    for constant, note in (1, "the largest tensor is '"), (count, "the constant tensor '"):
        with open("filled.mlir", "w", encoding="ascii") as file:
            file.write(FILLED.format(count, constant, "add %0, %c"))
        words = ("run", "filled.mlir", "--device", "cpu", "-q", "--no-tables")
        status, _, err, peak = run(*words, "--memory", "200M")
        require(status == 1 and "the memory limit of 200.0 MiB" in err and note in err and
                "268435456 bytes" in err, f"run of {note}: exit status {status}: {err}")
        require(IS_SANITISED or peak < 100, f"run of {note}: {peak:.0f} MB")
        status, _, err, _ = run(*words, "--memory", "2G")
        require(status == 0, f"run --memory 2G: exit status {status}: {err}")


def main():
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        for (shape, count), limits in LIMITS.items():
            check_shape(shape, count, limits)
        check_limit()
        check_bombs()
        check_query()
        check_models()
        check_top()  # last: a child starts with the memory of this process
        os.chdir("/")
    sys.exit(1 if failures else 0)


main()
