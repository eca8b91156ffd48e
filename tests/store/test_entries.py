"""Keyed storage: what is stored, replaced, listed and forgotten."""

import asyncio
import tempfile
from datetime import UTC, datetime, timedelta, timezone
from pathlib import Path
from typing import Any

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule

from opencompany_memory.contract import Category, InvalidInput, MemoryEntry, SourceScope, Taint
from opencompany_memory.store.provider import SqliteProvider
from tests.support.stores import ACME, ACME_TRACES, GLOBEX, fill, listed, moment, put

pytestmark = pytest.mark.anyio

FIELDS: dict[str, Any] = {
    "taint": Taint.EXTERNAL_SYNC,
    "category": Category.custom("core"),
    "session_id": "chat/1",
    "metadata": {"i": 1, "f": 1.0, "b": True, "s": "1", "n": None, "": "empty", "\0": "\0", "big": 2**80},
    "timestamp": datetime(2020, 2, 29, 23, 59, 59, 999_999, tzinfo=UTC),
}


async def test_every_field_comes_back_as_it_was_stored(store: SqliteProvider) -> None:
    stored = await store.store(ACME, "k", "a\0b\r\n\U0001f600 e\u0301", **FIELDS)
    found = await store.get(ACME, "k")
    assert found == stored
    assert (found.namespace, found.key, found.content) == (ACME, "k", "a\0b\r\n\U0001f600 e\u0301")
    assert {name: getattr(found, name) for name in FIELDS} == FIELDS
    assert {k: type(v) for k, v in found.metadata.items()} == {k: type(v) for k, v in FIELDS["metadata"].items()}
    assert found.score is None


async def test_what_was_stored_is_there_after_opening_again(folder: Path) -> None:
    async with SqliteProvider(folder) as store:
        stored = await store.store(ACME, "k", "text", **FIELDS)
    async with SqliteProvider(folder) as store:
        assert await store.get(ACME, "k") == stored


async def test_storing_again_replaces_every_field_and_leaves_one_entry(store: SqliteProvider) -> None:
    await store.store(ACME, "k", "old", **FIELDS)
    await store.store(ACME, "k", "new", taint=Taint.INTERNAL, timestamp=moment(0))
    (entry,) = await listed(store, ACME)
    assert (entry.content, entry.category, entry.session_id, entry.taint, entry.metadata, entry.timestamp) == (
        "new",
        Category.CORE,
        None,
        Taint.INTERNAL,
        {},
        moment(0),
    )


async def test_the_same_key_in_look_alike_namespaces_stays_apart(store: SqliteProvider) -> None:
    namespaces = [ACME, ACME_TRACES, GLOBEX, "oc/acme-1", "oc/acme-1/", "OC/acme-1/facts", "oc/acme_1/facts", "x", "oc"]
    for namespace in namespaces:
        await put(store, namespace, "k", namespace)
    assert [(await store.get(n, "k")).content for n in namespaces] == namespaces  # type: ignore[union-attr]
    await put(store, ACME, "k", "changed")
    assert [(await store.get(n, "k")).content for n in namespaces[1:]] == namespaces[1:]  # type: ignore[union-attr]


async def test_an_absent_entry_is_none_and_asking_makes_no_file(store: SqliteProvider, folder: Path) -> None:
    assert await store.get(ACME, "k") is None
    assert await store.forget(ACME, "k") is False
    assert await listed(store, ACME) == []
    assert await store.recall(ACME, "k") == []
    assert not list(folder.glob("*.sqlite3"))


async def test_forgetting_says_whether_there_was_one(store: SqliteProvider) -> None:
    await put(store, ACME, "k", "text")
    assert [await store.forget(ACME, "k"), await store.forget(ACME, "k")] == [True, False]
    assert await store.get(ACME, "k") is None


async def test_a_write_that_returned_is_seen_by_another_provider_of_the_folder(
    store: SqliteProvider, folder: Path
) -> None:
    async with SqliteProvider(folder) as other:
        await put(store, ACME, "k", "one")
        assert (await other.get(ACME, "k")).content == "one"  # type: ignore[union-attr]
        await put(other, ACME, "k", "two")
        assert (await store.get(ACME, "k")).content == "two"  # type: ignore[union-attr]


async def test_fifty_racing_writers_leave_one_entry(store: SqliteProvider) -> None:
    await asyncio.gather(*(put(store, ACME, "k", f"{n}") for n in range(50)))
    (entry,) = await listed(store, ACME)
    assert await store.get(ACME, "k") == entry


