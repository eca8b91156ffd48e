"""The maintenance family of the store."""

import os
import sqlite3
import tempfile
import zipfile
from collections.abc import Callable, Sequence
from contextlib import closing, suppress
from pathlib import Path
from typing import Final

from opencompany_memory.contract import InvalidInput, MemoryEngineError, Timeout
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

_Erased = tuple[list[tuple[str, int]], int]
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
                problems += self._partitions.with_file(path, lambda partition: partition.read(_problems), [])
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
                    units = sum(
                        self._partitions.with_file(
                            path, lambda partition: _archive(partition, archive, destination.parent), 0
                        )
                        for path in files
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
        return BackupReport(destination, destination.stat().st_size, units)

    def _compact(self) -> CompactReport:
        files = partition_files(self._partitions.folder)
        before = _total_size(files)
        for path in files:
            self._partitions.with_file(path, lambda partition: partition.write_alone(_squeeze), None)
        return CompactReport(before, _total_size(files))

    def _erase(self, prefix: str) -> EraseReport:
        erased: list[tuple[str, int]] = []
        others = 0
        nothing: _Erased = ([], 0)
        for path in self._candidates(prefix):
            names, other = self._partitions.with_file(
                path, lambda partition: partition.write_alone(_eraser(prefix)), nothing
            )
            erased += names
            others += other
            if names:
                _remove_copies(path)
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
        index = f"{words_table(namespace)}_docsize"
        unindexed = f"SELECT count(*) FROM entries WHERE ns = ? AND id NOT IN (SELECT id FROM {index})"
        (lacking,) = connection.execute(unindexed, (namespace,)).fetchone()
        ownerless = f"SELECT count(*) FROM {index} WHERE id NOT IN (SELECT id FROM entries WHERE ns = ?)"
        (left,) = connection.execute(ownerless, (namespace,)).fetchone()
        if lacking or left:
            found.append(f"{name}: the index of namespace {namespace} lacks {lacking} entries and has {left} too many")
    return found


def _total_size(files: Sequence[Path]) -> int:
    """Bytes on disk, those of the logs included."""
    total = 0
    for path in files:
        for name in (path.name, f"{path.name}-wal"):
            with suppress(FileNotFoundError):
                total += path.with_name(name).stat().st_size
    return total


def _remove_copies(path: Path) -> None:
    """The copies from before a migration hold what was erased."""
    for copy in path.parent.glob(f"{path.name}.v*.bak"):
        copy.unlink(missing_ok=True)


def _archive(partition: Partition, archive: zipfile.ZipFile, folder: Path) -> int:
    with tempfile.TemporaryDirectory(prefix=".backup-", dir=folder) as scratch:
        copy = Path(scratch) / partition.path.name
        with closing(sqlite3.connect(copy)) as target:
            partition.read(lambda connection: connection.backup(target))
            target.execute("PRAGMA journal_mode = DELETE")  # one file, no log beside it
        archive.write(copy, f"memory/{partition.path.name}")
    return 1


def _squeeze(connection: sqlite3.Connection) -> None:
    for (namespace,) in connection.execute("SELECT id FROM namespaces").fetchall():
        table = words_table(namespace)
        connection.execute(f"INSERT INTO {table} ({table}) VALUES ('optimize')")
    connection.execute("VACUUM")
    (busy, _, _) = connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()
    if busy:
        raise Timeout(
            "another process kept reading, so that traces of what was removed may be left in a log; compact again",
            driver=DRIVER,
        )


def _eraser(prefix: str) -> Callable[[sqlite3.Connection], _Erased]:
    def work(connection: sqlite3.Connection) -> _Erased:
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


def _erase_namespaces(connection: sqlite3.Connection, prefix: str) -> _Erased:
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
