"""The exact JSON of the records: `to_json` and `from_json` are inverses, types of metadata values included.

Timestamps are RFC 3339 in UTC with microseconds and a `Z`. Categories and taints are their wire strings. A taint that
can't be read is `external_sync`; everything else that can't be read is an error.
"""

import json
import math
import re
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from typing import Any, Final, TypeVar, cast

import cattrs
from cattrs.gen import make_dict_structure_fn

from opencompany_memory.contract.errors import InvalidInput
from opencompany_memory.contract.records import (
    Category,
    EntryPage,
    ExportPage,
    ExportRecord,
    ImportFailure,
    ImportOutcome,
    MemoryEntry,
    Metadata,
    NamespaceSummary,
    Taint,
    as_utc,
)
from opencompany_memory.contract.validation import check_metadata, check_text

Record = TypeVar("Record")

# RFC 3339 section 5.6; datetime.fromisoformat accepts far more (week dates, no zone, comma fractions).
_RFC3339: Final = re.compile(
    r"(\d{4}-\d{2}-\d{2})[Tt ](\d{2}:\d{2}:\d{2})(?:\.(\d{1,9}))?([Zz]|[+-]\d{2}:\d{2})", re.ASCII
)


def format_timestamp(moment: datetime) -> str:
    """RFC 3339, UTC, always six digits of fraction, so that strings sort as moments do.

    Raises:
        InvalidInput: no time zone.
    """
    return as_utc(moment).strftime("%Y").rjust(4, "0") + as_utc(moment).strftime("-%m-%dT%H:%M:%S.%fZ")


def parse_timestamp(text: str) -> datetime:
    """The moment, in UTC. Digits beyond the microsecond are cut.

    Raises:
        InvalidInput: not RFC 3339, or without a zone.
    """
    match = _RFC3339.fullmatch(text) if isinstance(text, str) else None
    if match is None:
        raise InvalidInput("a timestamp is RFC 3339 with a zone, for example 2026-05-08T13:56:00Z")
    day, clock, fraction, zone = match.groups()
    zone = "+00:00" if zone in "Zz" else zone
    try:
        return datetime.fromisoformat(f"{day}T{clock}.{(fraction or '')[:6].ljust(6, '0')}{zone}").astimezone(UTC)
    except (ValueError, OverflowError):
        raise InvalidInput("the timestamp is no date and time that exists") from None


def to_json(record: object) -> Any:
    """What `record` (or a sequence of records) is in JSON: dicts, lists, str, int, float, bool, None."""
    return _CONVERTER.unstructure(record)


def from_json(raw: Any, kind: type[Record]) -> Record:
    """The record of type `kind` that `raw` stands for.

    Raises:
        InvalidInput: a missing, unknown or ill-typed field.
    """
    try:
        return _CONVERTER.structure(raw, kind)
    except (cattrs.BaseValidationError, ValueError, TypeError, KeyError) as error:
        raise InvalidInput(f"not a valid {kind.__name__}: {_first_reason(error)}") from None


def dumps(record: object) -> str:
    """`to_json`, as compact JSON text."""
    return json.dumps(to_json(record), ensure_ascii=False, separators=(",", ":"), allow_nan=False)


def loads(text: str | bytes, kind: type[Record]) -> Record:
    """`from_json` of JSON text.

    Raises:
        InvalidInput: not JSON, or not such a record.
    """
    try:
        raw = json.loads(text)
    except (ValueError, RecursionError):
        raise InvalidInput(f"not a valid {kind.__name__}: not JSON") from None
    return from_json(raw, kind)


def _first_reason(error: BaseException) -> str:
    """Where and why, as in `entries[0].id is missing`; never a value: values may be somebody's memory."""
    path, inner = "", error
    while True:
        for note in reversed(getattr(inner, "__notes__", [])):  # the innermost was added first
            if isinstance(note, cattrs.AttributeValidationNote):
                path += f".{note.name}"
            elif isinstance(note, cattrs.IterableValidationNote):
                path += f"[{note.index}]"
        if not isinstance(inner, BaseExceptionGroup):
            break
        inner = inner.exceptions[0]
    return f"{path.lstrip('.')} {_what(inner)}" if path else f"it {_what(inner)}"


