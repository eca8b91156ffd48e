"""`opencompany memory purge`."""

import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated

import typer

from opencompany_memory.cli.output import complain, say, say_json
from opencompany_memory.cli.running import Company, Json, over_memory

if TYPE_CHECKING:
    from opencompany_memory.overlay import MemoryOverlay, PurgeReport


def purge(
    *,
    company: Company,
    yes: Annotated[bool, typer.Option("--yes", "-y", help="Do not ask.")] = False,
    json: Json = False,
) -> None:
    """Remove everything that is remembered of one company, for good, and report what went.

    Example: opencompany memory purge --company acme
    """
    if not yes and not sys.stdin.isatty():
        raise typer.BadParameter("purging asks first, and there is nobody to ask; add --yes to mean it")
    report = over_memory("purge", lambda memory: _purge(memory, company, ask=not yes))
    if report is None:
        complain("nothing was removed")
        raise typer.Exit(1)
    if json:
        scopes = [{"scope": scope, "entries": count} for scope, count in report.scopes]
        say_json(
            {"company": company, "entries": report.entries, "scopes": scopes, "otherRecords": report.other_records}
        )
        return
    say(f"removed {report.entries} entries of {company!r}" + (":" if report.scopes else "; there were none"))
    for scope, count in report.scopes:
        say(f"  {count:8}  {scope}")
    if report.other_records:
        say(f"  {report.other_records:8}  documents, edges and episodes")


async def _purge(memory: "MemoryOverlay", company: str, *, ask: bool) -> "PurgeReport | None":
    if ask and not _meant(await memory.census(company), company):
        return None
    return await memory.purge(company)


def _meant(census: Sequence[tuple[str, int]], company: str) -> bool:
    total = sum(count for _, count in census)
    say(f"{company!r} has {total} entries" + (f" in {', '.join(scope for scope, _ in census)}" if census else ""))
    return typer.confirm("Remove them all, and everything else of this company? This can't be undone")
