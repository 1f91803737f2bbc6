"""One training run, top to bottom."""

from __future__ import annotations

import inspect
import math
import os
import sys
import time
from pathlib import Path
from typing import Any, NamedTuple

from transformers import PrinterCallback, ProgressCallback, TrainingArguments, set_seed

from rallypoint.errors import InputError
from rallypoint_trainer.arguments import asks_precision, build_arguments, check_against_data, check_names
from rallypoint_trainer.collator import Collator
from rallypoint_trainer.contract import Contract, read_contract
from rallypoint_trainer.data import samples_of
from rallypoint_trainer.events import Events
from rallypoint_trainer.failure import write_error_file
from rallypoint_trainer.finish import final_evaluation, summary, write_result
from rallypoint_trainer.model import load_config, load_model, load_tokenizer
from rallypoint_trainer.optimizer import try_optimizer
from rallypoint_trainer.output import open_output
from rallypoint_trainer.precision import Decision, bf16_speedup, decide_bf16
from rallypoint_trainer.quiet import quiet_libraries
from rallypoint_trainer.resumable import ResumableTrainer
from rallypoint_trainer.resume import Resume, find_resume
from rallypoint_trainer.settings import compare, settings_of
from rallypoint_trainer.steps import Steps
from rallypoint_trainer.stop import EXIT_CODE, Stop, Stopped
from rallypoint_trainer.tokens import Samples
from rallypoint_trainer.world import SpokenError, World, check_trainer_world

MEET_SECONDS = 1800
"""transformers' default ddp_timeout."""


def run(contract_path: Path, stop: Stop) -> int:
    """The exit code of this process: 0 done, 2 wrong input, 143 stopped with a checkpoint."""
    world = None
    try:
        contract = read_contract(contract_path)
        world = World(contract, os.environ)
        world.meet(int(contract.train.training_args.get("ddp_timeout", MEET_SECONDS)))
        code = train(contract, world, stop)
    except InputError as error:
        tell(error, alone=world is None)
        code = error.exit_code
    if world is not None:
        world.part()
    return code


def tell(error: InputError, alone: bool) -> None:
    """Says what is wrong with the input once: on the rank that found it, or on rank 0 when all must have."""
    write_error_file(str(error))
    silent = os.environ.get("RANK", "0") != "0" if alone else isinstance(error, SpokenError)
    if not silent:
        print(f"rallypoint: {error}", file=sys.stderr, flush=True)


def train(contract: Contract, world: World, stop: Stop) -> int:
    """Trains, or goes on training, and writes the result."""
    began = time.monotonic()
    quiet_libraries()
    world.together("names", lambda: check_names(contract.train.training_args))
    open_output(contract.output, world)
    events = Events(contract.output, world.speaks)
    resume = find_resume(contract.output, world)
    for text in resume.told:
        events.notice(text)
    ready = prepare(contract, world, resume)
    trainer = world.together("trainer", lambda: build_trainer(contract, ready, resume, stop, events))
    steps = Steps(trainer, os.environ)
    trainer.add_callback(steps)
    max_steps = steps_to_train(trainer)
    asked = contract.train.training_args
    world.together("optimizer", lambda: try_optimizer(trainer, asked, max_steps))
    events.rewind(resume.step)
    for text in ready.notices:
        events.notice(text)
    say_start(events, trainer, resume, max_steps, ready.decisions)

    stop.training()
    try:
        if resume.path is not None and resume.step >= max_steps:
            trainer.restore(resume.path, max_steps)
        else:
            trainer.train(resume_from_checkpoint=str(resume.path) if resume.path else None)
        if steps.stopping:
            return _stopped(trainer)
        evaluation = final_evaluation(trainer)
    except Stopped:
        trainer.evaluation_due = True
        trainer.save_now()
        return _stopped(trainer)
    stop.finishing()
    result = summary(trainer, evaluation)
    target = write_result(trainer, result)
    events.say(
        "end",
        metrics=evaluation,
        model=str(target),
        train_loss=result["train_loss"],
        step=trainer.state.global_step,
        seconds=round(time.monotonic() - began, 1),
    )
    return 0


class Ready(NamedTuple):
    """All that is there before the first step, the same on every rank."""

    arguments: TrainingArguments
    tokenizer: Any
    model: Any
    samples: Samples
    settings: dict[str, Any]
    notices: list[str]
    decisions: dict[str, str]


