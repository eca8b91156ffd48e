"""Concurrent writers share commits; each write stands or falls alone."""

import asyncio
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from opencompany_memory.contract import Category, Taint
from opencompany_memory.store import entries
from opencompany_memory.store.partitions import Partitions
from opencompany_memory.store.provider import SqliteProvider
from tests.support.stores import ACME, ACME_TRACES, listed, logged_commits, moment, only_file, put

pytestmark = pytest.mark.anyio


async def test_writers_at_the_same_moment_share_a_few_commits(store: SqliteProvider, folder: Path) -> None:
    await put(store, ACME, "first")
    before = logged_commits(only_file(folder))
    await asyncio.gather(*(put(store, ACME, f"k{n}") for n in range(100)))
    assert logged_commits(only_file(folder)) - before <= 10


async def test_a_writer_alone_has_a_commit_for_each_write_that_returned(store: SqliteProvider, folder: Path) -> None:
    await put(store, ACME, "first")
    before = logged_commits(only_file(folder))
    for n in range(10):
        await put(store, ACME, f"k{n}")
        assert logged_commits(only_file(folder)) - before == n + 1


def draft(key: str) -> entries.Draft:
    return entries.Draft(key, "text", Category.CORE, None, moment(0), Taint.INTERNAL, {})


@pytest.mark.parametrize("error", [ValueError("no"), sqlite3.IntegrityError("no")])
async def test_a_write_that_fails_in_a_shared_commit_fails_alone_and_whole(folder: Path, error: Exception) -> None:
    folder.mkdir()
    partitions = Partitions(folder)

    def work(number: int):
        def write(connection: sqlite3.Connection) -> int:
            entries.upsert(connection, entries.make_namespace(connection, ACME), draft(f"k{number}"))
            if number % 10 == 3:
                entries.make_namespace(connection, ACME_TRACES)
                raise error
            return number

        return write

    writes = [partitions.write(ACME, lambda partition, n=n: partition.write(work(n))) for n in range(50)]
    outcomes = await asyncio.gather(*writes, return_exceptions=True)
    partitions.close()
    assert [n for n, outcome in enumerate(outcomes) if outcome != n] == [3, 13, 23, 33, 43]
    async with SqliteProvider(folder) as store:
        assert {e.key for e in await listed(store, ACME)} == {f"k{n}" for n in range(50) if n % 10 != 3}
        assert (await store.maintenance.check()).problems == ()


async def test_a_write_that_was_given_up_before_its_turn_is_not_done(store: SqliteProvider, folder: Path) -> None:
    await put(store, ACME, "first")
    with closing(sqlite3.connect(only_file(folder), isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")
        writes = [asyncio.create_task(put(store, ACME, f"k{n}")) for n in range(10)]
        for _ in range(5):
            await asyncio.sleep(0)  # each task gets as far as waiting for its commit
        writes[3].cancel()
        with pytest.raises(asyncio.CancelledError):
            await writes[3]
        other.execute("ROLLBACK")
    outcomes = await asyncio.gather(*writes, return_exceptions=True)
    assert [n for n, outcome in enumerate(outcomes) if isinstance(outcome, BaseException)] == [3]
    assert {e.key for e in await listed(store, ACME)} == {"first"} | {f"k{n}" for n in range(10) if n != 3}


async def test_a_caller_that_gives_up_does_not_keep_the_others_waiting(store: SqliteProvider) -> None:
    for turn in range(20):
        writes = [asyncio.create_task(put(store, ACME, f"k{turn}-{n}")) for n in range(10)]
        for _ in range(turn % 4):
            await asyncio.sleep(0)
        for write in writes[::2]:
            write.cancel()
        await asyncio.gather(*writes, return_exceptions=True)
        assert all(write.exception() is None for write in writes[1::2])
    kept = {e.key for e in await listed(store, ACME, limit=1000)}
    assert {f"k{turn}-{n}" for turn in range(20) for n in range(1, 10, 2)} <= kept


async def test_a_write_that_raises_something_unforeseen_does_not_stop_later_ones(folder: Path) -> None:
    folder.mkdir()
    partitions = Partitions(folder)

    def ends_the_transaction(connection: sqlite3.Connection) -> None:
        connection.execute("ROLLBACK")
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        await partitions.write(ACME, lambda partition: partition.write(ends_the_transaction))
    async with asyncio.timeout(5):
        assert await partitions.write(ACME, lambda partition: partition.write(lambda _: "done")) == "done"
    partitions.close()
