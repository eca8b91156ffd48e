"""Goals: what an agent is trying to get done."""

from abc import ABC, abstractmethod
from datetime import datetime

from attrs import field, frozen

from opencompany_memory.contract.records import Taint


@frozen
class Goal:
    """One goal: `state` is open, done or dropped. `updated_at` is aware, UTC."""

    goal_id: str
    namespace: str
    text: str = field(repr=False)
    state: str
    updated_at: datetime
    taint: Taint


class Goals(ABC):
    """Goals, one per (namespace, goal id)."""

    @abstractmethod
    async def set_goal(self, namespace: str, goal_id: str, text: str, *, taint: Taint, state: str = "open") -> Goal:
        """Write the goal, replacing what was under this id."""

    @abstractmethod
    async def get_goal(self, namespace: str, goal_id: str) -> Goal | None:
        """The goal, or None."""

    @abstractmethod
    async def list_goals(self, namespace: str, *, state: str | None = None, limit: int = 100) -> list[Goal]:
        """Goals, last updated first."""
