#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Connections to a board that flip a bit, break off or fall silent, at many places and both ways.

Whatever happens to the connection, the run ends soon, with the result of an undamaged one or with exit status 1, a
message and no file; and the board ends, too. The connection is this file under the name `ssh`: it runs the command on
this computer and passes bytes on, but for what TACHO_DAMAGE says: "there|back flip|cut|silence OFFSET".

    tests/remote/damage.py BUILD_DIR"""
import concurrent.futures
import itertools
import os
import pathlib
import shutil
import struct
import subprocess
import sys
import tempfile
import threading
import time

HEADER = 32
SILENCE_S, PATIENCE_S = 2, 60
MODEL = pathlib.Path(__file__).resolve().parent.parent / "data/run/pair.mlir"


# ---- the connection -----------------------------------------------------------------------------

class Line:
    """One direction: passes bytes of |source| on to |sink|, and damages them."""

    def __init__(self, name, source, sink, log):
        self.name, self.source, self.sink, self.log = name, source, sink, log
        where, self.what, offset = os.environ.get("TACHO_DAMAGE", "none none 0").split()
        self.at, self.left = 0, int(offset) if where == name else None

    def carry(self, silence):
        while data := os.read(self.source, 1 << 16):
            if silence.is_set():
                continue
            end = self.at + len(data)
            if self.left is not None and self.at <= self.left < end:
                if self.what == "flip":
                    data = bytearray(data)
                    data[self.left - self.at] ^= 1 << (self.left % 8)
                else:
                    data = data[:self.left - self.at]
                    silence.set()
            self.at = end
            with open(self.log, "ab") as log:
                log.write(data)
            try:
                os.write(self.sink, data)
            except BrokenPipeError:
                return
            if silence.is_set() and self.what == "cut":
                os._exit(255)
        if not silence.is_set():
            os.close(self.sink)


def connect(command):
    """What ssh would do."""
    folder = os.environ["TACHO_BOARD"]
    os.chdir(folder + "/home")
    board = subprocess.Popen(["/bin/sh", "-c", command], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                             env={**os.environ, "HOME": folder + "/home", "TACHO_BOARD_LOCK": folder + "/lock"})
    silence = threading.Event()
    there = Line("there", 0, board.stdin.fileno(), folder + "/there")
    back = Line("back", board.stdout.fileno(), 1, folder + "/back")
    answers = threading.Thread(target=back.carry, args=(silence,), daemon=True)
    answers.start()
    requests = threading.Thread(target=there.carry, args=(silence,), daemon=True)
    requests.start()
    (requests if silence.is_set() else answers).join()
    if silence.is_set():
        requests.join()
    os._exit(board.wait() if not silence.is_set() else 255)


# ---- runs ---------------------------------------------------------------------------------------

class Bench:
    """Runs, each on a board of its own that has the runtime already."""

    def __init__(self, build, work):
        self.tacho = build / "bin/tacho"
        self.runtime = build / "lib/tacho" / ("board-" + os.uname().machine)
        self.work = work
        self.numbers = itertools.count()
        (work / "bin").mkdir()
        (work / "bin/ssh").write_text('#!/bin/sh\nexec %s -IS %s "$@"\n' % (sys.executable, os.path.abspath(__file__)))
        (work / "bin/ssh").chmod(0o755)

    def run(self, timeout_s, damage="none none 0"):
        """(folder, exit status, standard error) of a run whose connection has |damage|."""
        number = next(self.numbers)
        folder = self.work / str(number)
        second = "-" if number % 2 else "@%s/o1.npy" % (folder / "out")
        (folder / "home").mkdir(parents=True)
        (folder / "out").mkdir()
        (folder / "home/tacho-board").symlink_to(self.runtime)
        env = {**os.environ, "PATH": "%s:%s" % (self.work / "bin", os.environ["PATH"]), "TACHO_BOARD": str(folder),
               "TACHO_DAMAGE": damage}
        done = subprocess.run(
            [self.tacho, "run", MODEL, "--host", "board", "--board-path", "./tacho-board", "--timeout", str(timeout_s),
             "--output", "@%s/o0.npy" % (folder / "out"), "--output", second, "-q"],
            env=env, stdin=subprocess.DEVNULL, capture_output=True, text=True, errors="replace", timeout=2 * PATIENCE_S,
            check=False)
        return folder, done.returncode, done.stderr


def files_in(folder):
    return {path.name: path.read_bytes() for path in sorted((folder / "out").iterdir())}


def boundaries(stream):
    """(where messages begin, offsets of messages and the end) of the bytes of one direction."""
    first = at = stream.index(b"TBR2")
    found = [at]
    while at < len(stream):
        at += HEADER + struct.unpack_from("<Q", stream, at + 8)[0]
        found.append(at)
    return first, found


def places(stream):
    """(damages that are tried, by what they do: offsets)."""
    first, messages = boundaries(stream)
    spread = range(first + 1, len(stream), max(1, len(stream) // 11))
    return {"flip": sorted({*range(0, first, 9), 7, 20, 42, *spread, *(at + 8 for at in messages[:-1])}),
            "cut": sorted({*range(0, len(stream), max(1, len(stream) // 5)), *messages[:-1]}),
            "silence": sorted({0, 3, *messages[:-1]})}


def judge(bench, wanted, ends, damage):
    """What is wrong with a run whose connection has |damage|, or None. |ends|: the first message and the last one,
    which is a goodbye: what becomes of it changes nothing."""
    _, what, offset = damage.split()
    is_waited_for = what == "silence" or what == "flip" and int(offset) < ends[0]  # text that a shell waits for
    folder, status, errors = bench.run(SILENCE_S if is_waited_for else PATIENCE_S, damage)
    is_harmless = int(offset) >= ends[1] or what == "flip" and int(offset) < ends[0]
    if status == 0:
        found = files_in(folder)
        is_same = "o0.npy" in found and all(wanted[name] == value for name, value in found.items())
        return None if is_harmless and is_same else "an undamaged result, or another one"
    if status != 1 or "board: " not in errors and "board," not in errors:
        return "exit status %d: %s" % (status, errors)
    if list((folder / "out").iterdir()):
        return "a file is written: %s" % errors
    if what == "silence" and "no answer for %d s while " % SILENCE_S not in errors:
        return "silence is not called that: %s" % errors
    if what == "flip" and int(offset) >= ends[0] and "damaged on its way" not in errors and \
            "not a message of a tacho runtime" not in errors:
        return "damage is not called that: %s" % errors
    names = sorted(os.listdir(folder / "home"))
    return None if names == ["tacho-board"] else "left on the board: %s" % names


# ---- the board's own deadline --------------------------------------------------------------------

def crc32c(data):
    crc = 0xffffffff
    for byte in data:
        crc ^= byte
        for _ in range(8):
            crc = crc >> 1 ^ (0x82f63b78 if crc & 1 else 0)
    return crc ^ 0xffffffff


def message(kind, payload):
    head = b"TBR2" + struct.pack("<IQQI", kind, len(payload), 0, crc32c(payload))
    return head + struct.pack("<I", crc32c(head)) + payload


def leave_board(runtime, work):
    """A host that has claimed the board, and to which silence of 1 s is too much, may think for longer; but one that
    stops in the middle of a message is gone after twice as long."""
    board = subprocess.Popen([runtime], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                             env={**os.environ, "TACHO_BOARD_LOCK": str(work / "left")})
    claim = message(2, struct.pack("<QQQ", 0, 1, 2) + b"me")
    board.stdin.write(claim)
    board.stdin.flush()
    time.sleep(2.5)
    if board.poll() is not None:
        return ["the board left a host that was thinking: %d" % board.returncode]
    board.stdin.write(claim[:HEADER + 3])
    board.stdin.flush()
    began = time.monotonic()
    try:
        status = board.wait(PATIENCE_S)
    except subprocess.TimeoutExpired:
        board.kill()
        return ["the board waits for the rest of a message for ever"]
    finally:
        board.stdin.close()
        board.stdout.close()
    took = time.monotonic() - began
    return [] if status == 1 and took > 1.5 else ["the board ended with %d after %.1f s" % (status, took)]


def still_runs(work):
    found = []
    for entry in os.listdir("/proc"):
        try:
            if entry.isdigit() and os.readlink("/proc/%s/cwd" % entry).startswith(str(work)):
                found.append(entry)
        except OSError:
            pass
    return found


def check(build, work):
    bench = Bench(build, work)
    folder, status, errors = bench.run(PATIENCE_S)
    wanted = files_in(folder)
    if status != 0 or sorted(wanted) != ["o0.npy", "o1.npy"]:
        print("the undamaged run failed: %s" % errors)
        return 1
    damages, ends = [], {}
    for way in ("there", "back"):
        stream = (folder / way).read_bytes()
        first, messages = boundaries(stream)
        ends[way] = first, messages[-2]
        damages += ["%s %s %d" % (way, what, at) for what, offsets in places(stream).items() for at in offsets]
    with concurrent.futures.ThreadPoolExecutor(16) as pool:
        left = pool.submit(leave_board, bench.runtime, work)
        verdicts = list(pool.map(lambda damage: judge(bench, wanted, ends[damage.split()[0]], damage), damages))
    problems = ["%s: %s" % pair for pair in zip(damages, verdicts) if pair[1]]
    problems += left.result()
    until = time.monotonic() + PATIENCE_S
    while still_runs(work) and time.monotonic() < until:
        time.sleep(0.1)
    problems += ["process %s still runs" % number for number in still_runs(work)]
    print("\n".join(problems + ["%d connections, %d problems" % (len(damages), len(problems))]))
    return 1 if problems else 0


def main():
    if os.path.basename(sys.argv[0]) == "damage.py" and len(sys.argv) == 2:
        work = pathlib.Path(tempfile.mkdtemp(prefix="tacho-damage."))
        try:
            return check(pathlib.Path(sys.argv[1]).resolve(), work)
        finally:
            shutil.rmtree(work)
    return connect(sys.argv[-1])


if __name__ == "__main__":
    sys.exit(main())
