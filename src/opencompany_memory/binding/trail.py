"""The bind audit log, written: JSON lines, each carrying the SHA-256 of the line before it.

A line is appended under a lock, so that processes may boot at once. The chain goes on across rotated files. Beside the
log, `bind.head` holds how many lines there are and the hash of the last, so that lines cut off at the end are missed.
The log never loses a boot: when it can't be written, that is reported and the boot goes on.
"""

import errno
import fcntl
import hashlib
import json
import os
import sys
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, BinaryIO, Final

from attrs import frozen

from opencompany_memory.binding import events
from opencompany_memory.binding.redaction import Redactor

FOLDER: Final = "audit"
CURRENT: Final = "bind.jsonl"
HEAD: Final = "bind.head"
LOCK: Final = "bind.lock"
GENESIS: Final = "0" * 64
TORN: Final = "torn-line"
MISSING: Final = "lines-missing"
ALTERED: Final = "line-altered"
MAX_BYTES: Final = 1024 * 1024
_LOCK_SECONDS: Final = 5.0
_LONGEST: Final = 32 * 1024
_LONGEST_HEAD: Final = 4096


@frozen
class Head:
    """Where the log ends: lines in all files, and the hash of the last one.

    `files` complete files and `size` bytes of the current one hold them; None where that is not known. With it a boot
    reads no more of the log than what was appended since.
    """

    lines: int
    sha256: str
    files: int | None = None
    size: int | None = None
    sha256_at_known: str | None = None
    """Of a log that was read whole: the hash of the line that an earlier head called the last."""


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
            full = self.path.stat().st_size >= self._max_bytes
            if fsync or full:
                _fsync(self.path)
                _write_head(folder, head)
            if full:
                self.path.rename(_next_rotated(folder))
                _write_head(folder, head)

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
            **({"reason": _shortened(self._redactor.clean(event.reason))} if event.reason else {}),
            **_shortened(self._redactor.clean_all(event.fields)),
            "pid": os.getpid(),
            "surface": self._surface,
            "prev": head.sha256,
        }

    def _repair(self, folder: Path) -> Head:
        """The end of the log as it is on disk, made fit to append to. What is found wrong becomes an event."""
        if self.path.exists() and not self.path.is_file():  # a device or a pipe may be read without end
            raise OSError(errno.EINVAL, f"{CURRENT} is no file")
        known = read_head(folder) or Head(0, GENESIS)
        torn = _set_torn_line_aside(self.path)
        found = _appended_since(known, folder) or _whole(folder, known.lines)
        faults = list(_faults(known, found, torn))
        for fault in faults:
            found = self._append(found, fault)
        if faults:
            _fsync(self.path)
            _write_head(folder, found)
        return found


def _faults(known: Head, found: Head, torn: bytes | None) -> Iterator[events.BindEvent]:
    """What is wrong with a log that ended as `known` when a boot last ended, and ends as `found` now."""
    if torn is not None:
        reason = f"a torn last line of {len(torn)} bytes was set aside; its boot was cut short"
        fields: dict[str, Any] = {"torn_bytes": len(torn), "torn_sha256": digest(torn)}
        yield events.BindEvent(events.LOG, events.NOTE, reason, TORN, fields)
    missing = known.lines - found.lines - (torn is not None)
    if missing > 0:
        reason = f"{missing} lines that were in the log are gone from its end"
        fields = {"lines_missing": missing, "expected_sha256": known.sha256}
        yield events.BindEvent(events.LOG, events.WARNING, reason, MISSING, fields)
    elif found.sha256_at_known not in (None, known.sha256):
        reason = "the line that was the last of the log is not as it was written"
        fields = {"altered_line": known.lines, "expected_sha256": known.sha256}
        yield events.BindEvent(events.LOG, events.WARNING, reason, ALTERED, fields)


