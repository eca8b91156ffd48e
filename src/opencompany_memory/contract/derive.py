"""What a provider really offers, derived by looking at it.

Nothing that a driver says of itself takes part: not `__class__`, not `__getattr__`, not `capabilities()`, not an ABC
registration. A family is provided when the type of the object inherits the family's abstract class and overrides each
of its methods with a function that can be called as the contract calls it.
"""

import inspect
from collections.abc import Mapping
from types import FunctionType
from typing import Final

from attrs import Factory, frozen

from opencompany_memory.contract.families import FAMILIES, MANDATORY
from opencompany_memory.contract.provider import MemoryProvider

_ABSENT: Final = object()


@frozen
class Derivation:
    """What was found. `families` maps each provided family to the object that implements it, in the stable order;
    `faults` maps a family that is there but can't be counted to the reason, free of anything that the driver said."""

    families: Mapping[str, object]
    faults: Mapping[str, str] = Factory(dict)


def is_provider(candidate: object) -> bool:
    """Whether the type of `candidate` inherits `MemoryProvider`. `isinstance` would believe a forged `__class__`."""
    return MemoryProvider in type.mro(type(candidate))


def derive(provider: object) -> Derivation:
    """The families of `provider`, and why others don't count."""
    families: dict[str, object] = {}
    faults: dict[str, str] = {}
    for family, contract in FAMILIES.items():
        if family in MANDATORY:
            candidate: object = provider
        else:
            try:
                candidate = getattr(provider, family, None)
            except Exception as error:  # noqa: BLE001 - a driver's accessor may raise anything; it is then no family
                faults[family] = f"its accessor raised {type(error).__name__}"
                continue
        if candidate is None:
            continue
        fault = _fault(candidate, contract)
        if fault is None:
            families[family] = candidate
        else:
            faults[family] = fault
    return Derivation(families, faults)


def provides(provider: object, family: str) -> bool:
    """Whether `provider` offers `family`.

    Raises:
        KeyError: there is no family of that name.
    """
    FAMILIES[family]
    return family in derive(provider).families


def _fault(candidate: object, contract: type) -> str | None:
    kind = type(candidate)
    if contract not in type.mro(kind):
        return f"a {kind.__name__} does not inherit {contract.__name__}"
    for name in sorted(getattr(contract, "__abstractmethods__", ())):
        fault = _method_fault(candidate, kind, contract, name)
        if fault is not None:
            return fault
    return None


def _method_fault(candidate: object, kind: type, contract: type, name: str) -> str | None:
    promised = vars(contract)[name]
    found = _static_lookup(candidate, kind, name)
    if found is promised or getattr(found, "__isabstractmethod__", False) is True:
        return f"{name} is not implemented"
    if not inspect.isroutine(found) or isinstance(found, staticmethod | classmethod):
        return f"{name} is not a method"
    try:
        accepted = inspect.signature(found)
    except (ValueError, TypeError):
        return f"{name} has no readable signature"
    missing = _missing_parameters(inspect.signature(promised), accepted)
    return f"{name} does not take {', '.join(missing)}" if missing else None


def _static_lookup(candidate: object, kind: type, name: str) -> object:
    """The attribute as the type has it, past `__getattr__` and `__getattribute__`."""
    own = getattr(candidate, "__dict__", None)
    if isinstance(own, dict) and name in own:
        return own[name] if isinstance(own[name], FunctionType) else _ABSENT
    for ancestor in type.mro(kind):
        if name in vars(ancestor):
            return vars(ancestor)[name]
    return _ABSENT


def _missing_parameters(promised: inspect.Signature, accepted: inspect.Signature) -> list[str]:
    kinds = {p.kind for p in accepted.parameters.values()}
    takes_any_keyword = inspect.Parameter.VAR_KEYWORD in kinds
    takes_any_position = inspect.Parameter.VAR_POSITIONAL in kinds
    missing = []
    for name, parameter in promised.parameters.items():
        if name in accepted.parameters or takes_any_keyword:
            continue
        if takes_any_position and parameter.kind is inspect.Parameter.POSITIONAL_OR_KEYWORD:
            continue
        missing.append(name)
    return missing
