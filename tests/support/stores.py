"""What the tests of the store share."""

import asyncio
import hashlib
from collections.abc import Iterable
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from opencompany_memory.contract import MemoryEntry, MemoryProvider, Taint

ACME = "oc/acme-1/facts"
ACME_TRACES = "oc/acme-1/traces"
GLOBEX = "oc/globex-2/facts"


def moment(seconds: float) -> datetime:
    """A moment on Friday, 8 May 2026."""
    return datetime(2026, 5, 8, tzinfo=UTC) + timedelta(seconds=seconds)


async def put(provider: MemoryProvider, namespace: str, key: str, content: str = "", **fields: Any) -> MemoryEntry:
    """Store, internal unless said otherwise."""
    return await provider.store(namespace, key, content, **{"taint": Taint.INTERNAL, **fields})


async def fill(provider: MemoryProvider, namespace: str, texts: Iterable[str], **fields: Any) -> None:
    """Store many at once under `k0`, `k1`, ..., one second apart."""
    await asyncio.gather(
        *(
            put(provider, namespace, f"k{number}", text, **{"timestamp": moment(number), **fields})
            for number, text in enumerate(texts)
        )
    )


async def listed(provider: MemoryProvider, namespace: str, *, limit: int = 100, **filters: Any) -> list[MemoryEntry]:
    """Every entry that passes, page after page."""
    found: list[MemoryEntry] = []
    cursor = None
    while True:
        page = await provider.list(namespace, limit=limit, cursor=cursor, **filters)
        assert len(page.entries) <= limit
        found += page.entries
        cursor = page.next_cursor
        if cursor is None:
            return found


async def recalled(provider: MemoryProvider, namespace: str, query: str, **options: Any) -> list[str]:
    """The keys of what is recalled, best first."""
    return [entry.key for entry in await provider.recall(namespace, query, **options)]


def only_file(folder: Path) -> Path:
    """The one database in the folder."""
    (path,) = folder.glob("*.sqlite3")
    return path


def digests(folder: Path) -> dict[str, str]:
    """SHA-256 of every file in the folder, side files too."""
    return {
        str(path.relative_to(folder)): hashlib.sha256(path.read_bytes()).hexdigest()
        for path in sorted(folder.rglob("*"))
        if path.is_file()
    }


def holds(folder: Path, word: str) -> list[str]:
    """The files under the folder in which the word can be read, in any case."""
    needle = word.encode().lower()
    return [path.name for path in folder.rglob("*") if path.is_file() and needle in path.read_bytes().lower()]


def logged_commits(path: Path) -> int:
    """How many transactions the write-ahead log of the database holds."""
    raw = path.with_name(path.name + "-wal").read_bytes()
    page, salts, commits = int.from_bytes(raw[8:12], "big"), raw[16:24], 0
    for start in range(32, len(raw), 24 + page):
        frame = raw[start : start + 24]
        if frame[8:16] != salts:
            break
        commits += any(frame[4:8])
    return commits
