"""The checks on arguments that every driver makes before anything is sent.

In the contract, so that the same bad input gives the same error whatever engine is bound.
"""

import math
from collections.abc import Mapping
from datetime import UTC, datetime

from opencompany_memory.contract.errors import InvalidInput
from opencompany_memory.contract.records import Category, Metadata, SourceScope, Taint, as_utc

MAX_LIMIT = 1000
_MAX_INT_BITS = 8192  # readers of JSON stop at some length: Python's own at 4,300 digits


def check_text(value: object, what: str) -> str:
    """`value` if it is text that UTF-8 can carry.

    Raises:
        InvalidInput: not a string, or one with a lone surrogate, which no engine can store.
    """
    if not isinstance(value, str):
        raise InvalidInput(f"{what} must be text, not {type(value).__name__}")
    if not value.isascii():
        try:
            value.encode()
        except UnicodeEncodeError:
            raise InvalidInput(f"{what} holds a lone surrogate, which is not text in UTF-8") from None
    return value


def check_namespace(value: object) -> str:
    """`value` if it can name a namespace.

    Raises:
        InvalidInput: empty or not text. No namespace never means every namespace.
    """
    namespace = check_text(value, "the namespace")
    if not namespace:
        raise InvalidInput("the namespace is empty; memory always belongs to one namespace")
    return namespace


def check_key(value: object) -> str:
    """`value` if it can be a key.

    Raises:
        InvalidInput: empty or not text.
    """
    key = check_text(value, "the key")
    if not key:
        raise InvalidInput("the key is empty")
    return key


def check_limit(value: object) -> int:
    """`value` if it is a whole number of at least 1; answers are cut at 1,000 a page.

    Raises:
        InvalidInput: below one or not a whole number.
    """
    if not isinstance(value, int) or isinstance(value, bool) or value < 1:
        raise InvalidInput("the limit must be a whole number of at least 1")
    return min(value, MAX_LIMIT)


def check_metadata(value: Metadata | None) -> dict[str, str | int | float | bool | None]:
    """A copy of `value`, if it is a flat mapping of text to str, int, float, bool or None.

    Raises:
        InvalidInput: nested, a key that is not text, or a number that JSON has no form for.
    """
    if value is None:
        return {}
    if not isinstance(value, Mapping):
        raise InvalidInput(f"metadata must be a mapping, not {type(value).__name__}")
    checked: dict[str, str | int | float | bool | None] = {}
    for name, item in value.items():
        check_text(name, "a metadata key")
        if type(item) not in (str, int, float, bool, type(None)):
            raise InvalidInput(
                f"metadata is flat: {name!r} is a {type(item).__name__}, not str, int, float, bool or None"
            )
        if isinstance(item, str):
            check_text(item, f"metadata {name!r}")
        elif isinstance(item, float) and not math.isfinite(item):
            raise InvalidInput(f"metadata {name!r} is not a finite number")
        elif type(item) is int and item.bit_length() > _MAX_INT_BITS:
            raise InvalidInput(f"metadata {name!r} is a number of more than {_MAX_INT_BITS} bits")
        checked[name] = item
    return checked


def check_taint(value: object) -> Taint:
    """`value` if it is a `Taint`.

    Raises:
        InvalidInput: anything else, a string included; a taint must be meant.
    """
    if not isinstance(value, Taint):
        raise InvalidInput("taint must be Taint.INTERNAL or Taint.EXTERNAL_SYNC")
    return value


def check_category(value: object) -> Category:
    """`value` if it is a `Category`.

    Raises:
        InvalidInput: anything else.
    """
    if not isinstance(value, Category):
        raise InvalidInput("category must be a Category, for example Category.CORE or Category.custom('notes')")
    check_text(value.wire, "the category")
    return value


def check_session(value: object) -> str | None:
    """`value` if it is None or text.

    Raises:
        InvalidInput: anything else.
    """
    return None if value is None else check_text(value, "the session id")


def check_timestamp(value: datetime | None) -> datetime:
    """`value` in UTC, or now when it is None.

    Raises:
        InvalidInput: not a datetime, one without a time zone, or outside the years 1 to 9999 in UTC.
    """
    if value is None:
        return datetime.now(UTC)
    if not isinstance(value, datetime):
        raise InvalidInput(f"the timestamp must be a datetime, not {type(value).__name__}")
    return as_utc(value)


def check_min_score(value: object) -> float | None:
    """`value` if it is None or a number.

    Raises:
        InvalidInput: anything else, NaN included.
    """
    if value is None:
        return None
    if isinstance(value, bool) or not isinstance(value, int | float) or value != value:  # NaN is not itself
        raise InvalidInput("the least score must be a number or None")
    return value


def check_scope(value: object) -> SourceScope | None:
    """`value` if it is None or a `SourceScope`.

    Raises:
        InvalidInput: anything else.
    """
    if value is not None and not isinstance(value, SourceScope):
        raise InvalidInput(f"the scope must be a SourceScope or None, not {type(value).__name__}")
    return value
