"""Opening what is in the folder: looked at before it is touched, refused untouched, migrated with a backup."""

import asyncio
import os
import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest

from opencompany_memory.contract import Degraded, MemoryEngineError, Ready
from opencompany_memory.store import opening
from opencompany_memory.store.failures import StoreRefused
from opencompany_memory.store.files import file_name, partition_of, refuse_unusable
from opencompany_memory.store.provider import SqliteProvider
from opencompany_memory.store.schema import MIGRATIONS, SCHEMA_VERSION
from tests.support.processes import Spawn
from tests.support.stores import ACME, GLOBEX, digests, fill, holds, listed, only_file, put

pytestmark = pytest.mark.anyio


@pytest.fixture
def filled(folder: Path) -> Path:
    """The file of a company with 300 entries."""

    async def make() -> None:
        async with SqliteProvider(folder) as store:
            await fill(store, ACME, ["the deploy key rotates on mondays " * 5] * 300)

    asyncio.run(make())
    return only_file(folder)


def killed_in_the_middle(spawn: Spawn, folder: Path) -> Path:
    """A file whose last writes are in the log only."""
    writer = spawn(folder, "without-end", "killed")
    writer.wait_ready()
    writer.begin()
    for _ in range(30):
        writer.line()
    writer.kill()
    return next(path for path in folder.glob("*.sqlite3") if path.name.startswith("oc_acme"))


def header(path: Path, offset: int, value: int) -> None:
    raw = bytearray(path.read_bytes())
    raw[offset : offset + 4] = value.to_bytes(4, "big")
    path.write_bytes(raw)


def newer(path: Path) -> None:
    header(path, 60, 99)


def of_another_program(path: Path) -> None:
    header(path, 68, 4711)


def without_a_header(path: Path) -> None:
    path.write_bytes(b"rubbish " * 2000)


def empty(path: Path) -> None:
    path.write_bytes(b"")


def one_byte(path: Path) -> None:
    path.write_bytes(b"S")


