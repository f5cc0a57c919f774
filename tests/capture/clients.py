#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Programs that report events, through the whole of 'tacho profile': killed, crashing, forking, many.

    clients.py BIN_DIR CLIENT_LOAD [--kills N]
"""
import fcntl
import json
import os
import random
import re
import signal
import socket
import struct
import subprocess
import sys
import tempfile
import time
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
import skips  # pylint: disable=wrong-import-position

BIN, LOAD = os.path.abspath(sys.argv[1]), os.path.abspath(sys.argv[2])
TACHO = f"{BIN}/tacho"
WIRE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../src/client/wire.h")
with open(WIRE, encoding="utf-8") as wire_file:
    WIRE_VERSION = int(re.search(r"TACHO_WIRE_VERSION = (\d+)", wire_file.read()).group(1))
KILLS = 12
if "--kills" in sys.argv:
    at = sys.argv.index("--kills")
    KILLS = int(sys.argv[at + 1])
    del sys.argv[at:at + 2]


MODEL = """module {
  func.func @main(%a: tensor<1x64x64xf32>, %b: tensor<1x64x64xf32>) -> tensor<1x64x64xf32> {
    %z = "tosa.const"() {values = dense<0.0> : tensor<1xf32>} : () -> tensor<1xf32>
    %0 = tosa.matmul %a, %b, %z, %z : (tensor<1x64x64xf32>, tensor<1x64x64xf32>, tensor<1xf32>, tensor<1xf32>) -> tensor<1x64x64xf32>
    %1 = tosa.matmul %0, %b, %z, %z : (tensor<1x64x64xf32>, tensor<1x64x64xf32>, tensor<1xf32>, tensor<1xf32>) -> tensor<1x64x64xf32>
    %2 = tosa.matmul %1, %a, %z, %z : (tensor<1x64x64xf32>, tensor<1x64x64xf32>, tensor<1xf32>, tensor<1xf32>) -> tensor<1x64x64xf32>
    return %2 : tensor<1x64x64xf32>
  }
}
"""


class Clients(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory(prefix="tacho-clients.")
        self.at = self.folder.name
        self.addCleanup(self.folder.cleanup)

    def tacho(self, *words):
        return subprocess.run([TACHO, *words], cwd=self.at, capture_output=True, text=True, check=False,
                              timeout=300)

    def profile(self, *words):
        done = self.tacho("profile", "-o", "run.tacho", "--", *words)
        found = re.search(r"(\d+) process(?:es)? reported (\d+) events?, and dropped (\d+)", done.stderr)
        self.assertTrue(found, done.stderr)
        return done, *map(int, found.groups())

    def count(self, name, path="run.tacho", is_cut=False):
        """Spans of that name in the capture."""
        done = self.tacho("ops", path, "--top", "0", "--by", "type", "--json")
        self.assertIn(done.returncode, (0, 3) if is_cut else (0,), done.stderr)
        return sum(row["count"] for row in map(json.loads, done.stdout.splitlines())
                   if row.get("name", row.get("operation")) == name)

    def test_every_event_is_there(self):
        for threads, events in ((1, 1), (1, 100000), (4, 50000), (100, 50)):
            _, clients, taken, dropped = self.profile(LOAD, "zones", str(threads), str(events))
            self.assertEqual((clients, taken + dropped), (1, threads * events))
            self.assertEqual(self.count("work"), taken)

    def test_a_full_disk_is_counted(self):
        """What is lost and what is kept add up to what was reported, on a disk that is really full."""
        os.mkdir(f"{self.at}/disk")
        # Root needs no user namespace, and gets none in a chroot.
        unshare = ["unshare", "-m" if os.geteuid() == 0 else "-rm"]
        done = subprocess.run([*unshare, "mount", "-t", "tmpfs", "none", f"{self.at}/disk"],
                              capture_output=True, text=True, check=False)
        if done.returncode != 0:
            self.skipTest(f"no disk of our own can be mounted here: {done.stderr.strip()}")
        for size, keeps_some in ((16, False), (700, True), (2000, True)):
            line = (f"mount -t tmpfs -o size={size}k none disk && cd disk && "
                    f"{TACHO} profile -o full.tacho -- {LOAD} zones 16 50000; echo status $?; ls; "
                    f"for i in *.partial; do {TACHO} info --json -q $i; {TACHO} ops --top 0 --json -q $i; done")
            done = subprocess.run([*unshare, "sh", "-c", line], cwd=self.at, capture_output=True,
                                  text=True, check=False, timeout=300)
            self.assertIn("status 0\n", done.stdout)  # that of the program
            self.assertIn("No space left on device", done.stderr)
            self.assertNotIn("full.tacho\n", done.stdout)
            found = re.search(r"(\d+) events? could not be stored, (\d+) before that are kept", done.stderr)
            self.assertTrue(found, done.stderr)
            lost, kept = map(int, found.groups())
            # Beside the 800,000 zones: what a look at one process gives, twenty times a second or so.
            self.assertIn(lost + kept - 800000, range(1, 1000), done.stderr)
            self.assertGreater(lost, 0)
            self.assertEqual(kept > 0, keeps_some, done.stderr)
            rows = [json.loads(row) for row in done.stdout.splitlines() if row.startswith("{")]
            self.assertEqual(sum(row["events"] for row in rows if row["table"] == "inputs"), kept)
            zones = sum(row["count"] for row in rows if row.get("operation") == "work")
            self.assertIn(kept - zones, range(1000))

    def test_a_collector_that_is_none(self):
        """A program lives on whatever is at the end of its socket."""
        segment_bytes = 4096 + (1 << 15) * 8 + (8 << 20) + 64 * (4096 + (1 << 18) * 32)
        welcome = struct.pack("<IIQ", 0x656d6c57, WIRE_VERSION, segment_bytes)
        for size, is_sealed, answer in ((4096, True, welcome), (segment_bytes, False, welcome),
                                        (segment_bytes, True, welcome[:7]), (0, True, b"")):
            path = f"{self.at}/socket{size}{is_sealed}{len(answer)}"
            with socket.socket(socket.AF_UNIX) as server:
                server.bind(path)
                server.listen()
                with subprocess.Popen([LOAD, "zones", "1", "1000"],
                                      env={**os.environ, "TACHO_COLLECTOR": path}) as child:
                    peer, _ = server.accept()
                    memory = os.memfd_create("test", os.MFD_ALLOW_SEALING)
                    os.ftruncate(memory, size)
                    if is_sealed:
                        fcntl.fcntl(memory, fcntl.F_ADD_SEALS, fcntl.F_SEAL_SHRINK)
                    peer.recv(16)
                    if answer:
                        socket.send_fds(peer, [answer], [memory])
                    peer.close()
                    self.assertEqual(child.wait(timeout=300), 0)
                    os.close(memory)

    def test_a_port_that_names_a_file(self):
        """Whoever listens at the port by now: no file of ours is written over."""
        segment_bytes = 4096 + (1 << 15) * 8 + (8 << 20) + 64 * (4096 + (1 << 18) * 32)
        with open(f"{self.at}/precious", "w+b") as precious, socket.socket() as server:
            precious.truncate(segment_bytes)  # a hole
            server.bind(("127.0.0.1", 0))
            server.listen()
            with subprocess.Popen([LOAD, "zones", "1", "1000"], env={
                    **os.environ, "TACHO_COLLECTOR": f"127.0.0.1:{server.getsockname()[1]}"}) as child:
                peer, _ = server.accept()
                peer.recv(16)
                peer.send(struct.pack("<IIQII", 0x656d6c57, WIRE_VERSION, segment_bytes, os.getpid(), precious.fileno()))
                peer.close()
                self.assertEqual(child.wait(timeout=300), 0)
            self.assertEqual(os.stat(f"{self.at}/precious").st_blocks, 0)

    def test_children_and_new_programs(self):
        _, clients, taken, dropped = self.profile(LOAD, "fork", "64", "1000")
        self.assertEqual((clients, taken, dropped), (64, 64000, 0))
        _, clients, taken, dropped = self.profile(LOAD, "exec", "700")
        self.assertEqual((clients, taken, dropped), (1, 1400, 0), "a new program in the same process")

    def test_256_programs_at_once(self):
        """All are served, if not at once, then on a computer that is less busy; who is not is always told of."""
        for port in ((), ("-p", "0")):
            for _ in range(5):
                done = self.tacho("profile", "-q", "-o", "run.tacho", *port, "--", LOAD, "fork", "256", "40")
                self.assertEqual(done.returncode, 0, done.stderr)
                told = sum(map(int, re.findall(r"(\d+) (?:connections?|requests?) to ", done.stderr)))
                self.assertEqual(self.count("work") + told * 40, 256 * 40, done.stderr)
                if told == 0:
                    break
            self.assertEqual(told, 0, done.stderr)

    def test_live_on_a_terminal(self):
        """What happens is one line there, which is gone at the end, and lines elsewhere."""
        words = [TACHO, "profile", "-q", "--live", "--timeout", "2.5", "--", LOAD, "forever", "done"]
        done = subprocess.run(words, cwd=self.at, capture_output=True, text=True, check=False, timeout=60)
        lines = re.findall(r"^tacho: live: \d\.\d s: 1 process, \d+ events/s, \d+ dropped; .*$", done.stderr, re.M)
        self.assertGreaterEqual(len(lines), 1, done.stderr)
        self.assertNotIn("\033", done.stderr)
        ours, theirs = os.openpty()
        shown = b""
        with subprocess.Popen(words, cwd=self.at, stderr=theirs) as child:
            os.close(theirs)
            try:
                while chunk := os.read(ours, 4096):
                    shown += chunk
            except OSError:  # the other end is closed
                pass
            child.wait(timeout=60)
        os.close(ours)
        self.assertRegex(shown, rb"\r\033\[K\033\[\?7l\d\.\d s: 1 process, [^\n]*\033\[\?7h")
        self.assertRegex(shown, rb"\033\[\?7h\r\033\[K[^7]*$")
        self.assertNotIn(b"live:", shown)

    def test_a_port_that_is_taken(self):
        holder = socket.create_server(("127.0.0.1", 0))
        with holder:
            done = self.tacho("profile", "-p", str(holder.getsockname()[1]), "--", "touch", "ran")
        self.assertEqual(done.returncode, 125)
        self.assertIn(f"(process {os.getpid()})", done.stderr)
        self.assertFalse(os.path.exists(f"{self.at}/ran"))

    def test_programs_that_it_did_not_start(self):
        """A program elsewhere reports to the port; strangers who say anything else are refused."""
        outside = f"""
