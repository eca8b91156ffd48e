"""`opencompany memory conformance`."""

import sys
from typing import TYPE_CHECKING, Annotated, Final

import typer

from opencompany_memory.cli.output import mark, say, say_json, say_table
from opencompany_memory.cli.running import Json, over_memory

if TYPE_CHECKING:
    from opencompany_memory.conformance.runner import Result
    from opencompany_memory.overlay import MemoryOverlay

_OUTCOMES: Final = ("passed", "failed", "skipped")


def conformance(
    settle: Annotated[float, typer.Option(min=0, help="Seconds until the engine shows what was written.")] = 0.0,
    all_: Annotated[bool, typer.Option("--all", help="List the behaviours that passed, too.")] = False,
    json: Json = False,
) -> None:
    """Try every behaviour of the contract on what the environment selects, in namespaces of its own, and clean up.

    Example: OPENCOMPANY_MEMORY=store opencompany memory conformance
    """
    results = over_memory("conformance", lambda memory: _run(memory, settle, quiet=json))
    if json:
        say_json([_as_json(result) for result in results])
    else:
        _print(results, all_=all_)
    if any(result.outcome == "failed" for result in results):
        raise typer.Exit(1)


async def _run(memory: "MemoryOverlay", settle: float, *, quiet: bool) -> "list[Result]":
    from opencompany_memory.conformance.runner import run

    def show(result: "Result") -> None:
        if not quiet and sys.stderr.isatty():
            sys.stderr.write({"passed": ".", "failed": "F"}.get(result.outcome, "s"))
            sys.stderr.flush()

    provider, limitations = memory.bound.for_conformance()
    results = await run(provider, limitations=limitations, settle=settle, on_result=show)
    if not quiet and sys.stderr.isatty():
        sys.stderr.write("\n")
    return results


def _print(results: "list[Result]", *, all_: bool) -> None:
    """How many of each area, then what did not pass and why."""
    areas = dict.fromkeys(result.behaviour.area for result in results)
    counts = [(area, *(str(_count(results, outcome, area)) for outcome in _OUTCOMES)) for area in areas]
    say_table(("area", *_OUTCOMES), counts, empty="")
    shown = [r for r in results if all_ or r.outcome != "passed"]
    if shown:
        lines = [(r.outcome, r.behaviour.area, r.behaviour.name.replace("_", " "), r.detail) for r in shown]
        say_table(("", "area", "behaviour", "what"), lines, empty="")
    total = ", ".join(f"{_count(results, outcome)} {outcome}" for outcome in _OUTCOMES)
    say(f"{mark(not _count(results, 'failed'))} {total}")


def _count(results: "list[Result]", outcome: str, area: str | None = None) -> int:
    return sum(r.outcome == outcome and area in (None, r.behaviour.area) for r in results)


def _as_json(result: "Result") -> dict[str, object]:
    return {
        "behaviour": result.behaviour.name,
        "area": result.behaviour.area,
        "outcome": result.outcome,
        "detail": result.detail,
        "seconds": round(result.seconds, 3),
    }
