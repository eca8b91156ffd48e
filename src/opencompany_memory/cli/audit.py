"""`opencompany memory audit`: the bind audit log."""

from collections.abc import Mapping
from typing import Annotated, Any

import typer

from opencompany_memory.cli.output import complain, say, say_json, say_table
from opencompany_memory.cli.running import Json, data_dir

app = typer.Typer(rich_markup_mode=None, context_settings={"help_option_names": ["-h", "--help"]})


@app.callback(invoke_without_command=True)
def audit(
    context: typer.Context,
    limit: Annotated[int, typer.Option("-n", "--limit", min=1, help="At most this many boots.")] = 20,
    json: Annotated[bool, typer.Option("--json", help="Print the events of all boots as JSON.")] = False,
) -> None:
    """Read the bind audit log: the last boots, newest first.

    Example: opencompany memory audit -n 5
    """
    if context.invoked_subcommand is not None:
        return
    from opencompany_memory.binding.trail_reader import boots, read_events

    folder = data_dir()
    if json:
        say_json(list(read_events(folder)))
        return
    lines = [
        (
            boot.time[:19].replace("T", " "),
            boot.boot,
            boot.surface,
            boot.driver,
            boot.driver_class,
            boot.outcome,
            boot.reason,
        )
        for boot in boots(folder, limit)
    ]
    headings = ("time (UTC)", "boot", "surface", "driver", "class", "outcome", "reason")
    say_table(headings, lines, empty="no boot has been written down here yet")


@app.command("show")
def show(
    boot: Annotated[str, typer.Argument(help="A boot id, or the beginning of one.")],
    json: Json = False,
) -> None:
    """Show every step of one boot, claimed against derived families side by side.

    Example: opencompany memory audit show 01JE2M5C8Q
    """
    from opencompany_memory.binding.trail_reader import boot_events

    events = boot_events(data_dir(), boot.strip().upper())
    if not events:
        complain("not found: no boot in the log has that id")
        raise typer.Exit(1)
    if json:
        say_json(events)
        return
    say(f"boot {events[0].get('boot')}  {events[0].get('surface')}  pid {events[0].get('pid')}")
    say_table(("time (UTC)", "step", "outcome", "what"), [_line(event) for event in events], empty="")
    for event in events:
        if event.get("claimed") is not None and event.get("derived") is not None:
            _compare(event)
        if event.get("traceback"):
            say(str(event["traceback"]).rstrip())


@app.command("verify")
def verify(json: Json = False) -> None:
    """Check that the log is as it was written; exit 1 and name the first bad line where it is not.

    Example: opencompany memory audit verify
    """
    from opencompany_memory.binding.trail_reader import verify as check

    report = check(data_dir())
    bad = report.first_bad
    if json:
        first = None if bad is None else {"file": bad.file, "line": bad.line, "reason": bad.reason}
        say_json(
            {"ok": report.ok, "lines": report.lines, "files": report.files, "firstBad": first, "notes": report.notes}
        )
    else:
        for note in report.notes:
            say(f"note: {note}")
        if bad is None:
            say(f"intact: {report.lines} lines in {report.files} {'file' if report.files == 1 else 'files'}")
        else:
            complain(f"not intact: {bad.file} line {bad.line}: {bad.reason}")
    if bad is not None:
        raise typer.Exit(1)


def _line(event: Mapping[str, Any]) -> tuple[str, str, str, str]:
    what = str(event.get("reason", ""))
    if event.get("code"):
        what = f"{event['code']}: {what}"
    if event.get("timings_ms"):
        what += "  ".join(f"{call} {ms} ms" for call, ms in event["timings_ms"].items())
    if event.get("step") == "settings" and event.get("mode"):
        what = what or f"mode {event['mode']}, from {event.get('layer')}"
    if event.get("step") == "load" and event.get("distribution"):
        what = what or f"{event['distribution']} {event.get('version')}, contract {event.get('contract', 'unknown')}"
    return str(event.get("time", ""))[11:23], str(event.get("step")), str(event.get("outcome")), what


def _compare(event: Mapping[str, Any]) -> None:
    from opencompany_memory.contract import FAMILIES

    claimed, derived = set(event["claimed"]), set(event["derived"])
    negotiated = set(event.get("negotiated", ()))
    lines = [
        (
            family,
            "claimed" if family in claimed else "-",
            "derived" if family in derived else "-",
            "routed" if family in negotiated else "-",
        )
        for family in FAMILIES
        if family in claimed | derived
    ]
    say_table(("family", "the driver says", "the host finds", "the overlay"), lines, empty="no families")
