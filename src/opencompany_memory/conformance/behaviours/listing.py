"""Listing: order, filters, pages."""

from collections.abc import Awaitable, Callable
from datetime import UTC, datetime, timedelta
from typing import Any

from opencompany_memory.conformance.bench import Bench, keys
from opencompany_memory.conformance.registry import behaviour
from opencompany_memory.contract import Category, InvalidInput

_START = datetime(2026, 5, 8, 12, 0, 0, tzinfo=UTC)


@behaviour("listing")
async def listing_is_newest_first_with_ties_by_key(bench: Bench) -> None:
    """By timestamp down to the microsecond, whatever the order of writing."""
    namespace = bench.namespace()
    moments = {"b": 0, "z": 5, "a": 5, "m": 1, "É": 5, "old": -(10**9)}
    for key, microseconds in moments.items():
        await bench.store(namespace, key, "text", timestamp=_START + timedelta(microseconds=microseconds))

    async def check() -> None:
        listed = keys(await bench.walk(namespace))
        assert listed == ["a", "z", "É", "m", "b", "old"], "not newest first, ties by key in code point order"

    await bench.eventually(check)


async def _fill(bench: Bench, namespace: str) -> None:
    rows: list[tuple[str, Category, str | None]] = [
        ("notes/1", Category.CORE, "s1"),
        ("notes/2", Category.custom("core"), "s1"),
        ("notes", Category.CORE, None),
        ("Notes/3", Category.DAILY, "S1"),
        ("other/1", Category.CORE, "s1"),
        ("other/2", Category.custom("x"), "s2"),
    ]
    for number, (key, category, session) in enumerate(rows):
        at = _START + timedelta(seconds=number)
        await bench.store(namespace, key, "text", category=category, session_id=session, timestamp=at)


async def _expect(bench: Bench, expected: list[str], **filters: Any) -> None:
    namespace = bench.namespace()
    await _fill(bench, namespace)

    async def check() -> None:
        for limit in (1, 2, 100):
            listed = keys(await bench.walk(namespace, limit=limit, **filters))
            assert listed == expected, f"with {sorted(filters)} and pages of {limit}, other entries are listed"

    await bench.eventually(check)


@behaviour("listing")
async def listing_filters_by_key_prefix(bench: Bench) -> None:
    """A prefix is text: no pattern, no folding of case."""
    await _expect(bench, ["notes/2", "notes/1"], key_prefix="notes/")


@behaviour("listing")
async def a_key_prefix_is_no_pattern(bench: Bench) -> None:
    """Percent, underscore, star and brackets stand for themselves."""
    namespace = bench.namespace()
    for key in ("100%", "1000", "a_b", "axb", "s*", "star", "[x]", "x"):
        await bench.store(namespace, key, "text", timestamp=_START)

    async def check() -> None:
        for prefix, expected in (("100%", ["100%"]), ("a_", ["a_b"]), ("s*", ["s*"]), ("[x", ["[x]"])):
            listed = keys(await bench.walk(namespace, key_prefix=prefix))
            assert listed == expected, f"the prefix {prefix!r} was taken for a pattern"

    await bench.eventually(check)


@behaviour("listing")
async def listing_filters_by_category(bench: Bench) -> None:
    """`custom:core` is not `core`."""
    await _expect(bench, ["other/1", "notes", "notes/1"], category=Category.CORE)


@behaviour("listing")
async def listing_filters_by_custom_category(bench: Bench) -> None:
    """`core` is not `custom:core`."""
    await _expect(bench, ["notes/2"], category=Category.custom("core"))


@behaviour("listing")
async def listing_filters_by_session(bench: Bench) -> None:
    """Exactly this session; case counts."""
    await _expect(bench, ["other/1", "notes/2", "notes/1"], session_id="s1")


@behaviour("listing")
async def listing_filters_add_up(bench: Bench) -> None:
    """Prefix, category and session together."""
    await _expect(bench, ["notes/1"], key_prefix="notes", category=Category.CORE, session_id="s1")


