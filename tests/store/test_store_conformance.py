"""The built-in store, tried by the suite exactly as a third party's driver is."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from opencompany_memory.store.provider import SqliteProvider


@pytest.fixture
async def memory_provider(tmp_path: Path) -> AsyncIterator[SqliteProvider]:
    async with SqliteProvider(tmp_path / "memory") as provider:
        yield provider
