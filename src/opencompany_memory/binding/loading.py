"""Step 3: load. One entry point is imported, one hook is called, one provider is opened; each within a bound.

A plugin runs on a thread of its own: one that hangs refuses this boot and nothing more, and whatever it raises,
SystemExit included, becomes a refusal.
"""

import asyncio
import threading
import traceback
from collections.abc import Callable
from typing import Any, Final, TypeVar

import pluggy
from attrs import frozen

from opencompany_memory.binding import knobs
from opencompany_memory.binding.admission import Admitted
from opencompany_memory.binding.refusal import BootRefused
from opencompany_memory.contract import CONTRACT_VERSION, DriverSpec, MemoryEngineError, MemoryProvider
from opencompany_memory.contract.derive import is_provider
from opencompany_memory.contract.hookspec import PROJECT_NAME, Hooks

STEP: Final = "load"
LOAD_SECONDS: Final = 10.0

Result = TypeVar("Result")


@frozen
class Loaded:
    """An opened driver."""

    spec: DriverSpec
    provider: MemoryProvider


class LoadFailed(BootRefused):
    """A refusal with what the plugin's code did: `traceback` has no local variables, and secrets still in it."""

    def __init__(self, code: str, problem: str, remedy: str, *, knob: str | None = None, trace: str = "") -> None:
        super().__init__(STEP, code, problem, remedy, knob=knob)
        self.traceback = trace


async def load(admitted: Admitted, *, seconds: float = LOAD_SECONDS) -> Loaded:
    """Import the plugin of an admitted driver and open it.

    Raises:
        LoadFailed: at step `load`.
    """
    plugin = await _import(admitted, seconds)
    spec = await _describe(admitted, plugin, seconds)
    _check_spec(admitted, spec)
    provider = await _open(admitted, spec, seconds)
    if not is_provider(provider):
        raise _broken(
            admitted, "not-a-provider", f"its `open` gave a {type(provider).__name__}, which is no MemoryProvider"
        )
    return Loaded(spec, provider)


async def _import(admitted: Admitted, seconds: float) -> Any:
    installed = admitted.installed
    if installed.fault is not None:
        raise _broken(admitted, "entry-point", installed.fault)
    try:
        return await _bounded(installed.entry_point.load, seconds)
    except TimeoutError:
        raise _broken(admitted, "import-timed-out", f"its import did not end within {seconds:g} s") from None
    except _Raised as raised:
        hint = ""
        if issubclass(raised.kind, ImportError | AttributeError):
            hint = f" (the installed contract is {CONTRACT_VERSION}; was it built for another?)"
        problem = f"its import raised {raised.kind.__name__}{hint}"
        raise _broken(admitted, "import-failed", problem, raised.trace) from None


async def _describe(admitted: Admitted, plugin: Any, seconds: float) -> Any:
    # Made for this one load and forgotten: no plugin manager is shared between boots.
    manager = pluggy.PluginManager(PROJECT_NAME)
    manager.add_hookspecs(Hooks)

    def ask() -> list[Any]:
        manager.register(plugin)
        manager.check_pending()
        answers: list[Any] = manager.hook.memory_driver()
        return answers

    try:
        answers = await _bounded(ask, seconds)
    except TimeoutError:
        raise _broken(admitted, "bad-spec", f"its `memory_driver` did not end within {seconds:g} s") from None
    except _Raised as raised:
        problem = f"its `memory_driver` raised {raised.kind.__name__}"
        raise _broken(admitted, "bad-spec", problem, raised.trace) from None
    if not answers:
        raise _broken(admitted, "no-hook", "it does not implement the hook `memory_driver`")
    return answers[0]


