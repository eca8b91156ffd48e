"""Claims goals with a mock that says it is an instance of them."""

from unittest.mock import Mock

from toy_engine import ToyProvider, spec

from opencompany_memory.contract import hookimpl
from opencompany_memory.contract.families import Goals


class Provider(ToyProvider):
    claims = ("core", "recall", "portability", "goals")

    def __init__(self, config):
        super().__init__(config)
        self.goals = Mock(spec=Goals)


@hookimpl
def memory_driver():
    return spec("mock-family", Provider)
