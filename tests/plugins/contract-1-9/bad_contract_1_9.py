"""Was built for a later minor contract."""

from toy_engine import ToyProvider, spec

from opencompany_memory.contract import hookimpl


class Provider(ToyProvider):
    pass


@hookimpl
def memory_driver():
    return spec("contract-1-9", Provider, contract_version=(1, 9))
