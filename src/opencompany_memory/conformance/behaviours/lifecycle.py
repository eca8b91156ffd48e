"""The end."""

from opencompany_memory.conformance.bench import Bench
from opencompany_memory.conformance.registry import behaviour


@behaviour("lifecycle", needs=(), closes=True)
async def closing_twice_does_nothing(bench: Bench) -> None:
    """aclose is idempotent."""
    await bench.provider.aclose()
    await bench.provider.aclose()
