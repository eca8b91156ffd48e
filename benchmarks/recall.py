"""Recall quality on real conversations: `python -m benchmarks.recall --data DIR [--json]`.

Every turn is one text, in its conversation's own company; each question of categories 1 to 4 is asked, and recall@10 is
the mean share of the turns that answer it among the first ten hits. The baseline is what one would write in an hour: an
FTS5 table with the porter tokenizer and an OR of the question's words without stop words.
"""

import asyncio
import json
import re
import sqlite3
import time
from collections import defaultdict
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Final

from attrs import frozen

from benchmarks.common import Report, Row, arguments, booted, finish, percentile
from opencompany_memory.overlay import MemoryOverlay
from opencompany_memory.store.text import STOP_WORDS

CATEGORIES: Final = {1: "multi-hop", 2: "temporal", 3: "open-domain", 4: "single-hop"}
_ADVERSARIAL: Final = 5
_TARGET: Final = 0.70


@frozen
class Turn:
    """One thing said."""

    id: str
    session: str
    at: datetime
    speaker: str
    text: str


@frozen
class Question:
    """A question and the turns that answer it."""

    text: str
    category: int
    evidence: frozenset[str]


@frozen
class Conversation:
    """One file."""

    name: str
    turns: tuple[Turn, ...]
    questions: tuple[Question, ...]


def read(path: Path) -> Conversation:
    """A conversation in LoCoMo's format."""
    raw = json.loads(path.read_text(encoding="utf-8"))
    turns: list[Turn] = []
    for number in sorted(int(match[1]) for name in raw if (match := re.fullmatch(r"session_(\d+)", name))):
        start = datetime.strptime(raw[f"session_{number}_date_time"].upper(), "%I:%M %p ON %d %B, %Y").replace(
            tzinfo=UTC
        )
        for position, turn in enumerate(raw[f"session_{number}"]):
            at = start + timedelta(seconds=position)
            turns.append(Turn(turn["dia_id"], f"session_{number}", at, turn["speaker"], turn["text"]))
    return Conversation(path.stem, tuple(turns), tuple(_questions(raw)))


def _questions(raw: dict[str, list[dict[str, object]]]) -> Iterator[Question]:
    for asked in raw["qa"]:
        evidence = asked.get("evidence") or ()
        ids = (
            frozenset(re.findall(r"D\d+:\d+", " ".join(map(str, evidence))))
            if isinstance(evidence, list)
            else frozenset()
        )
        if asked["category"] != _ADVERSARIAL and ids:
            yield Question(str(asked["question"]), int(str(asked["category"])), ids)


class Tally:
    """Shares of evidence found, by category, and how long each question took, in ms."""

    def __init__(self) -> None:
        self.shares: dict[int, list[float]] = defaultdict(list)
        self.ms: list[float] = []

    def add(self, question: Question, found: set[str], seconds: float) -> None:
        """Count one question."""
        self.shares[question.category].append(len(question.evidence & found) / len(question.evidence))
        self.ms.append(seconds * 1000)

    @property
    def recall(self) -> float:
        """Over all questions."""
        every = [share for shares in self.shares.values() for share in shares]
        return sum(every) / len(every)

    def of(self, category: int) -> float:
        """Over the questions of one category; 0 where there are none."""
        shares = self.shares[category]
        return sum(shares) / len(shares) if shares else 0.0


async def ours(memory: MemoryOverlay, conversation: Conversation, *, speaker: bool, tally: Tally) -> None:
    """Load a conversation through the public port, and ask."""
    for turn in conversation.turns:
        text = f"{turn.speaker}: {turn.text}" if speaker else turn.text
        await memory.context.put(conversation.name, turn.id, text, session=turn.session, timestamp=turn.at)
    for question in conversation.questions:
        start = time.perf_counter()
        hits = await memory.context.search(conversation.name, question.text, limit=10)
        tally.add(question, {hit.label for hit in hits}, time.perf_counter() - start)


def plain(conversation: Conversation, *, speaker: bool, tally: Tally) -> None:
    """The baseline."""
    connection = sqlite3.connect(":memory:")
    connection.execute("CREATE VIRTUAL TABLE turns USING fts5(id UNINDEXED, body, tokenize='porter unicode61')")
    rows = ((turn.id, f"{turn.speaker}: {turn.text}" if speaker else turn.text) for turn in conversation.turns)
    connection.executemany("INSERT INTO turns VALUES (?, ?)", rows)
    for question in conversation.questions:
        start = time.perf_counter()
        words = re.findall(r"\w+", question.text.lower())
        query = " OR ".join(f'"{word}"' for word in [w for w in words if w not in STOP_WORDS] or words)
        sql = "SELECT id FROM turns WHERE turns MATCH ? ORDER BY rank LIMIT 10"
        found = {row[0] for row in connection.execute(sql, (query,))}
        tally.add(question, found, time.perf_counter() - start)
    connection.close()


async def measure(folder: Path, *, speaker: bool) -> Report:
    """Both, over every conversation of a folder."""
    mine, baseline = Tally(), Tally()
    paths = sorted(folder.glob("*.json"))
    async with booted() as memory:
        for path in paths:
            conversation = read(path)
            await ours(memory, conversation, speaker=speaker, tally=mine)
            plain(conversation, speaker=speaker, tally=baseline)
    p50, p95 = percentile(mine.ms, 0.5), percentile(mine.ms, 0.95)
    rows = [_row("recall@10, all questions", mine.recall, baseline.recall, target=True)]
    rows += [_row(f"recall@10, {name}", mine.of(number), baseline.of(number)) for number, name in CATEGORIES.items()]
    rows.append(Row("search, p50 / p95", f"{p50:.1f} / {p95:.1f} ms", f"{percentile(baseline.ms, 0.5):.1f} ms", "", ""))
    facts = {
        "recall_at_10": round(mine.recall, 4),
        "baseline_recall_at_10": round(baseline.recall, 4),
        "per_category": {name: round(mine.of(number), 4) for number, name in CATEGORIES.items()},
        "p50_ms": round(p50, 3),
        "p95_ms": round(p95, 3),
        "questions": len(mine.ms),
        "conversations": len(paths),
    }
    return Report("Recall on real conversations, against plain FTS5", rows, facts)


def _row(what: str, mine: float, baseline: float, *, target: bool = False) -> Row:
    ratio = f"{mine / baseline:.2f}" if baseline else ""
    goal = (f"at least {_TARGET:.2f}", mine >= _TARGET) if target else ("", None)
    return Row(what, f"{mine:.3f}", f"{baseline:.3f}", ratio, *goal)


def main() -> None:
    """The command."""
    options = arguments(__doc__ or "", data=True)
    if not options.data or not any(Path(options.data).glob("*.json")):
        reason = "no conversations; name a folder of them with --data or OPENCOMPANY_BENCH_DATA"
        finish(Report("Recall on real conversations, against plain FTS5", [], {}, reason), options)
        return
    finish(asyncio.run(measure(Path(options.data), speaker=not options.no_speaker)), options)


if __name__ == "__main__":
    main()
