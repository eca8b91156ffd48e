"""Who has which file open: told to other processes, and remembered in this one.

Two dangers are kept away here. A file that another process has open must not be removed: that process would go on
writing into nothing. And a file that this process has open in SQLite must not be opened and closed beside it: closing
any handle drops all of a process's POSIX locks on the file (https://sqlite.org/howtocorrupt.html, section 2.2).
"""

import fcntl
import hashlib
import os
import struct
import threading
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

LOCK_FILE: Final = ".open"
_SHARED_WAIT: Final = getattr(fcntl, "F_OFD_SETLKW", None)
_TRY: Final = getattr(fcntl, "F_OFD_SETLK", None)

_here: Final[Counter[Path]] = Counter()
_here_lock: Final = threading.RLock()


@contextmanager
def untouched_here(path: Path) -> Iterator[bool]:
    """Whether no SQLite connection of this process has `path` open; none is opened as long as this is held."""
    with _here_lock:
        yield _here[path.resolve()] == 0


def opened_here(path: Path) -> None:
    """A connection to `path` is about to be made in this process."""
    with _here_lock:
        _here[path.resolve()] += 1


def closed_here(path: Path) -> None:
    """A connection to `path` was closed in this process."""
    with _here_lock:
        _here[path.resolve()] -= 1


class Presence:
    """Locks on single bytes of one file in the folder, a byte for each partition file that we have open.

    Open file description locks (fcntl(2)), so that two stores in one process keep apart as well. Where the system has
    none, nobody can be sure to be alone, and nothing is ever removed.
    """

    def __init__(self, folder: Path) -> None:
        self._handle = os.open(folder / LOCK_FILE, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)

    def enter(self, file_name: str) -> None:
        """Say that the file is open here; waits while another process is removing it."""
        if _SHARED_WAIT is not None:
            fcntl.fcntl(self._handle, _SHARED_WAIT, _lock(fcntl.F_RDLCK, file_name))

    def alone(self, file_name: str) -> bool:
        """Whether nobody else has the file open; if so, nobody opens it before `leave`."""
        if _TRY is None:
            return False
        try:
            fcntl.fcntl(self._handle, _TRY, _lock(fcntl.F_WRLCK, file_name))
        except OSError:
            return False
        return True

    def leave(self, file_name: str) -> None:
        """Say that the file is not open here any more."""
        if _TRY is not None:
            fcntl.fcntl(self._handle, _TRY, _lock(fcntl.F_UNLCK, file_name))

    def close(self) -> None:
        """Give up all locks."""
        os.close(self._handle)


def _lock(kind: int, file_name: str) -> bytes:
    """A `struct flock` for the byte that stands for `file_name`."""
    offset = int.from_bytes(hashlib.sha256(file_name.encode()).digest()[:7], "big")
    return struct.pack("hhqqi", kind, os.SEEK_SET, offset, 1, 0)
