"""The maintenance family of the store."""

import os
import sqlite3
import tempfile
import zipfile
from collections.abc import Callable, Sequence
from contextlib import closing
from pathlib import Path
from typing import Final

from opencompany_memory.contract import InvalidInput, MemoryEngineError
from opencompany_memory.contract import validation as check
from opencompany_memory.contract.families.maintenance import (
    BackupReport,
    CompactReport,
    EraseReport,
    IntegrityReport,
    Maintenance,
)
from opencompany_memory.store.failures import DRIVER
from opencompany_memory.store.files import file_name, partition_files, sync_folder
from opencompany_memory.store.partition import Partition
from opencompany_memory.store.partitions import Partitions
from opencompany_memory.store.schema import words_table

_OTHER_TABLES: Final = ("documents", "edges", "episodes")


class SqliteMaintenance(Maintenance):
    """Upkeep of all files of the store."""

    def __init__(self, partitions: Partitions) -> None:
        self._partitions = partitions

    async def check(self) -> IntegrityReport:
        """See `Maintenance.check`: SQLite's own check of every file, and of each index against its table."""
        return await self._partitions.run(self._check)

    async def backup(self, destination: Path) -> BackupReport:
        """See `Maintenance.backup`. The file is a zip archive of one SQLite database for each company."""
        if destination.exists():
            raise InvalidInput("the backup's file exists already; name one that does not", driver=DRIVER)
        if not destination.parent.is_dir():
            raise InvalidInput("the folder for the backup does not exist; make it first", driver=DRIVER)
        return await self._partitions.run(lambda: self._backup(destination))

    async def compact(self) -> CompactReport:
        """See `Maintenance.compact`. Afterwards nothing of what was forgotten is left in any file."""
        return await self._partitions.run(self._compact)

    async def erase(self, prefix: str) -> EraseReport:
        """See `Maintenance.erase`. An empty file goes too, unless another process has it open."""
        if not check.check_text(prefix, "the prefix"):
            raise InvalidInput("the prefix is empty; erasing everything is not offered", driver=DRIVER)
        return await self._partitions.run(lambda: self._erase(prefix))

    def _check(self) -> IntegrityReport:
        problems: list[str] = []
        files = partition_files(self._partitions.folder)
        for path in files:
            try:
                problems += self._partitions.with_file(path, lambda partition: partition.read(_problems))
            except MemoryEngineError as error:
                problems.append(str(error))
        return IntegrityReport(len(files), tuple(problems))

    def _backup(self, destination: Path) -> BackupReport:
        files = partition_files(self._partitions.folder)
        handle, name = tempfile.mkstemp(prefix=".backup-", dir=destination.parent)
        made = Path(name)
        try:
            with os.fdopen(handle, "wb") as raw:
                with zipfile.ZipFile(raw, "w", zipfile.ZIP_DEFLATED, compresslevel=1) as archive:
                    for path in files:
                        self._partitions.with_file(
                            path, lambda partition: _archive(partition, archive, destination.parent)
                        )
                raw.flush()
                os.fsync(raw.fileno())
            try:
                os.link(made, destination)  # unlike a rename, never over a file that appeared meanwhile
            except FileExistsError:
                raise InvalidInput("the backup's file exists already; name one that does not", driver=DRIVER) from None
            sync_folder(destination.parent)
        except OSError as error:
            raise InvalidInput(f"the backup can't be written ({error.strerror})", driver=DRIVER) from None
        finally:
            made.unlink(missing_ok=True)
        return BackupReport(destination, destination.stat().st_size, len(files))

    def _compact(self) -> CompactReport:
        files = partition_files(self._partitions.folder)
        before = sum(path.stat().st_size for path in files)
        for path in files:
            self._partitions.with_file(path, lambda partition: partition.write_alone(_squeeze))
        return CompactReport(before, sum(path.stat().st_size for path in files))

    def _erase(self, prefix: str) -> EraseReport:
        erased: list[tuple[str, int]] = []
        others = 0
        for path in self._candidates(prefix):
            names, other = self._partitions.with_file(path, lambda partition: partition.write_alone(_eraser(prefix)))
            erased += names
            others += other
            self._partitions.remove_if_empty(path)
        return EraseReport(tuple(sorted(erased)), others)

    def _candidates(self, prefix: str) -> Sequence[Path]:
        parts = prefix.split("/")
        if len(parts) < 3:
            return partition_files(self._partitions.folder)
        path = self._partitions.folder / file_name("/".join(parts[:2]))
        return [path] if path.exists() else []


def _problems(connection: sqlite3.Connection) -> list[str]:
    (name,) = connection.execute("SELECT value FROM meta WHERE name = 'partition'").fetchone()
    found = [f"{name}: {row[0]}" for row in connection.execute("PRAGMA integrity_check(10)") if row[0] != "ok"]
    for (namespace,) in connection.execute("SELECT id FROM namespaces").fetchall():
        (entries,) = connection.execute("SELECT count(*) FROM entries WHERE ns = ?", (namespace,)).fetchone()
        (words,) = connection.execute(f"SELECT count(*) FROM {words_table(namespace)}_docsize").fetchone()
        if entries != words:
            found.append(f"{name}: {entries} entries and {words} in the index of namespace {namespace}")
    return found


def _archive(partition: Partition, archive: zipfile.ZipFile, folder: Path) -> None:
    with tempfile.TemporaryDirectory(prefix=".backup-", dir=folder) as scratch:
        copy = Path(scratch) / partition.path.name
        with closing(sqlite3.connect(copy)) as target:
            partition.read(lambda connection: connection.backup(target))
            target.execute("PRAGMA journal_mode = DELETE")  # one file, no log beside it
        archive.write(copy, f"memory/{partition.path.name}")


def _squeeze(connection: sqlite3.Connection) -> None:
    for (namespace,) in connection.execute("SELECT id FROM namespaces").fetchall():
        table = words_table(namespace)
        connection.execute(f"INSERT INTO {table} ({table}) VALUES ('optimize')")
    connection.execute("VACUUM")
    connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")


def _eraser(prefix: str) -> Callable[[sqlite3.Connection], tuple[list[tuple[str, int]], int]]:
    def work(connection: sqlite3.Connection) -> tuple[list[tuple[str, int]], int]:
        connection.execute("BEGIN IMMEDIATE")
        try:
            erased, others = _erase_namespaces(connection, prefix)
            connection.execute("COMMIT")
        except BaseException:
            connection.execute("ROLLBACK")
            raise
        if erased:
            _squeeze(connection)
        return erased, others

    return work


def _erase_namespaces(connection: sqlite3.Connection, prefix: str) -> tuple[list[tuple[str, int]], int]:
    erased: list[tuple[str, int]] = []
    others = 0
    for number, name in connection.execute("SELECT id, name FROM namespaces").fetchall():
        if not name.startswith(prefix):
            continue
        count = connection.execute("DELETE FROM entries WHERE ns = ?", (number,)).rowcount
        others += sum(
            connection.execute(f"DELETE FROM {table} WHERE ns = ?", (number,)).rowcount for table in _OTHER_TABLES
        )
        connection.execute(f"DROP TABLE {words_table(number)}")
        connection.execute("DELETE FROM namespaces WHERE id = ?", (number,))
        erased.append((name, count))
    return erased, others
