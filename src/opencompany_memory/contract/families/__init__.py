"""The 18 capability families, one module each.

The order of `FAMILIES` is stable and append only: audit logs and indexes into it outlive a version.
"""

from abc import ABC
from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

from opencompany_memory.contract.families.chunks import Chunks
from opencompany_memory.contract.families.core import Core
from opencompany_memory.contract.families.diff import Diff
from opencompany_memory.contract.families.documents import Documents
from opencompany_memory.contract.families.entities import Entities
from opencompany_memory.contract.families.episodic import Episodic
from opencompany_memory.contract.families.goals import Goals
from opencompany_memory.contract.families.graph import Graph
from opencompany_memory.contract.families.ingest import Ingest
from opencompany_memory.contract.families.maintenance import Maintenance
from opencompany_memory.contract.families.people import People
from opencompany_memory.contract.families.portability import Portability
from opencompany_memory.contract.families.profile import Profile
from opencompany_memory.contract.families.recall import Recall
from opencompany_memory.contract.families.retrieval import Retrieval
from opencompany_memory.contract.families.sources import Sources
from opencompany_memory.contract.families.tool_memory import ToolMemory
from opencompany_memory.contract.families.tree import Tree

FAMILIES: Final[Mapping[str, type[ABC]]] = MappingProxyType(
    {
        "core": Core,
        "recall": Recall,
        "ingest": Ingest,
        "documents": Documents,
        "tree": Tree,
        "entities": Entities,
        "graph": Graph,
        "diff": Diff,
        "goals": Goals,
        "tool_memory": ToolMemory,
        "sources": Sources,
        "maintenance": Maintenance,
        "portability": Portability,
        "people": People,
        "chunks": Chunks,
        "retrieval": Retrieval,
        "profile": Profile,
        "episodic": Episodic,
    }
)
"""Family name to the abstract class that a driver implements, in stable order."""

MANDATORY: Final = ("core", "recall", "portability")
"""Families without which nothing binds."""

INSTANCE_WIDE: Final = ("maintenance", "portability")
"""Families whose methods take no namespace, and which only the operator reaches."""

__all__ = [
    "FAMILIES",
    "INSTANCE_WIDE",
    "MANDATORY",
    "Chunks",
    "Core",
    "Diff",
    "Documents",
    "Entities",
    "Episodic",
    "Goals",
    "Graph",
    "Ingest",
    "Maintenance",
    "People",
    "Portability",
    "Profile",
    "Recall",
    "Retrieval",
    "Sources",
    "ToolMemory",
    "Tree",
]
