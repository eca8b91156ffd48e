"""A third party writes one fixture and gets the whole suite: tried in a pytest of its own."""

import os
import subprocess
import sys
from pathlib import Path

from opencompany_memory.conformance.registry import behaviours

_ONE_FIXTURE = """
import pytest
from tests.support.memory_engine import MemoryEngine

@pytest.fixture
async def memory_provider():
    async with MemoryEngine({defect!r}) as provider:
        yield provider
"""
_ROOT = Path(__file__).parents[2]


def _pytest(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    environment = {name: value for name, value in os.environ.items() if not name.startswith("PYTEST_")}
    return subprocess.run(
        [
            sys.executable,
            "-m",
            "pytest",
            "-p",
            "no:cacheprovider",
            "-p",
            "no:xdist",
            "--rootdir",
            str(folder),
            *arguments,
        ],
        cwd=folder,
        env={**environment, "PYTHONPATH": str(_ROOT)},
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )


def test_one_fixture_brings_every_behaviour(tmp_path: Path) -> None:
    (tmp_path / "test_mine.py").write_text(_ONE_FIXTURE.format(defect=""))
    done = _pytest(tmp_path, "-v")
    for one in behaviours():
        assert f"test_mine.py::TestMemoryConformance::test_{one.name}" in done.stdout
    assert done.returncode == 0, done.stdout
    assert " failed" not in done.stdout


def test_a_broken_driver_fails_under_the_behaviours_name(tmp_path: Path) -> None:
    (tmp_path / "test_mine.py").write_text(_ONE_FIXTURE.format(defect="upsert duplicates"))
    done = _pytest(tmp_path, "-k", "upsert")
    assert done.returncode == 1
    assert (
        "FAILED test_mine.py::TestMemoryConformance::test_an_upsert_leaves_one_entry_with_the_new_fields" in done.stdout
    )


def test_a_declared_limitation_is_shown_with_its_reason(tmp_path: Path) -> None:
    limitation = '\n@pytest.fixture\ndef memory_limitations():\n    return {"retention": "a black hole"}\n'
    (tmp_path / "test_mine.py").write_text(_ONE_FIXTURE.format(defect="keeps nothing") + limitation)
    done = _pytest(tmp_path, "-rs")
    assert done.returncode == 0, done.stdout
    assert "retention: a black hole" in done.stdout


def test_the_plugin_costs_a_run_without_the_fixture_nothing(tmp_path: Path) -> None:
    (tmp_path / "test_other.py").write_text(
        "import sys\n\ndef test_nothing_was_loaded():\n"
        "    assert 'opencompany_memory.contract' not in sys.modules\n    assert 'attrs' not in sys.modules\n"
    )
    done = _pytest(tmp_path, "-p", "no:hypothesispytest")
    assert done.returncode == 0, done.stdout
