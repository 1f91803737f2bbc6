"""What happens at each step besides training: the step file, the pace, the question whether to stop."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import Any

from transformers import TrainerCallback

from rallypoint_trainer.question import Question
from rallypoint_trainer.resumable import ResumableTrainer

STEP_FILE = "RALLYPOINT_STEP_FILE"


class StepFile:
    """The file from which the launcher learns where training is; absent when nobody asked for it."""

    def __init__(self, path: str | None) -> None:
        self._handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o644) if path else None

    def write(self, step: int) -> None:
        """Overwrites in place: the number never gets shorter, so a reader never sees half of it."""
        if self._handle is not None:
            os.pwrite(self._handle, f"{step}\n".encode(), 0)


class Steps(TrainerCallback):  # type: ignore[misc]  # transformers ships no types
    """Called by the Trainer after its own callbacks; may change what those have asked for."""

    def __init__(self, trainer: ResumableTrainer, environ: Mapping[str, str]) -> None:
        self._trainer = trainer
        self._file = StepFile(environ.get(STEP_FILE))
        self._question = Question(trainer.stop)
        self.stopping = False

    def on_train_begin(self, args: Any, state: Any, control: Any, **_: Any) -> None:
        """Training starts or goes on."""
        self._file.write(state.global_step)
        self._trainer.take_up()

    def on_step_end(self, args: Any, state: Any, control: Any, **_: Any) -> None:
        """One optimizer step is done on all ranks; the last step is no place to stop, the end is."""
        self._trainer.step_done()
        self._file.write(state.global_step)
        if self._question.agreed() and state.global_step < state.max_steps:
            self.stopping = True
            self._end(control, save=not self._trainer.at_epoch_end)

    def on_epoch_end(self, args: Any, state: Any, control: Any, **_: Any) -> None:
        """The Trainer comes here after a stop in mid-epoch too, and would evaluate and save once more."""
        if self.stopping:
            control.should_log &= self._trainer.at_epoch_end
            self._end(control, save=self._trainer.at_epoch_end)

    def _end(self, control: Any, save: bool) -> None:
        """Nothing more after this step but its log event and a checkpoint; an evaluation waits "
        "for the next start.
        """
        self._trainer.evaluation_due |= control.should_evaluate and (save or self._trainer.at_epoch_end)
        control.should_evaluate = False
        control.should_training_stop = True
        control.should_save = save
