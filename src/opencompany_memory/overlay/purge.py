"""Removing a company's memory whole, over any engine, proved by reading again."""

from collections.abc import Sequence

from attrs import frozen

from opencompany_memory.contract import Backend, Unsupported
from opencompany_memory.overlay.bound import Bound
from opencompany_memory.overlay.namespace import Namespace

_PAGE = 500


@frozen
class PurgeReport:
    """What went: entries by scope, and records of other families where the engine can tell."""

    scopes: Sequence[tuple[str, int]]
    other_records: int

    @property
    def entries(self) -> int:
        """Entries over all scopes."""
        return sum(count for _, count in self.scopes)


async def census(bound: Bound, company: str) -> Sequence[tuple[str, int]]:
    """What the company has, as (scope, entries)."""
    prefix = Namespace.prefix(company)
    found = await bound.portability.namespaces()
    return [(s.namespace[len(prefix) :], s.count) for s in found if s.namespace.startswith(prefix)]


async def purge(bound: Bound, company: str) -> PurgeReport:
    """Remove everything of `company` and read again.

    Raises:
        Backend: something is still there afterwards.
    """
    prefix = Namespace.prefix(company)
    try:
        maintenance = bound.family("maintenance")
    except Unsupported:
        report = await _entry_by_entry(bound, company, prefix)
    else:
        erased = await maintenance.erase(prefix)
        scopes = [(name[len(prefix) :], count) for name, count in erased.namespaces]
        report = PurgeReport(scopes, erased.other_records)
    left = await census(bound, company)
    if left:
        raise Backend(f"{sum(count for _, count in left)} entries are still there after the purge; run it again")
    return report


async def _entry_by_entry(bound: Bound, company: str, prefix: str) -> PurgeReport:
    gone: list[tuple[str, int]] = []
    for scope, _ in await census(bound, company):
        count = 0
        while True:
            page = await bound.core.list(prefix + scope, limit=_PAGE)
            removed = [await bound.core.forget(prefix + scope, entry.key) for entry in page.entries]
            count += sum(removed)
            if not any(removed):
                break
        gone.append((scope, count))
    return PurgeReport(gone, 0)
