"""What there is to pick from: every reserved and every installed driver, none of them imported."""

from collections.abc import Callable, Mapping
from typing import Final

from attrs import frozen

from opencompany_memory.binding.installed import InstalledDriver, installed_drivers
from opencompany_memory.binding.registry import ReservedDriver

READY: Final = "ready to pick"
NOT_INSTALLED: Final = "not installed"
UNTRUSTED: Final = "untrusted"
BROKEN: Final = "broken"
SHADOWS: Final = "shadows a reserved id"

LastFailure = Callable[[str, str, str], str | None]


@frozen
class DriverRow:
    """One registration, or a reserved id without one. `reason` says what to do, or what is wrong."""

    id: str
    driver_class: str
    distribution: str
    version: str | None
    state: str
    reason: str


def survey(table: Mapping[str, ReservedDriver], trust: frozenset[str], last_failure: LastFailure) -> list[DriverRow]:
    """All rows by id. `last_failure(id, distribution, version)` says why it failed to load when last tried."""
    installed = installed_drivers()
    rows = [_row(driver, table, trust, installed, last_failure) for driver in installed]
    genuine = {(row.id, row.distribution) for row in rows}
    for reserved in table.values():
        if (reserved.id, reserved.distribution) not in genuine:
            remedy = f"pip install {reserved.distribution}"
            rows.append(
                DriverRow(reserved.id, reserved.driver_class, reserved.distribution, None, NOT_INSTALLED, remedy)
            )
    return sorted(rows, key=lambda row: (row.id, row.distribution))


def _row(
    driver: InstalledDriver,
    table: Mapping[str, ReservedDriver],
    trust: frozenset[str],
    installed: tuple[InstalledDriver, ...],
    last_failure: LastFailure,
) -> DriverRow:
    reserved = table.get(driver.id)
    state, reason = _state(driver, reserved, trust, installed, last_failure)
    driver_class = reserved.driver_class if reserved else "external"
    return DriverRow(driver.id, driver_class, driver.distribution, driver.version, state, reason)


def _state(
    driver: InstalledDriver,
    reserved: ReservedDriver | None,
    trust: frozenset[str],
    installed: tuple[InstalledDriver, ...],
    last_failure: LastFailure,
) -> tuple[str, str]:
    if reserved is not None and driver.distribution != reserved.distribution:
        return SHADOWS, f"{driver.id} is reserved for {reserved.distribution}; uninstall {driver.distribution}"
    if driver.fault is not None:
        return BROKEN, driver.fault
    others = [d.distribution for d in installed if d.id == driver.id and d.distribution != driver.distribution]
    if others:
        return BROKEN, f"{' and '.join(others)} registers this id too; uninstall one"
    if reserved is None and driver.id not in trust:
        return UNTRUSTED, f"list {driver.id} in OPENCOMPANY_MEMORY_TRUST if you trust it"
    failure = last_failure(driver.id, driver.distribution, driver.version)
    return (BROKEN, failure) if failure else (READY, "")
