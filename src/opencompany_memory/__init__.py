"""One audited seam between an agent host and the engine that keeps its memory.

    import opencompany_memory

    async with await opencompany_memory.boot() as memory:
        address = await memory.context.put("acme", "deploy", "The deploy key rotates on Mondays.")
        hits = await memory.context.search("acme", "when does the key rotate?")

`opencompany_memory.sync` is the same without `await`. Importing this package loads nothing else; each name below loads
what it needs when it is first used.
"""

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from opencompany_memory.binding.refusal import BootRefused
    from opencompany_memory.host import boot
    from opencompany_memory.overlay import MemoryOverlay

__all__ = ["BootRefused", "MemoryOverlay", "__version__", "boot"]

_HOMES = {
    "BootRefused": "opencompany_memory.binding.refusal",
    "MemoryOverlay": "opencompany_memory.overlay",
    "boot": "opencompany_memory.host",
}


def __getattr__(name: str) -> Any:
    import importlib

    if name == "__version__":
        from importlib.metadata import version

        return version("opencompany-memory")
    if name in _HOMES:
        return getattr(importlib.import_module(_HOMES[name]), name)
    if name == "sync":
        return importlib.import_module("opencompany_memory.sync")
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
