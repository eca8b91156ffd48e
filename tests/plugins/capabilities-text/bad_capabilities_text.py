"""Says what it can do in prose."""

from toy_engine import ToyProvider, spec

from opencompany_memory.contract import hookimpl


class Provider(ToyProvider):
    def capabilities(self):
        return "core recall portability"


@hookimpl
def memory_driver():
    return spec("capabilities-text", Provider)
