"""Leaves out which contract it was built for."""

from toy_engine import ToyProvider

from opencompany_memory.contract import DriverSpec, hookimpl


@hookimpl
def memory_driver():
    return DriverSpec(id="contract-left-out", open=ToyProvider)
