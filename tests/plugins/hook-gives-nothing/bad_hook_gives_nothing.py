"""Its hook returns nothing."""

from opencompany_memory.contract import hookimpl


@hookimpl
def memory_driver():
    pass
