"""The exact JSON of the records."""

import json
import math
from datetime import UTC, datetime, timedelta, timezone
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from opencompany_memory.contract import (
    Category,
    EntryPage,
    ExportPage,
    ExportRecord,
    ImportFailure,
    ImportOutcome,
    InvalidInput,
    MemoryEntry,
    NamespaceSummary,
    Taint,
)
from opencompany_memory.contract.codec import dumps, format_timestamp, from_json, loads, parse_timestamp, to_json

SECRET = "the-vault-code-is-4711"

texts = st.text(st.characters(codec="utf-8"))
names = st.text(st.characters(codec="utf-8"), min_size=1)
moments = st.datetimes(min_value=datetime(1, 1, 2), max_value=datetime(9999, 12, 30), timezones=st.just(UTC))
metadata = st.dictionaries(
    texts,
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | texts,
    max_size=5,
)
categories = st.sampled_from([Category.CORE, Category.DAILY, Category.CONVERSATION]) | names.map(Category.custom)
shared = {
    "namespace": names,
    "key": names,
    "content": texts,
    "category": categories,
    "session_id": st.none() | texts,
    "timestamp": moments,
    "taint": st.sampled_from(Taint),
    "metadata": metadata,
}
exported = st.builds(ExportRecord, **shared)
remembered = st.builds(MemoryEntry, id=texts, score=st.none() | st.floats(0, 1), **shared)
failures = st.builds(ImportFailure, texts, texts, texts)
records = st.one_of(
    remembered,
    exported,
    failures,
    st.builds(EntryPage, st.lists(remembered, max_size=3).map(tuple), st.none() | texts),
    st.builds(ExportPage, st.lists(exported, max_size=3).map(tuple), st.none() | texts),
    st.builds(NamespaceSummary, names, st.integers(0), st.none() | moments),
    st.builds(ImportOutcome, st.integers(0), st.integers(0), st.lists(failures, max_size=3).map(tuple)),
)


def an_entry(**changes: Any) -> dict[str, Any]:
    entry = MemoryEntry(
        "7", "oc/acme/facts", "k", "text", Category.CORE, None, datetime(2026, 5, 8, tzinfo=UTC), Taint.INTERNAL, {}
    )
    return {**to_json(entry), **changes}


def refusal(raw: Any, kind: type = MemoryEntry) -> str:
    with pytest.raises(InvalidInput) as caught:
        from_json(raw, kind)
    return str(caught.value)


@given(records)
def test_every_record_comes_back_from_its_json_text_as_it_was(record: Any) -> None:
    assert loads(dumps(record), type(record)) == record


@given(records)
def test_json_text_is_plain_utf_8_and_strict_json(record: Any) -> None:
    def refuse(constant: str) -> None:
        raise AssertionError(constant)

    json.loads(dumps(record).encode(), parse_constant=refuse)


@given(metadata)
def test_metadata_values_keep_their_types(values: dict[str, Any]) -> None:
    back = loads(dumps(from_json(an_entry(metadata=values), MemoryEntry)), MemoryEntry).metadata
    assert [(k, type(v), v) for k, v in back.items()] == [(k, type(v), v) for k, v in values.items()]


def test_one_and_one_point_nought_and_true_and_the_text_one_stay_four_things() -> None:
    values = {"int": 1, "float": 1.0, "bool": True, "text": "1", "none": None, "minus nought": -0.0}
    back = loads(dumps(from_json(an_entry(metadata=values), MemoryEntry)), MemoryEntry).metadata
    assert {name: repr(value) for name, value in back.items()} == {name: repr(value) for name, value in values.items()}


@pytest.mark.parametrize("plane", range(17))
def test_a_character_of_every_plane_is_kept(plane: int) -> None:
    text = "".join(chr(plane * 0x10000 + offset) for offset in (0x1, 0x41, 0x300, 0xFFFD, 0xFFFF))
    assert loads(dumps(from_json(an_entry(content=text), MemoryEntry)), MemoryEntry).content == text


@given(moments)
def test_a_timestamp_is_kept_to_the_microsecond(moment: datetime) -> None:
    assert parse_timestamp(format_timestamp(moment)) == moment


@given(st.lists(moments, min_size=2, max_size=2))
def test_timestamps_sort_as_text_as_the_moments_do(pair: list[datetime]) -> None:
    one, other = pair
    assert (format_timestamp(one) < format_timestamp(other)) == (one < other)


def test_a_timestamp_of_another_zone_is_the_same_moment_in_utc() -> None:
    assert parse_timestamp("2026-05-08T15:56:00+02:00") == datetime(2026, 5, 8, 13, 56, tzinfo=UTC)
    local = datetime(2026, 5, 8, 15, 56, tzinfo=timezone(timedelta(hours=2)))
    assert format_timestamp(local) == "2026-05-08T13:56:00.000000Z"


def test_digits_beyond_the_microsecond_are_cut() -> None:
    assert parse_timestamp("2026-05-08T13:56:00.123456789Z").microsecond == 123456


