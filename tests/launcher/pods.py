"""Simulated pods for the fault tests, each with a kubelet-like supervisor that starts its launcher again.

As root on Linux every pod has a network, PID and mount namespace of its own, its launcher is PID 1, and the endpoint is
the name `rdzv`. Else the pods are plain processes on loopback, and what needs a namespace is skipped.
"""

import json
import os
import re
import shutil
import signal
import socket
import subprocess
import sys
import threading
import time
from pathlib import Path

HERE = Path(__file__).resolve().parent
LAUNCHER = HERE.parents[1] / "generator" / "rallypoint" / "launcher"
PREFIX = f"rp{os.getpid() % 10000}"
START_AGAIN = {143, 137, -9}
BLACK_HOLE = "10.99.7.250"


def isolated():
    """Whether pods can have namespaces of their own here."""
    if sys.platform != "linux" or os.geteuid() != 0 or not shutil.which("ip") or not shutil.which("unshare"):
        return False
    name = f"{PREFIX}try"
    if subprocess.run(["ip", "netns", "add", name], capture_output=True).returncode:
        return False
    subprocess.run(["ip", "netns", "del", name], capture_output=True)
    return True


def address(index):
    return f"10.99.7.{10 + index}"


def ip(*words):
    subprocess.run(["ip", *words], check=True, capture_output=True)


class Network:
    """A bridge in a namespace of its own, and one namespace for each pod; nothing on the host's own network."""

    def __init__(self, pods):
        self.pods, self.hub = pods, f"{PREFIX}hub"
        ip("netns", "add", self.hub)
        ip("-n", self.hub, "link", "add", "name", "bridge0", "type", "bridge")
        ip("-n", self.hub, "link", "set", "bridge0", "up")
        for index in range(pods):
            name = f"{PREFIX}{index}"
            ip("netns", "add", name)
            ip("-n", name, "link", "add", "eth0", "type", "veth", "peer", "name", f"v{index}", "netns", self.hub)
            ip("-n", self.hub, "link", "set", f"v{index}", "master", "bridge0", "up")
            ip("-n", name, "addr", "add", f"{address(index)}/24", "dev", "eth0")
            ip("-n", name, "link", "set", "eth0", "up")
            ip("-n", name, "link", "set", "lo", "up")
            ip("-n", name, "route", "add", "default", "via", "10.99.7.1")

    def cable(self, index, state):
        ip("-n", self.hub, "link", "set", f"v{index}", state)

    def close(self):
        for name in [*(f"{PREFIX}{index}" for index in range(self.pods)), self.hub]:
            ip("netns", "del", name)


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


class Pod:
    """One node: a launcher that is started again when a kubelet would do it."""

    def __init__(self, sim, index):
        self.sim, self.index, self.back, self.environment = sim, index, 1.0, {}
        self.starts, self.codes, self.over, self.process = [], [], False, None
        self.killed, self.cgroup, self.network = False, None, index
        self.thread = threading.Thread(target=self._live, daemon=True)

    def _live(self):
        while not self.sim.closed:
            self.starts.append(time.time())
            with self.log_file.open("ab") as log:
                self.process = subprocess.Popen(
                    self._command(), stdout=log, stderr=log, env={**os.environ, **self._variables()}
                )
            code = -9 if self.process.wait() and self.killed else self.process.returncode
            self.killed = False
            self.codes.append((time.time(), code))
            if self.back is None or code not in START_AGAIN:
                break
            self.sim.woken.wait(self.back)
        self.over = True

    def _variables(self):
        return {
            "SIM_DIR": str(self.sim.folder),
            "RALLYPOINT_NODE_INDEX": str(self.index),
            "RALLYPOINT_TERMINATION_LOG": str(self.sim.folder / f"termination-{self.index}"),
            **self.sim.environment,
            **self.environment,
        }

    def _command(self):
        launcher = [sys.executable, "-u", str(LAUNCHER), str(self.sim.contract)]
        if self.sim.network is None:
            return launcher
        hosts, folder = self.sim.hosts_file(self.index), self.sim.folder
        steps = [f"mount --bind {hosts} /etc/hosts", f"mount --bind {folder}/nsswitch.conf /etc/nsswitch.conf"]
        steps += ["mount -t proc proc /proc", 'exec "$@"']
        if self.cgroup:
            steps.insert(0, f"echo 0 > {self.cgroup}/cgroup.procs")
        enter = ["nsenter", f"--net=/run/netns/{PREFIX}{self.network}", "unshare", "--mount", "--pid", "--fork"]
        return [*enter, "--kill-child", "sh", "-ec", "; ".join(steps), "sh", *launcher]

    @property
    def log_file(self):
        return self.sim.folder / f"log-{self.index}"

    def log(self):
        return self.log_file.read_text(errors="replace") if self.log_file.exists() else ""

    def pid(self):
        """The launcher's process id, seen from here."""
        return self.process.pid if self.sim.network is None else children(self.process.pid)[0]

    def processes(self):
        """Process ids of the training processes."""
        started = [pid for pid in children(self.pid()) if "counter.py" in command_line(pid)]
        return started or [p for agent in children(self.pid()) for p in children(agent) if "counter.py" in command_line(p)]

    def signal(self, number):
        self.killed = number == signal.SIGKILL
        os.kill(self.pid(), number)

    def code(self):
        return self.codes[-1][1] if self.over and self.codes else None


