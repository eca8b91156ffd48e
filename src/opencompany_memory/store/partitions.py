"""The open files of a store: found by namespace, opened when first needed, the longest unused closed to make room."""

import asyncio
import sqlite3
import threading
from collections import OrderedDict
from collections.abc import Awaitable, Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Final, TypeVar

from opencompany_memory.contract import MemoryEngineError, NotFound, Unreachable
from opencompany_memory.store import opening
from opencompany_memory.store.failures import DRIVER
from opencompany_memory.store.files import file_name, partition_of
from opencompany_memory.store.partition import Partition, PartitionClosed
from opencompany_memory.store.presence import Presence

Result = TypeVar("Result")

_THREADS: Final = 4
_FILES_PER_PARTITION: Final = 9
_MOST_OPEN: Final = 1024


def room_for() -> int:
    """How many partitions may be open at once under this process's limit of file descriptors."""
    import resource

    soft, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
    if soft == resource.RLIM_INFINITY:
        return _MOST_OPEN
    return max(4, min(_MOST_OPEN, (soft - 128) // _FILES_PER_PARTITION))


class Partitions:
    """All partitions of one folder. Thread-safe; blocking work runs on threads of its own."""

    def __init__(self, folder: Path, most_open: int | None = None) -> None:
        self.folder = folder
        self._most_open = most_open or room_for()
        self._open: OrderedDict[str, Partition] = OrderedDict()
        self._opening = threading.Lock()
        self._readers = ThreadPoolExecutor(_THREADS, "memory-read")
        self._writers = ThreadPoolExecutor(_THREADS, "memory-write")
        self._closed = False
        self._presence = Presence(folder)

    def opened(self, namespace: str) -> Partition | None:
        """The partition of `namespace` if it is open already."""
        if self._closed:
            raise _gone()
        name = partition_of(namespace)
        try:
            self._open.move_to_end(name)
            return self._open[name]
        except KeyError:
            return None

    async def read(self, namespace: str, work: Callable[[Partition], Result], missing: Result) -> Result:
        """Run `work` on the partition of `namespace` on a reading thread; `missing` where there is no such file."""
        name = partition_of(namespace)

        def job() -> Result:
            if name not in self._open and not (self.folder / file_name(name)).exists():
                return missing
            return self._with(name, work)

        return await self.run(job)

    async def write(self, namespace: str, work: Callable[[Partition], Awaitable[Result]]) -> Result:
        """Run `work` on the partition of `namespace`, which is made when it is missing."""
        name = partition_of(namespace)
        while True:
            partition = self._open.get(name)
            if partition is None or self._closed:
                partition = await self.run(lambda: self._get(name))
            try:
                return await work(partition)
            except PartitionClosed:
                continue

    async def write_existing(
        self, namespace: str, work: Callable[[Partition], Awaitable[Result]], missing: Result
    ) -> Result:
        """Like `write`, without making a file that is not there."""
        name = partition_of(namespace)
        if name not in self._open and not (self.folder / file_name(name)).exists():
            if self._closed:
                raise _gone()
            return missing
        return await self.write(namespace, work)

    async def run(self, job: Callable[[], Result]) -> Result:
        """Run `job` on a reading thread."""
        if self._closed:
            raise _gone()
        return await asyncio.get_running_loop().run_in_executor(self._readers, job)

    def with_file(self, path: Path, work: Callable[[Partition], Result], missing: Result) -> Result:
        """Run `work` on the partition whose file is `path`; `missing` when it was removed meanwhile. Blocks."""
        try:
            return self._with(opening.read_partition_name(path), work, make=False)
        except MemoryEngineError:
            if path.exists():
                raise
            return missing

    def remove_if_empty(self, path: Path) -> bool:
        """Remove the file at `path` if it holds no namespace and nobody else has it open; whether it did. Blocks."""
        name = self.with_file(path, lambda partition: partition.read(_name_if_empty), None)
        with self._opening:
            partition = self._open.get(name) if name is not None else None
            if name is None or partition is None or not self._presence.alone(path.name):
                return False
            still_empty = partition.read(_name_if_empty) == name
            if not still_empty or not self._let_go_for_good(name, path):
                self._presence.enter(path.name)
                return False
            return True

    def _let_go_for_good(self, name: str, path: Path) -> bool:
        partition = self._open.pop(name)
        if not partition.close_if_idle():
            self._open[name] = partition
            return False
        for side in ("-wal", "-shm", ""):
            path.with_name(path.name + side).unlink(missing_ok=True)
        self._presence.leave(path.name)
        return True

    def close(self) -> None:
        """Finish what was accepted, then let go of every file. Blocks."""
        self._closed = True
        self._writers.shutdown(wait=True)
        self._readers.shutdown(wait=True)
        with self._opening:
            for name in list(self._open):
                self._let_go(name)
        self._presence.close()

    def _with(self, name: str, work: Callable[[Partition], Result], *, make: bool = True) -> Result:
        while True:
            try:
                return work(self._get(name, make=make))
            except PartitionClosed:
                continue

    def _get(self, name: str, *, make: bool = True) -> Partition:
        with self._opening:
            partition = self._open.get(name)
            if partition is None:
                self._make_room()
                partition = self._open_file(name, make)
                self._open[name] = partition
            self._open.move_to_end(name)
            return partition

    def _make_room(self) -> None:
        for name in list(self._open)[: max(0, len(self._open) - self._most_open + 1)]:
            self._let_go(name)

    def _open_file(self, name: str, make: bool) -> Partition:
        file = file_name(name)
        self._presence.enter(file)
        try:
            if not make and not (self.folder / file).exists():
                raise NotFound(f"{file} was removed", driver=DRIVER)
            return Partition(self.folder / file, name, self._writers)
        except BaseException:
            self._presence.leave(file)
            raise

    def _let_go(self, name: str) -> bool:
        """Close a partition unless something is under way there; whether it was closed."""
        partition = self._open.pop(name)  # first out of sight, so that nobody picks up a closed one
        if not partition.close_if_idle():
            self._open[name] = partition
            return False
        self._presence.leave(partition.path.name)
        return True


def _name_if_empty(connection: sqlite3.Connection) -> str | None:
    """The partition's name, or None when there is a namespace in it."""
    row = connection.execute(
        "SELECT value FROM meta WHERE name = 'partition' AND NOT EXISTS (SELECT 1 FROM namespaces)"
    ).fetchone()
    return None if row is None else str(row[0])


def _gone() -> Unreachable:
    return Unreachable("the store was closed", driver=DRIVER)
