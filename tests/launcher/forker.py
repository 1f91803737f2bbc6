"""Leaves five children to PID 1, each of which has ended."""

import os
import time
from pathlib import Path

for _ in range(5):
    if os.fork() == 0:
        if os.fork() == 0:
            time.sleep(0.2)
        os._exit(0)
    os.wait()
time.sleep(0.5)
with (Path(os.environ["SIM_DIR"]) / "events").open("a") as file:
    file.write(f"{time.time()} 0 left\n")
time.sleep(30)
