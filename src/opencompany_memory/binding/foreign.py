"""Running a driver's code so that it can neither hang the host nor end it.

A driver may raise anything, SystemExit included, may never end, and may put a secret into what it raises.
"""

import asyncio
import contextlib
import threading
import traceback
from collections.abc import Awaitable, Callable
from typing import Any, Final, TypeVar

from opencompany_memory.contract import MemoryEngineError, MemoryProvider

_CLOSE_SECONDS: Final = 5.0
_LONGEST_MESSAGE: Final = 2000

# C0, DEL and C1 controls: on a terminal they are commands, in a log they forge lines.
_CONTROLS: Final = {code: f"\\x{code:02x}" for code in (*range(32), *range(127, 160))}

Result = TypeVar("Result")


class Raised(Exception):
    """What foreign code raised, taken apart: the exception itself may hold secrets and is not passed on.

    Attributes:
        kind: its type.
        message: what it says, if it is an error of the contract; may hold secrets all the same.
        trace: its traceback, without local variables; may hold secrets.
    """

    def __init__(self, error: BaseException) -> None:
        super().__init__(type(error).__name__)
        self.kind = type(error)
        self.message: str | None = None
        self.trace = ""
        try:
            self.trace = "".join(traceback.format_exception(error))
            if isinstance(error, MemoryEngineError):
                self.message = str(error)[:_LONGEST_MESSAGE]
        except Exception:  # noqa: BLE001 - an exception that raises when it is read has nothing to say
            return


def in_one_line(text: str) -> str:
    """What a driver says, as one line that does nothing but be read."""
    return " ".join(text.split()).translate(_CONTROLS)


async def run_within(seconds: float, work: Callable[[], Result]) -> Result:
    """Run a plain function on a daemon thread, which a hang does not keep the process from ending.

    Raises:
        TimeoutError: it did not end.
        Raised: it raised.
    """
    loop = asyncio.get_running_loop()
    done: asyncio.Future[Result] = loop.create_future()

    def settle(result: Any, raised: Raised | None) -> None:
        if done.done():
            return
        if raised is None:
            done.set_result(result)
        else:
            done.set_exception(raised)

    def run() -> None:
        result, raised = None, None
        try:
            result = work()
        except BaseException as error:  # noqa: BLE001 - a plugin's SystemExit must not end the host
            raised = Raised(error)
        try:
            loop.call_soon_threadsafe(settle, result, raised)
        except RuntimeError:  # the boot gave up on it and its loop is gone
            return

    threading.Thread(target=run, name="memory-driver", daemon=True).start()
    return await asyncio.wait_for(done, seconds)


async def answer_within(seconds: float, call: Callable[[], Awaitable[Any]]) -> Any:
    """The answer of a driver's coroutine. One that does not let itself be cancelled is left behind, not waited for.

    Raises:
        TimeoutError: there was no answer.
        Raised: it raised SystemExit.
        Exception: whatever else it raised; CancelledError also where nobody cancelled.
    """
    task = asyncio.ensure_future(_contained(call))
    task.add_done_callback(_retrieve)
    try:
        done, _ = await asyncio.wait({task}, timeout=seconds)
    finally:
        task.cancel()
    if not done:
        raise TimeoutError
    return task.result()


async def close_quietly(provider: MemoryProvider) -> None:
    """Let go of a driver that was refused; what it raises now must not hide why it was refused."""
    with contextlib.suppress(Exception, asyncio.CancelledError):
        await answer_within(_CLOSE_SECONDS, provider.aclose)


async def _contained(call: Callable[[], Awaitable[Any]]) -> Any:
    try:
        return await call()
    except SystemExit as error:  # out of a task it would end the event loop
        raise Raised(error) from None


def _retrieve(task: "asyncio.Task[Any]") -> None:
    """Or asyncio would print what a task that was left behind raised, which may hold secrets."""
    if not task.cancelled():
        task.exception()
