"""A simulated pod with its kubelet-like supervisor, which starts the launcher again as Kubernetes would."""

import os
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

from launcher.network import PREFIX

LAUNCHER = Path(__file__).resolve().parents[2] / "generator" / "rallypoint" / "launcher"
START_AGAIN = {143, 137, -9}


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
        steps = [
            f"mount --bind {hosts} /etc/hosts",
            f"mount --bind {folder}/nsswitch.conf /etc/nsswitch.conf",
        ]
        steps += ["mount -t proc proc /proc", 'exec "$@"']
        if self.cgroup:
            steps.insert(0, f"echo 0 > {self.cgroup}/cgroup.procs")
        enter = [
            "nsenter",
            f"--net=/run/netns/{PREFIX}{self.network}",
            "unshare",
            "--mount",
            "--pid",
            "--fork",
        ]
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
        return started or [
            p for agent in children(self.pid()) for p in children(agent) if "counter.py" in command_line(p)
        ]

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
