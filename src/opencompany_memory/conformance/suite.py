"""The suite as a pytest class, one test for each behaviour.

Usually brought in by the plugin; inherit from `ConformanceSuite` to put it where you like. The class, or a fixture in
reach of it, provides `memory_provider`: an open provider, made in a sync or async fixture. Async fixtures and tests run
under anyio's pytest plugin, which comes with anyio.
"""

from collections.abc import Awaitable, Callable, Mapping
from typing import Any

import pytest

from opencompany_memory.conformance.bench import Bench
from opencompany_memory.conformance.registry import Behaviour, behaviours
from opencompany_memory.conformance.runner import reason_to_skip
from opencompany_memory.contract import MemoryProvider


@pytest.mark.anyio
class ConformanceSuite:
    """Every behaviour of the contract."""

    @pytest.fixture
    def anyio_backend(self) -> str:
        """The host runs on asyncio, so drivers are tried on it."""
        return "asyncio"


def _test_of(one: Behaviour) -> Callable[..., Awaitable[None]]:
    async def test(
        self: Any,
        memory_provider: MemoryProvider,
        memory_limitations: Mapping[str, str],
        memory_settle_seconds: float,
    ) -> None:
        reason = reason_to_skip(one, memory_provider, memory_limitations)
        if reason is not None:
            pytest.skip(reason)
        bench = Bench(memory_provider, memory_settle_seconds)
        try:
            await one.check(bench)
        finally:
            if not one.closes:
                await bench.clean()

    test.__name__ = f"test_{one.name}"
    test.__qualname__ = f"ConformanceSuite.{test.__name__}"
    test.__doc__ = one.summary
    return test


for _one in behaviours():
    setattr(ConformanceSuite, f"test_{_one.name}", _test_of(_one))
