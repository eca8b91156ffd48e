"""`opencompany memory check | backup | compact`: the maintenance family, for the operator."""

from pathlib import Path
from typing import Annotated

import typer

from opencompany_memory.cli.output import complain, say, say_json
from opencompany_memory.cli.running import Json, over_memory


def check(json: Json = False) -> None:
    """Look for damage in everything that the engine keeps. Changes nothing.

    Example: opencompany memory check
    """
    report = over_memory("check", lambda memory: memory.bound.family("maintenance").check())
    if json:
        say_json({"checked": report.checked, "problems": list(report.problems)})
    else:
        say(f"files checked: {report.checked}, problems: {len(report.problems)}")
        for problem in report.problems:
            complain(problem)
    if report.problems:
        raise typer.Exit(1)


def backup(
    file: Annotated[Path, typer.Argument(help="The file to write; it must not exist.")], json: Json = False
) -> None:
    """Write one file with everything in it, while the engine goes on working.

    Example: opencompany memory backup memory-2026-12-01.zip
    """
    report = over_memory("backup", lambda memory: memory.bound.family("maintenance").backup(file))
    if json:
        say_json({"path": str(report.path), "bytes": report.size, "files": report.units})
    else:
        say(f"wrote {report.path}: {report.size} bytes, {report.units} companies")


def compact(json: Json = False) -> None:
    """Give back space, and remove the last traces of what was forgotten.

    Example: opencompany memory compact
    """
    report = over_memory("compact", lambda memory: memory.bound.family("maintenance").compact())
    if json:
        say_json({"before": report.before, "after": report.after})
    else:
        say(f"{report.before} bytes before, {report.after} after")
