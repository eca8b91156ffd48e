"""Registers an id with capitals, which settings don't have."""

from toy_engine import ToyProvider, spec

from opencompany_memory.contract import hookimpl


class Provider(ToyProvider):
    pass


@hookimpl
def memory_driver():
    return spec("Mixed-Case", Provider)
