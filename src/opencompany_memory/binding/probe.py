"""Step 5: probe. Bounded calls in the canary namespace, which say whether the engine does what its objects promise."""

import asyncio
import secrets
import time
from collections.abc import Awaitable, Callable
from typing import Any, Final

from attrs import define, field, frozen

from opencompany_memory.binding import knobs
from opencompany_memory.binding.foreign import Raised, answer_within, in_one_line
from opencompany_memory.binding.refusal import BootRefused
from opencompany_memory.contract import (
    Degraded,
    Down,
    Health,
    MemoryEngineError,
    MemoryEntry,
    MemoryProvider,
    Ready,
    Taint,
)

STEP: Final = "probe"
BOOT_SECONDS: Final = 5.0
INTERACTIVE_SECONDS: Final = 3.0
_KEY: Final = "probe"
_STATES: Final = (Ready, Degraded, Down)


@frozen
class ProbeReport:
    """What the probe found. `failures` maps a family (or `health`) to a reason free of secrets; timings are in ms."""

    health: Health
    failures: dict[str, str]
    timings: dict[str, float]
    kept: bool | None = None
    """Whether the canary that was written could be read back; None where none was written."""

    @property
    def unreachable(self) -> tuple[str, ...]:
        """The families that did not answer."""
        return tuple(name for name in ("core", "recall") if name in self.failures)


@define
class _Run:
    seconds: float
    failures: dict[str, str] = field(factory=dict)
    timings: dict[str, float] = field(factory=dict)

    async def call(
        self, name: str, family: str, call: Callable[[], Awaitable[Any]], fits: Callable[[Any], bool]
    ) -> Any:
        """The answer of one bounded call, or None after a failure, which is noted."""
        started = time.perf_counter()
        answer: Any = None
        try:
            answer = await answer_within(self.seconds, call)
            if not fits(answer):
                self.failures[family] = f"{name} answered with a {type(answer).__name__}"
                answer = None
        except TimeoutError:
            self.failures[family] = f"{name} did not answer within {self.seconds:g} s"
        except Raised as raised:
            self.failures[family] = f"{name} raised {raised.kind.__name__}"
        except MemoryEngineError as error:
            self.failures[family] = f"{name}: {type(error).wire_name}"
        except asyncio.CancelledError:
            task = asyncio.current_task()
            if task is not None and task.cancelling():
                raise
            self.failures[family] = f"{name} was cancelled by the driver"
        except Exception as error:  # noqa: BLE001 - a driver may raise anything; its text may hold anything
            self.failures[family] = f"{name} raised {type(error).__name__}"
        self.timings[name] = round((time.perf_counter() - started) * 1000, 2)
        return answer


async def probe(
    provider: MemoryProvider, namespace: str, *, seconds: float, clean: Callable[[str], str] = str
) -> ProbeReport:
    """One bounded read each of core and recall, and `health()`. An empty answer is success.

    `clean` takes secrets out of what the driver says of its health.
    """
    run = _Run(seconds)
    calls = (
        run.call("get", "core", lambda: provider.get(namespace, _KEY), _is_entry_or_none),
        run.call("recall", "recall", lambda: provider.recall(namespace, _KEY, limit=1), _is_entries),
        run.call("health", "health", provider.health, lambda answer: issubclass(type(answer), _STATES)),
    )
    _, _, health = await asyncio.gather(*calls)
    return ProbeReport(_health(_cleaned(health, clean), run), run.failures, run.timings)


async def canary(
    provider: MemoryProvider, namespace: str, *, seconds: float, clean: Callable[[str], str] = str
) -> ProbeReport:
    """The reads of `probe`, then write, read back, forget, read again. `kept` says what became of the canary."""
    report = await probe(provider, namespace, seconds=seconds, clean=clean)
    if "core" in report.failures:
        return report
    run = _Run(seconds)
    key, content = f"canary-{secrets.token_hex(8)}", f"canary {secrets.token_hex(8)}"
    await run.call("store", "core", lambda: provider.store(namespace, key, content, taint=Taint.INTERNAL), _is_entry)
    kept = False
    if not run.failures:
        found = await run.call("read-back", "core", lambda: provider.get(namespace, key), _is_entry_or_none)
        kept = found is not None and found.content == content
        await run.call(
            "forget", "core", lambda: provider.forget(namespace, key), lambda answer: isinstance(answer, bool)
        )
        left = await run.call("read-again", "core", lambda: provider.get(namespace, key), _is_entry_or_none)
        if kept and left is not None:
            run.failures["core"] = "forget answered, and the canary is still there"
    failures, timings = report.failures | run.failures, report.timings | run.timings
    return ProbeReport(_health(report.health, run), failures, timings, None if run.failures else kept)


def refuse_forgetful(report: ProbeReport, distribution: str) -> None:
    """Raise when an engine accepted the canary and did not keep it.

    Raises:
        BootRefused: `keeps-nothing`.
    """
    if report.kept is False:
        raise BootRefused(
            STEP,
            "keeps-nothing",
            f"the engine behind {distribution} accepted a write and does not have it",
            f"mend the engine, or set another {knobs.DRIVER}; memory would be lost in silence",
            knob=knobs.DRIVER,
        )


def _health(answer: Any, run: _Run) -> Health:
    if isinstance(answer, Degraded | Down):
        return answer
    if run.failures:
        return Down("; ".join(run.failures.values()))
    return Ready() if answer is None else answer


def _cleaned(health: Any, clean: Callable[[str], str]) -> Any:
    """The same state in the host's own type, with a reason that is text and free of secrets."""
    if health is None:
        return None
    try:
        reason = clean(in_one_line(str(health.reason)))
    except Exception:  # noqa: BLE001 - a reason that can't be read is none
        reason = ""
    return next(state for state in _STATES if issubclass(type(health), state))(reason)


def _is_entry(answer: object) -> bool:
    return issubclass(type(answer), MemoryEntry)  # `isinstance` would believe a forged `__class__`


def _is_entry_or_none(answer: object) -> bool:
    return answer is None or _is_entry(answer)


def _is_entries(answer: object) -> bool:
    return isinstance(answer, list | tuple) and all(_is_entry(entry) for entry in answer)
