"""The contract between the host and a driver: all that a driver author imports.

Families and their records are in `opencompany_memory.contract.families`, the exact JSON of the records in
`opencompany_memory.contract.codec`.
"""

from opencompany_memory.contract.errors import (
    ERRORS,
    Backend,
    Conflict,
    Forbidden,
    InvalidInput,
    MemoryEngineError,
    NotFound,
    RateLimited,
    Timeout,
    TooLarge,
    Unauthorized,
    Unreachable,
    Unsupported,
)
from opencompany_memory.contract.families import FAMILIES, INSTANCE_WIDE, MANDATORY
from opencompany_memory.contract.health import Degraded, Down, Health, Ready
from opencompany_memory.contract.hookspec import DriverConfig, DriverSpec, hookimpl
from opencompany_memory.contract.provider import MemoryProvider
from opencompany_memory.contract.records import (
    Category,
    EntryPage,
    ExportPage,
    ExportRecord,
    ImportFailure,
    ImportOutcome,
    MemoryEntry,
    Metadata,
    MetadataValue,
    NamespaceSummary,
    SourceScope,
    Taint,
)
from opencompany_memory.contract.version import CONTRACT_VERSION, ContractVersion

__all__ = [
    "CONTRACT_VERSION",
    "ERRORS",
    "FAMILIES",
    "INSTANCE_WIDE",
    "MANDATORY",
    "Backend",
    "Category",
    "Conflict",
    "ContractVersion",
    "Degraded",
    "Down",
    "DriverConfig",
    "DriverSpec",
    "EntryPage",
    "ExportPage",
    "ExportRecord",
    "Forbidden",
    "Health",
    "ImportFailure",
    "ImportOutcome",
    "InvalidInput",
    "MemoryEngineError",
    "MemoryEntry",
    "MemoryProvider",
    "Metadata",
    "MetadataValue",
    "NamespaceSummary",
    "NotFound",
    "RateLimited",
    "Ready",
    "SourceScope",
    "Taint",
    "Timeout",
    "TooLarge",
    "Unauthorized",
    "Unreachable",
    "Unsupported",
    "hookimpl",
]
