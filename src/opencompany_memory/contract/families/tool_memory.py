"""Tool memory: how using a tool went, so that the next use goes better."""

from abc import ABC, abstractmethod
from datetime import datetime

from attrs import field, frozen

from opencompany_memory.contract.records import Taint


@frozen
class ToolUse:
    """One use of one tool. `at` is aware, UTC."""

    namespace: str
    tool: str
    ok: bool
    note: str = field(repr=False)
    at: datetime
    taint: Taint


class ToolMemory(ABC):
    """A record of uses of tools."""

    @abstractmethod
    async def record_use(
        self, namespace: str, tool: str, note: str, *, ok: bool, taint: Taint, at: datetime | None = None
    ) -> ToolUse:
        """Record that `tool` was used and how it went."""

    @abstractmethod
    async def uses(self, namespace: str, tool: str, *, limit: int = 10) -> list[ToolUse]:
        """Uses of `tool`, newest first."""
