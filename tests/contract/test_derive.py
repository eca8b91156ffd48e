"""What a provider offers is derived from the object, whatever it says of itself."""

import functools
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any
from unittest.mock import AsyncMock, MagicMock

import pytest

from opencompany_memory.contract import FAMILIES, MANDATORY, MemoryProvider
from opencompany_memory.contract.derive import derive, is_provider, provides
from opencompany_memory.contract.families import Goals, Graph
from opencompany_memory.store.provider import SqliteProvider
from tests.support.memory_engine import MemoryEngine


class RealGraph(Graph):
    """A graph with real methods."""

    async def link(self, namespace, subject, predicate, object, *, taint, metadata=None, timestamp=None): ...

    async def unlink(self, namespace, subject, predicate, object): ...

    async def edges(self, namespace, node, *, direction="both", predicate=None, limit=100): ...

    async def neighbours(self, namespace, node, *, depth=1, limit=100): ...


class Partial(RealGraph):
    """A graph that takes one method back."""

    unlink = Graph.unlink


Partial.__abstractmethods__ = frozenset()  # so that it can be made all the same


class WithoutTaint(RealGraph):
    async def link(self, namespace, subject, predicate, object, *, metadata=None, timestamp=None): ...


class NamespaceForgotten(RealGraph):
    async def edges(self, node, *, direction="both", predicate=None, limit=100): ...


class Swapped(RealGraph):
    async def unlink(self, subject, namespace, predicate, object): ...


class KeywordOnly(RealGraph):
    async def neighbours(self, *, namespace, node, depth=1, limit=100): ...


class Demanding(RealGraph):
    async def neighbours(self, namespace, node, *, tenant, depth=1, limit=100): ...


class NoDefault(RealGraph):
    async def neighbours(self, namespace, node, *, depth, limit=100): ...


class Static(RealGraph):
    @staticmethod
    async def neighbours(namespace, node, *, depth=1, limit=100): ...


class Valued(RealGraph):
    neighbours = "not callable"


class MockedMethod(RealGraph):
    neighbours = AsyncMock()


class ForgedFunction:
    """A callable that claims to be a function."""

    @property
    def __class__(self):
        return type(lambda: None)

    def __call__(self, namespace, node, *, depth=1, limit=100): ...


class ForgedMethod(RealGraph):
    neighbours = ForgedFunction()


class ForgedClass:
    """A thing that claims to be a graph."""

    @property
    def __class__(self):
        return RealGraph


class AnswersAnything:
    def __getattr__(self, name: str) -> Any:
        return lambda *args, **kwargs: None


class AnswersAnythingAtAll:
    def __getattribute__(self, name: str) -> Any:
        raise RuntimeError("never look at me")


class Registered:
    """No graph, and registered as one."""


Graph.register(Registered)


class InstanceAttribute(RealGraph):
    """A real class whose object has a thing in the method's place."""

    def __init__(self) -> None:
        self.link = MagicMock()


class Unequal(RealGraph):
    """Its parameters are all there, under `*args` and `**kwargs`."""

    async def neighbours(self, *args, **kwargs): ...


class Wider(RealGraph):
    """Takes more than the contract asks, with defaults."""

    async def neighbours(self, namespace, node, *, depth=1, limit=100, trace=False): ...


class Wrapped(RealGraph):
    """Decorated, as retrying drivers do."""

    @functools.wraps(RealGraph.neighbours)
    async def neighbours(self, *args, **kwargs): ...


class WrappedInPlace(RealGraph):
    """Decorated when it was made."""

    def __init__(self) -> None:
        original = self.neighbours

        @functools.wraps(original)
        async def wrapper(*args, **kwargs):
            return await original(*args, **kwargs)

        self.neighbours = wrapper


def type_name(thing: object) -> str:
    return type(thing).__name__


def provider_with(graph: Any) -> MemoryProvider:
    engine = MemoryEngine()
    engine.graph = graph
    return engine


