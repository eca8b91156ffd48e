"""The checks that every driver makes before anything is sent."""

import math
from collections.abc import Callable
from datetime import UTC, datetime, timedelta, timezone
from enum import IntEnum
from typing import Any

import pytest

from opencompany_memory.contract import Category, InvalidInput, SourceScope, Taint
from opencompany_memory.contract import validation as check

SECRET = "the-vault-code-is-4711"
LONE = f"{SECRET}\udc80"


class Number(IntEnum):
    """Looks like an int and is none."""

    ONE = 1


@pytest.mark.parametrize(
    ("checked", "value"),
    [
        (check.check_namespace, ""),
        (check.check_namespace, None),
        (check.check_namespace, b"ns"),
        (check.check_namespace, LONE),
        (check.check_key, ""),
        (check.check_key, None),
        (check.check_key, 7),
        (check.check_key, LONE),
        (check.check_session, 7),
        (check.check_session, LONE),
        (check.check_limit, 0),
        (check.check_limit, -1),
        (check.check_limit, True),
        (check.check_limit, 1.0),
        (check.check_limit, "1"),
        (check.check_limit, None),
        (check.check_taint, "internal"),
        (check.check_taint, None),
        (check.check_category, "core"),
        (check.check_category, None),
        (check.check_category, Category.custom(LONE)),
        (check.check_timestamp, datetime(2026, 5, 8)),
        (check.check_timestamp, "2026-05-08T00:00:00Z"),
        (check.check_timestamp, 1778248560),
        (check.check_timestamp, datetime.min.replace(tzinfo=timezone(timedelta(hours=1)))),
        (check.check_min_score, "0.5"),
        (check.check_min_score, True),
        (check.check_min_score, math.nan),
        (check.check_scope, ["mail"]),
        (check.check_scope, "mail"),
        (check.check_metadata, ""),
        (check.check_metadata, []),
        (check.check_metadata, [SECRET]),
        (check.check_metadata, {1: SECRET}),
        (check.check_metadata, {LONE: 1}),
        (check.check_metadata, {"a": LONE}),
        (check.check_metadata, {"a": {"b": SECRET}}),
        (check.check_metadata, {"a": [SECRET]}),
        (check.check_metadata, {"a": SECRET.encode()}),
        (check.check_metadata, {"a": math.nan}),
        (check.check_metadata, {"a": -math.inf}),
        (check.check_metadata, {"a": Number.ONE}),
        (check.check_metadata, {"a": 10**5000}),
    ],
)
def test_a_bad_argument_is_invalid_input_and_is_not_repeated(checked: Callable[[Any], Any], value: Any) -> None:
    with pytest.raises(InvalidInput) as caught:
        checked(value)
    assert SECRET not in str(caught.value)


@pytest.mark.parametrize("text", ["", "a\0b", "\U0010ffff", "e\u0301", "\u0301", "\ufeff", "a\r\nb", "x" * 100_000])
def test_awkward_text_is_text(text: str) -> None:
    assert check.check_text(text, "the text") == text


def test_a_limit_is_cut_at_a_thousand() -> None:
    assert [check.check_limit(n) for n in (1, 999, 1000, 1001, 10**9)] == [1, 999, 1000, 1000, 1000]


def test_metadata_is_copied() -> None:
    given = {"n": 1}
    checked = check.check_metadata(given)
    given["n"] = 2
    assert checked == {"n": 1}


def test_no_metadata_is_empty_metadata() -> None:
    assert check.check_metadata(None) == {}


def test_flat_metadata_of_every_type_is_kept() -> None:
    values = {"i": 1, "f": 1.0, "b": True, "s": "1", "n": None, "": 2**63, "big": -(10**300)}
    checked = check.check_metadata(values)
    assert [(k, type(v), v) for k, v in checked.items()] == [(k, type(v), v) for k, v in values.items()]


def test_no_timestamp_is_now_in_utc() -> None:
    before = datetime.now(UTC)
    checked = check.check_timestamp(None)
    assert before <= checked <= datetime.now(UTC)
    assert checked.tzinfo is UTC


def test_what_is_good_passes() -> None:
    scope = SourceScope(["mail"])
    assert check.check_scope(scope) is scope
    assert check.check_scope(None) is None
    assert [check.check_min_score(n) for n in (None, 0, 0.5, 2, -1)] == [None, 0, 0.5, 2, -1]
    assert check.check_taint(Taint.INTERNAL) is Taint.INTERNAL
    assert check.check_session(None) is None
