"""Taking secrets out of text that somebody else wrote, such as a driver's traceback."""

import base64
import re
from collections.abc import Iterable
from typing import Final
from urllib.parse import quote, urlsplit

HIDDEN: Final = "<redacted>"
_SHORTEST: Final = 4
"""Shorter pieces would take ordinary words out of every message."""


class Redactor:
    """Replaces secrets, and the forms in which they travel, with `<redacted>`."""

    def __init__(self, secrets: Iterable[str]) -> None:
        forms = {form for secret in secrets for form in _forms(secret) if len(form) >= _SHORTEST}
        longest_first = sorted(forms, key=lambda form: (-len(form), form))
        self._pattern = re.compile("|".join(map(re.escape, longest_first))) if longest_first else None

    def clean(self, text: str) -> str:
        """`text` without secrets."""
        return text if self._pattern is None else self._pattern.sub(HIDDEN, text)


def _forms(secret: str) -> Iterable[str]:
    yield secret
    yield quote(secret, safe="")
    yield base64.b64encode(secret.encode()).decode().rstrip("=")
    yield repr(secret)[1:-1]
    if "://" in secret:
        try:
            parts = urlsplit(secret)
            yield from (parts.netloc, parts.hostname or "", parts.path.rstrip("/"), parts.query)
        except ValueError:
            return
