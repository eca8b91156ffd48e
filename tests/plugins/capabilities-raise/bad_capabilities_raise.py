"""Can't say what it can do."""

from toy_engine import ToyProvider, spec

from opencompany_memory.contract import hookimpl


class Provider(ToyProvider):
    def capabilities(self):
        raise RuntimeError(f"no idea, but the key is {self.config.key}")


@hookimpl
def memory_driver():
    return spec("capabilities-raise", Provider)
