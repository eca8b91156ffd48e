"""The bind audit log in worse hands: edited heads, edited ends, readers beside writers, boots that are killed."""

import json
import multiprocessing
import multiprocessing.synchronize
import os
import signal
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from opencompany_memory.binding.events import BindEvent
from opencompany_memory.binding.redaction import Redactor
from opencompany_memory.binding.trail import BindTrail, rotated_files
from opencompany_memory.binding.trail_reader import boots, load_failures, log_files, read_events, verify

_SPAWN = multiprocessing.get_context("spawn")


def _boot(data_dir: Path, name: str, *, events: int = 3, max_bytes: int = 1 << 20, reason: str = "event") -> BindTrail:
    trail = BindTrail(data_dir, name, "test", Redactor(()), max_bytes=max_bytes)
    for number in range(events):
        last = number == events - 1
        event = BindEvent("bind" if last else "load", "ok", f"{reason} {number}", fields={"driver": name})
        trail.record(event, make_folder=True, last=last)
    return trail


def _lines(path: Path) -> list[bytes]:
    return path.read_bytes().splitlines(keepends=True)


@settings(max_examples=40, deadline=None)
@given(data=st.data())
def test_an_edited_line_within_a_boot_is_the_one_that_is_named(
    data: st.DataObject, tmp_path_factory: pytest.TempPathFactory
) -> None:
    folder = tmp_path_factory.mktemp("log")
    _boot(folder, "A", events=4)
    _boot(folder, "B", events=4)
    (path,) = log_files(folder)
    lines = _lines(path)
    index = data.draw(st.sampled_from([0, 1, 2, 4, 5, 6]))
    lines[index] = lines[index].replace(
        b'"reason":"event', b'"reason":"%s' % data.draw(st.sampled_from([b"avent", b""]))
    )
    path.write_bytes(b"".join(lines))
    bad = verify(folder).first_bad
    assert bad is not None
    assert bad.line == index + 1
    assert "it was edited" in bad.reason


@pytest.mark.parametrize(
    "edited", [b'"reason":"EVENT 2"', b'"reason":"something much longer than that"', b'"reason":"x"']
)
def test_a_boot_does_not_cover_up_that_the_last_line_was_edited(edited: bytes, tmp_path: Path) -> None:
    _boot(tmp_path, "A")
    (path,) = log_files(tmp_path)
    path.write_bytes(path.read_bytes().replace(b'"reason":"event 2"', edited))
    assert not verify(tmp_path).ok
    for name in "BC":
        _boot(tmp_path, name)
        assert not verify(tmp_path).ok
    assert [summary.boot for summary in boots(tmp_path, 9)] == ["C", "B", "A"]


@pytest.mark.parametrize(
    "head",
    [
        b"",
        b"junk",
        b"[]",
        b"3",
        b'{"lines": 1e999, "sha256": ""}',
        b'{"lines": null, "sha256": null}',
        b'{"lines": "x"}',
        b"[" * 100_000,
        b"\xff\x00",
    ],
)
def test_a_head_that_can_not_be_read_stops_no_boot_and_is_reported(head: bytes, tmp_path: Path) -> None:
    _boot(tmp_path, "A")
    (tmp_path / "audit" / "bind.head").write_bytes(head)
    bad = verify(tmp_path).first_bad
    assert bad is not None
    assert bad.file == "bind.head"
    assert _boot(tmp_path, "B").fault is None
    assert verify(tmp_path).ok


@pytest.mark.parametrize(
    "placed",
    [
        {},
        {"files": None, "size": None},
        {"files": 0, "size": -1},
        {"files": 0, "size": 10**30},
        {"files": 7, "size": 10},
        {"files": "0", "size": "10"},
    ],
)
def test_a_head_that_does_not_say_where_the_log_ended_is_no_hindrance(
    placed: dict[str, object], tmp_path: Path
) -> None:
    _boot(tmp_path, "A")
    head = tmp_path / "audit" / "bind.head"
    known = json.loads(head.read_bytes())
    head.write_text(json.dumps({"lines": known["lines"], "sha256": known["sha256"], **placed}))
    assert _boot(tmp_path, "B").fault is None
    report = verify(tmp_path)
    assert (report.ok, report.lines, report.notes) == (True, 6, ())


def test_a_log_without_a_head_says_what_it_can_not_tell(tmp_path: Path) -> None:
    _boot(tmp_path, "A")
    (tmp_path / "audit" / "bind.head").unlink()
    report = verify(tmp_path)
    assert report.ok
    assert any("cut off at the end" in note for note in report.notes)


