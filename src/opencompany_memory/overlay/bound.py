"""What the overlay needs of a bound provider. `binding.bind.BoundMemory` is one."""

from typing import Any, Protocol

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

    async def aclose(self) -> None:
        """Close the provider."""
