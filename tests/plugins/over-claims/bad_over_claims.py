"""Advertises graph and episodic, and has neither."""

from toy_engine import ToyProvider, spec

from opencompany_memory.contract import hookimpl


class Provider(ToyProvider):
    claims = ("core", "recall", "portability", "graph", "episodic")


@hookimpl
def memory_driver():
    return spec("over-claims", Provider)
