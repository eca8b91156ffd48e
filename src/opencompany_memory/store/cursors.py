"""Cursors: opaque to the caller, bound to the call that issued them, and cheap to tell from foreign ones."""

import base64
import binascii
import hashlib
import json
from typing import Any, Final

from opencompany_memory.contract import InvalidInput
from opencompany_memory.store.failures import DRIVER

_CHECK_BYTES: Final = 8


def encode(purpose: tuple[object, ...], position: list[Any]) -> str:
    """A cursor at `position` of the walk that `purpose` describes."""
    body = json.dumps(position, separators=(",", ":")).encode()
    return base64.urlsafe_b64encode(_check(purpose, body) + body).decode()


def decode(purpose: tuple[object, ...], cursor: str) -> list[Any]:
    """The position in `cursor`.

    Raises:
        InvalidInput: not a cursor of this store, or one of a walk with other arguments.
    """
    try:
        raw = base64.b64decode(cursor.encode("ascii"), altchars=b"-_", validate=True)
    except (binascii.Error, ValueError, AttributeError):
        raise _foreign() from None
    check, body = raw[:_CHECK_BYTES], raw[_CHECK_BYTES:]
    if check != _check(purpose, body):
        raise _foreign()
    position: list[Any] = json.loads(body)
    return position


def _check(purpose: tuple[object, ...], body: bytes) -> bytes:
    return hashlib.sha256(b"opencompany store cursor\0" + repr(purpose).encode() + b"\0" + body).digest()[:_CHECK_BYTES]


def _foreign() -> InvalidInput:
    return InvalidInput("this cursor was not issued for these arguments; start again without a cursor", driver=DRIVER)
