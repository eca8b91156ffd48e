"""Taking secrets out of text that somebody else wrote, such as a driver's traceback."""

import base64
import re
from collections.abc import Iterable, Mapping
from typing import Any, Final, Self
from urllib.parse import quote, quote_plus, urlsplit

from opencompany_memory.contract.hookspec import DriverConfig

HIDDEN: Final = "<redacted>"
_SHORTEST: Final = 4
"""Shorter pieces would take ordinary words out of every message."""


class Redactor:
    """Replaces secrets, and the forms in which they travel, with `<redacted>`.

    `public` are words that stay although they are a part of a secret: an engine at http://mem0:8000 must not take the
    name of its driver out of the log.
    """

    def __init__(self, secrets: Iterable[str], public: Iterable[str] = ()) -> None:
        kept = frozenset(public)
        patterns = {form: pattern for secret in secrets for form, pattern in _forms(secret)}
        wanted = [form for form in patterns if len(form) >= _SHORTEST and form not in kept]
        longest_first = sorted(wanted, key=lambda form: (-len(form), form))
        self._pattern = re.compile("|".join(patterns[form] for form in longest_first)) if longest_first else None

    @classmethod
    def of(cls, config: DriverConfig) -> Self:
        """One for what a driver was handed."""
        return cls(filter(None, (config.key, config.url)))

    def clean(self, text: str) -> str:
        """`text` without secrets."""
        return text if self._pattern is None else self._pattern.sub(HIDDEN, text)

    def clean_all(self, value: Any) -> Any:
        """A JSON value without secrets, names of members too."""
        if isinstance(value, str):
            return self.clean(value)
        if isinstance(value, Mapping):
            return {self.clean(str(name)): self.clean_all(item) for name, item in value.items()}
        if isinstance(value, list | tuple | set | frozenset):
            return [self.clean_all(item) for item in value]
        return value


def _forms(secret: str) -> Iterable[tuple[str, str]]:
    """What may stand for `secret` in a text, each with the pattern that finds it."""
    raw = secret.encode(errors="surrogatepass")
    for form in (
        secret,
        quote(raw, safe=""),
        quote_plus(raw, safe=""),
        base64.b64encode(raw).decode().rstrip("="),
        base64.urlsafe_b64encode(raw).decode().rstrip("="),
        raw.hex(),
        repr(secret)[1:-1],
    ):
        yield form, re.escape(form)
    if "://" not in secret:
        return
    try:
        parts = urlsplit(secret)
        host = parts.hostname or ""
    except ValueError:
        return
    for form in (parts.path.rstrip("/"), parts.query):
        yield form, re.escape(form)
    for form in (parts.netloc, host):
        found = f"(?i:{re.escape(form)})"
        # A bare name may be an everyday word, which is left alone inside of others.
        yield form, found if re.search(r"[.:]", form) else rf"(?<![\w-]){found}(?![\w-])"
