"""The main job on real input: load a conversation, be killed in the middle of writing, lose nothing, recall well."""

import asyncio
import subprocess
import sys
from pathlib import Path

import pytest

import opencompany_memory
from opencompany_memory import sync
from opencompany_memory.binding.trail_reader import verify
from tests.support.command import Command
from tests.support.locomo import FOLDER, conversation, needs_locomo

_WRITER = """
import asyncio, sys
from pathlib import Path
import opencompany_memory
from tests.support.locomo import conversation

async def main():
    turns, _ = conversation(Path(sys.argv[1]))
    async with await opencompany_memory.boot() as memory:
        async def write(turn):
            address = await memory.context.put("locomo", turn.id, turn.text, session=turn.session, timestamp=turn.at)
            print(turn.id, address, flush=True)
        # Eight at a time, so that a kill meets writes in every state.
        for start in range(0, len(turns), 8):
            await asyncio.gather(*map(write, turns[start : start + 8]))

asyncio.run(main())
"""


def _write_until_killed(path: Path, om: Command, after: int) -> dict[str, str]:
    """Run the writer, kill it with -9 after some acknowledgements; all that it acknowledged."""
    root = str(Path(__file__).parents[2])
    acknowledged: dict[str, str] = {}
    with subprocess.Popen(
        [sys.executable, "-c", _WRITER, str(path)],
        env={**om.environ, "PYTHONPATH": root},
        stdout=subprocess.PIPE,
        text=True,
    ) as process:
        assert process.stdout is not None
        for line in process.stdout:
            if not line.endswith("\n"):
                break
            label, address = line.split()
            acknowledged[label] = address
            if len(acknowledged) == after:
                process.kill()
    assert process.returncode == -9
    return acknowledged


@needs_locomo
def test_a_conversation_survives_being_killed_and_is_recalled(tmp_path: Path) -> None:
    om = Command(tmp_path / "data")
    path = sorted(FOLDER.glob("*.json"))[0]
    turns, questions = conversation(path)
    acknowledged: dict[str, str] = {}
    for after in (5, 90, 200):
        acknowledged |= _write_until_killed(path, om, after)
    environ = {"OPENCOMPANY_DATA_DIR": str(om.data_dir)}

    async def main() -> float:
        async with await opencompany_memory.boot(environ) as memory:
            for label, address in acknowledged.items():
                chunk = await memory.context.get("locomo", address)
                assert chunk is not None, f"an acknowledged write is gone: {label}"
            for turn in turns:
                await memory.context.put("locomo", turn.id, turn.text, session=turn.session, timestamp=turn.at)
            shares = []
            for question in questions:
                hits = await memory.context.search("locomo", question.text, limit=10)
                found = {hit.label for hit in hits}
                shares.append(len(question.evidence & found) / len(question.evidence))
            return sum(shares) / len(shares)

    assert len(acknowledged) >= 200
    assert asyncio.run(main()) >= 0.70
    assert verify(om.data_dir).ok
    assert len(om.json("memory", "list", "-c", "locomo")) == len({(turn.id, turn.text) for turn in turns})
    assert om.json("memory", "check")["problems"] == []


@needs_locomo
@pytest.mark.parametrize("speaker", [True, False])
def test_recall_over_all_conversations_reaches_its_figure(speaker: bool, tmp_path: Path) -> None:
    shares: list[float] = []
    with sync.boot({"OPENCOMPANY_DATA_DIR": str(tmp_path)}) as memory:
        for path in sorted(FOLDER.glob("*.json")):
            turns, questions = conversation(path)
            for turn in turns:
                text = turn.text if speaker else turn.text.partition(": ")[2]
                memory.context.put(path.stem, turn.id, text, session=turn.session, timestamp=turn.at)
            for question in questions:
                found = {hit.label for hit in memory.context.search(path.stem, question.text, limit=10)}
                shares.append(len(question.evidence & found) / len(question.evidence))
    assert sum(shares) / len(shares) >= 0.70


def test_two_boots_in_one_process_share_a_folder_and_lose_nothing(tmp_path: Path) -> None:
    environ = {"OPENCOMPANY_DATA_DIR": str(tmp_path)}

    async def main() -> int:
        async with await opencompany_memory.boot(environ) as one, await opencompany_memory.boot(environ) as other:
            writers = (one, other)
            await asyncio.gather(*(writers[n % 2].context.put("c", f"l{n}", f"text {n}") for n in range(100)))
            return len((await one.context.list("c", limit=1000)).chunks)

    assert asyncio.run(main()) == 100
    assert asyncio.run(main()) == 100