@behaviour("listing")
async def a_long_listing_is_exact(bench: Bench) -> None:
    """237 entries are 237 entries, whatever the page size: no silent cap, none twice."""
    namespace = bench.namespace()
    wanted = [f"k{number:03}" for number in range(237)]
    for number, key in enumerate(wanted):
        await bench.store(namespace, key, f"text {number}", timestamp=_START - timedelta(seconds=number))

    async def check() -> None:
        for limit in (7, 100, 1000):
            listed = keys(await bench.walk(namespace, limit=limit))
            assert listed == wanted, f"with pages of {limit}, {len(listed)} entries are listed, not 237 in order"

    await bench.eventually(check)


@behaviour("listing")
async def paging_survives_entries_that_are_added(bench: Bench) -> None:
    """Newer, older and in-between entries arrive between pages: what was there is visited exactly once."""
    namespace = bench.namespace()
    there = [f"k{number:02}" for number in range(20)]
    for number, key in enumerate(there):
        await bench.store(namespace, key, "text", timestamp=_START + timedelta(seconds=number))

    async def settled() -> None:
        assert len(await bench.walk(namespace)) == len(there), "not all entries are listed"

    await bench.eventually(settled)
    visited: list[str] = []
    cursor: str | None = None
    for step in range(100):
        page = await bench.provider.list(namespace, limit=3, cursor=cursor)
        visited += keys(list(page.entries))
        cursor = page.next_cursor
        if cursor is None:
            break
        for offset in (1000 + step, -1000 - step, step + 0.5):
            await bench.store(namespace, f"new{step}{offset}", "text", timestamp=_START + timedelta(seconds=offset))
    old = [key for key in visited if key in there]
    assert sorted(set(old)) == there, "an entry that was there was skipped while others were added"
    assert len(old) == len(there), "an entry was visited twice while others were added"


@behaviour("listing", needs=())
async def a_foreign_cursor_is_refused(bench: Bench) -> None:
    """A cursor that the driver did not issue is InvalidInput, not a fresh start."""
    for cursor in ("", "0", "100", "not-a-cursor", "bm90IGEgY3Vyc29y", "eyJvZmZzZXQiOjB9", "é", "\x00"):
        await _refuse(bench, cursor)


@behaviour("listing")
async def a_cursor_of_another_listing_is_refused(bench: Bench) -> None:
    """A cursor belongs to its namespace and its filters."""
    namespace = bench.namespace()
    for number in range(3):
        await bench.store(namespace, f"k{number}", "text", session_id="s")

    async def check() -> None:
        page = await bench.provider.list(namespace, limit=1)
        assert page.next_cursor is not None, "three entries in pages of one, and no cursor"
        await _refuse(bench, page.next_cursor, namespace=bench.namespace("another"))
        await _refuse(bench, page.next_cursor, session_id="s")

    await bench.eventually(check)


@behaviour("listing", needs=())
async def a_limit_below_one_is_refused(bench: Bench) -> None:
    """Zero never means all."""
    for limit in (0, -1):
        for call in (bench.provider.list, _recall_nothing(bench)):
            try:
                await call(bench.namespace(), limit=limit)
            except InvalidInput:
                continue
            raise AssertionError(f"a limit of {limit} was accepted")


def _recall_nothing(bench: Bench) -> Callable[..., Awaitable[Any]]:
    return lambda namespace, limit: bench.provider.recall(namespace, "text", limit=limit)


@behaviour("listing", needs=())
async def an_empty_namespace_lists_nothing(bench: Bench) -> None:
    """One page, no entries, no cursor."""
    page = await bench.provider.list(bench.namespace("never"))
    assert list(page.entries) == [], "a namespace that was never written to lists entries"
    assert page.next_cursor is None, "an empty listing does not end"


async def _refuse(bench: Bench, cursor: str, *, namespace: str | None = None, **filters: Any) -> None:
    try:
        await bench.provider.list(namespace or bench.namespace(), cursor=cursor, **filters)
    except InvalidInput:
        return
    raise AssertionError("a cursor that was not issued for this listing was accepted")
