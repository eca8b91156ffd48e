"""A provider whose writes are accepted and discarded. Bad arguments are refused as by any other driver."""

from collections.abc import Sequence
from datetime import datetime

from opencompany_memory.contract import (
    CONTRACT_VERSION,
    Category,
    EntryPage,
    ExportPage,
    ExportRecord,
    Health,
    ImportFailure,
    ImportOutcome,
    InvalidInput,
    MemoryEntry,
    MemoryProvider,
    Metadata,
    NamespaceSummary,
    Ready,
    SourceScope,
    Taint,
)
from opencompany_memory.contract import validation as check

Entries = list[MemoryEntry]


class NullProvider(MemoryProvider):
    """Keeps nothing."""

    @property
    def driver_id(self) -> str:
        """`null`."""
        return "null"

    @property
    def contract_version(self) -> tuple[int, int]:
        """The contract of the installed host."""
        return CONTRACT_VERSION

    def capabilities(self) -> tuple[str, ...]:
        """The mandatory families."""
        return ("core", "recall", "portability")

    async def health(self) -> Health:
        """Always ready."""
        return Ready()

    async def aclose(self) -> None:
        """Nothing to let go of."""

    async def store(
        self,
        namespace: str,
        key: str,
        content: str,
        *,
        taint: Taint,
        category: Category = Category.CORE,
        session_id: str | None = None,
        metadata: Metadata | None = None,
        timestamp: datetime | None = None,
    ) -> MemoryEntry:
        """Accept and discard."""
        return MemoryEntry(
            "discarded",
            check.check_namespace(namespace),
            check.check_key(key),
            check.check_text(content, "the content"),
            check.check_category(category),
            check.check_session(session_id),
            check.check_timestamp(timestamp),
            check.check_taint(taint),
            check.check_metadata(metadata),
        )

    async def get(self, namespace: str, key: str) -> MemoryEntry | None:
        """Nothing."""
        check.check_namespace(namespace)
        check.check_key(key)
        return None

    async def forget(self, namespace: str, key: str) -> bool:
        """There was nothing."""
        check.check_namespace(namespace)
        check.check_key(key)
        return False

    async def list(
        self,
        namespace: str,
        *,
        key_prefix: str | None = None,
        category: Category | None = None,
        session_id: str | None = None,
        limit: int = 100,
        cursor: str | None = None,
    ) -> EntryPage:
        """Nothing."""
        check.check_namespace(namespace)
        check.check_limit(limit)
        _refuse(cursor)
        return EntryPage((), None)

    async def recall(
        self,
        namespace: str,
        query: str,
        *,
        limit: int = 10,
        category: Category | None = None,
        session_id: str | None = None,
        min_score: float | None = None,
        scope: SourceScope | None = None,
    ) -> Entries:
        """Nothing."""
        check.check_namespace(namespace)
        check.check_text(query, "the query")
        check.check_limit(limit)
        return []

    async def namespaces(self) -> Sequence[NamespaceSummary]:
        """None."""
        return ()

    async def export_page(self, cursor: str | None = None, limit: int = 100) -> ExportPage:
        """Nothing."""
        check.check_limit(limit)
        _refuse(cursor)
        return ExportPage((), None)

    async def import_records(self, records: Sequence[ExportRecord]) -> ImportOutcome:
        """Fail every record: an import that reported success here would be data lost in silence."""
        reason = "the null driver keeps nothing"
        return ImportOutcome(0, 0, [ImportFailure(record.namespace, record.key, reason) for record in records])


def _refuse(cursor: str | None) -> None:
    if cursor is not None:
        raise InvalidInput("the null driver issues no cursors", driver="null")
