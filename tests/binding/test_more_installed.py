"""What is installed is found out from files, and no file that somebody wrote badly takes a boot down."""

from collections.abc import Callable
from pathlib import Path

import pytest

from opencompany_memory.binding.installed import InstalledDriver, installed_drivers
from opencompany_memory.binding.registry import reserved_drivers
from opencompany_memory.binding.survey import survey

_GROUP = "[opencompany.memory.drivers]"

Install = Callable[..., Path]


@pytest.fixture
def install(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Install:
    """Writes the metadata of a distribution into a folder on the path."""
    monkeypatch.syspath_prepend(str(tmp_path))

    def write(entry_points: str | bytes, *, name: str = "acme-memory", metadata: str | None = None) -> Path:
        folder = tmp_path / f"{name.replace('-', '_')}-1.2.dist-info"
        folder.mkdir()
        raw = entry_points.encode() if isinstance(entry_points, str) else entry_points
        (folder / "entry_points.txt").write_bytes(raw)
        if metadata != "":
            text = metadata or f"Metadata-Version: 2.1\nName: {name}\nVersion: 1.2\n"
            (folder / "METADATA").write_text(text, encoding="utf-8")
        return folder

    return write


def _found(driver_id: str) -> list[InstalledDriver]:
    return [driver for driver in installed_drivers() if driver.id == driver_id]


def _fault(driver_id: str) -> str:
    (driver,) = _found(driver_id)
    assert driver.fault is not None
    return driver.fault


@pytest.mark.parametrize(
    "reference", ["acme.driver.hook.", "acme-driver", "acme driver", "1acme", ":hook", "a:b:c", ""]
)
def test_a_malformed_reference_is_shown_with_its_driver(reference: str, install: Install) -> None:
    install(f"{_GROUP}\nacme = {reference}\n")
    assert repr(reference) in _fault("acme") or "no such module" in _fault("acme")


def test_a_line_without_an_equals_sign_is_a_broken_driver_and_not_a_broken_host(install: Install) -> None:
    install(f"{_GROUP}\nacme\n")
    assert "not of the form" in _fault("acme")
    assert _found("store")


@pytest.mark.parametrize(
    "text", ["no section\n", "[console_scripts]\nx\n", "[\n", "[opencompany.memory.drivers\nx = y\n"]
)
def test_somebody_elses_malformed_entry_points_do_not_matter(text: str, install: Install) -> None:
    install(text)
    assert _found("store")


def test_entry_points_that_are_not_text_do_not_matter(install: Install) -> None:
    install(b"\xff\xfe\x00[opencompany.memory.drivers]\n")
    assert _found("store")


def test_a_driver_without_metadata_is_named_by_its_folder(install: Install) -> None:
    install(f"{_GROUP}\nacme = no_such_module_at_all\n", metadata="")
    (driver,) = _found("acme")
    assert (driver.distribution, driver.version) == ("acme-memory", "1.2")


def test_comments_blank_lines_and_other_groups_are_left_out(install: Install) -> None:
    install(
        f"[console_scripts]\nother = json:dumps\n\n{_GROUP}\n# a comment\n; and one\n\n  Acme = json:tool \n[z]\ny = x\n"
    )
    (driver,) = _found("acme")
    assert (driver.fault, driver.reference) == (None, "json:tool")
    assert not _found("other")
    assert not _found("y")


@pytest.mark.parametrize(
    "reference", ["json", "json:dumps", "json.decoder:JSONDecoder", "json : dumps", "json:dumps [extra]"]
)
def test_a_reference_that_can_be_loaded_is_no_fault(reference: str, install: Install) -> None:
    install(f"{_GROUP}\nacme = {reference}\n")
    (driver,) = _found("acme")
    assert driver.fault is None
    assert driver.load() is not None


@pytest.mark.parametrize(
    ("reference", "missing"),
    [
        ("no_such_module_at_all", "no_such_module_at_all"),
        ("json.no_such_part", "json.no_such_part"),
        ("json.no_such_part.deeper:x", "json.no_such_part"),
        ("json.decoder.deeper", "json.decoder.deeper"),
        ("json..decoder", "json."),
    ],
)
def test_a_module_that_is_not_there_is_named(reference: str, missing: str, install: Install) -> None:
    install(f"{_GROUP}\nacme = {reference}\n")
    assert f"names {missing}, and there is no such module" in _fault("acme")


def test_looking_for_a_module_does_not_run_its_package(install: Install, tmp_path: Path) -> None:
    package = tmp_path / "acme_package"
    package.mkdir()
    (package / "__init__.py").write_text("raise SystemExit('imported')")
    (package / "driver.py").write_text("raise SystemExit('imported')")
    install(f"{_GROUP}\nacme = acme_package.driver:hook\nacme2 = acme_package.other\n")
    assert _found("acme")[0].fault is None
    assert "acme_package.other" in _fault("acme2")


def test_a_distribution_that_is_on_the_path_twice_is_one(
    install: Install, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = install(f"{_GROUP}\nacme = json\n")
    again = tmp_path / "again"
    again.mkdir()
    folder.rename(again / folder.name)
    install(f"{_GROUP}\nacme = json\n", metadata="Metadata-Version: 2.1\nName: Acme.Memory\nVersion: 1.2\n")
    monkeypatch.syspath_prepend(str(again))
    assert len(_found("acme")) == 1


def test_the_survey_has_a_row_with_the_reason_for_what_is_broken(install: Install) -> None:
    install(f"{_GROUP}\nacme\nother = json\n")
    rows = {row.id: row for row in survey(reserved_drivers(), frozenset({"acme", "other"}), lambda *_: None)}
    assert (rows["acme"].state, rows["other"].state) == ("broken", "ready to pick")
    assert "not of the form" in rows["acme"].reason
