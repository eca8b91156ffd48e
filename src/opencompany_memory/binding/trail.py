"""The bind audit log, written: JSON lines, each carrying the SHA-256 of the line before it.

A line is appended under a lock, so that processes may boot at once. The chain goes on across rotated files. Beside the
log, `bind.head` holds how many lines there are and the hash of the last, so that lines cut off at the end are missed.
The log never loses a boot: when it can't be written, that is reported and the boot goes on.
"""

import fcntl
import hashlib
import json
import os
import sys
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Final

from attrs import frozen

from opencompany_memory.binding import events
from opencompany_memory.binding.redaction import Redactor

FOLDER: Final = "audit"
CURRENT: Final = "bind.jsonl"
HEAD: Final = "bind.head"
LOCK: Final = "bind.lock"
GENESIS: Final = "0" * 64
MAX_BYTES: Final = 1024 * 1024
_LOCK_SECONDS: Final = 5.0


@frozen
class Head:
    """Where the log ends: lines in all files, and the hash of the last one."""

    lines: int
    sha256: str


def digest(line: bytes) -> str:
    """The hash that the next line carries: SHA-256 of the bytes of `line` without its newline, in hex."""
    return hashlib.sha256(line).hexdigest()


def rotated_files(folder: Path) -> list[Path]:
    """The files of the log that are complete, oldest first."""
    return sorted(folder.glob("bind-[0-9][0-9][0-9][0-9][0-9][0-9].jsonl"))


class BindTrail:
    """The part of the log that one boot writes."""

    def __init__(
        self, data_dir: Path, boot_id: str, surface: str, redactor: Redactor, *, max_bytes: int = MAX_BYTES
    ) -> None:
        self.path = data_dir / FOLDER / CURRENT
        self.fault: str | None = None
        """Why the log can't be written; None while it can."""
        self._data_dir = data_dir
        self._boot_id = boot_id
        self._surface = surface
        self._redactor = redactor
        self._max_bytes = max_bytes
        self._sequence = 0
        self._waiting: list[events.BindEvent] = []
        self._mine: tuple[tuple[int, int], Head] | None = None
        """Identity and size of the file after our last append, and the head then: still true if nobody else wrote."""

    def record(self, event: events.BindEvent, *, make_folder: bool, last: bool = False) -> None:
        """Append an event. Without `make_folder` it waits in memory until the data folder exists or is made.

        `last` says that the boot ends here: everything is fsynced, once.
        """
        self._waiting.append(event)
        if self.fault is not None or not (make_folder or self._data_dir.is_dir()):
            return
        try:
            self._append_waiting(fsync=last)
        except OSError as error:
            self.fault = f"{self.path.parent} can't be written ({error.strerror or type(error).__name__})"
            sys.stderr.write(f"warning: the bind audit log is not written: {self.fault}\n")

    def _append_waiting(self, *, fsync: bool) -> None:
        folder = self.path.parent
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        with _locked(folder):
            head = self._mine[1] if self._mine and self._mine[0] == _state(self.path) else self._repair(folder)
            for event in self._waiting:
                head = self._append(head, event)
            self._waiting.clear()
            self._mine = _state(self.path), head
            if fsync:
                _fsync(self.path)
                write_head(folder, head)
            if self.path.stat().st_size >= self._max_bytes:
                _fsync(self.path)
                write_head(folder, head)
                self.path.rename(_next_rotated(folder))

    def _append(self, head: Head, event: events.BindEvent) -> Head:
        line = json.dumps(self._as_json(event, head), ensure_ascii=False, separators=(",", ":"), default=str).encode(
            errors="backslashreplace"
        )
        with open(self.path, "ab", opener=_private) as file:
            file.write(line + b"\n")
        self._sequence += 1
        return Head(head.lines + 1, digest(line))

    def _as_json(self, event: events.BindEvent, head: Head) -> dict[str, Any]:
        return {
            "v": 1,
            "time": datetime.now(UTC).isoformat(timespec="microseconds").replace("+00:00", "Z"),
            "boot": self._boot_id,
            "seq": self._sequence,
            "step": event.step,
            "outcome": event.outcome,
            **({"code": event.code} if event.code else {}),
            **({"reason": self._redactor.clean(event.reason)} if event.reason else {}),
            **{name: self._cleaned(value) for name, value in event.fields.items()},
            "pid": os.getpid(),
            "surface": self._surface,
            "prev": head.sha256,
        }

    def _cleaned(self, value: Any) -> Any:
        if isinstance(value, str):
            return self._redactor.clean(value)
        if isinstance(value, Mapping):
            return {self._redactor.clean(str(name)): self._cleaned(item) for name, item in value.items()}
        if isinstance(value, list | tuple | set | frozenset):
            return [self._cleaned(item) for item in value]
        return value

    def _repair(self, folder: Path) -> Head:
        """The end of the log as it is on disk, made fit to append to. What is found wrong becomes an event."""
        known = read_head(folder)
        torn = _set_torn_line_aside(self.path)
        lines, last = count_lines(folder), last_line(folder)
        head = Head(lines, GENESIS if last is None else digest(last))
        if torn is not None:
            reason = f"a torn last line of {len(torn)} bytes was set aside; its boot was cut short"
            fields = {"torn_bytes": len(torn), "torn_sha256": digest(torn)}
            head = self._append(head, events.BindEvent(events.LOG, events.NOTE, reason, "torn-line", fields))
        missing = known.lines - lines - (torn is not None)
        if missing > 0:
            reason = f"{missing} lines that were in the log are gone from its end"
            fields = {"lines_missing": missing, "expected_sha256": known.sha256}
            head = self._append(head, events.BindEvent(events.LOG, events.WARNING, reason, "lines-missing", fields))
        if torn is not None or missing > 0:
            write_head(folder, head)
        return head


