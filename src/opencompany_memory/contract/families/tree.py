"""Tree: summaries of summaries, from the whole down to the entries."""

from abc import ABC, abstractmethod
from collections.abc import Sequence

from attrs import field, frozen

from opencompany_memory.contract.records import Taint


@frozen
class TreeNode:
    """One node. `path` is the node's ids from the root down; an empty path is the root. A tainted child taints it."""

    namespace: str
    path: tuple[str, ...]
    summary: str = field(repr=False)
    child_count: int
    taint: Taint


class Tree(ABC):
    """A hierarchy of summaries that the engine keeps over a namespace."""

    @abstractmethod
    async def node(self, namespace: str, path: Sequence[str]) -> TreeNode | None:
        """The node at `path`, or None."""

    @abstractmethod
    async def children(self, namespace: str, path: Sequence[str], *, limit: int = 100) -> list[TreeNode]:
        """The nodes directly below `path`, in the engine's order."""
