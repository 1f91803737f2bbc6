"""`python -m tests.cluster up | down | status | build | missing | stop NAME | start NAME`, from the root.

Exit codes: 0 done; 1 failed, or `status` found a part that is not well; 2 wrong arguments;
3 this machine lacks something, listed on stdout, one line each; 130 stopped by Ctrl-C.
"""

from __future__ import annotations

import argparse
import fcntl
import sys

from . import lifecycle
from .build import build_all
from .missing import missing, missing_rights, missing_tools
from .places import cache
from .processes import stop
from .progress import ClusterError, say

MISSING = 3
INTERRUPTED = 130


def main() -> int:
    arguments = parse()
    absent = lacking(arguments.command)
    if absent:
        print(*(f"missing: {line}" for line in absent), sep="\n")
        return MISSING
    if arguments.command == "missing":
        return 0
    try:
        return locked(arguments)
    except ClusterError as error:
        print(f"cluster: {error}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        print("cluster: stopped; the same command goes on from here", file=sys.stderr)
        return INTERRUPTED


def parse() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="python -m tests.cluster", description="A real Kubernetes for the tests"
    )
    commands = parser.add_subparsers(dest="command", required=True)
    commands.add_parser("up", help="bring the cluster up; prints the shell line that makes kubectl find it")
    commands.add_parser("down", help="end it and remove every trace but the cache")
    commands.add_parser("status", help="one line per part; exit 1 when one is not well")
    commands.add_parser("build", help="compile the programs into the cache, nothing else")
    commands.add_parser("missing", help="what this machine lacks; exit 3 when something does")
    names = [program.name for program in lifecycle.programs()]
    for verb in ("stop", "start"):
        one = commands.add_parser(verb, help=f"{verb} one program of a running cluster")
        one.add_argument("name", choices=names)
    return parser.parse_args()


def lacking(command: str) -> list[str]:
    """What this machine lacks for the command; `down` and `status` need no compiler."""
    if command == "build":
        return missing_tools()
    whole = command in ("up", "missing") or not sys.platform.startswith("linux")
    return missing() if whole else missing_rights()


def locked(arguments: argparse.Namespace) -> int:
    """Runs the command while no other one changes the cluster."""
    if arguments.command == "status":
        lines, well = lifecycle.status()
        print(*lines, sep="\n")
        return 0 if well else 1
    cache().mkdir(parents=True, exist_ok=True)
    with (cache() / "lock").open("w") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            say("another command is at work; waiting for it")
            fcntl.flock(lock, fcntl.LOCK_EX)
        change(arguments)
    return 0


def change(arguments: argparse.Namespace) -> None:
    match arguments.command:
        case "build":
            build_all()
        case "up":
            lifecycle.up()
            print(lifecycle.environment())
        case "down":
            lifecycle.down()
        case "stop":
            stop(arguments.name, grace_seconds=1)  # a fault is sudden; operators keep their leases over 10 s
        case "start":
            lifecycle.start_one(arguments.name)


if __name__ == "__main__":
    sys.exit(main())
