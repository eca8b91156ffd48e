"""Episodic: what happened, in order."""

from abc import ABC, abstractmethod
from datetime import datetime

from attrs import field, frozen

from opencompany_memory.contract.records import Metadata, Taint


@frozen
class Episode:
    """One thing that happened. `at` is aware, UTC. `actor` is who did it, in the caller's own words."""

    episode_id: str
    namespace: str
    session_id: str
    actor: str
    text: str = field(repr=False)
    at: datetime
    taint: Taint
    metadata: Metadata = field(repr=False)


class Episodic(ABC):
    """An append-only account of sessions."""

    @abstractmethod
    async def record(
        self,
        namespace: str,
        session_id: str,
        text: str,
        *,
        taint: Taint,
        actor: str = "",
        metadata: Metadata | None = None,
        at: datetime | None = None,
    ) -> Episode:
        """Append what happened."""

    @abstractmethod
    async def episodes(
        self,
        namespace: str,
        *,
        session_id: str | None = None,
        since: datetime | None = None,
        until: datetime | None = None,
        limit: int = 100,
    ) -> list[Episode]:
        """What happened, oldest first, from `since` (included) to `until` (not included)."""

    @abstractmethod
    async def forget_session(self, namespace: str, session_id: str) -> int:
        """Remove a session whole; how many episodes went."""
