"""People: who a company has to do with."""

from abc import ABC, abstractmethod
from datetime import datetime

from attrs import field, frozen

from opencompany_memory.contract.records import Metadata, Taint


@frozen
class Person:
    """Somebody. `updated_at` is aware, UTC."""

    person_id: str
    namespace: str
    name: str = field(repr=False)
    notes: str = field(repr=False)
    updated_at: datetime
    taint: Taint
    metadata: Metadata = field(repr=False)


class People(ABC):
    """People, one per (namespace, person id)."""

    @abstractmethod
    async def put_person(
        self,
        namespace: str,
        person_id: str,
        name: str,
        *,
        taint: Taint,
        notes: str = "",
        metadata: Metadata | None = None,
    ) -> Person:
        """Write the person, replacing what was under this id."""

    @abstractmethod
    async def get_person(self, namespace: str, person_id: str) -> Person | None:
        """The person, or None."""

    @abstractmethod
    async def find_people(self, namespace: str, query: str, *, limit: int = 10) -> list[Person]:
        """People whose name or notes match, best first."""

    @abstractmethod
    async def delete_person(self, namespace: str, person_id: str) -> bool:
        """Remove the person. True when there was one."""
