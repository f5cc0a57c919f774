#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Fleets on a real Slurm: munged, slurmctld and slurmd of our own, with ports and files of their own.

    check_slurm.py TACHO SOURCE_DIR

Skipped (77) where Slurm is not installed, or this is not root.
"""
import concurrent.futures
import json
import os
import re
import shutil
import socket
import subprocess
import sys
import tempfile
import time
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
import skips  # pylint: disable=wrong-import-position

TACHO, SOURCE = os.path.abspath(sys.argv[1]), os.path.abspath(sys.argv[2])
TOOLS = ("munged", "slurmctld", "slurmd", "srun", "sbatch", "sinfo")
PATH = os.environ["PATH"] + ":/usr/sbin:/sbin"
SECONDS = 120
CAN_DO_WITHOUT_CGROUPS = (23, 11)  # of Slurm; older ones log an error and go on

CONFIG = """ClusterName=tacho
SlurmctldHost={host}(127.0.0.1)
SlurmctldPort={ports[0]}
SlurmdPort={ports[1]}
AuthType=auth/munge
AuthInfo=socket={at}/munge/socket
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
StateSaveLocation={at}/state
SlurmdSpoolDir={at}/spool
SlurmUser=root
SlurmctldPidFile={at}/slurmctld.pid
SlurmdPidFile={at}/slurmd.pid
SlurmctldLogFile={at}/slurmctld.log
SlurmdLogFile={at}/slurmd.log
SelectType=select/cons_tres
SelectTypeParameters=CR_Core
ReturnToService=2
MailProg=/bin/true
NodeName={host} NodeAddr=127.0.0.1 CPUs={cpus} State=UNKNOWN
PartitionName=all Nodes={host} Default=YES MaxTime=INFINITE State=UP OverSubscribe=FORCE:4
"""


def free_ports(count):
    sockets = [socket.socket() for _ in range(count)]
    for one in sockets:
        one.bind(("127.0.0.1", 0))
    ports = [one.getsockname()[1] for one in sockets]
    for one in sockets:
        one.close()
    return ports


class Cluster:
    """Starts the daemons, as children of ours, and ends them."""

    def __init__(self, at):
        self.at, self.started = at, {}
        self.env = {**os.environ, "PATH": PATH, "SLURM_CONF": f"{at}/slurm.conf"}
        for name in ("munge", "state", "spool"):
            os.makedirs(f"{at}/{name}", mode=0o700)
        with open(f"{at}/munge/key", "wb") as file:
            file.write(os.urandom(128))
        os.chmod(f"{at}/munge/key", 0o400)
        with open(f"{at}/slurm.conf", "w", encoding="utf-8") as file:
            file.write(CONFIG.format(host=socket.gethostname().split(".")[0], ports=free_ports(2), at=at,
                                     cpus=os.cpu_count()))
        version = re.search(r"(\d+)\.(\d+)", self.call("sinfo", "--version").stdout)
        if version and (int(version.group(1)), int(version.group(2))) >= CAN_DO_WITHOUT_CGROUPS:
            with open(f"{at}/cgroup.conf", "w", encoding="utf-8") as file:
                file.write("CgroupPlugin=disabled\n")
        self.start("munged", "--force", "--foreground", f"--socket={at}/munge/socket", f"--key-file={at}/munge/key",
                   f"--pid-file={at}/munge/pid", f"--log-file={at}/munge/log",
                   f"--seed-file={at}/munge/seed")
        self.wait(lambda: os.path.exists(f"{at}/munge/socket"), "munged makes no socket")
        self.start("slurmctld", "-D", "-f", f"{at}/slurm.conf")
        self.start("slurmd", "-D", "-f", f"{at}/slurm.conf")
        self.wait(lambda: "idle" in self.call("sinfo", "-h", "-o", "%T").stdout, "the node does not come up")

    def start(self, *words):
        self.started[words[0]] = subprocess.Popen(words, env=self.env, stdout=subprocess.DEVNULL,
                                                  stderr=subprocess.DEVNULL)

    def wait(self, is_ready, problem):
        """A daemon that ends has logged what hinders it, such as a container without control groups."""
        end = time.time() + SECONDS
        while not is_ready():
            ended = [name for name, process in self.started.items() if process.poll() is not None]
            if ended:
                self.stop()
                raise unittest.SkipTest(f"{ended[0]} does not start here: {self.reason(ended[0])}")
            if time.time() > end:
                self.stop()
                raise RuntimeError(problem)
            time.sleep(0.2)

    def reason(self, daemon):
        try:
            with open(f"{self.at}/{'munge/log' if daemon == 'munged' else daemon + '.log'}", encoding="utf-8") as file:
                errors = [line.split("] ")[-1].strip() for line in file if "error" in line.lower()]
        except OSError:
            errors = []
        return errors[0] if errors else "it does not say why"

    def call(self, *words):
        return subprocess.run(words, env=self.env, capture_output=True, text=True, check=False,
                              cwd=self.at, timeout=SECONDS)

    def stop(self):
        for process in reversed(self.started.values()):
            process.terminate()
            try:
                process.wait(20)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()
        self.started = {}


class Slurm(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.at = tempfile.mkdtemp(prefix="tacho-slurm.")
        cls.addClassCleanup(shutil.rmtree, cls.at, ignore_errors=True)
        cls.cluster = Cluster(cls.at)
        cls.addClassCleanup(cls.cluster.stop)
        subprocess.run([sys.executable, f"{SOURCE}/tests/fleet/gen_fleet.py", f"{cls.at}/traces",
                        "--hosts", "3", "--devices", "4", "--damage"], check=True)

    def fleet(self, *words):
        return self.cluster.call(TACHO, "fleet", *words)

    def test_a_job_array_makes_the_parts(self):
        for question in ("ops", "stragglers"):
            here = self.fleet(question, "traces")
            there = self.fleet(question, "traces", "--slurm", "3", "--parts", "it's parts")
            self.assertEqual(there.returncode, 3, there.stderr) # the files are damaged
            self.assertEqual(there.stdout, here.stdout)
        self.assertNotIn("to be made", there.stderr) # the second question finds them all
        names = sorted(os.listdir(f"{self.at}/it's parts"))
        os.remove(f"{self.at}/it's parts/{names[0]}")
        again = self.fleet("ops", "traces", "--slurm", "2", "--parts", "it's parts")
        self.assertIn("Slurm: 1 part to be made by 2 tasks", again.stderr)
        self.assertEqual(again.stdout, self.fleet("ops", "traces").stdout)

    def test_64_hosts_of_8_devices(self):
        """One answer from one process, from a job array and from mpirun; the damage is named."""
        subprocess.run([sys.executable, f"{SOURCE}/tests/fleet/gen_fleet.py", f"{self.at}/large", "--damage"],
                       check=True)
        with open(f"{self.at}/large/.expected.json", encoding="utf-8") as file:
            expected = json.load(file)
        has_mpi = (shutil.which("mpirun") is not None
                   and os.path.exists(os.path.join(os.path.dirname(TACHO), "../lib/tacho/libtacho-mpi.so"))
                   and not skips.mpirun_loses_output())

        def of_ranks(question):
            # Of several mpirun that start at once, one can fail where they share a directory.
            with tempfile.TemporaryDirectory(prefix="mpi.") as own:
                return self.cluster.call("mpirun", "--allow-run-as-root", "--oversubscribe", "--mca",
                                         "orte_tmpdir_base", own, "-n", "3", TACHO, "fleet", question, "large")

        questions = ("ops", "breakdown", "steps", "stragglers", "collectives", "clocks", "health")
        with concurrent.futures.ThreadPoolExecutor(4) as pool:  # mpirun takes seconds, in which it does nothing
            answers = [pool.submit(of_ranks, question) for question in questions if has_mpi]
            for number, question in enumerate(questions):
                here = self.fleet(question, "large")
                there = self.fleet(question, "large", "--slurm", "4", "--parts", "large parts")
                self.assertEqual([there.returncode, there.stdout], [3, here.stdout], question)
                if has_mpi:
                    ranks = answers[number].result()
                    self.assertEqual([ranks.returncode, ranks.stdout], [3, here.stdout], (question, ranks.stderr))
        health = [json.loads(line) for line in self.fleet("health", "large", "--json").stdout.splitlines()]
        names = {"cut": "cut off", "copy": "copy", "skewed": "other time", "missing": "missing rank",
                 "version": "other version"}
        self.assertEqual({(str(row["rank"]), row["problem"]) for row in health},
                         {(rank, names[problem]) for rank, problem in expected["problems"].items()})
        first = json.loads(self.fleet("stragglers", "large", "--json").stdout.splitlines()[0])
        self.assertEqual(first["rank"], expected["straggler"])

    def test_ranks_of_srun_share_the_files(self):
        tasks = min(2, os.cpu_count())
        done = self.cluster.call("srun", "-n", str(tasks), TACHO, "fleet", "map", "traces", "-o", "shared")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(done.stderr.count(" 0 already up to date"), tasks)
        self.assertEqual(self.fleet("steps", "shared").stdout, self.fleet("steps", "traces").stdout)

    def test_the_script_of_a_batch_job_is_one_process(self):
        """It has SLURM_PROCID and SLURM_NTASKS as if it were a rank of its job."""
        done = self.cluster.call("sbatch", "-n", str(min(2, os.cpu_count())), "--wait", "--output=/dev/null", "--wrap",
                                 f"'{TACHO}' fleet map traces -o batch")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(self.fleet("steps", "batch").stdout, self.fleet("steps", "traces").stdout)

    def test_ranks_of_srun_are_recorded(self):
        tasks = min(2, os.cpu_count())
        done = self.cluster.call("srun", "-n", str(tasks), TACHO, "profile", "-q", "-o", "captured/", "--",
                                 "sleep", "0.1")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(self.fleet("health", "captured").returncode, 0)
        self.assertEqual(len(os.listdir(f"{self.at}/captured")), 1) # one run, that of the job


if __name__ == "__main__":
    missing = [tool for tool in TOOLS if shutil.which(tool, path=PATH) is None]
    if os.getuid() != 0 or missing:
        print(f"skip: no {', '.join(missing)} (packages slurm-wlm and munge)" if missing else "skip: needs root")
        sys.exit(77)
    skips.main([sys.argv[0], "-v"])
