"""The null driver, tried by the suite with the limitation that it declares."""

from collections.abc import Mapping

import pytest

from opencompany_memory.contract import DriverConfig, MemoryProvider
from opencompany_memory_null import memory_driver


@pytest.fixture
def memory_provider(tmp_path) -> MemoryProvider:
    return memory_driver().open(DriverConfig(data_folder=tmp_path))


@pytest.fixture
def memory_limitations() -> Mapping[str, str]:
    return memory_driver().limitations
