"""What a behaviour works with: a provider, namespaces of its own, and cleaning up afterwards."""

import asyncio
import contextlib
import secrets
import time
from collections.abc import Awaitable, Callable
from typing import Any, Final

from attrs import define, field

from opencompany_memory.contract import Category, EntryPage, MemoryEngineError, MemoryEntry, MemoryProvider, Taint

ROOT: Final = "oc-conformance"
_POLL_SECONDS: Final = 0.05
_MOST_PAGES: Final = 10_000


@define
class Bench:
    """One behaviour's place of work.

    `settle` is how long, in seconds, an engine may take until recall and listing show what was written; 0 for one that
    shows it at once.
    """

    provider: MemoryProvider
    settle: float = 0.0
    run_id: str = field(factory=lambda: secrets.token_hex(6))
    _used: list[str] = field(factory=list, init=False)

    @property
    def prefix(self) -> str:
        """What all namespaces of this run begin with."""
        return f"{ROOT}/{self.run_id}/"

    def namespace(self, name: str = "main") -> str:
        """A namespace of this behaviour; the same for the same name."""
        namespace = f"{self.prefix}{name}"
        if namespace not in self._used:
            self._used.append(namespace)
        return namespace

    async def store(self, namespace: str, key: str, content: str, **fields: Any) -> MemoryEntry:
        """`store` with an internal taint unless another is given."""
        return await self.provider.store(namespace, key, content, **{"taint": Taint.INTERNAL, **fields})

    async def walk(self, namespace: str, *, limit: int = 100, **filters: Any) -> list[MemoryEntry]:
        """All entries of a listing, page after page."""
        entries: list[MemoryEntry] = []
        cursor: str | None = None
        seen: set[str] = set()
        for _ in range(_MOST_PAGES):
            page = await self.provider.list(namespace, limit=limit, cursor=cursor, **filters)
            assert isinstance(page, EntryPage), f"list gave a {type(page).__name__}, not an EntryPage"
            assert len(page.entries) <= limit, f"a page of at most {limit} entries has {len(page.entries)}"
            entries += page.entries
            cursor = page.next_cursor
            if cursor is None:
                return entries
            assert cursor not in seen, "the listing does not end: a cursor came twice"
            seen.add(cursor)
        raise AssertionError("the listing does not end")

    async def eventually(self, check: Callable[[], Awaitable[None]]) -> None:
        """Let `check` pass within the time that the engine may take to show what was written."""
        deadline = time.monotonic() + self.settle
        while True:
            try:
                return await check()
            except AssertionError:
                if time.monotonic() >= deadline:
                    raise
            await asyncio.sleep(_POLL_SECONDS)

    async def clean(self) -> None:
        """Remove what was written. A driver that can't is broken enough to be told so by a behaviour, not here."""
        maintenance = self.provider.maintenance
        if maintenance is not None:
            with contextlib.suppress(MemoryEngineError, AssertionError):
                await maintenance.erase(self.prefix)
                return
        for namespace in self._used:
            with contextlib.suppress(Exception):
                for entry in await self.walk(namespace):
                    await self.provider.forget(namespace, entry.key)


def same(found: MemoryEntry | None, wanted: MemoryEntry) -> None:
    """Assert that two entries agree in all that a driver must keep; ids and scores are the engine's own."""
    assert found is not None, "a stored entry is absent"
    for name in ("namespace", "key", "content", "category", "session_id", "timestamp", "taint"):
        assert getattr(found, name) == getattr(wanted, name), f"{name} did not come back as it was stored"
    same_metadata(dict(found.metadata), dict(wanted.metadata))


def same_metadata(found: dict[str, Any], wanted: dict[str, Any]) -> None:
    """Assert that metadata agrees, types of values included."""
    assert found.keys() == wanted.keys(), "metadata came back with other keys"
    for name, value in wanted.items():
        assert type(found[name]) is type(value), (
            f"metadata {name!r} was stored as {type(value).__name__} and came back as {type(found[name]).__name__}"
        )
        assert found[name] == value, f"metadata {name!r} did not come back as it was stored"


def keys(entries: list[MemoryEntry]) -> list[str]:
    """The keys of entries, in order."""
    return [entry.key for entry in entries]


CUSTOM: Final = Category.custom("conformance")
