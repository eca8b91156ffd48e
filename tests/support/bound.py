"""A bound memory without the binding: any provider, as the overlay is handed it."""

from collections.abc import Mapping
from typing import Any

from opencompany_memory.contract import MemoryProvider, Unsupported
from opencompany_memory.contract.derive import derive


class StandIn:
    """`overlay.bound.Bound` over a provider, negotiating what it really has but for what is `without`."""

    def __init__(self, provider: MemoryProvider, without: tuple[str, ...] = ()) -> None:
        self.provider = provider
        self.families = {name: it for name, it in derive(provider).families.items() if name not in without}
        self.descriptor = None

    @property
    def core(self) -> MemoryProvider:
        return self.provider

    recall = portability = core

    def family(self, name: str) -> Any:
        if name not in self.families:
            raise Unsupported(f"a stand-in without {name}", family=name)
        return self.families[name]

    def for_conformance(self) -> tuple[MemoryProvider, Mapping[str, str]]:
        return self.provider, {}

    async def refresh(self, *, seconds: float = 3.0, max_age: float = 0.0) -> None:
        return None

    async def aclose(self) -> None:
        await self.provider.aclose()
