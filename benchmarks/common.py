"""What the benchmarks share: a booted memory in a scratch folder, texts, timing, and a table of verdicts."""

import argparse
import itertools
import json
import os
import platform
import random
import sqlite3
import statistics
import sys
import tempfile
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator, Sequence
from contextlib import asynccontextmanager, contextmanager
from typing import Any, Final

from attrs import asdict, frozen

import opencompany_memory
from opencompany_memory.cli.serve import raise_file_limit
from opencompany_memory.overlay import MemoryOverlay

_SYLLABLES: Final = "ba ce di fo gu ha je ki lo mu na pe qui ro su ta ve wi xo yu za cho dre fli gro sti".split()
_VOCABULARY: Final = 20_000


@frozen
class Row:
    """One measurement. `target` is a sentence, `met` None where there is no target."""

    what: str
    ours: str
    other: str
    ratio: str
    target: str = ""
    met: bool | None = None


@frozen
class Report:
    """One benchmark's measurements; `facts` are numbers for a program."""

    title: str
    rows: Sequence[Row]
    facts: dict[str, Any]
    skipped: str = ""


class Texts:
    """Sentences of pseudo-words whose frequencies follow Zipf's law, so that documents share words as real ones do."""

    def __init__(self, seed: int = 7) -> None:
        self._random = random.Random(seed)
        self._words = [
            "".join(self._random.choices(_SYLLABLES, k=self._random.randint(2, 4))) for _ in range(_VOCABULARY)
        ]
        self._cumulative = list(itertools.accumulate(1 / (rank + 3) for rank in range(_VOCABULARY)))

    def sentence(self) -> str:
        """Ten to thirty words."""
        return " ".join(self._random.choices(self._words, cum_weights=self._cumulative, k=self._random.randint(10, 30)))

    def question(self) -> str:
        """Four to seven words, of middling frequency, as questions have them."""
        return " ".join(self._random.choices(self._words[50:5000], k=self._random.randint(4, 7)))


@asynccontextmanager
async def booted() -> AsyncIterator[MemoryOverlay]:
    """The built-in store, in a folder that is removed afterwards, under the limits that `serve` gives itself."""
    raise_file_limit()
    with scratch() as folder:
        async with await opencompany_memory.boot({"OPENCOMPANY_DATA_DIR": folder}, surface="benchmark") as memory:
            yield memory


@contextmanager
def scratch() -> Iterator[str]:
    """A folder that is removed afterwards."""
    with tempfile.TemporaryDirectory(prefix="memory-bench-", ignore_cleanup_errors=True) as folder:
        yield folder


def timed(work: Callable[[], Any]) -> float:
    """Seconds that `work` takes."""
    start = time.perf_counter()
    work()
    return time.perf_counter() - start


async def timed_async(work: Callable[[], Awaitable[Any]]) -> float:
    """Seconds that `work` takes."""
    start = time.perf_counter()
    await work()
    return time.perf_counter() - start


def percentile(values: Sequence[float], share: float) -> float:
    """The value below which `share` of the values are."""
    ordered = sorted(values)
    return ordered[min(len(ordered) - 1, int(len(ordered) * share))]


def median(values: Sequence[float]) -> float:
    """The middle value."""
    return statistics.median(values)


def machine() -> str:
    """The kind of machine: what a reader needs to know to compare, and no names."""
    gib = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 2**30
    return (
        f"{os.cpu_count()} cores, {gib:.0f} GiB of memory, {platform.system()} on {platform.machine()}, "
        f"Python {platform.python_version()}, SQLite {sqlite3.sqlite_version}"
    )


def markdown(report: Report) -> str:
    """A report as a section of RESULTS.md."""
    lines = [f"## {report.title}\n"]
    if report.skipped:
        return f"{lines[0]}\nSkipped: {report.skipped}.\n"
    lines.append("| what | ours | instead | ratio | target | |\n| --- | --- | --- | --- | --- | --- |")
    for row in report.rows:
        verdict = "" if row.met is None else "met" if row.met else "**missed**"
        lines.append(f"| {row.what} | {row.ours} | {row.other} | {row.ratio} | {row.target} | {verdict} |")
    return "\n".join(lines) + "\n"


def arguments(description: str, *, data: bool = False) -> argparse.Namespace:
    """The command line that every benchmark has."""
    parser = argparse.ArgumentParser(description=description)
    parser.add_argument("--json", action="store_true", help="the last line printed is one JSON object")
    parser.add_argument("--quick", action="store_true", help="smaller sizes, for a look")
    parser.add_argument("--report", help=argparse.SUPPRESS)
    if data:
        default = os.environ.get("OPENCOMPANY_BENCH_DATA")
        parser.add_argument("--data", default=default, help="a folder of conversations in LoCoMo's format")
        parser.add_argument("--no-speaker", action="store_true", help="store a turn without its speaker's name")
    return parser.parse_args()


def finish(report: Report, options: argparse.Namespace) -> None:
    """Print the report, and hand it to the runner of all."""
    sys.stdout.write(markdown(report))
    if options.report:
        with open(options.report, "w", encoding="utf-8") as file:
            json.dump(asdict(report), file)
    if options.json:
        sys.stdout.write(json.dumps(report.facts) + "\n")
