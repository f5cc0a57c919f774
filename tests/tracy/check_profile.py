# SPDX-License-Identifier: Apache-2.0
"""check_profile.py TACHO: `tacho profile` and Tracy clients, composed here.

One client; sixteen at once; among them those that hang, lie or are cut off. Each must be let go at
once, and all that they said must be in the capture.
"""
import csv
import json
import os
import socket
import struct
import subprocess
import sys
import tempfile
import time

from tracy_file import File

HERE = os.path.dirname(os.path.abspath(__file__))
ZONES = 40
PROTOCOL = 76
# Type bytes of protocol 76.
ZONE_TEXT, ZONE_BEGIN, ZONE_END, MESSAGE, THREAD_CONTEXT = 0, 15, 17, 2, 62
OP_JSON = {"global_call_count": 1024, "op_code": "MatmulOp", "op_type": "tt_dnn_device",
           "device_id": 0, "op_hash": 7, "attributes": {"a": "b"}, "input_tensors": [],
           "output_tensors": []}
OP_MESSAGE = '`TT_DNN_DEVICE_OP: "MatmulOp", 7, 0, false, 1024 ->\n%s`' % json.dumps(OP_JSON)
SINGLE_STRING, TERMINATE, SOURCE_LOCATION, STRING_DATA, THREAD_NAME = 99, 60, 74, 104, 105


