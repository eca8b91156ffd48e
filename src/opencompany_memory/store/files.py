"""Which file holds which namespace, and what can be said of a file without opening it as a database.

A *partition* is the part of a namespace that names a company: its first two path components (`oc/<segment>`). Each has
a file of its own. The file's name is a readable slug and the first 16 bytes of SHA-256 of the partition in hex, so that
hostile names, look-alikes and case-folding file systems can't make two partitions share a file.
"""

import hashlib
import os
import re
import sqlite3
import time
from contextlib import suppress
from pathlib import Path
from typing import Final

from opencompany_memory.store.failures import DRIVER, StoreRefused
from opencompany_memory.store.presence import untouched_here
from opencompany_memory.store.schema import APPLICATION_ID, SCHEMA_VERSION

SUFFIX: Final = ".sqlite3"
_SLUG: Final = re.compile(r"[^A-Za-z0-9_-]")
MAKING: Final = ".new-"
"""What the name of a file begins with until it is whole."""
_ABANDONED_SECONDS: Final = 600
_HEADER_SIZE: Final = 100
_MAGIC: Final = b"SQLite format 3\x00"


def partition_of(namespace: str) -> str:
    """The partition that `namespace` belongs to."""
    return "/".join(namespace.split("/", 2)[:2])


def file_name(partition: str) -> str:
    """The name of the file of `partition`."""
    digest = hashlib.sha256(partition.encode()).hexdigest()[:32]
    return f"{_SLUG.sub('_', partition)[:52]}-{digest}{SUFFIX}"


def partition_files(folder: Path) -> list[Path]:
    """The files of all partitions in `folder`, by name; none where the folder does not exist.

    Raises:
        StoreRefused: it is no folder, or may not be looked into.
    """
    try:
        with os.scandir(folder) as found:
            return sorted(Path(entry.path) for entry in found if entry.name.endswith(SUFFIX))
    except FileNotFoundError:
        return []
    except OSError as error:
        raise StoreRefused(
            f"{folder} can't be looked into ({error.strerror}); check OPENCOMPANY_DATA_DIR", driver=DRIVER
        ) from None


def sweep(folder: Path) -> None:
    """Remove what a process that was killed while it made a file left behind."""
    for path in folder.glob(f"{MAKING}*"):
        with suppress(FileNotFoundError):
            if time.time() - path.stat().st_mtime > _ABANDONED_SECONDS:
                path.unlink()


def make_folder(folder: Path) -> None:
    """Make `folder` for the owner only, and its name durable."""
    if folder.is_dir():
        return
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    sync_folder(folder.parent)


def sync_folder(folder: Path) -> None:
    """Make the names in `folder` durable."""
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def refuse_unusable(folder: Path, *, seconds: float = 0.05) -> None:
    """Look at every file without changing a byte: the header of each, and within `seconds` the inside of small ones.

    Raises:
        StoreRefused: a file is not a memory database, is damaged, or was written by a newer version.
    """
    deadline = time.monotonic() + seconds
    files = partition_files(folder)
    for path in files:
        # Where there are many logs to read, the rest are read when their files are opened.
        check_header(path, look_into_log=time.monotonic() <= deadline)
    for path in files:
        if time.monotonic() > deadline:
            break
        with untouched_here(path) as untouched:
            if untouched and _is_quiet(path):
                _check_inside(path, deadline)


def check_header(path: Path, *, look_into_log: bool = True) -> None:
    """Read the first 100 bytes of the file (https://sqlite.org/fileformat2.html#the_database_header).

    A file that is open in this process was checked when it was opened, and is left alone.

    Raises:
        StoreRefused: see `refuse_unusable`.
    """
    with untouched_here(path) as untouched:
        if untouched:
            _check_header(path, look_into_log=look_into_log)


def _check_header(path: Path, *, look_into_log: bool) -> None:
    header, size = _read_header(path)
    if len(header) < _HEADER_SIZE or not header.startswith(_MAGIC):
        raise StoreRefused(f"{path} is damaged: no database header; restore it from a backup", driver=DRIVER)
    application, version = int.from_bytes(header[68:72], "big"), int.from_bytes(header[60:64], "big")
    if application != APPLICATION_ID:
        raise StoreRefused(f"{path} is not a memory database; move it out of the data folder", driver=DRIVER)
    page_size = int.from_bytes(header[16:18], "big")
    page_size = 65536 if page_size == 1 else page_size
    refuse_newer(path, max(version, _logged_version(path, page_size) if look_into_log else 0))
    # Read again before it is called cut short: another process may have been making it smaller just then.
    if _is_short(header, page_size, size) and not _has_log(path) and _is_short(*_again(path, page_size)):
        raise StoreRefused(f"{path} is damaged: it was cut short; restore it from a backup", driver=DRIVER)


def _read_header(path: Path) -> tuple[bytes, int]:
    """The header, and the size of the file."""
    try:
        with path.open("rb") as file:
            return file.read(_HEADER_SIZE), os.fstat(file.fileno()).st_size
    except OSError as error:
        raise StoreRefused(
            f"{path} can't be read ({error.strerror}); check its owner and mode", driver=DRIVER
        ) from None


def _again(path: Path, page_size: int) -> tuple[bytes, int, int]:
    header, size = _read_header(path)
    return header, page_size, size


def _is_short(header: bytes, page_size: int, size: int) -> bool:
    return int.from_bytes(header[28:32], "big") * page_size > size


def _logged_version(path: Path, page_size: int) -> int:
    """The schema version in the write-ahead log, 0 when it has none.

    To ask SQLite would write: it brings the log into the file (https://sqlite.org/fileformat2.html#walformat).
    """
    found = seen = 0
    try:
        with path.with_name(path.name + "-wal").open("rb") as file:
            salts = file.read(32)[16:24]
            while len(frame := file.read(24)) == 24 and frame[8:16] == salts:
                page = file.read(64)
                file.seek(page_size - len(page), os.SEEK_CUR)
                if frame[:4] == b"\0\0\0\1" and len(page) == 64:
                    seen = int.from_bytes(page[60:64], "big")
                if any(frame[4:8]):  # the last frame of a transaction
                    found = seen
    except OSError:  # no log, or one that SQLite will complain of
        return 0
    return found


def refuse_newer(path: Path, version: int, known: int = SCHEMA_VERSION) -> None:
    """Raise StoreRefused when `version` is a schema newer than `known`."""
    if version > known:
        raise StoreRefused(
            f"{path} was written by a newer version (schema {version}, this one knows {known}); "
            "upgrade opencompany-memory",
            driver=DRIVER,
        )


def _has_log(path: Path) -> bool:
    try:
        return path.with_name(path.name + "-wal").stat().st_size > 0
    except FileNotFoundError:
        return False


def _is_quiet(path: Path) -> bool:
    """Whether nobody has the file open: only such a one may be read with `immutable=1`, which leaves no side files."""
    return not path.with_name(path.name + "-wal").exists()


def _check_inside(path: Path, deadline: float) -> None:
    connection = sqlite3.connect(f"{path.resolve().as_uri()}?mode=ro&immutable=1", uri=True)
    try:
        connection.set_progress_handler(lambda: time.monotonic() > deadline, 1000)
        (verdict,) = connection.execute("PRAGMA quick_check(1)").fetchone()
    except sqlite3.OperationalError:
        return  # interrupted: the time is up
    except sqlite3.DatabaseError:
        verdict = "damaged"
    finally:
        connection.close()
    if verdict != "ok" and not path.with_name(path.name + "-wal").exists():
        raise StoreRefused(f"{path} is damaged; restore it from a backup", driver=DRIVER)
