"""Leaves the process in its first call."""

from toy_engine import ToyProvider, spec

from opencompany_memory.contract import hookimpl


class Provider(ToyProvider):
    async def get(self, namespace, key):
        raise SystemExit(3)


@hookimpl
def memory_driver():
    return spec("probe-exits", Provider)
