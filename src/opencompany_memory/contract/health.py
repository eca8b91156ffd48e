"""What a driver says of its engine right now: `Ready`, `Degraded(reason)` or `Down(reason)`.

A reason is one line for an operator. It names the knob to change where one would help, and never a credential, a URL or
memory content.
"""

from typing import ClassVar

from attrs import frozen


@frozen
class Ready:
    """The engine answers and does what it promises."""

    state: ClassVar[str] = "ready"
    reason: str = ""


@frozen
class Degraded:
    """The engine answers, and something that matters is worse than promised."""

    reason: str
    state: ClassVar[str] = "degraded"


@frozen
class Down:
    """The engine does not answer, or does not accept us."""

    reason: str
    state: ClassVar[str] = "down"


Health = Ready | Degraded | Down
