"""Several processes on one folder."""

import asyncio
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from opencompany_memory.store.provider import SqliteProvider
from tests.support.processes import Spawn, begin_together
from tests.support.stores import ACME, digests, fill, listed, only_file, put, recalled

pytestmark = pytest.mark.anyio


async def test_two_processes_writing_different_keys_lose_nothing(spawn: Spawn, folder: Path) -> None:
    writers = [spawn(folder, "counted", name, 200) for name in ("one", "two")]
    begin_together(writers)
    lines = [line for writer in writers for line in writer.finish()]
    async with SqliteProvider(folder) as store:
        assert {e.key for e in await listed(store, ACME)} == {f"{n}-{i}" for n in ("one", "two") for i in range(200)}
        assert (await store.maintenance.check()).problems == ()
    assert len(lines) == 400


async def test_processes_writing_the_same_keys_leave_one_entry_for_each(spawn: Spawn, folder: Path) -> None:
    writers = [spawn(folder, "counted", "same", 100) for _ in range(3)]
    begin_together(writers)
    for writer in writers:
        assert len(writer.finish()) == 100
    async with SqliteProvider(folder) as store:
        assert sorted(e.key for e in await listed(store, ACME)) == sorted(f"same-{i}" for i in range(100))
        assert (await store.maintenance.check()).problems == ()


async def test_processes_that_make_the_same_file_at_once_make_one_good_file(spawn: Spawn, folder: Path) -> None:
    for attempt in range(2):
        here = folder / str(attempt)
        writers = [spawn(here, "counted", name, 1) for name in ("a", "b", "c", "d")]
        begin_together(writers)
        for writer in writers:
            writer.finish()
        assert len([p for p in here.iterdir() if p.suffix == ".sqlite3"]) == 1
        assert not list(here.glob(".new-*"))
        async with SqliteProvider(here) as store:
            assert {e.key for e in await listed(store, ACME)} == {"a-0", "b-0", "c-0", "d-0"}


@pytest.fixture
async def locked(store: SqliteProvider, folder: Path) -> sqlite3.Connection:
    """Another program in the middle of a write transaction."""
    await fill(store, ACME, ["the deploy key rotates on mondays"])
    connection = sqlite3.connect(only_file(folder), isolation_level=None)
    connection.execute("BEGIN IMMEDIATE")
    connection.execute("INSERT INTO namespaces (name) VALUES ('being written')")
    return connection


async def test_reads_never_wait_for_a_writer(store: SqliteProvider, locked: sqlite3.Connection) -> None:
    with closing(locked):
        async with asyncio.timeout(5):  # the wait for the lock is 30 s
            assert await store.get(ACME, "k0") is not None
            assert len(await listed(store, ACME)) == 1
            assert await recalled(store, ACME, "deploy") == ["k0"]
            assert len(await store.namespaces()) == 1
            assert len((await store.export_page()).records) == 1


async def test_opening_never_waits_for_a_writer(
    store: SqliteProvider, locked: sqlite3.Connection, folder: Path
) -> None:
    with closing(locked):
        async with asyncio.timeout(5), SqliteProvider(folder) as other:
            assert await other.get(ACME, "k0") is not None
            assert await recalled(other, ACME, "deploy") == ["k0"]


async def test_a_write_waits_for_another_process_and_then_succeeds(
    store: SqliteProvider, locked: sqlite3.Connection
) -> None:
    with closing(locked):
        waiting = asyncio.create_task(put(store, ACME, "k1", "text"))
        await store.recall(ACME, "deploy")
        assert not waiting.done()
        locked.execute("ROLLBACK")
        await waiting
    assert await store.get(ACME, "k1") is not None


async def test_reading_changes_no_byte_of_a_closed_database(folder: Path) -> None:
    async with SqliteProvider(folder) as store:
        await fill(store, ACME, ["the deploy key"])
    before = digests(folder)
    async with SqliteProvider(folder) as store:
        await store.health()
        await recalled(store, ACME, "deploy")
        await listed(store, ACME)
        await store.namespaces()
    assert digests(folder) == before


async def test_a_name_is_made_private_to_the_owner(store: SqliteProvider, folder: Path) -> None:
    await put(store, ACME, "k")
    assert folder.stat().st_mode & 0o777 == 0o700
    assert {p.name: p.stat().st_mode & 0o077 for p in folder.iterdir()} == {p.name: 0 for p in folder.iterdir()}
