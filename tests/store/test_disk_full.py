"""A full disk loses nothing that was acknowledged, says so, and heals."""

import asyncio
import subprocess
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import pytest

from opencompany_memory.contract import Backend
from opencompany_memory.store.provider import SqliteProvider
from tests.support.processes import Spawn
from tests.support.stores import ACME, listed, put

pytestmark = pytest.mark.anyio


async def test_a_limit_on_the_size_of_files_loses_nothing_and_names_the_knob(spawn: Spawn, folder: Path) -> None:
    writer = spawn(folder, "until-full", "full")
    writer.wait_ready()
    writer.begin()
    lines = writer.finish()
    (error,) = [line for line in lines if line.startswith("error ")]
    assert error.startswith("error Backend ")
    assert "OPENCOMPANY_DATA_DIR" in error
    acknowledged = {line.split(" ")[1] for line in lines if line.startswith(ACME)}
    assert "full-afterwards" in acknowledged
    async with SqliteProvider(folder) as store:
        assert acknowledged <= {entry.key for entry in await listed(store, ACME, limit=1000)}
        assert (await store.maintenance.check()).problems == ()


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    """A file system of 2 MiB."""
    where = tmp_path / "disk"
    where.mkdir()
    mounted = subprocess.run(["mount", "-t", "tmpfs", "-o", "size=2m", "tmpfs", str(where)], capture_output=True)
    if mounted.returncode:
        pytest.skip("this test needs the right to mount a small file system")
    yield where
    subprocess.run(["umount", str(where)], check=True)


def fill_up(filler: Path) -> None:
    with filler.open("wb", buffering=0) as file, suppress(OSError):
        while file.write(b"x" * 4096):
            pass


async def test_a_full_disk_is_an_error_that_heals_when_there_is_room(small_disk: Path) -> None:
    async with SqliteProvider(small_disk / "memory") as store:
        await put(store, ACME, "first", "text")
        filler = small_disk / "filler"
        fill_up(filler)
        outcomes = await asyncio.gather(
            *(put(store, ACME, f"k{n}", "text " * 2000) for n in range(20)), return_exceptions=True
        )
        failed = [outcome for outcome in outcomes if isinstance(outcome, Backend)]
        assert failed
        assert all("disk" in str(error) and "OPENCOMPANY_DATA_DIR" in str(error) for error in failed)
        assert (await store.get(ACME, "first")) is not None
        with pytest.raises(Backend, match="OPENCOMPANY_DATA_DIR"):
            await put(store, "oc/another/facts", "k", "text")
        filler.unlink()
        await put(store, ACME, "afterwards", "text")
        kept = {"first", "afterwards"} | {o.key for o in outcomes if not isinstance(o, BaseException)}
        assert {entry.key for entry in await listed(store, ACME)} == kept
        await put(store, "oc/another/facts", "k", "text")
        assert (await store.maintenance.check()).problems == ()
        assert not list((small_disk / "memory").glob(".new-*"))
