"""Liveness over HTTP, against the application itself."""

from collections.abc import AsyncIterator
from pathlib import Path

import httpx
import pytest

import opencompany_memory
from opencompany_memory.overlay import MemoryOverlay
from opencompany_memory.server import app as application

pytestmark = pytest.mark.anyio


@pytest.fixture
async def memory(tmp_path: Path) -> AsyncIterator[MemoryOverlay]:
    async with await opencompany_memory.boot({"OPENCOMPANY_DATA_DIR": str(tmp_path)}) as booted:
        yield booted


def _client(memory: MemoryOverlay) -> httpx.AsyncClient:
    transport = httpx.ASGITransport(application.make_app(memory))
    return httpx.AsyncClient(transport=transport, base_url="http://host")


async def test_healthz_says_ok_and_names_no_engine(memory: MemoryOverlay) -> None:
    async with _client(memory) as client:
        answer = await client.get("/healthz")
    assert (answer.status_code, answer.json()) == (200, {"status": "ok"})


async def test_healthz_notices_an_engine_that_fails_later_and_that_it_is_back(
    memory: MemoryOverlay, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(application, "_HEALTHY_SECONDS", 0.0)
    monkeypatch.setattr(application, "_DEGRADED_SECONDS", 0.0)
    async with _client(memory) as client:
        (tmp_path / "memory").rename(tmp_path / "elsewhere")
        assert (await client.get("/healthz")).json() == {"status": "degraded"}
        (tmp_path / "elsewhere").rename(tmp_path / "memory")
        assert (await client.get("/healthz")).json() == {"status": "ok"}


async def test_the_root_says_where_to_go(memory: MemoryOverlay) -> None:
    async with _client(memory) as client:
        assert (await client.get("/")).json()["health"] == "/healthz"
        assert (await client.get("/openapi.json")).status_code == 200
