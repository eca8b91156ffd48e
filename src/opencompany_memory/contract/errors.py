"""Everything that a memory engine can answer other than a result.

    MemoryEngineError
    ├── InvalidInput    invalid_input    the caller's arguments cannot be accepted as they are
    ├── NotFound        not_found        something that the call depends on does not exist
    ├── Unauthorized    unauthorized     the engine does not accept the credential
    ├── Forbidden       forbidden        the credential is good, and not allowed to do this
    ├── RateLimited     rate_limited     retryable; `retry_after` in seconds where the engine said so
    ├── Timeout         timeout          retryable; no answer within the deadline
    ├── Unreachable     unreachable      retryable; no connection to the engine
    ├── Backend         backend          retryable; the engine answered 5xx or nonsense
    ├── Unsupported     unsupported      the bound engine does not have this capability family
    ├── TooLarge        too_large        more than this engine can hold
    └── Conflict        conflict         somebody else changed the same thing first

The wire name (second column) is stable: it is what HTTP problem documents, tool errors and audit events carry.

Absence is `None`, never an error, and a failure is never reported as absence. A message names the driver and the class
of failure; it never holds a credential, a full URL, or memory content.
"""

from typing import ClassVar


class MemoryEngineError(Exception):
    """Base of every error that a driver may raise. Raise one of its subclasses."""

    wire_name: ClassVar[str] = "engine_error"
    retryable: ClassVar[bool] = False

    def __init__(self, message: str, *, driver: str | None = None) -> None:
        super().__init__(f"{driver}: {message}" if driver else message)
        self.driver = driver


class InvalidInput(MemoryEngineError):
    """The arguments cannot be accepted: a lone surrogate, a foreign cursor, a limit below one."""

    wire_name = "invalid_input"


class NotFound(MemoryEngineError):
    """Something that the call depends on is not there. A missing entry is `None`, not this."""

    wire_name = "not_found"


class Unauthorized(MemoryEngineError):
    """The engine does not accept the credential."""

    wire_name = "unauthorized"


class Forbidden(MemoryEngineError):
    """The credential is good and may not do this."""

    wire_name = "forbidden"


class RateLimited(MemoryEngineError):
    """The engine asks for fewer calls. `retry_after` is in seconds, None where the engine did not say."""

    wire_name = "rate_limited"
    retryable = True

    def __init__(self, message: str, *, driver: str | None = None, retry_after: float | None = None) -> None:
        super().__init__(message, driver=driver)
        self.retry_after = retry_after


class Timeout(MemoryEngineError):
    """No answer within the deadline. A write may or may not have landed: read before writing again."""

    wire_name = "timeout"
    retryable = True


class Unreachable(MemoryEngineError):
    """No connection to the engine could be made."""

    wire_name = "unreachable"
    retryable = True


class Backend(MemoryEngineError):
    """The engine answered, with a server error or with something that is not the promised answer."""

    wire_name = "backend"
    retryable = True


class Unsupported(MemoryEngineError):
    """The bound engine does not have the capability family `family`."""

    wire_name = "unsupported"

    def __init__(self, message: str, *, family: str, driver: str | None = None) -> None:
        super().__init__(message, driver=driver)
        self.family = family


class TooLarge(MemoryEngineError):
    """More than this engine can hold in one entry."""

    wire_name = "too_large"


class Conflict(MemoryEngineError):
    """Somebody else changed the same thing first."""

    wire_name = "conflict"


ERRORS: tuple[type[MemoryEngineError], ...] = (
    InvalidInput,
    NotFound,
    Unauthorized,
    Forbidden,
    RateLimited,
    Timeout,
    Unreachable,
    Backend,
    Unsupported,
    TooLarge,
    Conflict,
)