@pytest.mark.parametrize(
    "text",
    [
        "",
        "2026-05-08",
        "2026-05-08T13:56:00",
        "2026-05-08T13:56Z",
        "2026-W19-5T13:56:00Z",
        "2026-05-08T13:56:00,5Z",
        "2026-02-30T13:56:00Z",
        "2026-05-08T25:00:00Z",
        "2026-05-08T13:56:00+99:00",
        "0001-01-01T00:00:00+01:00",
        "9999-12-31T23:59:59-01:00",
        "٢٠٢٦-05-08T13:56:00Z",
        "2026-05-08T13:56:00Z\n",
        "1778248560",
    ],
)
def test_a_timestamp_that_is_not_rfc_3339_is_refused(text: str) -> None:
    with pytest.raises(InvalidInput):
        parse_timestamp(text)


@pytest.mark.parametrize("edge", [datetime.min, datetime.max])
def test_a_moment_outside_the_years_in_utc_is_refused_and_not_a_crash(edge: datetime) -> None:
    hours = -12 if edge is datetime.max else 12
    with pytest.raises(InvalidInput, match="years"):
        format_timestamp(edge.replace(tzinfo=timezone(timedelta(hours=hours))))


@pytest.mark.parametrize("taint", ["internal ", "INTERNAL", "", None, 1, True, [], {}, "external"])
def test_a_taint_that_cannot_be_read_is_external(taint: Any) -> None:
    assert from_json(an_entry(taint=taint), MemoryEntry).taint is Taint.EXTERNAL_SYNC


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("id", 7),
        ("namespace", None),
        ("key", [SECRET]),
        ("content", {"text": SECRET}),
        ("content", "\ud800" + SECRET),
        ("category", SECRET),
        ("category", "custom:"),
        ("category", "custom:\udfff"),
        ("category", 1),
        ("session_id", 3),
        ("timestamp", SECRET),
        ("timestamp", 1778248560),
        ("metadata", [SECRET]),
        ("metadata", None),
        ("metadata", {"a": {"b": SECRET}}),
        ("metadata", {"a": [SECRET]}),
        ("metadata", {SECRET: math.inf}),
        ("metadata", {"a": "\ud800"}),
        ("metadata", {"a": 10**5000}),
        ("score", SECRET),
        ("score", True),
        ("score", math.nan),
        ("score", 10**400),
    ],
)
def test_a_refusal_names_the_innermost_field_and_no_value(field: str, value: Any) -> None:
    raw = {"entries": [an_entry(), an_entry(**{field: value})], "next_cursor": None}
    text = refusal(raw, EntryPage)
    assert f"entries[1].{field} " in text
    assert SECRET not in text


@pytest.mark.parametrize("field", sorted(set(an_entry()) - {"score"}))
def test_a_missing_field_is_named(field: str) -> None:
    raw = an_entry()
    del raw[field]
    assert f"{field} is missing" in refusal(raw)


def test_an_unknown_field_is_refused_without_its_name() -> None:
    text = refusal({"entries": [an_entry(**{SECRET: 1})], "next_cursor": None}, EntryPage)
    assert "entries[0] has a field that is not known" in text
    assert SECRET not in text


@pytest.mark.parametrize("raw", [None, 1, "text", [], [1], True, 1.5])
def test_what_is_no_object_is_refused_as_such(raw: Any) -> None:
    assert "it must be an object" in refusal(raw)
    assert "entries[0] must be an object" in refusal({"entries": [raw], "next_cursor": None}, EntryPage)


@pytest.mark.parametrize("raw", ["ab", {}, None, 5])
def test_a_list_that_is_none_is_refused(raw: Any) -> None:
    assert "entries must be a list" in refusal({"entries": raw, "next_cursor": None}, EntryPage)


@pytest.mark.parametrize("count", [True, 1.0, "1", None])
def test_a_count_is_a_whole_number_and_nothing_like_it(count: Any) -> None:
    assert "count must be int" in refusal({"namespace": "n", "count": count, "last_updated": None}, NamespaceSummary)


@pytest.mark.parametrize(
    "text", ["", "{", SECRET, "[" * 100_000, '{"id": ' + "9" * 5000 + "}", b"\xff\xfe", b"\xed\xa0\x80", '{"id": NaN}']
)
def test_hostile_text_is_refused_without_repeating_it(text: Any) -> None:
    with pytest.raises(InvalidInput) as caught:
        loads(text, MemoryEntry)
    assert SECRET not in str(caught.value)


@given(
    st.recursive(
        st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
        lambda inner: (
            st.lists(inner, max_size=3)
            | st.dictionaries(
                st.sampled_from([*an_entry(), "entries", "records", "next_cursor", "x"]), inner, max_size=9
            )
        ),
        max_leaves=12,
    ),
    st.sampled_from([MemoryEntry, ExportRecord, EntryPage, ExportPage, NamespaceSummary, ImportOutcome]),
)
def test_any_json_is_either_a_record_or_invalid_input(raw: Any, kind: type) -> None:
    try:
        record = from_json(raw, kind)
    except InvalidInput:
        return
    assert isinstance(record, kind)
