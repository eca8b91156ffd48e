"""Profile: what the engine has come to know of one subject, in a paragraph."""

from abc import ABC, abstractmethod
from datetime import datetime

from attrs import field, frozen

from opencompany_memory.contract.records import Taint


@frozen
class SubjectProfile:
    """The engine's picture of a subject. `updated_at` is aware, UTC, or None when unknown."""

    namespace: str
    subject: str
    summary: str = field(repr=False)
    updated_at: datetime | None
    taint: Taint


class Profile(ABC):
    """Pictures of subjects, kept by the engine from what is stored."""

    @abstractmethod
    async def get_profile(self, namespace: str, subject: str) -> SubjectProfile | None:
        """The profile, or None."""

    @abstractmethod
    async def list_profiles(self, namespace: str, *, limit: int = 100) -> list[SubjectProfile]:
        """Profiles by subject."""
