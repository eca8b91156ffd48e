"""Upkeep: check, backup, compact, erase."""

import asyncio
import sqlite3
import zipfile
from contextlib import closing
from pathlib import Path

import pytest

from opencompany_memory.contract import Category, InvalidInput, NamespaceSummary, Taint
from opencompany_memory.store.provider import SqliteProvider
from tests.support.processes import Spawn
from tests.support.stores import ACME, ACME_TRACES, GLOBEX, fill, holds, listed, moment, only_file, put, recalled

pytestmark = pytest.mark.anyio

RARE = "Zanzibarquux"


async def test_a_backup_taken_while_writing_is_a_consistent_zip(store: SqliteProvider, tmp_path: Path) -> None:
    await fill(store, ACME, ["before"] * 50)
    await fill(store, GLOBEX, ["before"] * 5)
    stop = asyncio.Event()

    async def keep_writing() -> int:
        turn = 0
        while not stop.is_set():
            await put(store, ACME, f"during{turn}", "during " * 50)
            turn += 1
        return turn

    writing = [asyncio.create_task(keep_writing()) for _ in range(3)]
    report = await store.maintenance.backup(tmp_path / "backup.zip")
    stop.set()
    turns = await asyncio.gather(*writing)
    assert (report.path, report.size, report.units) == (
        tmp_path / "backup.zip",
        (tmp_path / "backup.zip").stat().st_size,
        2,
    )
    assert min(turns) > 0
    with zipfile.ZipFile(report.path) as archive:
        assert archive.testzip() is None
        archive.extractall(tmp_path / "restored")
    async with SqliteProvider(tmp_path / "restored" / "memory") as restored:
        assert (await restored.maintenance.check()).problems == ()
        assert {f"k{n}" for n in range(50)} <= {e.key for e in await listed(restored, ACME, limit=1000)}
        assert len(await recalled(restored, ACME, "before", limit=100)) == 50
        assert len(await listed(restored, GLOBEX)) == 5


async def test_a_backup_is_for_the_owner_only_and_leaves_nothing_beside_it(
    store: SqliteProvider, tmp_path: Path
) -> None:
    await put(store, ACME, "k")
    await store.maintenance.backup(tmp_path / "backup.zip")
    assert (tmp_path / "backup.zip").stat().st_mode & 0o077 == 0
    assert {path.name for path in tmp_path.iterdir()} == {"backup.zip", "memory"}


async def test_a_backup_never_replaces_a_file(store: SqliteProvider, tmp_path: Path) -> None:
    (tmp_path / "backup.zip").write_text("precious")
    with pytest.raises(InvalidInput, match="exists"):
        await store.maintenance.backup(tmp_path / "backup.zip")
    assert (tmp_path / "backup.zip").read_text() == "precious"


async def test_a_backup_into_no_folder_is_refused(store: SqliteProvider, tmp_path: Path) -> None:
    with pytest.raises(InvalidInput, match="folder"):
        await store.maintenance.backup(tmp_path / "nowhere" / "backup.zip")


async def test_a_backup_of_nothing_is_an_empty_archive(store: SqliteProvider, tmp_path: Path) -> None:
    assert (await store.maintenance.backup(tmp_path / "backup.zip")).units == 0


async def test_a_check_of_a_sound_store_finds_nothing(store: SqliteProvider) -> None:
    await fill(store, ACME, ["text"] * 10)
    await fill(store, GLOBEX, ["text"] * 10)
    report = await store.maintenance.check()
    assert (report.checked, report.problems) == (2, ())


@pytest.mark.parametrize(
    "harm",
    [
        "DELETE FROM entries WHERE key = 'k3'",
        "DELETE FROM words_1_docsize WHERE id = 4",
        "UPDATE entries SET id = 99 WHERE key = 'k3'",
        "DROP TABLE words_1",
    ],
)
async def test_a_check_finds_an_index_that_disagrees_with_the_entries(
    store: SqliteProvider, folder: Path, harm: str
) -> None:
    await fill(store, ACME, [RARE] * 10)
    with closing(sqlite3.connect(only_file(folder), isolation_level=None)) as other:
        other.execute(harm)
    problems = (await store.maintenance.check()).problems
    assert problems
    assert RARE not in repr(problems)


async def test_compacting_gives_space_back_and_loses_nothing(store: SqliteProvider, folder: Path) -> None:
    await fill(store, ACME, ["many words " * 200] * 200)
    await asyncio.gather(*(store.forget(ACME, f"k{n}") for n in range(190)))
    report = await store.maintenance.compact()
    assert report.after < report.before / 2
    assert report.after == only_file(folder).stat().st_size
    assert len(await listed(store, ACME)) == 10
    assert len(await recalled(store, ACME, "words", limit=100)) == 10
    assert (await store.maintenance.check()).problems == ()


async def test_forget_and_compact_leave_no_trace_of_a_word(store: SqliteProvider, folder: Path) -> None:
    await fill(store, ACME, [f"{RARE} {n} and more words" for n in range(50)], session_id="s")
    await put(store, ACME, "kept", "more words")
    assert holds(folder, RARE)
    for n in range(50):
        await store.forget(ACME, f"k{n}")
    await store.maintenance.compact()
    assert holds(folder, RARE) == []
    assert await recalled(store, ACME, "more words") == ["kept"]


async def test_replace_and_compact_leave_no_trace_of_the_old_text(store: SqliteProvider, folder: Path) -> None:
    await put(store, ACME, "k", RARE)
    await put(store, ACME, "k", "new text")
    await store.maintenance.compact()
    assert holds(folder, RARE) == []


