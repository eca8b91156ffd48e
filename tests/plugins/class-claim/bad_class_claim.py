"""Says of itself that it is embedded."""

from toy_engine import ToyProvider, spec

from opencompany_memory.contract import hookimpl


class Provider(ToyProvider):
    driver_class = "embedded"


@hookimpl
def memory_driver():
    return spec("class-claim", Provider)
