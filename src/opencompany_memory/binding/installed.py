"""Which drivers are installed, found out without importing any of them."""

import importlib.util
import re
from collections.abc import Iterable, Iterator
from importlib.machinery import PathFinder
from importlib.metadata import Distribution, EntryPoint, distributions
from typing import Final

from attrs import field, frozen

from opencompany_memory.contract.hookspec import ENTRY_POINT_GROUP

_REFERENCE: Final = re.compile(r"[A-Za-z_][\w.]*(:[A-Za-z_][\w.]*)?(\s*\[.*\])?")


@frozen
class InstalledDriver:
    """A registration of an id by a distribution. `fault` says why it can't be loaded, as far as metadata shows."""

    id: str
    distribution: str
    version: str
    fault: str | None
    entry_point: EntryPoint = field(repr=False, eq=False)


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
        ours = [entry_point for entry_point in _entry_points(distribution) if entry_point.group == ENTRY_POINT_GROUP]
        name = _name(distribution) if ours else None
        if name is None or name in seen:  # the first on the path wins, as for imports
            continue
        seen.add(name)
        for entry_point in ours:
            driver_id = entry_point.name.strip().lower()
            yield InstalledDriver(driver_id, name, distribution.version, _fault(entry_point), entry_point)


def _entry_points(distribution: Distribution) -> Iterable[EntryPoint]:
    """The entry points; none where the file is not even of the right form, which is somebody else's problem."""
    try:
        return distribution.entry_points
    except ValueError:
        return ()


def _name(distribution: Distribution) -> str | None:
    name: str | None = distribution.metadata["Name"]
    return None if not name else normal_name(name)


def _fault(entry_point: EntryPoint) -> str | None:
    if not _REFERENCE.fullmatch(entry_point.value.strip()):
        return f"its entry point {entry_point.value!r} is not of the form module or module:object"
    missing = _missing_module(entry_point.value.partition(":")[0].partition("[")[0].strip())
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
