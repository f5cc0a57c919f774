#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A program behaves under 'tacho profile' as it does without: hundreds of commands, each run both ways.

    transparency.py BIN_DIR

Compared are the exit status, standard output byte by byte, standard error byte by byte (with -q), and
the files that are left. The commands print what a wrapper could disturb: arguments, environment,
directory, umask, limits, niceness, process group, session, terminal, signal mask and dispositions, open
descriptors. Tests of their own are for signals, terminals, orphans and closed streams.
"""
import json
import os
import pty
import random
import re
import select
import signal
import stat
import subprocess
import sys
import tempfile
import textwrap
import time
import unittest

BIN = os.path.abspath(sys.argv[1])
TACHO = f"{BIN}/tacho"
SEED = 21
OURS = "TACHO_"  # variables that a capture adds

FACTS = r"""
import os, resource, signal, sys
print(sys.argv[1:], os.getcwd(), oct(os.umask(0o77)), os.nice(0))
print(sorted((k, v) for k, v in os.environ.items() if not k.startswith("TACHO_")
             and k not in ("OPENCL_LAYERS", "CUDA_INJECTION64_PATH", "NVTX_INJECTION64_PATH")))
print([(i, resource.getrlimit(i)) for i in range(16)])
print(os.getpgid(0) == int(os.environ["GROUP"]), os.getsid(0) == int(os.environ["SESSION"]))
print([os.isatty(fd) for fd in (0, 1, 2)], sorted(os.listdir("/proc/self/fd"))[:-1])
for line in open("/proc/self/status"):
    if line.startswith(("SigBlk", "SigIgn", "SigPnd", "ShdPnd", "Uid", "Gid", "Groups", "Seccomp",
                        "CapEff", "NoNewPrivs", "Cpus_allowed")):
        print(line, end="")
