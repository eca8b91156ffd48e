"""Step 6: bind. The provider, held privately, with all that is known of it."""

import asyncio
import time
from collections.abc import Callable, Mapping
from types import TracebackType
from typing import Any, Self

import attrs
from attrs import frozen

from opencompany_memory.binding.audit import Findings
from opencompany_memory.binding.probe import INTERACTIVE_SECONDS, probe
from opencompany_memory.contract import Health, MemoryProvider, Unsupported
from opencompany_memory.contract.families import Core, Portability, Recall


@frozen(kw_only=True)
class Descriptor:
    """What is known of a bound driver.

    Attributes:
        driver_id, driver_class, distribution, version, contract: who it is; the class is the host's decision.
        mode, layer: what was asked for, and in which layer of the settings.
        families: negotiated families, in the stable order.
        unadvertised: families that it has and did not claim; unrouted.
        unreachable: families that did not answer when last probed.
        health: when last probed.
        durable: whether what is written is kept.
        boot_id, audit_log, audit_fault: where this boot is written down, and why not, if not.
        warnings: what an operator should know.
    """

    driver_id: str
    driver_class: str
    distribution: str
    version: str
    contract: str
    mode: str
    layer: str
    families: tuple[str, ...]
    unadvertised: tuple[str, ...]
    unreachable: tuple[str, ...]
    health: Health
    durable: bool
    boot_id: str
    audit_log: str
    audit_fault: str | None
    warnings: tuple[str, ...]


class BoundMemory:
    """A provider that was admitted, loaded, audited and probed. Usable as an async context manager, which closes it."""

    def __init__(
        self,
        provider: MemoryProvider,
        descriptor: Descriptor,
        findings: Findings,
        canary: str,
        limitations: Mapping[str, str],
        clean: Callable[[str], str] = str,
    ) -> None:
        """`clean` takes secrets out of what the driver says of its health."""
        self._provider = provider
        self._limitations = limitations
        self._descriptor = descriptor
        self._families = findings.negotiated
        self._canary = canary
        self._clean = clean
        self._probed_at = time.monotonic()
        self._probing: asyncio.Task[None] | None = None
        self._closed = False

    @property
    def descriptor(self) -> Descriptor:
        """What is known now; health and reachability as of the last probe."""
        return self._descriptor

    @property
    def core(self) -> Core:
        """Keyed storage."""
        return self._provider

    @property
    def recall(self) -> Recall:
        """Ranked retrieval."""
        return self._provider

    @property
    def portability(self) -> Portability:
        """Everything out, everything in."""
        return self._provider

    def family(self, name: str) -> Any:
        """The object of a negotiated family.

        Raises:
            Unsupported: it was not negotiated; the message says what is bound and which families it has.
        """
        try:
            return self._families[name]
        except KeyError:
            bound = self._descriptor
            raise Unsupported(
                f"{bound.driver_id} is bound and does not offer {name}; it offers {', '.join(bound.families)}",
                family=name,
            ) from None

    def for_conformance(self) -> tuple[MemoryProvider, Mapping[str, str]]:
        """The provider itself and its declared limitations, for the conformance suite and nothing else."""
        return self._provider, self._limitations

    async def refresh(self, *, seconds: float = INTERACTIVE_SECONDS, max_age: float = 0.0) -> Descriptor:
        """Probe again unless that was done within `max_age` seconds: what was unreachable heals by itself.

        Callers at the same moment share one probe.
        """
        if self._probing is None and time.monotonic() - self._probed_at >= max_age:
            self._probing = asyncio.create_task(self._probe(seconds))
        if self._probing is not None:
            await asyncio.shield(self._probing)
        return self._descriptor

    async def aclose(self) -> None:
        """Close the provider. Calling it again does nothing."""
        if not self._closed:
            self._closed = True
            await self._provider.aclose()

    async def _probe(self, seconds: float) -> None:
        try:
            report = await probe(self._provider, self._canary, seconds=seconds, clean=self._clean)
            self._descriptor = attrs.evolve(self._descriptor, health=report.health, unreachable=report.unreachable)
        finally:
            self._probed_at = time.monotonic()
            self._probing = None

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.aclose()

    def __repr__(self) -> str:
        return f"<BoundMemory {self._descriptor.driver_id} ({self._descriptor.driver_class})>"
