"""Its hook raises."""

from opencompany_memory.contract import hookimpl


@hookimpl
def memory_driver():
    raise RuntimeError("not today")
