"""Answers reads with what no driver may answer."""

from toy_engine import ToyProvider, spec

from opencompany_memory.contract import hookimpl


class Provider(ToyProvider):
    async def get(self, namespace, key):
        return {"content": "text"}

    async def recall(self, namespace, query, **filters):
        return None

    async def health(self):
        return True


@hookimpl
def memory_driver():
    return spec("nonsense-answers", Provider)
