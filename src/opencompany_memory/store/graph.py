"""The graph family of the store."""

import sqlite3
from datetime import datetime
from typing import Any, Final

from opencompany_memory.contract import InvalidInput, Metadata, Taint
from opencompany_memory.contract import validation as check
from opencompany_memory.contract.families.graph import Edge, Graph
from opencompany_memory.store import entries, rows
from opencompany_memory.store.failures import DRIVER
from opencompany_memory.store.partitions import Partitions

_COLUMNS: Final = "subject, predicate, object, at, taint, metadata"
_DIRECTIONS: Final = {
    "out": "subject = :node",
    "in": "object = :node",
    "both": "(subject = :node OR object = :node)",
}
_NEAR: Final = """
WITH RECURSIVE near (node, steps) AS (
    VALUES (:node, 0)
    UNION
    SELECT CASE WHEN edges.subject = near.node THEN edges.object ELSE edges.subject END, near.steps + 1
    FROM near JOIN edges ON edges.ns = :ns AND (edges.subject = near.node OR edges.object = near.node)
    WHERE near.steps < :depth
)
SELECT node FROM near WHERE node <> :node GROUP BY node ORDER BY min(steps), node LIMIT :limit
"""
_DEEPEST: Final = 8


class SqliteGraph(Graph):
    """Edges in a table of the company's file."""

    def __init__(self, partitions: Partitions) -> None:
        self._partitions = partitions

    async def link(
        self,
        namespace: str,
        subject: str,
        predicate: str,
        object: str,
        *,
        taint: Taint,
        metadata: Metadata | None = None,
        timestamp: datetime | None = None,
    ) -> Edge:
        """See `Graph.link`."""
        edge = Edge(
            check.check_namespace(namespace),
            *_triple(subject, predicate, object),
            check.check_timestamp(timestamp),
            check.check_taint(taint),
            check.check_metadata(metadata),
        )

        def work(connection: sqlite3.Connection) -> None:
            connection.execute(
                f"INSERT OR REPLACE INTO edges (ns, {_COLUMNS}) VALUES (?, ?, ?, ?, ?, ?, ?)",
                (
                    entries.make_namespace(connection, namespace),
                    edge.subject,
                    edge.predicate,
                    edge.object,
                    rows.to_micros(edge.timestamp),
                    edge.taint.value,
                    rows.dump_metadata(edge.metadata),
                ),
            )

        await self._partitions.write(namespace, lambda partition: partition.write(work))
        return edge

    async def unlink(self, namespace: str, subject: str, predicate: str, object: str) -> bool:
        """See `Graph.unlink`."""
        check.check_namespace(namespace)
        triple = _triple(subject, predicate, object)

        def work(connection: sqlite3.Connection) -> bool:
            number = entries.find_namespace(connection, namespace)
            sql = "DELETE FROM edges WHERE ns = ? AND subject = ? AND predicate = ? AND object = ?"
            return connection.execute(sql, (number, *triple)).rowcount > 0

        return await self._partitions.write_existing(namespace, lambda partition: partition.write(work), False)

    async def edges(
        self, namespace: str, node: str, *, direction: str = "both", predicate: str | None = None, limit: int = 100
    ) -> list[Edge]:
        """See `Graph.edges`."""
        check.check_namespace(namespace)
        check.check_key(node)
        if not isinstance(direction, str) or direction not in _DIRECTIONS:
            raise InvalidInput(f"the direction is one of {', '.join(_DIRECTIONS)}", driver=DRIVER)
        if predicate is not None:
            check.check_key(predicate)
        sql = (
            f"SELECT {_COLUMNS} FROM edges WHERE ns = :ns AND {_DIRECTIONS[direction]}"
            " AND (:predicate IS NULL OR predicate = :predicate)"
            " ORDER BY at DESC, subject, predicate, object LIMIT :limit"
        )
        values = {"node": node, "predicate": predicate, "limit": check.check_limit(limit)}
        return [_edge(namespace, row) for row in await self._select(namespace, sql, values)]

    async def neighbours(self, namespace: str, node: str, *, depth: int = 1, limit: int = 100) -> list[str]:
        """See `Graph.neighbours`. Looks at most 8 steps far."""
        check.check_namespace(namespace)
        check.check_key(node)
        if not isinstance(depth, int) or isinstance(depth, bool) or depth < 1:
            raise InvalidInput("the depth must be a whole number of at least 1", driver=DRIVER)
        values = {"node": node, "depth": min(depth, _DEEPEST), "limit": check.check_limit(limit)}
        return [row[0] for row in await self._select(namespace, _NEAR, values)]

    async def _select(self, namespace: str, sql: str, values: dict[str, Any]) -> list[tuple[Any, ...]]:
        def work(connection: sqlite3.Connection) -> list[tuple[Any, ...]]:
            number = entries.find_namespace(connection, namespace)
            return connection.execute(sql, {**values, "ns": number}).fetchall()

        nothing: list[tuple[Any, ...]] = []
        return await self._partitions.read(namespace, lambda partition: partition.read(work), nothing)


def _triple(subject: str, predicate: str, object: str) -> tuple[str, str, str]:
    return check.check_key(subject), check.check_key(predicate), check.check_key(object)


def _edge(namespace: str, row: tuple[Any, ...]) -> Edge:
    subject, predicate, target, at, taint, metadata = row
    return Edge(
        namespace,
        subject,
        predicate,
        target,
        rows.from_micros(at),
        rows.load_taint(taint),
        rows.load_metadata(metadata),
    )
