"""The episodic family of the store."""

import sqlite3
from datetime import datetime
from typing import Any, Final

from opencompany_memory.contract import Metadata, Taint
from opencompany_memory.contract import validation as check
from opencompany_memory.contract.families.episodic import Episode, Episodic
from opencompany_memory.store import entries, rows
from opencompany_memory.store.partitions import Partitions

_COLUMNS: Final = "session, actor, text, at, taint, metadata"


class SqliteEpisodic(Episodic):
    """Episodes in a table of the company's file."""

    def __init__(self, partitions: Partitions) -> None:
        self._partitions = partitions

    async def record(
        self,
        namespace: str,
        session_id: str,
        text: str,
        *,
        taint: Taint,
        actor: str = "",
        metadata: Metadata | None = None,
        at: datetime | None = None,
    ) -> Episode:
        """See `Episodic.record`."""
        check.check_namespace(namespace)
        values = (
            check.check_key(session_id),
            check.check_text(actor, "the actor"),
            check.check_text(text, "the text"),
            rows.to_micros(check.check_timestamp(at)),
            check.check_taint(taint).value,
            rows.dump_metadata(check.check_metadata(metadata)),
        )

        def work(connection: sqlite3.Connection) -> int:
            namespace_id = entries.make_namespace(connection, namespace)
            sql = f"INSERT INTO episodes (ns, {_COLUMNS}) VALUES (?, ?, ?, ?, ?, ?, ?) RETURNING id"
            return int(connection.execute(sql, (namespace_id, *values)).fetchone()[0])

        number = await self._partitions.write(namespace, lambda partition: partition.write(work))
        return _episode(namespace, (number, *values))

    async def episodes(
        self,
        namespace: str,
        *,
        session_id: str | None = None,
        since: datetime | None = None,
        until: datetime | None = None,
        limit: int = 100,
    ) -> list[Episode]:
        """See `Episodic.episodes`."""
        check.check_namespace(namespace)
        clauses, values = [], list[Any]()
        for clause, value in (
            ("session = ?", check.check_session(session_id)),
            ("at >= ?", None if since is None else rows.to_micros(check.check_timestamp(since))),
            ("at < ?", None if until is None else rows.to_micros(check.check_timestamp(until))),
        ):
            if value is not None:
                clauses.append(f" AND {clause}")
                values.append(value)
        sql = f"SELECT id, {_COLUMNS} FROM episodes WHERE ns = ?{''.join(clauses)} ORDER BY at, id LIMIT ?"
        values.append(check.check_limit(limit))

        def work(connection: sqlite3.Connection) -> list[Episode]:
            number = entries.find_namespace(connection, namespace)
            return [_episode(namespace, row) for row in connection.execute(sql, (number, *values))]

        nothing: list[Episode] = []
        return await self._partitions.read(namespace, lambda partition: partition.read(work), nothing)

    async def forget_session(self, namespace: str, session_id: str) -> int:
        """See `Episodic.forget_session`."""
        check.check_namespace(namespace)
        check.check_key(session_id)

        def work(connection: sqlite3.Connection) -> int:
            number = entries.find_namespace(connection, namespace)
            return connection.execute(
                "DELETE FROM episodes WHERE ns = ? AND session = ?", (number, session_id)
            ).rowcount

        return await self._partitions.write_existing(namespace, lambda partition: partition.write(work), 0)


def _episode(namespace: str, row: tuple[Any, ...]) -> Episode:
    number, session, actor, text, at, taint, metadata = row
    return Episode(
        str(number),
        namespace,
        session,
        actor,
        text,
        rows.from_micros(at),
        rows.load_taint(taint),
        rows.load_metadata(metadata),
    )
