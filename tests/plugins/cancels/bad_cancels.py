"""Cancels whoever asks."""

import asyncio

from toy_engine import ToyProvider, spec

from opencompany_memory.contract import hookimpl


class Provider(ToyProvider):
    async def get(self, namespace, key):
        raise asyncio.CancelledError


@hookimpl
def memory_driver():
    return spec("cancels", Provider)
