"""Advertises the key and the URL."""

from toy_engine import ToyProvider, spec

from opencompany_memory.contract import hookimpl


class Provider(ToyProvider):
    def capabilities(self):
        return [*self.claims, self.config.key, self.config.url]


@hookimpl
def memory_driver():
    return spec("capabilities-tell", Provider)
