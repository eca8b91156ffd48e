"""Core: keyed storage of entries. Mandatory."""

from abc import ABC, abstractmethod
from datetime import datetime

from opencompany_memory.contract.records import Category, EntryPage, MemoryEntry, Metadata, Taint


class Core(ABC):
    """Entries under a key, one entry per (namespace, key)."""

    @abstractmethod
    async def store(
        self,
        namespace: str,
        key: str,
        content: str,
        *,
        taint: Taint,
        category: Category = Category.CORE,
        session_id: str | None = None,
        metadata: Metadata | None = None,
        timestamp: datetime | None = None,
    ) -> MemoryEntry:
        """Write the entry at (namespace, key), replacing what was there, and return it as stored.

        `taint` has no default: a default would be a claim about where text came from. `timestamp` is when it happened,
        now when None. A store that returned is seen by the next `get` of the same process.

        Raises:
            InvalidInput: an argument that can't be stored as it is.
            TooLarge: more than the engine can hold; nothing was sent.
        """

    @abstractmethod
    async def get(self, namespace: str, key: str) -> MemoryEntry | None:
        """Return the entry at (namespace, key), or None when there is none.

        Raises:
            Unreachable, Timeout, Backend: the engine could not answer; never None instead.
        """

    @abstractmethod
    async def forget(self, namespace: str, key: str) -> bool:
        """Remove the entry at (namespace, key). True when there was one, False when there was none.

        Idempotent. A removal that failed is an error, never True.
        """

    @abstractmethod
    async def list(
        self,
        namespace: str,
        *,
        key_prefix: str | None = None,
        category: Category | None = None,
        session_id: str | None = None,
        limit: int = 100,
        cursor: str | None = None,
    ) -> EntryPage:
        """Return entries of `namespace` that pass every given filter: newest first, ties by key ascending.

        Following `next_cursor` visits each entry that was there from start to end exactly once, also while others are
        added. A cursor belongs to the call that issued it: same namespace, same filters.

        Raises:
            InvalidInput: a cursor that this driver did not issue for these arguments, or a limit below one.
        """
