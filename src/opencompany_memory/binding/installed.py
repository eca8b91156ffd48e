"""Which drivers are installed, found out without importing any of them."""

import importlib.util
import re
from collections.abc import Iterator
from importlib.machinery import PathFinder
from importlib.metadata import Distribution, EntryPoint, distributions
from pathlib import PurePath
from typing import Any, Final

from attrs import frozen

from opencompany_memory.contract.hookspec import ENTRY_POINT_GROUP

_REFERENCE: Final = re.compile(r"[A-Za-z_][\w.]*(\s*:\s*[A-Za-z_][\w.]*)?(\s*\[.*\])?")


@frozen
class InstalledDriver:
    """A registration of an id by a distribution. `fault` says why it can't be loaded, as far as metadata shows."""

    id: str
    distribution: str
    version: str
    fault: str | None
    reference: str
    """`module` or `module:object`, as it is registered."""

    def load(self) -> Any:
        """Import what is registered. Runs the driver's code, which may raise anything."""
        return EntryPoint(self.id, self.reference, ENTRY_POINT_GROUP).load()


def installed_drivers() -> tuple[InstalledDriver, ...]:
    """Every registration in this environment, by id and distribution."""
    return tuple(sorted(_registrations(), key=lambda driver: (driver.id, driver.distribution)))


def normal_name(distribution: str) -> str:
    """The name by which distributions are compared (https://packaging.python.org/specifications/name-normalization)."""
    return re.sub(r"[-_.]+", "-", distribution).lower()


def _registrations() -> Iterator[InstalledDriver]:
    seen: set[str] = set()
    for distribution in distributions():
        # Names are parsed for drivers only: parsing every distribution's metadata would double the time of a boot.
        ours = list(_entry_points(distribution))
        if not ours:
            continue
        name, version = _identity(distribution)
        if name in seen:  # the first on the path wins, as for imports
            continue
        seen.add(name)
        for driver_id, reference in ours:
            yield InstalledDriver(driver_id, name, version, _fault(reference), reference)


def _entry_points(distribution: Distribution) -> Iterator[tuple[str, str]]:
    """Name and reference of each line of our group.

    Read by hand: `Distribution.entry_points` raises for the whole file where one line is malformed, in any group of any
    distribution, and a driver must neither vanish for that nor take every boot down.
    """
    try:
        text = distribution.read_text("entry_points.txt") or ""
    except (OSError, ValueError):
        return
    group = ""
    for line in map(str.strip, text.splitlines()):
        if line.startswith("[") and line.endswith("]"):
            group = line[1:-1].strip()
        elif group == ENTRY_POINT_GROUP and line and not line.startswith(("#", ";")):
            name, _, reference = line.partition("=")
            yield name.strip().lower(), reference.strip()


def _identity(distribution: Distribution) -> tuple[str, str]:
    """Normal name and version; from the folder's name where there is no metadata to say so."""
    folder = PurePath(str(getattr(distribution, "_path", ""))).stem
    try:
        name, version = distribution.metadata["Name"], distribution.metadata["Version"]
    except Exception:  # noqa: BLE001 - what is raised for missing metadata differs between versions of Python
        name, version = None, None
    in_folder = folder.partition("-")
    return normal_name(name or in_folder[0] or "unknown"), version or in_folder[2] or "unknown"


def _fault(reference: str) -> str | None:
    if not _REFERENCE.fullmatch(reference):
        return f"its entry point {reference!r} is not of the form module or module:object"
    missing = _missing_module(reference.partition(":")[0].partition("[")[0].strip())
    return f"its entry point names {missing}, and there is no such module" if missing else None


def _missing_module(module: str) -> str | None:
    """The first part of a dotted module that is not there. Looks for files only: a parent's code is not run."""
    head, *rest = module.split(".")
    try:
        spec = importlib.util.find_spec(head)
    except (ImportError, ValueError):
        return head
    name = head
    for part in rest:
        if spec is None or spec.submodule_search_locations is None:
            break
        name = f"{name}.{part}"
        spec = PathFinder.find_spec(name, list(spec.submodule_search_locations))
    return name if spec is None else None if name == module else f"{name}.{rest[name.count('.')]}"
