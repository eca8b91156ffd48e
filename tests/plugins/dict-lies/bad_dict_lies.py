"""Answers for its own dictionary with a number."""

from toy_engine import ToyProvider, spec

from opencompany_memory.contract import hookimpl


class Provider(ToyProvider):
    def __getattribute__(self, name):
        return 3 if name == "__dict__" else super().__getattribute__(name)

    def __init__(self, config):
        pass

    async def get(self, namespace, key):
        return None

    async def recall(self, namespace, query, **filters):
        return []

    async def aclose(self):
        pass


@hookimpl
def memory_driver():
    return spec("dict-lies", Provider)
