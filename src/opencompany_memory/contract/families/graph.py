"""Graph: typed relations between named things."""

from abc import ABC, abstractmethod
from datetime import datetime

from attrs import field, frozen

from opencompany_memory.contract.records import Metadata, Taint


@frozen
class Edge:
    """`subject` --`predicate`--> `object`, since `timestamp` (aware, UTC)."""

    namespace: str
    subject: str = field(repr=False)
    predicate: str = field(repr=False)
    object: str = field(repr=False)
    timestamp: datetime
    taint: Taint
    metadata: Metadata = field(repr=False)


class Graph(ABC):
    """Edges, one per (namespace, subject, predicate, object)."""

    @abstractmethod
    async def link(
        self,
        namespace: str,
        subject: str,
        predicate: str,
        object: str,
        *,
        taint: Taint,
        metadata: Metadata | None = None,
        timestamp: datetime | None = None,
    ) -> Edge:
        """Write the edge, replacing what is known of the same three."""

    @abstractmethod
    async def unlink(self, namespace: str, subject: str, predicate: str, object: str) -> bool:
        """Remove the edge. True when there was one."""

    @abstractmethod
    async def edges(
        self, namespace: str, node: str, *, direction: str = "both", predicate: str | None = None, limit: int = 100
    ) -> list[Edge]:
        """Edges at `node`, newest first. `direction` is out, in or both.

        Raises:
            InvalidInput: another direction.
        """

    @abstractmethod
    async def neighbours(self, namespace: str, node: str, *, depth: int = 1, limit: int = 100) -> list[str]:
        """Nodes within `depth` steps in either direction, nearest first, ties by name; not `node` itself."""
