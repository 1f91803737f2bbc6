"""Runs a script as a training process: `program.py <file> [args]` or `program.py -m <module> [args]`.

The script finds what it would find under plain `python`: its own sys.argv, sys.path[0] and `__main__`.
Besides, an exception is recorded for the launcher, a stock Trainer that would train copies is stopped, and
the end is clean. One file on its own: nothing of the launcher may stand in the way of the script's own
imports.
"""

from __future__ import annotations

import atexit
import contextlib
import importlib.abc
import importlib.util
import json
import os
import sys
import threading
import time
import traceback
import types
from importlib.machinery import ModuleSpec
from pathlib import Path
from typing import Any

WRONG_INPUT = 2
LAST_WORDS_SECONDS = 20.0  # what a failed script's exit handlers and threads get
PR_SET_PDEATHSIG = 1  # Linux, sys/prctl.h
COPIES = (
    "Trainer: it sees {seen} process, the job has {expected}; {expected} copies would be trained, each on "
    "all of the data; without GPUs pass use_cpu=True to TrainingArguments"
)


class MissingScriptError(Exception):
    """There is nothing to run."""


def die_with_the_launcher() -> None:
    """Has this process killed when the launcher is gone: by the kernel, or by a thread that looks."""
    parent = os.getppid()
    if sys.platform == "linux":
        import ctypes
        import signal

        ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
        return  # one that went before this line is the guard's

    def look() -> None:
        while os.getppid() == parent:
            time.sleep(1)
        os._exit(1)

    threading.Thread(target=look, daemon=True).start()


def check_rank() -> None:
    """Ends at once when the rank is not that of this node: data and output would be mixed up."""
    index = os.environ.get("RALLYPOINT_NODE_INDEX")
    group = os.environ.get("GROUP_RANK", index)
    if group != index:
        print(f"rendezvous: node {index} was given the place of node {group}", file=sys.stderr, flush=True)
        os._exit(1)


def record(error: BaseException, final: bool) -> None:
    """Leaves the exception where the launcher, and torchelastic, look for it; not over what the script left
    there.

    Source: torch 2.15, torch/distributed/elastic/multiprocessing/errors/error_handler.py.
    """
    path = Path(os.environ.get("TORCHELASTIC_ERROR_FILE") or os.devnull)
    if path.is_file() and path.stat().st_size:
        return  # the script records for itself (torchelastic's @record)
    stack = "".join(traceback.format_exception(type(error), error, error.__traceback__))
    extra = {"py_callstack": stack, "timestamp": str(int(time.time())), "final": final}
    what = {"message": {"message": f"{type(error).__name__}: {error}", "extraInfo": extra}}
    try:
        path.write_text(json.dumps(what), encoding="utf-8")
    except OSError:
        pass  # stderr has it too


class CopiesError(RuntimeError):
    """A Trainer is about to train the same data in every process, each for itself."""


def world_of(trainer: Any) -> int:
    """Processes that the Trainer trains with; 1 when its model would not be shared with the others."""
    from accelerate.utils import DistributedType

    shared = trainer.accelerator.distributed_type != DistributedType.NO
    return int(trainer.args.world_size) if shared else 1


def with_assertion(train: Any) -> Any:
    """`Trainer.train`, which first makes sure that the Trainer sees the job's world."""

    def train_in_the_world(self: Any, *args: Any, **kwargs: Any) -> Any:
        expected, seen = int(os.environ.get("WORLD_SIZE", "1")), world_of(self)
        if seen != expected:
            raise CopiesError(COPIES.format(seen=seen, expected=expected))
        return train(self, *args, **kwargs)

    return train_in_the_world


