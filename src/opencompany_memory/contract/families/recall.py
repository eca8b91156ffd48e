"""Recall: ranked retrieval. Mandatory."""

from abc import ABC, abstractmethod

from opencompany_memory.contract.records import Category, MemoryEntry, SourceScope


class Recall(ABC):
    """Ranked retrieval within one namespace.

    A driver that can't rank returns its matches newest first and scores of None.
    """

    @abstractmethod
    async def recall(
        self,
        namespace: str,
        query: str,
        *,
        limit: int = 10,
        category: Category | None = None,
        session_id: str | None = None,
        min_score: float | None = None,
        scope: SourceScope | None = None,
    ) -> list[MemoryEntry]:
        """Return at most `limit` entries of `namespace`, most relevant first.

        The query is words, never syntax. An empty or unmatched query gives an empty list. Scores are 0..1, higher is
        better, or None where the engine has none.

        Raises:
            Unreachable, Timeout, Backend: the engine could not answer; never an empty list instead.
        """
