"""Keys are text, however awkward, and each is itself."""

import unicodedata
from collections.abc import Awaitable, Callable
from typing import Any, Final

from opencompany_memory.conformance.bench import Bench
from opencompany_memory.conformance.registry import behaviour
from opencompany_memory.contract import InvalidInput

_NFC: Final = unicodedata.normalize("NFC", "é")
KEYS: Final = (
    "plain", "a b", " leading", "leading", "trailing ", "trailing", "a/b", "/", "//", "..", "../../etc/passwd", ".",
    "a\\b", "C:\\tmp", "a:b", "100%", "%2F", "a_b", "a*b", "a?b=c&d", "#", "'", '"', ";--", "$where", "{}", "null",
    "0", "-1", "True", "\n", "\t", "日志", "مفتاح", "🗝️", "\u0301", _NFC, unicodedata.normalize("NFD", _NFC), "K", "k",
    "ß", "SS", "ı", "i", "I", "İ",
)  # fmt: skip


@behaviour("keys")
async def awkward_keys_are_kept_apart(bench: Bench) -> None:
    """Each key finds its own entry: no folding of case, normal form or blanks, no path, no pattern."""
    namespace = bench.namespace()
    accepted = []
    for number, key in enumerate(KEYS):
        try:
            await bench.store(namespace, key, f"text {number}")
        except InvalidInput:
            assert await bench.provider.get(namespace, key) is None, f"{key!r} was refused and stored all the same"
            continue
        accepted.append((number, key))
    assert len(accepted) > len(KEYS) // 2, "more than half of the awkward keys were refused"
    for number, key in accepted:
        found = await bench.provider.get(namespace, key)
        assert found is not None, f"the entry at {key!r} is absent"
        assert found.key == key, f"the key {key!r} did not come back as it was given"
        assert found.content == f"text {number}", f"{key!r} holds another key's entry"


@behaviour("keys")
async def awkward_keys_are_listed_and_forgotten(bench: Bench) -> None:
    """What is listed can be forgotten as it is, and takes nothing else with it."""
    namespace = bench.namespace()
    keys = ("a/b", "a b", "100%", "日志", "K", "k", "..", "'")
    for key in keys:
        await bench.store(namespace, key, "text")

    async def check() -> None:
        assert sorted(entry.key for entry in await bench.walk(namespace)) == sorted(keys), "other keys are listed"

    await bench.eventually(check)
    for position, key in enumerate(keys):
        assert await bench.provider.forget(namespace, key) is True, f"{key!r} is listed and can't be forgotten"
        for other in keys[position + 1 :]:
            assert await bench.provider.get(namespace, other) is not None, f"{other!r} went with {key!r}"


@behaviour("keys")
async def a_long_key_is_kept(bench: Bench) -> None:
    """512 characters; two that differ in the last only are two."""
    namespace = bench.namespace()
    one, other = "k" * 511 + "1", "k" * 511 + "2"
    await bench.store(namespace, one, "first")
    await bench.store(namespace, other, "second")
    for key, text in ((one, "first"), (other, "second")):
        found = await bench.provider.get(namespace, key)
        assert found is not None, "the entry at a long key is absent"
        assert (found.key, found.content) == (key, text), "two long keys are taken for one"


@behaviour("keys", needs=())
async def an_empty_key_is_refused(bench: Bench) -> None:
    """It could only mean everything or nothing."""
    namespace = bench.namespace()
    calls: tuple[Callable[[], Awaitable[Any]], ...] = (
        lambda: bench.store(namespace, "", "text"),
        lambda: bench.provider.get(namespace, ""),
        lambda: bench.provider.forget(namespace, ""),
    )
    for call in calls:
        try:
            await call()
        except InvalidInput:
            continue
        raise AssertionError("an empty key was accepted")
