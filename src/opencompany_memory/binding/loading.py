"""Step 3: load. One entry point is imported, one hook is called, one provider is opened; each within a bound.

A plugin runs on a thread of its own: one that hangs refuses this boot and nothing more, and whatever it raises,
SystemExit included, becomes a refusal.
"""

from typing import Any, Final

import pluggy
from attrs import frozen

from opencompany_memory.binding import knobs
from opencompany_memory.binding.admission import Admitted
from opencompany_memory.binding.foreign import Raised, close_quietly, in_one_line, run_within
from opencompany_memory.binding.redaction import Redactor
from opencompany_memory.binding.refusal import BootRefused
from opencompany_memory.contract import CONTRACT_VERSION, ContractVersion, DriverSpec, MemoryProvider
from opencompany_memory.contract.derive import is_provider
from opencompany_memory.contract.hookspec import PROJECT_NAME, Hooks

STEP: Final = "load"
LOAD_SECONDS: Final = 10.0

_NO_HOOK: Final = object()


@frozen
class Loaded:
    """An opened driver, and the contract that it was built for."""

    spec: DriverSpec
    provider: MemoryProvider
    contract: ContractVersion


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
    contract = _check_spec(admitted, spec)
    provider = await _open(admitted, spec, seconds)
    try:
        await _check_provider(admitted, provider, seconds)
    except BaseException:
        await close_quietly(provider)
        raise
    return Loaded(spec, provider, contract)


async def _import(admitted: Admitted, seconds: float) -> Any:
    installed = admitted.installed
    if installed.fault is not None:
        raise _broken(admitted, "entry-point", installed.fault)
    try:
        return await run_within(seconds, installed.load)
    except TimeoutError:
        raise _broken(admitted, "import-timed-out", f"its import did not end within {seconds:g} s") from None
    except Raised as raised:
        hint = ""
        if issubclass(raised.kind, ImportError | AttributeError):
            hint = f" (the installed contract is {CONTRACT_VERSION}; was it built for another?)"
        problem = f"its import raised {raised.kind.__name__}{hint}"
        raise _broken(admitted, "import-failed", problem, raised.trace) from None


async def _describe(admitted: Admitted, plugin: Any, seconds: float) -> Any:
    # Made for this one load and forgotten: no plugin manager is shared between boots.
    manager = pluggy.PluginManager(PROJECT_NAME)
    manager.add_hookspecs(Hooks)

    def ask() -> Any:
        manager.register(plugin)
        manager.check_pending()
        if not manager.hook.memory_driver.get_hookimpls():
            return _NO_HOOK
        answers = manager.hook.memory_driver()
        return answers[0] if answers else None

    try:
        answer = await run_within(seconds, ask)
    except TimeoutError:
        raise _broken(admitted, "bad-spec", f"its `memory_driver` did not end within {seconds:g} s") from None
    except Raised as raised:
        problem = f"its `memory_driver` raised {raised.kind.__name__}"
        raise _broken(admitted, "bad-spec", problem, raised.trace) from None
    if answer is _NO_HOOK:
        raise _broken(admitted, "no-hook", "it does not implement the hook `memory_driver`")
    return answer


def _check_spec(admitted: Admitted, spec: Any) -> ContractVersion:
    if type(spec) is not DriverSpec:
        raise _broken(admitted, "bad-spec", f"its `memory_driver` gave a {type(spec).__name__}, not a DriverSpec")
    if type(spec.id) is not str or spec.id.strip().lower() != admitted.driver_id:  # ids are compared as settings are
        shown = repr(spec.id) if type(spec.id) is str else f"a {type(spec.id).__name__}"
        raise _broken(admitted, "wrong-id", f"it describes itself as {shown}")
    contract = _check_contract(admitted, spec.contract_version)
    if not callable(spec.open):
        raise _broken(admitted, "bad-spec", "its DriverSpec has no `open` that can be called")
    return contract


def _check_contract(admitted: Admitted, stated: object) -> ContractVersion:
    version = _version(stated)
    if version is None:
        problem = f"it does not state the contract version that it was built for; this host speaks {CONTRACT_VERSION}"
        raise _broken(admitted, "contract-unstated", problem)
    if version.major == CONTRACT_VERSION.major:
        return version
    package = admitted.installed.distribution
    older, newer = (
        (package, "opencompany-memory") if version.major < CONTRACT_VERSION.major else ("opencompany-memory", package)
    )
    raise LoadFailed(
        "contract-mismatch",
        f"{package} was built for contract {version}, and this host speaks {CONTRACT_VERSION}",
        f"upgrade {older} to the age of {newer}",
        knob=knobs.DRIVER,
    )


def _version(stated: object) -> ContractVersion | None:
    if isinstance(stated, tuple) and len(stated) == 2 and all(type(part) is int for part in stated):
        return ContractVersion(*stated)
    return None


async def _open(admitted: Admitted, spec: DriverSpec, seconds: float) -> MemoryProvider:
    try:
        provider: object = await run_within(seconds, lambda: spec.open(admitted.config))
    except TimeoutError:
        raise _broken(admitted, "factory-timed-out", f"its `open` did not end within {seconds:g} s") from None
    except Raised as raised:
        if raised.message is not None:
            raise _open_refused(admitted, raised) from None
        problem = f"its `open` raised {raised.kind.__name__}"
        raise _broken(admitted, "factory-failed", problem, raised.trace) from None
    if not is_provider(provider):
        problem = f"its `open` gave a {type(provider).__name__}, which is no MemoryProvider"
        raise _broken(admitted, "not-a-provider", problem)
    return provider


async def _check_provider(admitted: Admitted, provider: MemoryProvider, seconds: float) -> None:
    """The provider itself may come from another package, of another age, than the plugin that describes it."""
    try:
        version = _version(await run_within(seconds, lambda: provider.contract_version))
    except (TimeoutError, Raised):
        version = None
    if version is not None:
        _check_contract(admitted, version)


def _open_refused(admitted: Admitted, raised: Raised) -> LoadFailed:
    embedded = admitted.driver_class == "embedded"
    knob = knobs.DATA_DIR if embedded else knobs.DRIVER
    remedy = f"or set {knobs.DATA_DIR} to another folder" if embedded else "mend the setting that it names"
    problem = _cleaned(admitted, str(raised.message))
    return LoadFailed("factory-failed", problem, remedy, knob=knob, trace=raised.trace)


def _broken(admitted: Admitted, code: str, problem: str, trace: str = "") -> LoadFailed:
    installed = admitted.installed
    return LoadFailed(
        code,
        f"{installed.distribution} {installed.version} can't be used as driver {admitted.driver_id}: "
        f"{_cleaned(admitted, problem)}",
        f"install another version of {installed.distribution}, or set another {knobs.DRIVER}",
        knob=knobs.DRIVER,
        trace=trace,
    )


def _cleaned(admitted: Admitted, text: str) -> str:
    """In one line, and without the secrets that were handed to the driver: it had them when it made its words."""
    return Redactor.of(admitted.config).clean(in_one_line(text))