async def test_a_list_is_newest_first_and_ties_are_by_key(store: SqliteProvider) -> None:
    for key, seconds in [("b", 1), ("a", 1), ("é", 1), ("B", 1), ("z", 2), ("y", 0), ("\U0001f600", 1), ("\uffff", 1)]:
        await put(store, ACME, key, timestamp=moment(seconds))
    assert [e.key for e in await listed(store, ACME)] == ["z", "B", "a", "b", "é", "\uffff", "\U0001f600", "y"]
    assert [e.key for e in await listed(store, ACME, limit=1)] == [e.key for e in await listed(store, ACME)]


async def test_moments_a_microsecond_apart_keep_their_order_across_pages(store: SqliteProvider) -> None:
    for n in range(20):
        await put(store, ACME, f"k{n:02}", timestamp=moment(0) + timedelta(microseconds=n))
    assert [e.key for e in await listed(store, ACME, limit=3)] == [f"k{n:02}" for n in reversed(range(20))]


async def test_a_moment_of_another_zone_sorts_by_the_moment(store: SqliteProvider) -> None:
    east = timezone(timedelta(hours=9))
    await put(store, ACME, "later", timestamp=datetime(2026, 5, 8, 1, tzinfo=UTC))
    await put(store, ACME, "earlier", timestamp=datetime(2026, 5, 8, 9, tzinfo=east))
    assert [e.key for e in await listed(store, ACME)] == ["later", "earlier"]


@pytest.mark.parametrize("year", [1, 1969, 1970, 9999])
async def test_a_moment_of_any_year_is_kept(store: SqliteProvider, year: int) -> None:
    at = datetime(year, 12, 31, 23, 59, 59, 999_999, tzinfo=UTC)
    assert (await put(store, ACME, "k", "words", timestamp=at)).timestamp == at
    assert (await store.recall(ACME, "words"))[0].timestamp == at


async def test_paging_visits_each_entry_once_while_others_come_and_go(store: SqliteProvider) -> None:
    await fill(store, ACME, [""] * 60)
    seen: list[str] = []
    cursor = None
    for turn in range(100):
        page = await store.list(ACME, limit=7, cursor=cursor)
        seen += [entry.key for entry in page.entries]
        await put(store, ACME, f"new{turn}", timestamp=moment(1000 + turn))
        await put(store, ACME, f"old{turn}", timestamp=moment(-1000 + turn))
        if page.entries:
            await store.forget(ACME, page.entries[0].key)
        cursor = page.next_cursor
        if cursor is None:
            break
    there_all_along = [f"k{n}" for n in reversed(range(60))]
    assert [key for key in seen if key.startswith("k")] == there_all_along
    assert len(seen) == len(set(seen))


async def test_exactly_a_page_of_entries_has_no_next_page(store: SqliteProvider) -> None:
    await fill(store, ACME, [""] * 10)
    page = await store.list(ACME, limit=10)
    assert (len(page.entries), page.next_cursor) == (10, None)


async def test_1337_entries_are_listed_exactly(store: SqliteProvider) -> None:
    await fill(store, ACME, [""] * 1337)
    assert len({e.key for e in await listed(store, ACME)}) == 1337
    assert len((await store.list(ACME, limit=10**6)).entries) == 1000


@pytest.mark.parametrize("cursor", ["", "x", "AAAA", "é", "MTIz", "A" * 5000, 5])
async def test_a_foreign_cursor_is_refused(store: SqliteProvider, cursor: Any) -> None:
    await put(store, ACME, "k")
    with pytest.raises(InvalidInput, match="cursor"):
        await store.list(ACME, cursor=cursor)


async def test_a_cursor_of_another_listing_is_refused(store: SqliteProvider) -> None:
    await fill(store, ACME, [""] * 3, category=Category.DAILY)
    cursor = (await store.list(ACME, limit=1, category=Category.DAILY)).next_cursor
    for namespace, filters in [
        (ACME, {}),
        (ACME, {"category": Category.custom("daily")}),
        (ACME, {"category": Category.DAILY, "session_id": "s"}),
        (ACME, {"category": Category.DAILY, "key_prefix": "k"}),
        (ACME_TRACES, {"category": Category.DAILY}),
    ]:
        with pytest.raises(InvalidInput):
            await store.list(namespace, cursor=cursor, **filters)
    assert (await store.list(ACME, limit=2, category=Category.DAILY, cursor=cursor)).entries


