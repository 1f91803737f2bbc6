"""What the person at the terminal sees while the cluster comes up, and the one error that ends it."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

_START = time.monotonic()


class ClusterError(Exception):
    """The cluster cannot come up (or go down), in words for the person who asked for it."""


def say(text: str) -> None:
    """One line on stderr, with the seconds since the start; stdout carries results only."""
    print(f"[{time.monotonic() - _START:6.1f}s] {text}", file=sys.stderr, flush=True)


@contextmanager
def step(name: str) -> Iterator[None]:
    """Announces the step, then says how long it took."""
    say(f"{name} ...")
    start = time.monotonic()
    yield
    say(f"{name}: {time.monotonic() - start:.1f} s")


def wait_until(what: str, done: Callable[[], bool], seconds: float) -> None:
    """Returns when `done` says so. The parts are other people's programs, which offer nothing to wait on."""
    deadline = time.monotonic() + seconds
    while not done():
        if time.monotonic() > deadline:
            raise ClusterError(f"{what}: not within {seconds:.0f} s")
        time.sleep(0.1)
