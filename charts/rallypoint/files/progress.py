"""Whether the run is done or making progress: what node 0 has logged, read through the Kubernetes API.

Ends with 0 (done, or progress seen), 1 (failed, or nothing happened in time). Standard library only.
"""

import json
import os
import ssl
import sys
import time
import urllib.parse
import urllib.request
from pathlib import Path
from typing import Any

ACCOUNT = Path("/var/run/secrets/kubernetes.io/serviceaccount")
PREFIX = "rallypoint: {"
PAUSE = 2


def read(path: str, **query: str) -> bytes:
    """What the API server answers to GET `path`."""
    host, port = os.environ["KUBERNETES_SERVICE_HOST"], os.environ["KUBERNETES_SERVICE_PORT"]
    host = f"[{host}]" if ":" in host else host
    headers = {"Authorization": f"Bearer {(ACCOUNT / 'token').read_text(encoding='utf-8')}"}
    url = f"https://{host}:{port}{path}?{urllib.parse.urlencode(query)}"
    request = urllib.request.Request(url, headers=headers)
    trust = ssl.create_default_context(cafile=str(ACCOUNT / "ca.crt"))
    with urllib.request.urlopen(request, context=trust, timeout=30) as answer:  # noqa: S310
        body: bytes = answer.read()
        return body


def node_0(namespace: str, selector: str) -> dict[str, Any] | None:
    """The newest pod of node 0; None while there is none."""
    pods = json.loads(read(f"/api/v1/namespaces/{namespace}/pods", labelSelector=selector))["items"]
    return max(pods, key=lambda pod: pod["metadata"]["creationTimestamp"], default=None)


def events(log: str) -> list[dict[str, Any]]:
    """The JSON objects on the marked lines of a log."""
    found = []
    for line in log.splitlines():
        _, mark, text = line.partition(PREFIX)
        try:
            found += [json.loads("{" + text)] if mark else []
        except ValueError:  # the line that is being written
            continue
    return found


def last_step(found: list[dict[str, Any]]) -> int | None:
    """The newest step that was logged; None before the first."""
    steps = [event["step"] for event in found if event.get("event") == "log" and "step" in event]
    return steps[-1] if steps else None


def verdict(phase: str, found: list[dict[str, Any]], first: int | None, trains: bool) -> str:
    """Why the test is over: `done ...`, `failed ...` or `progress ...`; empty when it is not."""
    if phase == "Failed":
        return "failed: node 0 has failed; read its log and its termination message"
    if phase == "Succeeded" or any(event.get("event") == "end" for event in found):
        return "done: node 0 has finished"
    step = last_step(found)
    if step is not None and first is not None and step > first:
        return f"progress: from step {first} to {step}"
    if phase == "Running" and not trains and step is None:
        return "progress: node 0 runs; a script need not print steps"
    return ""


def look(namespace: str, selector: str, container: str) -> tuple[str, list[dict[str, Any]]]:
    """Phase of node 0's pod, and what it has logged."""
    pod = node_0(namespace, selector)
    if pod is None:
        return "not there", []
    phase = pod["status"].get("phase", "Pending")
    if phase == "Pending":
        return phase, []
    path = f"/api/v1/namespaces/{namespace}/pods/{pod['metadata']['name']}/log"
    return phase, events(read(path, container=container).decode(errors="replace"))


def main(namespace: str, selector: str, container: str, seconds: int, trains: bool) -> int:
    """The exit code; prints what was seen."""
    end = time.monotonic() + seconds
    first: int | None = None
    seen = "nothing yet"
    while time.monotonic() < end:
        try:
            phase, found = look(namespace, selector, container)
            text = verdict(phase, found, first, trains)
            if text:
                print(text)
                return 1 if text.startswith("failed") else 0
            first = last_step(found) if first is None else first
            seen = f"node 0 is {phase}, step {first}"
        except OSError as error:  # an API server that restarts, a log that is not there yet
            seen = f"the API server says: {error}"
        time.sleep(PAUSE)
    print(f"failed: no progress in {seconds} s: {seen}")
    return 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1], sys.argv[2], sys.argv[3], int(sys.argv[4]), sys.argv[5] == "train"))
