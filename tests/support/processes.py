"""Processes of their own, for what only shows between processes."""

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

ROOT = Path(__file__).parents[2]


class Writer:
    """`tests.support.store_writer` in a process, stopped before its first write."""

    def __init__(self, folder: Path, job: str, name: str, count: int = 0) -> None:
        self.process = subprocess.Popen(
            [sys.executable, "-m", "tests.support.store_writer", str(folder), job, name, str(count)],
            cwd=ROOT,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            encoding="utf-8",
        )

    def wait_ready(self) -> None:
        assert self.line() == "ready", self.process.communicate()[1]

    def begin(self) -> None:
        assert self.process.stdin is not None
        self.process.stdin.write("go\n")
        self.process.stdin.flush()

    def line(self) -> str:
        assert self.process.stdout is not None
        return self.process.stdout.readline().rstrip("\n")

    def finish(self) -> list[str]:
        """The lines that were not read yet, once the process has ended well."""
        out, err = self._rest()
        assert self.process.returncode == 0, err
        return out.splitlines()

    def kill(self) -> list[str]:
        """The lines that were not read yet of a process that is killed on the spot; only whole ones count."""
        self.process.kill()
        out, _ = self._rest()
        return [line.rstrip("\n") for line in out.splitlines(keepends=True) if line.endswith("\n")]

    def _rest(self) -> tuple[str, str]:
        """Read to the end. `communicate` would read past what `line` has in its buffer already."""
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        assert self.process.stderr is not None
        with self.process:
            return self.process.stdout.read(), self.process.stderr.read()


Spawn = Callable[..., Writer]


def begin_together(writers: list[Writer]) -> None:
    """Start them all when all are up."""
    for writer in writers:
        writer.wait_ready()
    for writer in writers:
        writer.begin()
