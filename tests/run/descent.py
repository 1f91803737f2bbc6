"""A tiny gradient descent over gloo: logs every step, keeps a checkpoint, stops on SIGTERM.

Run by the tests as a job's script; each rank has its own half of the data.
"""

import json
import os
import signal
import sys
import time
from pathlib import Path

import torch
import torch.distributed as dist

STEPS = int(sys.argv[1])
SLEEP = float(sys.argv[2])
OUTPUT = Path(os.environ["RALLYPOINT_OUTPUT_DIR"])
SAVED = OUTPUT / "checkpoint-descent"


def restored(weight):
    """The step to go on from, with the weight that belongs to it."""
    if not SAVED.exists():
        return 0
    saved = torch.load(SAVED)
    weight.data.copy_(saved["weight"])
    return saved["step"]


def save(step, weight):
    aside = SAVED.with_suffix(".new")
    torch.save({"step": step, "weight": weight.data}, aside)
    aside.replace(SAVED)


def main():
    torch.set_num_threads(1)
    stopping = []
    signal.signal(signal.SIGTERM, lambda *_: stopping.append(1))
    dist.init_process_group("gloo")
    rank, world = dist.get_rank(), dist.get_world_size()
    print(f"rank {rank} is process {os.getpid()}", flush=True)
    torch.manual_seed(0)
    data = torch.randn(64, 8)
    target = data @ torch.arange(8.0)
    mine, theirs = data[rank::world], target[rank::world]
    weight = torch.zeros(8, requires_grad=True)
    for step in range(restored(weight), STEPS):
        loss = ((mine @ weight - theirs) ** 2).mean()
        weight.grad = None
        loss.backward()
        shared = torch.cat([weight.grad, loss.detach()[None], torch.tensor([float(bool(stopping))])])
        dist.all_reduce(shared)
        weight.data -= 0.05 * shared[:8] / world
        Path(os.environ["RALLYPOINT_STEP_FILE"]).write_text(str(step + 1))
        if rank == 0:
            with (OUTPUT / "losses.jsonl").open("a") as file:
                file.write(json.dumps({"step": step + 1, "loss": float(shared[8]) / world}) + "\n")
            save(step + 1, weight)
            print(f"step {step + 1}", flush=True)
        if shared[9]:
            sys.exit(143)
        time.sleep(SLEEP)


main()
