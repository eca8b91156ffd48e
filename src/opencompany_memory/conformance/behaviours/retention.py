"""What was accepted is kept."""

from opencompany_memory.conformance.bench import Bench
from opencompany_memory.conformance.registry import behaviour


@behaviour("retention")
async def what_was_accepted_is_kept(bench: Bench) -> None:
    """By get and list, after other writes, updates and removals."""
    namespace = bench.namespace()
    for number in range(10):
        await bench.store(namespace, f"k{number}", f"kept text {number}")
    for number in range(10):
        await bench.store(bench.namespace("noise"), f"k{number}", "noise")
        await bench.provider.forget(bench.namespace("noise"), f"k{number}")
    for number in range(10):
        found = await bench.provider.get(namespace, f"k{number}")
        assert found is not None, "an entry was accepted and is absent: this engine forgets"
        assert found.content == f"kept text {number}", "an entry was accepted and is another one now"

    async def check() -> None:
        assert len(await bench.walk(namespace)) == 10, "entries were accepted and are not listed: this engine forgets"

    await bench.eventually(check)


@behaviour("retention", needs=("retention", "matching"))
async def what_was_accepted_can_be_recalled(bench: Bench) -> None:
    """An engine that stores and does not index is found out."""
    namespace = bench.namespace()
    for number, word in enumerate(("zebra", "walrus", "heron")):
        await bench.store(namespace, f"k{number}", f"the {word} by the river")

    async def check() -> None:
        for number, word in enumerate(("zebra", "walrus", "heron")):
            found = [entry.key for entry in await bench.provider.recall(namespace, word, limit=3)]
            assert found[:1] == [f"k{number}"], "an entry was accepted and can't be recalled"

    await bench.eventually(check)
