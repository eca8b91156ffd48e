"""Put and get of the built-in store, against LangGraph's SqliteStore and against raw sqlite3 of the same durability.

Raw sqlite3 does what a careful program would: WAL, `synchronous=FULL`, a commit for each put, a lookup by primary key
and the decoding of its JSON. All three store the same sentences; rounds alternate, and medians are compared.
"""

import asyncio
import json
import sqlite3
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime
from typing import Any, Final, Protocol

from benchmarks.common import Report, Row, Texts, arguments, booted, finish, median, scratch, timed, timed_async
from opencompany_memory.contract import Taint
from opencompany_memory.overlay import MemoryOverlay

_CALLERS: Final = 32
_ROUNDS: Final = 5
_NAMESPACE: Final = "oc/bench/context"


class Rival(Protocol):
    """What is compared with."""

    def put(self, key: str, text: str) -> None: ...

    def get(self, key: str) -> Any: ...


class Raw:
    """sqlite3 from the standard library, one connection for each thread."""

    def __init__(self, folder: str) -> None:
        self._path = f"{folder}/raw.sqlite3"
        self._connection = self._connect()
        self._connection.execute("PRAGMA journal_mode = WAL")
        self._connection.execute(
            "CREATE TABLE entries (ns TEXT, key TEXT, content TEXT, at TEXT, metadata TEXT, PRIMARY KEY (ns, key))"
        )

    def _connect(self) -> sqlite3.Connection:
        connection = sqlite3.connect(self._path, isolation_level=None, check_same_thread=False, timeout=60)
        connection.execute("PRAGMA synchronous = FULL")
        return connection

    def put(self, key: str, text: str) -> None:
        self._connection.execute(
            "INSERT INTO entries VALUES (?, ?, ?, ?, ?) ON CONFLICT DO UPDATE SET content = excluded.content",
            (_NAMESPACE, key, text, datetime.now(UTC).isoformat(), "{}"),
        )

    def get(self, key: str) -> dict[str, Any]:
        row = self._connection.execute("SELECT * FROM entries WHERE ns = ? AND key = ?", (_NAMESPACE, key)).fetchone()
        at, metadata = datetime.fromisoformat(row[3]), json.loads(row[4])
        return {"ns": row[0], "key": row[1], "content": row[2], "at": at, "metadata": metadata}


class LangGraph:
    """LangGraph's SqliteStore, as its documentation opens it."""

    def __init__(self, folder: str) -> None:
        from langgraph.store.sqlite import SqliteStore

        self._manager = SqliteStore.from_conn_string(f"{folder}/langgraph.sqlite3")
        self._store = self._manager.__enter__()
        self._store.setup()

    def put(self, key: str, text: str) -> None:
        self._store.put(("bench", "context"), key, {"text": text})

    def get(self, key: str) -> Any:
        return self._store.get(("bench", "context"), key)


async def _ours_put(memory: MemoryOverlay, name: str, texts: list[str], callers: int) -> float:
    async def caller(number: int) -> None:
        for index in range(number, len(texts), callers):
            await memory.bound.core.store(_NAMESPACE, f"{name}-{index}", texts[index], taint=Taint.INTERNAL)

    return len(texts) / await timed_async(lambda: asyncio.gather(*map(caller, range(callers))))


async def _ours_get(memory: MemoryOverlay, keys: list[str], callers: int) -> float:
    get = memory.bound.core.get

    async def caller(number: int) -> None:
        for key in keys[number::callers]:
            await get(_NAMESPACE, key)

    return len(keys) / await timed_async(lambda: asyncio.gather(*map(caller, range(callers))))


def _rate(call: Callable[[int], Any], count: int, callers: int) -> float:
    def one(number: int) -> None:
        for index in range(number, count, callers):
            call(index)

    if callers == 1:
        return count / timed(lambda: one(0))
    with ThreadPoolExecutor(callers) as pool:
        return count / timed(lambda: list(pool.map(one, range(callers))))


async def measure(*, quick: bool) -> Report:
    """All of it."""
    count, reads = (300, 3000) if quick else (1500, 20_000)
    texts = Texts()
    sentences = [texts.sentence() for _ in range(count)]
    found: dict[str, list[float]] = {}

    def note(name: str, rate: float) -> None:
        found.setdefault(name, []).append(rate)

    with scratch() as folder:
        rivals: dict[str, Rival] = {"raw": Raw(folder), "langgraph": LangGraph(folder)}
        async with booted() as memory:
            for number in range(_ROUNDS):
                for callers in (1, _CALLERS):
                    name = f"{number}-{callers}"
                    note(f"put{callers}-ours", await _ours_put(memory, name, sentences, callers))
                    for rival, store in rivals.items():
                        rate = _rate(lambda i, s=store, n=name: s.put(f"{n}-{i}", sentences[i]), count, callers)  # type: ignore[misc]
                        note(f"put{callers}-{rival}", rate)
                for callers in (1, _CALLERS):
                    keys = [f"{number}-1-{index % count}" for index in range(reads)]
                    note(f"get{callers}-ours", await _ours_get(memory, keys, callers))
                    for rival, store in rivals.items():
                        # Threads gain raw sqlite3 nothing on short reads: one caller is its best case.
                        rate = _rate(lambda i, s=store, k=keys: s.get(k[i]), reads, 1)  # type: ignore[misc]
                        note(f"get{callers}-{rival}", rate)
    rates = {name: median(values) for name, values in found.items()}
    return Report("Built-in store: put and get", _rows(rates), {name: round(rate) for name, rate in rates.items()})


def _rows(rates: dict[str, float]) -> list[Row]:
    rows = []
    targets = {
        ("put32", "langgraph"): ("at least 5", 5.0),
        ("get1", "raw"): ("at least 0.5", 0.5),
        ("get32", "raw"): ("at least 0.5", 0.5),
    }
    for what, shown in (
        ("put1", "put, one caller"),
        ("put32", "put, 32 at once"),
        ("get1", "get, one caller"),
        ("get32", "get, 32 at once"),
    ):
        for rival, name in (("langgraph", "SqliteStore"), ("raw", "raw sqlite3")):
            mine, other = rates[f"{what}-ours"], rates[f"{what}-{rival}"]
            target, least = targets.get((what, rival), ("", None))
            met = None if least is None else mine / other >= least
            rows.append(
                Row(f"{shown}, against {name}", f"{mine:,.0f}/s", f"{other:,.0f}/s", f"{mine / other:.2f}", target, met)
            )
    return rows


def main() -> None:
    """The command."""
    options = arguments(__doc__ or "")
    start = time.perf_counter()
    report = asyncio.run(measure(quick=options.quick))
    report.facts["seconds"] = round(time.perf_counter() - start, 1)
    finish(report, options)


if __name__ == "__main__":
    main()