def read_head(folder: Path) -> Head | None:
    """What `bind.head` says; an empty log where there is none yet, None where it can't be understood."""
    try:
        with (folder / HEAD).open("rb") as file:
            raw = json.loads(file.read(_LONGEST_HEAD))
        return Head(int(raw["lines"]), str(raw["sha256"]), raw.get("files"), raw.get("size"))
    except FileNotFoundError:
        return Head(0, GENESIS)
    except (OSError, ValueError, KeyError, TypeError, AttributeError, OverflowError, RecursionError):
        return None


def _write_head(folder: Path, head: Head) -> None:
    """Replace `bind.head`, whole or not at all."""
    current = folder / CURRENT
    size = current.stat().st_size if current.exists() else 0
    stated = {"lines": head.lines, "sha256": head.sha256, "files": len(rotated_files(folder)), "size": size}
    made = folder / f"{HEAD}.{os.getpid()}.new"
    try:
        with open(made, "wb", opener=_private) as file:
            file.write(json.dumps(stated).encode())
            file.flush()
            os.fsync(file.fileno())
        made.replace(folder / HEAD)
    finally:
        made.unlink(missing_ok=True)


def _appended_since(known: Head, folder: Path) -> Head | None:
    """The end of the log, found from where `bind.head` says it was; None where it is not as that says.

    The last line is not read: were it edited since, its hash in `bind.head` goes into the chain and shows that.
    """
    if type(known.files) is not int or type(known.size) is not int or known.files != len(rotated_files(folder)):
        return None
    if not 0 <= known.size < sys.maxsize:
        return None
    before, appended = b"\n", b""
    try:
        with (folder / CURRENT).open("rb") as file:
            if known.size:
                file.seek(known.size - 1)
                before = file.read(1)
            appended = file.read()
    except FileNotFoundError:
        if known.size:
            return None
    if before != b"\n":
        return None
    if not appended:
        return Head(known.lines, known.sha256)
    return Head(known.lines + appended.count(b"\n"), digest(appended.rstrip(b"\n").rpartition(b"\n")[2]))


def _whole(folder: Path, known_lines: int) -> Head:
    """The end of the log, found by reading all of it."""
    lines, sha256, at_known = 0, GENESIS, None
    for path in (*rotated_files(folder), folder / CURRENT):
        for line in path.read_bytes().split(b"\n")[:-1] if path.exists() else ():
            lines, sha256 = lines + 1, digest(line)
            at_known = sha256 if lines == known_lines else at_known
    return Head(lines, sha256, sha256_at_known=at_known)


def _shortened(value: Any) -> Any:
    """A JSON value in which no text is long: a driver may rant, and its traceback goes on one line."""
    if isinstance(value, str) and len(value) > _LONGEST:
        return f"{value[: _LONGEST // 4]}\n[{len(value) - _LONGEST} characters left out]\n{value[-_LONGEST * 3 // 4 :]}"
    if isinstance(value, dict):
        return {_shortened(name): _shortened(item) for name, item in value.items()}
    if isinstance(value, list):
        return [_shortened(item) for item in value]
    return value


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
        _take(lock, fcntl.LOCK_EX)
        yield


@contextmanager
def held_still(folder: Path) -> Iterator[None]:
    """Nobody appends meanwhile. Where the lock can't be had, as in a copy of a log, it is done without."""
    with ExitStack() as stack:
        with suppress(OSError):
            _take(stack.enter_context(open(folder / LOCK, "rb")), fcntl.LOCK_SH)
        yield


def _take(lock: BinaryIO, kind: int) -> None:
    """Raises BlockingIOError after a while. Released when the file is closed."""
    deadline = time.monotonic() + _LOCK_SECONDS
    while True:
        try:
            fcntl.flock(lock, kind | fcntl.LOCK_NB)
            return
        except BlockingIOError:  # held for milliseconds, unless its holder was stopped
            if time.monotonic() > deadline:
                raise
        time.sleep(0.005)
