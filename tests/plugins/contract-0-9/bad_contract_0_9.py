"""Was built for the major contract before."""

from toy_engine import ToyProvider, spec

from opencompany_memory.contract import hookimpl


class Provider(ToyProvider):
    pass


@hookimpl
def memory_driver():
    return spec("contract-0-9", Provider, contract_version=(0, 9))
