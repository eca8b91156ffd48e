"""A correct driver over a dictionary, and the ways in which it can be broken: one `defect` each."""

import asyncio
import unicodedata
from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Any

import attrs

from opencompany_memory.contract import (
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
from opencompany_memory.contract.families import Documents

Entries = list[MemoryEntry]
Slot = tuple[str, str]


class MemoryEngine(MemoryProvider):
    """Everything in one dictionary by (namespace, key). Correct unless a defect is named."""

    def __init__(self, defect: str = "") -> None:
        self.defect = defect
        self.entries: dict[Slot, Entries] = {}
        self.forgotten: Entries = []
        self.closed = 0
        if defect == "over-claims a family":
            self.claims: tuple[str, ...] = ("core", "recall", "portability", "graph")
        elif defect == "claims an unknown family":
            self.claims = ("core", "recall", "portability", "telepathy")
        elif defect == "claims less than it has":
            self.claims = ("core", "portability")
        else:
            self.claims = ("core", "recall", "portability")

    def has(self, *defects: str) -> bool:
        return self.defect in defects

    @property
    def driver_id(self) -> str:
        return "memory-engine"

    @property
    def contract_version(self) -> tuple[int, int]:
        return (2, 0) if self.has("another contract") else (1, 0)

    def capabilities(self) -> tuple[str, ...]:
        return self.claims

    async def health(self) -> Health:
        if self.has("health raises"):
            raise RuntimeError("no")
        return Ready()

    async def aclose(self) -> None:
        self.closed += 1
        if self.closed > 1 and self.has("closes once only"):
            raise RuntimeError("closed already")

    # -- core

    def slot(self, namespace: str, key: str) -> Slot:
        if self.has("folds case of keys"):
            key = key.lower()
        if self.has("normalises keys"):
            key = unicodedata.normalize("NFC", key)
        if self.has("strips keys"):
            key = key.strip() or key
        if self.has("cuts keys"):
            key = key[:255]
        if self.has("folds namespaces"):
            namespace = namespace.replace(":", "_").replace("/", "_")
        if self.has("folds case of namespaces"):
            namespace = namespace.lower()
        return namespace, key

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
        if not self.has("accepts an empty namespace"):
            check.check_namespace(namespace)
        if not self.has("accepts surrogates"):
            check.check_text(content, "the content")
            if not self.has("accepts nested metadata"):
                check.check_metadata(metadata)
            check.check_session(session_id)
            check.check_key(key)
        if self.has("accepts nested metadata", "accepts surrogates"):
            flat: dict[str, Any] = dict(metadata or {})
        else:
            flat = check.check_metadata(metadata)
        if timestamp is not None and timestamp.tzinfo is None and self.has("accepts naive timestamps"):
            timestamp = timestamp.replace(tzinfo=UTC)
        moment = check.check_timestamp(timestamp)
        entry = MemoryEntry(str(len(self.entries)), namespace, key, content, category, session_id, moment, taint, flat)
        entry = self._spoiled(entry)
        slot = self.slot(namespace, key)
        if self.has("races writers"):
            there = slot in self.entries
            await asyncio.sleep(0)
            if not there:
                self.entries.setdefault(slot, []).append(entry)
                return entry
        if self.has("keeps nothing"):
            return entry
        if self.has("is seen late"):
            asyncio.get_running_loop().call_soon(self.entries.__setitem__, slot, [entry])
            return entry
        if self.has("upsert duplicates"):
            self.entries.setdefault(slot, []).append(entry)
        elif self.has("upsert keeps old fields") and slot in self.entries:
            self.entries[slot] = [attrs.evolve(self.entries[slot][0], content=content)]
        elif self.has("loses duplicates of content") and any(
            e.content == content and e.namespace == namespace and self.slot(namespace, e.key) != slot
            for those in self.entries.values()
            for e in those
        ):
            return entry
        else:
            if slot in self.entries:
                self.forgotten += self.entries[slot]
            self.entries[slot] = [entry]
        return entry

    def _spoiled(self, entry: MemoryEntry) -> MemoryEntry:
        change: dict[str, Any] = {
            "metadata of text": lambda: {"metadata": {k: str(v) for k, v in entry.metadata.items()}},
            "metadata int to float": lambda: {
                "metadata": {k: float(v) if type(v) is int else v for k, v in entry.metadata.items()}
            },
            "metadata bool to int": lambda: {
                "metadata": {k: int(v) if type(v) is bool else v for k, v in entry.metadata.items()}
            },
            "metadata drops none": lambda: {"metadata": {k: v for k, v in entry.metadata.items() if v is not None}},
            "metadata drops dotted keys": lambda: {
                "metadata": {k: v for k, v in entry.metadata.items() if "." not in k}
            },
            "timestamp to the second": lambda: {"timestamp": entry.timestamp.replace(microsecond=0)},
            "timestamp is now": lambda: {"timestamp": datetime.now(UTC)},
            "strips content": lambda: {"content": entry.content.strip()},
            "cuts content at nul": lambda: {"content": entry.content.split("\0")[0]},
            "cuts content": lambda: {"content": entry.content[:16_000]},
            "normalises content": lambda: {"content": unicodedata.normalize("NFC", entry.content)},
            "folds line ends": lambda: {"content": entry.content.replace("\r\n", "\n").replace("\r", "\n")},
            "parses json": lambda: {"content": entry.content.strip('"')},
            "drops astral planes": lambda: {"content": "".join(c for c in entry.content if ord(c) < 0x10000)},
            "forgets the taint": lambda: {"taint": Taint.INTERNAL},
            "forgets the session": lambda: {"session_id": None},
            "folds custom categories": lambda: {
                "category": Category.parse(entry.category.custom_name)
                if entry.category.custom_name in ("core", "daily")
                else entry.category
            },
        }.get(self.defect, dict)()
        return attrs.evolve(entry, **change)

    async def get(self, namespace: str, key: str) -> MemoryEntry | None:
        if not self.has("accepts an empty namespace"):
            check.check_namespace(namespace)
        check.check_key(key)
        found = self.entries.get(self.slot(namespace, key))
        if found is None and self.has("absence is an error"):
            raise KeyError(key)
        return found[-1] if found else None

    async def forget(self, namespace: str, key: str) -> bool:
        check.check_namespace(namespace)
        check.check_key(key)
        if self.has("forgets nothing"):
            return self.slot(namespace, key) in self.entries
        if self.has("forgets by prefix"):
            for slot in [s for s in self.entries if s[0] == namespace and s[1].startswith(key) and s[1] != key]:
                del self.entries[slot]
        found = self.entries.pop(self.slot(namespace, key), [])
        self.forgotten += found
        return True if self.has("forget is always true") else bool(found)

    def visible(self, namespace: str) -> Entries:
        def ours(name: str) -> bool:
            if self.has("lists by namespace prefix"):
                return name.startswith(namespace)
            return self.slot(name, "k")[0] == self.slot(namespace, "k")[0]

        return [entry for (name, _), found in self.entries.items() if ours(name) for entry in found]

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
        check.check_namespace(namespace)
        if not self.has("accepts a limit of zero"):
            limit = check.check_limit(limit)
        found = [
            entry
            for entry in self.visible(namespace)
            if (key_prefix is None or self._begins(entry.key, key_prefix))
            and (category is None or self.has("ignores category") or entry.category == category)
            and (session_id is None or self.has("ignores session") or entry.session_id == session_id)
        ]
        found.sort(key=lambda entry: entry.key, reverse=self.has("ties in wrong order"))
        found.sort(key=lambda entry: entry.timestamp, reverse=not self.has("oldest first"))
        if self.has("caps at ten"):
            found = found[:10]
        purpose = f"{namespace}|{key_prefix}|{category}|{session_id}"
        start = self._start(found, purpose, cursor)
        page = found[start : start + limit]
        more = start + limit < len(found)
        if self.has("never ends") and not more and found:
            return EntryPage(page, cursor or self._cursor(found[-1:], purpose, start + limit))
        return EntryPage(page, self._cursor(page, purpose, start + limit) if more else None)

    def _begins(self, key: str, prefix: str) -> bool:
        if self.has("prefix folds case"):
            return key.lower().startswith(prefix.lower())
        if self.has("prefix is a pattern"):
            import fnmatch

            return fnmatch.fnmatchcase(key, prefix + "*")
        return key.startswith(prefix)

    def _cursor(self, page: Sequence[MemoryEntry], purpose: str, offset: int) -> str:
        if self.has("pages by offset"):
            return f"o|{offset}|{purpose}"
        last = page[-1]
        return f"c|{last.timestamp.isoformat()}|{last.key}|{purpose}"

    def _start(self, found: Entries, purpose: str, cursor: str | None) -> int:
        if cursor is None:
            return 0
        if self.has("pages by offset") and cursor.startswith("o|"):
            return int(cursor.split("|")[1])
        foreign = not cursor.startswith("c|") or not cursor.endswith(f"|{purpose}")
        if foreign:
            if self.has("accepts foreign cursors"):
                return 0
            if not (self.has("accepts cursors of other filters") and cursor.startswith("c|")):
                raise InvalidInput("a foreign cursor")
        _, moment, key, *_ = cursor.split("|")
        at = datetime.fromisoformat(moment)
        rest = [e for e in found if e.timestamp < at or (e.timestamp == at and e.key > key)]
        return len(found) - len(rest)

    # -- recall

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
        check.check_namespace(namespace)
        if not self.has("accepts a limit of zero"):
            limit = check.check_limit(limit)
        if self.has("query is syntax") and query.count('"') % 2:
            raise RuntimeError("unterminated string")
        words = _words(query)
        if not words and not self.has("empty query finds all"):
            return []
        pool = self.visible(namespace)
        if self.has("recall ignores the namespace"):
            pool = [entry for found in self.entries.values() for entry in found]
        if self.has("recalls the forgotten"):
            pool = pool + [entry for entry in self.forgotten if entry.namespace == namespace]
        hits = []
        for entry in pool:
            text = entry.content if self.has("matching counts case") else entry.content.casefold()
            score = sum(word in text for word in words) / max(1, len(words))
            if score == 0 and words and not self.has("finds anything"):
                continue
            if category is not None and not self.has("recall ignores category") and entry.category != category:
                continue
            if session_id is not None and not self.has("recall ignores session") and entry.session_id != session_id:
                continue
            if scope is not None and not scope.admits(entry.metadata):
                empty_means_all = self.has("an empty scope is no scope") and not scope.allow
                if not empty_means_all and not self.has("recall ignores the scope"):
                    continue
            if self.has("scores above one"):
                score *= 10
            if min_score is not None and score < min_score and not self.has("ignores the least score"):
                continue
            taint = Taint.INTERNAL if self.has("recall forgets the taint") else entry.taint
            hits.append(attrs.evolve(entry, score=score, taint=taint))
        hits.sort(key=lambda entry: (-(entry.score or 0), entry.key), reverse=self.has("worst first"))
        return hits if self.has("recall ignores the limit") else hits[:limit]

    # -- portability

    async def namespaces(self) -> Sequence[NamespaceSummary]:
        if self.has("lists no namespaces"):
            return []
        found: dict[str, Entries] = {}
        for entries in self.entries.values():
            for entry in entries:
                found.setdefault(entry.namespace, []).append(entry)
        return [NamespaceSummary(n, len(e), max(x.timestamp for x in e)) for n, e in sorted(found.items())]

    async def export_page(self, cursor: str | None = None, limit: int = 100) -> ExportPage:
        everything = sorted(self.entries.items())
        start = 0
        if cursor is not None:
            if not cursor.startswith("export|") and not self.has("accepts foreign export cursors"):
                raise InvalidInput("a foreign cursor")
            start = int(cursor.split("|")[1]) if cursor.startswith("export|") else 0
        if self.has("exports the first page only") and start:
            return ExportPage([], None)
        page = [ExportRecord.of(found[-1]) for _, found in everything[start : start + limit]]
        more = start + limit < len(everything)
        return ExportPage(page, f"export|{start + limit}" if more else None)

    async def import_records(self, records: Sequence[ExportRecord]) -> ImportOutcome:
        imported = skipped = 0
        failed = []
        for record in records:
            try:
                check.check_key(record.key)
                check.check_text(record.content, "the content")
            except InvalidInput as error:
                if self.has("a bad record stops an import"):
                    raise
                reason = f"{error}: {record.content!r}" if self.has("failures repeat content") else str(error)
                failed.append(ImportFailure(record.namespace, "a bad key", reason))
                continue
            known = await MemoryEngine.get(self, record.namespace, record.key)
            if known is not None and not self.has("imports twice") and self._same(ExportRecord.of(known), record):
                skipped += 1
                continue
            imported += 1
            now = datetime.now(UTC)
            entry = MemoryEntry(
                "i",
                record.namespace,
                record.key,
                record.content,
                record.category,
                record.session_id,
                now if self.has("import stamps the time") else record.timestamp,
                Taint.INTERNAL if self.has("import stamps the taint") else record.taint,
                record.metadata,
            )
            self.entries[self.slot(record.namespace, record.key)] = [entry]
        return ImportOutcome(imported, skipped, failed)

    def _same(self, one: ExportRecord, other: ExportRecord) -> bool:
        if self.has("import takes 1 for true"):
            return one == other
        types = [type(value) for value in one.metadata.values()] == [type(value) for value in other.metadata.values()]
        return one == other and types


class HalfDocuments(MemoryEngine):
    """Advertises documents and has an object that does not implement them."""

    class Stub(Documents):
        put_document = None  # type: ignore[assignment]

    Stub.__abstractmethods__ = frozenset()  # type: ignore[attr-defined]

    def __init__(self) -> None:
        super().__init__()
        self.claims = (*self.claims, "documents")
        self.documents = HalfDocuments.Stub()  # type: ignore[abstract]


def _words(text: str) -> list[str]:
    cleaned = "".join(c.casefold() if c.isalnum() else " " for c in text)
    return [word for word in cleaned.split() if word not in ("the", "of", "and")]
