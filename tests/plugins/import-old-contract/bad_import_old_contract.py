"""Was written against names that this contract does not have."""

from opencompany_memory.contract import SomethingOfAnotherAge  # noqa: F401
