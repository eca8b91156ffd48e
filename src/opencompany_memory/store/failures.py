"""What SQLite says, in the words of the contract. Messages name a file and a remedy, never content."""

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

from opencompany_memory.contract import Backend, InvalidInput, MemoryEngineError, Timeout, TooLarge

DRIVER: Final = "store"
_PRIMARY: Final = 0xFF


class StoreRefused(Backend):
    """A file in the data folder can't be used as it is, and was left untouched."""

    retryable = False


@contextmanager
def translated(path: Path) -> Iterator[None]:
    """Turn what SQLite or the system raises about the file at `path` into the contract's errors."""
    try:
        yield
    except (sqlite3.Error, OSError) as error:
        raise explain(error, path) from None


def explain(error: sqlite3.Error | OSError, path: Path) -> MemoryEngineError:
    """The contract's error for what SQLite or the system raised about the file at `path`."""
    if isinstance(error, OSError):
        return Backend(f"{path.name} can't be made ({error.strerror}); check OPENCOMPANY_DATA_DIR", driver=DRIVER)
    code = getattr(error, "sqlite_errorcode", None)
    primary = code & _PRIMARY if isinstance(code, int) else None
    if primary in (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED):
        return Timeout(f"{path.name} stayed locked by another process; nothing was written, try again", driver=DRIVER)
    if primary == sqlite3.SQLITE_FULL:
        return Backend(
            "the disk is full, nothing was written; free some space under OPENCOMPANY_DATA_DIR", driver=DRIVER
        )
    if primary in (sqlite3.SQLITE_READONLY, sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_PERM):
        return Backend(
            f"{path.name} can't be opened for writing; check the owner and mode of OPENCOMPANY_DATA_DIR", driver=DRIVER
        )
    if primary == sqlite3.SQLITE_IOERR:  # also a quota or a limit on the size of files
        return Backend(
            f"{path.name} can't be read or written ({error.sqlite_errorname}); "
            "check the disk and the free space under OPENCOMPANY_DATA_DIR",
            driver=DRIVER,
        )
    if primary in (sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB):
        return StoreRefused(f"{path.name} is damaged; restore it from a backup", driver=DRIVER)
    if primary == sqlite3.SQLITE_TOOBIG:
        return TooLarge("more than SQLite holds in one value", driver=DRIVER)
    if isinstance(error, sqlite3.DataError | sqlite3.InterfaceError):
        return InvalidInput("a value that SQLite can't hold", driver=DRIVER)
    return Backend(f"SQLite failed on {path.name} ({getattr(error, 'sqlite_errorname', 'unknown')})", driver=DRIVER)
