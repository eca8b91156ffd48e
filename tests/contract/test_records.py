"""The records themselves."""

from datetime import UTC, datetime, timedelta, timezone, tzinfo
from typing import Any

import attrs
import pytest
from hypothesis import given
from hypothesis import strategies as st

from opencompany_memory.contract import Category, ExportRecord, InvalidInput, MemoryEntry, SourceScope, Taint
from opencompany_memory.contract.records import as_utc

NOW = datetime(2026, 5, 8, 13, 56, tzinfo=UTC)
ENTRY = MemoryEntry("7", "ns", "k", "the secret text", Category.CORE, "s", NOW, Taint.INTERNAL, {"pin": "4711"}, 0.5)


@pytest.mark.parametrize("built_in", [Category.CORE, Category.DAILY, Category.CONVERSATION])
def test_a_custom_category_of_a_built_in_name_stays_distinct(built_in: Category) -> None:
    custom = Category.custom(str(built_in))
    assert custom != built_in
    assert Category.parse(str(custom)) == custom
    assert (custom.custom_name, built_in.custom_name) == (str(built_in), None)


@given(st.text(min_size=1))
def test_every_custom_category_comes_back_from_its_wire_form(name: str) -> None:
    assert Category.parse(str(Category.custom(name))).custom_name == name


@pytest.mark.parametrize("wire", ["", "custom", "custom:", "Core", "core ", "notes", "custom :x"])
def test_an_unknown_category_is_refused_however_it_is_made(wire: str) -> None:
    with pytest.raises(InvalidInput):
        Category.parse(wire)
    with pytest.raises(InvalidInput):
        Category(wire)


def test_a_custom_category_needs_a_name() -> None:
    with pytest.raises(InvalidInput):
        Category.custom("")


@pytest.mark.parametrize("raw", [Taint.INTERNAL, "internal"])
def test_a_readable_internal_taint_is_internal(raw: Any) -> None:
    assert Taint.read(raw) is Taint.INTERNAL


@pytest.mark.parametrize("raw", [None, "", "Internal", 0, [], Taint.EXTERNAL_SYNC, "external_sync"])
def test_any_other_taint_is_external(raw: Any) -> None:
    assert Taint.read(raw) is Taint.EXTERNAL_SYNC


def test_a_record_cannot_be_changed() -> None:
    with pytest.raises(attrs.exceptions.FrozenInstanceError):
        ENTRY.content = "other"  # type: ignore[misc]
    assert not hasattr(ENTRY, "__dict__")


@pytest.mark.parametrize("record", [ENTRY, ExportRecord.of(ENTRY)])
def test_a_record_shows_no_content_and_no_metadata_when_printed(record: object) -> None:
    assert "secret" not in repr(record)
    assert "4711" not in repr(record)


def test_an_export_keeps_all_but_id_and_score() -> None:
    exported = attrs.asdict(ExportRecord.of(ENTRY), recurse=False)
    assert exported == {k: v for k, v in attrs.asdict(ENTRY, recurse=False).items() if k not in ("id", "score")}


def test_an_empty_scope_admits_nothing() -> None:
    assert not SourceScope([]).admits({"source": "mail"})
    assert not SourceScope([]).admits({})
    assert not SourceScope([]).admits({"source": None})


def test_a_scope_admits_its_sources_only() -> None:
    scope = SourceScope(["mail"])
    assert scope.admits({"source": "mail"})
    assert not scope.admits({"source": "chat"})
    assert not scope.admits({})


def test_a_scope_of_one_bare_name_is_refused_and_not_one_of_its_letters() -> None:
    with pytest.raises(InvalidInput):
        SourceScope("mail")


class Silent(tzinfo):
    """A time zone that does not say what it is."""

    def utcoffset(self, dt: datetime | None) -> None:
        return None


@pytest.mark.parametrize("zone", [None, Silent()])
def test_a_moment_without_a_zone_is_refused(zone: tzinfo | None) -> None:
    with pytest.raises(InvalidInput, match="time zone"):
        as_utc(datetime(2026, 5, 8, tzinfo=zone))


def test_a_moment_of_another_zone_is_brought_to_utc() -> None:
    moment = as_utc(datetime(2026, 5, 8, 15, tzinfo=timezone(timedelta(hours=2))))
    assert (moment.hour, moment.tzinfo) == (13, UTC)