def prepare(contract: Contract, world: World, resume: Resume) -> Ready:
    """Arguments, data and model, checked.

    Raises: InputError, on all ranks, for whatever is wrong on one of them.
    """
    asked = contract.train.training_args
    bf16 = decide_bf16(world.gathered("bf16", bf16_speedup(world.on_gpu)), resume.bf16)
    arguments = world.together(
        "arguments", lambda: build_arguments(asked, contract.output, contract.gpus, bf16.value)
    )
    check_trainer_world(arguments.world_size, contract)
    tokenizer = world.node_by_node("tokenizer", lambda: load_tokenizer(contract.model))
    config = world.together("config", lambda: load_config(contract.model))
    samples = samples_of(contract, world, tokenizer, config)
    settings = settings_of(contract, arguments, len(samples.train), samples.digest)
    notices = world.together("settings", lambda: _allowed(contract, arguments, samples, settings, resume))
    set_seed(arguments.seed)
    model = world.node_by_node("model", lambda: load_model(contract.model, samples.labels, tokenizer))
    decisions = _decisions(contract, arguments, bf16)
    return Ready(arguments, tokenizer, model, samples, settings, notices, decisions)


def build_trainer(
    contract: Contract, ready: Ready, resume: Resume, stop: Stop, events: Events
) -> ResumableTrainer:
    """The Trainer of this run, silent but for our events."""
    inputs = inspect.signature(ready.model.forward).parameters
    trainer = ResumableTrainer(
        model=ready.model,
        args=ready.arguments,
        train_dataset=ready.samples.train,
        eval_dataset=ready.samples.validation,
        processing_class=ready.tokenizer,
        data_collator=Collator(ready.tokenizer, inputs, multiple_of=8 if contract.gpus else 1),
        stop=stop,
        events=events,
        settings=ready.settings,
        metrics=list(contract.train.metrics),
        progress=resume.progress,
    )
    for callback in (PrinterCallback, ProgressCallback):
        trainer.remove_callback(callback)
    return trainer


def steps_to_train(trainer: ResumableTrainer) -> int:
    """Steps of the whole run, as the Trainer counts them."""
    if trainer.args.max_steps > 0:
        return int(trainer.args.max_steps)
    return math.ceil(float(trainer.args.num_train_epochs) * trainer.plan.steps)


def _allowed(
    contract: Contract,
    arguments: TrainingArguments,
    samples: Samples,
    settings: dict[str, Any],
    resume: Resume,
) -> list[str]:
    """Notices about settings that differ from the checkpoint's; everything else about them is "
    "checked here.
    """
    check_against_data(arguments, list(contract.train.metrics), samples.validation is not None)
    batch = (
        contract.world_size * arguments.per_device_train_batch_size * arguments.gradient_accumulation_steps
    )
    if arguments.dataloader_drop_last and len(samples.train) < batch:
        raise InputError(
            "train.training_args.dataloader_drop_last: nothing would be left to train on "
            f"({len(samples.train)} "
            f"samples, one step takes {batch}); remove it, or lower per_device_train_batch_size"
        )
    return compare(resume.settings, settings, resume.name)


def _decisions(contract: Contract, arguments: TrainingArguments, bf16: Decision) -> dict[str, str]:
    """What was decided for the user, each with its reason."""
    asked = contract.train.training_args
    precision = "bf16" if arguments.bf16 else "fp16" if arguments.fp16 else "float32"
    why = "asked for" if asks_precision(asked) else bf16.reason
    order = (
        "asked for"
        if "train_sampling_strategy" in asked
        else "random global batches, like lengths on one rank"
    )
    return {"precision": f"{precision}: {why}", "sampling": f"{arguments.train_sampling_strategy}: {order}"}


def say_start(
    events: Events, trainer: ResumableTrainer, resume: Resume, max_steps: int, decisions: dict[str, str]
) -> None:
    """The event that opens a run or a resumed one."""
    events.say(
        "start",
        world_size=trainer.args.world_size,
        max_steps=max_steps,
        num_samples=trainer.plan.samples,
        global_batch=trainer.plan.global_batch,
        resumed_from=resume.step if resume.path is not None else None,
        **decisions,
    )


def _stopped(trainer: ResumableTrainer) -> int:
    """The exit code after an agreed stop, said once."""
    step = trainer.state.global_step
    trainer.events.notice(f"told to stop: the checkpoint of step {step} is written, it can go on from there")
    return EXIT_CODE
