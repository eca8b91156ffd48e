"""Was built for the next major contract."""

from toy_engine import ToyProvider, spec

from opencompany_memory.contract import hookimpl


class Provider(ToyProvider):
    pass


@hookimpl
def memory_driver():
    return spec("contract-2-0", Provider, contract_version=(2, 0))
