"""The synchronous front, over the real boot."""

import asyncio
import threading
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

import opencompany_memory
from opencompany_memory import BootRefused, sync
from opencompany_memory.contract import InvalidInput, Unreachable

pytestmark = pytest.mark.filterwarnings("error")


@pytest.fixture
def environ(tmp_path: Path) -> dict[str, str]:
    return {"OPENCOMPANY_DATA_DIR": str(tmp_path / "data")}


@pytest.fixture
def memory(environ: dict[str, str]) -> Iterator[sync.SyncMemory]:
    with sync.boot(environ) as booted:
        yield booted


def in_threads(count: int, work: Callable[[int], None]) -> list[BaseException]:
    faults: list[BaseException] = []
    start = threading.Barrier(count)

    def run(number: int) -> None:
        start.wait()
        try:
            work(number)
        except BaseException as error:  # noqa: BLE001 - handed to the test
            faults.append(error)

    threads = [threading.Thread(target=run, args=(number,)) for number in range(count)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(timeout=60)
        assert not thread.is_alive()
    return faults


def test_every_method_does_what_its_asynchronous_twin_does(memory: sync.SyncMemory) -> None:
    context = memory.context
    address = context.put("acme", "deploy", "The deploy key rotates on Mondays.", session="s")
    chunk = context.get("acme", address)
    assert chunk is not None
    assert (chunk.text, chunk.session) == ("The deploy key rotates on Mondays.", "s")
    assert [hit.address for hit in context.search("acme", "when does the key rotate?")] == [address]
    assert [meta.label for meta in context.list("acme", "dep").chunks] == ["deploy"]
    assert context.delete_label("acme", address, "deploy") is True
    assert context.delete("acme", address) is False
    context.put("acme", "deploy", "again")
    assert context.forget("acme", "deploy") == 1
    context.put("acme", "deploy", "again")
    assert memory.purge("acme").entries == 1
    assert memory.descriptor.driver_id == "store"


def test_an_error_comes_out_as_it_is(memory: sync.SyncMemory) -> None:
    with pytest.raises(InvalidInput):
        memory.context.put("acme", "", "text")


def test_a_refusal_comes_out_as_it_is_and_leaves_no_thread(environ: dict[str, str]) -> None:
    with pytest.raises(BootRefused):
        sync.boot({**environ, "OPENCOMPANY_MEMORY": "redis"})
    assert "memory-sync" not in [thread.name for thread in threading.enumerate()]


def test_it_is_used_from_many_threads_at_once(memory: sync.SyncMemory) -> None:
    def work(number: int) -> None:
        for turn in range(10):
            address = memory.context.put("acme", f"t{number}", f"text {number} {turn}")
            assert memory.context.get("acme", address) is not None

    assert in_threads(6, work) == []
    assert len(memory.context.list("acme").chunks) == 60


def test_it_works_inside_a_running_loop(environ: dict[str, str]) -> None:
    async def notebook() -> None:
        with sync.boot(environ) as memory:
            memory.context.put("acme", "label", "text in a cell")
            await asyncio.sleep(0)
            assert [hit.text for hit in memory.context.search("acme", "cell")] == ["text in a cell"]

    asyncio.run(notebook())


def test_two_loops_in_turn_and_then_the_front_see_one_memory(environ: dict[str, str]) -> None:
    async def once(label: str) -> int:
        async with await opencompany_memory.boot(environ) as memory:
            await memory.context.put("acme", label, f"text {label}")
            return len((await memory.context.list("acme")).chunks)

    assert [asyncio.run(once(label)) for label in ("one", "two")] == [1, 2]
    with sync.boot(environ) as memory:
        assert len(memory.context.list("acme").chunks) == 2


def test_two_boots_at_once_share_the_folder(environ: dict[str, str]) -> None:
    with sync.boot(environ) as one, sync.boot(environ) as other:
        one.context.put("acme", "one", "text one")
        other.context.put("acme", "other", "text other")
        assert {c.label for c in one.context.list("acme").chunks} == {"one", "other"}
        one.close()
        assert len(other.context.list("acme").chunks) == 2


def test_closing_twice_is_nothing_and_using_it_afterwards_says_so(environ: dict[str, str]) -> None:
    memory = sync.boot(environ)
    memory.close()
    memory.close()
    with pytest.raises(RuntimeError, match="closed"):
        memory.context.list("acme")


def test_closing_while_other_threads_work_keeps_nobody_waiting(environ: dict[str, str]) -> None:
    for turn in range(5):
        memory = sync.boot(environ)
        kept: list[str] = []

        def work(number: int, memory: sync.SyncMemory = memory, kept: list[str] = kept, turn: int = turn) -> None:
            if number == 0:
                memory.context.search("acme", "text")
                memory.close()
                return
            try:
                for n in range(1000):
                    kept.append(memory.context.put("acme", "label", f"text {turn} {number} {n}"))
            except (RuntimeError, Unreachable):
                return

        assert in_threads(4, work) == []
        with sync.boot(environ) as again:
            assert all(again.context.get("acme", address) is not None for address in kept)


def test_several_threads_that_close_at_once_all_come_back(environ: dict[str, str]) -> None:
    memory = sync.boot(environ)
    assert in_threads(4, lambda _: memory.close()) == []