def children(pid):
    try:
        return [int(child) for child in Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]
    except OSError:
        return []


def command_line(pid):
    try:
        return Path(f"/proc/{pid}/cmdline").read_bytes().replace(b"\0", b" ").decode(errors="replace")
    except OSError:
        return ""


class Sim:
    """One job of simulated pods."""

    def __init__(self, folder, network, nodes=4, nproc=1, environment=None, **contract):
        self.folder, self.network, self.nodes, self.nproc = folder, network, nodes, nproc
        self.closed, self.woken, self.t0 = False, threading.Event(), time.time()
        self.environment = {"OMP_NUM_THREADS": "1", **(environment or {})}
        folder.mkdir(parents=True, exist_ok=True)
        (folder / "nsswitch.conf").write_text("hosts: files\n")
        self.contract = folder / "contract.json"
        self.fields = {
            "version": 1,
            "name": "sim",
            "nodes": nodes,
            "nproc_per_node": nproc,
            "gpus": 0,
            "endpoint": "rdzv:29400" if network else f"127.0.0.1:{free_port()}",
            "agent": "rallypoint",
            "rendezvous_timeout_seconds": 60,
            "max_restarts": 3,
            "grace_period_seconds": 8,
            "output": str(folder / "output"),
            "workdir": str(HERE),
            "idle_when_done": False,
            "image": None,
            "debug": False,
            "files": {},
            "script": {"file": "counter.py"},
            **contract,
        }
        self.contract.write_text(json.dumps(self.fields))
        self.pods = [Pod(self, index) for index in range(nodes)]
        for index in range(nodes):
            self.hosts(index, address(0))

    def hosts_file(self, index):
        return self.folder / f"hosts-{index}"

    def hosts(self, index, where, name="rdzv"):
        """What the name server tells this pod from now on; the file keeps its place, because it is mounted."""
        lines = ["127.0.0.1 localhost", f"{address(index)} {socket.gethostname()}"]
        lines += [f"{where} {name}"] if where else []
        with self.hosts_file(index).open("a+") as file:
            file.truncate(0)
            file.write("\n".join(lines) + "\n")

    def up(self, *which):
        for index in which or range(self.nodes):
            self.pods[index].thread.start()
        return self

    def events(self):
        try:
            lines = (self.folder / "events").read_text().splitlines()
        except OSError:
            return []
        parts = [line.split(" ", 2) for line in lines]
        return [(float(when), int(rank), what) for when, rank, what in parts]

    def fault(self, rank, what, at=0, always=False):
        aside = self.folder / f"fault-{rank}.tmp"
        aside.write_text(f"{'always' if always else 'once'} {at} {what}")
        aside.replace(self.folder / f"fault-{rank}")

    def wait(self, condition, seconds=40, what=""):
        """The first true value of the condition; fails the test when there is none in time."""
        until = time.time() + seconds
        while time.time() < until:
            found = condition()
            if found:
                return found
            time.sleep(0.05)
        logs = "\n".join(f"--- node {pod.index}\n{pod.log()[-1500:]}" for pod in self.pods[:4])
        raise AssertionError(f"not within {seconds} s: {what}\n{logs}")

    def running(self, since=None, seconds=40):
        """When all ranks had done a step after `since`."""
        since = self.t0 if since is None else since

        def all_first():
            first = {rank: when for when, rank, what in self.events() if what.startswith("first") and when > since}
            return max(first.values()) if len(first) == self.nodes * self.nproc else None

        return self.wait(all_first, seconds, "all ranks running")

    def happened(self, word, since=0.0, seconds=20):
        """When the last event that begins so was."""
        hits = lambda: [when for when, _, what in self.events() if what.startswith(word) and when > since]  # noqa: E731
        return self.wait(hits, seconds, word)[-1]

    def ended(self, *which, seconds=40):
        """Exit codes of the pods, once all of them are over."""
        pods = [self.pods[index] for index in which] or self.pods
        self.wait(lambda: all(pod.over for pod in pods), seconds, "all pods over")
        return [pod.code() for pod in pods]

    def said(self, index, pattern):
        return re.findall(pattern, self.pods[index].log(), re.M)

    def launches(self):
        return [len(pod.starts) for pod in self.pods]

    def used(self):
        """Restarts used up, as node 1 says it."""
        found = self.said(1, r"restarts used: (\d+)")
        return int(found[-1]) if found else 0

    def termination(self, index):
        return json.loads((self.folder / f"termination-{index}").read_text())

    def marker(self, name):
        path = self.folder / "output" / name
        return json.loads(path.read_text()) if path.exists() else None

    def close(self):
        self.closed = True
        self.woken.set()
        for pod in self.pods:
            if pod.process and pod.process.poll() is None:
                try:
                    os.kill(pod.pid(), signal.SIGKILL)
                except (OSError, IndexError):
                    pod.process.kill()
        for pod in self.pods:
            if pod.thread.ident:
                pod.thread.join(5)
