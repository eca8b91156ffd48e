"""Opens something that is no provider."""

from toy_engine import spec

from opencompany_memory.contract import hookimpl


@hookimpl
def memory_driver():
    return spec("opens-nothing", lambda config: object())
