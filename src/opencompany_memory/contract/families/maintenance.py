"""Maintenance: the upkeep of an instance. Instance-wide, for the operator only."""

from abc import ABC, abstractmethod
from collections.abc import Sequence
from pathlib import Path

from attrs import frozen


@frozen
class IntegrityReport:
    """What a check found: `problems` is empty when all is well. `checked` counts the units that were looked at."""

    checked: int
    problems: Sequence[str]


@frozen
class BackupReport:
    """A finished backup: the file, its size in bytes, and how many units it holds."""

    path: Path
    size: int
    units: int


@frozen
class CompactReport:
    """Bytes on disk before and after."""

    before: int
    after: int


@frozen
class EraseReport:
    """What was removed for good: namespaces by name, with the number of entries that each held."""

    namespaces: Sequence[tuple[str, int]]
    other_records: int


class Maintenance(ABC):
    """Upkeep by the operator."""

    @abstractmethod
    async def check(self) -> IntegrityReport:
        """Look for damage. Changes nothing."""

    @abstractmethod
    async def backup(self, destination: Path) -> BackupReport:
        """Write one file that holds everything as of now, while the engine goes on working.

        Raises:
            InvalidInput: the destination exists already or can't be written.
        """

    @abstractmethod
    async def compact(self) -> CompactReport:
        """Give back space that is no longer needed."""

    @abstractmethod
    async def erase(self, prefix: str) -> EraseReport:
        """Remove every record of every family in the namespaces that begin with `prefix`, and leave no trace of it.

        Raises:
            InvalidInput: an empty prefix.
        """
