"""Namespaces: derived by the host from a company id on every call, never written by a caller.

`oc/<segment>/<scope>`. A segment is the raw id with every character outside `[A-Za-z0-9_-]` replaced by `_` and cut to
48, then `-`, then the first 16 bytes of SHA-256 of the raw id in hex; of an empty id it is `h-<hex>`. The hash makes it
injective, the rest makes it readable. Agent and desk ids become segments by the same rule.
"""

import enum
import hashlib
import re
from functools import lru_cache
from typing import Final, Self

from opencompany_memory.contract import InvalidInput

_UNSAFE: Final = re.compile(r"[^A-Za-z0-9_-]")
_READABLE: Final = 48
_ROOT: Final = "oc"


class Scope(enum.Enum):
    """The closed set of what a company's memory is divided into; agents and desks have their own, see `Namespace`."""

    FACTS = "facts"
    TRACES = "traces"
    ARCHIVE = "archive"
    TASK_RESULTS = "task-results"
    CONTEXT = "context"
    SCRATCH = "scratch"
    OPENWOP = "openwop"
    CANARY = "canary"


class Namespace:
    """The address of one company's memory in one scope. `str()` of it is what a driver is handed.

    There is no public constructor: whoever holds a namespace got it for a company id.
    """

    __slots__ = ("_text",)
    _text: str

    def __init__(self) -> None:
        raise TypeError("a namespace is derived: Namespace.of(company, scope), .of_agent or .of_desk")

    @classmethod
    def of(cls, company: str, scope: Scope) -> Self:
        """The namespace of `company` in `scope`.

        Raises:
            InvalidInput: the id is not text. An empty id is a company of its own, never all of them.
        """
        if not isinstance(scope, Scope):
            raise InvalidInput(f"a scope is one of {', '.join(s.name for s in Scope)}, not a {type(scope).__name__}")
        return cls._make(f"{cls.prefix(company)}{scope.value}")

    @classmethod
    def of_agent(cls, company: str, agent: str) -> Self:
        """The namespace of one agent of `company`. Raises like `of`."""
        return cls._make(f"{cls.prefix(company)}agent/{_segment(_checked(agent, 'agent'))}")

    @classmethod
    def of_desk(cls, company: str, desk: str) -> Self:
        """The namespace of one desk of `company`. Raises like `of`."""
        return cls._make(f"{cls.prefix(company)}desk/{_segment(_checked(desk, 'desk'))}")

    @classmethod
    def canary(cls) -> Self:
        """The namespace that probes use; no company's memory is there."""
        return cls.of("", Scope.CANARY)

    @classmethod
    def prefix(cls, company: str) -> str:
        """What all namespaces of `company` begin with, and no other company's. Raises like `of`."""
        return f"{_ROOT}/{_segment(_checked(company, 'company'))}/"

    @classmethod
    def _make(cls, text: str) -> Self:
        made = object.__new__(cls)
        object.__setattr__(made, "_text", text)
        return made

    def __setattr__(self, name: str, value: object) -> None:
        raise AttributeError("a namespace can't be changed")

    def __delattr__(self, name: str) -> None:
        raise AttributeError("a namespace can't be changed")

    def __str__(self) -> str:
        return self._text

    def __repr__(self) -> str:
        return f"<Namespace {self._text}>"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Namespace) and other._text == self._text

    def __hash__(self) -> int:
        return hash(self._text)


def _checked(raw: object, what: str) -> str:
    if not isinstance(raw, str):
        raise InvalidInput(f"the {what} id must be text, not {type(raw).__name__}")
    return raw


@lru_cache(maxsize=4096)
def _segment(raw: str) -> str:
    try:
        digest = hashlib.sha256(raw.encode()).digest()[:16].hex()
    except UnicodeEncodeError:
        raise InvalidInput("an id holds a lone surrogate, which is not text in UTF-8") from None
    return f"{_UNSAFE.sub('_', raw)[:_READABLE] or 'h'}-{digest}"
