"""A driver's code can neither hang the host nor end it, and what it says does nothing but be read."""

import asyncio
import contextlib
import threading
from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from opencompany_memory.binding.audit import Findings
from opencompany_memory.binding.bind import BoundMemory, Descriptor
from opencompany_memory.binding.foreign import Raised, answer_within, close_quietly, in_one_line, run_within
from opencompany_memory.binding.probe import canary, probe
from opencompany_memory.binding.redaction import Redactor
from opencompany_memory.contract import Degraded, Down, Health, MemoryEntry, Ready, Unauthorized, Unreachable
from tests.support.memory_engine import MemoryEngine

KEY = "sk-canary-0123456789"
NAMESPACE = "oc/canary"


@pytest.mark.anyio
async def test_what_a_function_returns_comes_back() -> None:
    assert await run_within(5, lambda: 3) == 3


@pytest.mark.anyio
@pytest.mark.parametrize("kind", [SystemExit, KeyboardInterrupt, GeneratorExit, StopIteration, MemoryError, ValueError])
async def test_whatever_a_function_raises_is_taken_apart(kind: type[BaseException]) -> None:
    def work() -> None:
        raise kind(KEY)

    with pytest.raises(Raised) as raised:
        await run_within(5, work)
    assert raised.value.kind is kind
    assert KEY not in str(raised.value)
    assert raised.value.message is None


@pytest.mark.anyio
async def test_a_function_that_does_not_end_is_left_behind() -> None:
    release = threading.Event()
    try:
        with pytest.raises(TimeoutError):
            await run_within(0.05, release.wait)
    finally:
        release.set()


@pytest.mark.anyio
async def test_a_coroutine_that_can_not_be_cancelled_is_left_behind() -> None:
    release = asyncio.Event()

    async def cling() -> None:
        while not release.is_set():
            with contextlib.suppress(asyncio.CancelledError):
                await release.wait()
        raise RuntimeError(KEY)  # nobody hears it

    with pytest.raises(TimeoutError):
        await asyncio.wait_for(answer_within(0.05, cling), 5)
    release.set()


@pytest.mark.anyio
async def test_a_coroutine_that_leaves_the_process_does_not() -> None:
    async def leave() -> None:
        raise SystemExit(3)

    with pytest.raises(Raised):
        await answer_within(5, leave)


@pytest.mark.anyio
async def test_whoever_waits_can_be_cancelled() -> None:
    inner = asyncio.Event()
    cancelled = asyncio.Event()

    async def wait() -> None:
        try:
            inner.set()
            await asyncio.Event().wait()
        finally:
            cancelled.set()

    waiting = asyncio.create_task(answer_within(60, wait))
    await inner.wait()
    waiting.cancel()
    with pytest.raises(asyncio.CancelledError):
        await waiting
    await asyncio.wait_for(cancelled.wait(), 5)


@given(st.text())
def test_what_a_driver_says_is_one_line_without_commands(text: str) -> None:
    line = in_one_line(text)
    assert len(line.splitlines()) <= 1
    assert not any(ord(character) < 32 or 127 <= ord(character) < 160 for character in line)


class Engine(MemoryEngine):
    """Answers as it is told to."""

    def __init__(self, health: Any = None, get: Exception | None = None, recall: Exception | None = None) -> None:
        super().__init__()
        self.said, self.get_fails, self.recall_fails = health or Ready(), get, recall
        self.forgetful = False

    async def health(self) -> Health:
        return self.said  # type: ignore[no-any-return]

    async def get(self, namespace: str, key: str) -> MemoryEntry | None:
        if self.get_fails:
            raise self.get_fails
        return None if self.forgetful else await super().get(namespace, key)

    async def recall(self, *args: Any, **filters: Any) -> list[MemoryEntry]:
        if self.recall_fails:
            raise self.recall_fails
        return await super().recall(*args, **filters)

    async def aclose(self) -> None:
        raise SystemExit(3)


@pytest.mark.anyio
async def test_closing_quietly_raises_nothing() -> None:
    await close_quietly(Engine())


@pytest.mark.anyio
@pytest.mark.parametrize("state", [Degraded, Down])
async def test_the_reason_of_a_health_is_one_line_without_secrets(state: Callable[[str], Health]) -> None:
    engine = Engine(state(f"{KEY} is\nlevel=error forged\x1b[2J"))
    report = await probe(engine, NAMESPACE, seconds=5, clean=Redactor([KEY]).clean)
    assert report.health == state("<redacted> is level=error forged\\x1b[2J")


@pytest.mark.anyio
@pytest.mark.parametrize("answer", ["ready", True, object(), Ready])
async def test_a_health_of_another_type_is_down(answer: object) -> None:
    report = await probe(Engine(answer), NAMESPACE, seconds=5)
    assert report.health.state == "down"
    assert report.unreachable == ()


class Forged:
    """Says that it is an entry."""

    __class__ = MemoryEntry  # type: ignore[assignment]


@pytest.mark.anyio
async def test_an_answer_with_a_forged_class_is_no_entry() -> None:
    class Lying(Engine):
        async def get(self, namespace: str, key: str) -> Any:
            return Forged()

    assert (await canary(Lying(), NAMESPACE, seconds=5)).failures["core"] == "get answered with a Forged"


@pytest.mark.anyio
async def test_the_canary_is_sent_also_when_recall_is_out_of_order() -> None:
    engine = Engine(recall=Unreachable("no index"))
    report = await canary(engine, NAMESPACE, seconds=5)
    assert (report.kept, report.unreachable) == (True, ("recall",))
    engine.forgetful = True
    assert (await canary(engine, NAMESPACE, seconds=5)).kept is False


@pytest.mark.anyio
async def test_what_was_unreachable_heals_by_itself() -> None:
    engine = Engine(Down(f"bad {KEY}"), get=Unauthorized(KEY))
    descriptor = Descriptor(
        driver_id="x", driver_class="external", distribution="x", version="1", contract="1.0", mode="remote",
        layer="env", families=("core",), unadvertised=(), unreachable=("core",), health=Down(""), durable=True,
        boot_id="B", audit_log="", audit_fault=None, warnings=(),
    )  # fmt: skip
    findings = Findings((), (), {"core": engine}, (), (), {}, ())
    bound = BoundMemory(engine, descriptor, findings, NAMESPACE, {}, Redactor([KEY]).clean)
    await bound.refresh(seconds=5)
    assert bound.descriptor.unreachable == ("core",)
    assert KEY not in repr(bound.descriptor)
    engine.said, engine.get_fails = Ready(), None
    await asyncio.gather(*(bound.refresh(seconds=5) for _ in range(5)))
    assert (bound.descriptor.unreachable, bound.descriptor.health) == ((), Ready())
    engine.get_fails = Unauthorized(KEY)
    assert (await bound.refresh(max_age=timedelta(hours=1).total_seconds())).unreachable == ()
