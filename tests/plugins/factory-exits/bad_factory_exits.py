"""Leaves the process when opened."""

from toy_engine import ToyProvider, spec

from opencompany_memory.contract import hookimpl


class Provider(ToyProvider):
    def __init__(self, config):
        raise SystemExit(3)


@hookimpl
def memory_driver():
    return spec("factory-exits", Provider)
