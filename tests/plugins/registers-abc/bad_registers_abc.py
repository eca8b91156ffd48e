"""Claims graph with an object that is only registered with the abstract class."""

from toy_engine import ToyProvider, spec

from opencompany_memory.contract import hookimpl
from opencompany_memory.contract.families import Graph


class Provider(ToyProvider):
    claims = ("core", "recall", "portability", "graph")

    def __init__(self, config):
        super().__init__(config)
        self.graph = NotReally()


class NotReally:
    pass


Graph.register(NotReally)


@hookimpl
def memory_driver():
    return spec("registers-abc", Provider)
