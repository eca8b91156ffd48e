"""What a driver hands to the host: one provider object for one engine."""

from abc import abstractmethod
from collections.abc import Iterable
from types import TracebackType
from typing import Self

from opencompany_memory.contract.families import (
    Chunks,
    Core,
    Diff,
    Documents,
    Entities,
    Episodic,
    Goals,
    Graph,
    Ingest,
    Maintenance,
    People,
    Portability,
    Profile,
    Recall,
    Retrieval,
    Sources,
    ToolMemory,
    Tree,
)
from opencompany_memory.contract.health import Health


class MemoryProvider(Core, Recall, Portability):
    """One engine, opened.

    `core`, `recall` and `portability` are base classes: a provider without them can't be made. Every other family is
    reached by the accessor of its name, which is None unless a driver overrides it with a property or an attribute.
    What a provider can do is derived by the host from these objects; `capabilities()` is only compared with it.

    Usable as an async context manager, which closes it.
    """

    @property
    @abstractmethod
    def driver_id(self) -> str:
        """The id under which the driver is registered."""

    @property
    @abstractmethod
    def contract_version(self) -> tuple[int, int]:
        """The contract that the driver was built for."""

    @abstractmethod
    def capabilities(self) -> Iterable[str]:
        """The names of the families that the driver advertises. No network."""

    @abstractmethod
    async def health(self) -> Health:
        """How the engine is right now. Says which knob to change where that would help.

        Never raises for an engine that is down: that is what `Down` is for.
        """

    @abstractmethod
    async def aclose(self) -> None:
        """Finish what runs and let go of every resource. Calling it again does nothing."""

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.aclose()

    ingest: Ingest | None = None
    documents: Documents | None = None
    tree: Tree | None = None
    entities: Entities | None = None
    graph: Graph | None = None
    diff: Diff | None = None
    goals: Goals | None = None
    tool_memory: ToolMemory | None = None
    sources: Sources | None = None
    maintenance: Maintenance | None = None
    people: People | None = None
    chunks: Chunks | None = None
    retrieval: Retrieval | None = None
    profile: Profile | None = None
    episodic: Episodic | None = None
