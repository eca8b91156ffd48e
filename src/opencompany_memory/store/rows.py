"""Between values of the contract and columns."""

import json
from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from typing import Any, Final

from opencompany_memory.contract import Category, MemoryEntry, Metadata, Taint

_EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)
_MICROSECOND: Final = timedelta(microseconds=1)
_INTERNAL: Final = Taint.INTERNAL.value

ENTRY_COLUMNS: Final = "id, key, content, category, session, at, taint, metadata"


def to_micros(moment: datetime) -> int:
    """Microseconds since 1970, exactly."""
    return (moment - _EPOCH) // _MICROSECOND


def from_micros(micros: int) -> datetime:
    """The moment, in UTC."""
    return _EPOCH + timedelta(microseconds=micros)


def dump_metadata(metadata: Mapping[str, Any]) -> str:
    """Metadata as JSON text, which keeps the difference between 1, 1.0, true and "1"."""
    return json.dumps(metadata, ensure_ascii=False, separators=(",", ":")) if metadata else "{}"


def load_metadata(text: str) -> Metadata:
    """The inverse of `dump_metadata`."""
    if text == "{}":
        return {}
    metadata: Metadata = json.loads(text)
    return metadata


def load_taint(text: str) -> Taint:
    """The taint; whatever can't be read is external."""
    return Taint.INTERNAL if text == _INTERNAL else Taint.EXTERNAL_SYNC


def entry(namespace: str, row: tuple[Any, ...], score: float | None = None) -> MemoryEntry:
    """The entry in a row of `ENTRY_COLUMNS`."""
    number, key, content, category, session, at, taint, metadata = row
    return MemoryEntry(
        str(number),
        namespace,
        key,
        content,
        Category.parse(category),
        session,
        from_micros(at),
        load_taint(taint),
        load_metadata(metadata),
        score,
    )


def same_metadata(one: Metadata, other: Metadata) -> bool:
    """Whether two are equal, types included: 1, 1.0 and true are three different values."""
    return one == other and all(type(value) is type(other[name]) for name, value in one.items())
