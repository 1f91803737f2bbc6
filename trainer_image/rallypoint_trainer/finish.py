"""The end of a run: final metrics, the model and metrics.json, each there whole or not at all."""

from __future__ import annotations

import json
import os
import shutil
import stat
from pathlib import Path
from typing import Any

from rallypoint_trainer.checkpoint import ASIDE
from rallypoint_trainer.events import plain
from rallypoint_trainer.metrics import f1_average
from rallypoint_trainer.pace import rate
from rallypoint_trainer.resumable import ResumableTrainer

MODEL = "model"
METRICS = "metrics.json"


def final_evaluation(trainer: ResumableTrainer) -> dict[str, float]:
    """Metrics of the weights that will be saved; taken from the history when they were evaluated already."""
    if trainer.eval_dataset is None:
        return {}
    state = trainer.state
    best = trainer.args.load_best_model_at_end and state.best_model_checkpoint is not None
    step = state.best_global_step if best else state.global_step
    known = (entry for entry in reversed(state.log_history) if "eval_loss" in entry)
    metrics = next((entry for entry in known if entry["step"] == step), None) or trainer.evaluate()
    return {name: value for name, value in metrics.items() if name.startswith("eval_")}


def summary(trainer: ResumableTrainer, evaluation: dict[str, float]) -> dict[str, Any]:
    """What metrics.json says; all ranks must ask."""
    state, labels = trainer.state, trainer.model.config.num_labels
    seconds = trainer.pace.seconds
    samples = samples_seen(trainer)
    result = {
        **evaluation,
        "train_loss": trainer.train_loss(),
        "train_seconds": round(seconds, 1),
        "train_samples_per_second": rate(samples, seconds),
        "train_samples": trainer.plan.samples,
        "steps": state.global_step,
        "epoch": state.epoch,
        "world_size": trainer.args.world_size,
        "global_batch": trainer.plan.global_batch,
        "precision": "bf16" if trainer.args.bf16 else "fp16" if trainer.args.fp16 else "float32",
        "labels": [trainer.model.config.id2label[number] for number in range(labels)],
    }
    if "f1" in trainer.wanted_metrics and evaluation:
        result["f1_average"] = f1_average(labels)
    return result


def samples_seen(trainer: ResumableTrainer) -> int:
    """Samples trained on so far, over all ranks and epochs."""
    plan = trainer.plan
    epochs, steps = divmod(trainer.state.global_step, plan.steps)
    in_epoch = plan.full_steps * plan.global_batch + plan.tail
    return int(epochs) * in_epoch + sum(plan.samples_in(step) for step in range(steps))


def write_result(trainer: ResumableTrainer, result: dict[str, Any]) -> Path:
    """Puts the model, its tokenizer and metrics.json in place; all ranks must call it."""
    output = Path(trainer.args.output_dir)
    aside, target = output / f"{ASIDE}{MODEL}", output / MODEL
    if trainer.args.should_save:
        shutil.rmtree(aside, ignore_errors=True)
    trainer.meet()
    trainer.save_model(str(aside), _internal_call=True)
    trainer.meet()
    if trainer.args.should_save:
        (aside / "training_args.bin").unlink(missing_ok=True)  # a pickle of this machine's paths
        let_others_read(aside)
        _swap(aside, target)
        _write(output / METRICS, json.dumps(plain(result), indent=2) + "\n")
    trainer.meet()
    return target


def let_others_read(model: Path) -> None:
    """Gives the weights the rights of config.json, an ordinary file: safetensors makes them for their owner
    alone, and who serves a model is seldom who trained it.
    """
    rights = stat.S_IMODE((model / "config.json").stat().st_mode)
    for path in model.glob("*.safetensors"):
        try:
            path.chmod(rights)
        except OSError:
            return  # a file system without rights


def _swap(aside: Path, target: Path) -> None:
    """Gives `aside` the name `target`; an older one goes only when the new one is whole."""
    old = target.with_name(f"{ASIDE}old-{target.name}")
    shutil.rmtree(old, ignore_errors=True)
    if target.exists():
        target.rename(old)
    aside.rename(target)
    shutil.rmtree(old, ignore_errors=True)


def _write(path: Path, text: str) -> None:
    """Writes a small file whole or not at all."""
    aside = path.with_name(f"{ASIDE}{path.name}")
    with aside.open("w", encoding="utf-8") as file:
        file.write(text)
        file.flush()
        os.fsync(file.fileno())
    aside.replace(path)
