"""The example on three nodes and as one process with the same global batch: accuracy and F1 over seeds.

    python benchmarks/mrpc_parity.py [SEED ...]

From the root, after `make demo`; three seeds by default, and each of the six runs takes as long as the
demo. Prints each run as it ends, then both means and how far they are apart.
"""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from statistics import mean

ROOT = Path(__file__).parent.parent
EXAMPLE = ROOT / "examples/mrpc/job.yaml"
SEEDS = (42, 1, 2)
LAYOUTS = {
    "three nodes": ("nodes=3",),
    "one process": ("nodes=1", "resources.cpu=1", "train.training_args.gradient_accumulation_steps=3"),
}
METRICS = ("eval_accuracy", "eval_f1")


def trained(seed: int, layout: str, folder: Path) -> dict[str, float]:
    """The metrics of one run, and its seconds.

    Raises: CalledProcessError when it fails.
    """
    sets = [f"--set={text}" for text in (f"train.training_args.seed={seed}", *LAYOUTS[layout])]
    began = time.monotonic()
    command = [sys.executable, "-m", "rallypoint", "run", str(EXAMPLE), *sets]
    subprocess.run(command, cwd=folder, check=True, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL)
    found = json.loads((folder / "output/mrpc/metrics.json").read_text())
    return {**{name: found[name] for name in METRICS}, "seconds": time.monotonic() - began}


def main() -> None:
    seeds = [int(text) for text in sys.argv[1:]] or list(SEEDS)
    results: dict[str, list[dict[str, float]]] = {layout: [] for layout in LAYOUTS}
    for seed in seeds:
        for layout, found in results.items():
            with tempfile.TemporaryDirectory() as folder:
                found.append(trained(seed, layout, Path(folder)))
            shown = ", ".join(f"{name} {found[-1][name]:.4f}" for name in METRICS)
            print(f"seed {seed}, {layout}: {shown} ({found[-1]['seconds']:.0f} s)", flush=True)
    for name in METRICS:
        three, one = (mean(run[name] for run in found) for found in results.values())
        print(f"mean {name}: {three:.4f} and {one:.4f}, {abs(three - one) * 100:.1f} points apart")


if __name__ == "__main__":
    main()