@pytest.mark.parametrize("make", [RealGraph, Unequal, Wider, Wrapped, WrappedInPlace])
def test_real_methods_count(make: Callable[[], Any]) -> None:
    assert provides(provider_with(make()), "graph")


@pytest.mark.parametrize(
    "make",
    [
        MagicMock,
        partial(MagicMock, spec=Graph),
        partial(AsyncMock, spec=RealGraph),
        ForgedClass,
        AnswersAnything,
        AnswersAnythingAtAll,
        Registered,
        Partial,
        WithoutTaint,
        NamespaceForgotten,
        Swapped,
        KeywordOnly,
        Demanding,
        NoDefault,
        Static,
        Valued,
        MockedMethod,
        ForgedMethod,
        InstanceAttribute,
        lambda: RealGraph,
        lambda: "graph",
        lambda: True,
        lambda: 0,
    ],
)
def test_what_only_looks_like_a_family_does_not_count_and_the_reason_is_given(make: Callable[[], Any]) -> None:
    derivation = derive(provider_with(make()))
    assert "graph" not in derivation.families
    assert derivation.faults["graph"]


def test_a_fault_names_the_method_and_what_it_does_not_take() -> None:
    assert derive(provider_with(WithoutTaint())).faults["graph"] == "link does not take taint"
    assert derive(provider_with(Partial())).faults["graph"] == "unlink is not implemented"
    assert derive(provider_with(NoDefault())).faults["graph"] == "neighbours can't be called without depth"


@pytest.mark.parametrize("error", [RuntimeError("key sk-canary"), SystemExit("key sk-canary")], ids=type_name)
def test_an_accessor_that_raises_is_no_family_and_its_words_are_not_repeated(error: BaseException) -> None:
    class Raising(MemoryEngine):
        @property
        def graph(self) -> Any:
            raise error

    derivation = derive(Raising())
    assert derivation.faults == {"graph": f"its accessor raised {type(error).__name__}"}


def test_an_absent_family_is_no_fault() -> None:
    derivation = derive(MemoryEngine())
    assert tuple(derivation.families) == MANDATORY
    assert not derivation.faults


def test_what_a_driver_advertises_changes_nothing() -> None:
    class Boaster(MemoryEngine):
        def provides(self, family: str) -> bool:
            return True

        def capabilities(self) -> Any:
            return tuple(FAMILIES)

    assert tuple(derive(Boaster()).families) == MANDATORY


def test_a_provider_of_everything_is_found_in_the_stable_order(tmp_path: Path) -> None:
    found = tuple(derive(SqliteProvider(tmp_path / "memory")).families)
    assert found == ("core", "recall", "documents", "graph", "maintenance", "portability", "episodic")


def test_a_family_in_the_place_of_another_does_not_count() -> None:
    engine = MemoryEngine()
    engine.goals = RealGraph()  # type: ignore[assignment]
    assert derive(engine).faults == {"goals": f"a RealGraph does not inherit {Goals.__name__}"}


class ForgedProvider:
    @property
    def __class__(self):
        return MemoryProvider


@pytest.mark.parametrize(
    "make", [ForgedProvider, partial(MagicMock, spec=MemoryProvider), lambda: MemoryEngine, object]
)
def test_what_is_not_a_provider_is_told_by_its_type(make: Callable[[], Any]) -> None:
    assert not is_provider(make())


def test_a_forged_provider_provides_nothing() -> None:
    assert not derive(ForgedProvider()).families


def test_a_provider_that_hides_its_attributes_is_looked_at_all_the_same() -> None:
    class Shy(MemoryEngine):
        def __getattribute__(self, name: str) -> Any:
            raise RuntimeError("no")

    shy = object.__new__(Shy)
    assert is_provider(shy)
    assert tuple(derive(shy).families) == MANDATORY


def test_an_unknown_family_is_a_mistake_of_the_caller() -> None:
    with pytest.raises(KeyError):
        provides(MemoryEngine(), "telepathy")
