"""Everything out, everything in, across all partitions."""

import sqlite3
from collections import defaultdict
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, Final

from opencompany_memory.contract import (
    ExportPage,
    ExportRecord,
    ImportFailure,
    ImportOutcome,
    InvalidInput,
    MemoryEngineError,
    NamespaceSummary,
)
from opencompany_memory.contract import validation as check
from opencompany_memory.store import cursors, entries, rows
from opencompany_memory.store.files import partition_files, partition_of
from opencompany_memory.store.partition import Partition
from opencompany_memory.store.partitions import Partitions

_EXPORT: Final = ("export",)
_BATCH: Final = 200
"""Records that share a write transaction: few enough that other writers of the company are not held up."""


def summaries(partitions: Partitions) -> list[NamespaceSummary]:
    """Every namespace that holds entries, by name. Blocks."""

    def work(connection: sqlite3.Connection) -> list[NamespaceSummary]:
        sql = "SELECT name, count(*), max(at) FROM entries JOIN namespaces ON namespaces.id = entries.ns GROUP BY ns"
        return [NamespaceSummary(name, count, rows.from_micros(at)) for name, count, at in connection.execute(sql)]

    found: list[NamespaceSummary] = []
    for path in partition_files(partitions.folder):
        found += partitions.with_file(path, lambda partition: partition.read(work), [])
    return sorted(found, key=lambda summary: summary.namespace)


def export_page(partitions: Partitions, cursor: str | None, limit: int) -> ExportPage:
    """The next records in the order of files and of numbers within one, which adding and updating don't change. Blocks.

    Raises:
        InvalidInput: a foreign cursor.
    """
    start_file, start_number = ("", 0) if cursor is None else cursors.decode(_EXPORT, cursor)
    last: list[Any] = []
    records: list[ExportRecord] = []
    for path in _from(partitions.folder, start_file):
        after = start_number if path.name == start_file else 0
        nothing: list[tuple[int, ExportRecord]] = []
        found = partitions.with_file(path, _rows_after(after, limit + 1 - len(records)), nothing)
        for number, record in found:
            if len(records) == limit:
                return ExportPage(records, cursors.encode(_EXPORT, last))
            records.append(record)
            last = [path.name, number]
    return ExportPage(records, None)


def _from(folder: Path, name: str) -> Iterator[Path]:
    return (path for path in partition_files(folder) if path.name >= name)


def _rows_after(number: int, limit: int) -> Any:
    sql = (
        f"SELECT name, entries.{rows.ENTRY_COLUMNS} FROM entries JOIN namespaces ON namespaces.id = entries.ns"
        " WHERE entries.id > ? ORDER BY entries.id LIMIT ?"
    )

    def work(connection: sqlite3.Connection) -> list[tuple[int, ExportRecord]]:
        found = connection.execute(sql, (number, limit)).fetchall()
        return [(row[1], ExportRecord.of(rows.entry(row[0], row[1:]))) for row in found]

    return lambda partition: partition.read(work)


async def import_records(partitions: Partitions, records: Sequence[ExportRecord]) -> ImportOutcome:
    """Write records as they are; see `Portability.import_records`."""
    failed: list[ImportFailure] = []
    accepted: dict[str, list[tuple[str, entries.Draft]]] = defaultdict(list)
    for record in records:
        try:
            accepted[partition_of(check.check_namespace(record.namespace))].append((record.namespace, _draft(record)))
        except InvalidInput as error:
            failed.append(ImportFailure(_shown(record.namespace), _shown(record.key), str(error)))
    imported = skipped = 0
    for drafts in accepted.values():
        for start in range(0, len(drafts), _BATCH):
            batch = drafts[start : start + _BATCH]
            try:
                new = await partitions.write(batch[0][0], _writer(batch))
            except MemoryEngineError as error:
                failed += [ImportFailure(namespace, draft.key, str(error)) for namespace, draft in batch]
                continue
            imported += new
            skipped += len(batch) - new
    return ImportOutcome(imported, skipped, failed)


def _draft(record: ExportRecord) -> entries.Draft:
    return entries.Draft(
        check.check_key(record.key),
        check.check_text(record.content, "the content"),
        check.check_category(record.category),
        check.check_session(record.session_id),
        check.check_timestamp(record.timestamp),
        check.check_taint(record.taint),
        check.check_metadata(record.metadata),
    )


def _shown(value: object) -> str:
    """A namespace or key as it can be reported, also when it is the very thing that is wrong."""
    return value.encode(errors="backslashreplace").decode() if isinstance(value, str) else ""


def _writer(batch: Sequence[tuple[str, entries.Draft]]) -> Any:
    def work(connection: sqlite3.Connection) -> int:
        new = 0
        for name, draft in batch:
            namespace = entries.make_namespace(connection, name)
            if not _is_there(connection, namespace, draft):
                entries.upsert(connection, namespace, draft)
                new += 1
        return new

    def write(partition: Partition) -> Any:
        return partition.write(work)

    return write


def _is_there(connection: sqlite3.Connection, namespace: int, draft: entries.Draft) -> bool:
    row = connection.execute(
        "SELECT content, category, session, at, taint, metadata FROM entries WHERE ns = ? AND key = ?",
        (namespace, draft.key),
    ).fetchone()
    if row is None:
        return False
    wanted = (draft.content, draft.category.wire, draft.session_id, rows.to_micros(draft.at), draft.taint.value)
    return row[:5] == wanted and rows.same_metadata(rows.load_metadata(row[5]), draft.metadata)
