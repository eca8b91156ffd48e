"""An open store in a folder of its own."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from opencompany_memory.store.provider import SqliteProvider


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path / "memory"


@pytest.fixture
async def store(folder: Path) -> AsyncIterator[SqliteProvider]:
    async with SqliteProvider(folder) as provider:
        yield provider
