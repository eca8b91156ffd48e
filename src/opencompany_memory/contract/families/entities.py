"""Entities: the people, things and places that the engine found in what it keeps."""

from abc import ABC, abstractmethod

from attrs import field, frozen

from opencompany_memory.contract.records import MemoryEntry


@frozen
class Entity:
    """Something that entries are about. `kind` is the engine's own word for what it is."""

    entity_id: str
    namespace: str
    name: str = field(repr=False)
    kind: str
    mentions: int


class Entities(ABC):
    """What entries are about."""

    @abstractmethod
    async def find_entities(self, namespace: str, query: str, *, limit: int = 10) -> list[Entity]:
        """Entities whose name matches `query`, best first."""

    @abstractmethod
    async def get_entity(self, namespace: str, entity_id: str) -> Entity | None:
        """The entity, or None."""

    @abstractmethod
    async def mentions(self, namespace: str, entity_id: str, *, limit: int = 10) -> list[MemoryEntry]:
        """Entries about the entity, newest first."""
