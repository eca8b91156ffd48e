"""The read guard: nothing that an engine hands back is believed to be ours because we asked for ours."""

import logging
from collections.abc import Iterable, Iterator

from attrs import define

from opencompany_memory.contract import MemoryEntry
from opencompany_memory.overlay.namespace import Namespace

_log = logging.getLogger("opencompany_memory.overlay")


@define
class Drops:
    """Entries that an engine handed back and nobody got to see."""

    foreign: int = 0
    """Reported for another namespace than the one asked for."""
    unreadable: int = 0
    """In our namespace, and not what we wrote."""


class Guard:
    """Checks what comes back, and counts what it drops."""

    def __init__(self) -> None:
        self.drops = Drops()

    def own(self, namespace: Namespace, entries: Iterable[MemoryEntry]) -> Iterator[MemoryEntry]:
        """Those of `entries` that are of `namespace`."""
        asked = str(namespace)
        for entry in entries:
            if entry.namespace == asked:
                yield entry
            else:
                self.drops.foreign += 1
                _log.warning("dropped an entry of another namespace from an answer for %s", asked)

    def unreadable(self, namespace: Namespace) -> None:
        """Count an entry of ours that is not what we wrote. Its key is not logged: it may hold a label."""
        self.drops.unreadable += 1
        _log.warning("skipped an entry of %s that is not what was written there", namespace)