def read_head(folder: Path) -> Head:
    """What `bind.head` says; an empty log where it is missing or can't be read."""
    try:
        raw = json.loads((folder / HEAD).read_bytes())
        return Head(int(raw["lines"]), str(raw["sha256"]))
    except (OSError, ValueError, KeyError, TypeError):
        return Head(0, GENESIS)


def write_head(folder: Path, head: Head) -> None:
    """Replace `bind.head`, whole or not at all."""
    made = folder / f"{HEAD}.{os.getpid()}.new"
    try:
        with open(made, "wb", opener=_private) as file:
            file.write(json.dumps({"lines": head.lines, "sha256": head.sha256}).encode())
            file.flush()
            os.fsync(file.fileno())
        made.replace(folder / HEAD)
    finally:
        made.unlink(missing_ok=True)


def count_lines(folder: Path) -> int:
    """Complete lines in all files of the log."""
    return sum(path.read_bytes().count(b"\n") for path in (*rotated_files(folder), folder / CURRENT) if path.exists())


def last_line(folder: Path) -> bytes | None:
    """The last complete line of the log, without its newline; None in an empty log."""
    for path in (folder / CURRENT, *reversed(rotated_files(folder))):
        if path.exists() and path.stat().st_size:
            return path.read_bytes().rstrip(b"\n").rpartition(b"\n")[2]
    return None


def _set_torn_line_aside(path: Path) -> bytes | None:
    """Cut off a last line without its newline, which a power cut leaves; what was cut off."""
    try:
        raw = path.read_bytes()
    except FileNotFoundError:
        return None
    complete = raw.rfind(b"\n") + 1
    if complete == len(raw):
        return None
    os.truncate(path, complete)
    return raw[complete:]


def _next_rotated(folder: Path) -> Path:
    existing = rotated_files(folder)
    number = int(existing[-1].stem.removeprefix("bind-")) + 1 if existing else 1
    return folder / f"bind-{number:06}.jsonl"


def _private(path: str, flags: int) -> int:
    return os.open(path, flags, 0o600)


def _state(path: Path) -> tuple[int, int]:
    try:
        found = path.stat()
    except FileNotFoundError:
        return 0, 0
    return found.st_ino, found.st_size


def _fsync(path: Path) -> None:
    with path.open("rb") as file:
        os.fsync(file.fileno())


@contextmanager
def _locked(folder: Path) -> Iterator[None]:
    with open(folder / LOCK, "ab", opener=_private) as lock:
        deadline = time.monotonic() + _LOCK_SECONDS
        while True:
            try:
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)  # released with the file
                break
            except BlockingIOError:  # held for milliseconds, unless its holder was stopped
                if time.monotonic() > deadline:
                    raise
            time.sleep(0.005)
        yield
