"""Has no recall: the abstract method is there and nothing behind it."""

from toy_engine import ToyProvider, spec

from opencompany_memory.contract import hookimpl


class Provider(ToyProvider):
    recall = None


@hookimpl
def memory_driver():
    return spec("no-recall", Provider)
