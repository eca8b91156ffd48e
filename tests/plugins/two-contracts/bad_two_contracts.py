"""Its description was built for another contract than its provider."""

from toy_engine import ToyProvider, spec

from opencompany_memory.contract import hookimpl


class Provider(ToyProvider):
    @property
    def contract_version(self):
        return (2, 0)


@hookimpl
def memory_driver():
    return spec("two-contracts", Provider)
