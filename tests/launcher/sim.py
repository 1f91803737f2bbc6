"""One job of simulated pods.

As root on Linux every pod has a network, PID and mount namespace of its own, its launcher is PID 1, and the
endpoint is the name `rdzv`. Else the pods are plain processes on loopback; what needs a namespace is skipped.
"""

import json
import os
import re
import signal
import socket
import threading
import time
from pathlib import Path

from launcher.network import address, free_port
from launcher.pod import Pod

HERE = Path(__file__).resolve().parent


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
        """What the name server tells this pod from now on; the same file, because it is mounted."""
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

    def wait(self, condition, seconds=40, what="", every=0.05):
        """The first true value of the condition; fails the test when there is none in time."""
        until = time.time() + seconds
        while time.time() < until:
            found = condition()
            if found:
                return found
            time.sleep(every)
        logs = "\n".join(f"--- node {pod.index}\n{pod.log()[-1500:]}" for pod in self.pods[:4])
        raise AssertionError(f"not within {seconds} s: {what}\n{logs}")

    def running(self, since=None, seconds=40):
        """When all ranks had done a step after `since`."""
        since = self.t0 if since is None else since

        def all_first():
            first = {
                rank: when for when, rank, what in self.events() if what.startswith("first") and when > since
            }
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
