"""Diff: what changed since a point that the engine can name."""

from abc import ABC, abstractmethod
from collections.abc import Sequence

from attrs import frozen


@frozen
class Change:
    """One change of one key: `kind` is stored or forgotten."""

    namespace: str
    key: str
    kind: str


@frozen
class ChangePage:
    """Changes in the order in which they happened, and the point after the last of them."""

    changes: Sequence[Change]
    point: str
    more: bool


class Diff(ABC):
    """A feed of changes of one namespace."""

    @abstractmethod
    async def point(self, namespace: str) -> str:
        """The point that stands for now."""

    @abstractmethod
    async def changes(self, namespace: str, since: str, *, limit: int = 100) -> ChangePage:
        """What happened after `since`.

        Raises:
            InvalidInput: a point that this driver did not issue for this namespace, or one too old to answer from.
        """
