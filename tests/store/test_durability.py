"""An acknowledged write survives `kill -9`."""

import random
from pathlib import Path

import pytest

from opencompany_memory.store.provider import SqliteProvider
from tests.support.processes import Spawn

pytestmark = pytest.mark.anyio


async def test_every_acknowledged_write_is_there_after_kill_9_at_any_moment(spawn: Spawn, folder: Path) -> None:
    chance = random.Random(4711)
    acknowledged: list[str] = []
    for round_number in range(6):
        writer = spawn(folder, "without-end", f"round{round_number}")
        writer.wait_ready()
        writer.begin()
        acknowledged += [writer.line() for _ in range(chance.randrange(1, 150))]
        acknowledged += writer.kill()
    async with SqliteProvider(folder) as store:
        assert (await store.maintenance.check()).problems == ()
        for line in acknowledged:
            namespace, key = line.split(" ")
            entry = await store.get(namespace, key)
            assert entry is not None, line
            assert entry.content.startswith(f"text of {key} ")
    assert len(acknowledged) > 100


async def test_what_survived_is_recalled_and_listed_too(spawn: Spawn, folder: Path) -> None:
    writer = spawn(folder, "without-end", "killed")
    writer.wait_ready()
    writer.begin()
    acknowledged = [writer.line().split(" ") for _ in range(40)] + [line.split(" ") for line in writer.kill()]
    async with SqliteProvider(folder) as store:
        for namespace, key in acknowledged[::10]:
            found = await store.recall(namespace, key, limit=1000)
            assert key in [entry.key for entry in found]


async def test_a_power_cut_may_not_lose_what_was_acknowledged_so_the_log_is_synced_at_every_commit(
    store: SqliteProvider,
) -> None:
    partition = store._partitions._get("oc/acme-1")
    assert partition._writer.execute("PRAGMA synchronous").fetchone() == (2,)
    assert partition._writer.execute("PRAGMA journal_mode").fetchone() == ("wal",)
