"""A driver over a dictionary: correct, and the base of the misbehaving ones."""

from datetime import UTC, datetime

from opencompany_memory.contract import (
    Category,
    DriverConfig,
    DriverSpec,
    EntryPage,
    ExportPage,
    ImportOutcome,
    MemoryEntry,
    MemoryProvider,
    Ready,
    hookimpl,
)


class ToyProvider(MemoryProvider):
    claims = ("core", "recall", "portability")

    def __init__(self, config: DriverConfig):
        self.config = config
        self.rows = {}

    @property
    def driver_id(self):
        return "toy"

    @property
    def contract_version(self):
        return (1, 0)

    def capabilities(self):
        return self.claims

    async def health(self):
        return Ready()

    async def aclose(self):
        self.rows = {}

    async def store(
        self, namespace, key, content, *, taint, category=Category.CORE, session_id=None, metadata=None, timestamp=None
    ):
        moment = timestamp or datetime.now(UTC)
        entry = MemoryEntry("1", namespace, key, content, category, session_id, moment, taint, dict(metadata or {}))
        self.rows[namespace, key] = entry
        return entry

    async def get(self, namespace, key):
        return self.rows.get((namespace, key))

    async def forget(self, namespace, key):
        return self.rows.pop((namespace, key), None) is not None

    async def list(self, namespace, *, key_prefix=None, category=None, session_id=None, limit=100, cursor=None):
        return EntryPage([row for row in self.rows.values() if row.namespace == namespace], None)

    async def recall(self, namespace, query, *, limit=10, category=None, session_id=None, min_score=None, scope=None):
        return [row for row in self.rows.values() if row.namespace == namespace and query in row.content][:limit]

    async def namespaces(self):
        return []

    async def export_page(self, cursor=None, limit=100):
        return ExportPage([], None)

    async def import_records(self, records):
        return ImportOutcome(0, 0, [])


def spec(driver_id, provider=ToyProvider, contract_version=(1, 0)):
    return DriverSpec(id=driver_id, contract_version=contract_version, knobs=("url", "api_key"), open=provider)


@hookimpl
def memory_driver():
    return spec("toy")
