"""Prints and warns when imported and in each call."""

import warnings

from toy_engine import ToyProvider, spec

from opencompany_memory.contract import hookimpl

print("hello from the import")
warnings.warn("careful", stacklevel=1)


class Provider(ToyProvider):
    async def get(self, namespace, key):
        print("getting", key)
        return await super().get(namespace, key)

    async def recall(self, namespace, query, **filters):
        print("recalling", query)
        return await super().recall(namespace, query, **filters)

    def capabilities(self):
        print("capable of a lot")
        return super().capabilities()


@hookimpl
def memory_driver():
    print("describing")
    return spec("chatty", Provider)
