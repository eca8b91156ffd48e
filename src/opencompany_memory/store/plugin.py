"""The public door of the store: the same hook as any driver's."""

from typing import Final

from opencompany_memory.contract.hookspec import DriverConfig, DriverSpec, hookimpl
from opencompany_memory.contract.provider import MemoryProvider

DRIVER_ID: Final = "store"


def _open(config: DriverConfig) -> MemoryProvider:
    from opencompany_memory.store.provider import SqliteProvider

    return SqliteProvider(config.data_folder)


@hookimpl
def memory_driver() -> DriverSpec:
    """Describe the built-in store."""
    return DriverSpec(id=DRIVER_ID, contract_version=(1, 0), knobs=("data_folder",), open=_open)
