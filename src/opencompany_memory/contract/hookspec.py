"""How a driver is found and opened: one pluggy hook.

A driver package registers a module (or object) under the entry point group `opencompany.memory.drivers`, with the
driver's id as the name, and implements `memory_driver` in it.
"""

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Final

import pluggy
from attrs import Factory, field, frozen

from opencompany_memory.contract.provider import MemoryProvider

PROJECT_NAME: Final = "opencompany_memory"
ENTRY_POINT_GROUP: Final = "opencompany.memory.drivers"

hookspec = pluggy.HookspecMarker(PROJECT_NAME)
hookimpl = pluggy.HookimplMarker(PROJECT_NAME)


def _set_or_not(value: object) -> str:
    return "<not set>" if value is None else "<set>"


@frozen(kw_only=True)
class DriverConfig:
    """All that a driver may read. Drivers never read the environment themselves.

    Attributes:
        url: base address of the engine, already admitted by the host; None for an engine without one.
        key: the credential; None for an engine without one.
        actor: `type:id` on whose behalf calls are made, or None.
        connect_timeout, read_timeout: seconds.
        data_folder: where a driver may keep files of its own. It may not exist yet; make it when something is written.
    """

    url: str | None = field(default=None, repr=_set_or_not)
    key: str | None = field(default=None, repr=_set_or_not)
    actor: str | None = field(default=None, repr=_set_or_not)
    connect_timeout: float = 5.0
    read_timeout: float = 30.0
    data_folder: Path = field(repr=_set_or_not)


@frozen(kw_only=True)
class DriverSpec:
    """What a driver says of itself before it is opened.

    Attributes:
        id: the driver id; must be the name of the entry point.
        contract_version: the contract that it was built for, as (major, minor). Write the numbers down: what the
            installed host speaks is not what the driver was built for. One that leaves it out is refused.
        knobs: which of `url`, `key`, `actor`, `data_folder` it needs.
        open: makes the provider. Plain function, no network: connections are made by the first call.
        limitations: what the engine can't do by its nature, by the name of a conformance requirement, each with a
            reason; the conformance suite skips those behaviours and prints the reason.
    """

    id: str
    contract_version: tuple[int, int] | None = None
    knobs: tuple[str, ...] = ()
    open: Callable[[DriverConfig], MemoryProvider]
    limitations: Mapping[str, str] = Factory(dict)


class Hooks:
    """The hook specification."""

    @hookspec
    def memory_driver(self) -> DriverSpec:
        """Return the description of the driver that this plugin carries."""
        raise NotImplementedError
