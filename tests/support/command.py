"""Running the real command in processes of its own."""

import json
import os
import queue
import re
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

_MAIN = "from opencompany_memory.cli.main import main; main()"


class Command:
    """`opencompany` over one data folder, with an environment that holds nothing else."""

    def __init__(self, data_dir: Path, **environ: str) -> None:
        self.data_dir = data_dir
        kept = {name: os.environ[name] for name in ("PATH", "HOME") if name in os.environ}
        self.environ = {**kept, "LC_ALL": "C.UTF-8", "OPENCOMPANY_DATA_DIR": str(data_dir), **environ}

    def with_(self, **environ: str) -> "Command":
        """The same with more settings."""
        other = Command(self.data_dir)
        other.environ = {**self.environ, **environ}
        return other

    def run(self, *arguments: str, stdin: bytes = b"") -> subprocess.CompletedProcess[bytes]:
        """Run to the end."""
        return subprocess.run(
            [sys.executable, "-c", _MAIN, *arguments],
            env=self.environ,
            input=stdin,
            capture_output=True,
            timeout=120,
            check=False,
        )

    def ok(self, *arguments: str, stdin: bytes = b"") -> str:
        """Run to a good end; what was printed."""
        done = self.run(*arguments, stdin=stdin)
        assert done.returncode == 0, (arguments, done.returncode, done.stderr.decode(errors="replace"))
        return done.stdout.decode()

    def json(self, *arguments: str) -> Any:
        """Run with `--json` to a good end; the document."""
        return json.loads(self.ok(*arguments, "--json"))

    @contextmanager
    def serving(self, *arguments: str) -> Iterator["Serving"]:
        """A running `serve` on a free port."""
        process = subprocess.Popen(
            [sys.executable, "-u", "-c", _MAIN, "serve", "--port", "0", *arguments],
            env=self.environ,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        try:
            yield Serving(process)
        finally:
            if process.poll() is None:
                process.kill()
            process.communicate()


class Serving:
    """A server that has said where it listens."""

    def __init__(self, process: subprocess.Popen[str]) -> None:
        self.process = process
        self.banner = ""
        lines: queue.Queue[str] = queue.Queue()
        threading.Thread(target=self._read, args=(lines,), daemon=True).start()
        while "serving" not in self.banner:
            line = lines.get(timeout=60)
            if not line:
                raise AssertionError(f"serve ended: {self.banner} {process.communicate()[1]}")
            self.banner += line
        match = re.search(r"http://\S+", self.banner)
        assert match is not None
        self.url = match.group()
        self._lines = lines

    def _read(self, lines: "queue.Queue[str]") -> None:
        assert self.process.stdout is not None
        for line in self.process.stdout:
            lines.put(line)
        lines.put("")

    def rest(self) -> str:
        """What is printed until the end."""
        text = ""
        while line := self._lines.get(timeout=60):
            text += line
        return text
