"""Never answers a read."""

import asyncio

from toy_engine import ToyProvider, spec

from opencompany_memory.contract import hookimpl


class Provider(ToyProvider):
    async def get(self, namespace, key):
        await asyncio.Event().wait()

    async def recall(self, namespace, query, **filters):
        await asyncio.Event().wait()

    async def health(self):
        await asyncio.Event().wait()


@hookimpl
def memory_driver():
    return spec("slow-engine", Provider)