class TrainerWatch(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    """Waits for the import of transformers.trainer and puts the assertion into it; costs nothing without
    one.
    """

    name = "transformers.trainer"

    def find_spec(self, name: str, path: Any = None, target: Any = None) -> ModuleSpec | None:
        """The module's own spec, with this object as its loader."""
        if name != self.name:
            return None
        sys.meta_path.remove(self)
        spec = importlib.util.find_spec(name)
        if spec is not None:
            self._loader, spec.loader = spec.loader, self
        return spec

    def create_module(self, spec: ModuleSpec) -> types.ModuleType | None:
        """As the module's own loader does."""
        assert self._loader
        return self._loader.create_module(spec)

    def exec_module(self, module: types.ModuleType) -> None:
        """Runs the module, then changes Trainer.train."""
        assert self._loader
        if module.__spec__:
            module.__spec__.loader = module.__loader__ = self._loader
        self._loader.exec_module(module)
        module.Trainer.train = with_assertion(module.Trainer.train)


def look_first_in(folder: Path) -> None:
    """Makes `folder` sys.path[0], unless this interpreter keeps to a safe path (`python -P`)."""
    if not getattr(sys.flags, "safe_path", False):
        sys.path[0] = str(folder)


def code_of_file(path: str) -> tuple[types.CodeType, types.ModuleType]:
    """Compiled code and an empty `__main__` for it, as `python <path>` makes them."""
    main = types.ModuleType("__main__")
    try:
        source = Path(path).read_bytes()
    except OSError as error:
        raise MissingScriptError(f"script: {path} cannot be read ({error.strerror})") from error
    main.__dict__.update(__file__=path, __builtins__=__builtins__, __loader__=None, __spec__=None)
    look_first_in(Path(path).resolve().parent)
    return compile(source, path, "exec"), main


def code_of_module(name: str) -> tuple[types.CodeType, types.ModuleType]:
    """The same, as `python -m <name>` makes them."""
    look_first_in(Path.cwd())
    try:
        spec = importlib.util.find_spec(name)
        if spec is not None and spec.submodule_search_locations is not None:
            spec = importlib.util.find_spec(f"{name}.__main__")
    except ModuleNotFoundError as error:
        raise MissingScriptError(f"script.module: {name} cannot be imported ({error})") from error
    loader = spec.loader if spec else None
    code = loader.get_code(spec.name) if spec and isinstance(loader, importlib.abc.InspectLoader) else None
    if spec is None or code is None:
        raise MissingScriptError(f"script.module: {name!r} is no module that can be run, from {Path.cwd()}")
    main = types.ModuleType("__main__")
    main.__dict__.update(
        __file__=spec.origin,
        __builtins__=__builtins__,
        __loader__=spec.loader,
        __spec__=spec,
        __package__=spec.parent,
    )
    return code, main


def run(code: types.CodeType, main: types.ModuleType) -> int:
    """Runs the script; its exit code. What it raises is shown as python would, without this file's own
    frames.
    """
    try:
        exec(code, main.__dict__)  # noqa: S102 - it is what this file is for
    except SystemExit as stop:
        if stop.code is None or isinstance(stop.code, int):
            return stop.code or 0
        print(stop.code, file=sys.stderr)
        return 1
    except BaseException as error:  # noqa: BLE001 - whatever it is, it goes to the script's own excepthook
        error.__traceback__ = error.__traceback__.tb_next if error.__traceback__ else None
        record(error, isinstance(error, CopiesError))
        sys.excepthook(type(error), error, error.__traceback__)
        return 1
    return 0


def end(code: int) -> None:
    """Ends the process as the interpreter would, but without what makes gloo abort there; never returns.

    Source: pytorch issues 190489 and 179291: gloo's threads are ended in static destructors.
    """
    if code:
        late = threading.Timer(LAST_WORDS_SECONDS, os._exit, (code,))
        late.daemon = True
        late.start()
    for thread in threading.enumerate():
        if thread is not threading.current_thread() and not thread.daemon:
            thread.join()
    atexit._run_exitfuncs()
    distributed = sys.modules.get("torch.distributed")
    if code == 0 and distributed and distributed.is_available() and distributed.is_initialized():
        with contextlib.suppress(RuntimeError, ValueError):
            distributed.destroy_process_group()
    for stream in (sys.stdout, sys.stderr):
        with contextlib.suppress(OSError, ValueError, AttributeError):
            stream.flush()
    os._exit(code & 0xFF)


def main() -> None:
    """Never returns."""
    die_with_the_launcher()
    check_rank()
    level = os.environ.pop("RALLYPOINT_TORCH_CPP_LOG_LEVEL", None)
    if level:
        os.environ["TORCH_CPP_LOG_LEVEL"] = level  # torch's agent, which started this, is quieter
    arguments = sys.argv[1:]
    if os.environ.get("WORLD_SIZE", "1") != "1":
        sys.meta_path.insert(0, TrainerWatch())
    try:
        if arguments[:1] == ["-m"]:
            code, module = code_of_module(arguments[1])
            sys.argv = [str(module.__file__), *arguments[2:]]
        else:
            code, module = code_of_file(arguments[0])
            sys.argv = arguments
    except MissingScriptError as error:
        print(error, file=sys.stderr, flush=True)
        os._exit(WRONG_INPUT)
    sys.modules["__main__"] = module
    end(run(code, module))


if __name__ == "__main__":
    main()
