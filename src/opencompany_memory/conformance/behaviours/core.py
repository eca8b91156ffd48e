"""Keyed storage."""

import inspect
from collections.abc import Awaitable, Callable
from datetime import UTC, datetime, timedelta, timezone
from typing import Any

from opencompany_memory.conformance.bench import CUSTOM, Bench, same, same_metadata
from opencompany_memory.conformance.registry import behaviour
from opencompany_memory.contract import Category, InvalidInput, MemoryEntry, Taint

_THEN = datetime(2020, 2, 29, 23, 59, 59, 123456, tzinfo=UTC)
_METADATA: dict[str, Any] = {
    "int": 1,
    "zero": 0,
    "true": True,
    "false": False,
    "float": 1.0,
    "text": "1",
    "empty": "",
    "none": None,
    "negative": -2.5,
    "big": 2**53 + 1,
}


@behaviour("core")
async def a_stored_entry_comes_back_in_every_field(bench: Bench) -> None:
    """Namespace, key, content, category, session, timestamp, taint and metadata round-trip."""
    namespace = bench.namespace()
    stored = await bench.store(
        namespace,
        "deploy/key",
        "The deploy key rotates on Mondays.",
        taint=Taint.EXTERNAL_SYNC,
        category=CUSTOM,
        session_id="s-1",
        metadata={"source": "wiki", "page": 7},
        timestamp=_THEN,
    )
    wanted = MemoryEntry(
        "", namespace, "deploy/key", "The deploy key rotates on Mondays.", CUSTOM, "s-1", _THEN, Taint.EXTERNAL_SYNC,
        {"source": "wiki", "page": 7},
    )  # fmt: skip
    same(stored, wanted)
    found = await bench.provider.get(namespace, "deploy/key")
    same(found, wanted)
    assert found is not None
    assert isinstance(found.id, str), "an id is text"
    assert found.id, "an id is not empty"
    assert found.score is None, "an entry that was not recalled has no score"


@behaviour("core")
async def what_is_left_out_has_its_defaults(bench: Bench) -> None:
    """Category core, no session, no metadata, and the time of the write."""
    namespace = bench.namespace()
    before = datetime.now(UTC) - timedelta(minutes=5)
    await bench.store(namespace, "plain", "text")
    found = await bench.provider.get(namespace, "plain")
    assert found is not None, "a stored entry is absent"
    assert found.category == Category.CORE, "the category left out is core"
    assert found.session_id is None, "the session left out is None"
    assert dict(found.metadata) == {}, "metadata left out is empty"
    assert before <= found.timestamp <= datetime.now(UTC) + timedelta(minutes=5), "the timestamp left out is now"


@behaviour("core")
async def metadata_values_keep_their_types(bench: Bench) -> None:
    """1, 1.0, true and "1" are four values; None and the empty string are two."""
    namespace = bench.namespace()
    await bench.store(namespace, "typed", "text", metadata=_METADATA)
    found = await bench.provider.get(namespace, "typed")
    assert found is not None, "a stored entry is absent"
    same_metadata(dict(found.metadata), _METADATA)


@behaviour("core")
async def metadata_may_hold_awkward_text(bench: Bench) -> None:
    """Keys and values with dots, dollars, quotes, emoji and line ends round-trip."""
    namespace = bench.namespace()
    metadata = {"a.b": "x\ny", "$set": "{}", "": "empty key", 'quo"te': "'", "ключ": "🗝️", " blank ": "\t", "__oc": "1"}
    await bench.store(namespace, "awkward", "text", metadata=metadata)
    found = await bench.provider.get(namespace, "awkward")
    assert found is not None, "a stored entry is absent"
    same_metadata(dict(found.metadata), metadata)


@behaviour("core")
async def timestamps_are_kept_to_the_microsecond(bench: Bench) -> None:
    """Also long ago, far ahead, and given in another zone; they come back aware."""
    namespace = bench.namespace()
    moments = (
        _THEN,
        datetime(1969, 7, 20, 20, 17, 40, 1, tzinfo=UTC),
        datetime(2199, 12, 31, 23, 59, 59, 999999, tzinfo=UTC),
        datetime(2026, 5, 8, 1, 2, 3, 4, tzinfo=timezone(timedelta(hours=-9, minutes=-30))),
    )
    for number, moment in enumerate(moments):
        await bench.store(namespace, f"t{number}", "text", timestamp=moment)
        found = await bench.provider.get(namespace, f"t{number}")
        assert found is not None, "a stored entry is absent"
        assert found.timestamp.tzinfo is not None, "a timestamp comes back aware"
        assert found.timestamp == moment, "a timestamp lost precision or moved"


