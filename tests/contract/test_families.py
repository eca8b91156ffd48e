"""The shape of the 18 families, by introspection."""

import inspect
from collections.abc import Callable
from typing import Any

import pytest

from opencompany_memory.contract import FAMILIES, INSTANCE_WIDE, MANDATORY, MemoryProvider

ORDER = (
    "core recall ingest documents tree entities graph diff goals tool_memory sources maintenance portability people "
    "chunks retrieval profile episodic"
).split()
METHODS = [
    pytest.param(name, method, id=f"{name}.{method}")
    for name, family in FAMILIES.items()
    for method in sorted(family.__abstractmethods__)
]


def method_of(family: str, name: str) -> Callable[..., Any]:
    method: Callable[..., Any] = vars(FAMILIES[family])[name]
    return method


def test_there_are_18_families_in_the_promised_order() -> None:
    assert list(FAMILIES) == ORDER


def test_nobody_can_add_a_family_at_run_time() -> None:
    with pytest.raises(TypeError):
        FAMILIES["telepathy"] = FAMILIES["core"]  # type: ignore[index]


@pytest.mark.parametrize("family", [f for f in FAMILIES if f not in MANDATORY])
def test_an_optional_family_is_narrow(family: str) -> None:
    assert 2 <= len(FAMILIES[family].__abstractmethods__) <= 4


@pytest.mark.parametrize("family", FAMILIES)
def test_a_family_has_no_public_method_that_is_not_abstract(family: str) -> None:
    public = {name for name in vars(FAMILIES[family]) if not name.startswith("_")}
    assert public == set(FAMILIES[family].__abstractmethods__)


@pytest.mark.parametrize(("family", "name"), METHODS)
def test_every_method_takes_the_namespace_first_and_required(family: str, name: str) -> None:
    parameters = list(inspect.signature(method_of(family, name)).parameters.values())[1:]
    if family in INSTANCE_WIDE:
        assert "namespace" not in [p.name for p in parameters]
        return
    first = parameters[0]
    assert (first.name, first.annotation) == ("namespace", str)
    assert first.default is inspect.Parameter.empty
    assert first.kind is inspect.Parameter.POSITIONAL_OR_KEYWORD


@pytest.mark.parametrize(("family", "name"), METHODS)
def test_every_method_is_asynchronous_and_explained(family: str, name: str) -> None:
    method = method_of(family, name)
    assert inspect.iscoroutinefunction(method)
    assert inspect.getdoc(method)


@pytest.mark.parametrize(("family", "name"), METHODS)
def test_a_taint_is_always_asked_for_and_never_assumed(family: str, name: str) -> None:
    taint = inspect.signature(method_of(family, name)).parameters.get("taint")
    if taint is not None:
        assert taint.default is inspect.Parameter.empty
        assert taint.kind is inspect.Parameter.KEYWORD_ONLY


@pytest.mark.parametrize("family", FAMILIES)
def test_every_family_is_explained(family: str) -> None:
    assert inspect.getdoc(FAMILIES[family])


@pytest.mark.parametrize("family", MANDATORY)
def test_a_mandatory_family_is_a_base_of_every_provider(family: str) -> None:
    assert issubclass(MemoryProvider, FAMILIES[family])


@pytest.mark.parametrize("family", [f for f in FAMILIES if f not in MANDATORY])
def test_an_optional_family_is_absent_until_a_driver_says_otherwise(family: str) -> None:
    assert vars(MemoryProvider)[family] is None


def test_a_provider_without_a_mandatory_method_cannot_be_made() -> None:
    class Partial(MemoryProvider):
        """Nothing of what is needed."""

    with pytest.raises(TypeError, match="abstract"):
        Partial()  # type: ignore[abstract]
