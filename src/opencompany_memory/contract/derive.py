"""What a provider really offers, derived by looking at it.

Nothing that a driver says of itself takes part: not `__class__`, not `__getattr__`, not `capabilities()`, not an ABC
registration. A family is provided when the type of the object inherits the family's abstract class and overrides each
of its methods with a function that can be called as the contract calls it.
"""

import inspect
from collections.abc import Callable, Mapping, Sequence
from types import BuiltinFunctionType, FunctionType, MethodType
from typing import Final, TypeGuard, cast

from attrs import Factory, frozen

from opencompany_memory.contract.families import FAMILIES, MANDATORY
from opencompany_memory.contract.provider import MemoryProvider

_VARIADIC: Final = (inspect.Parameter.VAR_POSITIONAL, inspect.Parameter.VAR_KEYWORD)


@frozen
class Derivation:
    """What was found. `families` maps each provided family to the object that implements it, in the stable order;
    `faults` maps a family that is there but can't be counted to the reason, free of anything that the driver said."""

    families: Mapping[str, object]
    faults: Mapping[str, str] = Factory(dict)


def is_provider(candidate: object) -> TypeGuard[MemoryProvider]:
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
            except (Exception, SystemExit) as error:  # noqa: BLE001 - a driver's accessor may raise anything; it is then no family
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
    found, is_own = _static_lookup(candidate, kind, name)
    if found is promised or getattr(found, "__isabstractmethod__", False) is True:
        return f"{name} is not implemented"
    if not _is_method(found):
        return f"{name} is not a method"
    try:
        accepted = list(inspect.signature(cast(Callable[..., object], found)).parameters.values())
    except (ValueError, TypeError):
        return f"{name} has no readable signature"
    if not is_own and accepted and accepted[0].kind is not inspect.Parameter.VAR_POSITIONAL:
        accepted = accepted[1:]  # self
    fault = _call_fault(list(inspect.signature(promised).parameters.values())[1:], accepted)
    return f"{name} {fault}" if fault else None


def _static_lookup(candidate: object, kind: type, name: str) -> tuple[object, bool]:
    """The attribute past `__getattr__` and `__getattribute__`, and whether the object itself has it."""
    try:
        own = object.__getattribute__(candidate, "__dict__")
    except Exception:  # noqa: BLE001 - no `__dict__`, or one that a driver made up
        own = None
    if type(own) is dict and name in own:
        return own[name], True
    for ancestor in type.mro(kind):
        if name in vars(ancestor):
            return vars(ancestor)[name], False
    return None, False


def _is_method(found: object) -> bool:
    """What `inspect.isroutine` says, by the type alone: `isinstance` would believe a forged `__class__`."""
    kind = type(found)
    if issubclass(kind, staticmethod | classmethod):
        return False
    if issubclass(kind, FunctionType | MethodType | BuiltinFunctionType):
        return True
    return hasattr(kind, "__get__") and not hasattr(kind, "__set__")


def _call_fault(promised: Sequence[inspect.Parameter], accepted: Sequence[inspect.Parameter]) -> str | None:
    """Why a method that takes `accepted` can't be called in every way that `promised` allows."""
    any_position = any(p.kind is inspect.Parameter.VAR_POSITIONAL for p in accepted)
    any_keyword = any(p.kind is inspect.Parameter.VAR_KEYWORD for p in accepted)
    named = {p.name: p for p in accepted if p.kind not in _VARIADIC}
    places = [p.name for p in named.values() if p.kind is not inspect.Parameter.KEYWORD_ONLY]
    missing = []
    for place, parameter in enumerate(promised):
        own = named.get(parameter.name)
        if parameter.kind is inspect.Parameter.KEYWORD_ONLY:
            taken = any_keyword if own is None else own.kind is not inspect.Parameter.POSITIONAL_ONLY
        else:
            taken = places[place : place + 1] == [parameter.name] or (own is None and any_position)
        if not taken:
            missing.append(parameter.name)
        elif own is not None and own.default is own.empty and parameter.default is not own.empty:
            return f"can't be called without {parameter.name}"
    if missing:
        return f"does not take {', '.join(missing)}"
    known = {p.name for p in promised}
    if any(p.name not in known and p.default is p.empty for p in named.values()):
        return "demands an argument that the contract does not have"
    return None
