"""`opencompany memory conformance`."""

import sys
from typing import TYPE_CHECKING, Annotated

import typer

from opencompany_memory.cli.output import mark, say, say_json, say_table
from opencompany_memory.cli.running import Json, over_memory

if TYPE_CHECKING:
    from opencompany_memory.conformance.runner import Result
    from opencompany_memory.overlay import MemoryOverlay


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
        shown = [r for r in results if all_ or r.outcome != "passed"]
        say_table(
            ("", "area", "behaviour", "what"),
            [(r.outcome, r.behaviour.area, r.behaviour.name.replace("_", " "), r.detail) for r in shown],
            empty="",
        )
        counts = {outcome: sum(r.outcome == outcome for r in results) for outcome in ("passed", "failed", "skipped")}
        say(f"{mark(not counts['failed'])} " + ", ".join(f"{count} {outcome}" for outcome, count in counts.items()))
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


def _as_json(result: "Result") -> dict[str, object]:
    return {
        "behaviour": result.behaviour.name,
        "area": result.behaviour.area,
        "outcome": result.outcome,
        "detail": result.detail,
        "seconds": round(result.seconds, 3),
    }
