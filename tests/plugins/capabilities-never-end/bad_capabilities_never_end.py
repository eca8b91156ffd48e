"""Advertises without end."""

import itertools

from toy_engine import ToyProvider, spec

from opencompany_memory.contract import hookimpl


class Provider(ToyProvider):
    def capabilities(self):
        return map(str, itertools.count())


@hookimpl
def memory_driver():
    return spec("capabilities-never-end", Provider)
