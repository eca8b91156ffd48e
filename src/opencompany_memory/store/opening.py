"""Opening a partition's file: made whole or not at all, looked at before it is touched, migrated with a backup."""

import os
import sqlite3
import tempfile
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path
from typing import Final

from opencompany_memory.store.failures import DRIVER, StoreRefused, translated
from opencompany_memory.store.files import MAKING, check_header, make_folder, refuse_newer, sync_folder
from opencompany_memory.store.presence import closed_here, opened_here
from opencompany_memory.store.schema import APPLICATION_ID, MIGRATIONS, Migration

_WAIT_MS: Final = 30_000


def connect(path: Path, *, read_only: bool = False, wait_ms: int = _WAIT_MS) -> sqlite3.Connection:
    """A connection to the existing file at `path`, in autocommit mode. Writes nothing. Closed with `close`."""
    opened_here(path)
    try:
        connection = sqlite3.connect(
            f"{path.resolve().as_uri()}?mode=rw",
            uri=True,
            timeout=wait_ms / 1000,
            isolation_level=None,
            check_same_thread=False,
            cached_statements=256,
        )
    except BaseException:
        closed_here(path)
        raise
    try:
        connection.execute("PRAGMA synchronous = FULL")
        connection.execute("PRAGMA secure_delete = ON")
        if read_only:
            connection.execute("PRAGMA query_only = ON")
    except BaseException:  # the first look at a damaged file
        close(connection, path)
        raise
    return connection


def close(connection: sqlite3.Connection, path: Path) -> None:
    """Close a connection that `connect` made to `path`."""
    connection.close()
    closed_here(path)


def open_or_create(path: Path, partition: str) -> sqlite3.Connection:
    """A connection to the file of `partition`, of the current schema.

    Raises:
        StoreRefused: the file can't be used as it is; it stays as it was.
    """
    if not path.exists():
        _create(path, partition)
    check_header(path)
    connection = connect(path)
    try:
        migrate(connection, path)
        _check_owner(connection, path, partition)
        _log_ahead(connection)
    except BaseException:
        close(connection, path)
        raise
    return connection


def migrate(connection: sqlite3.Connection, path: Path, migrations: Sequence[Migration] = MIGRATIONS) -> None:
    """Bring the file to the newest schema in one transaction, after a copy of it was put beside it.

    Raises:
        StoreRefused: it was written by a newer version.
    """
    version = _version(connection)
    refuse_newer(path, version, len(migrations))
    if version == len(migrations):
        return
    connection.execute("BEGIN IMMEDIATE")
    try:
        version = _version(connection)  # another process may have got here first
        if 0 < version < len(migrations):
            _copy_aside(path, version)
        for step in migrations[version:]:
            step(connection)
        connection.execute(f"PRAGMA user_version = {len(migrations)}")
        connection.execute("COMMIT")
    except BaseException:
        connection.execute("ROLLBACK")
        raise
    # The version must be in the file itself, where `check_header` reads it, and not only in the log.
    connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")


def _log_ahead(connection: sqlite3.Connection) -> None:
    """Set the write-ahead log, which a file out of a backup does not have; nothing is written where it is set."""
    if connection.execute("PRAGMA journal_mode").fetchone()[0] != "wal":
        connection.execute("PRAGMA journal_mode = WAL")


def _version(connection: sqlite3.Connection) -> int:
    version: int = connection.execute("PRAGMA user_version").fetchone()[0]
    return version


def _create(path: Path, partition: str) -> None:
    """Make the file under another name and give it its own once it is whole, so that nobody meets half a file."""
    make_folder(path.parent)
    handle, name = tempfile.mkstemp(prefix=MAKING, dir=path.parent)
    os.close(handle)
    made = Path(name)
    try:
        connection = sqlite3.connect(made, isolation_level=None)
        try:
            connection.execute(f"PRAGMA application_id = {APPLICATION_ID}")
            connection.execute("PRAGMA journal_mode = WAL")
            migrate(connection, made)
            connection.execute("INSERT INTO meta VALUES ('partition', ?)", (partition,))
        finally:
            connection.close()
        try:
            os.link(made, path)
        except FileExistsError:
            return  # another process made it at the same moment
        sync_folder(path.parent)
    finally:
        made.unlink(missing_ok=True)


def _copy_aside(path: Path, version: int) -> None:
    """Copy the file by a connection of its own: the one that migrates holds the write lock, and may not be read."""
    handle, name = tempfile.mkstemp(prefix=MAKING, dir=path.parent)
    os.close(handle)
    made = Path(name)
    try:
        source = connect(path, read_only=True)
        try:
            with closing(sqlite3.connect(made)) as copy:
                source.backup(copy)
        finally:
            close(source, path)
        made.replace(path.with_name(f"{path.name}.v{version}.bak"))
        sync_folder(path.parent)
    finally:
        made.unlink(missing_ok=True)


def _check_owner(connection: sqlite3.Connection, path: Path, partition: str) -> None:
    row = connection.execute("SELECT value FROM meta WHERE name = 'partition'").fetchone()
    if row is None or row[0] != partition:
        raise StoreRefused(
            f"{path} belongs to another company than its name says; put its own name back", driver=DRIVER
        )


def read_partition_name(path: Path) -> str:
    """The partition that the file at `path` was made for.

    Raises:
        StoreRefused: it can't be read as a memory database.
    """
    check_header(path)
    with translated(path):
        connection = connect(path, read_only=True)
        try:
            row = connection.execute("SELECT value FROM meta WHERE name = 'partition'").fetchone()
        finally:
            close(connection, path)
    if row is None:
        raise StoreRefused(f"{path} does not say whose it is; restore it from a backup", driver=DRIVER)
    return str(row[0])
