"""The context port: texts under labels, addressed by their content."""

import asyncio
import hashlib
import tempfile
from collections.abc import Awaitable, Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, rule

from opencompany_memory.contract import InvalidInput, Taint, TooLarge
from opencompany_memory.overlay import ChunkMeta, MemoryOverlay
from opencompany_memory.overlay.context import MAX_BODY, MAX_LABEL
from opencompany_memory.store.provider import SqliteProvider
from tests.support.bound import StandIn

pytestmark = pytest.mark.anyio

AWKWARD = [
    "a/b",
    "/",
    "a//b",
    "../x",
    " ",
    "custom:x",
    "core",
    "\0",
    "a\nb",
    "%",
    "_",
    "é",
    "e\u0301",
    "\U0001f600",
    "'; DROP TABLE entries; --",
    "0" * 63,
    "f" * 64,
    "F" * 64,
    "x" * MAX_LABEL,
    "é" * (MAX_LABEL // 2),
]


def address_of(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()


async def labels(memory: MemoryOverlay, company: str, prefix: str = "", limit: int = 100) -> list[str]:
    return [chunk.label for chunk in await chunks(memory, company, prefix, limit)]


async def chunks(memory: MemoryOverlay, company: str, prefix: str = "", limit: int = 100) -> list[ChunkMeta]:
    found: list[ChunkMeta] = []
    cursor = None
    while True:
        page = await memory.context.list(company, prefix, limit=limit, cursor=cursor)
        assert len(page.chunks) <= limit
        found += page.chunks
        cursor = page.next_cursor
        if cursor is None:
            return found


@pytest.mark.parametrize("text", ["", "a", "a\0b", "\r\n", "é\U0001f600", '{"content": "x"}', "x" * 65536])
async def test_a_text_comes_back_whole_under_the_hash_of_its_bytes(overlay: MemoryOverlay, text: str) -> None:
    at = datetime(2020, 1, 2, tzinfo=UTC)
    address = await overlay.context.put("acme", "label", text, session="s", timestamp=at)
    assert address == address_of(text)
    chunk = await overlay.context.get("acme", address)
    assert chunk is not None
    assert chunk.text == text
    assert chunk.claim == ChunkMeta(address, "label", len(text.encode()), at, "s", Taint.INTERNAL)


async def test_a_text_is_found_by_its_address_by_a_process_that_did_not_store_it(tmp_path: Path) -> None:
    async with MemoryOverlay(StandIn(SqliteProvider(tmp_path))) as memory:
        address = await memory.context.put("acme", "label", "text")
    async with MemoryOverlay(StandIn(SqliteProvider(tmp_path))) as memory:
        chunk = await memory.context.get("acme", address)
        assert chunk is not None
        assert (chunk.text, chunk.label) == ("text", "label")


async def test_an_unknown_address_is_none(overlay: MemoryOverlay) -> None:
    assert await overlay.context.get("acme", "0" * 64) is None


async def test_the_same_text_under_the_same_label_again_changes_nothing(overlay: MemoryOverlay) -> None:
    first = datetime(2020, 1, 2, tzinfo=UTC)
    await overlay.context.put("acme", "label", "text", timestamp=first)
    await overlay.context.put("acme", "label", "text", session="other")
    (chunk,) = await chunks(overlay, "acme")
    assert (chunk.stored_at, chunk.session) == (first, None)


async def test_one_body_under_two_labels_goes_with_the_last_of_them(overlay: MemoryOverlay) -> None:
    context = overlay.context
    address = await context.put("acme", "one", "shared words")
    assert await context.put("acme", "two", "shared words") == address
    assert sorted(await labels(overlay, "acme")) == ["one", "two"]
    assert await context.delete_label("acme", address, "two") is True
    assert await context.delete_label("acme", address, "two") is False
    assert (await context.get("acme", address)).label == "one"  # type: ignore[union-attr]
    assert len(await context.search("acme", "shared words")) == 1
    assert await context.delete_label("acme", address, "one") is True
    assert await context.get("acme", address) is None
    assert await context.search("acme", "shared words") == []


async def test_a_body_with_many_labels_takes_one_place_in_a_search(overlay: MemoryOverlay) -> None:
    for n in range(30):
        await overlay.context.put("acme", f"label {n}", "kafka topics")
    for n in range(5):
        await overlay.context.put("acme", "other", f"kafka {n}")
    hits = await overlay.context.search("acme", "kafka topics", limit=4)
    assert len({hit.address for hit in hits}) == len(hits) == 4
    assert hits[0].text == "kafka topics"


async def test_deleting_a_body_takes_every_claim_and_says_whether_there_was_one(overlay: MemoryOverlay) -> None:
    address = await overlay.context.put("acme", "one", "text")
    await overlay.context.put("acme", "two", "text")
    await overlay.context.put("acme", "one", "another text")
    assert [await overlay.context.delete("acme", address) for _ in range(2)] == [True, False]
    assert await labels(overlay, "acme") == ["one"]


async def test_forgetting_a_label_takes_its_claims_and_no_others(overlay: MemoryOverlay) -> None:
    for label in ("notes", "notes/1", "note", "Notes"):
        for n in range(3):
            await overlay.context.put("acme", label, f"text {n}")
    assert await overlay.context.forget("acme", "notes") == 3
    assert await overlay.context.forget("acme", "notes") == 0
    assert sorted(set(await labels(overlay, "acme"))) == ["Notes", "note", "notes/1"]


@pytest.mark.parametrize("label", AWKWARD)
async def test_an_awkward_label_can_be_stored_listed_found_and_forgotten(overlay: MemoryOverlay, label: str) -> None:
    context = overlay.context
    await context.put("acme", "bystander", "other words")
    address = await context.put("acme", label, "kafka topics")
    assert await labels(overlay, "acme", label) == [label]
    assert [hit.label for hit in await context.search("acme", "kafka")] == [label]
    assert (await context.get("acme", address)).label == label  # type: ignore[union-attr]
    assert await context.forget("acme", label) == 1
    assert await labels(overlay, "acme") == ["bystander"]


async def test_what_search_and_list_show_is_what_forget_accepts(overlay: MemoryOverlay) -> None:
    context = overlay.context
    for handle in ("address", "label"):
        for shown_by in ("search", "list"):
            await context.put("acme", f"{handle}/{shown_by}", f"kafka {handle} {shown_by}")
            found = (await context.search("acme", "kafka"))[0] if shown_by == "search" else None
            found = found or (await context.list("acme")).chunks[0]
            assert await context.forget("acme", getattr(found, handle)) == 1
            assert await labels(overlay, "acme") == []


async def test_a_label_that_looks_like_an_address_is_forgotten_as_a_label(overlay: MemoryOverlay) -> None:
    label = "a" * 64
    await overlay.context.put("acme", label, "text")
    assert await overlay.context.forget("acme", label) == 1


async def test_1337_texts_are_listed_and_forgotten_exactly(overlay: MemoryOverlay) -> None:
    await asyncio.gather(*(overlay.context.put("acme", "many", f"text {n}") for n in range(1337)))
    assert len({chunk.address for chunk in await chunks(overlay, "acme", "many", 1000)}) == 1337
    assert len({chunk.address for chunk in await chunks(overlay, "acme", limit=97)}) == 1337
    assert await overlay.context.forget("acme", "many") == 1337
    assert await chunks(overlay, "acme") == []


async def test_a_list_is_newest_first_and_narrowed_by_the_beginning_of_labels(overlay: MemoryOverlay) -> None:
    for n, label in enumerate(["a/1", "b/1", "a/2", "A/1", "a", "ab"]):
        await overlay.context.put("acme", label, f"text {n}", timestamp=datetime(2026, 1, 1 + n, tzinfo=UTC))
    assert await labels(overlay, "acme") == ["ab", "a", "A/1", "a/2", "b/1", "a/1"]
    for limit in (1, 2, 100):
        assert await labels(overlay, "acme", "a/", limit) == ["a/2", "a/1"]
        assert await labels(overlay, "acme", "a", limit) == ["ab", "a", "a/2", "a/1"]
        assert await labels(overlay, "acme", "zzz", limit) == []


Call = Callable[[MemoryOverlay], Awaitable[Any]]


@pytest.mark.parametrize(
    ("call", "error"),
    [
        (lambda m: m.context.put("acme", "", "text"), InvalidInput),
        (lambda m: m.context.put("acme", None, "text"), InvalidInput),
        (lambda m: m.context.put("acme", "\ud800", "text"), InvalidInput),
        (lambda m: m.context.put("acme", "label", None), InvalidInput),
        (lambda m: m.context.put("acme", "label", "\udfff"), InvalidInput),
        (lambda m: m.context.put("acme", "label", "text", session=7), InvalidInput),
        (lambda m: m.context.put("acme", "label", "text", timestamp=datetime(2026, 5, 8)), InvalidInput),
        (lambda m: m.context.put("acme", "label", "text", timestamp="now"), InvalidInput),
        (lambda m: m.context.put("acme", "x" * (MAX_LABEL + 1), "text"), TooLarge),
        (lambda m: m.context.put("acme", "é" * (MAX_LABEL // 2) + "x", "text"), TooLarge),
        (lambda m: m.context.put("acme", "label", "x" * (MAX_BODY + 1)), TooLarge),
        (lambda m: m.context.put("acme", "label", "é" * (MAX_BODY // 2) + "x"), TooLarge),
        (lambda m: m.context.put(None, "label", "text"), InvalidInput),
        (lambda m: m.context.get("acme", "label"), InvalidInput),
        (lambda m: m.context.get("acme", "A" * 64), InvalidInput),
        (lambda m: m.context.get("acme", "a" * 64 + "\n"), InvalidInput),
        (lambda m: m.context.get("acme", None), InvalidInput),
        (lambda m: m.context.get(None, "a" * 64), InvalidInput),
        (lambda m: m.context.list(None), InvalidInput),
        (lambda m: m.context.list("acme", None), InvalidInput),
        (lambda m: m.context.list("acme", limit=0), InvalidInput),
        (lambda m: m.context.list("acme", cursor="x"), InvalidInput),
        (lambda m: m.context.search(None, "query"), InvalidInput),
        (lambda m: m.context.search("acme", None), InvalidInput),
        (lambda m: m.context.search("acme", "query", limit=0), InvalidInput),
        (lambda m: m.context.delete("acme", "label"), InvalidInput),
        (lambda m: m.context.delete_label("acme", "a" * 64, ""), InvalidInput),
        (lambda m: m.context.delete_label("acme", "label", "label"), InvalidInput),
        (lambda m: m.context.forget("acme", ""), InvalidInput),
        (lambda m: m.context.forget(None, "label"), InvalidInput),
        (lambda m: m.purge(None), InvalidInput),
        (lambda m: m.census(None), InvalidInput),
    ],
)
async def test_what_cannot_be_accepted_is_refused_and_nothing_is_stored(
    overlay: MemoryOverlay, call: Call, error: type[Exception]
) -> None:
    with pytest.raises(error) as caught:
        await call(overlay)
    assert "text text" not in str(caught.value)
    assert list(await overlay.bound.portability.namespaces()) == []


async def test_a_text_of_exactly_the_most_is_kept(overlay: MemoryOverlay) -> None:
    text = "é" * (MAX_BODY // 2)
    address = await overlay.context.put("acme", "label", text)
    assert (await overlay.context.get("acme", address)).text == text  # type: ignore[union-attr]


async def test_two_companies_with_the_same_words_and_labels_see_only_their_own(overlay: MemoryOverlay) -> None:
    companies = ["acme:1", "acme/1", "acme_1", "", "Acme:1", "acme:1/context"]
    for company in companies:
        await overlay.context.put(company, "label", "kafka topics everywhere")
        await overlay.context.put(company, "label", f"kafka of {company!r}")
    shared = address_of("kafka topics everywhere")
    for company in companies:
        texts = {f"kafka of {company!r}", "kafka topics everywhere"}
        assert {hit.text for hit in await overlay.context.search(company, "kafka", limit=100)} == texts
        assert {c.address for c in await chunks(overlay, company)} == {address_of(text) for text in texts}
        for other in companies:
            found = await overlay.context.get(other, address_of(f"kafka of {company!r}"))
            assert (found is not None) == (other == company)
    assert await overlay.context.delete("acme:1", shared) is True
    assert await overlay.context.forget("acme:1", "label") == 1
    for company in companies[1:]:
        assert len(await chunks(overlay, company)) == 2
        assert await overlay.context.get(company, shared) is not None


async def test_turns_of_one_conversation_help_to_find_each_other(overlay: MemoryOverlay) -> None:
    for n, text in enumerate(["Which database for the invoices?", "PostgreSQL, with nightly dumps.", "Lunch?"]):
        await overlay.context.put(
            "acme", f"turn/{n}", text, session="s", timestamp=datetime(2026, 1, 1, 0, n, tzinfo=UTC)
        )
    hits = await overlay.context.search("acme", "database invoices")
    assert [hit.label for hit in hits][:2] == ["turn/0", "turn/1"]


async def test_racing_puts_of_one_text_leave_one_claim(overlay: MemoryOverlay) -> None:
    await asyncio.gather(*(overlay.context.put("acme", "label", "text") for _ in range(50)))
    assert await labels(overlay, "acme") == ["label"]


TEXTS = ["", "kafka", "topics", "kafka topics"]
LABELS = ["a", "a/b", "b", address_of("kafka")]
COMPANIES = ["acme", "acme "]


class ContextMachine(RuleBasedStateMachine):
    """The port against a set of (company, label, text)."""

    def __init__(self) -> None:
        super().__init__()
        self.folder = tempfile.TemporaryDirectory()
        self.runner = asyncio.Runner()
        self.claims: set[tuple[str, str, str]] = set()
        self.open()

    def open(self) -> None:
        self.memory = MemoryOverlay(StandIn(SqliteProvider(Path(self.folder.name))))

    def teardown(self) -> None:
        self.runner.run(self.memory.aclose())
        self.runner.close()
        self.folder.cleanup()

    def take(self, company: str, passes: Callable[[str, str], bool]) -> int:
        gone = {claim for claim in self.claims if claim[0] == company and passes(*claim[1:])}
        self.claims -= gone
        return len(gone)

    @rule(company=st.sampled_from(COMPANIES), label=st.sampled_from(LABELS), text=st.sampled_from(TEXTS))
    def put(self, company: str, label: str, text: str) -> None:
        assert self.runner.run(self.memory.context.put(company, label, text)) == address_of(text)
        self.claims.add((company, label, text))

    @rule(company=st.sampled_from(COMPANIES), text=st.sampled_from(TEXTS))
    def get(self, company: str, text: str) -> None:
        chunk = self.runner.run(self.memory.context.get(company, address_of(text)))
        there = {label for c, label, t in self.claims if (c, t) == (company, text)}
        assert (chunk is not None) == bool(there)
        if chunk is not None:
            assert (chunk.text, chunk.label in there) == (text, True)

    @rule(company=st.sampled_from(COMPANIES), text=st.sampled_from(TEXTS))
    def delete(self, company: str, text: str) -> None:
        gone = self.runner.run(self.memory.context.delete(company, address_of(text)))
        assert gone == bool(self.take(company, lambda _, t: t == text))

    @rule(company=st.sampled_from(COMPANIES), label=st.sampled_from(LABELS), text=st.sampled_from(TEXTS))
    def delete_label(self, company: str, label: str, text: str) -> None:
        gone = self.runner.run(self.memory.context.delete_label(company, address_of(text), label))
        assert gone == bool(self.take(company, lambda one, t: (one, t) == (label, text)))

    @rule(company=st.sampled_from(COMPANIES), handle=st.sampled_from([*LABELS, *map(address_of, TEXTS)]))
    def forget(self, company: str, handle: str) -> None:
        gone = self.runner.run(self.memory.context.forget(company, handle))
        expected = self.take(company, lambda _, t: address_of(t) == handle)
        assert gone == expected or self.take(company, lambda label, _: label == handle)

    @rule(company=st.sampled_from(COMPANIES), word=st.sampled_from(["kafka", "topics"]))
    def search(self, company: str, word: str) -> None:
        hits = self.runner.run(self.memory.context.search(company, word))
        assert {hit.text for hit in hits} == {t for c, _, t in self.claims if c == company and word in t}

    @rule(company=st.sampled_from(COMPANIES))
    def purge(self, company: str) -> None:
        report = self.runner.run(self.memory.purge(company))
        assert report.entries == self.take(company, lambda _label, _text: True)

    @rule()
    def reopen(self) -> None:
        self.runner.run(self.memory.aclose())
        self.open()

    @invariant()
    def listings_are_right(self) -> None:
        for company in COMPANIES:
            found = self.runner.run(chunks(self.memory, company, limit=3))
            expected = {(label, address_of(text)) for c, label, text in self.claims if c == company}
            assert sorted((c.label, c.address) for c in found) == sorted(expected)


ContextMachine.TestCase.settings = settings(max_examples=12, stateful_step_count=20, deadline=None)
TestContextAgainstASet = ContextMachine.TestCase
