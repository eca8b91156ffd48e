"""The wheel and the sdist carry everything: installed in an empty environment, the wheel boots."""

import os
import subprocess
import sys
import sysconfig
import tarfile
import zipfile
from pathlib import Path

import pytest

_ROOT = Path(__file__).parents[2]
_BUILD = "import os, sys; os.chdir(sys.argv[1]); from hatchling import build; print(build.build_{kind}(sys.argv[2]))"


def _build(kind: str, source: Path, target: Path) -> Path:
    done = subprocess.run(
        [sys.executable, "-c", _BUILD.format(kind=kind), str(source), str(target)],
        capture_output=True,
        text=True,
        timeout=120,
        check=True,
    )
    return target / done.stdout.split()[-1]


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    """The sdist, and the wheel that is built from it: a release is both."""
    folder = tmp_path_factory.mktemp("built")
    sdist = _build("sdist", _ROOT, folder)
    with tarfile.open(sdist) as archive:
        archive.extractall(folder, filter="data")
    return sdist, _build("wheel", folder / sdist.name.removesuffix(".tar.gz"), folder)


def test_the_wheel_boots_in_an_empty_environment(built: tuple[Path, Path], tmp_path: Path) -> None:
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", str(tmp_path / "env")], check=True, timeout=60)
    (site,) = (tmp_path / "env").glob("lib/python*/site-packages")
    zipfile.ZipFile(built[1]).extractall(site)
    # Dependencies only: the folder is put on the path without its .pth files, so the checkout is not importable.
    (site / "dependencies.pth").write_text(sysconfig.get_path("purelib") + "\n")
    program = "import opencompany_memory, sys; from opencompany_memory.cli.main import main; print(opencompany_memory.__file__, file=sys.stderr); main()"
    done = subprocess.run(
        [tmp_path / "env" / "bin" / "python", "-P", "-c", program, "memory", "status", "--json"],
        env={"PATH": os.environ["PATH"], "OPENCOMPANY_DATA_DIR": str(tmp_path / "data")},
        cwd=tmp_path,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert str(site) in done.stderr
    assert done.returncode == 0, done.stderr
    assert '"driver": "store"' in done.stdout


def test_the_wheel_holds_the_reserved_table_and_the_entry_points(built: tuple[Path, Path]) -> None:
    names = zipfile.ZipFile(built[1]).namelist()
    assert {f"opencompany_memory/_registry/{name}.toml" for name in ("store", "null", "mem0", "cortexdb")} <= set(names)
    assert "opencompany_memory/py.typed" in names
    (entry_points,) = [name for name in names if name.endswith("entry_points.txt")]
    text = zipfile.ZipFile(built[1]).read(entry_points).decode()
    assert "store = opencompany_memory.store.plugin" in text


def test_the_sdist_holds_what_is_needed_to_build_and_to_test(built: tuple[Path, Path]) -> None:
    with tarfile.open(built[0]) as archive:
        names = {name.partition("/")[2] for name in archive.getnames()}
    assert {"registry/store.toml", "LICENSE", "README.md", "Makefile", "src/opencompany_memory/py.typed"} <= names
    assert "tests/conftest.py" in names
