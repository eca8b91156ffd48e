"""Entries in SQL: each function is one step inside a transaction that its caller holds."""

import json
import sqlite3
from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any, Final

from attrs import frozen

from opencompany_memory.contract import Category, SourceScope, Taint
from opencompany_memory.store import rows
from opencompany_memory.store.schema import create_words_table, words_table
from opencompany_memory.store.text import day_text, index_text

_QUICKLY_TIDIED: Final = 10_000
GET: Final = (
    f"SELECT {rows.ENTRY_COLUMNS} FROM entries WHERE ns = (SELECT id FROM namespaces WHERE name = ?) AND key = ?"
)


@frozen
class Draft:
    """An entry to be written, its arguments checked."""

    key: str
    content: str
    category: Category
    session_id: str | None
    at: datetime
    taint: Taint
    metadata: Mapping[str, Any]


@frozen
class Filters:
    """What a list or a recall is narrowed to; None narrows nothing."""

    key_prefix: str | None = None
    category: str | None = None
    session_id: str | None = None


def find_namespace(connection: sqlite3.Connection, name: str) -> int | None:
    """The number of a namespace, or None when nothing was ever stored in it.

    Asked anew in each transaction: another process may have erased it meanwhile.
    """
    row = connection.execute("SELECT id FROM namespaces WHERE name = ?", (name,)).fetchone()
    return None if row is None else int(row[0])


def make_namespace(connection: sqlite3.Connection, name: str) -> int:
    """The number of a namespace, which is made when it is new."""
    found = find_namespace(connection, name)
    if found is not None:
        return found
    number = connection.execute("INSERT INTO namespaces (name) VALUES (?)", (name,)).lastrowid
    if number is None:
        raise sqlite3.DatabaseError("no row id")
    create_words_table(connection, number)
    return number


def upsert(connection: sqlite3.Connection, namespace: int, draft: Draft) -> int:
    """Write an entry and its words; its number."""
    micros = rows.to_micros(draft.at)
    metadata = rows.dump_metadata(draft.metadata)
    old = connection.execute(
        "SELECT id, content, at FROM entries WHERE ns = ? AND key = ?", (namespace, draft.key)
    ).fetchone()
    if old is None:
        number = (
            connection.execute(
                "INSERT INTO entries (ns, key, content, category, session, at, taint, metadata)"
                " VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
                (
                    namespace,
                    draft.key,
                    draft.content,
                    draft.category.wire,
                    draft.session_id,
                    micros,
                    draft.taint.value,
                    metadata,
                ),
            ).lastrowid
            or 0
        )
    else:
        number = old[0]
        connection.execute(
            "UPDATE entries SET content = ?, category = ?, session = ?, at = ?, taint = ?, metadata = ? WHERE id = ?",
            (draft.content, draft.category.wire, draft.session_id, micros, draft.taint.value, metadata, number),
        )
        _unindex(connection, namespace, number, old[1], old[2])
    connection.execute(
        f"INSERT INTO {words_table(namespace)} (rowid, body, day) VALUES (?, ?, ?)",
        (number, index_text(draft.content), day_text(draft.at)),
    )
    return number


def remove(connection: sqlite3.Connection, namespace: int, key: str) -> bool:
    """Remove an entry and its words; whether there was one."""
    old = connection.execute(
        "DELETE FROM entries WHERE ns = ? AND key = ? RETURNING id, content, at", (namespace, key)
    ).fetchall()
    for number, content, micros in old:
        _unindex(connection, namespace, number, content, micros)
    return bool(old)


def tidy(connection: sqlite3.Connection) -> None:
    """Take words of removed entries out of the indexes, where that is quick; `compact` does it everywhere.

    FTS5 only marks them as gone until it merges its segments.
    """
    for (namespace,) in connection.execute("SELECT id FROM namespaces").fetchall():
        table = words_table(namespace)
        (size,) = connection.execute(f"SELECT count(*) FROM {table}_docsize").fetchone()
        if size <= _QUICKLY_TIDIED:
            connection.execute(f"INSERT INTO {table} ({table}) VALUES ('optimize')")


def _unindex(connection: sqlite3.Connection, namespace: int, number: int, content: str, micros: int) -> None:
    # A contentless table is told what it was given (https://sqlite.org/fts5.html#the_delete_command).
    table = words_table(namespace)
    connection.execute(
        f"INSERT INTO {table} ({table}, rowid, body, day) VALUES ('delete', ?, ?, ?)",
        (number, index_text(content), day_text(rows.from_micros(micros))),
    )


def page(
    connection: sqlite3.Connection, namespace: int, filters: Filters, after: tuple[int, str] | None, limit: int
) -> list[tuple[Any, ...]]:
    """Rows of `ENTRY_COLUMNS`, newest first, ties by key, after the given position."""
    where, parameters, index = ["ns = ?"], [namespace], "entries_newest"
    values: list[Any] = list(parameters)
    if filters.session_id is not None:
        where.append("session = ?")
        values.append(filters.session_id)
        index = "entries_session"
    if filters.category is not None:
        where.append("category = ?")
        values.append(filters.category)
        index = "entries_category"
    if filters.key_prefix:
        where.append("key >= ?")
        values.append(filters.key_prefix)
        end = prefix_end(filters.key_prefix)
        if end is not None:
            where.append("key < ?")
            values.append(end)
        index = "entries_key"
    if after is not None:
        where.append("at <= ? AND (at < ? OR key > ?)")
        values += [after[0], after[0], after[1]]
    return connection.execute(
        f"SELECT {rows.ENTRY_COLUMNS} FROM entries INDEXED BY {index} WHERE {' AND '.join(where)}"
        " ORDER BY at DESC, key LIMIT ?",
        (*values, limit),
    ).fetchall()


def prefix_end(prefix: str) -> str | None:
    """The least text that is greater than everything that begins with `prefix`; None when there is none."""
    while prefix:
        code = ord(prefix[-1]) + 1
        if code <= 0x10FFFF:
            return prefix[:-1] + chr(0xE000 if 0xD800 <= code <= 0xDFFF else code)
        prefix = prefix[:-1]
    return None


def admitted(
    connection: sqlite3.Connection, numbers: Sequence[int], filters: Filters, scope: SourceScope | None
) -> dict[int, tuple[int, str]]:
    """Those of the entries that pass, each with its place among equals: newest first, then by key."""
    wanted = json.dumps(numbers)
    clauses, values = [""], list[Any]()
    for column, value in (("category", filters.category), ("session", filters.session_id)):
        if value is not None:
            clauses.append(f"{column} = ?")
            values.append(value)
    where = f"id IN (SELECT value FROM json_each(?)){' AND '.join(clauses)}"
    if scope is None:
        found = connection.execute(f"SELECT id, at, key FROM entries WHERE {where}", (wanted, *values))
        return {number: (-at, key) for number, at, key in found}
    found = connection.execute(f"SELECT id, at, key, metadata FROM entries WHERE {where}", (wanted, *values))
    return {n: (-at, key) for n, at, key, metadata in found if scope.admits(rows.load_metadata(metadata))}


def by_numbers(connection: sqlite3.Connection, numbers: Sequence[int]) -> dict[int, tuple[Any, ...]]:
    """Rows of `ENTRY_COLUMNS` by number."""
    sql = f"SELECT {rows.ENTRY_COLUMNS} FROM entries WHERE id IN (SELECT value FROM json_each(?))"
    return {row[0]: row for row in connection.execute(sql, (json.dumps(numbers),))}
