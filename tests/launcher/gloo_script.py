"""All-reduces over gloo until rank 1 fails at step 5; the others only lose it."""

import os
from pathlib import Path

import torch
import torch.distributed as dist

dist.init_process_group("gloo")
for step in range(1000):
    Path(os.environ["RALLYPOINT_STEP_FILE"]).write_text(str(step))
    if step == 5 and dist.get_rank() == 1:
        raise ValueError("bad batch")
    dist.all_reduce(torch.ones(1))
