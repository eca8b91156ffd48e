"""The documentation is true: generated parts are current, links lead somewhere, the tutorial runs."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from docs.generate import ROOT, generated

PAGES = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").rglob("*.md"))]


def test_generated_parts_are_up_to_date() -> None:
    stale = [str(path.relative_to(ROOT)) for path, text in generated() if path.read_text(encoding="utf-8") != text]
    assert stale == [], "run `make docs`"


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_links_lead_somewhere(page: Path) -> None:
    for target in re.findall(r"\]\((?!https?:)([^)#]+)", page.read_text(encoding="utf-8")):
        assert (page.parent / target).exists(), target


def _blocks(page: Path, kind: str) -> list[str]:
    return re.findall(rf"```{kind}\n(.*?)```", page.read_text(encoding="utf-8"), re.DOTALL)


def _environ(tmp_path: Path) -> dict[str, str]:
    (tmp_path / "bin").mkdir(exist_ok=True)
    command = tmp_path / "bin" / "opencompany"
    command.write_text(
        f'#!/bin/sh\nexec {sys.executable} -c "from opencompany_memory.cli.main import main; main()" "$@"\n'
    )
    command.chmod(0o755)
    path = f"{command.parent}:{os.environ['PATH']}"
    return {"PATH": path, "HOME": str(tmp_path), "LC_ALL": "C.UTF-8"}


def _sh(script: str, environ: dict[str, str]) -> subprocess.CompletedProcess[str]:
    return subprocess.run(["sh", "-ec", script], env=environ, capture_output=True, text=True, timeout=120, check=False)


def test_the_tutorial_runs_command_by_command(tmp_path: Path) -> None:
    page, environ = ROOT / "docs" / "tutorial.md", _environ(tmp_path)
    *shell, clean_up = _blocks(page, "sh tested")
    printed = ""
    for block in shell:
        done = _sh(block, environ)
        assert done.returncode == 0, (block, done.stderr)
        printed += done.stdout
    assert "The deploy key rotates on Mondays." in printed
    assert "At the old harbour." in printed
    for block in _blocks(page, "sh refused"):
        done = _sh(block, environ)
        assert (done.returncode, "refused (settings/remote-incomplete)" in done.stderr) == (78, True)
    for block in _blocks(page, "python tested"):
        done = subprocess.run([sys.executable, "-c", block], env=environ, capture_output=True, text=True, check=False)
        assert "The deploy key rotates on Mondays." in done.stdout, done.stderr
    assert "removed 3 entries" in _sh(clean_up, environ).stdout


def test_the_readmes_python_runs(tmp_path: Path) -> None:
    for block in _blocks(ROOT / "README.md", "python"):
        done = subprocess.run(
            [sys.executable, "-c", block], env=_environ(tmp_path), capture_output=True, text=True, check=False
        )
        assert "The deploy key rotates on Mondays." in done.stdout, done.stderr
