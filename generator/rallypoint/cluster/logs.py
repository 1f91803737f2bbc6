"""The nodes' logs, as a person asks for them; with `follow` over the pods' restarts."""

from __future__ import annotations

import queue
import re
import threading
import time
from collections.abc import Callable, Iterator
from typing import NamedTuple

from rallypoint.cluster.client import Cluster
from rallypoint.cluster.errors import FORBIDDEN, Refusal, Unreachable
from rallypoint.cluster.pod import Pod
from rallypoint.cluster.resource import POD
from rallypoint.cluster.view import JobView, jobs
from rallypoint.cluster.waiting import PATIENCE_SECONDS
from rallypoint.errors import InputError, RallypointError

LOOK_SECONDS = 1.0
IDLE = "idle until this pod is stopped"
"""The last line of a launcher in a StatefulSet that is over."""
_STAMP = re.compile(r"(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d)(?:\.\d+)?(Z|[+-]\d\d:\d\d)")
"""RFC 3339, as the kubelet begins a line of a log; it writes its own troubles into the stream without."""


class Excerpt(NamedTuple):
    """Which part of a log."""

    tail: int | None = None
    since_seconds: int | None = None

    def query(self) -> dict[str, str]:
        """The parameters of the API."""
        fields = {"tailLines": self.tail, "sinceSeconds": self.since_seconds}
        return {key: str(value) for key, value in fields.items() if value is not None}


Line = tuple[int, str]
"""Node index and text."""


def require_node(view: JobView, node: int) -> None:
    """Nothing when the job has that node.

    Raises: InputError when it has not, or has no pods any more.
    """
    scaled = view.state.over and not view.pods and view.workload["spec"].get("replicas") == 0
    if scaled or not view.nodes:
        ends = {"succeeded": "is done and ", "failed": f"has failed ({view.state.why}) and "}
        raise InputError(
            f"{view.name}: has no pods now, and no logs: it {ends.get(view.state.name, '')}was scaled to 0"
        )
    if node >= view.nodes:
        raise InputError(f"{view.name}: there is no node {node}; it has nodes 0 to {view.nodes - 1}")


def pod_of_node(view: JobView, node: int) -> Pod:
    """The latest pod of that node.

    Raises: InputError when there is none, with why.
    """
    for pod in view.pods:
        if pod.node == node:
            return pod
    why = view.state.why or view.state.name
    raise InputError(
        f"{view.name}: node {node} has no pod ({why}); 'rallypoint status {view.name}' tells more"
    )


def written(cluster: Cluster, view: JobView, node: int, part: Excerpt) -> Iterator[str]:
    """The log of the node so far; of its previous instance, too, when it was started again in place.

    Raises: RallypointError when it cannot be read.
    """
    pod = pod_of_node(view, node)
    if pod.phase in ("pending", "starting") and not pod.restarts:
        raise RallypointError(f"node {node}: has not started ({pod.why or pod.phase}); -f waits for it")
    query = {"container": pod.container, **part.query()}
    if pod.restarts:
        try:
            yield from cluster.lines(POD, pod.name, view.namespace, {**query, "previous": "true"})
        except Refusal:
            pass  # the machine keeps it only for a while
    yield from cluster.lines(POD, pod.name, view.namespace, query)


def followed(
    cluster: Cluster, view: JobView, nodes: list[int], part: Excerpt, tell: Callable[[str], None]
) -> Iterator[Line]:
    """The lines of all these nodes as they come, until the job is over.

    Raises: RallypointError when the logs may not be read, or the cluster stays out of reach.
    """
    lines: queue.Queue[Line | Exception | None] = queue.Queue(10_000)
    for node in nodes:
        reader = _Reader(cluster, view, node, part, lines=lines, tell=tell)
        threading.Thread(target=reader.run, daemon=True).start()
    left = len(nodes)
    while left:
        item = lines.get()
        if isinstance(item, Exception):
            raise item
        if item is None:
            left -= 1
        else:
            yield item


class _Reader:
    """Reads one node, pod after pod."""

    def __init__(
        self, cluster: Cluster, view: JobView, node: int, part: Excerpt, *,
        lines: queue.Queue[Line | Exception | None], tell: Callable[[str], None],
    ) -> None:  # fmt: skip
        self._cluster, self._view, self._node, self._part = cluster, view, node, part
        self._lines, self._tell = lines, tell
        self._instance: tuple[str, int] | None = None
        self._last = ""
        """Time of the last line of this instance, RFC 3339 with nanoseconds."""
        self._said = ""
        self._lost_since: float | None = None

    def run(self) -> None:
        """Until the job is over and this node's last log is read."""
        try:
            view: JobView | None = self._view
            while view is not None:
                over = view.state.over or view.state.name == "deleting"
                if not self._read(view) and over:
                    break
                time.sleep(LOOK_SECONDS)
                view = self._look()
            self._lines.put(None)
        except RallypointError as error:
            self._lines.put(error)

    def _look(self) -> JobView | None:
        """The job now; None when it is gone."""
        try:
            found = jobs(self._cluster, self._view.namespace, self._view.name, [self._view.kind])
        except Unreachable as error:
            self._lost(error)
            return self._view
        self._lost_since = None
        return found[0] if found else None

    def _lost(self, error: Unreachable) -> None:
        now = time.monotonic()
        self._lost_since = self._lost_since or now
        if now - self._lost_since > PATIENCE_SECONDS:
            raise error
        self._say(str(error))

    def _say(self, text: str) -> None:
        if text != self._said:
            self._said = text
            self._tell(f"node {self._node}: {text}")

    def _read(self, view: JobView) -> bool:
        """Whether there was anything new to read."""
        pod = next((one for one in view.pods if one.node == self._node), None)
        if pod is None or (pod.phase in ("pending", "starting") and not pod.restarts):
            self._say(f"waits ({(pod and pod.why) or view.state.why or view.state.name})")
            return False
        instance = pod.uid, pod.restarts
        if instance != self._instance:
            if self._instance is not None:
                self._say(f"started again ({pod.name})")
                self._part = Excerpt()
            self._instance, self._last = instance, ""
        return self._stream(view, pod)

    def _stream(self, view: JobView, pod: Pod) -> bool:
        """Pass on what comes; a broken connection goes on after the last line."""
        follow = str(not view.state.over).lower()  # what idles after its end would never end its log
        query = {"container": pod.container, "follow": follow, "timestamps": "true", **self._part.query()}
        if self._last:
            query = {**query, "sinceTime": _STAMP.sub(r"\1\2", self._last)}
            query.pop("tailLines", None)
            query.pop("sinceSeconds", None)
        count, known = 0, self._last
        try:
            for line in self._cluster.lines(POD, pod.name, view.namespace, query):
                stamp, _, text = line.partition(" ")
                if not _STAMP.fullmatch(stamp):
                    self._say(line)  # of the kubelet, as when the container is gone
                    continue
                if stamp <= known:
                    continue
                self._last, count = stamp, count + 1
                self._lines.put((self._node, text))
                if IDLE in text:
                    break
        except (Refusal, Unreachable) as error:
            if isinstance(error, Refusal) and error.status == FORBIDDEN:
                raise
            self._say(str(error))
        return count > 0
