"""The schema, as a numbered list of migrations. All SQL that makes or changes tables is here."""

import sqlite3
from collections.abc import Callable
from typing import Final

APPLICATION_ID: Final = 0x4F434D45  # "OCME", so that another program's database is told from ours

_V1: Final = """
CREATE TABLE meta (
    name TEXT PRIMARY KEY,
    value TEXT NOT NULL
) WITHOUT ROWID;

CREATE TABLE namespaces (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    name TEXT NOT NULL UNIQUE
);

CREATE TABLE entries (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    ns INTEGER NOT NULL,
    key TEXT NOT NULL,
    content TEXT NOT NULL,
    category TEXT NOT NULL,
    session TEXT,
    at INTEGER NOT NULL,
    taint TEXT NOT NULL,
    metadata TEXT NOT NULL
);
CREATE UNIQUE INDEX entries_key ON entries (ns, key);
CREATE INDEX entries_newest ON entries (ns, at DESC, key);
CREATE INDEX entries_category ON entries (ns, category, at DESC, key);
CREATE INDEX entries_session ON entries (ns, session, at, id) WHERE session IS NOT NULL;

CREATE TABLE documents (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    ns INTEGER NOT NULL,
    document_id TEXT NOT NULL,
    title TEXT NOT NULL,
    body TEXT NOT NULL,
    media_type TEXT NOT NULL,
    at INTEGER NOT NULL,
    taint TEXT NOT NULL,
    metadata TEXT NOT NULL
);
CREATE UNIQUE INDEX documents_id ON documents (ns, document_id);
CREATE INDEX documents_newest ON documents (ns, at DESC, document_id);

CREATE TABLE edges (
    ns INTEGER NOT NULL,
    subject TEXT NOT NULL,
    predicate TEXT NOT NULL,
    object TEXT NOT NULL,
    at INTEGER NOT NULL,
    taint TEXT NOT NULL,
    metadata TEXT NOT NULL,
    PRIMARY KEY (ns, subject, predicate, object)
) WITHOUT ROWID;
CREATE INDEX edges_object ON edges (ns, object, subject);

CREATE TABLE episodes (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    ns INTEGER NOT NULL,
    session TEXT NOT NULL,
    actor TEXT NOT NULL,
    text TEXT NOT NULL,
    at INTEGER NOT NULL,
    taint TEXT NOT NULL,
    metadata TEXT NOT NULL
);
CREATE INDEX episodes_time ON episodes (ns, at, id);
CREATE INDEX episodes_session ON episodes (ns, session, at, id);
"""


Migration = Callable[[sqlite3.Connection], None]


def _run(script: str) -> Migration:
    def migrate(connection: sqlite3.Connection) -> None:
        for statement in script.split(";\n"):
            if statement.strip():
                connection.execute(statement)  # executescript would commit the transaction that this runs in

    return migrate


MIGRATIONS: Final[tuple[Migration, ...]] = (_run(_V1),)
"""The step at index n takes a database of schema version n to n + 1."""

SCHEMA_VERSION: Final = len(MIGRATIONS)


def words_table(namespace_id: int) -> str:
    """The full-text table of one namespace: its statistics, and so its ranking, are its own.

    Contentless: the text itself is in `entries`, the index holds words only.
    """
    return f"words_{namespace_id}"


def create_words_table(connection: sqlite3.Connection, namespace_id: int) -> None:
    """Make the full-text table of a namespace."""
    connection.execute(
        f"CREATE VIRTUAL TABLE {words_table(namespace_id)} USING fts5(body, day, content='', tokenize='porter ascii')"
    )
