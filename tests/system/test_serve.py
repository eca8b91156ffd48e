"""`serve`, started as an operator starts it."""

import json
import signal
import socket
import threading
import urllib.error
import urllib.request
from pathlib import Path

import pytest

from tests.support.command import Command
from tests.support.plugins import Environment


def _get(url: str) -> tuple[int, dict[str, object]]:
    with urllib.request.urlopen(url, timeout=10) as answer:
        return answer.status, json.loads(answer.read())


def test_it_says_what_was_bound_where_it_listens_and_what_to_try(tmp_path: Path) -> None:
    om = Command(tmp_path / "data")
    with om.serving() as server:
        assert "bound     store (embedded, opencompany-memory" in server.banner
        assert _get(f"{server.url}/healthz") == (200, {"status": "ok"})
        assert _get(server.url)[1]["health"] == "/healthz"
        server.process.send_signal(signal.SIGINT)
        rest = server.rest()
        assert "memory put hello" in rest
        assert "stopped" in rest
        assert server.process.wait(timeout=30) == 0


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_signal_ends_it_well_and_closes_the_store(number: signal.Signals, tmp_path: Path) -> None:
    om = Command(tmp_path / "data")
    with om.serving() as server:
        om.ok("memory", "put", "t", "text", "-c", "acme")
        server.process.send_signal(number)
        assert server.process.wait(timeout=30) == 0
    assert not list((tmp_path / "data" / "memory").glob("*-wal"))
    assert om.ok("memory", "audit", "verify").startswith("intact")


def test_a_taken_port_is_said_before_anything_is_served(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        done = Command(tmp_path / "data").run("serve", "--port", str(port))
    assert done.returncode == 1
    assert f"port {port}".encode() in done.stderr
    assert b"choose another --port" in done.stderr


def test_serve_and_many_commands_share_one_folder(tmp_path: Path) -> None:
    """FIELD: 'database is locked' with a server and four clients on one folder."""
    om = Command(tmp_path / "data")
    failures: list[bytes] = []

    def client(name: str) -> None:
        for number in range(5):
            done = om.run("memory", "put", f"{name}/{number}", f"text {number} of {name}", "-c", "acme")
            if done.returncode:
                failures.append(done.stderr)

    with om.serving() as server:
        threads = [threading.Thread(target=client, args=(f"client{number}",)) for number in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert _get(f"{server.url}/healthz")[1] == {"status": "ok"}
    assert failures == []
    assert len(om.json("memory", "list", "-c", "acme")) == 20
    assert om.ok("memory", "audit", "verify").startswith("intact")


def test_an_engine_that_is_down_at_boot_heals_without_a_restart(tmp_path: Path) -> None:
    environment = Environment(tmp_path, ["toy-engine"])
    site = next((tmp_path / "env").glob("lib/python*/site-packages"))
    flag = tmp_path / "engine-is-up"
    source = (site / "toy_engine.py").read_text()
    down = f"    async def get(self, namespace, key):\n        import os\n        if not os.path.exists({str(flag)!r}):\n            raise ConnectionError\n"
    (site / "toy_engine.py").write_text(source.replace("    async def get(self, namespace, key):\n", down))
    om = Command(tmp_path / "data")
    om.environ = environment.environ(OPENCOMPANY_MEMORY_DRIVER="toy")
    import sys

    host, sys.executable = sys.executable, str(environment.python)
    try:
        with om.serving() as server:
            assert "UNREACHABLE: core" in server.banner
            flag.write_text("")
            deadline = threading.Event()
            for _ in range(200):
                if _get(f"{server.url}/healthz")[1] == {"status": "ok"}:
                    break
                deadline.wait(0.1)  # the probe is not repeated more often than every five seconds
            else:
                raise AssertionError("the server did not notice that the engine is back")
    finally:
        sys.executable = host
