"""A training program without torch: counts steps in lockstep over all ranks, saves its step, can be told to
fail.

Rank 0 listens at MASTER_ADDR:MASTER_PORT. In every step each rank sends one byte ("s": I was told to stop)
and gets back one for all, so that a lost rank is noticed by the others as with gloo, in milliseconds
instead of seconds.
"""

import atexit
import json
import os
import signal
import socket
import subprocess
import sys
import time
from pathlib import Path

HOME = Path(os.environ["SIM_DIR"])
RANK, WORLD = int(os.environ["RANK"]), int(os.environ["WORLD_SIZE"])
STEPS = int(os.environ.get("STEPS", "1000000"))
STEP_SECONDS = float(os.environ.get("STEP_SECONDS", "0.02"))
stop = []


def event(what):
    with (HOME / "events").open("a") as file:
        file.write(f"{time.time():.3f} {RANK} {what}\n")


class Group:
    """The star of sockets around rank 0."""

    def __init__(self):
        address = (os.environ["MASTER_ADDR"], int(os.environ["MASTER_PORT"]))
        until = time.monotonic() + 30
        if RANK:
            while True:
                try:
                    self.peers = [socket.create_connection(address, timeout=5)]
                    break
                except OSError:
                    if time.monotonic() > until:
                        raise ConnectionError("Timed out waiting for rank 0") from None
                    time.sleep(0.02)
        else:
            with socket.create_server(("", address[1]), backlog=WORLD) as server:
                server.settimeout(30)
                self.peers = [server.accept()[0] for _ in range(WORLD - 1)]
        for peer in self.peers:
            peer.settimeout(float(os.environ.get("GROUP_SECONDS", "60")))

    def together(self, byte):
        """The largest byte of all ranks."""
        if RANK == 0:
            byte = max([byte, *(self.receive(peer) for peer in self.peers)])
        for peer in self.peers:
            peer.sendall(byte)
        return self.receive(self.peers[0]) if RANK else byte

    def close(self):
        for peer in self.peers:
            peer.close()

    @staticmethod
    def receive(peer):
        byte = peer.recv(1)
        if not byte:
            raise ConnectionError("Connection closed by peer")
        return byte


def saved_step():
    try:
        return int((HOME / "checkpoint").read_text())
    except (OSError, ValueError):
        return 0


def save(step):
    if RANK == 0:
        time.sleep(float(os.environ.get("SAVE_SECONDS", "0")))
        (HOME / "checkpoint.tmp").write_text(str(step))
        (HOME / "checkpoint.tmp").replace(HOME / "checkpoint")


def fault(step, group):
    path = HOME / f"fault-{RANK}"
    if not path.exists():
        return
    always, at, what = path.read_text().split(" ")
    if step < int(at):
        return
    if always != "always":
        path.unlink()
    event(f"fault {what}")
    if what == "raise":
        raise ValueError(f"bad batch at step {step}")
    if what == "slow-raise":
        group.close()
        atexit.register(time.sleep, 20)
        raise ValueError(f"bad batch at step {step}")
    if what == "exit2":
        print("ValueError: column 'label' is not in the dataset", file=sys.stderr, flush=True)
        os._exit(2)
    if what == "exit143":
        os._exit(143)
    if what == "segv":
        os.kill(os.getpid(), signal.SIGSEGV)
    if what == "hang":
        time.sleep(1000)
    if what == "memory":
        assert "rallypoint-test" in Path("/proc/self/cgroup").read_text()
        hog = [bytearray(os.urandom(1 << 20) * 16) for _ in range(64)]
        print(len(hog))


def main():
    if os.environ.get("STUBBORN"):
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
    elif os.environ.get("EXIT_143_ON_STOP"):
        signal.signal(signal.SIGTERM, lambda *_: os._exit(143))
    elif not os.environ.get("NO_HANDLER"):
        signal.signal(signal.SIGTERM, lambda *_: stop.append(1))
    if os.environ.get("CHILD"):
        command = [sys.executable, "-c", "import signal,time; signal.signal(15, 1); time.sleep(1000)"]
        for own_session in (False, True):
            event(f"child {subprocess.Popen(command, start_new_session=own_session).pid}")
    torchrun = (
        "RANK",
        "LOCAL_RANK",
        "GROUP_RANK",
        "WORLD_SIZE",
        "LOCAL_WORLD_SIZE",
        "TORCHELASTIC_RESTART_COUNT",
    )
    names = [*torchrun, "RALLYPOINT_NODE_INDEX", "OMP_NUM_THREADS", "MASTER_ADDR"]
    event("environment " + json.dumps({name: os.environ.get(name) for name in names}))
    group = Group()
    step, first = saved_step(), True
    Path(os.environ["RALLYPOINT_STEP_FILE"]).write_text(str(step))
    while step < STEPS:
        fault(step, group)
        stopping = group.together(b"s" if stop else b"-") == b"s"
        step += 1
        if first:
            event(f"first {step}")
            first = False
        Path(os.environ["RALLYPOINT_STEP_FILE"]).write_text(str(step))
        if stopping:
            save(step)
            event(f"stopped {step}")
            os._exit(0 if os.environ.get("EXIT_0_ON_STOP") else 143)
        if step % 10 == 0:
            save(step)
        time.sleep(STEP_SECONDS)
    save(step)
    event(f"end {step}")
    time.sleep(float(os.environ.get(f"LINGER_{RANK}", "0")))


if __name__ == "__main__":
    main()
