"""The context port: texts under labels, addressed by their content.

A chunk's address is the SHA-256 of its body in hex. Each claim of a label on a body is an entry of its own, under the
key `<address>/<label>`, with the body as its verbatim content and the label as its category. So no count of claims has
to be kept right between racing writers: forgetting a label removes exactly that claim, and the body goes with its last
one, on every engine. It costs a copy of the body for each further label, which is rare.
"""

import hashlib
import re
from collections import OrderedDict
from collections.abc import AsyncIterator, Sequence
from datetime import datetime
from typing import Final

from attrs import asdict, field, frozen

from opencompany_memory.contract import Backend, Category, InvalidInput, MemoryEntry, Taint, TooLarge
from opencompany_memory.contract import validation as check
from opencompany_memory.overlay.bound import Bound
from opencompany_memory.overlay.guard import Guard
from opencompany_memory.overlay.namespace import Namespace, Scope

MAX_BODY: Final = 1024 * 1024
"""Bytes of UTF-8 in one chunk."""
MAX_LABEL: Final = 512
"""Bytes of UTF-8 in a label."""
_SNIPPET: Final = 200
_PAGE: Final = 500
_MOST: Final = check.MAX_LIMIT
_REMEMBERED: Final = 10_000
_ADDRESS: Final = re.compile(r"[0-9a-f]{64}")


@frozen
class ChunkMeta:
    """A claim: which label holds which body. `length` is in bytes of UTF-8; `stored_at` is aware, UTC."""

    address: str
    label: str
    length: int
    stored_at: datetime
    session: str | None
    taint: Taint


@frozen
class Chunk(ChunkMeta):
    """A claim with its body."""

    text: str = field(repr=False)

    @property
    def claim(self) -> ChunkMeta:
        """Without the body."""
        return ChunkMeta(self.address, self.label, self.length, self.stored_at, self.session, self.taint)


@frozen
class ChunkHit(Chunk):
    """A chunk that answers a search. `score` is 0..1, higher is better, or None where the engine has none."""

    score: float | None

    @property
    def snippet(self) -> str:
        """The beginning of the text, on one line, at most 200 characters."""
        line = " ".join(self.text.split())
        return line if len(line) <= _SNIPPET else f"{line[: _SNIPPET - 1]}…"


@frozen
class ChunkPage:
    """Some claims; `next_cursor` asks for what follows, None says that nothing does."""

    chunks: Sequence[ChunkMeta]
    next_cursor: str | None


def address_of(text: str) -> str:
    """The address of a body."""
    return hashlib.sha256(text.encode()).hexdigest()


def is_address(text: str) -> bool:
    """Whether `text` has the form of an address."""
    return _ADDRESS.fullmatch(text) is not None


