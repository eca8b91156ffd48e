"""Nothing that an engine hands back is believed because we asked for ours."""

import logging
from typing import Any

import attrs
import pytest

from opencompany_memory.contract import Backend, EntryPage, MemoryEntry
from opencompany_memory.overlay import MemoryOverlay
from opencompany_memory.overlay.context import address_of
from tests.support.bound import StandIn
from tests.support.memory_engine import MemoryEngine

pytestmark = pytest.mark.anyio

SECRET = "the vault code of globex is 4711"


class Leaky(MemoryEngine):
    """Ignores the namespace in every read, and reports truthfully whose the entries are."""

    async def get(self, namespace: str, key: str) -> MemoryEntry | None:
        return next((versions[-1] for (_, k), versions in self.entries.items() if k == key), None)

    async def recall(self, namespace: str, query: str, **options: Any) -> list[MemoryEntry]:
        return [versions[-1] for versions in self.entries.values()]

    async def list(self, namespace: str, **filters: Any) -> EntryPage:
        return EntryPage([versions[-1] for versions in self.entries.values()], None)


class Altering(MemoryEngine):
    """Hands back what was stored with something in it changed."""

    def __init__(self, change: dict[str, Any]) -> None:
        super().__init__()
        self.change = change

    async def get(self, namespace: str, key: str) -> MemoryEntry | None:
        found = await super().get(namespace, key)
        return None if found is None else attrs.evolve(found, **self.change)

    async def recall(self, namespace: str, query: str, **options: Any) -> list[MemoryEntry]:
        return [attrs.evolve(e, **self.change) for e in await super().recall(namespace, query, **options)]

    async def list(self, namespace: str, **filters: Any) -> EntryPage:
        page = await super().list(namespace, **filters)
        return attrs.evolve(page, entries=[attrs.evolve(e, **self.change) for e in page.entries])


@pytest.fixture
async def leaky() -> MemoryOverlay:
    memory = MemoryOverlay(StandIn(Leaky()))
    await memory.context.put("globex", "vault", SECRET)
    return memory


@pytest.mark.parametrize("read", ["search", "list", "get", "put", "delete", "delete_label", "forget"])
async def test_a_driver_that_ignores_the_namespace_leaks_nothing_and_is_counted(
    leaky: MemoryOverlay, caplog: pytest.LogCaptureFixture, read: str
) -> None:
    address = address_of(SECRET)
    context = leaky.context
    with caplog.at_level(logging.DEBUG):
        before = leaky.drops.foreign
        if read == "search":
            assert await context.search("acme", "vault code") == []
        elif read == "list":
            assert (await context.list("acme")).chunks == []
        elif read == "get":
            assert await context.get("acme", address) is None
        elif read == "put":
            await context.put("acme", "vault", SECRET)
            assert len([place for place in leaky.bound.core.entries if place[0].startswith("oc/acme-")]) == 1
        elif read == "delete":
            assert await context.delete("acme", address) is False
        elif read == "delete_label":
            assert await context.delete_label("acme", address, "vault") is False
            return
        else:
            assert await context.forget("acme", "vault") == 0
    assert leaky.drops.foreign > before
    assert caplog.records
    assert all(record.levelno == logging.WARNING for record in caplog.records)
    for secret in ("4711", "vault", "globex", address):
        assert secret not in caplog.text


async def test_the_owner_still_sees_its_own_through_a_driver_that_ignores_the_namespace(leaky: MemoryOverlay) -> None:
    assert [hit.text for hit in await leaky.context.search("globex", "vault")] == [SECRET]
    assert leaky.drops.foreign == 0


async def test_a_body_read_under_a_remembered_label_is_checked_too() -> None:
    engine = Leaky()
    memory = MemoryOverlay(StandIn(engine))
    address = await memory.context.put("acme", "label", "text")
    (versions,) = engine.entries.values()
    versions[-1] = attrs.evolve(versions[-1], namespace="oc/globex-1/context")
    assert await memory.context.get("acme", address) is None
    assert memory.drops.foreign > 0


@pytest.mark.parametrize(
    "change", [{"content": "something else"}, {"key": "no address"}, {"key": f"{'a' * 64}/label"}, {"key": ""}]
)
async def test_an_altered_entry_is_not_shown_and_is_counted(
    caplog: pytest.LogCaptureFixture, change: dict[str, Any]
) -> None:
    memory = MemoryOverlay(StandIn(Altering(change)))
    await memory.context.put("acme", "secret label", "secret text")
    assert await memory.context.search("acme", "secret") == []
    assert memory.drops.unreadable == 1
    assert (await memory.context.list("acme")).chunks == []
    assert memory.drops.unreadable == 2
    assert memory.drops.foreign == 0
    assert "secret" not in caplog.text
    assert "something" not in caplog.text


async def test_a_body_that_was_altered_is_an_error_and_never_another_text() -> None:
    memory = MemoryOverlay(StandIn(Altering({"content": "something else"})))
    address = await memory.context.put("acme", "label", "text")
    with pytest.raises(Backend):
        await memory.context.get("acme", address)


async def test_an_answer_to_another_key_is_not_taken_for_the_asked_one() -> None:
    class Confused(MemoryEngine):
        async def get(self, namespace: str, key: str) -> MemoryEntry | None:
            return await super().get(namespace, max((k for _, k in self.entries), default=key))

    memory = MemoryOverlay(StandIn(Confused()))
    for n in range(4):
        await memory.context.put("acme", "label", f"text {n}")
    for n in range(4):
        chunk = await memory.context.get("acme", address_of(f"text {n}"))
        assert chunk is not None
        assert chunk.text == f"text {n}"


@pytest.mark.parametrize("cursors", [["a", "a"], ["a", "b", "a"], ["a", "b", "c", "b"]])
async def test_a_listing_that_goes_round_in_circles_ends_with_an_error(cursors: list[str]) -> None:
    class Circling(MemoryEngine):
        calls = 0

        async def list(self, namespace: str, **filters: Any) -> EntryPage:
            self.calls += 1
            assert self.calls < 50
            return EntryPage([], cursors[(self.calls - 1) % len(cursors)])

    memory = MemoryOverlay(StandIn(Circling()))
    with pytest.raises(Backend, match="advance"):
        await memory.context.list("acme")
    with pytest.raises(Backend, match="advance"):
        await memory.context.forget("acme", "label")
    with pytest.raises(Backend, match="advance"):
        await memory.context.get("acme", "0" * 64)