async def write_everywhere(store: SqliteProvider, namespace: str, word: str) -> None:
    """One record of every family that holds text."""
    inside = {"taint": Taint.INTERNAL}
    await put(store, namespace, word, word, session_id=word, category=Category.custom(word), metadata={word: word})
    await store.documents.put_document(namespace, word, word, title=word, metadata={"m": word}, **inside)
    await store.graph.link(namespace, word, word, word, metadata={"m": word}, **inside)
    await store.episodic.record(namespace, word, word, actor=word, metadata={"m": word}, **inside)


async def test_erasing_a_company_removes_every_family_and_every_trace_and_nobody_elses(
    store: SqliteProvider, folder: Path
) -> None:
    for namespace in (ACME, ACME_TRACES):
        await write_everywhere(store, namespace, RARE)
    await write_everywhere(store, GLOBEX, "globexword")
    await write_everywhere(store, "oc/acme-11/facts", "lookalike")
    assert holds(folder, RARE)
    report = await store.maintenance.erase("oc/acme-1/")
    assert list(report.namespaces) == [(ACME, 1), (ACME_TRACES, 1)]
    assert report.other_records == 6
    assert holds(folder, RARE) == []
    assert [s.namespace for s in await store.namespaces()] == ["oc/acme-11/facts", GLOBEX]
    assert await recalled(store, GLOBEX, "globexword") == ["globexword"]
    assert await store.documents.get_document("oc/acme-11/facts", "lookalike") is not None
    for namespace in (ACME, ACME_TRACES):
        assert await listed(store, namespace) == []
        assert await recalled(store, namespace, RARE) == []
        assert await store.documents.get_document(namespace, RARE) is None
        assert await store.graph.edges(namespace, RARE) == []
        assert await store.episodic.episodes(namespace) == []


async def test_the_file_of_an_erased_company_goes_with_it(store: SqliteProvider, folder: Path) -> None:
    await put(store, ACME, "k")
    await store.maintenance.erase("oc/acme-1/")
    assert [path.name for path in folder.iterdir()] == [".open"]


async def test_erasing_one_scope_leaves_the_others(store: SqliteProvider, folder: Path) -> None:
    await fill(store, ACME, [RARE] * 3)
    await fill(store, ACME_TRACES, ["kept"] * 3)
    assert list((await store.maintenance.erase(ACME)).namespaces) == [(ACME, 3)]
    assert holds(folder, RARE) == []
    assert len(await recalled(store, ACME_TRACES, "kept")) == 3
    assert (await store.maintenance.check()).problems == ()


async def test_a_short_prefix_erases_all_that_begin_with_it(store: SqliteProvider) -> None:
    for namespace in (ACME, GLOBEX, "other"):
        await put(store, namespace, "k")
    await store.maintenance.erase("oc/")
    assert list(await store.namespaces()) == [NamespaceSummary("other", 1, (await listed(store, "other"))[0].timestamp)]


@pytest.mark.parametrize("prefix", ["oc/nobody/", "zzz", "oc/acme_1/"])
async def test_erasing_nobody_erases_nothing(store: SqliteProvider, prefix: str) -> None:
    await put(store, ACME, "k")
    report = await store.maintenance.erase(prefix)
    assert (list(report.namespaces), report.other_records) == ([], 0)
    assert await store.get(ACME, "k") is not None


async def test_an_empty_prefix_is_refused(store: SqliteProvider) -> None:
    await put(store, ACME, "k")
    with pytest.raises(InvalidInput, match="empty"):
        await store.maintenance.erase("")
    assert await store.get(ACME, "k") is not None


async def test_an_erased_company_begins_anew(store: SqliteProvider) -> None:
    for turn in range(3):
        await put(store, ACME, "k", f"turn {turn}", timestamp=moment(turn))
        assert [e.content for e in await listed(store, ACME)] == [f"turn {turn}"]
        await store.maintenance.erase("oc/acme-1/")
        assert await store.get(ACME, "k") is None


async def test_a_company_erased_by_one_provider_is_gone_and_usable_in_the_other(
    store: SqliteProvider, folder: Path
) -> None:
    async with SqliteProvider(folder) as other:
        await put(store, ACME, "k", RARE)
        assert await other.get(ACME, "k") is not None
        await store.maintenance.erase("oc/acme-1/")
        assert await other.get(ACME, "k") is None
        assert await recalled(other, ACME, RARE) == []
        assert holds(folder, RARE) == []
        await put(other, ACME, "k", "new")
        assert (await store.get(ACME, "k")).content == "new"  # type: ignore[union-attr]


async def test_writes_during_an_erasure_are_either_erased_or_kept_whole(store: SqliteProvider) -> None:
    await fill(store, ACME, ["text"] * 50)
    writing = [asyncio.create_task(put(store, ACME, f"during{n}", "text")) for n in range(50)]
    await store.maintenance.erase("oc/acme-1/")
    await asyncio.gather(*writing)
    await put(store, ACME, "after", "text")
    kept = {e.key for e in await listed(store, ACME)}
    assert "after" in kept
    assert not any(key.startswith("k") for key in kept)
    assert set(await recalled(store, ACME, "text", limit=1000)) == kept
    assert (await store.maintenance.check()).problems == ()


async def test_what_another_process_writes_while_we_erase_is_never_written_into_nothing(
    spawn: Spawn, folder: Path
) -> None:
    writer = spawn(folder, "counted", "other", 200)
    writer.wait_ready()
    async with SqliteProvider(folder) as store:
        writer.begin()
        first = writer.line()
        for _ in range(20):
            await store.maintenance.erase("oc/acme-1/")
        lines = [first, *writer.finish()]
        assert len(lines) == 200
        await put(store, ACME, "last", "text")
        kept = {e.key for e in await listed(store, ACME, limit=1000)}
        assert {"last"} <= kept
        assert set(await recalled(store, ACME, "text", limit=1000)) == kept
        assert (await store.maintenance.check()).problems == ()
