"""A company's memory is removed whole, over any engine, and proved by reading again."""

from pathlib import Path
from typing import Any

import pytest

from opencompany_memory.contract import Backend, Taint
from opencompany_memory.overlay import MemoryOverlay, Namespace, Scope
from opencompany_memory.store.provider import SqliteProvider
from tests.support.bound import StandIn
from tests.support.memory_engine import MemoryEngine
from tests.support.stores import holds

pytestmark = pytest.mark.anyio


async def fill(memory: MemoryOverlay, company: str) -> None:
    core = memory.bound.core
    for namespace in (Namespace.of(company, Scope.FACTS), Namespace.of_agent(company, "ann")):
        await core.store(str(namespace), "k", "zanzibarquux", taint=Taint.INTERNAL)
    for n in range(3):
        await memory.context.put(company, "label", f"zanzibarquux {n}")


@pytest.fixture(params=["with maintenance", "without maintenance", "another engine"])
def memory(request: pytest.FixtureRequest, tmp_path: Path) -> Any:
    if request.param == "another engine":
        return MemoryOverlay(StandIn(MemoryEngine()))
    without = ("maintenance",) if request.param == "without maintenance" else ()
    return MemoryOverlay(StandIn(SqliteProvider(tmp_path), without))


async def test_everything_of_the_company_goes_and_nobody_elses(memory: MemoryOverlay) -> None:
    async with memory:
        for company in ("acme", "acme ", "Acme", "acm", ""):
            await fill(memory, company)
        report = await memory.purge("acme")
        agent = str(Namespace.of_agent("acme", "ann")).removeprefix(Namespace.prefix("acme"))
        assert sorted(report.scopes) == sorted([("facts", 1), ("context", 3), (agent, 1)])
        assert report.entries == 5
        assert list(await memory.census("acme")) == []
        assert await memory.context.search("acme", "zanzibarquux") == []
        assert (await memory.context.list("acme")).chunks == []
        for company in ("acme ", "Acme", "acm", ""):
            assert sum(count for _, count in await memory.census(company)) == 5
            assert len(await memory.context.search(company, "zanzibarquux")) == 3


async def test_more_than_a_page_goes(memory: MemoryOverlay) -> None:
    async with memory:
        namespace = str(Namespace.of("acme", Scope.TRACES))
        for n in range(1100):
            if not isinstance(memory.bound.core, SqliteProvider) or n < 30:
                await memory.bound.core.store(namespace, f"k{n}", "text", taint=Taint.INTERNAL)
        (_, count) = (await memory.census("acme"))[0]
        assert (await memory.purge("acme")).entries == count


async def test_purging_a_company_without_memory_finds_nothing(memory: MemoryOverlay) -> None:
    async with memory:
        await fill(memory, "acme")
        report = await memory.purge("nobody")
        assert (report.entries, list(report.scopes), report.other_records) == (0, [], 0)
        assert sum(count for _, count in await memory.census("acme")) == 5


async def test_a_purged_company_can_begin_anew(memory: MemoryOverlay) -> None:
    async with memory:
        await fill(memory, "acme")
        await memory.purge("acme")
        await fill(memory, "acme")
        assert sum(count for _, count in await memory.census("acme")) == 5


async def test_records_of_other_families_are_counted_and_gone_and_no_file_holds_a_word(tmp_path: Path) -> None:
    async with MemoryOverlay(StandIn(SqliteProvider(tmp_path))) as memory:
        await fill(memory, "acme")
        namespace = str(Namespace.of("acme", Scope.FACTS))
        await memory.bound.family("documents").put_document(namespace, "d", "zanzibarquux", taint=Taint.INTERNAL)
        await memory.bound.family("graph").link(namespace, "zanzibarquux", "to", "b", taint=Taint.INTERNAL)
        assert holds(tmp_path, "zanzibarquux")
        assert (await memory.purge("acme")).other_records == 2
        assert holds(tmp_path, "zanzibarquux") == []


async def test_a_purge_that_left_something_is_an_error() -> None:
    class Lying(MemoryEngine):
        turns = 0

        async def forget(self, namespace: str, key: str) -> bool:
            self.turns += 1
            return self.turns < 5

    memory = MemoryOverlay(StandIn(Lying()))
    await fill(memory, "acme")
    with pytest.raises(Backend, match="still there"):
        await memory.purge("acme")
