"""Never ends opening."""

import threading

from toy_engine import ToyProvider, spec

from opencompany_memory.contract import hookimpl


class Provider(ToyProvider):
    def __init__(self, config):
        threading.Event().wait()


@hookimpl
def memory_driver():
    return spec("factory-hangs", Provider)