def cut_short(path: Path) -> None:
    os.truncate(path, path.stat().st_size // 2)


def cut_within_a_page(path: Path) -> None:
    os.truncate(path, path.stat().st_size - 100)


def a_folder(path: Path) -> None:
    path.unlink()
    path.mkdir()


def rubbish_in_the_schema(path: Path) -> None:
    raw = bytearray(path.read_bytes())
    raw[100:4096] = b"\xa5" * 3996
    path.write_bytes(raw)


def rubbish_in_the_middle(path: Path) -> None:
    raw = bytearray(path.read_bytes())
    for start in range(4096, len(raw), 4096):
        raw[start : start + 2048] = b"\xa5" * 2048
    path.write_bytes(raw)


@pytest.mark.parametrize(
    ("harm", "reason"),
    [
        (newer, "newer version"),
        (of_another_program, "not a memory database"),
        (without_a_header, "damaged"),
        (empty, "damaged"),
        (one_byte, "damaged"),
        (cut_short, "damaged"),
        (cut_within_a_page, "damaged"),
        (a_folder, "can't be read"),
        (rubbish_in_the_schema, "damaged"),
        (rubbish_in_the_middle, "damaged"),
    ],
)
def test_an_unusable_file_refuses_to_open_names_itself_and_stays_as_it_is(
    filled: Path, folder: Path, harm: Callable[[Path], None], reason: str
) -> None:
    harm(filled)
    before = digests(folder)
    with pytest.raises(StoreRefused, match=reason) as caught:
        SqliteProvider(folder)
    assert str(filled) in str(caught.value)
    assert "deploy" not in str(caught.value)
    assert digests(folder) == before


@pytest.mark.parametrize("harm", [newer, of_another_program, without_a_header, empty, cut_short, a_folder])
async def test_a_file_that_goes_bad_while_the_store_is_open_is_refused_untouched(
    filled: Path, folder: Path, harm: Callable[[Path], None]
) -> None:
    async with SqliteProvider(folder) as store:
        harm(filled)
        before = digests(folder)
        for call in (
            lambda: store.get(ACME, "k0"),
            lambda: put(store, ACME, "k0"),
            lambda: store.list(ACME),
            lambda: store.recall(ACME, "deploy"),
            lambda: store.forget(ACME, "k0"),
            store.namespaces,
            store.export_page,
            store.maintenance.compact,
            lambda: store.maintenance.erase("oc/acme-1/"),
        ):
            with pytest.raises(StoreRefused):
                await call()
        assert isinstance(await store.health(), Degraded)
        assert (await store.maintenance.check()).problems
        assert digests(folder) == before
        await put(store, GLOBEX, "k0", "another company goes on working")


@pytest.mark.parametrize("harm", [rubbish_in_the_schema, rubbish_in_the_middle])
async def test_damage_inside_is_an_error_and_never_an_empty_answer(
    filled: Path, folder: Path, harm: Callable[[Path], None]
) -> None:
    async with SqliteProvider(folder) as store:
        harm(filled)
        for call in (
            lambda: store.get(ACME, "k0"),
            lambda: store.list(ACME),
            lambda: store.recall(ACME, "deploy"),
            lambda: put(store, ACME, "k0"),
            store.namespaces,
            store.export_page,
        ):
            with pytest.raises(MemoryEngineError, match="damaged"):
                await call()
        assert (await store.maintenance.check()).problems


async def test_a_damaged_file_that_was_put_right_is_usable_without_a_restart(filled: Path, folder: Path) -> None:
    good = filled.read_bytes()
    async with SqliteProvider(folder) as store:
        without_a_header(filled)
        with pytest.raises(StoreRefused):
            await store.get(ACME, "k0")
        rubbish_in_the_schema(filled)
        with pytest.raises(StoreRefused):
            await store.get(ACME, "k0")
        filled.write_bytes(good)
        assert await store.get(ACME, "k0") is not None
        assert await store.health() == Ready()


async def test_a_newer_file_with_a_log_of_a_killed_process_stays_untouched_side_files_too(
    spawn: Spawn, folder: Path
) -> None:
    path = killed_in_the_middle(spawn, folder)
    newer(path)
    before = digests(folder)
    assert any(name.endswith("-wal") for name in before)
    with pytest.raises(StoreRefused, match="newer"):
        SqliteProvider(folder)
    assert digests(folder) == before


async def test_a_newer_version_that_stands_in_the_log_only_is_seen_and_everything_stays_untouched(
    spawn: Spawn, folder: Path
) -> None:
    path = killed_in_the_middle(spawn, folder)
    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        connection.execute("PRAGMA wal_autocheckpoint = 0")
        connection.execute("PRAGMA user_version = 99")
        saved = {p: p.read_bytes() for p in path.parent.glob(f"{path.name}*")}
    for file, raw in saved.items():  # as `kill -9` would have left it
        file.write_bytes(raw)
    before = digests(folder)
    with pytest.raises(StoreRefused, match="newer"):
        SqliteProvider(folder)
    assert digests(folder) == before


async def test_the_log_of_a_killed_process_is_no_reason_to_refuse(spawn: Spawn, folder: Path) -> None:
    killed_in_the_middle(spawn, folder)
    async with SqliteProvider(folder) as store:
        assert await store.health() == Ready()
        assert await listed(store, ACME)


async def test_a_file_under_another_companys_name_is_refused(filled: Path, folder: Path) -> None:
    filled.rename(folder / file_name(partition_of(GLOBEX)))
    async with SqliteProvider(folder) as store:
        before = digests(folder)
        for call in (lambda: store.get(GLOBEX, "k0"), lambda: put(store, GLOBEX, "k0"), lambda: store.list(GLOBEX)):
            with pytest.raises(StoreRefused, match="another company"):
                await call()
        assert digests(folder) == before


async def test_other_files_in_the_folder_are_left_alone(filled: Path, folder: Path) -> None:
    for name in ("notes.txt", ".new-x", "x.sqlite3-wal", "y.sqlite3.v1.bak", "old.sqlite3.bak"):
        (folder / name).write_bytes(b"somebody's")
    async with SqliteProvider(folder) as store:
        assert [s.count for s in await store.namespaces()] == [300]
    assert (folder / "notes.txt").read_bytes() == b"somebody's"


async def test_a_folder_name_that_looks_like_a_uri_is_a_folder_name(tmp_path: Path) -> None:
    awkward = tmp_path / "a?mode=memory#x%20ü 'y'"
    async with SqliteProvider(awkward) as store:
        await put(store, ACME, "k", "text")
    async with SqliteProvider(awkward) as store:
        assert await store.get(ACME, "k") is not None
    assert only_file(awkward)


def test_a_file_in_the_place_of_the_folder_is_refused_naming_the_knob(tmp_path: Path) -> None:
    (tmp_path / "memory").write_text("")
    with pytest.raises(StoreRefused):
        SqliteProvider(tmp_path / "memory")


async def test_a_folder_that_is_gone_is_no_good_health(store: SqliteProvider, folder: Path) -> None:
    assert await store.health() == Ready()
    (folder / ".open").unlink()
    folder.rmdir()
    health = await store.health()
    assert isinstance(health, Degraded)
    assert "OPENCOMPANY_DATA_DIR" in health.reason


async def test_a_folder_that_vanishes_is_made_again_by_the_next_company(folder: Path) -> None:
    async with SqliteProvider(folder) as store:
        (folder / ".open").unlink()
        folder.rmdir()
        await put(store, ACME, "k", "text")
        assert await store.get(ACME, "k") is not None


def add_column(connection: sqlite3.Connection) -> None:
    connection.execute("ALTER TABLE entries ADD COLUMN colour TEXT")


def fail(connection: sqlite3.Connection) -> None:
    connection.execute("DELETE FROM entries")
    raise RuntimeError("no")


def columns(path: Path) -> set[str]:
    with closing(sqlite3.connect(path)) as connection:
        return {row[1] for row in connection.execute("PRAGMA table_info(entries)")}


def test_a_migration_keeps_the_entries_and_puts_a_copy_aside(filled: Path) -> None:
    connection = opening.connect(filled)
    opening.migrate(connection, filled, [*MIGRATIONS, add_column])
    opening.close(connection, filled)
    copy = filled.with_name(f"{filled.name}.v{SCHEMA_VERSION}.bak")
    assert ("colour" in columns(filled), "colour" in columns(copy)) == (True, False)
    for path, version in ((filled, SCHEMA_VERSION + 1), (copy, SCHEMA_VERSION)):
        with closing(sqlite3.connect(path)) as look:
            assert look.execute("PRAGMA user_version").fetchone() == (version,)
            assert look.execute("SELECT count(*) FROM entries").fetchone() == (300,)
        assert path.stat().st_mode & 0o077 == 0


def test_a_migrated_file_is_refused_by_this_version_from_then_on(filled: Path, folder: Path) -> None:
    connection = opening.connect(filled)
    opening.migrate(connection, filled, [*MIGRATIONS, add_column])
    opening.close(connection, filled)
    with pytest.raises(StoreRefused, match="newer"):
        SqliteProvider(folder)


async def test_a_migration_that_fails_changes_nothing(filled: Path, folder: Path) -> None:
    connection = opening.connect(filled)
    with pytest.raises(RuntimeError):
        opening.migrate(connection, filled, [*MIGRATIONS, add_column, fail])
    opening.close(connection, filled)
    assert "colour" not in columns(filled)
    async with SqliteProvider(folder) as store:
        assert len(await listed(store, ACME, limit=1000)) == 300
        assert (await store.maintenance.check()).problems == ()


def test_a_file_of_the_current_schema_is_not_written_to(filled: Path, folder: Path) -> None:
    before = digests(folder)
    connection = opening.open_or_create(filled, partition_of(ACME))
    opening.close(connection, filled)
    assert digests(folder) == before


async def test_what_is_erased_is_erased_from_the_copy_of_a_migration_too(folder: Path) -> None:
    async with SqliteProvider(folder) as store:
        await put(store, ACME, "k", "the zanzibarword is secret")
        await put(store, "oc/acme-1/traces", "k", "kept")
    path = only_file(folder)
    with closing(sqlite3.connect(path)) as source, closing(sqlite3.connect(f"{path}.v1.bak")) as target:
        source.backup(target)
    assert len(holds(folder, "zanzibarword")) == 2
    async with SqliteProvider(folder) as store:
        await store.maintenance.erase(ACME)
    assert holds(folder, "zanzibarword") == []


def test_looking_at_many_files_takes_no_longer_than_it_is_given(tmp_path: Path, filled: Path) -> None:
    raw = filled.read_bytes()
    for number in range(200):
        (filled.parent / f"x-{number}.sqlite3").write_bytes(raw)
    refuse_unusable(filled.parent)
