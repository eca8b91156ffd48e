"""The ports over a bound provider; the only way to memory for host code.

Binding decides what engine we have; the overlay decides who may see what.
"""

from opencompany_memory.overlay.context import Chunk, ChunkHit, ChunkMeta, ChunkPage, ContextStore
from opencompany_memory.overlay.namespace import Namespace, Scope
from opencompany_memory.overlay.overlay import MemoryOverlay
from opencompany_memory.overlay.purge import PurgeReport

__all__ = [
    "Chunk",
    "ChunkHit",
    "ChunkMeta",
    "ChunkPage",
    "ContextStore",
    "MemoryOverlay",
    "Namespace",
    "PurgeReport",
    "Scope",
]
