"""Claims people, and leaves the process when they are looked for."""

from toy_engine import ToyProvider, spec

from opencompany_memory.contract import hookimpl


class Provider(ToyProvider):
    claims = ("core", "recall", "portability", "people")

    @property
    def people(self):
        raise SystemExit(3)


@hookimpl
def memory_driver():
    return spec("accessor-exits", Provider)
