"""Everything out, everything in."""

import asyncio
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import attrs
import pytest

from opencompany_memory.contract import Category, ExportRecord, InvalidInput, NamespaceSummary, Taint
from opencompany_memory.store.provider import SqliteProvider
from tests.support.stores import ACME, ACME_TRACES, GLOBEX, fill, listed, moment, put, recalled

pytestmark = pytest.mark.anyio

RECORD = ExportRecord(
    ACME,
    "k",
    "text\0 of 2020",
    Category.custom("x"),
    "s",
    datetime(2020, 1, 2, 3, 4, 5, 678_901, tzinfo=UTC),
    Taint.EXTERNAL_SYNC,
    {"n": 1, "b": True, "s": "1", "f": 1.0, "z": None},
)


async def exported(store: SqliteProvider, limit: int = 100) -> list[ExportRecord]:
    records: list[ExportRecord] = []
    cursor = None
    while True:
        page = await store.export_page(cursor, limit)
        assert len(page.records) <= limit
        records += page.records
        cursor = page.next_cursor
        if cursor is None:
            return records


def by_place(records: Sequence[ExportRecord]) -> list[ExportRecord]:
    return sorted(records, key=lambda record: (record.namespace, record.key))


async def test_what_is_exported_and_imported_is_the_same_types_of_metadata_too(tmp_path: Path) -> None:
    async with SqliteProvider(tmp_path / "one") as one, SqliteProvider(tmp_path / "other") as other:
        await one.import_records([RECORD])
        for namespace in (ACME, ACME_TRACES, GLOBEX, "odd one"):
            await fill(one, namespace, [f"text {n}" for n in range(20)], session_id="s")
        records = await exported(one)
        outcome = await other.import_records(records)
        assert (outcome.imported, outcome.skipped, list(outcome.failed)) == (81, 0, [])
        arrived = await exported(other)
        assert by_place(arrived) == by_place(records)
        (old,) = [record for record in arrived if record.key == "k"]
        assert {k: type(v) for k, v in old.metadata.items()} == {k: type(v) for k, v in RECORD.metadata.items()}
        assert (await recalled(other, ACME, "2020"))[0] == "k"


@pytest.mark.parametrize("limit", [49, 1000])
async def test_1337_entries_of_many_companies_are_exported_exactly_once(store: SqliteProvider, limit: int) -> None:
    counts = {ACME: 14, **{f"oc/c{n}/facts": 147 for n in range(9)}}
    for namespace, count in counts.items():
        await fill(store, namespace, [""] * count)
    places = [(record.namespace, record.key) for record in await exported(store, limit)]
    assert len(places) == len(set(places)) == sum(counts.values())
    assert {s.namespace: s.count for s in await store.namespaces()} == counts


async def test_an_export_visits_what_was_there_all_along_once_while_others_write(store: SqliteProvider) -> None:
    for namespace in (ACME, GLOBEX):
        await fill(store, namespace, [""] * 30)
    seen: list[tuple[str, str]] = []
    cursor = None
    turn = 0
    while True:
        page = await store.export_page(cursor, 7)
        seen += [(record.namespace, record.key) for record in page.records]
        await put(store, ACME, f"new{turn}")
        await put(store, f"oc/new{turn}/facts", "k")
        await put(store, ACME, "k3", "changed")
        turn += 1
        cursor = page.next_cursor
        if cursor is None or turn > 50:
            break
    assert cursor is None
    for namespace in (ACME, GLOBEX):
        assert sorted(key for n, key in seen if n == namespace and key[0] == "k") == sorted(f"k{n}" for n in range(30))


async def test_an_export_goes_on_where_it_was_after_a_restart(folder: Path) -> None:
    async with SqliteProvider(folder) as store:
        await fill(store, ACME, [""] * 10)
        first = await store.export_page(None, 4)
    async with SqliteProvider(folder) as store:
        rest = await store.export_page(first.next_cursor, 100)
    assert sorted(r.key for r in [*first.records, *rest.records]) == [f"k{n}" for n in range(10)]


async def test_an_export_goes_on_when_the_company_it_stood_at_is_erased(store: SqliteProvider) -> None:
    for namespace in (ACME, GLOBEX):
        await fill(store, namespace, [""] * 10)
    page = await store.export_page(None, 4)
    first, other = sorted((ACME, GLOBEX), key=lambda n: n != page.records[0].namespace)
    await store.maintenance.erase(first.rsplit("/", 1)[0] + "/")
    rest = await store.export_page(page.next_cursor, 100)
    assert {record.namespace for record in rest.records} == {other}
    assert len(rest.records) == 10


@pytest.mark.parametrize("cursor", ["", "x", "AAAA", "é", "A" * 5000, 5])
async def test_a_foreign_cursor_is_refused(store: SqliteProvider, cursor: Any) -> None:
    await put(store, ACME, "k")
    with pytest.raises(InvalidInput, match="cursor"):
        await store.export_page(cursor)


