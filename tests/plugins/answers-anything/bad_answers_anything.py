"""Claims every family; any attribute exists, none is real."""

from toy_engine import ToyProvider, spec

from opencompany_memory.contract import hookimpl


class Provider(ToyProvider):
    claims = ("core", "recall", "portability", "tree", "people")

    def __getattribute__(self, name):
        if name in ("tree", "people"):
            return Anything()
        return super().__getattribute__(name)


class Anything:
    def __getattr__(self, name):
        return lambda *args, **kwargs: None


@hookimpl
def memory_driver():
    return spec("answers-anything", Provider)
