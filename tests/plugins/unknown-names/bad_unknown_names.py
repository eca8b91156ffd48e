"""Advertises families that there are not."""

from toy_engine import ToyProvider, spec

from opencompany_memory.contract import hookimpl


class Provider(ToyProvider):
    claims = ("core", "recall", "portability", "telepathy", "GRAPH")


@hookimpl
def memory_driver():
    return spec("unknown-names", Provider)
