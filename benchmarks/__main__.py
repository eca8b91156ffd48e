"""`python -m benchmarks`: every benchmark in a process of its own, and benchmarks/RESULTS.md."""

import json
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Final

from benchmarks.common import Report, Row, machine, markdown

_ALL: Final = ("recall", "store", "growth", "cold_start")
_RESULTS: Final = Path(__file__).with_name("RESULTS.md")
_HEAD: Final = """# Results

Ratios measured in one run on one machine: {machine}. Written by `make bench`; conversations for the first table are
found by `OPENCOMPANY_BENCH_DATA`, a folder in the format of LoCoMo (https://github.com/snap-research/locomo).

A ratio of 2 in a table of rates means twice as many; in a table of times, twice as long.
"""


def _run(name: str, arguments: list[str]) -> Report:
    with tempfile.NamedTemporaryFile(suffix=".json") as file:
        subprocess.run([sys.executable, "-m", f"benchmarks.{name}", "--report", file.name, *arguments], check=True)
        raw = json.loads(Path(file.name).read_text(encoding="utf-8"))
    return Report(raw["title"], [Row(**row) for row in raw["rows"]], raw["facts"], raw["skipped"])


def main() -> int:
    """Run all; 1 when a target was missed."""
    reports = [_run(name, [a for a in sys.argv[1:] if a == "--quick"]) for name in _ALL]
    text = _HEAD.format(machine=machine()) + "".join(f"\n{markdown(report)}" for report in reports)
    if "--quick" not in sys.argv[1:]:
        _RESULTS.write_text(text, encoding="utf-8")
    missed = [row.what for report in reports for row in report.rows if row.met is False]
    for what in missed:
        sys.stderr.write(f"missed: {what}\n")
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main())
