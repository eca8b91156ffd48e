"""What a behaviour is, and what an engine may say that it can't do."""

import importlib
import pkgutil
from collections.abc import Awaitable, Callable, Mapping
from types import MappingProxyType
from typing import TYPE_CHECKING, Final

from attrs import frozen

if TYPE_CHECKING:
    from opencompany_memory.conformance.bench import Bench

Check = Callable[["Bench"], Awaitable[None]]

REQUIREMENTS: Final[Mapping[str, str]] = MappingProxyType(
    {
        "retention": "what is written is kept",
        "matching": "a query that matches nothing finds nothing, and a word finds the texts that hold it",
        "dense-scripts": "substrings of scripts without spaces are found",
        "large-content": "an entry holds 64 KiB of text",
        "enumeration": "the engine can list its namespaces and export all of them",
    }
)
"""What an engine may lack by its nature. A driver declares it in `DriverSpec.limitations`, each with a reason."""


@frozen
class Behaviour:
    """One thing that every driver does.

    Attributes:
        name: what is expected, as a sentence with underscores; unique.
        area: the group that it is shown in.
        summary: one line more.
        check: raises AssertionError when the provider behaves otherwise.
        needs: requirements without which it can't be shown.
        family: the optional family that it is about, or None.
        closes: whether the provider is closed afterwards; such behaviours come last.
    """

    name: str
    area: str
    summary: str
    check: Check
    needs: tuple[str, ...]
    family: str | None
    closes: bool


_REGISTERED: Final[dict[str, Behaviour]] = {}


def behaviour(
    area: str,
    *,
    needs: tuple[str, ...] = ("retention",),
    family: str | None = None,
    closes: bool = False,
    name: str | None = None,
    summary: str | None = None,
) -> Callable[[Check], Check]:
    """Register an async function as a behaviour; its name and the first line of its docstring are what people see."""

    def register(check: Check) -> Check:
        named = name or str(check.__name__)
        line = summary or (check.__doc__ or "").strip().partition("\n")[0]
        unknown = set(needs) - set(REQUIREMENTS)
        if named in _REGISTERED or unknown:
            raise ValueError(f"{named} is registered already, or needs what nobody can lack: {sorted(unknown)}")
        _REGISTERED[named] = Behaviour(named, area, line, check, needs, family, closes)
        return check

    return register


def behaviours() -> tuple[Behaviour, ...]:
    """Every behaviour, in the order in which they are run."""
    package = importlib.import_module("opencompany_memory.conformance.behaviours")
    for module in pkgutil.iter_modules(package.__path__):
        importlib.import_module(f"{package.__name__}.{module.name}")
    return tuple(sorted(_REGISTERED.values(), key=lambda one: one.closes))
