"""Opens an object that lies about its class."""

from toy_engine import ToyProvider, spec

from opencompany_memory.contract import hookimpl


class Liar:
    @property
    def __class__(self):
        return ToyProvider

    def __getattr__(self, name):
        return lambda *args, **kwargs: ("core", "recall", "portability")


@hookimpl
def memory_driver():
    return spec("opens-liar", lambda config: Liar())
