"""Waits for its engine, and does not let itself be cancelled."""

import asyncio
import contextlib

from toy_engine import ToyProvider, spec

from opencompany_memory.contract import hookimpl


class Provider(ToyProvider):
    async def get(self, namespace, key):
        for _ in range(6):
            with contextlib.suppress(asyncio.CancelledError):
                await asyncio.sleep(0.25)


@hookimpl
def memory_driver():
    return spec("probe-clings", Provider)
