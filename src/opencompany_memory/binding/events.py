"""What the bind audit log is made of: one event for each thing that a step of a boot found."""

from collections.abc import Mapping
from typing import Any, Final

from attrs import Factory, frozen

OK: Final = "ok"
NOTE: Final = "note"
WARNING: Final = "warning"
REFUSED: Final = "refused"

SETTINGS: Final = "settings"
ADMIT: Final = "admit"
LOAD: Final = "load"
AUDIT: Final = "audit"
PROBE: Final = "probe"
BIND: Final = "bind"
LOG: Final = "log"
"""Events about the log itself: a torn line set aside, lines that are missing."""


@frozen
class BindEvent:
    """One event.

    Attributes:
        step: one of the five steps, `bind`, or `log`.
        outcome: ok, note, warning or refused. Each step ends with exactly one ok or refused.
        reason: one line for an operator.
        code: of a refusal, or a short name of a note or warning.
        fields: the rest; see docs/reference/audit-log.md.
    """

    step: str
    outcome: str
    reason: str = ""
    code: str | None = None
    fields: Mapping[str, Any] = Factory(dict)
