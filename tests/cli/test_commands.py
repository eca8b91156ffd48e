"""The command, as an operator types it: what it prints, and how it ends."""

import hashlib
import json
import os
import pty
import re
import sqlite3
import subprocess
import sys
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest

from tests.support.command import _MAIN, Command

ADDRESS = re.compile(r"[0-9a-f]{64}\n")


@pytest.fixture
def om(tmp_path: Path) -> Command:
    return Command(tmp_path / "data")


def test_status_has_the_promised_keys(om: Command) -> None:
    status = om.json("memory", "status")
    assert {
        "mode", "driver", "class", "distribution", "version", "contract", "families", "unadvertised", "unreachable",
        "health", "layer", "durable", "bootId", "auditLog",
    } <= set(status)  # fmt: skip
    assert (status["mode"], status["driver"], status["class"], status["health"]) == (
        "store",
        "store",
        "embedded",
        "ready",
    )
    assert (status["layer"], status["durable"], status["unreachable"]) == ("default", True, [])
    assert status["auditLog"] == str(om.data_dir / "audit" / "bind.jsonl")
    assert status["bootId"] in om.ok("memory", "audit")


def test_put_get_list_recall_forget(om: Command) -> None:
    address = om.ok("memory", "put", "notes/deploy", "The deploy key rotates on Mondays.", "--company", "acme")
    assert ADDRESS.fullmatch(address)
    address = address.strip()
    om.ok("memory", "put", "other", "Lunch is at noon.", "-c", "acme")
    assert om.ok("memory", "get", address, "-c", "acme") == "The deploy key rotates on Mondays."
    (hit,) = om.json("memory", "recall", "when does the key rotate?", "-c", "acme")
    assert {"address", "label", "score", "text", "timestamp"} <= set(hit)
    assert (hit["address"], hit["label"], 0 < hit["score"] <= 1) == (address, "notes/deploy", True)
    assert [chunk["label"] for chunk in om.json("memory", "list", "-c", "acme")] == ["other", "notes/deploy"]
    assert [chunk["label"] for chunk in om.json("memory", "list", "notes/", "-c", "acme")] == ["notes/deploy"]
    assert om.json("memory", "list", "-c", "rival") == []
    assert om.json("memory", "recall", "key", "-c", "rival") == []
    assert om.json("memory", "forget", "notes/deploy", "-c", "acme") == {"forgotten": 1}
    assert om.json("memory", "recall", "key", "-c", "acme") == []


def test_what_recall_shows_is_what_forget_accepts(om: Command) -> None:
    for label in ("a", "b"):
        om.ok("memory", "put", label, f"a text about {label} zebras", "-c", "acme")
    by_address, by_label = om.json("memory", "recall", "zebras", "-c", "acme")
    om.ok("memory", "forget", by_address["address"], "-c", "acme")
    om.ok("memory", "forget", by_label["label"], "-c", "acme")
    assert om.json("memory", "list", "-c", "acme") == []


@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        (("memory", "get", "0" * 64, "-c", "acme"), 1),
        (("memory", "forget", "nothing", "-c", "acme"), 1),
        (("memory", "get", "not-an-address", "-c", "acme"), 2),
        (("memory", "put", "", "text", "-c", "acme"), 2),
        (("memory", "put", "label", "text"), 2),
        (("memory", "recall", "x", "-c", "acme", "-n", "0"), 2),
        (("memory", "put", "l" * 513, "text", "-c", "acme"), 1),
        (("memory", "put", "l", "text", "-c", "acme", "--timestamp", "yesterday"), 2),
        (("memory", "purge", "-c", "acme"), 2),
        (("memory", "audit", "show", "nosuchboot"), 1),
        (("memory", "nonsense"), 2),
        (("serve", "--host", "192.0.2.1"), 1),
    ],
)
def test_what_fails_says_so_in_a_sentence_and_a_code(arguments: tuple[str, ...], code: int, om: Command) -> None:
    done = om.run(*arguments)
    assert done.returncode == code, done.stderr
    assert done.stderr.strip()
    assert b"Traceback" not in done.stderr


