"""`opencompany serve`."""

import asyncio
import contextlib
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Final

import typer

from opencompany_memory.cli.output import complain, say, stdout_kept_clean
from opencompany_memory.cli.status import describe, headline, loud_lines

if TYPE_CHECKING:
    import socket

    from opencompany_memory.overlay import MemoryOverlay

_MOST_FILES: Final = 65_536


def serve(
    host: Annotated[str, typer.Option(help="The address to listen on.")] = "127.0.0.1",
    port: Annotated[int, typer.Option(min=0, max=65535, help="The port to listen on; 0 takes a free one.")] = 8717,
) -> None:
    """Bind what the environment selects, then serve it over HTTP until stopped.

    Example: opencompany serve --port 8717
    """
    try:
        import fastapi  # noqa: F401
        import uvicorn  # noqa: F401
    except ImportError:
        complain("failed: the HTTP server is not installed; run `pip install 'opencompany-memory[server]'`")
        raise typer.Exit(1) from None
    raise_file_limit()
    asyncio.run(_serve(host, port))


def raise_file_limit() -> None:
    """Let this process have as many files open as the system allows: the store keeps a few for each company in use."""
    import resource

    _, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = _MOST_FILES if hard == resource.RLIM_INFINITY else min(hard, _MOST_FILES)
    with contextlib.suppress(OSError, ValueError):  # then it works with what it has
        resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, hard))


async def _serve(host: str, port: int) -> None:
    from opencompany_memory.host import boot
    from opencompany_memory.server.listener import listen, run

    with stdout_kept_clean():
        booted = await boot(surface="serve", log_level="info")
    async with booted as memory:
        try:
            listening = listen(host, port)
        except OSError as error:
            complain(f"failed: can't listen on {host} port {port} ({error.strerror}); choose another --port")
            raise typer.Exit(1) from None
        with listening:
            _greet(memory, listening)
            await run(memory, listening)
    say("stopped; every accepted write is on disk")


def _greet(memory: "MemoryOverlay", listening: "socket.socket") -> None:
    described = describe(memory.descriptor)
    host, port = listening.getsockname()[:2]
    shown = f"[{host}]" if ":" in host else host
    say(f"bound     {headline(described)}")
    say(f"health    {described['health']}")
    say(f"families  {', '.join(described['families'])}")
    say(f"audit     {described['auditLog']}  (boot {described['bootId']})")
    for line in loud_lines(described):
        say(f"WARNING   {line}")
    say(f"serving   http://{shown}:{port}  (Ctrl-C stops)")
    say()
    say("try this in another terminal:")
    say(f'  {_command()} memory put hello "The deploy key rotates on Mondays." --company acme')


def _command() -> str:
    """How the command was called, as it can be typed here."""
    called = Path(sys.argv[0])
    if called.name != "opencompany":
        return "opencompany"
    inside = called.is_absolute() and called.is_relative_to(Path.cwd())
    return str(called.relative_to(Path.cwd()) if inside else called)
