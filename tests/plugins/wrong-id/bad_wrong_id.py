"""Describes another driver than it is registered as."""

from toy_engine import ToyProvider, spec

from opencompany_memory.contract import hookimpl


@hookimpl
def memory_driver():
    return spec("another", ToyProvider)
