"""Running the suite without pytest, for the command."""

import asyncio
import secrets
import time
from collections.abc import Callable, Mapping, Sequence
from typing import Final

from attrs import frozen

from opencompany_memory.conformance.bench import Bench
from opencompany_memory.conformance.registry import Behaviour, behaviours
from opencompany_memory.contract import MemoryEngineError, MemoryProvider
from opencompany_memory.contract.derive import derive

PASSED: Final = "passed"
FAILED: Final = "failed"
SKIPPED: Final = "skipped"
SECONDS: Final = 120.0
"""The bound on one behaviour."""


@frozen
class Result:
    """What became of one behaviour. `detail` is what was expected, or why it was skipped."""

    behaviour: Behaviour
    outcome: str
    detail: str
    seconds: float


def reason_to_skip(one: Behaviour, provider: MemoryProvider, limitations: Mapping[str, str]) -> str | None:
    """Why a behaviour can't be shown on this provider; None when it can."""
    for need in one.needs:
        if need in limitations:
            return f"{need}: {limitations[need]}"
    if one.family is not None and one.family not in derive(provider).families:
        return f"{one.family} is not offered"
    return None


async def run(
    provider: MemoryProvider,
    *,
    limitations: Mapping[str, str] | None = None,
    settle: float = 0.0,
    only: Sequence[str] | None = None,
    may_close: bool = True,
    on_result: Callable[[Result], None] | None = None,
) -> list[Result]:
    """Run every behaviour (or those named in `only`) in namespaces of this run's own, and clean up.

    Without `may_close`, behaviours that close the provider are skipped, with that reason.
    """
    run_id = secrets.token_hex(6)
    results: list[Result] = []
    for number, one in enumerate(behaviours()):
        if only is not None and one.name not in only:
            continue
        reason = reason_to_skip(one, provider, limitations or {})
        if reason is None and one.closes and not may_close:
            reason = "it closes the provider, which is in use"
        if reason is None:
            result = await _run_one(one, Bench(provider, settle, f"{run_id}/{number}"))
        else:
            result = Result(one, SKIPPED, reason, 0.0)
        results.append(result)
        if on_result is not None:
            on_result(result)
    return results


async def _run_one(one: Behaviour, bench: Bench) -> Result:
    started = time.perf_counter()
    outcome, detail = PASSED, ""
    try:
        await asyncio.wait_for(one.check(bench), SECONDS)
    except AssertionError as error:
        outcome, detail = FAILED, str(error).partition("\n")[0] or "an assertion failed"
    except TimeoutError:
        outcome, detail = FAILED, f"did not end within {SECONDS:g} s"
    except MemoryEngineError as error:
        outcome, detail = FAILED, f"raised {type(error).__name__} ({error.wire_name})"
    except Exception as error:  # noqa: BLE001 - whatever a driver raises, the suite goes on; its text may hold anything
        outcome, detail = FAILED, f"raised {type(error).__name__}, which is no error of the contract"
    if not one.closes:
        await bench.clean()
    return Result(one, outcome, detail, time.perf_counter() - started)