def test_text_comes_from_standard_input_verbatim(om: Command) -> None:
    text = "line one\n\ttabbed — ünïcödé\r\n\0end\n"
    for argument in (("-",), ()):
        address = om.ok("memory", "put", "t", *argument, "-c", "acme", stdin=text.encode()).strip()
        assert om.run("memory", "get", address, "-c", "acme").stdout.decode() == text


def test_input_that_is_not_utf8_stores_nothing(om: Command) -> None:
    done = om.run("memory", "put", "t", "-", "-c", "acme", stdin=b"ab\xff")
    assert done.returncode == 2
    assert b"at byte 2" in done.stderr
    assert om.json("memory", "list", "-c", "acme") == []


def test_an_empty_company_is_a_tenant_of_its_own(om: Command) -> None:
    om.ok("memory", "put", "t", "somebody's text", "-c", "acme")
    assert om.json("memory", "list", "-c", "") == []
    om.ok("memory", "put", "t", "nobody's text", "-c", "")
    assert len(om.json("memory", "list", "-c", "")) == 1
    assert len(om.json("memory", "list", "-c", "acme")) == 1


def test_a_session_and_a_time_may_be_given(om: Command) -> None:
    for number, text in enumerate(("Where do you keep the boat?", "At the old harbour.", "Nice weather today.")):
        at = f"2023-05-08T13:56:0{number}+02:00"
        om.ok("memory", "put", f"t{number}", text, "-c", "a", "--session", "s", "--timestamp", at)
    hits = om.json("memory", "recall", "where is the boat kept", "-c", "a")
    assert [hit["label"] for hit in hits][:2] == ["t0", "t1"]
    assert hits[0]["timestamp"] == "2023-05-08T11:56:00.000000Z"


def test_purge_reports_what_went_and_leaves_no_trace_of_it(om: Command) -> None:
    for number in range(3):
        om.ok("memory", "put", f"t{number}", f"the zanzibar secret {number}", "-c", "acme")
    om.ok("memory", "put", "t", "another company's text", "-c", "rival")
    assert any(b"zanzibar" in path.read_bytes() for path in om.data_dir.rglob("*") if path.is_file())
    report = om.json("memory", "purge", "-c", "acme", "--yes")
    assert (report["entries"], report["scopes"]) == (3, [{"scope": "context", "entries": 3}])
    assert not any(b"zanzibar" in path.read_bytes() for path in om.data_dir.rglob("*") if path.is_file())
    assert not list(om.data_dir.glob("memory/oc_acme*"))
    assert len(om.json("memory", "list", "-c", "rival")) == 1
    assert om.json("memory", "purge", "-c", "acme", "--yes")["entries"] == 0


def test_upkeep(om: Command, tmp_path: Path) -> None:
    om.ok("memory", "put", "t", "text", "-c", "acme")
    assert om.json("memory", "check")["problems"] == []
    assert om.json("memory", "backup", str(tmp_path / "b.zip"))["files"] >= 1
    assert om.run("memory", "backup", str(tmp_path / "b.zip")).returncode == 2
    assert om.json("memory", "compact")["after"] > 0


def test_doctor_ticks_every_step_and_ends_with_the_canary(om: Command) -> None:
    lines = om.ok("memory", "doctor").splitlines()
    assert len(lines) == 6
    assert all(line.startswith("✓") for line in lines)
    assert lines[-1] == "✓ what is written is kept"


def test_doctor_says_what_to_change(om: Command) -> None:
    done = om.with_(OPENCOMPANY_MEMORY="remote").run("memory", "doctor")
    assert done.returncode == 78
    (line,) = done.stdout.decode().splitlines()
    assert line.startswith("✗ the settings are read: mode remote")
    assert "OPENCOMPANY_MEMORY_DRIVER" in line


