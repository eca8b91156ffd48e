"""The bind audit log, read: events, boots, and whether it is as it was written."""

import json
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

from attrs import frozen

from opencompany_memory.binding import events
from opencompany_memory.binding.trail import CURRENT, FOLDER, GENESIS, digest, read_head, rotated_files

Event = Mapping[str, Any]


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
    for path in log_files(data_dir):
        for line in path.read_bytes().split(b"\n"):
            event = _parse(line)
            if event is not None:
                yield event


def boots(data_dir: Path, limit: int) -> list[BootSummary]:
    """The last boots, newest first."""
    by_boot = _by_boot(read_events(data_dir))
    return [_summary(found) for found in reversed(list(by_boot.values()))][:limit]


def boot_events(data_dir: Path, boot: str) -> list[Event]:
    """The events of the newest boot whose id begins with `boot`; empty when there is none."""
    found = [events for name, events in _by_boot(read_events(data_dir)).items() if boot and name.startswith(boot)]
    return found[-1] if found else []


def last_load_failure(data_dir: Path, driver: str, distribution: str, version: str) -> str | None:
    """Why the newest boot that came to load this very driver failed there; None when it did not fail."""
    reason: str | None = None
    for event in read_events(data_dir):
        if event.get("step") != events.LOAD or event.get("driver") != driver:
            continue
        if (event.get("distribution"), event.get("version")) == (distribution, version):
            reason = str(event.get("reason", "")) if event.get("outcome") == events.REFUSED else None
    return reason


def verify(data_dir: Path) -> VerifyReport:
    """Follow the chain from the first line to the last."""
    files = log_files(data_dir)
    head = read_head(data_dir / FOLDER)
    notes: list[str] = []
    previous, lines = GENESIS, 0
    where = (files[-1].name if files else CURRENT, 0)
    for path in files:
        *complete, rest = path.read_bytes().split(b"\n")
        for number, line in enumerate(complete, start=1):
            lines += 1
            where = path.name, number
            reason = _fault(line, previous, notes)
            previous = digest(line)
            if lines == head.lines and previous != head.sha256:
                reason = reason or "it is not the line that was last written here"
            if reason is not None:
                return VerifyReport(lines, len(files), BadLine(*where, reason), tuple(notes))
        if rest:
            reason = "a torn last line, as a power cut leaves it; the next boot sets it aside"
            return VerifyReport(lines, len(files), BadLine(path.name, len(complete) + 1, reason), tuple(notes))
    if lines < head.lines:
        reason = f"{head.lines - lines} lines after this one are gone"
        return VerifyReport(lines, len(files), BadLine(*where, reason), tuple(notes))
    return VerifyReport(lines, len(files), None, tuple(notes))


def _fault(line: bytes, previous: str, notes: list[str]) -> str | None:
    event = _parse(line)
    if event is None:
        return "it is not a JSON object"
    if event.get("prev") != previous:
        return "it does not carry the hash of the line before it: a line was edited, dropped or moved"
    if event.get("code") == "lines-missing" and event.get("step") == events.LOG:
        return f"{event.get('lines_missing')} lines before this one are gone, as boot {event.get('boot')} found"
    if event.get("code") == "torn-line" and event.get("step") == events.LOG:
        notes.append(f"boot {event.get('boot')}: {event.get('reason')}")
    return None


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
