"""Sources: the places outside that the engine reads from by itself."""

from abc import ABC, abstractmethod
from datetime import datetime

from attrs import field, frozen


@frozen
class Source:
    """A place that is read from. `synced_at` is aware, UTC, or None before the first time."""

    source_id: str
    namespace: str
    kind: str
    name: str = field(repr=False)
    synced_at: datetime | None


class Sources(ABC):
    """Connections of the engine to places outside. What comes from them is `external_sync`."""

    @abstractmethod
    async def list_sources(self, namespace: str) -> list[Source]:
        """The sources of the namespace, by name."""

    @abstractmethod
    async def sync_source(self, namespace: str, source_id: str) -> Source | None:
        """Ask the engine to read from the source now; None when there is no such source."""

    @abstractmethod
    async def remove_source(self, namespace: str, source_id: str) -> bool:
        """Stop reading from the source. True when there was one."""
