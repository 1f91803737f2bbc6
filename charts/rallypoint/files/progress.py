"""Whether the run is done or making progress: its pods' states and node 0's log, from the Kubernetes API.

Ends with 0 (done, or progress seen) or 1 (failed, suspended, nothing happened in time). Needs Python alone.
"""

import json
import os
import re
import ssl
import sys
import time
import urllib.parse
import urllib.request
from pathlib import Path
from typing import Any, NamedTuple

ACCOUNT = Path("/var/run/secrets/kubernetes.io/serviceaccount")
PREFIX = "rallypoint: {"
SAID = re.compile(r"^\[rallypoint [0-9:]{8} node 0\] (.*)$", re.MULTILINE)
PAUSE = 2
DONE, FAILED, BAD_INPUT = 0, 1, 2


class Ended(NamedTuple):
    """How a training container ended: the exit code, and the launcher's termination message."""

    code: int
    message: str


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


def container_status(pod: dict[str, Any], container: str) -> dict[str, Any]:
    """The training container's status; empty before there is one."""
    found = pod["status"].get("containerStatuses") or []
    return next((status for status in found if status["name"] == container), {})


def ends(pod: dict[str, Any], container: str) -> list[Ended]:
    """How the container ended last, and the time before where the kubelet has started it again."""
    status = container_status(pod, container)
    states = [status.get(key, {}).get("terminated") for key in ("state", "lastState")]
    return [Ended(state["exitCode"], said(state.get("message", ""))) for state in states if state]


def said(text: str) -> str:
    """The launcher's words in a termination message."""
    try:
        return str(json.loads(text)["message"])
    except (ValueError, KeyError, TypeError):
        return text.strip()


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


def last_step(log: str) -> int | None:
    """The newest step that was logged; None before the first."""
    steps = [event["step"] for event in events(log) if event.get("event") == "log" and "step" in event]
    return steps[-1] if steps else None


def words(log: str) -> str:
    """The launcher's newest line."""
    return (SAID.findall(log) or [""])[-1]


def over(endings: dict[int, list[Ended]], log: str) -> str:
    """`done ...` or `failed ...` when the run is over, by the nodes' endings and node 0's log."""
    for node, found in sorted(endings.items()):
        for end in found:
            if end.code in (FAILED, BAD_INPUT):
                return f"failed: node {node} has ended with {end.code}: {end.message}"
    if any(end.code == DONE for end in endings.get(0, [])) or any(
        e.get("event") == "end" for e in events(log)
    ):
        return "done: node 0 has finished"
    for line in SAID.findall(log):
        if line.startswith("this run is done already"):
            return f"done: {line}"
        if line.startswith("this run has failed already"):
            return f"failed: {line}"
    return ""


def progress(log: str, first: int | None, wanted: str) -> str:
    """`progress ...` when the run gets on; of a script, which need not print steps, a round is enough."""
    step = last_step(log)
    if step is not None and first is not None and step > first:
        return f"progress: from step {first} to {step}"
    line = words(log)
    if wanted == "script" and step is None and line.startswith(("round ", "torch's elastic agent ")):
        return f"progress: node 0 says: {line}"
    return ""


def whereabouts(pod: dict[str, Any] | None, container: str, log: str) -> str:
    """What node 0 is at, for the message when nothing happens."""
    if pod is None:
        return "there is no pod of node 0; is it queued, refused by a quota, or deleted after its end?"
    status = pod["status"]
    waiting = container_status(pod, container).get("state", {}).get("waiting", {})
    found = [
        f"{c['type']}: {c.get('message', '')}" for c in status.get("conditions", []) if c["status"] == "False"
    ]
    why = " ".join(filter(None, [waiting.get("reason"), waiting.get("message")])) or "; ".join(found[:1])
    if status.get("phase") == "Pending":
        return f"the pod of node 0 is Pending ({why})"
    step = last_step(log)
    return f"node 0 is {status.get('phase')}, last step {step}, its launcher says: {words(log) or 'nothing'}"


class Watch:
    """The job whose pods are looked at."""

    def __init__(self, namespace: str, selector: str, index_label: str, container: str) -> None:
        """Takes what the API server needs to find the pods, and the training container's name."""
        self.pods_path = f"/api/v1/namespaces/{namespace}/pods"
        self.selector, self.index_label, self.container = selector, index_label, container

    def pods(self) -> dict[int, dict[str, Any]]:
        """The newest pod of each node."""
        items = json.loads(read(self.pods_path, labelSelector=self.selector))["items"]
        items.sort(key=lambda pod: pod["metadata"]["creationTimestamp"])
        return {int(pod["metadata"]["labels"][self.index_label]): pod for pod in items}

    def log(self, pod: dict[str, Any] | None) -> str:
        """The training container's log; empty before it has started."""
        if pod is None or pod["status"].get("phase", "Pending") == "Pending":
            return ""
        path = f"{self.pods_path}/{pod['metadata']['name']}/log"
        return read(path, container=self.container).decode(errors="replace")


def main(watch: Watch, wanted: str, seconds: int, suspended: bool) -> int:
    """The exit code; prints what was seen."""
    end = time.monotonic() + seconds
    first: int | None = None
    seen = "nothing yet"
    while time.monotonic() < end:
        try:
            pods = watch.pods()
            log = watch.log(pods.get(0))
            endings = {node: ends(pod, watch.container) for node, pod in pods.items()}
            text = over(endings, log) or progress(log, first, wanted)
            if suspended and not pods:
                text = (
                    "failed: the job is suspended; helm upgrade --reuse-values --set suspend=false starts it"
                )
            if text:
                print(text)
                return 1 if text.startswith("failed") else 0
            first = last_step(log) if first is None else first
            seen = whereabouts(pods.get(0), watch.container, log)
        except OSError as error:  # an API server that restarts, a log that is not there yet
            seen = f"the API server says: {error}"
        time.sleep(PAUSE)
    print(f"failed: no progress in {seconds} s: {seen}")
    return 1


if __name__ == "__main__":
    sys.exit(main(Watch(*sys.argv[1:5]), sys.argv[5], int(sys.argv[6]), sys.argv[7] == "suspended"))
