"""Raises an error that raises when it is read."""

from toy_engine import ToyProvider, spec

from opencompany_memory.contract import Backend, hookimpl


class Provider(ToyProvider):
    def __init__(self, config):
        raise Unreadable("no")


class Unreadable(Backend):
    def __str__(self):
        raise RuntimeError("not this way")


@hookimpl
def memory_driver():
    return spec("factory-raises-badly", Provider)
