"""Many callers at once."""

import asyncio
from typing import Final

from opencompany_memory.conformance.bench import Bench
from opencompany_memory.conformance.registry import behaviour

_WRITERS: Final = 50


@behaviour("concurrency")
async def fifty_writers_on_one_key_leave_one_entry(bench: Bench) -> None:
    """One of the texts that were written, listed once; nobody gets a conflict in the face."""
    namespace = bench.namespace()
    await asyncio.gather(*(bench.store(namespace, "k", f"text {number}") for number in range(_WRITERS)))
    found = await bench.provider.get(namespace, "k")
    assert found is not None, "fifty writers stored a key, and it is absent"
    assert found.content in {f"text {number}" for number in range(_WRITERS)}, "the entry is none of what was written"

    async def check() -> None:
        listed = await bench.walk(namespace)
        assert len(listed) == 1, f"fifty writers on one key left {len(listed)} entries"

    await bench.eventually(check)


@behaviour("concurrency")
async def fifty_writers_on_fifty_keys_lose_nothing(bench: Bench) -> None:
    """Each finds what it wrote."""
    namespace = bench.namespace()
    await asyncio.gather(*(bench.store(namespace, f"k{number}", f"text {number}") for number in range(_WRITERS)))
    found = await asyncio.gather(*(bench.provider.get(namespace, f"k{number}") for number in range(_WRITERS)))
    texts = [None if entry is None else entry.content for entry in found]
    assert texts == [f"text {number}" for number in range(_WRITERS)], "a write among fifty was lost or mixed up"


@behaviour("concurrency")
async def a_write_that_returned_is_seen_by_the_next_get(bench: Bench) -> None:
    """Each of twenty, one after the other, on the same key."""
    namespace = bench.namespace()
    for number in range(20):
        await bench.store(namespace, "k", f"text {number}")
        found = await bench.provider.get(namespace, "k")
        assert found is not None, "a write that returned is absent"
        assert found.content == f"text {number}", "the next get gave an older text"


@behaviour("concurrency")
async def writers_and_forgetters_leave_the_last_word(bench: Bench) -> None:
    """After all of them came back, one more forget leaves nothing, and one more store leaves one."""
    namespace = bench.namespace()
    calls = [bench.store(namespace, "k", f"text {number}") for number in range(20)]
    await asyncio.gather(*calls, *(bench.provider.forget(namespace, "k") for _ in range(20)))
    await bench.provider.forget(namespace, "k")
    assert await bench.provider.get(namespace, "k") is None, "a forgotten key is there"
    await bench.store(namespace, "k", "last")

    async def check() -> None:
        assert [entry.content for entry in await bench.walk(namespace)] == ["last"], "the last word is not the only one"

    await bench.eventually(check)


@behaviour("concurrency")
async def readers_beside_writers_see_whole_entries(bench: Bench) -> None:
    """Content and metadata of one write never mix with another's."""
    namespace = bench.namespace()
    await bench.store(namespace, "k", "text 0", metadata={"n": 0})

    async def write(number: int) -> None:
        await bench.store(namespace, "k", f"text {number}", metadata={"n": number})

    async def read() -> None:
        found = await bench.provider.get(namespace, "k")
        assert found is not None, "an entry that is only ever replaced was absent for a moment"
        assert found.content == f"text {found.metadata['n']}", "an entry was read half old, half new"

    await asyncio.gather(*(call for number in range(1, 25) for call in (write(number), read())))
