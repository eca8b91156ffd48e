"""A small synchronous front for scripts and notebooks.

    from opencompany_memory import sync

    with sync.boot() as memory:
        address = memory.context.put("acme", "deploy", "The deploy key rotates on Mondays.")
        print(memory.context.search("acme", "when does the key rotate?")[0].text)

One background thread owns one event loop for as long as the memory is open, so it works from any thread and inside a
running loop.
"""

import asyncio
import threading
from collections.abc import Coroutine, Mapping, Sequence
from datetime import datetime
from types import TracebackType
from typing import Any, Final, Self, TypeVar

from opencompany_memory.host import boot as _boot
from opencompany_memory.overlay import Chunk, ChunkHit, ChunkPage, ContextStore, MemoryOverlay, PurgeReport

Result = TypeVar("Result")


_FAREWELL_SECONDS: Final = 2.0


class _Closed(RuntimeError):
    """The loop takes no more work."""


class _Loop:
    """An event loop on a thread of its own."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._closed = False
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, name="memory-sync", daemon=True)
        self._thread.start()

    def run(self, work: Coroutine[Any, Any, Result]) -> Result:
        with self._lock:
            if self._closed:
                work.close()
                raise _Closed("this memory was closed")
            future = asyncio.run_coroutine_threadsafe(work, self._loop)
        return future.result()

    def close(self) -> None:
        with self._lock:
            if self._closed:
                return
            self._closed = True
        asyncio.run_coroutine_threadsafe(_finish_the_others(), self._loop).result()
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join()
        self._loop.close()


async def _finish_the_others() -> None:
    """Let the calls of other threads come to their end: who waits for a stopped loop waits for ever."""
    others = asyncio.all_tasks() - {asyncio.current_task()}
    if others:
        _, late = await asyncio.wait(others, timeout=_FAREWELL_SECONDS)
        for task in late:
            task.cancel()
        await asyncio.gather(*late, return_exceptions=True)


class SyncContextStore:
    """`overlay.ContextStore`, method by method; see there for what each does and raises."""

    def __init__(self, store: ContextStore, loop: _Loop) -> None:
        self._store = store
        self._loop = loop

    def put(
        self, company: str, label: str, text: str, *, session: str | None = None, timestamp: datetime | None = None
    ) -> str:
        """Store a text; its address."""
        return self._loop.run(self._store.put(company, label, text, session=session, timestamp=timestamp))

    def get(self, company: str, address: str) -> Chunk | None:
        """The chunk at an address, or None."""
        return self._loop.run(self._store.get(company, address))

    def list(self, company: str, prefix: str = "", *, limit: int = 100, cursor: str | None = None) -> ChunkPage:
        """Claims whose label begins with a prefix, newest first."""
        return self._loop.run(self._store.list(company, prefix, limit=limit, cursor=cursor))

    def search(self, company: str, query: str, *, limit: int = 10) -> Sequence[ChunkHit]:
        """The chunks that answer a query best."""
        return self._loop.run(self._store.search(company, query, limit=limit))

    def delete(self, company: str, address: str) -> bool:
        """Remove a body with every claim on it."""
        return self._loop.run(self._store.delete(company, address))

    def delete_label(self, company: str, address: str, label: str) -> bool:
        """Remove one claim."""
        return self._loop.run(self._store.delete_label(company, address, label))

    def forget(self, company: str, label_or_address: str) -> int:
        """Remove every claim of a label, or a whole body."""
        return self._loop.run(self._store.forget(company, label_or_address))


class SyncMemory:
    """`overlay.MemoryOverlay` without `await`."""

    def __init__(self, overlay: MemoryOverlay, loop: _Loop) -> None:
        self._overlay = overlay
        self._loop = loop
        self.context = SyncContextStore(overlay.context, loop)

    @property
    def descriptor(self) -> Any:
        """What is known of the bound driver."""
        return self._overlay.descriptor

    def purge(self, company: str) -> PurgeReport:
        """Remove everything of a company."""
        return self._loop.run(self._overlay.purge(company))

    def close(self) -> None:
        """Close the engine. Calling it again does nothing."""
        try:
            self._loop.run(self._overlay.aclose())
        except _Closed:
            return
        finally:
            self._loop.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


def boot(environ: Mapping[str, str] | None = None) -> SyncMemory:
    """Bind the memory engine that `environ` (the process's own when None) selects.

    Raises:
        BootRefused: a setting is wrong, or the driver is not what it claims to be; the message says what to change.
    """
    loop = _Loop()
    try:
        return SyncMemory(loop.run(_boot(environ, surface="python-sync")), loop)
    except BaseException:
        loop.close()
        raise
