"""Accepts everything and keeps nothing."""

from toy_engine import ToyProvider, spec

from opencompany_memory.contract import hookimpl


class Provider(ToyProvider):
    async def get(self, namespace, key):
        return None


@hookimpl
def memory_driver():
    return spec("keeps-nothing", Provider)
