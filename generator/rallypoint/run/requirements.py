"""What must be here for a job to run: libraries, cores, files; seen without importing any of it."""

from __future__ import annotations

import platform
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path

from rallypoint.errors import InputError
from rallypoint.loading import Loaded
from rallypoint.loading.load import located
from rallypoint.loading.tree import spec_error
from rallypoint.run.environment import cores
from rallypoint.spec import Job, TrainSpec
from rallypoint.spec.rules import Violation
from rallypoint.spec.script import INLINE

INSTALL = "pip install 'rallypoint[trainer]'"
_TRAINER = ("torch", "transformers", "datasets", "accelerate", "sklearn")
_MOST_PER_CORE = 64
"""Processes that only wait cost little; many more than this and the machine is lost to everybody."""


def require_libraries(job: Job) -> None:
    """Raises: InputError when a library is missing that this job cannot start without."""
    missing = [name for name in _needed(job) if find_spec(name) is None]
    if missing:
        what = "train" if job.train is not None else "rendezvous.agent: torchrun"
        raise InputError(f"{what}: needs {', '.join(missing)} here, not installed; run: {INSTALL}")


def _needed(job: Job) -> tuple[str, ...]:
    """Import names of what the job needs before its own program starts; a script brings its own."""
    if job.train is not None:
        return _TRAINER
    return ("torch",) if job.rendezvous.agent == "torchrun" else ()


def require_room(job: Job) -> None:
    """Raises: InputError when the processes are far too many for this machine's cores."""
    most = _MOST_PER_CORE * cores()
    if job.world_size > most:
        raise InputError(
            f"nodes: {job.nodes} x {job.nproc} processes are too many for this machine "
            f"({cores()} cores, at most {most}); run fewer here: --set nodes={max(1, cores() // job.nproc)}"
        )


def require_sound_input(loaded: Loaded) -> None:
    """Raises: SpecError for files of this machine that are missing and scripts that are no Python."""
    train, folder = loaded.job.train, Path(loaded.folder).resolve()
    violations = [*_broken_scripts(loaded.scripts), *(_missing_files(train, folder) if train else ())]
    if violations:
        raise spec_error(located(loaded.tree, violations))


def _broken_scripts(scripts: dict[str, str]) -> Iterator[Violation]:
    for path, text in scripts.items():
        if not path.endswith(".py"):
            continue
        try:
            compile(text, path, "exec", dont_inherit=True)
        except (SyntaxError, ValueError) as error:
            where = ("script", "inline" if path == INLINE else "file")
            yield Violation(where, f"is no Python that {_python()} can read ({error}); mend it")


def _python() -> str:
    return f"Python {platform.python_version()}"


def _missing_files(train: TrainSpec, folder: Path) -> Iterator[Violation]:
    """Local data files and model folders that are not there; a hub's names, URLs and globs aside."""
    for key, name in _data_files(train):
        if not any(sign in name for sign in ("://", "*", "?", "[")) and not (folder / name).is_file():
            yield Violation(key, _not_there(folder, name))
    model = train.model if isinstance(train.model, str) else train.model.pretrained_model_name_or_path
    if model.startswith(("/", "./", "../")) and not (folder / model).is_dir():
        text = f"no such folder (got {model!r}, looked in {folder}); check the path"
        yield Violation(("train", "model"), text)


def _not_there(folder: Path, name: str) -> str:
    """What to say when `name` is no file."""
    if (folder / name).is_dir():
        return f"a folder (got {name!r}), not a file; name the files in it, as in {name.rstrip('/')}/*.jsonl"
    return f"no such file (got {name!r}, looked in {folder}); check the path"


def _data_files(train: TrainSpec) -> Iterator[tuple[tuple[str, ...], str]]:
    """Every data file with its key; none when the data set is on a hub, where names are relative to it."""
    data = train.dataset
    if data.data_files is None or data.data_dir or data.path not in (None, "json", "csv", "parquet"):
        return
    splits = data.data_files if isinstance(data.data_files, dict) else {"": data.data_files}
    for split, names in splits.items():
        for name in [names] if isinstance(names, str) else names:
            yield ("train", "dataset", "data_files", *([split] if split else [])), name