"""


# What programs do to their processes, streams, signals and terminals.
SCRIPTS = [
    "trap 'echo bye' EXIT; exit 9",
    "trap 'echo term; exit 7' TERM; kill $$; sleep 5",
    "trap '' INT; kill -INT $$; echo still here",
    "(trap 'exit 5' USR1; kill -USR1 $(exec sh -c 'echo $PPID'); sleep 5); echo $?",
    "sleep 30 & kill $!; wait $!; echo $?",
    "for i in 1 2 3 4 5 6 7 8; do sh -c \"exit $i\" & done; wait; echo done",
    "sh -c 'sh -c \"sh -c \\\"exit 6\\\"\"'; echo $?",
    "exec 3>file; echo three >&3; exec 3>&-; cat file",
    "exec <&-; cat; echo $?",
    "exec >&-; echo lost; echo $? >&2",
    "exec 2>&-; echo lost >&2; echo kept",
    "cat <<'END'\nhere $HOME\nEND",
    "tee copy | wc -c; wc -c <copy",
    "yes | head -n 1000 | wc -l",
    "dd bs=7 count=3 2>/dev/null; cat",
    "head -c 3; cat | wc -c",
    "test -t 0; echo $?; test -t 1; echo $?; test -t 2; echo $?",
    "env -i PATH=$PATH sh -c 'env | grep -c .'",
    "nice -n 3 nice",
    "nohup sh -c 'echo through' 2>/dev/null",
    "setsid sh -c 'echo apart' | cat",
    "timeout 0.1 sleep 5; echo $?",
    "timeout -s KILL 0.1 sleep 5; echo $?",
    "find . -maxdepth 1 -name 'not*' -exec echo found {} ';'",
    "printf 'a b c' | xargs -n 1 echo item",
    "mkfifo pipe; echo through >pipe & cat pipe; wait",
    "ln -s not_executable link; readlink link; cat link; echo $?",
    "umask 077; touch secret; stat -c %a secret",
    "ulimit -n 16; ulimit -n; cat",
    "ulimit -f 8; head -c 100000 /dev/zero >big; echo $?; stat -c %s big",
    "chmod 700 not_executable; ./not_executable; echo $?",
    "printf '#!/no/such/shell\\n' >script; chmod 700 script; ./script; echo $?",
    "cp not_executable a; rm not_executable; ls",
    "(until grep -q '^State:.T' /proc/$$/status; do sleep 0.01; done; kill -CONT $$) & "
    "kill -STOP $$; wait; echo continued",
]
PROGRAMS = [
    "import subprocess; print(subprocess.run(['false']).returncode)",
    "import os; pid = os.fork(); os._exit(4) if pid == 0 else print(os.waitpid(pid, 0)[1])",
    "import os, sys; sys.stdout.write('unflushed'); os._exit(3)",
    "import threading; t = threading.Thread(target=print, args=('thread',)); t.start(); t.join()",
    "import os; os.closerange(3, 256); print(len(os.listdir('/proc/self/fd')))",
    "import resource; resource.setrlimit(resource.RLIMIT_CORE, (0, 0)); import os; os.abort()",
    "import os; os.execvp('echo', ['another name', 'x'])",
    "import sys; sys.stdout.buffer.write(bytes(range(256)) * 100)",
    "import socket; a, b = socket.socketpair(); a.send(b'x'); print(b.recv(1))",
]


def words_of(random_):
    """Five hundred commands."""
    for script in SCRIPTS:
        yield ["sh", "-c", script]
    for program in PROGRAMS:
        yield [sys.executable, "-c", program]
    odd = ["", " ", "a b", "*", "$HOME", "'", '"', "\\", "--", "-o", "-q", "--help", "\n", "é", "\udcff", "%s",
           ";", "|", "~", "x" * 5000, "=", "-", "--timeout=1", "-h"]
    for status in range(256):
        yield ["sh", "-c", f"exit {status}"]
    for number in (1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 24, 25, 34, 64):
        yield ["sh", "-c", f"ulimit -c 0; kill -{number} $$"]
    for _ in range(120):
        yield ["printf", "[%s]", *random_.choices(odd, k=random_.randint(1, 6))]
    for size in (0, 1, 4095, 65536, 3000000):
        yield ["head", "-c", str(size), "/dev/zero"]
        yield ["sh", "-c", f"head -c {size} /dev/zero >&2"]
    for _ in range(40):
        yield ["sh", "-c", random_.choice([
            "cat", "wc -c", "cat >&2", "sort | head -3", "read x; echo $x", "true & wait", "false",
            "echo out; echo err >&2", "sleep 0.01; cat", "(exit 3); echo $?", "exec cat", "cd /; pwd",
            "echo x > file; cat file", "mkdir d; ls", "umask", "ulimit -a", "no_such_program", "."])]
    for name in ("no_such_program", "/no/such/program", "/tmp", "./not_executable"):
        yield [name, "x"]
    for _ in range(20):
        yield [sys.executable, "-c", FACTS, *random_.choices(odd, k=3)]


def run(words, stdin, at, **more):
    env = {**os.environ, "GROUP": str(os.getpgid(0)), "SESSION": str(os.getsid(0))}
    return subprocess.run(words, input=stdin, cwd=at, env=env, capture_output=True, check=False,
                          timeout=300, **more)


def files_in(folder):
    found = {}
    for root, folders, names in os.walk(folder):
        for name in folders + names:
            path = os.path.join(root, name)
            content = b""
            if os.path.isfile(path):
                with open(path, "rb") as file:
                    content = file.read()
            found[os.path.relpath(path, folder)] = (os.stat(path).st_mode, content)
    return found


def status_of(done):
    """As a shell says it."""
    return 128 - done.returncode if done.returncode < 0 else done.returncode


class Commands(unittest.TestCase):
    def both(self, words, stdin, **more):
        results = []
        for prefix in ([], [TACHO, "profile", "-q", "--"]):
            with tempfile.TemporaryDirectory(prefix="tacho-transparent.") as at:
                link = "/tmp/tacho-transparent"  # the directory's name is printed by some
                folder = f"{link}.{os.getpid()}"
                os.rename(at, folder)
                with open(f"{folder}/not_executable", "w", encoding="utf-8"):
                    pass
                try:
                    try:
                        done = run([*prefix, *words], stdin, folder, **more)
                        results.append((status_of(done), done.stdout, done.stderr, files_in(folder)))
                    except OSError as error:  # not started at all
                        results.append((127 if isinstance(error, FileNotFoundError) else 126, b"",
                                        None, files_in(folder)))
                finally:
                    os.rename(folder, at)
        if results[0][2] is None:  # without the wrapper nobody says so
            results[0] = (*results[0][:2], results[1][2], results[0][3])
            self.assertIn(b"cannot run", results[1][2])
        return results

    def test_table(self):
        random_ = random.Random(SEED)
        commands = list(words_of(random_))
        self.assertGreaterEqual(len(commands), 500)
        for words in commands:
            words = [os.fsencode(word) for word in words]
            with self.subTest(words=words):
                stdin = random_.randbytes(random_.choice([0, 10, 70000])).replace(b"\0", b"\n")
                plain, wrapped = self.both(words, stdin)
                self.assertEqual(plain, wrapped)

    def test_signal_dispositions_and_masks(self):
        def ignore():
            signal.signal(signal.SIGPIPE, signal.SIG_IGN)
            signal.signal(signal.SIGHUP, signal.SIG_IGN)
            signal.signal(signal.SIGXFSZ, signal.SIG_DFL)
            signal.signal(signal.SIGCHLD, signal.SIG_IGN)
            signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGUSR2, signal.SIGTERM])

        def default():
            for number in (signal.SIGPIPE, signal.SIGXFSZ, signal.SIGCHLD):
                signal.signal(number, signal.SIG_DFL)

        for prepare in (ignore, default):
            plain, wrapped = self.both([sys.executable, "-S", "-c", FACTS], b"", preexec_fn=prepare,
                                       restore_signals=False)
            self.assertEqual(plain, wrapped)

    def test_closed_streams(self):
        script = "import os\nprint(sorted(os.listdir('/proc/self/fd'))[:-1])"
        for closing in ("<&-", ">&-", "2>&-", "<&- 2>&-", "3</dev/null 9>/dev/null"):
            line = f"exec {{}} {sys.executable} -S -c \"$0\" {closing}"
            for stream in ("1", "file"):
                end = "" if stream == "1" else " > file"
                if ">&-" in closing.replace("2>&-", "") and not end:
                    continue
                results = []
                for prefix in ("", f"{TACHO} profile -q --"):
                    with tempfile.TemporaryDirectory() as at:
                        done = subprocess.run(["bash", "-c", line.format(prefix) + end, script], cwd=at,
                                              capture_output=True, check=False, timeout=300)
                        results.append((done.returncode, done.stdout, files_in(at)))
                self.assertEqual(results[0], results[1], closing)

    def test_limits_of_files_and_descriptors(self):
        for limit in ("ulimit -n 20", "ulimit -f 1", "ulimit -u 4000", "ulimit -s 256"):
            plain, wrapped = ("exec sh -c '{0}; exec {1} sh -c \"ulimit -a; head -c 9000 /dev/zero "
                              "> file; echo $?\" 2>/dev/null'".format(limit, prefix)
                              for prefix in ("", f"{TACHO} profile -q --"))
            results = []
            for line in (plain, wrapped):
                with tempfile.TemporaryDirectory() as at:
                    done = subprocess.run(["sh", "-c", line], cwd=at, capture_output=True, check=False,
                                          timeout=300)
                    results.append((done.returncode, done.stdout, files_in(at)))
            self.assertEqual(*results)


class Signals(unittest.TestCase):
    # A signal may come before the first print is over, and Python refuses a second one inside it.
    SCRIPT = ("import os, signal, sys, time\n"
              "def got(number, frame):\n"
              "    os.write(1, f'{{number}}\\n'.encode())\n"
              "    sys.exit(40 + number)\n"
              "for number in {numbers}:\n"
              "    signal.signal(number, got)\n"
              "os.write(1, b'ready\\n')\n"
              "for _ in range(6000):  # a signal just before a sleep is seen after it\n"
              "    time.sleep(0.05)\n")
    NUMBERS = [int(number) for number in (signal.SIGHUP, signal.SIGINT, signal.SIGQUIT, signal.SIGTERM,
                                          signal.SIGUSR1, signal.SIGUSR2, signal.SIGALRM)]

    def start(self, *options, **more):
        child = subprocess.Popen([TACHO, "profile", *options, "--", sys.executable, "-c",
                                  self.SCRIPT.format(numbers=self.NUMBERS)], stdout=subprocess.PIPE,
                                 stderr=subprocess.PIPE, text=True, **more)
        self.assertEqual(child.stdout.readline(), "ready\n")
        return child

    def test_signals_are_passed_on_once(self):
        for number in self.NUMBERS:
            child = self.start("-q")
            child.send_signal(number)
            out, err = child.communicate(timeout=300)
            self.assertEqual((out, err, child.returncode), (f"{number}\n", "", 40 + number))

    def test_an_interrupt_of_the_group_arrives_once_and_is_reported(self):
        """Ctrl-C: the terminal sends it to both."""
        with tempfile.TemporaryDirectory() as at:
            pid, terminal = pty.fork()
            if pid == 0:
                os.chdir(at)
                os.execv(TACHO, ["tacho", "profile", "-o", "run.tacho", "--", sys.executable, "-c",
                                 self.SCRIPT.format(numbers=self.NUMBERS)])
            text = b""
            while b"ready" not in text:
                text += os.read(terminal, 4096)
            os.write(terminal, b"\x03")
            try:
                while piece := os.read(terminal, 4096):
                    text += piece
            except OSError:
                pass
            status = os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
            self.assertEqual(status, 40 + signal.SIGINT, text)
            self.assertEqual(text.split(b"Processes")[0].count(b"2\r\n"), 1, text)
            self.assertIn(b"Processes", text)
            done = subprocess.run([TACHO, "info", f"{at}/run.tacho"], capture_output=True, check=False)
            self.assertEqual(done.returncode, 0, done.stderr)

    def test_a_job_can_be_stopped_and_continued(self):
        child = self.start("-q", process_group=0)
        os.killpg(child.pid, signal.SIGTSTP)
        self.assertTrue(os.WIFSTOPPED(os.waitpid(child.pid, os.WUNTRACED)[1]))
        os.killpg(child.pid, signal.SIGCONT)
        child.terminate()
        self.assertEqual(child.wait(timeout=300), 40 + signal.SIGTERM)
        child.communicate()

    def test_a_timeout(self):
        start = time.monotonic()
        done = subprocess.run([TACHO, "profile", "--timeout", "0.2", "sleep 300 & sleep 300"],
                              capture_output=True, text=True, check=False)
        self.assertEqual(done.returncode, 124)
        self.assertLess(time.monotonic() - start, 100)
        self.assertIn("timed out", done.stderr)

    def test_a_timeout_of_who_does_not_listen(self):
        done = subprocess.run([TACHO, "profile", "-q", "--timeout=300ms", "--", "sh", "-c",
                               "trap '' TERM; while :; do sleep 0.1; done"], check=False)
        self.assertEqual(done.returncode, 124)


class Captures(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory(prefix="tacho-captures.")
        self.at = self.folder.name
        self.addCleanup(self.folder.cleanup)

    def tacho(self, *words, **more):
        return subprocess.run([TACHO, *words], cwd=self.at, capture_output=True, text=True, check=False,
                              timeout=300, **more)

    def test_every_output_is_one_that_others_read(self):
        for name in ("run.tacho", "run.tacho.zst", "run.pb", "run.json"):
            done = self.tacho("profile", "-o", name, "--", "sh", "-c", "sleep 0.05 & wait; exit 6")
            self.assertEqual(done.returncode, 6, done.stderr)
            self.assertEqual(os.listdir(self.at), [name])
            info = self.tacho("info", name)
            self.assertEqual(info.returncode, 0, (name, info.stderr))
            self.assertIn("Lifetime", info.stdout)
            os.remove(f"{self.at}/{name}")
        self.tacho("profile", "-q", "-o", "run.csv", "--", "true")
        with open(f"{self.at}/run.csv", encoding="utf-8") as table:
            self.assertTrue(table.readline().startswith("table,process,pid,rank,start_ns,time_ns,cpu_ns"))

    def test_what_is_there_is_replaced_and_keeps_its_mode(self):
        with open(f"{self.at}/old.tacho", "w", encoding="utf-8") as old:
            old.write("old")
        os.chmod(f"{self.at}/old.tacho", 0o640)
        os.symlink("old.tacho", f"{self.at}/link.tacho")
        foreign = self.tacho("profile", "-q", "-o", "link.tacho", "true")
        self.assertEqual(foreign.returncode, 125)
        self.assertIn("use --force to replace it", foreign.stderr)
        self.assertEqual(self.tacho("profile", "-q", "--force", "-o", "link.tacho", "true").returncode, 0)
        self.assertTrue(os.path.islink(f"{self.at}/link.tacho"))
        self.assertEqual(os.stat(f"{self.at}/old.tacho").st_mode & 0o777, 0o640)
        self.assertEqual(self.tacho("info", "old.tacho").returncode, 0)

    def test_nothing_is_left_where_nothing_ran(self):
        for words, status in ((("no_such_program",), 127), (("/tmp",), 126), ((), 2),
                              (("-o", "x.unknown", "true"), 2), (("-o", "-", "true"), 2),
                              (("--timeout", "soon", "true"), 2), (("-o", "no/such/x.tacho", "true"), 125)):
            done = self.tacho("profile", *words)
            self.assertEqual(done.returncode, status, (words, done.stderr))
            self.assertTrue(done.stderr)
            self.assertEqual(os.listdir(self.at), [])

    def wait_for_seals(self, count):
        """Until the capture is there and has grown so many times. A seal a second, unless the computer is busy."""
        limit, sizes = time.monotonic() + 60, set()
        while len(sizes) < count + 1:
            self.assertLess(time.monotonic(), limit, f"no {count} seals: {sizes}")
            sizes |= {os.path.getsize(f"{self.at}/{name}") for name in os.listdir(self.at)}
            time.sleep(0.02)

    def test_killed_while_recording(self):
        """The capture so far stays, and can be read."""
        for seals in (0, 2, 4):
            child = subprocess.Popen([TACHO, "profile", "-o", "k.tacho", "--", "sh", "-c",
                                      "while :; do sleep 0.1; done"],
                                     cwd=self.at, stderr=subprocess.DEVNULL, start_new_session=True)
            self.wait_for_seals(seals)
            child.kill()
            child.wait()
            os.killpg(child.pid, signal.SIGKILL)
            (name,) = os.listdir(self.at)
            self.assertRegex(name, r"^k\.tacho\.\d+\.partial$")
            info = self.tacho("info", name)
            if seals > 0:
                self.assertEqual(info.returncode, 3, info.stderr)
                self.assertIn("Resident memory", info.stdout)
            os.remove(f"{self.at}/{name}")

    def test_a_full_disk_does_not_reach_the_program(self):
        program = textwrap.dedent("""
            import glob, os, subprocess, sys, time
            (path,) = glob.glob("full.tacho.*.partial")
            first = os.path.getsize(path)
            while os.path.getsize(path) == first:  # what is stored now has to be kept
                time.sleep(0.02)
            children = [subprocess.Popen(["sleep", "1"]) for _ in range(300)]  # more than fits
            for child in children:
                child.wait()
            sys.exit(11)
            """)
        line = f'ulimit -f 8; exec {TACHO} profile -o full.tacho -- python3 -c "$0"'
        done = subprocess.run(["bash", "-c", line, program], cwd=self.at, capture_output=True, text=True,
                              check=False, timeout=300)
        self.assertEqual(done.returncode, 11, done.stderr)
        found = re.search(r"(\d+) events? could not be stored, (\d+) before that are kept", done.stderr)
        self.assertTrue(found, done.stderr)
        self.assertGreater(int(found.group(1)), 0)
        self.assertGreater(int(found.group(2)), 0)
        (left,) = os.listdir(self.at)  # not under a name that stands for a whole capture
        self.assertRegex(left, r"^full\.tacho\.\d+\.partial$")
        self.assertIn(f"the capture is kept: {left}", done.stderr)
        info = self.tacho("info", "--json", left)
        self.assertEqual(info.returncode, 3, info.stderr)
        rows = [json.loads(line) for line in info.stdout.splitlines()]
        self.assertEqual(sum(row["events"] for row in rows if row["table"] == "inputs"), int(found.group(2)))

    def test_a_disk_without_room_leaves_what_was_there(self):
        with open(f"{self.at}/old.tacho", "w", encoding="utf-8") as file:
            file.write("of an earlier run")
        done = subprocess.run(["bash", "-c", f"ulimit -f 0; exec {TACHO} profile -q --force -o old.tacho -- sh -c 'exit 9'"],
                              cwd=self.at, capture_output=True, text=True, check=False, timeout=300)
        self.assertEqual(done.returncode, 9, done.stderr)
        self.assertIn("error: nothing could be stored", done.stderr)
        self.assertEqual(os.listdir(self.at), ["old.tacho"])
        with open(f"{self.at}/old.tacho", encoding="utf-8") as file:
            self.assertEqual(file.read(), "of an earlier run")

    def test_the_output_does_not_need_standard_error(self):
        for target in ("o.tacho", "o.pb", "o.csv"):
            with open("/dev/full", "wb") as full:
                done = subprocess.run([TACHO, "profile", "-o", target, "--", "sh", "-c", "exit 6"], cwd=self.at,
                                      stderr=full, check=False, timeout=300)
            self.assertEqual(done.returncode, 6)
            self.assertTrue(os.path.isfile(f"{self.at}/{target}"), os.listdir(self.at))

    def test_outputs_that_cannot_be_are_refused_at_once(self):
        os.mkdir(f"{self.at}/folder.tacho")
        os.symlink("no/where", f"{self.at}/link.pb")
        with open(f"{self.at}/program.csv", "w", encoding="utf-8") as file:
            file.write("#!/bin/sh\necho ran\n")
        os.chmod(f"{self.at}/program.csv", 0o755)
        for target, code, message in (("folder.tacho", 125, "is a directory"), ("link.pb", 125, "dangling"),
                                      ("program.csv", 2, "would be overwritten")):
            done = self.tacho("profile", "-o", target, "--", "./program.csv")
            self.assertEqual((done.returncode, done.stdout), (code, ""), done.stderr)
            self.assertIn(message, done.stderr)
        self.assertTrue(os.path.islink(f"{self.at}/link.pb"))

    def test_pipes_are_written_to(self):
        os.mkfifo(f"{self.at}/pipe.tacho")
        os.symlink("pipe.tacho", f"{self.at}/link.tacho")
        for target in ("pipe.tacho", "link.tacho"):
            pipe = os.open(f"{self.at}/pipe.tacho", os.O_RDWR | os.O_NONBLOCK)
            done = self.tacho("profile", "-q", "-o", target, "--", "sh", "-c", "exit 4")
            self.assertEqual(done.returncode, 4, done.stderr)
            self.assertTrue(stat.S_ISFIFO(os.lstat(f"{self.at}/pipe.tacho").st_mode), "the pipe is replaced")
            self.assertTrue(os.path.islink(f"{self.at}/link.tacho"), "the link is replaced")
            ready, _, _ = select.select([pipe], [], [], 0)
            self.assertTrue(ready, "nothing is written to the pipe")
            self.assertEqual(os.read(pipe, 4), b"\x89TCH")
            os.close(pipe)
        self.assertEqual(sorted(os.listdir(self.at)), ["link.tacho", "pipe.tacho"])

    def test_who_is_not_asked_for_is_listed_once(self):
        """A child that has ended is in the kernel's lists until its parent waits for it."""
        done = self.tacho("profile", "-o", "z.csv", "--", sys.executable, "-c",
                          "import subprocess, time; p = subprocess.Popen(['sleep', '1']);"
                          "time.sleep(2); p.wait()")
        self.assertEqual(done.returncode, 0, done.stderr)
        with open(f"{self.at}/z.csv", encoding="utf-8") as table:
            names = [row.split(",")[1] for row in table if "sleep" in row.split(",")[1]]
        self.assertEqual(names.count("sleep 1"), 1, names)
        self.assertNotIn("sleep", names)

    def test_what_another_left_is_not_in_the_way(self):
        """A file of one that was killed and had the same process number."""
        done = subprocess.run(["sh", "-c", f"touch left.tacho.$$.partial; exec {TACHO} profile -q "
                               "-o left.tacho -- sh -c 'exit 5'"], cwd=self.at, check=False, timeout=300)
        self.assertEqual(done.returncode, 5)
        self.assertEqual(self.tacho("info", "left.tacho").returncode, 0)
        left = [name for name in os.listdir(self.at) if name.endswith(".partial")]
        self.assertEqual([os.path.getsize(f"{self.at}/{name}") for name in left], [0])

    def test_ranks(self):
        done = self.tacho("profile", "-o", "r.csv", "--", "sh", "-c",
                          "for i in 0 1 2; do RANK=$i WORLD_SIZE=3 sleep 1 & done; wait")
        self.assertEqual(done.returncode, 0)
        with open(f"{self.at}/r.csv", encoding="utf-8") as table:
            rows = [line.split(",") for line in table]
        self.assertLessEqual({"0", "1", "2"}, {row[3] for row in rows}, rows)

    def test_a_rank_that_comes_with_exec(self):
        """A process becomes a program of the same name, as Python does that starts Python."""
        done = self.tacho("profile", "-o", "r.csv", "--", "sh", "-c",
                          "sleep 1; RANK=5 WORLD_SIZE=8 exec sh -c 'sleep 1; exit 0'")
        self.assertEqual(done.returncode, 0)
        with open(f"{self.at}/r.csv", encoding="utf-8") as table:
            rows = [line.split(",") for line in table]
        self.assertIn(("sh -c sleep 1; exit 0", "5"), {(row[1], row[3]) for row in rows}, rows)


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0], *sys.argv[2:]])
