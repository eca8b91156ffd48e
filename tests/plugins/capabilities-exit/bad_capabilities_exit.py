"""Leaves the process when asked what it can do."""

from toy_engine import ToyProvider, spec

from opencompany_memory.contract import hookimpl


class Provider(ToyProvider):
    def capabilities(self):
        raise SystemExit(3)


@hookimpl
def memory_driver():
    return spec("capabilities-exit", Provider)
