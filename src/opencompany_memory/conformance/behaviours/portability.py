"""Everything out, everything in, unchanged."""

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from typing import Any, Final

from opencompany_memory.conformance.bench import CUSTOM, Bench, same_metadata
from opencompany_memory.conformance.registry import behaviour
from opencompany_memory.contract import Category, ExportRecord, InvalidInput, Taint

_NEEDS: Final = ("retention", "enumeration")
_MOST_PAGES: Final = 2000
_THEN: Final = datetime(2020, 1, 1, 0, 0, 0, 1, tzinfo=UTC)


def _records(bench: Bench) -> list[ExportRecord]:
    rows: list[tuple[str, str, str, Category, str | None, Taint, dict[str, Any]]] = [
        ("a", "plain", "text", Category.CORE, None, Taint.INTERNAL, {}),
        ("a", "typed", "text", CUSTOM, "s", Taint.EXTERNAL_SYNC, {"n": 1, "b": True, "f": 1.0, "s": "1", "z": None}),
        ("a", "empty", "", Category.DAILY, "s", Taint.INTERNAL, {"source": "wiki"}),
        ("b/c", "plain", "other text\nwith lines", Category.custom("core"), None, Taint.EXTERNAL_SYNC, {}),
        ("b/c", "日志", "多语言 🗝️", Category.CONVERSATION, "会话", Taint.INTERNAL, {"ключ": "значение"}),
    ]
    return [
        ExportRecord(
            bench.namespace(where), key, text, category, session, _THEN + timedelta(seconds=n), taint, metadata
        )
        for n, (where, key, text, category, session, taint, metadata) in enumerate(rows)
    ]


async def _export(bench: Bench, limit: int = 100) -> dict[tuple[str, str], ExportRecord]:
    """Everything of this run in an export of the whole instance."""
    found: dict[tuple[str, str], ExportRecord] = {}
    cursor: str | None = None
    seen: set[str] = set()
    for _ in range(_MOST_PAGES):
        page = await bench.provider.export_page(cursor, limit)
        for record in page.records:
            if record.namespace.startswith(bench.prefix):
                assert (record.namespace, record.key) not in found, "a record was exported twice"
                found[record.namespace, record.key] = record
        cursor = page.next_cursor
        if cursor is None:
            return found
        assert cursor not in seen, "the export does not end: a cursor came twice"
        seen.add(cursor)
    raise AssertionError(f"the export has more than {_MOST_PAGES} pages")


def _agree(found: dict[tuple[str, str], ExportRecord], wanted: Sequence[ExportRecord]) -> None:
    assert set(found) == {(record.namespace, record.key) for record in wanted}, "other records came out than went in"
    for record in wanted:
        other = found[record.namespace, record.key]
        for name in ("content", "category", "session_id", "timestamp", "taint"):
            assert getattr(other, name) == getattr(record, name), f"{name} of a record changed on the way"
        same_metadata(dict(other.metadata), dict(record.metadata))


@behaviour("portability", needs=_NEEDS)
async def imported_records_are_exported_unchanged(bench: Bench) -> None:
    """Timestamps, taint, category, session, metadata and its types arrive as they left."""
    records = _records(bench)
    outcome = await bench.provider.import_records(records)
    assert (outcome.imported, len(outcome.failed)) == (len(records), 0), "not every record was imported"

    async def check() -> None:
        for limit in (1, 2, 100):
            _agree(await _export(bench, limit), records)

    await bench.eventually(check)


@behaviour("portability", needs=_NEEDS)
async def an_export_imported_again_gives_the_same_records(bench: Bench) -> None:
    """Out, everything forgotten, in: the same."""
    namespace = bench.namespace("a")
    for number in range(5):
        await bench.store(namespace, f"k{number}", f"text {number}", timestamp=_THEN, metadata={"n": number})

    async def complete() -> None:
        assert len(await _export(bench)) == 5, "not everything that was stored is exported"

    await bench.eventually(complete)
    exported = list((await _export(bench)).values())
    for record in exported:
        await bench.provider.forget(record.namespace, record.key)
    await bench.provider.import_records(exported)

    async def check() -> None:
        _agree(await _export(bench), exported)

    await bench.eventually(check)


@behaviour("portability")
async def importing_twice_changes_nothing(bench: Bench) -> None:
    """A record that is there unchanged is skipped, and is not doubled."""
    records = _records(bench)
    await bench.provider.import_records(records)

    async def settled() -> None:
        assert len(await bench.walk(bench.namespace("a"))) == 3, "not all imported records are listed"

    await bench.eventually(settled)
    again = await bench.provider.import_records(records)
    assert (again.imported, again.skipped) == (0, len(records)), "records that are there unchanged count as skipped"
    assert not again.failed, "a record that is there already failed"
    assert len(await bench.walk(bench.namespace("a"))) == 3, "importing twice doubled records"


@behaviour("portability")
async def importing_a_changed_record_replaces_it(bench: Bench) -> None:
    """By namespace and key; a change of type alone is a change."""
    namespace = bench.namespace()

    def record(n: Any) -> ExportRecord:
        return ExportRecord(namespace, "k", "text", Category.CORE, None, _THEN, Taint.INTERNAL, {"n": n})

    for value in (1, True, 1.0, "1"):
        outcome = await bench.provider.import_records([record(value)])
        assert outcome.imported == 1, "a changed record was not imported"
        found = await bench.provider.get(namespace, "k")
        assert found is not None, "an imported record is absent"
        same_metadata(dict(found.metadata), {"n": value})


@behaviour("portability")
async def one_bad_record_keeps_no_other_out(bench: Bench) -> None:
    """It is reported, with a reason that holds no content."""
    good = _records(bench)
    bad = ExportRecord(
        bench.namespace(),
        "lone \ud800 surrogate",
        "secret words \ud800",
        Category.CORE,
        None,
        _THEN,
        Taint.INTERNAL,
        {},
    )
    outcome = await bench.provider.import_records([good[0], bad, *good[1:]])
    assert outcome.imported == len(good), "a bad record kept good ones out"
    assert len(outcome.failed) == 1, "a bad record was not reported"
    assert outcome.failed[0].reason, "a failure has no reason"
    assert "secret words" not in outcome.failed[0].reason, "the reason of a failure repeats content"


@behaviour("portability", needs=())
async def a_foreign_export_cursor_is_refused(bench: Bench) -> None:
    """Not a fresh start: a migration would begin again and again."""
    for cursor in ("", "0", "not-a-cursor", "bm90IGEgY3Vyc29y", "é"):
        try:
            await bench.provider.export_page(cursor)
        except InvalidInput:
            continue
        raise AssertionError("an export cursor that was not issued was accepted")


@behaviour("portability", needs=_NEEDS)
async def namespaces_are_enumerated_with_their_counts(bench: Bench) -> None:
    """Each that holds entries, with how many and the newest moment."""
    records = _records(bench)
    await bench.provider.import_records(records)

    async def check() -> None:
        found = {s.namespace: s for s in await bench.provider.namespaces() if s.namespace.startswith(bench.prefix)}
        counts = {name: summary.count for name, summary in found.items()}
        assert counts == {bench.namespace("a"): 3, bench.namespace("b/c"): 2}, "namespaces or counts are wrong"
        newest = found[bench.namespace("a")].last_updated
        assert newest in (None, _THEN + timedelta(seconds=2)), "last_updated is not the newest moment"

    await bench.eventually(check)
