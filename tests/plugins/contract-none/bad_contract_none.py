"""Does not say which contract it was built for."""

from toy_engine import ToyProvider, spec

from opencompany_memory.contract import hookimpl


class Provider(ToyProvider):
    pass


@hookimpl
def memory_driver():
    return spec("contract-none", Provider, contract_version=None)
