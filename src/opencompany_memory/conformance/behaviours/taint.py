"""Where an entry came from goes with it everywhere."""

from opencompany_memory.conformance.bench import Bench
from opencompany_memory.conformance.registry import behaviour
from opencompany_memory.contract import Taint


@behaviour("taint")
async def taint_is_kept_by_get_and_list(bench: Bench) -> None:
    """Both taints, in both reads."""
    namespace = bench.namespace()
    for taint in Taint:
        await bench.store(namespace, taint.value, "some text", taint=taint)
        found = await bench.provider.get(namespace, taint.value)
        assert found is not None, "a stored entry is absent"
        assert found.taint is taint, "get gave another taint than was stored"

    async def check() -> None:
        listed = {entry.key: entry.taint for entry in await bench.walk(namespace)}
        assert listed == {taint.value: taint for taint in Taint}, "list gave another taint than was stored"

    await bench.eventually(check)


@behaviour("taint", needs=("retention", "matching"))
async def taint_is_kept_by_recall(bench: Bench) -> None:
    """Text from outside stays marked when it is recalled."""
    namespace = bench.namespace()
    for taint in Taint:
        await bench.store(namespace, taint.value, "the zebra crossing", taint=taint)

    async def check() -> None:
        found = {entry.key: entry.taint for entry in await bench.provider.recall(namespace, "zebra")}
        assert found == {taint.value: taint for taint in Taint}, "recall gave another taint than was stored"

    await bench.eventually(check)


@behaviour("taint")
async def an_upsert_takes_the_new_taint(bench: Bench) -> None:
    """The taint is that of the last write, in either direction."""
    namespace = bench.namespace()
    for taint in (Taint.INTERNAL, Taint.EXTERNAL_SYNC, Taint.INTERNAL):
        await bench.store(namespace, "k", f"text {taint.value}", taint=taint)
        found = await bench.provider.get(namespace, "k")
        assert found is not None, "a stored entry is absent"
        assert found.taint is taint, "an upsert kept the old taint"
