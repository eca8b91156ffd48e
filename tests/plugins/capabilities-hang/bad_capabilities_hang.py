"""Never ends saying what it can do."""

import threading

from toy_engine import ToyProvider, spec

from opencompany_memory.contract import hookimpl


class Provider(ToyProvider):
    def capabilities(self):
        threading.Event().wait()


@hookimpl
def memory_driver():
    return spec("capabilities-hang", Provider)
