"""What the overlay needs of a bound provider. `binding.bind.BoundMemory` is one."""

from collections.abc import Mapping
from typing import Any, Protocol

from opencompany_memory.contract import MemoryProvider
from opencompany_memory.contract.families import Core, Portability, Recall


class Bound(Protocol):
    """A provider that was admitted, loaded, audited and probed."""

    @property
    def core(self) -> Core:
        """Keyed storage."""

    @property
    def recall(self) -> Recall:
        """Ranked retrieval."""

    @property
    def portability(self) -> Portability:
        """Everything out, everything in."""

    @property
    def descriptor(self) -> Any:
        """What is known of the bound driver."""

    def family(self, name: str) -> Any:
        """A negotiated family; raises Unsupported for any other."""

    def for_conformance(self) -> tuple[MemoryProvider, Mapping[str, str]]:
        """The provider itself and its limitations, for the conformance suite."""

    async def refresh(self, *, seconds: float = ..., max_age: float = ...) -> Any:
        """Probe again, so that what was unreachable heals; the descriptor."""

    async def aclose(self) -> None:
        """Close the provider."""
