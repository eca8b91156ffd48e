"""`MemoryOverlay`: the ports over one bound provider, built once per process and shared by all companies."""

from collections.abc import Sequence
from types import TracebackType
from typing import Any, Self

from opencompany_memory.overlay.bound import Bound
from opencompany_memory.overlay.context import ContextStore
from opencompany_memory.overlay.guard import Drops, Guard
from opencompany_memory.overlay.purge import PurgeReport, census, purge


class MemoryOverlay:
    """Every port method takes the company id first and derives its namespace on that call.

    Usable as an async context manager, which closes the provider.
    """

    def __init__(self, bound: Bound) -> None:
        self.bound = bound
        self._guard = Guard()
        self.context = ContextStore(bound, self._guard)

    @property
    def descriptor(self) -> Any:
        """What is known of the bound driver: id, class, distribution, version, families, health."""
        return self.bound.descriptor

    @property
    def drops(self) -> Drops:
        """Entries that the engine handed back and nobody got to see, counted since boot."""
        return self._guard.drops

    async def census(self, company: str) -> Sequence[tuple[str, int]]:
        """What is remembered of `company`, as (scope, entries)."""
        return await census(self.bound, company)

    async def purge(self, company: str) -> PurgeReport:
        """Remove everything of `company`, over any engine, and read again to prove it.

        Raises:
            Backend: something is still there afterwards.
        """
        return await purge(self.bound, company)

    async def aclose(self) -> None:
        """Close the provider. Calling it again does nothing."""
        await self.bound.aclose()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.aclose()
