"""`rallypoint init`: a commented first job file."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Annotated

import typer

from rallypoint.cli.files import DEFAULT_FILE, Debug
from rallypoint.cli.messages import put, say
from rallypoint.errors import InputError

EXAMPLES = """\
rallypoint init                       # writes job.yaml in this folder
rallypoint init bert/job.yaml         # ... or there; an existing file is never touched
rallypoint init -                     # ... or to standard output"""

STARTER = """\
# A distributed training run. Try it here:   rallypoint run
# On Kubernetes:                             rallypoint render | kubectl apply -f -
# Every key is explained by:                 rallypoint schema
name: mrpc
nodes: 2                                  # pods on a cluster, process groups on this machine
# nproc_per_node: 1                       # training processes of each node; default: one per GPU, or 1

train:                                    # fine-tune with the built-in trainer ...
  task: text-classification
  model: google-bert/bert-base-uncased    # a model on the hub, or a folder
  dataset: {path: nyu-mll/glue, name: mrpc}
  # dataset: {data_files: {train: train.jsonl, validation: validation.jsonl}}   # or files of your own
  training_args:                          # as in transformers.TrainingArguments
    num_train_epochs: 3
    learning_rate: 2e-5
    per_device_train_batch_size: 8
    eval_strategy: epoch
    save_strategy: epoch
    logging_steps: 10

# script:                                 # ... or run a program of your own, as torchrun would
#   file: train.py
#   args: [--epochs, 3]

# What only a cluster needs:
# image: ghcr.io/acme/trainer:1.0         # has torch; for `train` also rallypoint[trainer]
# output: {pvc: mrpc-output}              # a claim that all nodes can share; here it is ./output/mrpc
# resources: {gpus: 1, cpu: 8, memory: 32Gi}
# kind: Job                               # or StatefulSet, PyTorchJob, JobSet, TrainJob
"""

File = Annotated[str, typer.Argument(metavar="FILE", help="Where to write it; - is standard output.")]


def init(file: File = DEFAULT_FILE, debug: Debug = False) -> None:
    """Write a commented job file to start from."""
    if file == "-":
        put(STARTER)
        return
    path = Path(file)
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with path.open("x", encoding="utf-8") as new:  # x: never over an existing file
            new.write(STARTER)
    except FileExistsError as error:
        raise InputError(f"{file}: exists already; name another file, or remove it first") from error
    except OSError as error:
        raise InputError(f"{file}: cannot be written ({os.strerror(error.errno or 0)})") from error
    say(f"wrote {file}; try it with 'rallypoint run{'' if file == DEFAULT_FILE else f' {file}'}'")
