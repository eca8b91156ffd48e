"""The bind audit log: chained, whole, private, and never in the way of a boot."""

import hashlib
import json
import multiprocessing
import os
import resource
import stat
import sys
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from opencompany_memory.binding.events import BindEvent
from opencompany_memory.binding.redaction import Redactor
from opencompany_memory.binding.trail import BindTrail, rotated_files
from opencompany_memory.binding.trail_reader import boot_events, boots, log_files, read_events, verify


def _boot(
    data_dir: Path, name: str, *, events: int = 3, max_bytes: int = 1 << 20, secrets: tuple[str, ...] = ()
) -> BindTrail:
    trail = BindTrail(data_dir, name, "test", Redactor(secrets), max_bytes=max_bytes)
    for number in range(events):
        last = number == events - 1
        trail.record(BindEvent("bind" if last else "load", "ok", f"event {number}"), make_folder=True, last=last)
    return trail


def _lines(data_dir: Path) -> list[bytes]:
    return b"".join(path.read_bytes() for path in log_files(data_dir)).splitlines()


def test_each_line_carries_the_hash_of_the_line_before_it(tmp_path: Path) -> None:
    _boot(tmp_path, "A")
    _boot(tmp_path, "B")
    previous = "0" * 64
    for line in _lines(tmp_path):
        assert json.loads(line)["prev"] == previous
        previous = hashlib.sha256(line).hexdigest()
    assert verify(tmp_path).ok
    assert verify(tmp_path).lines == 6


def test_an_empty_log_is_intact(tmp_path: Path) -> None:
    assert verify(tmp_path).ok
    assert boots(tmp_path, 10) == []


def test_the_chain_goes_on_across_rotated_files(tmp_path: Path) -> None:
    for number in range(20):
        _boot(tmp_path, f"B{number:02}", max_bytes=600)
    assert len(rotated_files(tmp_path / "audit")) > 3
    report = verify(tmp_path)
    assert report.ok
    assert report.lines == 60
    assert [summary.boot for summary in boots(tmp_path, 3)] == ["B19", "B18", "B17"]
    rotated_files(tmp_path / "audit")[1].unlink()
    assert not verify(tmp_path).ok


@settings(max_examples=60, deadline=None)
@given(data=st.data())
def test_any_edited_dropped_or_moved_line_is_found(
    data: st.DataObject, tmp_path_factory: pytest.TempPathFactory
) -> None:
    folder = tmp_path_factory.mktemp("log")
    for number in range(4):
        _boot(folder, f"B{number}", max_bytes=data.draw(st.sampled_from([500, 1 << 20])))
    where = data.draw(st.integers(0, len(log_files(folder)) - 1))
    path = log_files(folder)[where]
    lines = path.read_bytes().splitlines(keepends=True)
    index = data.draw(st.integers(0, len(lines) - 1))
    change = data.draw(st.sampled_from(["drop", "edit", "swap", "double", "junk"]))
    if change == "drop":
        del lines[index]
    elif change == "edit":
        at = data.draw(st.integers(0, len(lines[index]) - 2))
        old = lines[index][at]
        lines[index] = (
            lines[index][:at] + bytes([old ^ 1 if old ^ 1 not in b"\n" else old ^ 2]) + lines[index][at + 1 :]
        )
    elif change == "swap":
        other = (index + 1) % len(lines)
        if other == index:
            return
        lines[index], lines[other] = lines[other], lines[index]
    elif change == "double":
        lines.insert(index, lines[index])
    else:
        lines.insert(index, b"junk\n")
    path.write_bytes(b"".join(lines))
    report = verify(folder)
    assert not report.ok
    assert report.first_bad is not None


def test_a_bad_line_hides_no_other(tmp_path: Path) -> None:
    for name in "ABC":
        _boot(tmp_path, name)
    path = log_files(tmp_path)[0]
    lines = path.read_bytes().splitlines(keepends=True)
    lines[2] = b"junk\n"
    path.write_bytes(b"".join(lines))
    assert len(list(read_events(tmp_path))) == 8
    bad = verify(tmp_path).first_bad
    assert bad is not None
    assert (bad.file, bad.line) == ("bind.jsonl", 3)


def test_lines_dropped_from_the_end_are_found_also_after_the_next_boot(tmp_path: Path) -> None:
    _boot(tmp_path, "A")
    _boot(tmp_path, "B")
    path = log_files(tmp_path)[0]
    path.write_bytes(b"".join(path.read_bytes().splitlines(keepends=True)[:4]))
    assert "2 lines after this one are gone" in str(verify(tmp_path).first_bad)
    _boot(tmp_path, "C")
    bad = verify(tmp_path).first_bad
    assert bad is not None
    assert bad.line == 5
    assert "2 lines before this one are gone" in bad.reason


@settings(max_examples=40, deadline=None)
@given(cut=st.integers(1, 400))
def test_a_torn_last_line_is_reported_and_the_next_boot_appends_cleanly(
    cut: int, tmp_path_factory: pytest.TempPathFactory
) -> None:
    folder = tmp_path_factory.mktemp("log")
    _boot(folder, "A")
    path = log_files(folder)[0]
    raw = path.read_bytes()
    last = len(raw) - raw[:-1].rfind(b"\n") - 1
    cut = min(cut, last - 1)
    os.truncate(path, len(raw) - cut)
    torn = verify(folder).first_bad
    assert torn is not None
    assert (torn.line, "torn last line" in torn.reason) == (3, True)
    _boot(folder, "B")
    report = verify(folder)
    assert report.ok, report
    assert any("a torn last line" in note for note in report.notes)
    assert [event["boot"] for event in read_events(folder)].count("B") == 4