import os, socket, subprocess, sys
host, port = os.environ["TACHO_COLLECTOR"].split(":")
for text in (b"", b"Hllo", b"GET / HTTP/1.0\\r\\n\\r\\n", os.urandom(16), b"Hllo" + os.urandom(12), os.urandom(5000)):
    stranger = socket.create_connection((host, int(port)))
    stranger.sendall(text)
    if text:
        try:
            assert stranger.recv(100) == b"", text
        except ConnectionResetError:
            pass
waiting = [socket.create_connection((host, int(port))) for _ in range(50)]
subprocess.run([{LOAD!r}, "zones", "2", "500"], check=True, start_new_session=True)
"""
        done = self.tacho("profile", "-p", "0", "-o", "run.tacho", "--", sys.executable, "-c", outside)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("1 process reported 1000 events, and dropped 0", done.stderr)
        self.assertRegex(done.stderr, r"\d+ connections to the collector did not begin as libtacho-client does")

    def test_processes_alone(self):
        """A capture of programs that report nothing is no empty page."""
        self.tacho("profile", "-q", "-o", "run.tacho", "--", "sh", "-c", "sleep 1; exit 3")
        for verb in ("overview", "ops", "info"):
            done = self.tacho(verb, "run.tacho")
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertRegex(done.stdout, r"Processes\nProcess +PID.*\nsh -c sleep 1; exit 3 .* 3\n", verb)
            self.assertNotIn("OVERALL", done.stdout)
            rows = [json.loads(line) for line in self.tacho(verb, "run.tacho", "--json").stdout.splitlines()]
            self.assertEqual(len([row for row in rows if row["table"] == "processes"]), 2)
        self.assertEqual(self.tacho("report", "run.tacho", "-o", "run.html").returncode, 0)
        self.assertGreater(os.path.getsize(f"{self.at}/run.html"), 1000)

    def test_levels(self):
        for level, operators in (("0", 0), ("40", 0), ("70", 3), ("100", 3)):
            with open(f"{self.at}/model.mlir", "w", encoding="utf-8") as model:
                model.write(MODEL)
            self.tacho("profile", "-q", "--stats-level", level, "--tt-report", "ops.csv", "--", TACHO, "run",
                       "model.mlir", "--device", "sim:wormhole-n150", "-q")
            with open(f"{self.at}/ops.csv", encoding="utf-8") as table:
                self.assertEqual(len(table.readlines()), operators + 1, level)

    def test_one_of_everything(self):
        done, *counts = self.profile(LOAD, "op")
        self.assertEqual(counts, [1, 9, 0])
        self.assertIn("MatMul", done.stderr)
        info = self.tacho("info", "run.tacho").stdout
        for word in ("Device 0", "loss", "Lifetime"):
            self.assertIn(word, info)
        self.assertEqual(self.tacho("convert", "run.tacho", "-o", "run.json").returncode, 0)
        with open(f"{self.at}/run.json", encoding="utf-8") as trace:
            events = json.load(trace)["traceEvents"]
        device = [event for event in events if event["name"] == "MatMul" and event.get("dur") == 200]
        self.assertEqual(len(device), 1)
        self.assertEqual(device[0]["args"]["input_0"], "float32[8x16]")
        self.assertTrue(any(event["name"] == "epoch 1" for event in events))

    def test_live(self):
        child = subprocess.Popen([TACHO, "profile", "--live", "--", LOAD, "forever", "done"], cwd=self.at,
                                 stderr=subprocess.PIPE, text=True)
        pattern = re.compile(r"tacho: live: \d+\.\d s: 1 process, \d\d+ events/s, 0 dropped; work \d+ %\n")
        lines = []
        while len(lines) < 30 and not (lines and pattern.fullmatch(lines[-1])):  # one a second
            lines.append(child.stderr.readline())
        child.terminate()
        child.communicate(timeout=300)
        self.assertTrue(pattern.fullmatch(lines[-1]), lines)

    def test_a_crash_shows_what_was_open(self):
        done = self.tacho("profile", "-o", "run.tacho", "--", LOAD, "crash")
        self.assertEqual(done.returncode, 128 + signal.SIGABRT)
        self.assertEqual((self.count("outer"), self.count("inner")), (1, 1))

    def test_a_killed_program_loses_nothing(self):
        random_ = random.Random(4)
        for _ in range(KILLS):
            child = subprocess.Popen([TACHO, "profile", "-o", "run.tacho", "--", LOAD, "forever", "done"],
                                     cwd=self.at, stderr=subprocess.PIPE, text=True)
            self.wait_for_work()
            time.sleep(random_.uniform(0, 0.4))
            (pid,) = self.children(child.pid)
            os.kill(pid, signal.SIGKILL)
            _, err = child.communicate(timeout=300)
            self.assertEqual(child.returncode, 128 + signal.SIGKILL, err)
            complete = self.complete()
            found = self.count("work")
            dropped = int(re.search(r"dropped (\d+)", err).group(1))
            self.assertGreater(complete, 0)
            # Complete ones, and perhaps the one that was open.
            self.assertIn(found + dropped - complete, (0, 1), (found, dropped, complete))
            os.remove(f"{self.at}/done")

    def test_a_killed_collector_leaves_what_it_had(self):
        random_ = random.Random(5)
        for _ in range(max(3, KILLS // 3)):
            child = subprocess.Popen([TACHO, "profile", "-o", "run.tacho", "--", LOAD, "forever", "done"],
                                     cwd=self.at, stderr=subprocess.DEVNULL)
            self.wait_for_work()
            time.sleep(0.6 + random_.uniform(0, 0.5))
            before = self.complete()
            (name,) = [name for name in os.listdir(self.at) if name.endswith(".partial")]
            limit = time.monotonic() + 60  # a seal takes a quarter of a second, unless the computer is busy
            while time.monotonic() < limit and (os.path.getsize(f"{self.at}/{name}") == 0 or
                                                self.count("work", name, is_cut=True) < before):
                time.sleep(0.1)
            (pid,) = self.children(child.pid)
            child.kill()
            child.wait()
            time.sleep(0.05)
            os.kill(pid, signal.SIGKILL)  # it runs on without a collector
            self.assertGreaterEqual(self.count("work", name, is_cut=True), before)
            os.remove(f"{self.at}/{name}")
            os.remove(f"{self.at}/done")

    def complete(self):
        with open(f"{self.at}/done", "rb") as file:
            return struct.unpack("Q", file.read(8))[0]

    def wait_for_work(self):
        for _ in range(12000):
            if os.path.exists(f"{self.at}/done") and os.path.getsize(f"{self.at}/done") == 8 \
                    and self.complete() > 0:
                return
            time.sleep(0.01)
        self.fail("the program does not work")

    @staticmethod
    def children(pid):
        with open(f"/proc/{pid}/task/{pid}/children", encoding="utf-8") as file:
            return [int(word) for word in file.read().split()]

    def test_no_socket_can_be_had(self):
        env = {**os.environ, "TMPDIR": "/no/such/folder", "XDG_RUNTIME_DIR": "/no/such/folder"}
        done = subprocess.run([TACHO, "profile", "-o", "run.tacho", "--", LOAD, "zones", "1", "10"],
                              cwd=self.at, env=env, capture_output=True, text=True, check=False)
        self.assertEqual(done.returncode, 0, done.stderr)  # /tmp is there
        self.assertIn("reported 10 events", done.stderr)

    def test_nothing_is_left_behind(self):
        env = {**os.environ, "TMPDIR": self.at}
        env.pop("XDG_RUNTIME_DIR", None)
        for words in (("zones", "2", "10"), ("crash",)):
            subprocess.run([TACHO, "profile", "-q", "--", LOAD, *words], cwd="/", env=env, check=False)
            self.assertEqual(os.listdir(self.at), [])


if __name__ == "__main__":
    skips.main([sys.argv[0], *sys.argv[3:]])
