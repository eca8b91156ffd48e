"""The documents family of the store."""

import sqlite3
from collections.abc import Sequence
from datetime import datetime
from typing import Any, Final

from opencompany_memory.contract import Metadata, Taint
from opencompany_memory.contract import validation as check
from opencompany_memory.contract.families.documents import Document, DocumentPage, Documents
from opencompany_memory.store import cursors, entries, rows
from opencompany_memory.store.partitions import Partitions

_COLUMNS: Final = "document_id, title, body, media_type, at, taint, metadata"


class SqliteDocuments(Documents):
    """Documents in a table of the company's file."""

    def __init__(self, partitions: Partitions) -> None:
        self._partitions = partitions

    async def put_document(
        self,
        namespace: str,
        document_id: str,
        body: str,
        *,
        taint: Taint,
        title: str = "",
        media_type: str = "text/plain",
        metadata: Metadata | None = None,
        timestamp: datetime | None = None,
    ) -> Document:
        """See `Documents.put_document`."""
        document = Document(
            check.check_key(document_id),
            check.check_namespace(namespace),
            check.check_text(title, "the title"),
            check.check_text(body, "the body"),
            check.check_text(media_type, "the media type"),
            check.check_timestamp(timestamp),
            check.check_taint(taint),
            check.check_metadata(metadata),
        )

        def work(connection: sqlite3.Connection) -> None:
            number = entries.make_namespace(connection, namespace)
            connection.execute(
                f"INSERT INTO documents (ns, {_COLUMNS}) VALUES (?, ?, ?, ?, ?, ?, ?, ?)"
                " ON CONFLICT (ns, document_id) DO UPDATE SET title = excluded.title, body = excluded.body,"
                " media_type = excluded.media_type, at = excluded.at, taint = excluded.taint,"
                " metadata = excluded.metadata",
                (
                    number,
                    document.document_id,
                    document.title,
                    document.body,
                    document.media_type,
                    rows.to_micros(document.timestamp),
                    document.taint.value,
                    rows.dump_metadata(document.metadata),
                ),
            )

        await self._partitions.write(namespace, lambda partition: partition.write(work))
        return document

    async def get_document(self, namespace: str, document_id: str) -> Document | None:
        """See `Documents.get_document`."""
        check.check_namespace(namespace)
        check.check_key(document_id)
        found = await self._select(namespace, "AND document_id = ?", (document_id,))
        return found[0] if found else None

    async def list_documents(self, namespace: str, *, limit: int = 100, cursor: str | None = None) -> DocumentPage:
        """See `Documents.list_documents`."""
        check.check_namespace(namespace)
        limit = check.check_limit(limit)
        purpose = ("documents", namespace)
        clause, values = "", tuple[Any, ...]()
        if cursor is not None:
            at, last = cursors.decode(purpose, cursor)
            clause, values = "AND at <= ? AND (at < ? OR document_id > ?)", (at, at, last)
        found = await self._select(namespace, f"{clause} ORDER BY at DESC, document_id LIMIT ?", (*values, limit + 1))
        page = found[:limit]
        more = len(found) > limit
        following = (
            cursors.encode(purpose, [rows.to_micros(page[-1].timestamp), page[-1].document_id]) if more else None
        )
        return DocumentPage(page, following)

    async def delete_document(self, namespace: str, document_id: str) -> bool:
        """See `Documents.delete_document`."""
        check.check_namespace(namespace)
        check.check_key(document_id)

        def work(connection: sqlite3.Connection) -> bool:
            number = entries.find_namespace(connection, namespace)
            sql = "DELETE FROM documents WHERE ns = ? AND document_id = ?"
            return connection.execute(sql, (number, document_id)).rowcount > 0

        return await self._partitions.write_existing(namespace, lambda partition: partition.write(work), False)

    async def _select(self, namespace: str, clause: str, values: tuple[Any, ...]) -> Sequence[Document]:
        def work(connection: sqlite3.Connection) -> list[Document]:
            number = entries.find_namespace(connection, namespace)
            sql = f"SELECT {_COLUMNS} FROM documents WHERE ns = ? {clause}"
            return [_document(namespace, row) for row in connection.execute(sql, (number, *values))]

        nothing: list[Document] = []
        return await self._partitions.read(namespace, lambda partition: partition.read(work), nothing)


def _document(namespace: str, row: tuple[Any, ...]) -> Document:
    document_id, title, body, media_type, at, taint, metadata = row
    return Document(
        document_id,
        namespace,
        title,
        body,
        media_type,
        rows.from_micros(at),
        rows.load_taint(taint),
        rows.load_metadata(metadata),
    )
