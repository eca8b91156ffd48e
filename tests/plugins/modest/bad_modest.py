"""Has episodic and does not advertise it."""

from toy_engine import ToyProvider, spec

from opencompany_memory.contract import hookimpl
from opencompany_memory.contract.families import Episodic


class Provider(ToyProvider):
    claims = ("core", "recall")

    def __init__(self, config):
        super().__init__(config)
        self.episodic = Real()


class Real(Episodic):
    async def record(self, namespace, session_id, text, *, taint, actor="", metadata=None, at=None):
        raise NotImplementedError

    async def episodes(self, namespace, *, session_id=None, since=None, until=None, limit=100):
        return []

    async def forget_session(self, namespace, session_id):
        return 0


@hookimpl
def memory_driver():
    return spec("modest", Provider)
