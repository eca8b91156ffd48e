"""Advertises documents with an object that implements half of them."""

from toy_engine import ToyProvider, spec

from opencompany_memory.contract import hookimpl
from opencompany_memory.contract.families import Documents


class Provider(ToyProvider):
    claims = ("core", "recall", "portability", "documents")

    def __init__(self, config):
        super().__init__(config)
        self.documents = Half()


class Half(Documents):
    async def get_document(self, namespace, document_id):
        return None


Half.__abstractmethods__ = frozenset()


@hookimpl
def memory_driver():
    return spec("half-documents", Provider)
