"""Many companies, few open files; several event loops and threads; closing."""

import asyncio
import gc
import os
import threading
from pathlib import Path

import pytest

from opencompany_memory.contract import Down, Unreachable
from opencompany_memory.store.files import file_name, partition_of
from opencompany_memory.store.provider import SqliteProvider
from tests.support.stores import ACME, GLOBEX, fill, listed, put, recalled

pytestmark = pytest.mark.anyio


async def test_fifty_companies_over_four_open_files_lose_nothing_under_load(folder: Path) -> None:
    companies = [f"oc/c{n}/facts" for n in range(50)]
    async with SqliteProvider(folder, most_open=4) as store:

        async def work(company: str, turn: int) -> None:
            await put(store, company, f"k{turn}", f"text of {company} {turn}")
            entry = await store.get(company, f"k{turn}")
            assert entry is not None
            assert entry.content == f"text of {company} {turn}"
            assert f"k{turn}" in await recalled(store, company, f"text {turn}", limit=100)

        await asyncio.gather(*(work(company, turn) for turn in range(4) for company in companies))
        assert len(os.listdir("/proc/self/fd")) < 200
        assert {s.namespace: s.count for s in await store.namespaces()} == dict.fromkeys(companies, 4)
    async with SqliteProvider(folder) as store:
        assert {s.namespace: s.count for s in await store.namespaces()} == dict.fromkeys(companies, 4)
        assert (await store.maintenance.check()).problems == ()


async def test_files_stay_few_when_companies_come_one_after_another(folder: Path) -> None:
    async with SqliteProvider(folder, most_open=4) as store:
        for n in range(30):
            await put(store, f"oc/c{n}/facts", "k", "text")
            await recalled(store, f"oc/c{n}/facts", "text")
        paths = [os.readlink(f"/proc/self/fd/{fd}") for fd in os.listdir("/proc/self/fd") if exists(fd)]
        assert len({path for path in paths if str(folder) in path and path.endswith(".sqlite3")}) <= 4


def exists(handle: str) -> bool:
    return os.path.lexists(f"/proc/self/fd/{handle}")


async def test_closing_lets_go_of_every_file(folder: Path) -> None:
    async with SqliteProvider(folder) as store:
        for n in range(10):
            await fill(store, f"oc/c{n}/facts", ["text"] * 3)
            await recalled(store, f"oc/c{n}/facts", "text")
    gc.collect()
    paths = [os.readlink(f"/proc/self/fd/{fd}") for fd in os.listdir("/proc/self/fd") if exists(fd)]
    assert [path for path in paths if str(folder) in path] == []
    assert not list(folder.glob("*-wal"))


def test_one_provider_is_used_from_two_event_loops_in_turn(folder: Path) -> None:
    store = SqliteProvider(folder)
    asyncio.run(fill(store, ACME, ["text"] * 20))
    assert len(asyncio.run(listed(store, ACME))) == 20
    asyncio.run(fill(store, GLOBEX, ["text"] * 20))
    assert len(asyncio.run(recalled(store, GLOBEX, "text", limit=50))) == 20
    asyncio.run(store.aclose())


