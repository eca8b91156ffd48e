"""Opens a mock that says it is a provider."""

from unittest.mock import Mock

from toy_engine import ToyProvider, spec

from opencompany_memory.contract import hookimpl


@hookimpl
def memory_driver():
    return spec("opens-mock", lambda config: Mock(spec=ToyProvider))
