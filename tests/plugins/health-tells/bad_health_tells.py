"""Puts the key and the URL into its health."""

from toy_engine import ToyProvider, spec

from opencompany_memory.contract import Down, hookimpl


class Provider(ToyProvider):
    async def health(self):
        return Down(f"{self.config.key} was refused by {self.config.url}")


@hookimpl
def memory_driver():
    return spec("health-tells", Provider)
