"""Running one command over a booted memory."""

import asyncio
import os
from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING, Annotated, Any, TypeVar

import typer

from opencompany_memory.cli.output import stdout_kept_clean

if TYPE_CHECKING:
    from opencompany_memory.overlay import MemoryOverlay

Result = TypeVar("Result")

Company = Annotated[
    str, typer.Option("--company", "-c", help="The company whose memory is meant. Required: memory has an owner.")
]
Json = Annotated[bool, typer.Option("--json", help="Print JSON.")]


def over_memory(surface: str, work: "Callable[[MemoryOverlay], Awaitable[Result]]", **options: Any) -> Result:
    """Boot from this process's environment, run `work`, close. `surface` goes into the bind audit log."""
    from opencompany_memory.host import boot

    async def run() -> Result:
        async with await boot(surface=f"memory {surface}", **options) as memory:
            return await work(memory)

    with stdout_kept_clean():
        return asyncio.run(run())


def data_dir() -> Any:
    """The data folder, without booting: a log is read above all when a setting is wrong.

    Raises:
        BootRefused: there is no usable data folder.
    """
    from opencompany_memory.binding.settings import locate_data_dir, read_settings

    return locate_data_dir(os.environ) or read_settings(os.environ).data_dir
