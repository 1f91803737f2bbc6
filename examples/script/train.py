"""Fits a small network to a noisy sine with DistributedDataParallel, on CPUs or GPUs.

It relies on what torchrun gives a program, and on two variables of Rallypoint: RALLYPOINT_OUTPUT_DIR, a
folder that all nodes share, and RALLYPOINT_STEP_FILE, where it may say how far it is. Started again, it goes
on from its last checkpoint.
"""

import argparse
import os
from pathlib import Path

import torch
import torch.distributed as dist
from torch.nn.parallel import DistributedDataParallel


def batch(step: int, rank: int, device: torch.device) -> tuple[torch.Tensor, torch.Tensor]:
    """64 points of a noisy sine; the same for the same step and rank, so that a restart changes nothing."""
    generator = torch.Generator().manual_seed(1000 * step + rank)
    x = 6 * torch.rand(64, 1, generator=generator) - 3
    y = torch.sin(x) + 0.05 * torch.randn(64, 1, generator=generator)
    return x.to(device), y.to(device)


def save(checkpoint: Path, state: dict) -> None:
    """Write aside, then rename: a program that is killed leaves no half checkpoint."""
    aside = checkpoint.with_suffix(".writing")
    torch.save(state, aside)
    aside.rename(checkpoint)


def train(steps: int, save_every: int) -> float:
    """The last loss, averaged over all ranks."""
    rank, local_rank = dist.get_rank(), int(os.environ["LOCAL_RANK"])
    device = torch.device("cuda", local_rank) if torch.cuda.is_available() else torch.device("cpu")
    checkpoint = Path(os.environ["RALLYPOINT_OUTPUT_DIR"]) / "checkpoint.pt"
    torch.manual_seed(0)
    network = torch.nn.Sequential(torch.nn.Linear(1, 64), torch.nn.Tanh(), torch.nn.Linear(64, 1)).to(device)
    model = DistributedDataParallel(network)
    optimizer = torch.optim.Adam(model.parameters(), lr=0.01)
    first, loss = 0, torch.zeros((), device=device)
    if checkpoint.exists():
        state = torch.load(checkpoint, map_location=device, weights_only=True)
        network.load_state_dict(state["model"])
        optimizer.load_state_dict(state["optimizer"])
        first = state["step"]
    for step in range(first, steps):
        x, y = batch(step, rank, device)
        optimizer.zero_grad()
        loss = torch.nn.functional.mse_loss(model(x), y)
        loss.backward()
        optimizer.step()
        Path(os.environ["RALLYPOINT_STEP_FILE"]).write_text(str(step + 1))
        if rank == 0 and ((step + 1) % save_every == 0 or step + 1 == steps):
            print(f"step {step + 1} of {steps}: loss {loss.item():.4f}", flush=True)
            state = {"model": network.state_dict(), "optimizer": optimizer.state_dict(), "step": step + 1}
            save(checkpoint, state)
    dist.all_reduce(loss.detach_())
    return loss.item() / dist.get_world_size()


def main() -> None:
    """Read the arguments, join the other processes, train."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--steps", type=int, default=300)
    parser.add_argument("--save-every", type=int, default=50)
    arguments = parser.parse_args()
    dist.init_process_group("nccl" if torch.cuda.is_available() else "gloo")
    if torch.cuda.is_available():
        torch.cuda.set_device(int(os.environ["LOCAL_RANK"]))
    loss = train(arguments.steps, arguments.save_every)
    if dist.get_rank() == 0:
        print(f"trained on {dist.get_world_size()} processes, loss {loss:.4f}")
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
