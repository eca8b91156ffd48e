"""Raises when opened, with the key and the URL in the text and in local variables."""

from toy_engine import ToyProvider, spec

from opencompany_memory.contract import hookimpl


class Provider(ToyProvider):
    def __init__(self, config):
        secret = config.key
        address = config.url
        raise RuntimeError(f"could not log in to {address} with {secret}")


@hookimpl
def memory_driver():
    return spec("factory-raises", Provider)