class ContextStore:
    """The port. Every method takes the company id first."""

    def __init__(self, bound: Bound, guard: Guard) -> None:
        self._bound = bound
        self._guard = guard
        # Which label a body was last seen under, so that reading it is a keyed call and not a listing.
        self._labels: OrderedDict[tuple[Namespace, str], str] = OrderedDict()

    async def put(
        self, company: str, label: str, text: str, *, session: str | None = None, timestamp: datetime | None = None
    ) -> str:
        """Store `text` under `label`; its address. The same text under the same label again changes nothing.

        `session` groups the turns of one conversation, whose neighbours help to find each other; `timestamp` is when it
        was said, now when None.

        Raises:
            InvalidInput: an empty label, a naive timestamp, text that is not UTF-8.
            TooLarge: over 1 MiB of text or 512 bytes of label; nothing was stored.
        """
        namespace = Namespace.of(company, Scope.CONTEXT)
        _check(label, text)
        address = address_of(text)
        key = _key(address, label)
        at = check.check_timestamp(timestamp)
        known = await self._keyed(namespace, key)
        if known is None or known.content != text:
            await self._bound.core.store(
                str(namespace),
                key,
                text,
                taint=Taint.INTERNAL,
                category=Category.custom(label),
                session_id=check.check_session(session),
                timestamp=at,
            )
        self._remember(namespace, address, label)
        return address

    async def get(self, company: str, address: str) -> Chunk | None:
        """The chunk at `address`, or None.

        Raises:
            InvalidInput: not an address.
            Backend: the engine handed back another text than was stored.
        """
        namespace = Namespace.of(company, Scope.CONTEXT)
        _check_address(address)
        label = self._labels.get((namespace, address))
        if label is not None:
            entry = await self._keyed(namespace, _key(address, label))
            if entry is not None:
                return self._whole(namespace, entry)
        async for entry in self._walk(namespace, key_prefix=f"{address}/"):
            return self._whole(namespace, entry)
        return None

    async def list(self, company: str, prefix: str = "", *, limit: int = 100, cursor: str | None = None) -> ChunkPage:
        """Claims whose label begins with `prefix`, newest first. A page may hold fewer than `limit`.

        Raises:
            InvalidInput: a cursor of another listing, or a limit below one.
        """
        namespace = Namespace.of(company, Scope.CONTEXT)
        check.check_text(prefix, "the prefix")
        seen: set[str | None] = {cursor}
        while True:
            page = await self._bound.core.list(str(namespace), limit=check.check_limit(limit), cursor=cursor)
            found = [
                chunk.claim
                for entry in self._guard.own(namespace, page.entries)
                if (chunk := self._decode(namespace, entry)) and chunk.label.startswith(prefix)
            ]
            if found or page.next_cursor is None:
                return ChunkPage(found, page.next_cursor)
            cursor = _next(page.next_cursor, seen)

    async def search(self, company: str, query: str, *, limit: int = 10) -> Sequence[ChunkHit]:
        """At most `limit` chunks, most relevant first; each body once, however many labels it has.

        Raises:
            InvalidInput: a limit below one.
        """
        namespace = Namespace.of(company, Scope.CONTEXT)
        limit = asked = check.check_limit(limit)
        while True:
            entries = await self._bound.recall.recall(str(namespace), query, limit=asked)
            hits = self._hits(namespace, entries)
            if len(hits) >= limit or len(entries) < asked or asked >= _MOST:
                return hits[:limit]
            asked = min(_MOST, 2 * asked)  # bodies with several labels took more than one place

    async def delete(self, company: str, address: str) -> bool:
        """Remove the body at `address` with every claim on it; whether there was one.

        Raises:
            InvalidInput: not an address.
        """
        namespace = Namespace.of(company, Scope.CONTEXT)
        _check_address(address)
        return (
            await self._remove(
                namespace, [entry.key async for entry in self._walk(namespace, key_prefix=f"{address}/")]
            )
            > 0
        )

    async def delete_label(self, company: str, address: str, label: str) -> bool:
        """Remove the claim of `label` on the body at `address`; whether there was one. The last claim takes the body.

        Raises:
            InvalidInput: not an address, or an empty label.
        """
        namespace = Namespace.of(company, Scope.CONTEXT)
        _check_address(address)
        _check(label, "")
        return await self._remove(namespace, [_key(address, label)]) > 0

    async def forget(self, company: str, label_or_address: str) -> int:
        """Remove every claim of a label, or a whole body by its address: what a search shows is accepted as it is.

        Returns how many claims went.

        Raises:
            InvalidInput: an empty label.
        """
        namespace = Namespace.of(company, Scope.CONTEXT)
        _check(label_or_address, "")
        keys: list[str] = []
        if is_address(label_or_address):
            keys = [entry.key async for entry in self._walk(namespace, key_prefix=f"{label_or_address}/")]
        if not keys:
            label = Category.custom(label_or_address)
            keys = [entry.key async for entry in self._walk(namespace, category=label)]
        return await self._remove(namespace, keys)

    async def _keyed(self, namespace: Namespace, key: str) -> MemoryEntry | None:
        """The entry at `key`, unless the engine handed back somebody else's or another one."""
        entry = await self._bound.core.get(str(namespace), key)
        for own in self._guard.own(namespace, () if entry is None else (entry,)):
            if own.key == key:
                return own
            self._guard.unreadable(namespace)
        return None

    async def _walk(
        self, namespace: Namespace, *, key_prefix: str | None = None, category: Category | None = None
    ) -> AsyncIterator[MemoryEntry]:
        """Own entries that pass, page after page. An engine that did not filter does not matter."""
        cursor: str | None = None
        seen: set[str | None] = set()
        while True:
            page = await self._bound.core.list(
                str(namespace), key_prefix=key_prefix, category=category, limit=_PAGE, cursor=cursor
            )
            for entry in self._guard.own(namespace, page.entries):
                if (key_prefix is None or entry.key.startswith(key_prefix)) and category in (None, entry.category):
                    yield entry
            if page.next_cursor is None:
                return
            cursor = _next(page.next_cursor, seen)

    async def _remove(self, namespace: Namespace, keys: Sequence[str]) -> int:
        gone = 0
        for key in keys:
            self._labels.pop((namespace, key[:64]), None)
            gone += await self._bound.core.forget(str(namespace), key)
        return gone

    def _hits(self, namespace: Namespace, entries: Sequence[MemoryEntry]) -> Sequence[ChunkHit]:
        hits: dict[str, ChunkHit] = {}
        for entry in self._guard.own(namespace, entries):
            chunk = self._decode(namespace, entry)
            if chunk is not None and chunk.address not in hits:
                self._remember(namespace, chunk.address, chunk.label)
                hits[chunk.address] = ChunkHit(**asdict(chunk, recurse=False), score=entry.score)
        return list(hits.values())

    def _decode(self, namespace: Namespace, entry: MemoryEntry) -> Chunk | None:
        """The chunk in an entry; None, counted, when it is not what we wrote."""
        address, slash, label = entry.key.partition("/")
        if not slash or not label or address != address_of(entry.content):
            self._guard.unreadable(namespace)
            return None
        length = len(entry.content.encode())
        return Chunk(address, label, length, entry.timestamp, entry.session_id, entry.taint, entry.content)

    def _whole(self, namespace: Namespace, entry: MemoryEntry) -> Chunk:
        chunk = self._decode(namespace, entry)
        if chunk is None:
            raise Backend("the engine handed back another text than was stored under this address")
        self._remember(namespace, chunk.address, chunk.label)
        return chunk

    def _remember(self, namespace: Namespace, address: str, label: str) -> None:
        self._labels[namespace, address] = label
        if len(self._labels) > _REMEMBERED:
            self._labels.popitem(last=False)


def _next(cursor: str, seen: set[str | None]) -> str:
    if cursor in seen:
        raise Backend("the engine's listing does not advance: it gave the same cursor twice")
    seen.add(cursor)
    return cursor


def _key(address: str, label: str) -> str:
    return f"{address}/{label}"


def _check(label: str, text: str) -> None:
    if not check.check_text(label, "the label"):
        raise InvalidInput("the label is empty; give the text a name to find it by")
    if len(label.encode()) > MAX_LABEL:
        raise TooLarge(f"a label holds at most {MAX_LABEL} bytes of UTF-8, this one has {len(label.encode())}")
    size = len(check.check_text(text, "the text").encode())
    if size > MAX_BODY:
        raise TooLarge(f"a chunk holds at most {MAX_BODY} bytes of UTF-8, this one has {size}; store it in parts")


def _check_address(address: str) -> None:
    if not isinstance(address, str) or not is_address(address):
        raise InvalidInput("an address is 64 hexadecimal digits in lower case, as `put` returned it")