def test_the_null_driver_says_loudly_that_nothing_is_kept(om: Command) -> None:
    null = om.with_(OPENCOMPANY_MEMORY="null")
    done = null.run("memory", "status")
    assert b"NOTHING IS KEPT" in done.stderr
    assert null.json("memory", "status")["durable"] is False
    assert "not-durable" in null.ok("memory", "audit", "--json")
    doctor = null.run("memory", "doctor")
    assert (doctor.returncode, "NOTHING IS KEPT" in doctor.stdout.decode()) == (1, True)
    with null.serving() as server:
        assert "NOTHING IS KEPT" in server.banner
    null.ok("memory", "put", "t", "text", "-c", "acme")
    assert null.json("memory", "list", "-c", "acme") == []


@pytest.mark.parametrize(
    ("environ", "said"),
    [
        (
            {"OPENCOMPANY_MEMORY": "tinycortex"},
            "refused (settings/retired-mode): OPENCOMPANY_MEMORY=tinycortex was retired; ",
        ),
        ({"OPENCOMPANY_MEMORY": "remote"}, "refused (settings/remote-incomplete): "),
        ({"OPENCOMPANY_STORAGE": "mongodb"}, "refused (settings/storage-unavailable): OPENCOMPANY_STORAGE=mongodb "),
    ],
)
def test_a_refusal_is_one_sentence_on_stderr_and_makes_no_folder(
    environ: dict[str, str], said: str, om: Command
) -> None:
    for arguments in (("memory", "status"), ("serve", "--port", "0"), ("memory", "recall", "q", "-c", "c")):
        done = om.with_(**environ).run(*arguments)
        assert (done.returncode, done.stdout) == (78, b"")
        assert done.stderr.decode().startswith(said)
        assert not om.data_dir.exists()


def test_a_refused_boot_is_written_down_where_there_is_a_log(om: Command) -> None:
    om.ok("memory", "status")
    om.with_(OPENCOMPANY_MEMORY="redis").run("memory", "status")
    first = om.ok("memory", "audit").splitlines()[0]
    assert "refused" in first
    assert "settings/unknown-mode" in first
    assert om.with_(OPENCOMPANY_MEMORY="redis").run("memory", "audit", "verify").returncode == 0


def test_audit_show_puts_claimed_and_derived_side_by_side(om: Command) -> None:
    boot = om.json("memory", "status")["bootId"]
    shown = om.ok("memory", "audit", "show", boot[:14])
    assert "graph\tclaimed\tderived\trouted" in shown
    steps = [event["step"] for event in om.json("memory", "audit", "show", boot)]
    assert steps == ["settings", "admit", "load", "audit", "probe", "bind"]


def test_audit_verify_names_the_first_bad_line(om: Command) -> None:
    om.ok("memory", "status")
    log = om.data_dir / "audit" / "bind.jsonl"
    log.write_text(log.read_text().replace('"step":"load"', '"step":"lead"', 1))
    done = om.run("memory", "audit", "verify")
    assert done.returncode == 1
    assert b"not intact: bind.jsonl line 3: it was edited" in done.stderr


def test_piped_output_has_no_colours_and_no_boxes(om: Command) -> None:
    om.ok("memory", "put", "t", "text \x1b[31mred", "-c", "acme")
    for arguments in (("drivers",), ("audit",), ("list", "-c", "acme"), ("recall", "text", "-c", "acme"), ("status",)):
        printed = om.ok("memory", *arguments)
        assert "\x1b" not in printed
        assert not set(printed) & set("─│┌━┃╭")


def _on_a_terminal(om: Command, *arguments: str) -> str:
    leader, follower = pty.openpty()
    process = subprocess.Popen(
        [sys.executable, "-c", _MAIN, *arguments],
        env={**om.environ, "COLUMNS": "60", "TERM": "xterm-256color"},
        stdin=follower,
        stdout=follower,
        stderr=follower,
    )
    os.close(follower)
    printed = b""
    while True:
        try:
            block = os.read(leader, 4096)
        except OSError:
            break
        if not block:
            break
        printed += block
    os.close(leader)
    process.wait(timeout=60)
    return printed.decode()


