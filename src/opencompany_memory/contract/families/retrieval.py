"""Retrieval: recall with a say in how it is done, and a reason with every hit."""

from abc import ABC, abstractmethod
from collections.abc import Sequence

from attrs import frozen

from opencompany_memory.contract.records import MemoryEntry


@frozen
class RetrievalHit:
    """An entry and why it was found, in words for a person."""

    entry: MemoryEntry
    reasons: Sequence[str]


class Retrieval(ABC):
    """Explained retrieval by a named strategy."""

    @abstractmethod
    async def strategies(self, namespace: str) -> list[str]:
        """The names that `retrieve` accepts here, the default first."""

    @abstractmethod
    async def retrieve(
        self, namespace: str, query: str, *, strategy: str | None = None, limit: int = 10
    ) -> list[RetrievalHit]:
        """Like `recall`, by the named strategy, with reasons.

        Raises:
            InvalidInput: a strategy that `strategies` does not list.
        """
