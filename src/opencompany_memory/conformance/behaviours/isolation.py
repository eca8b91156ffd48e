"""Nobody sees another's."""

import unicodedata

from opencompany_memory.conformance.bench import Bench
from opencompany_memory.conformance.registry import behaviour

_NFC = unicodedata.normalize("NFC", "café")
_LOOK_ALIKES = (
    "acme", "acme:1", "acme/1", "acme_1", "acme 1", "Acme", "ACME", "acme1", "acme%2F1", "acme.", "acme*",
    _NFC, unicodedata.normalize("NFD", _NFC), "аcme",
)  # fmt: skip


@behaviour("isolation")
async def namespaces_that_look_alike_are_apart(bench: Bench) -> None:
    """Separators, case, composed and decomposed accents, look-alike letters, wildcards."""
    for number, name in enumerate(_LOOK_ALIKES):
        await bench.store(bench.namespace(name), "same-key", f"belongs to number {number}")
    for number, name in enumerate(_LOOK_ALIKES):
        found = await bench.provider.get(bench.namespace(name), "same-key")
        assert found is not None, f"an entry is absent from {name!r}"
        assert found.content == f"belongs to number {number}", f"{name!r} holds another namespace's entry"
        assert found.namespace == bench.namespace(name), f"an entry of {name!r} reports another namespace"


@behaviour("isolation")
async def listing_shows_one_namespace_only(bench: Bench) -> None:
    """Not one that begins alike, and not one below."""
    for name in _LOOK_ALIKES:
        await bench.store(bench.namespace(name), f"key of {name}", "text")

    async def check() -> None:
        for name in _LOOK_ALIKES:
            listed = [entry.key for entry in await bench.walk(bench.namespace(name))]
            assert listed == [f"key of {name}"], f"the listing of {name!r} shows {len(listed)} entries, not its own one"

    await bench.eventually(check)


@behaviour("isolation", needs=("retention", "matching"))
async def recall_shows_one_namespace_only(bench: Bench) -> None:
    """The same words everywhere, and each finds its own."""
    for name in _LOOK_ALIKES:
        await bench.store(bench.namespace(name), f"key of {name}", "the quick zebra jumps")

    async def check() -> None:
        for name in _LOOK_ALIKES:
            namespace = bench.namespace(name)
            found = await bench.provider.recall(namespace, "zebra", limit=50)
            assert all(entry.namespace == namespace for entry in found), f"recall in {name!r} gave a foreign entry"
            assert [entry.key for entry in found] == [f"key of {name}"], f"recall in {name!r} does not find its own"

    await bench.eventually(check)


@behaviour("isolation")
async def forgetting_in_one_namespace_leaves_the_other(bench: Bench) -> None:
    """Same key, two namespaces."""
    one, other = bench.namespace("acme"), bench.namespace("acme/1")
    for namespace in (one, other):
        await bench.store(namespace, "k", "text")
    await bench.provider.forget(one, "k")
    assert await bench.provider.get(other, "k") is not None, "forgetting a key took another namespace's with it"


@behaviour("isolation")
async def an_upsert_in_one_namespace_leaves_the_other(bench: Bench) -> None:
    """Same key, two namespaces, then each is stored again."""
    one, other = bench.namespace("acme"), bench.namespace("acme_1")
    for namespace in (one, other):
        await bench.store(namespace, "k", "first")
    for namespace in (one, other):
        await bench.store(namespace, "k", f"second of {namespace}")
    for namespace in (one, other):
        found = await bench.provider.get(namespace, "k")
        assert found is not None, "a stored entry is absent"
        assert found.content == f"second of {namespace}", "an upsert changed another namespace's entry"
