"""How long the command takes to start: `opencompany memory status` against importing three libraries."""

import os
import subprocess
import sys
from typing import Final

from benchmarks.common import Report, Row, arguments, finish, median, scratch, timed

_COMMAND: Final = [sys.executable, "-c", "from opencompany_memory.cli.main import main; main()", "memory", "status"]
_OTHER: Final = [sys.executable, "-c", "import httpx, attrs, pluggy"]
_TARGET: Final = 3.0


def measure(*, quick: bool) -> Report:
    """Pairs of runs, one after the other."""
    pairs = 5 if quick else 15
    mine, other = [], []
    with scratch() as folder:
        environ = {**os.environ, "OPENCOMPANY_DATA_DIR": folder}

        def run(command: list[str]) -> float:
            return timed(lambda: subprocess.run(command, env=environ, check=True, capture_output=True))

        run(_COMMAND), run(_OTHER)
        for _ in range(pairs):
            mine.append(run(_COMMAND))
            other.append(run(_OTHER))
    ratio = median([a / b for a, b in zip(mine, other, strict=True)])
    row = Row(
        "`opencompany memory status`, against importing httpx, attrs and pluggy",
        f"{median(mine) * 1000:.0f} ms",
        f"{median(other) * 1000:.0f} ms",
        f"{ratio:.2f}",
        f"at most {_TARGET:g}",
        ratio <= _TARGET,
    )
    return Report("Cold start", [row], {"ratio": round(ratio, 3)})


def main() -> None:
    """The command."""
    options = arguments(__doc__ or "")
    finish(measure(quick=options.quick), options)


if __name__ == "__main__":
    main()
