"""The memory driver that keeps nothing, on purpose."""

from opencompany_memory.contract import DriverSpec, hookimpl
from opencompany_memory_null.provider import NullProvider

_KEEPS_NOTHING = "the null driver keeps nothing, on purpose"


@hookimpl
def memory_driver() -> DriverSpec:
    """Describe the null driver."""
    return DriverSpec(
        id="null",
        contract_version=(1, 0),
        open=lambda config: NullProvider(),
        limitations={"retention": _KEEPS_NOTHING},
    )
