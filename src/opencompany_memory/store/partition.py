"""One company's file: its connections, and writers that share a commit.

Every acknowledged write has been fsynced (WAL, `synchronous=FULL`). Writes that arrive while a commit is under way wait
together and share the next one, so that a hundred callers cost a few fsyncs, not a hundred. Reads never wait for
writers. Several processes may have the file open; SQLite's locks keep them apart.
"""

import asyncio
import sqlite3
import threading
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Executor
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, Final, TypeVar

from attrs import frozen

from opencompany_memory.contract import Backend
from opencompany_memory.store import opening
from opencompany_memory.store.failures import DRIVER, explain, translated

Result = TypeVar("Result")

_BATCH: Final = 512
_IDLE_READERS: Final = 2


class PartitionClosed(Exception):
    """The partition was closed between being looked up and being used; look it up again."""


@frozen(eq=False)
class _Write:
    work: Callable[[sqlite3.Connection], Any]
    loop: asyncio.AbstractEventLoop
    future: "asyncio.Future[Any]"


_Outcome = tuple["asyncio.Future[Any]", Any, BaseException | None]


class Partition:
    """An open file. Thread-safe; used from any number of event loops."""

    def __init__(self, path: Path, name: str, writers: Executor) -> None:
        """Open the file at `path` for the partition `name`, making it when it is missing. Blocks.

        Raises:
            StoreRefused: the file can't be used as it is; it stays as it was.
        """
        self.path = path
        self._writers = writers
        self._lock = threading.Lock()
        self._writing = threading.Lock()
        self._near_lock = threading.Lock()
        self._pending: list[_Write] = []
        self._idle: list[sqlite3.Connection] = []
        self._draining = False
        self._closed = False
        self.before_closing: Callable[[sqlite3.Connection], None] | None = None
        """Tidying that may wait until the file is closed."""
        self._users = 0
        with translated(path):
            self._writer = opening.open_or_create(path, name)
            try:
                self._near = opening.connect(path, read_only=True, wait_ms=50)
            except BaseException:
                opening.close(self._writer, path)
                raise
        self._identity = _identity(path)

    def get(self, sql: str, parameters: tuple[Any, ...]) -> Any:
        """The first row of a point lookup, on the calling thread: cheaper than a hop to another one.

        Raises:
            PartitionClosed: see there.
        """
        with self._near_lock:
            if self._closed:
                raise PartitionClosed
            try:
                return self._near.execute(sql, parameters).fetchone()
            except sqlite3.Error as error:
                raise explain(error, self.path) from None

    def read(self, work: Callable[[sqlite3.Connection], Result]) -> Result:
        """Run `work` in one read transaction: it sees one state of the file. Blocks; call it off the event loop."""
        with self._in_use(), translated(self.path):
            connection = self._borrow()
            try:
                connection.execute("BEGIN")
                return work(connection)
            finally:
                if connection.in_transaction:
                    connection.execute("ROLLBACK")
                self._give_back(connection)

    async def write(self, work: Callable[[sqlite3.Connection], Result]) -> Result:
        """Run `work` in a write transaction; return its result once it is on disk.

        What `work` did is undone when it raises; its error comes out here.
        """
        loop = asyncio.get_running_loop()
        write = _Write(work, loop, loop.create_future())
        with self._lock:
            if self._closed:
                raise PartitionClosed
            self._pending.append(write)
            start = not self._draining
            self._draining = True
        if start:
            self._start()
        result: Result = await write.future
        return result

    def write_alone(self, work: Callable[[sqlite3.Connection], Result]) -> Result:
        """Run `work` on the writing connection, outside a transaction (VACUUM, checkpoints). Blocks."""
        with self._in_use(), translated(self.path), self._writing:
            return work(self._writer)

    def close_if_idle(self) -> bool:
        """Let go of the file unless something is under way; whether it did."""
        with self._lock, self._near_lock:
            if self._draining or self._users:
                return False
            if not self._closed:
                self._closed = True
                if self.before_closing is not None:
                    with suppress(sqlite3.Error):  # another process is writing; compacting does it as well
                        self._writer.execute("PRAGMA busy_timeout = 100")
                        self.before_closing(self._writer)
                for connection in (*self._idle, self._near, self._writer):
                    opening.close(connection, self.path)
                self._idle.clear()
            return True

    @contextmanager
    def _in_use(self) -> Iterator[None]:
        with self._lock:
            if self._closed:
                raise PartitionClosed
            self._users += 1
        try:
            yield
        finally:
            with self._lock:
                self._users -= 1

    def _borrow(self) -> sqlite3.Connection:
        with self._lock:
            if self._idle:
                return self._idle.pop()
        return opening.connect(self.path, read_only=True)

    def _give_back(self, connection: sqlite3.Connection) -> None:
        with self._lock:
            if len(self._idle) < _IDLE_READERS:
                self._idle.append(connection)
                return
        opening.close(connection, self.path)

    def _start(self) -> None:
        try:
            self._writers.submit(self._drain)
        except RuntimeError:  # the store was closed at this very moment: nothing was accepted
            with self._lock:
                refused, self._pending = self._pending, []
                self._draining = False
            _tell(refused, [(write.future, None, PartitionClosed()) for write in refused])

    def _drain(self) -> None:
        while True:
            with self._lock:
                batch, self._pending = self._pending[:_BATCH], self._pending[_BATCH:]
                if not batch:
                    self._draining = False
                    return
            with self._writing:
                outcomes = _commit_together(self._writer, self.path, self._identity, batch)
            _tell(batch, outcomes)
            try:
                # To the end of the queue, so that one company's import does not keep the thread from the others.
                self._writers.submit(self._drain)
            except RuntimeError:  # shutting down: finish here what was accepted
                continue
            return