async def test_a_cursor_of_a_listing_is_no_cursor_of_an_export(store: SqliteProvider) -> None:
    await fill(store, ACME, [""] * 3)
    with pytest.raises(InvalidInput, match="cursor"):
        await store.export_page((await store.list(ACME, limit=1)).next_cursor)


async def test_an_empty_store_exports_one_empty_page(store: SqliteProvider) -> None:
    assert await exported(store) == []
    assert list(await store.namespaces()) == []


async def test_importing_again_skips_what_is_there_unchanged(store: SqliteProvider) -> None:
    await store.import_records([RECORD])
    before = await store.get(ACME, "k")
    outcome = await store.import_records([RECORD])
    assert (outcome.imported, outcome.skipped) == (0, 1)
    assert await store.get(ACME, "k") == before


@pytest.mark.parametrize(
    "change",
    [
        {"content": "other"},
        {"category": Category.custom("y")},
        {"session_id": None},
        {"timestamp": moment(1)},
        {"taint": Taint.INTERNAL},
        {"metadata": {**RECORD.metadata, "n": True}},
        {"metadata": {**RECORD.metadata, "n": 1.0}},
        {"metadata": {}},
    ],
)
async def test_importing_a_changed_record_replaces_it_whole(store: SqliteProvider, change: dict[str, Any]) -> None:
    await store.import_records([RECORD])
    changed = attrs.evolve(RECORD, **change)
    outcome = await store.import_records([changed])
    assert (outcome.imported, outcome.skipped) == (1, 0)
    (arrived,) = await exported(store)
    assert repr(arrived.metadata) == repr(changed.metadata)
    assert arrived == changed


async def test_the_last_of_several_records_of_one_key_stays(store: SqliteProvider) -> None:
    outcome = await store.import_records([RECORD, attrs.evolve(RECORD, content="b"), RECORD, RECORD])
    assert (outcome.imported, outcome.skipped) == (3, 1)
    assert [record.content for record in await exported(store)] == [RECORD.content]


@pytest.mark.parametrize(
    "change",
    [
        {"namespace": ""},
        {"namespace": None},
        {"key": ""},
        {"key": "\ud800"},
        {"content": None},
        {"content": "\ud800 secret"},
        {"category": "core"},
        {"session_id": 7},
        {"timestamp": datetime(2020, 1, 1)},
        {"timestamp": "secret"},
        {"taint": "internal"},
        {"metadata": {"a": ["secret"]}},
        {"metadata": {"a": "\ud800 secret"}},
        {"metadata": {"a": 10**5000}},
    ],
)
async def test_a_bad_record_is_reported_without_its_content_and_keeps_no_other_out(
    store: SqliteProvider, change: dict[str, Any]
) -> None:
    good = attrs.evolve(RECORD, key="good")
    outcome = await store.import_records([attrs.evolve(RECORD, **change), good])
    assert (outcome.imported, outcome.skipped, len(outcome.failed)) == (1, 0, 1)
    (failure,) = outcome.failed
    assert failure.reason
    assert "secret" not in repr(failure)
    assert await exported(store) == [good]


async def test_other_writers_get_their_turn_during_a_long_import(store: SqliteProvider) -> None:
    await put(store, ACME, "first")
    records = [attrs.evolve(RECORD, key=f"k{n}", content="words " * 20) for n in range(5000)]
    importing = asyncio.create_task(store.import_records(records))
    turns = 0
    while not importing.done():
        await put(store, ACME, f"between{turns}")
        assert await store.get(ACME, f"between{turns}") is not None
        turns += 1
    assert turns > 5
    assert (await importing).imported == 5000
    assert len(await listed(store, ACME, limit=1000)) == 5001 + turns


async def test_a_summary_counts_and_knows_the_newest(store: SqliteProvider) -> None:
    await fill(store, ACME, [""] * 3)
    await fill(store, GLOBEX, [""] * 2)
    await store.documents.put_document(ACME_TRACES, "d", "a document is no entry", taint=Taint.INTERNAL)
    assert list(await store.namespaces()) == [
        NamespaceSummary(ACME, 3, moment(2)),
        NamespaceSummary(GLOBEX, 2, moment(1)),
    ]


async def test_namespaces_and_exports_go_on_while_companies_are_erased(store: SqliteProvider) -> None:
    for n in range(12):
        await fill(store, f"oc/c{n}/facts", ["text"] * 3)
    await fill(store, ACME, ["text"] * 3)

    async def erase_all() -> None:
        for n in range(12):
            await store.maintenance.erase(f"oc/c{n}/")

    erasing = asyncio.create_task(erase_all())
    while not erasing.done():
        assert {ACME: 3}.items() <= {s.namespace: s.count for s in await store.namespaces()}.items()
        assert [r for r in await exported(store, 5) if r.namespace == ACME]
        assert (await store.maintenance.check()).problems == ()
    await erasing
    assert [s.namespace for s in await store.namespaces()] == [ACME]
    assert (await store.health()).state == "ready"
