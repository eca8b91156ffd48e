"""Advertises with members of an enumeration of strings, which is fair."""

from enum import StrEnum

from toy_engine import ToyProvider, spec

from opencompany_memory.contract import hookimpl


class Provider(ToyProvider):
    def capabilities(self):
        return [Family.CORE, Family.RECALL, Family.PORTABILITY]


class Family(StrEnum):
    CORE = "core"
    RECALL = "recall"
    PORTABILITY = "portability"


@hookimpl
def memory_driver():
    return spec("capabilities-enum", Provider)
