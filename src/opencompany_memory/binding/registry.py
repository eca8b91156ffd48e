"""The reserved driver table: which class an id has, and which distribution may carry it. Data only."""

import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Final

from attrs import frozen

_IN_WHEEL: Final = Path(__file__).parent.parent / "_registry"
_IN_CHECKOUT: Final = Path(__file__).parents[3] / "registry"


@frozen
class ReservedDriver:
    """A reserved id. `driver_class` is embedded, external or null."""

    id: str
    driver_class: str
    distribution: str
    title: str
    summary: str
    knobs: tuple[str, ...]


def reserved_drivers(folder: Path | None = None) -> Mapping[str, ReservedDriver]:
    """The table, from one TOML file for each id; by id.

    Raises:
        RuntimeError: the installation is broken, there is no table.
    """
    if folder is None:
        folder = _IN_WHEEL if _IN_WHEEL.is_dir() else _IN_CHECKOUT
    table = {path.stem: _read(path) for path in sorted(folder.glob("*.toml"))}
    if not table:
        raise RuntimeError("the reserved driver table is missing; install opencompany-memory again")
    return table


def _read(path: Path) -> ReservedDriver:
    raw = tomllib.loads(path.read_text(encoding="utf-8"))
    return ReservedDriver(
        id=path.stem,
        driver_class=raw["class"],
        distribution=raw["distribution"],
        title=raw["title"],
        summary=raw["summary"],
        knobs=tuple(raw["knobs"]),
    )
