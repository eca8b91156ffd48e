"""Documents: whole texts under an id, with a title."""

from abc import ABC, abstractmethod
from collections.abc import Sequence
from datetime import datetime

from attrs import field, frozen

from opencompany_memory.contract.records import Metadata, Taint


@frozen
class Document:
    """A whole text. `timestamp` is aware, UTC."""

    document_id: str
    namespace: str
    title: str = field(repr=False)
    body: str = field(repr=False)
    media_type: str
    timestamp: datetime
    taint: Taint
    metadata: Metadata = field(repr=False)


@frozen
class DocumentPage:
    """Some documents; `next_cursor` asks for what follows, None says that nothing does."""

    documents: Sequence[Document]
    next_cursor: str | None


class Documents(ABC):
    """Whole texts, one per (namespace, document id)."""

    @abstractmethod
    async def put_document(
        self,
        namespace: str,
        document_id: str,
        body: str,
        *,
        taint: Taint,
        title: str = "",
        media_type: str = "text/plain",
        metadata: Metadata | None = None,
        timestamp: datetime | None = None,
    ) -> Document:
        """Write the document, replacing what was under this id."""

    @abstractmethod
    async def get_document(self, namespace: str, document_id: str) -> Document | None:
        """The document, or None."""

    @abstractmethod
    async def list_documents(self, namespace: str, *, limit: int = 100, cursor: str | None = None) -> DocumentPage:
        """Documents newest first, ties by id."""

    @abstractmethod
    async def delete_document(self, namespace: str, document_id: str) -> bool:
        """Remove the document. True when there was one."""