def test_recall_on_a_terminal_is_cut_to_it_and_can_not_command_it(om: Command) -> None:
    om.ok("memory", "put", "evil", "zebra \x1b[2J\x1b]0;owned\x07 " + "long " * 50, "-c", "acme")
    printed = _on_a_terminal(om, "memory", "recall", "zebra", "-c", "acme")
    assert "\x1b[2J" not in printed
    assert "\x07" not in printed
    assert all(len(line) <= 60 for line in printed.splitlines())
    assert "evil" in printed
    address = om.json("memory", "list", "-c", "acme")[0]["address"]
    assert "\x1b[2J" not in _on_a_terminal(om, "memory", "get", address, "-c", "acme")


def test_a_poor_terminal_crashes_nothing(om: Command) -> None:
    om.data_dir.mkdir()
    (om.data_dir / "config.toml").write_text('# — a dash\n[memory]\nbackend = "store"\n', encoding="utf-8")
    poor = om.with_(LC_ALL="C", PYTHONUTF8="0", PYTHONIOENCODING="ascii")
    om.ok("memory", "put", "日志", "naïve — 部署", "-c", "acme")
    for arguments in (
        ("memory", "status"),
        ("memory", "doctor"),
        ("memory", "drivers"),
        ("memory", "recall", "naïve", "-c", "acme"),
        ("memory", "list", "-c", "acme"),
        ("memory", "list", "-c", "acme", "--json"),
    ):
        poor.ok(*arguments)
    assert json.loads(poor.ok("memory", "list", "-c", "acme", "--json"))[0]["label"] == "日志"


def test_every_command_has_an_example_in_its_help(om: Command) -> None:
    commands = ["serve", *(f"memory {name}" for name in (
        "status", "doctor", "drivers", "put", "get", "list", "recall", "forget", "purge", "conformance", "check", "backup",
        "compact", "audit", "audit show", "audit verify",
    ))]  # fmt: skip
    for command in commands:
        assert "Example:" in om.ok(*command.split(), "--help"), command


def test_conformance_runs_on_what_is_selected_and_cleans_up(om: Command) -> None:
    om.ok("memory", "put", "t", "text", "-c", "acme")
    results = om.json("memory", "conformance")
    assert {result["outcome"] for result in results} == {"passed"}
    assert len(results) > 80
    left = [path.name for path in (om.data_dir / "memory").glob("*.sqlite3")]
    assert len(left) == 1
    assert left[0].startswith("oc_acme")
    skipped = [
        r for r in om.with_(OPENCOMPANY_MEMORY="null").json("memory", "conformance") if r["outcome"] == "skipped"
    ]
    assert any("keeps nothing" in result["detail"] for result in skipped)


def test_an_error_of_unknown_kind_prints_neither_its_text_nor_locals(om: Command, tmp_path: Path) -> None:
    program = (
        "import opencompany_memory.store.provider as p\n"
        "async def broken(self, *a, **k):\n    secret = 'sk-canary'\n    raise RuntimeError('somebody said ' + secret)\n"
        "p.SqliteProvider.recall = broken\n" + _MAIN
    )
    done = subprocess.run(
        [sys.executable, "-c", program, "memory", "recall", "q", "-c", "c"],
        env=om.environ,
        capture_output=True,
        check=False,
    )
    assert done.returncode == 1
    assert b"failed: RuntimeError in broken" in done.stderr
    assert b"canary" not in done.stderr + done.stdout


def test_a_forgotten_text_is_in_no_file_any_more(om: Command) -> None:
    for number in range(3):
        om.ok("memory", "put", f"t{number}", f"another text {number}", "-c", "acme")
    om.ok("memory", "put", "secret", "the zanzibar password", "-c", "acme")
    assert any(b"zanzibar" in path.read_bytes() for path in om.data_dir.rglob("*") if path.is_file())
    om.ok("memory", "forget", "secret", "-c", "acme")
    assert not any(b"zanzibar" in path.read_bytes() for path in om.data_dir.rglob("*") if path.is_file())
    assert len(om.json("memory", "recall", "another text", "-c", "acme")) == 3


