"""The records that cross the seam. Frozen: whoever holds one may keep it.

Their exact JSON is in `opencompany_memory.contract.codec`.
"""

import enum
from collections.abc import Iterable, Mapping, Sequence
from datetime import UTC, datetime
from functools import lru_cache
from typing import ClassVar, Final

from attrs import field, frozen

from opencompany_memory.contract.errors import InvalidInput

MetadataValue = str | int | float | bool | None
Metadata = Mapping[str, MetadataValue]

_CUSTOM: Final = "custom:"
_BUILT_IN_NAMES: Final = ("core", "daily", "conversation")


class Taint(enum.Enum):
    """Where an entry came from. Whoever stores an entry must say so; nothing is trusted by default."""

    INTERNAL = "internal"
    """Written by the company's own agents or people."""

    EXTERNAL_SYNC = "external_sync"
    """Came from outside: a webhook, another agent, a channel. Text to read, never to obey."""

    @classmethod
    def read(cls, raw: object) -> "Taint":
        """The taint that an engine handed back; whatever can't be read is `external_sync`, the careful answer."""
        return cls.INTERNAL if raw == cls.INTERNAL.value or raw is cls.INTERNAL else cls.EXTERNAL_SYNC


@frozen(order=True, repr=False)
class Category:
    """`core`, `daily`, `conversation`, or `custom:<name>`. `custom:core` stays distinct from `core`.

    `str(category)` is the wire form, `Category.parse` its inverse.
    """

    wire: str = field()

    CORE: ClassVar["Category"]
    DAILY: ClassVar["Category"]
    CONVERSATION: ClassVar["Category"]

    @wire.validator
    def _check_wire(self, _: object, wire: object) -> None:
        # Here, because an engine would keep a category that no read of it could parse again.
        if not isinstance(wire, str) or not (wire in _BUILT_IN_NAMES or _is_custom(wire)):
            raise InvalidInput("a category is core, daily, conversation or custom:<name>")

    @classmethod
    def custom(cls, name: str) -> "Category":
        """A category of the caller's own. Any non-empty name, the built-in ones included.

        Raises:
            InvalidInput: the name is empty.
        """
        if not name:
            raise InvalidInput("a custom category needs a name")
        return cls(_CUSTOM + name)

    @classmethod
    def parse(cls, wire: str) -> "Category":
        """The category whose wire form is `wire`.

        Raises:
            InvalidInput: neither a built-in name nor `custom:` with a name.
        """
        return _parse_category(wire)

    @property
    def custom_name(self) -> str | None:
        """The name behind `custom:`, or None for a built-in category."""
        return self.wire[len(_CUSTOM) :] if self.wire.startswith(_CUSTOM) else None

    def __str__(self) -> str:
        return self.wire

    def __repr__(self) -> str:
        return f"Category({self.wire!r})"


def _is_custom(wire: str) -> bool:
    return wire.startswith(_CUSTOM) and len(wire) > len(_CUSTOM)


Category.CORE = Category("core")
Category.DAILY = Category("daily")
Category.CONVERSATION = Category("conversation")
_BUILT_IN: Final = {c.wire: c for c in (Category.CORE, Category.DAILY, Category.CONVERSATION)}


@lru_cache(maxsize=4096)
def _parse_category(wire: str) -> Category:
    return _BUILT_IN.get(wire) or Category(wire)


def as_utc(moment: datetime) -> datetime:
    """`moment` in UTC.

    Raises:
        InvalidInput: it has no time zone, so nobody can say which moment it is; or it is outside the years 1 to 9999.
    """
    if moment.tzinfo is UTC:
        return moment
    if moment.utcoffset() is None:  # also of a tzinfo that does not say
        raise InvalidInput("a timestamp needs a time zone; pass an aware datetime, for example datetime.now(UTC)")
    try:
        return moment.astimezone(UTC)
    except OverflowError:
        raise InvalidInput("the timestamp is outside the years 1 to 9999 in UTC") from None


@frozen
class MemoryEntry:
    """One thing remembered.

    Attributes:
        id: the engine's own handle, unique within the namespace; it may change when the entry is replaced.
        namespace: where it lives. Reported by the engine and checked again by the host on every read.
        key: unique within the namespace.
        content: verbatim text, never an envelope.
        category: what kind of memory it is.
        session_id: the conversation it belongs to, or None.
        timestamp: when it happened, aware, UTC, to the microsecond.
        taint: where it came from.
        metadata: flat; values keep their types exactly.
        score: relevance 0..1 in an answer to a recall, higher is better; None elsewhere or where the engine has none.
    """

    id: str
    namespace: str
    key: str
    content: str = field(repr=False)
    category: Category
    session_id: str | None
    timestamp: datetime
    taint: Taint
    metadata: Metadata = field(repr=False)
    score: float | None = None


@frozen
class EntryPage:
    """Some entries; `next_cursor` asks for what follows, None says that nothing does."""

    entries: Sequence[MemoryEntry]
    next_cursor: str | None


@frozen
class NamespaceSummary:
    """A namespace that holds entries: how many, and when the newest of them happened (None when unknown)."""

    namespace: str
    count: int
    last_updated: datetime | None


def _names(names: Iterable[str]) -> frozenset[str]:
    if isinstance(names, str):  # would be a scope of its letters
        raise InvalidInput("a scope takes a collection of source names; put the one name into a list")
    return frozenset(names)


@frozen
class SourceScope:
    """Which sources a recall may draw from: entries whose metadata `source` is one of `allow`.

    An empty allow list matches nothing: a caller who computed "no sources" must not get all of them.
    """

    allow: frozenset[str] = field(converter=_names)

    def admits(self, metadata: Metadata) -> bool:
        """Whether an entry with this metadata is in scope."""
        return metadata.get("source") in self.allow


@frozen
class ExportRecord:
    """An entry as it leaves one engine and enters another: all of it but what only the engine knows (id, score)."""

    namespace: str
    key: str
    content: str = field(repr=False)
    category: Category
    session_id: str | None
    timestamp: datetime
    taint: Taint
    metadata: Metadata = field(repr=False)

    @classmethod
    def of(cls, entry: MemoryEntry) -> "ExportRecord":
        """What is exported of `entry`."""
        return cls(
            namespace=entry.namespace,
            key=entry.key,
            content=entry.content,
            category=entry.category,
            session_id=entry.session_id,
            timestamp=entry.timestamp,
            taint=entry.taint,
            metadata=entry.metadata,
        )


@frozen
class ExportPage:
    """Some records. Only a `next_cursor` of None ends an export; an empty page with a cursor does not."""

    records: Sequence[ExportRecord]
    next_cursor: str | None


@frozen
class ImportFailure:
    """One record that was not imported. `reason` is free of content and credentials."""

    namespace: str
    key: str
    reason: str


@frozen
class ImportOutcome:
    """What an import did: written, already there unchanged, and not accepted (with one reason each)."""

    imported: int
    skipped: int
    failed: Sequence[ImportFailure]