def _commit_together(
    connection: sqlite3.Connection, path: Path, identity: tuple[int, int], batch: Sequence[_Write]
) -> list[_Outcome]:
    """Do the whole batch in one transaction. Either all that succeeded is on disk, or nothing is."""
    outcomes: list[_Outcome] = []
    try:
        _roll_back(connection)  # what an earlier batch failed to
        connection.execute("BEGIN IMMEDIATE")
        for write in batch:
            if not write.future.cancelled():
                outcomes.append(_attempt(connection, path, write))
        _refuse_moved(path, identity)
        connection.execute("COMMIT")
    except Exception as error:  # noqa: BLE001 - whatever it is, those who wait must hear of it
        with suppress(sqlite3.Error):
            _roll_back(connection)
        return [(write.future, None, _told(error, path)) for write in batch]
    return outcomes


def _identity(path: Path) -> tuple[int, int]:
    found = path.stat()
    return found.st_dev, found.st_ino


def _refuse_moved(path: Path, identity: tuple[int, int]) -> None:
    """Raise when somebody removed or replaced the file: what is committed to it now, nobody would ever find."""
    with suppress(FileNotFoundError):
        if _identity(path) == identity:
            return
    raise Backend(
        f"{path.name} was removed or replaced while it was in use, nothing was written; put it back, or restart",
        driver=DRIVER,
    )


def _roll_back(connection: sqlite3.Connection) -> None:
    if connection.in_transaction:
        connection.execute("ROLLBACK")


def _told(error: Exception, path: Path) -> Exception:
    return explain(error, path) if isinstance(error, sqlite3.Error) else error


def _attempt(connection: sqlite3.Connection, path: Path, write: _Write) -> _Outcome:
    """Do one write so that its failure undoes it alone.

    Raises:
        sqlite3.Error: the whole transaction is gone, as SQLite does when the disk is full.
    """
    connection.execute("SAVEPOINT one")
    try:
        result = write.work(connection)
    except Exception as error:
        if not connection.in_transaction:
            raise
        connection.execute("ROLLBACK TO one")
        connection.execute("RELEASE one")
        return write.future, None, _told(error, path)
    connection.execute("RELEASE one")
    return write.future, result, None


def _tell(batch: Sequence[_Write], outcomes: Sequence[_Outcome]) -> None:
    """Hand each outcome to the event loop that waits for it."""
    loops = {write.future: write.loop for write in batch}
    by_loop: dict[asyncio.AbstractEventLoop, list[_Outcome]] = defaultdict(list)
    for outcome in outcomes:
        by_loop[loops[outcome[0]]].append(outcome)
    for loop, those in by_loop.items():
        try:
            loop.call_soon_threadsafe(_resolve, those)
        except RuntimeError:  # the loop was closed while its writes were on their way: nobody waits any more
            continue


def _resolve(outcomes: Sequence[_Outcome]) -> None:
    for future, result, error in outcomes:
        if future.done():
            continue
        if error is None:
            future.set_result(result)
        else:
            future.set_exception(error)
