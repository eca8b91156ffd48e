"""Portability: everything out, everything in. Mandatory, instance-wide, for the operator only."""

from abc import ABC, abstractmethod
from collections.abc import Sequence

from opencompany_memory.contract.records import ExportPage, ExportRecord, ImportOutcome, NamespaceSummary


class Portability(ABC):
    """Moves records between engines unchanged."""

    @abstractmethod
    async def namespaces(self) -> Sequence[NamespaceSummary]:
        """Every namespace that holds entries.

        Raises:
            Unsupported, Backend: the engine can't enumerate; never an empty answer instead.
        """

    @abstractmethod
    async def export_page(self, cursor: str | None = None, limit: int = 100) -> ExportPage:
        """The next records of the whole instance. None starts; only a `next_cursor` of None ends.

        Raises:
            InvalidInput: a cursor that this driver did not issue.
        """

    @abstractmethod
    async def import_records(self, records: Sequence[ExportRecord]) -> ImportOutcome:
        """Write records as they are: timestamps, taint and metadata are never stamped anew.

        Idempotent by (namespace, key): a record that is there unchanged counts as skipped. A record that can't be
        accepted is reported and does not keep the others out.
        """
