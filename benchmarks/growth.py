"""What size does: put, get and recall at 1e3, 1e4 and 1e5 entries in a namespace, and at 1e6 over 1,000 companies; and
whether one company's memory is felt by another.
"""

import asyncio
import random
import time
from datetime import UTC, datetime, timedelta
from typing import Final

from benchmarks.common import Report, Row, Texts, arguments, booted, finish, median
from opencompany_memory.contract import Category, ExportRecord, Taint
from opencompany_memory.overlay import MemoryOverlay, Namespace, Scope

_START: Final = datetime(2025, 1, 1, tzinfo=UTC)
_SESSION: Final = 20
"""Turns in a session."""


class Filler:
    """Fills namespaces with sentences in sessions."""

    def __init__(self) -> None:
        self.texts = Texts()
        # Sentences are drawn from a pool: making a million would take longer than storing them.
        self._pool = [self.texts.sentence() for _ in range(20_000)]
        self._random = random.Random(3)

    def sentence(self) -> str:
        """A sentence of the pool."""
        return self._random.choice(self._pool)

    def record(self, namespace: str, number: int) -> ExportRecord:
        """The entry of that number."""
        at = _START + timedelta(seconds=number)
        session = f"s{number // _SESSION}"
        return ExportRecord(namespace, f"k{number}", self.sentence(), Category.CORE, session, at, Taint.INTERNAL, {})

    async def fill(self, memory: MemoryOverlay, namespace: str, start: int, end: int) -> None:
        """Entries from `start` to `end`."""
        for first in range(start, end, 2000):
            batch = [self.record(namespace, number) for number in range(first, min(end, first + 2000))]
            outcome = await memory.bound.portability.import_records(batch)
            assert not outcome.failed


async def _probe(
    memory: MemoryOverlay, filler: Filler, namespaces: list[str], size: int, rounds: int
) -> tuple[float, ...]:
    """Median ms of a put, of a get and of a recall, in namespaces drawn at random."""
    puts, gets, recalls = [], [], []
    picks = random.Random(5)
    core, recall = memory.bound.core, memory.bound.recall
    for namespace in namespaces:  # companies in use: each connection has read its schema
        await core.get(namespace, "k0")
    for number in range(rounds):
        namespace = picks.choice(namespaces)
        text = filler.sentence()
        start = time.perf_counter()
        await core.store(namespace, f"probe{number}", text, taint=Taint.INTERNAL)
        puts.append(time.perf_counter() - start)
        keys = [f"k{picks.randrange(size)}" for _ in range(20)]
        start = time.perf_counter()
        for key in keys:
            await core.get(namespace, key)
        gets.append((time.perf_counter() - start) / len(keys))
        await core.forget(namespace, f"probe{number}")
    for _ in range(max(20, rounds // 8)):
        namespace, question = picks.choice(namespaces), filler.texts.question()
        start = time.perf_counter()
        await recall.recall(namespace, question, limit=10)
        recalls.append(time.perf_counter() - start)
    return tuple(median(values) * 1000 for values in (puts, gets, recalls))


async def _one_namespace(filler: Filler, sizes: list[int], rounds: int) -> list[tuple[int, tuple[float, ...]]]:
    found = []
    async with booted() as memory:
        namespace = str(Namespace.of("acme", Scope.CONTEXT))
        filled = 0
        for size in sizes:
            await filler.fill(memory, namespace, filled, size)
            filled = size
            found.append((size, await _probe(memory, filler, [namespace], size, rounds)))
    return found


async def _many_companies(filler: Filler, companies: int, each: int, rounds: int) -> tuple[float, ...]:
    async with booted() as memory:
        namespaces = [str(Namespace.of(f"company {number}", Scope.CONTEXT)) for number in range(companies)]
        for namespace in namespaces:
            await filler.fill(memory, namespace, 0, each)
        return await _probe(memory, filler, namespaces, each, rounds)


async def _beside_others(filler: Filler, size: int, others: int) -> tuple[float, float, bool]:
    """Median ms of a company's recall before and after others store, and whether results and scores are the same."""
    async with booted() as memory:
        mine = str(Namespace.of("mine", Scope.CONTEXT))
        await filler.fill(memory, mine, 0, size)
        questions = [filler.texts.question() for _ in range(60)]

        async def ask() -> tuple[float, list[list[tuple[str, float | None]]]]:
            seconds, answers = [], []
            for question in questions:
                start = time.perf_counter()
                hits = await memory.bound.recall.recall(mine, question, limit=10)
                seconds.append(time.perf_counter() - start)
                answers.append([(hit.key, hit.score) for hit in hits])
            return median(seconds) * 1000, answers

        await ask()
        before, first = await ask()
        for number in range(10):
            await filler.fill(memory, str(Namespace.of(f"other {number}", Scope.CONTEXT)), 0, others // 10)
        after, second = await ask()
        return before, after, first == second


async def measure(*, quick: bool) -> Report:
    """All of it."""
    filler = Filler()
    sizes = [1000, 3000, 10_000] if quick else [1000, 10_000, 100_000]
    companies, each = (50, 200) if quick else (1000, 1000)
    rounds = 100 if quick else 400
    grown = await _one_namespace(filler, sizes, rounds)
    spread = await _many_companies(filler, companies, each, rounds)
    before, after, same = await _beside_others(filler, 2000, 10_000 if quick else 100_000)
    base = grown[0][1]
    rows = [row for size, figures in grown for row in _compared(f"{size:,} entries in a namespace", figures, base)]
    rows += _compared(f"{companies * each:,} entries over {companies:,} companies", spread, base)
    latency = (
        f"{after:.2f} ms",
        f"{before:.2f} ms before",
        f"{after / before:.2f}",
        "at most 1.5",
        after / before <= 1.5,
    )
    rows.append(Row("recall of one company after others stored", *latency))
    rows.append(Row("its results and scores", "identical" if same else "changed", "", "", "identical", same))
    facts = {"grown": dict(grown), "spread": spread, "before_ms": before, "after_ms": after}
    return Report("Growth and isolation", rows, facts)


def _compared(label: str, figures: tuple[float, ...], base: tuple[float, ...]) -> list[Row]:
    """Rows for put, get and recall, against the smallest size."""
    rows = []
    for what, mine, first in zip(("put", "get", "recall"), figures, base, strict=True):
        ratio = mine / first
        target = ("at most 2", ratio <= 2) if what != "recall" and figures is not base else ("", None)
        shown = (f"{mine:.3f} ms", f"{first:.3f} ms at the smallest", f"{ratio:.2f}")
        rows.append(Row(f"{what}, {label}", *shown, *target))
    return rows


def main() -> None:
    """The command."""
    options = arguments(__doc__ or "")
    finish(asyncio.run(measure(quick=options.quick)), options)


if __name__ == "__main__":
    main()