@behaviour("core", needs=())
async def an_absent_key_is_none(bench: Bench) -> None:
    """Absence is None, in a namespace that was never written to as well."""
    assert await bench.provider.get(bench.namespace("never"), "nothing") is None, "an absent key must be None"


@behaviour("core")
async def an_upsert_leaves_one_entry_with_the_new_fields(bench: Bench) -> None:
    """Storing a key again replaces everything about it."""
    namespace = bench.namespace()
    old = {"category": Category.DAILY, "session_id": "old", "metadata": {"old": 1}, "timestamp": _THEN}
    new = {"category": CUSTOM, "session_id": "new", "metadata": {"new": True}, "timestamp": _THEN + timedelta(days=1)}
    await bench.store(namespace, "k", "before", taint=Taint.EXTERNAL_SYNC, **old)
    stored = await bench.store(namespace, "k", "after", taint=Taint.INTERNAL, **new)
    same(await bench.provider.get(namespace, "k"), stored)

    async def check() -> None:
        entries = await bench.walk(namespace)
        assert len(entries) == 1, f"one key was stored twice, and {len(entries)} entries are listed"
        same(entries[0], stored)

    assert stored.content == "after"
    await bench.eventually(check)


@behaviour("core")
async def forgetting_twice_answers_true_then_false(bench: Bench) -> None:
    """forget says whether there was something, and is idempotent."""
    namespace = bench.namespace()
    await bench.store(namespace, "k", "text")
    assert await bench.provider.forget(namespace, "k") is True, "forgetting an entry that is there is True"
    assert await bench.provider.get(namespace, "k") is None, "a forgotten key is still there"
    assert await bench.provider.forget(namespace, "k") is False, "forgetting it again is False"


@behaviour("core", needs=())
async def forgetting_what_never_was_is_false(bench: Bench) -> None:
    """Nothing there, nothing gone."""
    assert await bench.provider.forget(bench.namespace("never"), "nothing") is False, "there was nothing to forget"


@behaviour("core")
async def forgetting_one_key_leaves_the_others(bench: Bench) -> None:
    """Also a key that the forgotten one is a prefix of, and one with the same text."""
    namespace = bench.namespace()
    for key in ("k", "k/1", "k1", "other"):
        await bench.store(namespace, key, "the same text")
    await bench.provider.forget(namespace, "k")
    for key in ("k/1", "k1", "other"):
        assert await bench.provider.get(namespace, key) is not None, "another key went with the forgotten one"


@behaviour("core")
async def the_same_text_under_two_keys_is_two_entries(bench: Bench) -> None:
    """An engine that folds duplicates must not lose a key."""
    namespace = bench.namespace()
    for key in ("one", "two"):
        await bench.store(namespace, key, "word for word the same")
    for key in ("one", "two"):
        assert await bench.provider.get(namespace, key) is not None, "one of two keys with the same text is absent"


@behaviour("core", needs=())
async def a_timestamp_without_a_zone_is_refused(bench: Bench) -> None:
    """Nobody can say which moment it is."""
    naive = datetime(2026, 5, 8, 1, 2, 3)
    await _refused(bench, timestamp=naive)


@behaviour("core", needs=())
async def nested_metadata_is_refused(bench: Bench) -> None:
    """Metadata is flat; what can't be kept exactly is not accepted."""
    await _refused(bench, metadata={"nested": {"a": 1}})


@behaviour("core", needs=())
async def an_empty_namespace_is_refused(bench: Bench) -> None:
    """No namespace never means every namespace."""
    calls: tuple[Callable[[], Awaitable[Any]], ...] = (
        lambda: bench.provider.get("", "k"),
        lambda: bench.provider.list(""),
        lambda: bench.provider.recall("", "text"),
        lambda: bench.store("", "k", "text"),
    )
    for call in calls:
        try:
            await call()
        except InvalidInput:
            continue
        raise AssertionError("an empty namespace was accepted")


@behaviour("core", needs=())
async def a_taint_must_be_given(bench: Bench) -> None:
    """A default would be a claim about where text came from."""
    parameter = inspect.signature(bench.provider.store).parameters.get("taint")
    assert parameter is None or parameter.default is inspect.Parameter.empty, "store has a default for taint"
    try:
        await bench.provider.store(bench.namespace(), "k", "text")  # type: ignore[call-arg]
    except (TypeError, InvalidInput):
        return
    raise AssertionError("store accepted an entry without a taint")


async def _refused(bench: Bench, **fields: Any) -> None:
    namespace = bench.namespace()
    try:
        await bench.store(namespace, "refused", "text", **fields)
    except InvalidInput:
        assert await bench.provider.get(namespace, "refused") is None, "what was refused was stored all the same"
        return
    raise AssertionError(f"a bad {next(iter(fields))} was accepted; it must be InvalidInput")
