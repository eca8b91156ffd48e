"""Ingest: hand over raw text and let the engine make memories of it."""

from abc import ABC, abstractmethod

from attrs import field, frozen

from opencompany_memory.contract.records import Metadata, Taint


@frozen
class IngestReceipt:
    """A hand-over: `state` is queued, running, done or failed; `entries` counts what came of it so far."""

    receipt_id: str
    state: str
    entries: int
    reason: str = field(default="")


class Ingest(ABC):
    """Extraction of memories from raw text, usually in the engine's own time."""

    @abstractmethod
    async def ingest(
        self,
        namespace: str,
        text: str,
        *,
        taint: Taint,
        session_id: str | None = None,
        metadata: Metadata | None = None,
    ) -> IngestReceipt:
        """Hand `text` to the engine's extraction and return the receipt to ask with."""

    @abstractmethod
    async def ingest_status(self, namespace: str, receipt_id: str) -> IngestReceipt | None:
        """What has become of a hand-over, or None when there is none with this id."""
