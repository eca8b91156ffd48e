"""The pytest plugin: one fixture named `memory_provider` in a test module brings the whole suite into that module.

Loaded by every pytest run in an environment where the host is installed, so it imports nothing until it is needed.
"""

from collections.abc import Mapping
from typing import Any

import pytest

_FIXTURE = "memory_provider"
_SUITE = "TestMemoryConformance"


@pytest.fixture
def memory_limitations() -> Mapping[str, str]:
    """What the engine can't do by its nature, by the name of a requirement, each with a reason. Override it."""
    return {}


@pytest.fixture
def memory_settle_seconds() -> float:
    """How long the engine may take until recall and listing show what was written. Override it."""
    return 0.0


@pytest.hookimpl(tryfirst=True)
def pytest_pycollect_makeitem(collector: pytest.Collector, name: str, obj: object) -> Any:
    """Collect the suite where a module defines the fixture."""
    if name != _FIXTURE or not isinstance(collector, pytest.Module) or not _is_fixture(obj):
        return None
    from opencompany_memory.conformance.suite import ConformanceSuite

    suite = type(_SUITE, (ConformanceSuite,), {"__module__": collector.obj.__name__})
    setattr(collector.obj, _SUITE, suite)
    return pytest.Class.from_parent(collector, name=_SUITE)


def _is_fixture(obj: object) -> bool:
    kind = type(obj).__name__  # FixtureFunctionDefinition since pytest 8.4; a marked function before
    return kind == "FixtureFunctionDefinition" or hasattr(obj, "_pytestfixturefunction")