def test_a_log_that_was_removed_whole_is_missed(tmp_path: Path) -> None:
    _boot(tmp_path, "A")
    log_files(tmp_path)[0].unlink()
    assert not verify(tmp_path).ok
    _boot(tmp_path, "B")
    bad = verify(tmp_path).first_bad
    assert bad is not None
    assert "3 lines before this one are gone" in bad.reason


def test_a_boot_reads_no_more_than_what_was_appended_since_the_last(tmp_path: Path) -> None:
    for number in range(9):
        _boot(tmp_path, f"B{number}", max_bytes=1500)
    complete = rotated_files(tmp_path / "audit")
    for path in complete:  # to read one would be an error now
        path.rename(path.with_suffix(".kept"))
        path.mkdir()
    for number in range(9):  # over several rotations
        assert _boot(tmp_path, f"C{number}", max_bytes=1500).fault is None
    for path in complete:
        path.rmdir()
        path.with_suffix(".kept").rename(path)
    report = verify(tmp_path)
    assert report.ok, report
    assert report.lines == 54


def test_the_last_boots_are_found_without_reading_all_of_the_log(tmp_path: Path) -> None:
    for number in range(12):
        _boot(tmp_path, f"B{number:02}", max_bytes=1500)
    oldest = rotated_files(tmp_path / "audit")[0]
    oldest.unlink()
    oldest.mkdir()
    assert [summary.boot for summary in boots(tmp_path, 2)] == ["B11", "B10"]
    assert all(summary.outcome == "bound" for summary in boots(tmp_path, 2))


def test_why_a_driver_failed_to_load_is_known_until_it_loads(tmp_path: Path) -> None:
    about = {"driver": "acme", "distribution": "acme-memory", "version": "1.0"}

    def load(outcome: str, **fields: str) -> None:
        trail = BindTrail(tmp_path, "A", "test", Redactor(()))
        trail.record(BindEvent("load", outcome, outcome, None, {**about, **fields}), make_folder=True, last=True)

    load("refused")
    load("ok", version="2.0")
    assert load_failures(tmp_path) == {("acme", "acme-memory", "1.0"): "refused"}
    load("ok")
    assert load_failures(tmp_path) == {}


def test_a_text_of_megabytes_makes_no_such_line(tmp_path: Path) -> None:
    _boot(tmp_path, "A", reason="é" * 3_000_000)
    (event, *_) = read_events(tmp_path)
    assert event["reason"].startswith("ééé")
    assert event["reason"].endswith("éé 0")
    assert "characters left out" in event["reason"]
    assert log_files(tmp_path)[0].stat().st_size < 500_000
    assert verify(tmp_path).ok


def _keep_booting(folder: str, stop: multiprocessing.synchronize.Event) -> None:
    number = 0
    while not stop.is_set():
        _boot(Path(folder), f"W{number}", max_bytes=2000)
        number += 1


def test_a_reader_beside_a_writer_never_sees_a_broken_chain(tmp_path: Path) -> None:
    stop = _SPAWN.Event()
    writer = _SPAWN.Process(target=_keep_booting, args=(str(tmp_path), stop))
    writer.start()
    try:
        while not boots(tmp_path, 1):
            assert writer.is_alive()
        for _ in range(12):
            report = verify(tmp_path)
            assert report.ok, report
            assert len(boots(tmp_path, 2)) <= 2
    finally:
        stop.set()
        writer.join()
    assert writer.exitcode == 0


def test_a_boot_that_is_killed_leaves_a_log_that_goes_on(tmp_path: Path) -> None:
    for round_ in range(4):
        stop = _SPAWN.Event()
        writer = _SPAWN.Process(target=_keep_booting, args=(str(tmp_path), stop))
        writer.start()
        before = verify(tmp_path).lines
        while verify(tmp_path).lines < before + 20 + round_:
            assert writer.is_alive()
        assert writer.pid is not None
        os.kill(writer.pid, signal.SIGKILL)
        writer.join()
        assert _boot(tmp_path, f"AFTER{round_}").fault is None
        report = verify(tmp_path)
        assert report.ok, report


@pytest.mark.parametrize("device", ["/dev/full", "/dev/zero"])
def test_a_device_in_place_of_the_log_is_reported_and_not_read(device: str, tmp_path: Path) -> None:
    (tmp_path / "audit").mkdir()
    (tmp_path / "audit" / "bind.jsonl").symlink_to(device)
    fault = _boot(tmp_path, "A").fault
    assert fault is not None
    assert "is no file" in fault
    assert boots(tmp_path, 1) == []