def test_one_provider_is_used_from_several_threads_at_once(folder: Path) -> None:
    store = SqliteProvider(folder)
    start = threading.Barrier(4)
    faults: list[BaseException] = []

    async def work(name: str) -> None:
        await asyncio.gather(*(put(store, ACME, f"{name}-{n}", "text") for n in range(50)))
        for n in range(50):
            assert await store.get(ACME, f"{name}-{n}") is not None
        assert await recalled(store, ACME, "text")

    def run(name: str) -> None:
        start.wait()
        try:
            asyncio.run(work(name))
        except BaseException as error:  # noqa: BLE001 - handed to the test
            faults.append(error)

    threads = [threading.Thread(target=run, args=(f"t{n}",)) for n in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert faults == []
    assert len(asyncio.run(listed(store, ACME, limit=1000))) == 200
    asyncio.run(store.aclose())


def test_a_loop_that_ends_before_its_writes_does_not_disturb_the_next(folder: Path) -> None:
    store = SqliteProvider(folder)

    async def give_up() -> None:
        await put(store, ACME, "first", "text")
        for n in range(20):
            asyncio.ensure_future(put(store, ACME, f"k{n}", "text"))  # noqa: RUF006 - given up on purpose
        await asyncio.sleep(0)

    for _ in range(5):
        asyncio.run(give_up())
    asyncio.run(put(store, ACME, "last", "text"))
    assert {"first", "last"} <= {entry.key for entry in asyncio.run(listed(store, ACME))}
    asyncio.run(store.aclose())


async def test_closing_waits_for_every_accepted_write(folder: Path) -> None:
    store = SqliteProvider(folder)
    await put(store, ACME, "first")
    writes = [asyncio.create_task(put(store, ACME, f"k{n}", "text")) for n in range(200)]
    await asyncio.sleep(0)
    await store.aclose()
    outcomes = await asyncio.gather(*writes, return_exceptions=True)
    assert {type(o) for o in outcomes if isinstance(o, BaseException)} <= {Unreachable}
    acknowledged = {o.key for o in outcomes if not isinstance(o, BaseException)}
    assert acknowledged
    async with SqliteProvider(folder) as again:
        assert acknowledged <= {e.key for e in await listed(again, ACME, limit=1000)}


async def test_whatever_the_moment_of_closing_no_call_hangs_and_no_call_lies(folder: Path) -> None:
    for turn in range(12):
        store = SqliteProvider(folder)
        calls = [
            asyncio.create_task(call)
            for n in range(10)
            for call in (
                put(store, f"oc/c{n % 3}/facts", f"{turn}-{n}", "text"),
                store.recall(ACME, "text"),
                store.get(ACME, "k"),
            )
        ]
        for _ in range(turn):
            await asyncio.sleep(0)
        async with asyncio.timeout(20):
            await store.aclose()
            outcomes = await asyncio.gather(*calls, return_exceptions=True)
        assert {type(o) for o in outcomes if isinstance(o, BaseException)} <= {Unreachable}
        async with SqliteProvider(folder) as again:
            for outcome in outcomes:
                if hasattr(outcome, "key"):
                    assert await again.get(outcome.namespace, outcome.key) is not None


async def test_every_call_after_closing_says_so(folder: Path) -> None:
    from opencompany_memory.contract import Taint

    store = SqliteProvider(folder)
    await put(store, ACME, "k")
    await store.aclose()
    await store.aclose()
    for call in (
        lambda: store.get(ACME, "k"),
        lambda: store.get(GLOBEX, "k"),
        lambda: put(store, ACME, "k"),
        lambda: store.forget(ACME, "k"),
        lambda: store.forget(GLOBEX, "k"),
        lambda: store.list(ACME),
        lambda: store.recall(ACME, "k"),
        lambda: store.recall(ACME, ""),
        store.namespaces,
        store.export_page,
        store.maintenance.check,
        store.maintenance.compact,
        lambda: store.maintenance.erase("oc/acme-1/"),
        lambda: store.documents.put_document(ACME, "d", "", taint=Taint.INTERNAL),
        lambda: store.documents.get_document(ACME, "d"),
        lambda: store.graph.edges(ACME, "d"),
        lambda: store.episodic.episodes(ACME),
    ):
        with pytest.raises(Unreachable):
            await call()
    assert isinstance(await store.health(), Down)


def test_hostile_namespaces_have_files_of_their_own() -> None:
    names = [
        "",
        "a",
        "A",
        "a ",
        "a.",
        "..",
        "../x",
        "a/../b",
        "con",
        "é",
        "e\u0301",
        "x" * 10_000,
        "\0",
        "oc/a",
        "oc/b",
    ]
    files = {file_name(partition_of(name)) for name in names}
    assert len({file.lower() for file in files}) == len(names)
    assert all(len(file) < 128 and file.isascii() and "/" not in file and not file.startswith(".") for file in files)
