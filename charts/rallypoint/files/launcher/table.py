"""What node 0 knows of the nodes: the last document of each, when it was heard, and who has been replaced."""

from __future__ import annotations

from typing import Any

from documents import Document, absent, is_document

REPLACED, STRANGE = "replaced", "speaks another version of the launcher"
SILENT_SECONDS = 15.0  # torchrun's own measure: three missed keep-alives of 5 s


class Table:
    """The documents of one job's nodes; answers every exchange with a refusal, or with the plan."""

    def __init__(self, run_id: str, nodes: int, now: float) -> None:
        self.run_id = run_id
        self.documents: list[Document] = [absent() for _ in range(nodes)]
        self._heard = [now] * nodes
        self._replaced: set[str] = set()

    def take(self, message: Any, now: float) -> str:
        """Files the document that came; returns why it is refused, empty when it is not.

        A launcher that was never seen takes its node's place: the one before it was lost, or is cut off and
        will be told that it has been replaced when it comes back.
        """
        if not isinstance(message, dict) or message.get("run_id") != self.run_id:
            return f"belongs to another job ({self.run_id})"
        index, document = message.get("index"), message.get("document")
        if not isinstance(index, int) or not 0 <= index < len(self.documents):
            return STRANGE
        if document is None and message.get("launcher") == self.documents[index]["launcher"] != "":
            self._heard[index] = now  # nothing new to say: a sign of life
            return ""
        if message.get("launcher") in self._replaced:
            return REPLACED
        if not is_document(document):
            return STRANGE
        present = self.documents[index]["launcher"]
        if present and present != document["launcher"]:
            self._replaced.add(present)
        self.documents[index] = document
        self._heard[index] = now
        return ""

    def silent(self, now: float) -> set[int]:
        """Nodes of which nothing was heard for a while."""
        return {index for index, heard in enumerate(self._heard) if now - heard > SILENT_SECONDS}

    def slept(self, seconds: float) -> None:
        """Forgives a time in which this process itself did not run: it could not hear anybody."""
        self._heard = [heard + seconds for heard in self._heard]