def _check_spec(admitted: Admitted, spec: Any) -> None:
    if type(spec) is not DriverSpec:
        raise _broken(admitted, "bad-spec", f"its `memory_driver` gave a {type(spec).__name__}, not a DriverSpec")
    if spec.id != admitted.driver_id:
        raise _broken(admitted, "wrong-id", f"it describes itself as {spec.id!r}")
    _check_contract(admitted, spec.contract_version)
    if not callable(spec.open):
        raise _broken(admitted, "bad-spec", "its DriverSpec has no `open` that can be called")


def _check_contract(admitted: Admitted, stated: object) -> None:
    if not (isinstance(stated, tuple) and len(stated) == 2 and all(type(part) is int for part in stated)):
        raise _broken(admitted, "contract-unstated", "it does not state the contract version that it was built for")
    major, minor = int(stated[0]), int(stated[1])
    if major == CONTRACT_VERSION.major:
        return
    package = admitted.installed.distribution
    older, newer = (
        (package, "opencompany-memory") if major < CONTRACT_VERSION.major else ("opencompany-memory", package)
    )
    raise LoadFailed(
        "contract-mismatch",
        f"{package} was built for contract {major}.{minor}, and this host speaks {CONTRACT_VERSION}",
        f"upgrade {older} to the age of {newer}",
        knob=knobs.DRIVER,
    )


async def _open(admitted: Admitted, spec: DriverSpec, seconds: float) -> Any:
    try:
        return await _bounded(lambda: spec.open(admitted.config), seconds)
    except TimeoutError:
        raise _broken(admitted, "factory-timed-out", f"its `open` did not end within {seconds:g} s") from None
    except _Raised as raised:
        if raised.message is not None:  # the contract's own errors are free of secrets
            raise _open_refused(admitted, raised) from None
        problem = f"its `open` raised {raised.kind.__name__}"
        raise _broken(admitted, "factory-failed", problem, raised.trace) from None


def _open_refused(admitted: Admitted, raised: "_Raised") -> LoadFailed:
    embedded = admitted.driver_class == "embedded"
    knob = knobs.DATA_DIR if embedded else knobs.DRIVER
    remedy = f"or set {knobs.DATA_DIR} to another folder" if embedded else "mend the setting that it names"
    return LoadFailed("factory-failed", str(raised.message), remedy, knob=knob, trace=raised.trace)


def _broken(admitted: Admitted, code: str, problem: str, trace: str = "") -> LoadFailed:
    installed = admitted.installed
    return LoadFailed(
        code,
        f"{installed.distribution} {installed.version} can't be used as driver {admitted.driver_id}: {problem}",
        f"install another version of {installed.distribution}, or set another {knobs.DRIVER}",
        knob=knobs.DRIVER,
        trace=trace,
    )


class _Raised(Exception):
    """What a plugin raised, taken apart: the exception itself may hold secrets and is not passed on."""

    def __init__(self, error: BaseException) -> None:
        super().__init__(type(error).__name__)
        self.kind = type(error)
        self.message = str(error) if isinstance(error, MemoryEngineError) else None
        self.trace = "".join(traceback.format_exception(error))


async def _bounded(work: Callable[[], Result], seconds: float) -> Result:
    """Run foreign code on a daemon thread, which a hang does not keep the process from ending.

    Raises:
        TimeoutError: it did not end.
        _Raised: it raised.
    """
    loop = asyncio.get_running_loop()
    done: asyncio.Future[Result] = loop.create_future()

    def settle(result: Any, error: BaseException | None) -> None:
        if not done.done():
            if error is None:
                done.set_result(result)
            else:
                done.set_exception(_Raised(error))

    def run() -> None:
        result, error = None, None
        try:
            result = work()
        except BaseException as raised:  # noqa: BLE001 - a plugin's SystemExit must not end the host
            error = raised
        try:
            loop.call_soon_threadsafe(settle, result, error)
        except RuntimeError:  # the boot gave up on it and its loop is gone
            return

    threading.Thread(target=run, name="memory-driver-load", daemon=True).start()
    return await asyncio.wait_for(done, seconds)
