"""The store as a memory provider: core, recall and portability; the other families are beside it."""

import asyncio
import os
import shutil
import sqlite3
from collections.abc import Sequence
from datetime import datetime
from pathlib import Path
from typing import Any, Final

from opencompany_memory.contract import (
    CONTRACT_VERSION,
    Category,
    Degraded,
    Down,
    EntryPage,
    ExportPage,
    ExportRecord,
    Health,
    ImportOutcome,
    MemoryEngineError,
    MemoryEntry,
    MemoryProvider,
    Metadata,
    NamespaceSummary,
    Ready,
    SourceScope,
    Taint,
    Timeout,
)
from opencompany_memory.contract import validation as check
from opencompany_memory.store import cursors, entries, portability, rows
from opencompany_memory.store.documents import SqliteDocuments
from opencompany_memory.store.episodic import SqliteEpisodic
from opencompany_memory.store.failures import DRIVER, StoreRefused
from opencompany_memory.store.files import make_folder, refuse_unusable, sweep
from opencompany_memory.store.graph import SqliteGraph
from opencompany_memory.store.maintenance import SqliteMaintenance
from opencompany_memory.store.partition import Partition, PartitionClosed
from opencompany_memory.store.partitions import Partitions
from opencompany_memory.store.ranking import rank

_FAMILIES: Final = ("core", "recall", "documents", "graph", "maintenance", "portability", "episodic")
Entries = list[MemoryEntry]
Rows = list[tuple[Any, ...]]
_LEAST_FREE_BYTES: Final = 4 * 1024 * 1024
_LEAST_SQLITE: Final = (3, 35, 0)  # RETURNING