def _append(arguments: tuple[str, int]) -> None:
    folder, number = arguments
    for boot in range(10):
        _boot(Path(folder), f"P{number}-{boot}", max_bytes=4000)


def test_processes_that_boot_at_once_keep_one_chain(tmp_path: Path) -> None:
    with multiprocessing.get_context("spawn").Pool(3) as pool:
        pool.map(_append, [(str(tmp_path), number) for number in range(3)])
    report = verify(tmp_path)
    assert report.ok, report
    assert report.lines == 90
    assert len(boots(tmp_path, 100)) == 30


def test_a_refusal_before_loading_makes_no_folder(tmp_path: Path) -> None:
    data_dir = tmp_path / "data"
    trail = BindTrail(data_dir, "A", "test", Redactor(()))
    trail.record(BindEvent("settings", "refused", "no", "unknown-mode"), make_folder=False, last=True)
    assert not data_dir.exists()
    data_dir.mkdir()
    trail = BindTrail(data_dir, "B", "test", Redactor(()))
    trail.record(BindEvent("settings", "refused", "no", "unknown-mode"), make_folder=False, last=True)
    assert [summary.boot for summary in boots(data_dir, 10)] == ["B"]


def test_folder_and_files_are_for_the_owner_only(tmp_path: Path) -> None:
    _boot(tmp_path, "A")
    assert stat.S_IMODE((tmp_path / "audit").stat().st_mode) == 0o700
    for path in (tmp_path / "audit").iterdir():
        assert stat.S_IMODE(path.stat().st_mode) == 0o600, path


def test_a_log_that_can_not_be_written_is_reported_once_and_loses_no_boot(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "audit").write_text("a file in its place")
    trail = _boot(tmp_path, "A")
    assert trail.fault is not None
    assert capsys.readouterr().err.count("the bind audit log is not written") == 1


def _boot_with_little_room(folder: str) -> str | None:
    """In a process of its own: no file may grow beyond 600 bytes, as on a disk that is full."""
    resource.setrlimit(resource.RLIMIT_FSIZE, (600, 600))
    return _boot(Path(folder), "FULL", events=6).fault


def test_a_full_disk_is_reported_and_the_log_stays_readable(tmp_path: Path) -> None:
    with multiprocessing.get_context("spawn").Pool(1) as pool:
        fault = pool.apply(_boot_with_little_room, (str(tmp_path),))
    assert fault is not None
    assert "can't be written" in fault
    _boot(tmp_path, "LATER")
    report = verify(tmp_path)
    assert report.ok, report
    assert "LATER" in [summary.boot for summary in boots(tmp_path, 10)]


def test_a_boot_is_found_by_the_beginning_of_its_id(tmp_path: Path) -> None:
    _boot(tmp_path, "01AAAA")
    _boot(tmp_path, "01BBBB")
    assert [event["seq"] for event in boot_events(tmp_path, "01B")] == [0, 1, 2]
    assert boot_events(tmp_path, "02") == []
    assert boot_events(tmp_path, "") == []


SECRET = "sk-canary-p/w+1=="
URL = "https://engine.example:8443/tenant-path"


def test_secrets_are_taken_out_in_every_form(tmp_path: Path) -> None:
    import base64
    from urllib.parse import quote

    text = f"{SECRET} {quote(SECRET, safe='')} {base64.b64encode(SECRET.encode()).decode()} {URL} engine.example /tenant-path"
    trail = BindTrail(tmp_path, "A", "test", Redactor((SECRET, URL)))
    event = BindEvent(
        "load", "refused", text, "import-failed", {"traceback": text, "list": [text], "map": {text: text}}
    )
    trail.record(event, make_folder=True, last=True)
    raw = b"".join(_lines(tmp_path)).decode()
    for secret in ("canary", "engine.example", "tenant-path", base64.b64encode(SECRET.encode()).decode()[:-2]):
        assert secret not in raw
    assert "<redacted>" in raw


@given(st.text(min_size=4, max_size=30), st.text(max_size=30), st.text(max_size=30))
def test_a_secret_never_survives_redaction(secret: str, before: str, after: str) -> None:
    cleaned = Redactor((secret,)).clean(before + secret + after)
    assert secret not in cleaned or secret in (before + "<redacted>" + after) or secret in "<redacted>"


def test_lines_are_utf8_whatever_the_reason_holds(tmp_path: Path) -> None:
    trail = BindTrail(tmp_path, "A", "test", Redactor(()))
    trail.record(
        BindEvent("load", "refused", "lone \ud800 and — and \n newline", "import-failed"), make_folder=True, last=True
    )
    (line,) = _lines(tmp_path)
    assert json.loads(line.decode("utf-8"))["reason"].startswith("lone")
    assert verify(tmp_path).ok
    assert sys.getdefaultencoding() == "utf-8"
