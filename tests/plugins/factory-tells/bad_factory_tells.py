"""Raises an error of the contract when opened, with the key and the URL in it."""

from toy_engine import ToyProvider, spec

from opencompany_memory.contract import Unauthorized, hookimpl


class Provider(ToyProvider):
    def __init__(self, config):
        raise Unauthorized(f"{config.key} was refused by {config.url}", driver="factory-tells")


@hookimpl
def memory_driver():
    return spec("factory-tells", Provider)