class SqliteProvider(MemoryProvider):
    """Memory in SQLite files, one for each company, in `folder`."""

    def __init__(self, folder: Path, *, most_open: int | None = None) -> None:
        """Look at what is in `folder` and make it when it is missing.

        Raises:
            StoreRefused: a file in it can't be used as it is. Nothing was changed.
        """
        _refuse_old_sqlite()
        refuse_unusable(folder)
        try:
            make_folder(folder)
            sweep(folder)
            self._partitions = Partitions(folder, most_open)
        except OSError as error:
            raise StoreRefused(
                f"{folder} can't be made ({error.strerror}); set OPENCOMPANY_DATA_DIR", driver=DRIVER
            ) from None
        self._closed = False
        self.documents = SqliteDocuments(self._partitions)
        self.graph = SqliteGraph(self._partitions)
        self.episodic = SqliteEpisodic(self._partitions)
        self.maintenance = SqliteMaintenance(self._partitions)

    @property
    def driver_id(self) -> str:
        """`store`."""
        return DRIVER

    @property
    def contract_version(self) -> tuple[int, int]:
        """The contract of this very package."""
        return CONTRACT_VERSION

    def capabilities(self) -> tuple[str, ...]:
        """All families of the store."""
        return _FAMILIES

    async def health(self) -> Health:
        """Ready while the folder is there, can be written to and holds usable files."""
        if self._closed:
            return Down("the store was closed")
        try:
            await self._partitions.run(self._refuse_unusable)
        except MemoryEngineError as error:
            return Degraded(str(error))
        return Ready()

    def _refuse_unusable(self) -> None:
        folder = self._partitions.folder
        if not os.access(folder, os.R_OK | os.W_OK | os.X_OK):
            raise StoreRefused(f"{folder} is gone or can't be written to; check OPENCOMPANY_DATA_DIR", driver=DRIVER)
        if shutil.disk_usage(folder).free < _LEAST_FREE_BYTES:
            raise StoreRefused(f"the disk of {folder} is full or nearly; free some space", driver=DRIVER)
        refuse_unusable(folder, seconds=0.0)

    async def aclose(self) -> None:
        """Finish every accepted write and let go of the files."""
        if not self._closed:
            self._closed = True
            await asyncio.get_running_loop().run_in_executor(None, self._partitions.close)

    async def store(
        self,
        namespace: str,
        key: str,
        content: str,
        *,
        taint: Taint,
        category: Category = Category.CORE,
        session_id: str | None = None,
        metadata: Metadata | None = None,
        timestamp: datetime | None = None,
    ) -> MemoryEntry:
        """See `Core.store`. Returns once the entry is on disk."""
        check.check_namespace(namespace)
        draft = entries.Draft(
            check.check_key(key),
            check.check_text(content, "the content"),
            check.check_category(category),
            check.check_session(session_id),
            check.check_timestamp(timestamp),
            check.check_taint(taint),
            check.check_metadata(metadata),
        )

        def work(connection: sqlite3.Connection) -> int:
            return entries.upsert(connection, entries.make_namespace(connection, namespace), draft)

        number = await self._partitions.write(namespace, lambda partition: partition.write(work))
        return MemoryEntry(
            str(number),
            namespace,
            draft.key,
            draft.content,
            draft.category,
            draft.session_id,
            draft.at,
            draft.taint,
            draft.metadata,
        )

    async def get(self, namespace: str, key: str) -> MemoryEntry | None:
        """See `Core.get`."""
        check.check_namespace(namespace)
        check.check_key(key)
        row = await self._lookup(namespace, entries.GET, (namespace, key))
        return None if row is None else rows.entry(namespace, row)

    async def forget(self, namespace: str, key: str) -> bool:
        """See `Core.forget`."""
        check.check_namespace(namespace)
        check.check_key(key)

        def work(connection: sqlite3.Connection) -> bool:
            number = entries.find_namespace(connection, namespace)
            return number is not None and entries.remove(connection, number, key)

        async def write(partition: Partition) -> bool:
            gone = await partition.write(work)
            if gone:
                partition.before_closing = entries.tidy
            return gone

        return await self._partitions.write_existing(namespace, write, False)

    async def list(
        self,
        namespace: str,
        *,
        key_prefix: str | None = None,
        category: Category | None = None,
        session_id: str | None = None,
        limit: int = 100,
        cursor: str | None = None,
    ) -> EntryPage:
        """See `Core.list`."""
        check.check_namespace(namespace)
        limit = check.check_limit(limit)
        filters = _filters(key_prefix, category, session_id)
        purpose = ("list", namespace, filters.key_prefix, filters.category, filters.session_id)
        after = None if cursor is None else _entry_position(cursors.decode(purpose, cursor))

        def work(connection: sqlite3.Connection) -> Rows:
            number = entries.find_namespace(connection, namespace)
            return [] if number is None else entries.page(connection, number, filters, after, limit + 1)

        nothing: Rows = []
        found = await self._partitions.read(namespace, lambda partition: partition.read(work), nothing)
        page = [rows.entry(namespace, row) for row in found[:limit]]
        more = len(found) > limit
        following = cursors.encode(purpose, [rows.to_micros(page[-1].timestamp), page[-1].key]) if more else None
        return EntryPage(page, following)

    async def recall(
        self,
        namespace: str,
        query: str,
        *,
        limit: int = 10,
        category: Category | None = None,
        session_id: str | None = None,
        min_score: float | None = None,
        scope: SourceScope | None = None,
    ) -> Entries:
        """See `Recall.recall`; how it ranks is in `store.ranking`."""
        check.check_namespace(namespace)
        check.check_text(query, "the query")
        limit = check.check_limit(limit)
        least = check.check_min_score(min_score)
        sources = check.check_scope(scope)
        filters = _filters(None, category, session_id)

        def work(connection: sqlite3.Connection) -> Entries:
            number = entries.find_namespace(connection, namespace)
            if number is None:
                return []
            hits = rank(
                connection,
                number,
                query,
                limit=limit,
                admits=lambda numbers: entries.admitted(connection, numbers, filters, sources),
            )
            found = entries.by_numbers(connection, [hit for hit, _ in hits])
            return [rows.entry(namespace, found[hit], score) for hit, score in hits if least is None or score >= least]

        nothing: Entries = []
        return await self._partitions.read(namespace, lambda partition: partition.read(work), nothing)

    async def _lookup(self, namespace: str, sql: str, parameters: tuple[Any, ...]) -> Any:
        partition = self._partitions.opened(namespace)
        if partition is not None:
            try:
                return partition.get(sql, parameters)
            except (PartitionClosed, Timeout):
                pass  # wait for it on another thread, where waiting holds up nobody

        def work(opened: Partition) -> Any:
            return opened.read(lambda connection: connection.execute(sql, parameters).fetchone())

        return await self._partitions.read(namespace, work, None)

    async def namespaces(self) -> Sequence[NamespaceSummary]:
        """See `Portability.namespaces`."""
        return await self._partitions.run(lambda: portability.summaries(self._partitions))

    async def export_page(self, cursor: str | None = None, limit: int = 100) -> ExportPage:
        """See `Portability.export_page`."""
        limit = check.check_limit(limit)
        return await self._partitions.run(lambda: portability.export_page(self._partitions, cursor, limit))

    async def import_records(self, records: Sequence[ExportRecord]) -> ImportOutcome:
        """See `Portability.import_records`."""
        return await portability.import_records(self._partitions, records)


def _filters(key_prefix: str | None, category: Category | None, session_id: str | None) -> entries.Filters:
    return entries.Filters(
        None if key_prefix is None else check.check_text(key_prefix, "the key prefix"),
        None if category is None else check.check_category(category).wire,
        check.check_session(session_id),
    )


def _entry_position(position: Sequence[Any]) -> tuple[int, str]:
    at, key = position
    return at, key


def _refuse_old_sqlite() -> None:
    if sqlite3.sqlite_version_info < _LEAST_SQLITE:
        raise StoreRefused(f"SQLite {sqlite3.sqlite_version} is too old; 3.35 or newer is needed", driver=DRIVER)
