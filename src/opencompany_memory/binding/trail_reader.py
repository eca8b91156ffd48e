"""The bind audit log, read: events, boots, and whether it is as it was written."""

import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import tee, zip_longest
from pathlib import Path
from typing import Any, Final

from attrs import frozen

from opencompany_memory.binding import events
from opencompany_memory.binding.trail import (
    ALTERED,
    CURRENT,
    FOLDER,
    GENESIS,
    HEAD,
    MISSING,
    TORN,
    Head,
    digest,
    held_still,
    read_head,
    rotated_files,
)

Event = Mapping[str, Any]
LoadKey = tuple[str, str, str]
Contents = Sequence[tuple[str, Callable[[], bytes]]]

_FILES_FOR_FAILURES: Final = 8


@frozen
class BadLine:
    """The first line that doesn't fit. `line` counts from 1 within `file`."""

    file: str
    line: int
    reason: str


@frozen
class VerifyReport:
    """What `verify` found. `notes` are things that an honest log may hold, such as a torn line that was set aside."""

    lines: int
    files: int
    first_bad: BadLine | None
    notes: tuple[str, ...]

    @property
    def ok(self) -> bool:
        """Whether the log is as it was written."""
        return self.first_bad is None


@frozen
class BootSummary:
    """One boot in a line. `outcome` is bound, refused or unfinished."""

    time: str
    boot: str
    surface: str
    driver: str
    driver_class: str
    outcome: str
    reason: str


def log_files(data_dir: Path) -> list[Path]:
    """The files of the log, oldest first."""
    folder = data_dir / FOLDER
    current = folder / CURRENT
    return [*rotated_files(folder), *([current] if current.exists() else [])]


def read_events(data_dir: Path) -> Iterator[Event]:
    """Every event that can be read, oldest first. A bad line hides no other; `verify` names it."""
    for _, raw in _contents(data_dir)[1]:
        yield from _events(raw())


def boots(data_dir: Path, limit: int) -> list[BootSummary]:
    """The last boots, newest first. Reads no more of the log than it needs."""
    found: list[Event] = []
    for _, raw in reversed(_contents(data_dir)[1]):
        found = [*_events(raw()), *found]
        # One boot more than is asked for, since the events of the oldest may begin in the file before.
        if len({str(event.get("boot")) for event in found}) > limit:
            break
    return [_summary(mine) for mine in reversed(list(_by_boot(found).values()))][:limit]


def boot_events(data_dir: Path, boot: str) -> list[Event]:
    """The events of the newest boot whose id begins with `boot`; empty when there is none."""
    found = [events for name, events in _by_boot(read_events(data_dir)).items() if boot and name.startswith(boot)]
    return found[-1] if found else []


def load_failures(data_dir: Path) -> Mapping[LoadKey, str]:
    """Why drivers failed to load when that was last tried, by id, distribution and version. Looks at recent boots."""
    found: dict[LoadKey, str | None] = {}
    for _, raw in _contents(data_dir)[1][-_FILES_FOR_FAILURES:]:
        for event in _events(raw()):
            if event.get("step") == events.LOAD:
                key = str(event.get("driver")), str(event.get("distribution")), str(event.get("version"))
                found[key] = str(event.get("reason", "")) if event.get("outcome") == events.REFUSED else None
    return {key: reason for key, reason in found.items() if reason is not None}


def verify(data_dir: Path) -> VerifyReport:
    """Follow the chain from the first line to the last."""
    head, contents = _contents(data_dir)
    walk = _Walk(head)
    bad: BadLine | None = None
    for line, after in _pairs(_lines(contents)):
        bad = walk.fault(line, after)
        if bad is not None:
            break
    else:
        bad = walk.fault_at_end()
    return VerifyReport(walk.count, len(contents), bad, tuple(walk.notes))


@frozen
class _Line:
    """A line, where it stands, and what it holds. `torn` is one without its end."""

    file: str
    number: int
    sha256: str
    event: Event | None
    torn: bool = False

    def bad(self, reason: str) -> BadLine:
        return BadLine(self.file, self.number, reason)

    def get(self, name: str) -> Any:
        return None if self.event is None else self.event.get(name)

    def is_log(self, code: str) -> bool:
        return bool(self.get("step") == events.LOG and self.get("code") == code)

    def follows(self, other: "_Line | None") -> bool:
        """Whether it says of itself that it was written next after `other`, by the same boot."""
        mine, before = self.get("seq"), None if other is None else other.get("seq")
        same = other is not None and self.get("boot") == other.get("boot")
        return same and type(mine) is int and type(before) is int and mine == before + 1


