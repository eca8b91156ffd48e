"""An open store in a folder of its own."""

from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import pytest

from opencompany_memory.store.provider import SqliteProvider
from tests.support.processes import Spawn, Writer


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path / "memory"


@pytest.fixture
async def store(folder: Path) -> AsyncIterator[SqliteProvider]:
    async with SqliteProvider(folder) as provider:
        yield provider


@pytest.fixture
def spawn() -> Iterator[Spawn]:
    """Makes writers in processes of their own, none of which outlives the test."""
    made: list[Writer] = []

    def make(folder: Path, job: str, name: str, count: int = 0) -> Writer:
        made.append(Writer(folder, job, name, count))
        return made[-1]

    yield make
    for writer in made:
        if writer.process.poll() is None:
            writer.kill()
