"""Is refused by the audit, and leaves the process when it is closed."""

from toy_engine import ToyProvider, spec

from opencompany_memory.contract import hookimpl


class Provider(ToyProvider):
    claims = ("core", "recall", "portability", "graph")

    async def aclose(self):
        raise SystemExit(3)


@hookimpl
def memory_driver():
    return spec("close-exits", Provider)
