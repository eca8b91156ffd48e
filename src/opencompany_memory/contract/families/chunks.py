"""Chunks: the pieces that the engine cut a stored text into."""

from abc import ABC, abstractmethod

from attrs import field, frozen

from opencompany_memory.contract.records import Taint


@frozen
class Chunk:
    """One piece. `start` and `end` are offsets in UTF-8 bytes of the entry's content."""

    chunk_id: str
    namespace: str
    key: str
    text: str = field(repr=False)
    start: int
    end: int
    taint: Taint


class Chunks(ABC):
    """How the engine cut what it keeps."""

    @abstractmethod
    async def chunks_of(self, namespace: str, key: str) -> list[Chunk]:
        """The pieces of the entry at `key`, in order; empty when there is no such entry."""

    @abstractmethod
    async def get_chunk(self, namespace: str, chunk_id: str) -> Chunk | None:
        """The piece, or None."""