def _digests(folder: Path) -> dict[str, str]:
    return {str(path): hashlib.sha256(path.read_bytes()).hexdigest() for path in folder.rglob("*") if path.is_file()}


def _newer(path: Path) -> None:
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("PRAGMA user_version = 99")


def _junk(path: Path) -> None:
    path.write_bytes(b"junk" * 4096)


def _junk_inside(path: Path) -> None:
    raw = bytearray(path.read_bytes())
    raw[4096 * 3 : 4096 * 6] = os.urandom(4096 * 3)
    path.write_bytes(raw)


def _cut_short(path: Path) -> None:
    os.truncate(path, path.stat().st_size // 2)


def _emptied(path: Path) -> None:
    os.truncate(path, 0)


@pytest.mark.parametrize("damage", [_newer, _junk, _junk_inside, _cut_short, _emptied])
def test_a_database_that_can_not_be_used_refuses_the_boot_and_is_left_untouched(
    damage: Callable[[Path], None], om: Command
) -> None:
    om.ok("memory", "put", "t", "text", "-c", "acme")
    (path,) = (om.data_dir / "memory").glob("*.sqlite3")
    damage(path)
    before = _digests(om.data_dir / "memory")
    for arguments in (("memory", "status"), ("serve", "--port", "0")):
        done = om.run(*arguments)
        assert done.returncode == 78, done.stderr
        assert b"refused (load/factory-failed): " in done.stderr
        assert path.name.encode() in done.stderr
        assert b"OPENCOMPANY_DATA_DIR" in done.stderr
    assert _digests(om.data_dir / "memory") == before


def test_an_audit_log_that_can_not_be_written_is_reported_and_loses_no_boot(om: Command) -> None:
    om.data_dir.mkdir()
    (om.data_dir / "audit").write_text("a file in its place")
    done = om.run("memory", "status", "--json")
    assert done.returncode == 0
    assert b"the bind audit log is not written" in done.stderr
    assert "can't be written" in json.loads(done.stdout)["auditFault"]
    with om.serving() as server:
        assert "THE BIND AUDIT LOG IS NOT WRITTEN" in server.banner


def test_a_reader_that_goes_away_is_no_crash(om: Command) -> None:
    for number in range(3):
        om.ok("memory", "put", f"t{number}", "long " * 20_000, "-c", "acme")
    done = subprocess.run(
        ["sh", "-c", f"{sys.executable} -c '{_MAIN}' memory recall long -c acme | head -c 10"],
        env=om.environ,
        capture_output=True,
        check=False,
    )
    assert b"Traceback" not in done.stderr
    assert b"Exception" not in done.stderr


def test_what_is_remembered_is_in_no_log_and_in_no_error(om: Command) -> None:
    text = "quixotic zanzibar cucumber"
    done = [om.run("memory", "put", f"{text} label", text, "-c", "acme corp")]
    done.append(om.run("memory", "recall", text, "-c", "acme corp", "-n", "0"))
    done.append(om.run("memory", "forget", f"{text} of another name", "-c", "acme corp"))
    done.append(om.with_(OPENCOMPANY_MEMORY="null").run("memory", "put", text, text, "-c", "acme corp"))
    logged = "".join(path.read_text(encoding="utf-8") for path in (om.data_dir / "audit").iterdir())
    for word in text.split():
        assert word not in logged
        assert all(word.encode() not in run.stderr for run in done)


def test_conformance_counts_by_area_and_names_what_was_skipped(om: Command) -> None:
    printed = om.with_(OPENCOMPANY_MEMORY="null").ok("memory", "conformance")
    assert "retention\t0\t0\t2" in printed
    assert "skipped\tcore\tforgetting one key leaves the others\tretention: the null driver keeps nothing" in printed
    assert re.search(r"✓ \d+ passed, 0 failed, \d+ skipped", printed)