def _what(error: BaseException) -> str:
    if isinstance(error, cattrs.ForbiddenExtraKeysError):
        return "has a field that is not known"
    if isinstance(error, KeyError):
        return "is missing"
    return str(error) if isinstance(error, _IllTyped) else "has the wrong type"


class _IllTyped(ValueError):
    """A value of the wrong type; its text names types only."""


def _exactly(kind: type) -> Any:
    def structure(value: Any, _: Any) -> Any:
        if type(value) is not kind:
            raise _IllTyped(f"must be {kind.__name__}, not {type(value).__name__}")
        return value

    return structure


def _text(value: Any, _: Any) -> str:
    if type(value) is not str:
        raise _IllTyped(f"must be str, not {type(value).__name__}")
    try:
        return check_text(value, "it")
    except InvalidInput:
        raise _IllTyped("holds a lone surrogate, which is not text in UTF-8") from None


def _score(value: Any, _: Any) -> float | None:
    if value is None:
        return None
    try:
        number = float(value) if type(value) in (int, float) else math.nan
    except OverflowError:  # an int beyond every float
        number = math.inf
    if not math.isfinite(number):
        raise _IllTyped("must be a finite number or null")
    return number


def _optional(structure: Any, kind: Any) -> Any:
    return lambda value, _: None if value is None else structure(value, kind)


def _wrap_invalid(function: Any) -> Any:
    def structure(value: Any, _: Any) -> Any:
        text = _text(value, str)
        try:
            return function(text)
        except InvalidInput as error:
            raise _IllTyped(str(error)) from None

    return structure


def _metadata(value: Any, _: Any) -> Metadata:
    if not isinstance(value, Mapping):
        raise _IllTyped(f"must be an object, not {type(value).__name__}")
    try:
        return check_metadata(cast(Metadata, value))
    except InvalidInput:
        raise _IllTyped("must be flat, with values of str, int, float, bool or null") from None


def _sequence(value: Any, kind: Any, converter: cattrs.Converter) -> tuple[Any, ...]:
    if not isinstance(value, list | tuple):
        raise _IllTyped(f"must be a list, not {type(value).__name__}")
    items = []
    for index, item in enumerate(value):
        try:
            items.append(converter.structure(item, kind))
        except Exception as error:
            notes: list[Any] = getattr(error, "__notes__", [])
            error.__notes__ = [*notes, cattrs.IterableValidationNote("", index, kind)]
            raise
    return tuple(items)


def _record(kind: type, converter: cattrs.Converter) -> Any:
    structure = make_dict_structure_fn(cast(Any, kind), converter, _cattrs_forbid_extra_keys=True)

    def structure_object(value: Any, _: Any) -> Any:
        if not isinstance(value, Mapping):
            raise _IllTyped(f"must be an object, not {type(value).__name__}")
        return structure(value, kind)

    return structure_object


def _make_converter() -> cattrs.Converter:
    converter = cattrs.Converter(forbid_extra_keys=True)
    converter.register_structure_hook(str, _text)
    converter.register_structure_hook(int, _exactly(int))
    converter.register_structure_hook(datetime, _wrap_invalid(parse_timestamp))
    converter.register_structure_hook_func(
        lambda t: t == datetime | None, _optional(_wrap_invalid(parse_timestamp), datetime)
    )
    converter.register_structure_hook_func(lambda t: t == str | None, _optional(_text, str))
    converter.register_structure_hook_func(lambda t: t == float | None, _score)
    converter.register_structure_hook(Category, _wrap_invalid(Category.parse))
    converter.register_structure_hook(Taint, lambda value, _: Taint.read(value))
    converter.register_structure_hook_func(lambda t: t == Metadata, _metadata)
    converter.register_structure_hook_func(
        lambda t: getattr(t, "__origin__", None) is Sequence,
        lambda value, t: _sequence(value, t.__args__[0], converter),
    )
    for record in (MemoryEntry, ExportRecord, EntryPage, ExportPage, NamespaceSummary, ImportFailure, ImportOutcome):
        converter.register_structure_hook(record, _record(record, converter))
    converter.register_unstructure_hook(datetime, format_timestamp)
    converter.register_unstructure_hook(Category, str)
    converter.register_unstructure_hook(Taint, lambda taint: taint.value)
    return converter


_CONVERTER: Final = _make_converter()
