"""Files that change under a running store: nothing is acknowledged that nobody would find again."""

import os
import sqlite3
import subprocess
import zipfile
from pathlib import Path

import pytest

from opencompany_memory.contract import Backend, Degraded, Taint
from opencompany_memory.store.provider import SqliteProvider

pytestmark = pytest.mark.anyio
NAMESPACE = "oc/acme/context"


def _file(folder: Path) -> Path:
    (path,) = folder.glob("*.sqlite3")
    return path


async def test_a_write_to_a_file_that_was_removed_is_an_error(tmp_path: Path) -> None:
    async with SqliteProvider(tmp_path / "memory") as provider:
        await provider.store(NAMESPACE, "k", "text", taint=Taint.INTERNAL)
        path = _file(tmp_path / "memory")
        path.rename(tmp_path / "elsewhere")
        with pytest.raises(Backend, match="removed or replaced"):
            await provider.store(NAMESPACE, "k2", "text", taint=Taint.INTERNAL)
        (tmp_path / "elsewhere").rename(path)
        await provider.store(NAMESPACE, "k3", "text", taint=Taint.INTERNAL)
        assert await provider.get(NAMESPACE, "k2") is None


async def test_a_store_whose_folder_is_gone_is_degraded(tmp_path: Path) -> None:
    async with SqliteProvider(tmp_path / "memory") as provider:
        (tmp_path / "memory").rename(tmp_path / "elsewhere")
        health = await provider.health()
        assert isinstance(health, Degraded)
        assert "OPENCOMPANY_DATA_DIR" in health.reason
        (tmp_path / "elsewhere").rename(tmp_path / "memory")


async def test_a_restored_backup_is_the_store_as_it_was(tmp_path: Path) -> None:
    async with SqliteProvider(tmp_path / "memory") as provider:
        for number in range(20):
            await provider.store(NAMESPACE, f"k{number}", f"zebra {number}", taint=Taint.INTERNAL)
        await provider.maintenance.backup(tmp_path / "backup.zip")
    zipfile.ZipFile(tmp_path / "backup.zip").extractall(tmp_path / "restored")
    async with SqliteProvider(tmp_path / "restored" / "memory") as provider:
        await provider.store(NAMESPACE, "new", "zebra too", taint=Taint.INTERNAL)
        assert len(await provider.recall(NAMESPACE, "zebra", limit=50)) == 21
        assert list((await provider.maintenance.check()).problems) == []
    connection = sqlite3.connect(_file(tmp_path / "restored" / "memory"))
    assert connection.execute("PRAGMA journal_mode").fetchone() == ("wal",)
    connection.close()


async def test_what_a_killed_process_left_half_made_is_swept_up(tmp_path: Path) -> None:
    folder = tmp_path / "memory"
    folder.mkdir()
    old, new = folder / ".new-old", folder / ".new-new"
    for path in (old, new):
        path.write_bytes(b"half a file")
    os.utime(old, (1, 1))
    async with SqliteProvider(folder) as provider:
        assert not old.exists()
        assert new.exists(), "another process may be making it right now"
        await provider.store(NAMESPACE, "k", "text", taint=Taint.INTERNAL)


@pytest.mark.skipif(
    os.geteuid() != 0 or not Path("/proc/self/mountinfo").exists(), reason="needs root to mount a small disk"
)
async def test_a_disk_that_is_full_makes_the_store_degraded(tmp_path: Path) -> None:
    if subprocess.run(["mount", "-t", "tmpfs", "-o", "size=512k", "tmpfs", tmp_path], check=False).returncode:
        pytest.skip("this machine lets nobody mount a disk")
    try:
        async with SqliteProvider(tmp_path / "memory") as provider:
            await provider.store(NAMESPACE, "small", "text", taint=Taint.INTERNAL)
            with pytest.raises(Backend, match="OPENCOMPANY_DATA_DIR"):
                await provider.store(NAMESPACE, "large", "x" * 600_000, taint=Taint.INTERNAL)
            assert isinstance(await provider.health(), Degraded)
            found = await provider.get(NAMESPACE, "small")
            assert found is not None
            assert found.content == "text"
    finally:
        subprocess.run(["umount", tmp_path], check=True)
