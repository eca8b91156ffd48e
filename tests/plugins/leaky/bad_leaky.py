"""Puts the key, the URL and the query into every error."""

from toy_engine import ToyProvider, spec

from opencompany_memory.contract import Backend, Unauthorized, hookimpl


class Provider(ToyProvider):
    async def get(self, namespace, key):
        raise ValueError(f"{self.config.key} at {self.config.url}")

    async def recall(self, namespace, query, **filters):
        raise Unauthorized(f"{self.config.key} was refused by {self.config.url}")

    async def store(self, namespace, key, content, **fields):
        raise Backend(f"{self.config.key} at {self.config.url} is out of order")

    async def health(self):
        raise RuntimeError(f"{self.config.key} at {self.config.url}")


@hookimpl
def memory_driver():
    return spec("leaky", Provider)
