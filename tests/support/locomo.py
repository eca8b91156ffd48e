"""Reading a folder of LoCoMo conversations (Maharana et al., ACL 2024), where one is there."""

import json
import os
import re
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import NamedTuple

import pytest

FOLDER = Path(os.environ.get("OPENCOMPANY_TEST_LOCOMO") or Path(__file__).parents[3] / "shared" / "data" / "locomo10")
needs_locomo = pytest.mark.skipif(
    not any(FOLDER.glob("*.json")), reason="no LoCoMo conversations; set OPENCOMPANY_TEST_LOCOMO to a folder of them"
)


class Turn(NamedTuple):
    id: str
    session: str
    at: datetime
    text: str


class Question(NamedTuple):
    text: str
    evidence: frozenset[str]


def conversation(path: Path) -> tuple[list[Turn], list[Question]]:
    """The turns of a conversation in order, and its questions of categories 1 to 4 with the turns that answer them."""
    raw = json.loads(path.read_text(encoding="utf-8"))
    numbers = sorted(int(match.group(1)) for name in raw if (match := re.fullmatch(r"session_(\d+)", name)))
    turns = []
    for number in numbers:
        start = datetime.strptime(raw[f"session_{number}_date_time"].upper(), "%I:%M %p ON %d %B, %Y").replace(
            tzinfo=UTC
        )
        for position, turn in enumerate(raw[f"session_{number}"]):
            text = f"{turn['speaker']}: {turn['text']}"
            turns.append(Turn(turn["dia_id"], f"session_{number}", start + timedelta(seconds=position), text))
    questions = []
    for asked in raw["qa"]:
        evidence = frozenset(id_ for entry in asked.get("evidence", ()) for id_ in re.findall(r"D\d+:\d+", entry))
        if asked["category"] != 5 and evidence:
            questions.append(Question(asked["question"], evidence))
    return turns, questions