@pytest.mark.parametrize(
    "call",
    [
        lambda s: s.get("", "k"),
        lambda s: s.get(None, "k"),
        lambda s: s.get(ACME, ""),
        lambda s: s.forget("", "k"),
        lambda s: s.list(""),
        lambda s: s.list(ACME, limit=0),
        lambda s: s.list(ACME, category="core"),
        lambda s: s.list(ACME, key_prefix=3),
        lambda s: s.recall("", "q"),
        lambda s: s.recall(ACME, None),
        lambda s: s.recall(ACME, "q", limit=-1),
        lambda s: s.recall(ACME, "q", min_score="0.5"),
        lambda s: s.recall(ACME, "q", scope=["mail"]),
        lambda s: s.store("", "k", "c", taint=Taint.INTERNAL),
        lambda s: s.store(ACME, "", "c", taint=Taint.INTERNAL),
        lambda s: s.store(ACME, "k", None, taint=Taint.INTERNAL),
        lambda s: s.store(ACME, "k", "\ud800", taint=Taint.INTERNAL),
        lambda s: s.store(ACME, "k", "c", taint="internal"),
        lambda s: s.store(ACME, "k", "c", taint=Taint.INTERNAL, timestamp=datetime(2026, 5, 8)),
        lambda s: s.store(ACME, "k", "c", taint=Taint.INTERNAL, metadata={"a": {}}),
        lambda s: s.store(ACME, "k", "c", taint=Taint.INTERNAL, metadata={"a": 10**5000}),
    ],
)
async def test_a_bad_argument_is_refused_before_anything_is_stored(
    store: SqliteProvider, folder: Path, call: Any
) -> None:
    with pytest.raises(InvalidInput):
        await call(store)
    assert not list(folder.glob("*.sqlite3"))


KEYS = [*"abA%_", "a/", "a/b", "a0", "\0", "a\0", "\U0010ffff", "\U0010ffff\U0010ffff", "\ud7ff", "\ue000"]
SESSIONS = [None, "", "s", "S"]
CATEGORIES = [Category.CORE, Category.custom("core"), Category.DAILY]


class StoreMachine(RuleBasedStateMachine):
    """The store against a plain dictionary."""

    def __init__(self) -> None:
        super().__init__()
        self.folder = tempfile.TemporaryDirectory()
        self.runner = asyncio.Runner()
        self.model: dict[str, MemoryEntry] = {}
        self.open()

    def open(self) -> None:
        self.store = SqliteProvider(Path(self.folder.name) / "memory")

    def teardown(self) -> None:
        self.runner.run(self.store.aclose())
        self.runner.close()
        self.folder.cleanup()

    @rule(
        key=st.sampled_from(KEYS),
        content=st.text(st.characters(codec="utf-8"), max_size=8),
        taint=st.sampled_from(Taint),
        category=st.sampled_from(CATEGORIES),
        session_id=st.sampled_from(SESSIONS),
        timestamp=st.integers(0, 3).map(moment),
        metadata=st.dictionaries(st.sampled_from("ab"), st.sampled_from([1, 1.0, True, "1", None])),
    )
    def put(self, key: str, content: str, **fields: Any) -> None:
        self.model[key] = self.runner.run(self.store.store(ACME, key, content, **fields))
        assert self.model[key].metadata == fields["metadata"]

    @rule(key=st.sampled_from(KEYS))
    def forget(self, key: str) -> None:
        assert self.runner.run(self.store.forget(ACME, key)) == (self.model.pop(key, None) is not None)

    @rule(key=st.sampled_from(KEYS))
    def get(self, key: str) -> None:
        assert self.runner.run(self.store.get(ACME, key)) == self.model.get(key)

    @rule(
        prefix=st.none() | st.sampled_from(["", "\U0010ffff", "\ud7ff", *KEYS]),
        category=st.none() | st.sampled_from(CATEGORIES),
        session=st.sampled_from(SESSIONS),
        limit=st.integers(1, 4),
    )
    def list(self, prefix: str | None, category: Category | None, session: str | None, limit: int) -> None:
        filters = {"key_prefix": prefix, "category": category, "session_id": session}
        expected = [
            entry
            for entry in self.model.values()
            if entry.key.startswith(prefix or "")
            and category in (None, entry.category)
            and session in (None, entry.session_id)
        ]
        expected.sort(key=lambda entry: entry.key)
        expected.sort(key=lambda entry: entry.timestamp, reverse=True)
        assert self.runner.run(listed(self.store, ACME, limit=limit, **filters)) == expected

    @precondition(lambda self: self.model)
    @rule()
    def reopen(self) -> None:
        self.runner.run(self.store.aclose())
        self.open()

    @invariant()
    def the_count_is_right(self) -> None:
        summaries = self.runner.run(self.store.namespaces())
        assert [s.count for s in summaries] == ([len(self.model)] if self.model else [])

    @precondition(lambda self: self.model)
    @rule()
    def check(self) -> None:
        assert self.runner.run(self.store.maintenance.check()).problems == ()


StoreMachine.TestCase.settings = settings(max_examples=15, stateful_step_count=25, deadline=None)
TestStoreAgainstADictionary = StoreMachine.TestCase


async def test_a_scope_of_nothing_recalls_nothing(store: SqliteProvider) -> None:
    await put(store, ACME, "k", "deploy key", metadata={"source": "mail"})
    assert await store.recall(ACME, "deploy", scope=SourceScope([])) == []
