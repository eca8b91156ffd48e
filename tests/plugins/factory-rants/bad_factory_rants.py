"""Raises with a text of megabytes."""

from toy_engine import ToyProvider, spec

from opencompany_memory.contract import hookimpl


class Provider(ToyProvider):
    def __init__(self, config):
        raise RuntimeError("no! " * 1_000_000)


@hookimpl
def memory_driver():
    return spec("factory-rants", Provider)
