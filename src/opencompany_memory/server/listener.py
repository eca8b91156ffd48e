"""The socket, and serving on it until told to stop."""

import asyncio
import contextlib
import signal
import socket
from collections.abc import Iterator
from typing import TYPE_CHECKING, Final

import uvicorn

from opencompany_memory.server.app import make_app

if TYPE_CHECKING:
    from opencompany_memory.overlay import MemoryOverlay

_GRACE_SECONDS: Final = 10


def listen(host: str, port: int) -> socket.socket:
    """A listening socket.

    Raises:
        OSError: the address is taken, or not ours.
    """
    family = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE)[0][0]
    return socket.create_server((host, port), family=family, backlog=2048)


async def run(memory: "MemoryOverlay", listening: socket.socket) -> None:
    """Serve until SIGTERM or SIGINT; requests under way are finished first."""
    config = uvicorn.Config(
        make_app(memory),
        log_level="warning",
        access_log=False,
        lifespan="off",
        timeout_graceful_shutdown=_GRACE_SECONDS,
        server_header=False,
    )
    server = _Server(config)
    loop = asyncio.get_running_loop()
    for number in (signal.SIGTERM, signal.SIGINT):
        loop.add_signal_handler(number, server.stop)
    try:
        await server.serve(sockets=[listening])
    finally:
        for number in (signal.SIGTERM, signal.SIGINT):
            loop.remove_signal_handler(number)


class _Server(uvicorn.Server):
    """uvicorn raises a caught signal again when it is done, which would end the process before memory is closed."""

    @contextlib.contextmanager
    def capture_signals(self) -> Iterator[None]:
        yield

    def stop(self) -> None:
        """Stop after what runs; a second call stops at once."""
        self.force_exit = self.should_exit
        self.should_exit = True