def literals(data):
    """A raw LZ4 block that copies nothing."""
    count = len(data)
    head = bytes([min(count, 15) << 4])
    if count >= 15:
        rest = count - 15
        head += b"\xff" * (rest // 255) + bytes([rest % 255])
    return head + data


def block(data):
    packed = literals(data)
    return struct.pack("<I", len(packed)) + packed


def text(kind, address, value):
    return struct.pack("<BQH", kind, address, len(value)) + value


def string(value):
    return struct.pack("<BH", SINGLE_STRING, len(value)) + value


def compose(name, zone=b"work", zone_text=None, message=None, early=0):
    """What a client sends: zones, a message, then answers to what will be asked."""
    now = 10 ** 15  # of a computer that has been on for days: another one
    welcome = struct.pack("<dqqQQQQq", 1.0, now, now + 1000, 20, 1, 1, os.getpid(), 0)
    welcome += struct.pack("<BB12sI64s1024s", 0, 2, b"cpu", 1, name.encode(), b"host")
    events = struct.pack("<BI", THREAD_CONTEXT, 77)
    ticks = 0
    for i in range(-early, ZONES):
        start = now + 2000 + 100 * i - (10 ** 10 if i < 0 else 0)
        end = start + 50
        events += struct.pack("<BqQ", ZONE_BEGIN, start - ticks, 0x5000)
        if zone_text is not None:
            events += string(zone_text) + bytes([ZONE_TEXT])
        events += struct.pack("<Bq", ZONE_END, end - start)
        ticks = end
    events += string((message or "hello of " + name).encode())
    events += struct.pack("<Bq", MESSAGE, now + 9000)
    answers = struct.pack("<BQQQIBBB", SOURCE_LOCATION, 0x6000, 0, 0x6200, 12, 0, 0, 0)
    answers += text(THREAD_NAME, 77, b"worker") + text(STRING_DATA, 0x6000, zone)
    answers += text(STRING_DATA, 0x6200, b"w.c")
    data = b"\x01" + welcome + block(events) + block(bytes([TERMINATE])) + block(answers)
    return struct.pack("<I", PROTOCOL) + data


class Check:
    def __init__(self, tacho):
        self.tacho = tacho
        self.failures = 0

    def expect(self, what, holds, detail=""):
        if not holds:
            self.failures += 1
            print("FAIL %s %s" % (what, str(detail)[:1500]))

    def profile(self, modes, options=(), **more):
        """Runs one client a mode, all at once, which say what |more| says; returns spans, the result and how long it took."""
        with tempfile.TemporaryDirectory() as folder:
            words = []
            for i, mode in enumerate(modes):
                path = os.path.join(folder, "c%d" % i)
                with open(path, "wb") as file:
                    file.write(compose("client%d" % i, **more))
                words.append("%s %s/replay_client.py %s %s & p%d=$!"
                             % (sys.executable, HERE, mode, path, i))
            waits = "; ".join("wait $p%d || bad=1" % i for i in range(len(modes)))
            script = "; ".join(words).replace("&;", "&") + "\n" + waits + "; exit ${bad:-0}"
            script = script.replace("& p", "&\np").replace("$!;", "$!\n")
            out = os.path.join(folder, "out.tacho")
            start = time.monotonic()
            done = subprocess.run([self.tacho, "profile", *options, "-o", out, "--",
                                   "bash", "-c", script],
                                  capture_output=True, text=True, timeout=300)
            took = time.monotonic() - start
            rows = os.path.join(folder, "rows.jsonl")
            subprocess.run([self.tacho, "convert", out, "-o", rows], capture_output=True)
            found = []
            if os.path.exists(rows):
                with open(rows) as file:
                    found = [json.loads(line) for line in file]
            return found, done, took

    def check_zones(self, what, rows, done, count):
        zones = [row for row in rows if row.get("category") == "zone"]
        self.expect(what + ": zones", len(zones) == ZONES * count,
                    (len(zones), done.stderr, done.stdout))
        self.expect(what + ": names", all(zone["name"] == "work" for zone in zones))
        self.expect(what + ": lengths", all(zone["duration_ns"] == 50 for zone in zones))
        self.expect(what + ": places", all(zone["args"]["location"] == "w.c:12" for zone in zones))
        texts = {row["args"]["text"] for row in rows if row.get("category") == "message"}
        self.expect(what + ": messages", len(texts) == count, texts)

    def forge(self, port, command="sleep 2", user=None, options=(), to="127.255.255.255"):
        """Announces |port| as that of a process of a capture, as anybody can; returns whether tacho connected."""
        with tempfile.TemporaryDirectory() as folder, socket.socket() as server:
            server.bind(("127.0.0.1", port))
            server.listen(4)
            server.settimeout(0.1)
            out = os.path.join(folder, "out.tacho")
            shown = os.path.join(folder, "pid")
            running = subprocess.Popen([self.tacho, "profile", "-q", *options, "-o", out, "--", "sh", "-c",
                                        "echo $$ > %s.new && mv %s.new %s; %s" % (shown, shown, shown, command)],
                                       stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
            while not os.path.exists(shown) and running.poll() is None:
                time.sleep(0.01)
            with open(shown) as file:
                pid = int(file.read())
            got = False
            while running.poll() is None and not got:
                for claim in (pid, os.getpid(), 1):
                    self.send(server.getsockname()[1], claim, user, to)
                try:
                    connection, _ = server.accept()
                    connection.close()
                    got = True
                except socket.timeout:
                    pass
            running.communicate()
            return got

    @staticmethod
    def send(port, pid, user, to):
        """A datagram as a client's, in a process of |user|."""
        script = ("import os,socket,sys;os.setuid(int(sys.argv[3]));"
                  "s=socket.socket(socket.AF_INET,socket.SOCK_DGRAM);"
                  "s.setsockopt(socket.SOL_SOCKET,socket.SO_BROADCAST,1);"
                  "s.sendto(bytes.fromhex(sys.argv[1]),(sys.argv[2],8086))")
        said = struct.pack("<HHIQi", 3, port, PROTOCOL, pid, 0) + b"forged\0"
        subprocess.run([sys.executable, "-c", script, said.hex(), to, str(user or os.getuid())],
                       check=False, stderr=subprocess.DEVNULL)

    def check_strangers(self):
        """Ports that no process of the capture has are not connected to, whoever announces them."""
        self.expect("forged: a port of ours", not self.forge(0))
        self.expect("forged: by unicast", not self.forge(0, to="127.0.0.1"))
        if os.geteuid() == 0:
            self.expect("forged: by another user", not self.forge(0, user=65534))
            self.check_other_user()
        else:
            print("skip: another user's client needs root", file=sys.stderr)

    def check_other_user(self):
        """A client below the command that runs as another user is left alone, as SECURITY.md promises."""
        with tempfile.TemporaryDirectory() as folder:
            os.chmod(folder, 0o755)
            path = os.path.join(folder, "client")
            with open(path, "wb") as file:
                file.write(compose("other"))
            out = os.path.join(folder, "out.tacho")
            client = ("import os,sys,random,socket,struct,time\n"
                      "text = open(%r).read(); sys.argv = ['client', 'play', %r]\n"
                      "os.setgid(65534); os.setuid(65534); exec(text)"
                      % (HERE + "/replay_client.py", path))
            done = subprocess.run([self.tacho, "profile", "-o", out, "--", "timeout", "2",
                                   sys.executable, "-c", client], capture_output=True, text=True, check=False)
            self.expect("a client of another user waits", done.returncode == 124, done)
            self.expect("a client of another user is counted",
                        "1 Tracy program was not captured: only processes" in done.stderr, done)
            shown = subprocess.run([self.tacho, "ops", out, "--format", "csv"], capture_output=True,
                                   text=True, check=False).stdout
            self.expect("a client of another user", "work" not in shown, shown)

    def udp_hosts(self, *options):
        """Addresses that tacho listens on for datagrams, as the kernel writes them."""
        done = subprocess.run([self.tacho, "profile", "-q", *options, "--", "sh", "-c",
                               "ls -l /proc/$PPID/fd; cat /proc/net/udp"],
                              capture_output=True, text=True, check=False)
        held = {line.split("socket:[")[1].rstrip("]") for line in done.stdout.splitlines() if "socket:[" in line}
        rows = [line.split() for line in done.stdout.splitlines() if ":1F96 " in line]
        return {row[1].split(":")[0] for row in rows if row[9] in held}

    def check_off(self):
        """--no-tracy listens for nobody and connects to nobody."""
        rows, _, _ = self.profile(["hang"], ["--no-tracy", "--timeout", "2"])
        self.expect("off: no zones", not [row for row in rows if row.get("category") == "zone"])
        self.expect("off: no socket", not self.udp_hosts("--no-tracy"))
        hosts = self.udp_hosts()
        self.expect("on: broadcasts and loopback alone", hosts and
                    hosts <= {"FFFFFFFF", "FFFFFF7F", "0100007F"}, hosts)
        done = subprocess.run([self.tacho, "profile", "--no-tracy", "--tracy-port", "9000", "true"],
                              capture_output=True, text=True, check=False)
        self.expect("off: with a port", done.returncode in (2, 125), done.stderr)

    def check_op_table(self, dropin):
        """tt_profile and a client that tells of an op as tt-metal does."""
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "client")
            with open(path, "wb") as file:
                file.write(compose("tt", b"TT_DNN_DEVICE_OP", b"id:1024", OP_MESSAGE))
            command = "%s %s/replay_client.py play %s" % (sys.executable, HERE, path)
            done = subprocess.run([dropin, "-q", command], cwd=folder, capture_output=True,
                                  text=True, timeout=300)
            table = os.path.join(folder, "results/perf/device_ops_perf_trace.csv")
            self.expect("tt_profile: exit", done.returncode == 0, done.stderr)
            with open(table, newline="") as file:
                rows = list(csv.DictReader(file))
            self.expect("tt_profile: one op", len(rows) == 1, rows)
            self.expect("tt_profile: the op", rows and rows[0]["OP CODE"] == "MatmulOp" and
                        rows[0]["GLOBAL CALL COUNT"] == "1024" and
                        rows[0]["HOST DURATION [ns]"] == "50", rows)
            logs = os.path.join(folder, "results/perf/.logs")
            self.expect("tt_profile: logs", sorted(os.listdir(logs)) ==
                        ["tracy_ops_data.csv", "tracy_ops_times.csv"])

    def tt_profile(self, dropin, folder, options=(), before=""):
        """Runs the client of one op under tt_profile; returns the result and the table's rows."""
        path = os.path.join(folder, "client")
        with open(path, "wb") as file:
            file.write(compose("tt", b"TT_DNN_DEVICE_OP", b"id:1024", OP_MESSAGE))
        command = "%s%s %s/replay_client.py play %s" % (before, sys.executable, HERE, path)
        profiler = os.path.join(folder, "profiler")
        os.makedirs(os.path.join(profiler, ".logs"), exist_ok=True)
        done = subprocess.run([dropin, "-q", *options, "bash -c '%s'" % command], cwd=folder,
                              capture_output=True, text=True, timeout=60, check=False,
                              env=dict(os.environ, TT_METAL_PROFILER_DIR=profiler))
        table = os.path.join(folder, "results/perf/device_ops_perf_trace.csv")
        rows = []
        if os.path.exists(table):
            with open(table, newline="") as file:
                rows = list(csv.DictReader(file))
        return done, rows

    def check_device_logs(self, dropin):
        """A run that leaves a device log: host and device times are in one row."""
        log = os.path.join(HERE, "../data/tenstorrent/run/profile_log_device.csv")
        with open(log, newline="") as file:
            megahertz = int(file.readline().split("CHIP_FREQ[MHz]:")[1].split(",")[0])
            times = [int(row["time[cycles since reset]"])
                     for row in csv.DictReader(file, skipinitialspace=True)
                     if row["run host ID"] == "1024" and row["zone name"].endswith("-FW")]
        want = (max(times) - min(times)) * 1000 // megahertz
        with tempfile.TemporaryDirectory() as folder:
            before = "cp %s $TT_METAL_PROFILER_DIR/.logs/; " % log
            done, rows = self.tt_profile(dropin, folder, before=before)
            self.expect("device log: exit", done.returncode == 0, done.stderr)
            row = [row for row in rows if row["GLOBAL CALL COUNT"] == "1024"]
            self.expect("device log: one row", len(row) == 1, rows)
            self.expect("device log: both times", row and row[0]["HOST DURATION [ns]"] == "50" and
                        row[0]["DEVICE FW DURATION [ns]"] == str(want), (want, row))
            logs = os.listdir(os.path.join(folder, "profiler/.logs"))
            self.expect("device log: beside it", {"tracy_ops_data.csv", "tracy_ops_times.csv",
                                                  "profile_log_device.csv"} <= set(logs), logs)

    def check_port(self, dropin):
        """-p is the port of the client; one that is taken is refused before anything runs."""
        with socket.socket() as server, tempfile.TemporaryDirectory() as folder:
            server.bind(("127.0.0.1", 0))
            server.listen(1)
            taken = str(server.getsockname()[1])
            done, _ = self.tt_profile(dropin, folder, ("-p", taken), "touch ran; ")
            self.expect("taken port: refused", done.returncode == 125 and taken in done.stderr,
                        (done.returncode, done.stderr))
            self.expect("taken port: nothing ran", not os.path.exists(os.path.join(folder, "ran")))
            server.close()
            done, rows = self.tt_profile(dropin, folder, ("-p", taken, "--trace", "run.tracy"),
                                         "echo $TRACY_PORT > port; ")
            zones = [row for row in File(os.path.join(folder, "run.tracy")).zone_rows()
                     if row[1] == "TT_DNN_DEVICE_OP"]
            self.expect("trace for Tracy", len(zones) == ZONES and
                        all(row[5] - row[4] == 50 and row[6] == "id:1024" for row in zones), zones)
            with open(os.path.join(folder, "port")) as file:
                self.expect("port: told", file.read().strip() == taken)
            self.expect("port: captured", done.returncode == 0 and len(rows) == 1,
                        (done.returncode, done.stderr, rows))
            self.expect("port: nobody without one", "not recorded" not in done.stderr, done.stderr)
            # A second client cannot have the port; its thread is all that is seen of it.
            second = os.path.join(folder, "second.py")
            with open(second, "w") as file:
                file.write("import ctypes, threading, time\n"
                           "threading.Thread(target=lambda: (ctypes.CDLL(None).prctl(15, b'Tracy Profiler'), "
                           "time.sleep(2))).start()\n")
            done, rows = self.tt_profile(dropin, folder, ("-p", taken), "%s %s; " % (sys.executable, second))
            self.expect("port: the second one is named", len(rows) == 1 and
                        "1 Tracy program was not recorded: one process alone" in done.stderr, (rows, done.stderr))

    def run(self):
        rows, done, _ = self.profile(["play"])
        self.expect("one: exit", done.returncode == 0, done.stderr)
        self.check_zones("one", rows, done, 1)
        rows, done, usual = self.profile(["play"] * 16)
        self.expect("sixteen: exit", done.returncode == 0, done.stderr)
        self.check_zones("sixteen", rows, done, 16)
        rows, done, took = self.profile(["hang", "garbage", "play", "slow"])
        self.expect("odd ones: exit", done.returncode == 0, done.stderr)
        self.check_zones("odd ones", rows, done, 2)
        # One that hangs does so for 1.5 s; the rest depends on how busy the computer is.
        self.expect("odd ones delay nobody", took < 10 + 3 * usual, (took, usual))
        rows, done, _ = self.profile(["short", "play", "short"])
        self.check_zones("short ones", rows, done, 1)
        self.expect("short ones are told of", "2 Tracy programs ended before" in done.stderr,
                    done.stderr)
        rows, done, _ = self.profile(["play"], early=3)
        self.check_zones("before the capture", rows, done, 1)
        self.expect("before the capture: told",
                    "/out.tacho: 3 records not read: negative time" in done.stderr,
                    done.stderr)
        _, done, _ = self.profile(["play"], ["-q"], early=3)
        self.expect("before the capture: told though quiet",
                    "3 records not read: negative time" in done.stderr and
                    "Operations" not in done.stderr, done.stderr)
        rows, done, _ = self.profile(["lent"])
        self.check_zones("lent port", rows, done, 1)
        groups = {row["group"] for row in rows if row.get("category") == "zone"}
        self.expect("lent port: whose zones", all("python" in group for group in groups), groups)
        self.check_strangers()
        self.check_off()
        dropin = os.path.join(os.path.dirname(self.tacho), "../dropin/tt_profile")
        self.check_op_table(dropin)
        self.check_device_logs(dropin)
        self.check_port(dropin)
        return self.failures


def main():
    failures = Check(os.path.abspath(sys.argv[1])).run()
    print("%d failures" % failures)
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
