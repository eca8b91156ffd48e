"""Opens with a coroutine, which the contract does not allow."""

from toy_engine import ToyProvider, spec

from opencompany_memory.contract import hookimpl


async def _open(config):
    return ToyProvider(config)


@hookimpl
def memory_driver():
    return spec("opens-coroutine", _open)
