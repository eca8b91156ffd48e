"""From environment variables to ports: binding and overlay put together."""

import os
from collections.abc import Mapping
from typing import Any

from opencompany_memory.binding.boot import boot as bind
from opencompany_memory.overlay import MemoryOverlay, Namespace


async def boot(environ: Mapping[str, str] | None = None, *, surface: str = "python", **options: Any) -> MemoryOverlay:
    """Bind the memory engine that `environ` (the process's own when None) selects, and return the ports over it.

    Use it as `async with await boot() as memory:`, which closes the engine at the end.

    `surface` is written to the bind audit log. Other options are those of `binding.boot.boot`.

    Raises:
        BootRefused: a setting is wrong, or the driver is not what it claims to be; the message says what to change.
    """
    bound = await bind(
        os.environ if environ is None else environ,
        canary_namespace=str(Namespace.canary()),
        surface=surface,
        **options,
    )
    return MemoryOverlay(bound)