class _Walk:
    """The way along the chain, line by line."""

    def __init__(self, head: Head | None) -> None:
        self.count = 0
        self.notes: list[str] = []
        self._head = head
        self._last: _Line | None = None

    def fault(self, line: _Line, after: _Line | None) -> BadLine | None:
        """What is wrong with the next line, or with the one before it where this one shows that."""
        if line.torn:
            return line.bad("a torn last line, as a power cut leaves it; the next boot sets it aside")
        self.count += 1
        before, self._last = self._last, line
        if line.event is None:
            return line.bad("it is not a JSON object")
        if line.get("prev") != (GENESIS if before is None else before.sha256):
            if before is not None and line.follows(before) and self._is_as_written(line, after):
                return before.bad(f"it was edited: line {line.number} carries the hash of what stood there")
            return line.bad("it does not carry the hash of the line before it: a line was edited, dropped or moved")
        if self._head is not None and self.count == self._head.lines and line.sha256 != self._head.sha256:
            return line.bad("it is not the line that was last written here")
        if line.is_log(MISSING):
            return line.bad(
                f"{line.get('lines_missing')} lines before this one are gone, as boot {line.get('boot')} found"
            )
        if line.is_log(ALTERED):
            return line.bad(
                f"line {line.get('altered_line')} of the log had been edited, as boot {line.get('boot')} found"
            )
        if line.is_log(TORN):
            self.notes.append(f"boot {line.get('boot')}: {line.get('reason')}")
        return None

    def fault_at_end(self) -> BadLine | None:
        """What is wrong with a log of which every line is right: it may go on no further than that."""
        if self._head is None:
            return BadLine(HEAD, 1, "it can't be read, and without it nobody knows where the log ended")
        missing = self._head.lines - self.count
        if missing > 0:
            file, number = (CURRENT, 0) if self._last is None else (self._last.file, self._last.number)
            return BadLine(file, number, f"{missing} lines after this one are gone")
        if self.count and not self._head.lines:
            self.notes.append(f"there is no {HEAD} yet: lines that are cut off at the end would not be missed")
        return None

    def _is_as_written(self, line: _Line, after: _Line | None) -> bool:
        if after is not None and not after.torn:
            return bool(after.get("prev") == line.sha256)
        return self._head is not None and (self._head.lines, self._head.sha256) == (self.count, line.sha256)


def _lines(contents: Contents) -> Iterator[_Line]:
    for name, read in contents:
        *complete, rest = read().split(b"\n")
        for number, line in enumerate(complete, start=1):
            yield _Line(name, number, digest(line), _parse(line))
        if rest:
            yield _Line(name, len(complete) + 1, digest(rest), None, torn=True)


def _pairs(lines: Iterable[_Line]) -> Iterator[tuple[_Line, _Line | None]]:
    """Each line with the one after it."""
    ahead, behind = tee(lines)
    next(ahead, None)
    return zip_longest(behind, ahead)


def _contents(data_dir: Path) -> tuple[Head | None, Contents]:
    """The head and the files of the log, oldest first, at one moment. Complete files are read when that is asked."""
    folder = data_dir / FOLDER
    with held_still(folder):
        current = folder / CURRENT
        now = [(CURRENT, _returning(current.read_bytes()))] if current.is_file() else []
        return read_head(folder), [*((path.name, path.read_bytes) for path in rotated_files(folder)), *now]


def _returning(raw: bytes) -> Callable[[], bytes]:
    return lambda: raw


def _events(raw: bytes) -> Iterator[Event]:
    return (event for event in map(_parse, raw.split(b"\n")) if event is not None)


def _parse(line: bytes) -> Event | None:
    try:
        event = json.loads(line)
    except (ValueError, RecursionError):
        return None
    return event if isinstance(event, dict) else None


def _by_boot(found: Iterable[Event]) -> dict[str, list[Event]]:
    by_boot: dict[str, list[Event]] = {}
    for event in found:
        by_boot.setdefault(str(event.get("boot")), []).append(event)
    return by_boot


def _summary(found: list[Event]) -> BootSummary:
    refused = next((event for event in found if event.get("outcome") == events.REFUSED), None)
    bound = any(event.get("step") == events.BIND and event.get("outcome") == events.OK for event in found)
    warned = [event for event in found if event.get("outcome") == events.WARNING]
    telling = refused or (warned[0] if warned else None)
    reason = "" if telling is None else str(telling.get("reason", ""))
    if telling is not None and telling.get("code"):
        reason = f"{telling['step']}/{telling['code']}: {reason}"
    named = [event for event in found if event.get("driver")]
    last = named[-1] if named else {}
    return BootSummary(
        time=str(found[0].get("time", "")),
        boot=str(found[0].get("boot", "")),
        surface=str(found[0].get("surface", "")),
        driver=str(last.get("driver", "")),
        driver_class=str(last.get("class", "")),
        outcome="refused" if refused else "bound" if bound else "unfinished",
        reason=reason,
    )
