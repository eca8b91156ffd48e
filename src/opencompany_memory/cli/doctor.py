"""`opencompany memory doctor`."""

import asyncio
from typing import TYPE_CHECKING, Any

import typer

from opencompany_memory.cli.output import mark, say, say_json, stdout_kept_clean
from opencompany_memory.cli.running import Json

if TYPE_CHECKING:
    from opencompany_memory.binding.events import BindEvent

_STEPS = {
    "settings": "the settings are read",
    "admit": "the driver is admitted",
    "load": "its plugin loads and opens",
    "audit": "it is what it claims to be",
    "probe": "the engine answers",
    "canary": "what is written is kept",
}


def doctor(json: Json = False) -> None:
    """Go through every step of a boot and say what to change, ending with a canary that is written and read back.

    Example: opencompany memory doctor
    """
    with stdout_kept_clean():
        events, refused = asyncio.run(_diagnose())
    checks = _checks(events)
    if json:
        say_json([{"step": step, "ok": good, "detail": detail} for step, good, detail in checks])
    else:
        for step, good, detail in checks:
            say(f"{mark(good)} {_STEPS[step]}" + (f": {detail}" if detail else ""))
    if refused:
        raise typer.Exit(78)
    if not all(good for _, good, _ in checks):
        raise typer.Exit(1)


async def _diagnose() -> "tuple[list[BindEvent], bool]":
    from opencompany_memory.binding.refusal import BootRefused
    from opencompany_memory.host import boot

    events: list[BindEvent] = []
    try:
        memory = await boot(surface="memory doctor", probe_mode="canary", observe=events.append, log_level="error")
    except BootRefused:
        return events, True
    await memory.aclose()
    return events, False


def _checks(events: "list[BindEvent]") -> list[tuple[str, bool, str]]:
    """A line for each step that was reached: whether it is well, and what to know or to do."""
    checks: list[tuple[str, bool, str]] = []
    for step in ("settings", "admit", "load", "audit", "probe"):
        mine = [event for event in events if event.step == step]
        ends = [event for event in mine if event.outcome in ("ok", "refused")]
        if not ends:
            break
        warnings = "; ".join(event.reason for event in mine if event.outcome == "warning")
        end = ends[-1]
        if end.outcome == "refused" and end.code != "keeps-nothing":
            checks.append((step, False, f"{end.reason}; {end.fields.get('remedy', '')}"))
            break
        answers = step != "probe" or not any(event.code in ("unreachable", "down") for event in mine)
        checks.append((step, answers, warnings or _detail(step, end.fields)))
        if step == "probe" and answers:
            checks.append(_canary(end.outcome == "refused", end.reason, end.fields))
    return checks


def _detail(step: str, fields: Any) -> str:
    if step == "settings" and "mode" in fields:
        return f"mode {fields['mode']}, from {fields['layer']}"
    if step == "admit":
        return f"{fields['driver']} as {fields['class']}, from {fields['distribution']} {fields['version']}"
    if step == "audit":
        return ", ".join(fields.get("negotiated", ()))
    if step == "probe":
        return ", ".join(f"{call} {ms} ms" for call, ms in fields.get("timings_ms", {}).items())
    return ""


def _canary(refused: bool, reason: str, fields: Any) -> tuple[str, bool, str]:
    if refused:
        return "canary", False, f"{reason}; {fields.get('remedy', '')}"
    if fields.get("kept"):
        return "canary", True, ""
    return "canary", False, "NOTHING IS KEPT; set OPENCOMPANY_MEMORY=store to keep memory on this machine"
