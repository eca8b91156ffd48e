"""The overlay over the built-in store."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from opencompany_memory.overlay import MemoryOverlay
from opencompany_memory.store.provider import SqliteProvider
from tests.support.bound import StandIn


@pytest.fixture
async def overlay(tmp_path: Path) -> AsyncIterator[MemoryOverlay]:
    async with MemoryOverlay(StandIn(SqliteProvider(tmp_path / "memory"))) as memory:
        yield memory
