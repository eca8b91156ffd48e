"""The error tree."""

import re

import pytest

from opencompany_memory.contract import ERRORS, InvalidInput, MemoryEngineError, RateLimited, Unsupported, errors

# Stable for ever: HTTP problem documents, tool errors and audit logs carry them.
WIRE = {
    "InvalidInput": ("invalid_input", False),
    "NotFound": ("not_found", False),
    "Unauthorized": ("unauthorized", False),
    "Forbidden": ("forbidden", False),
    "RateLimited": ("rate_limited", True),
    "Timeout": ("timeout", True),
    "Unreachable": ("unreachable", True),
    "Backend": ("backend", True),
    "Unsupported": ("unsupported", False),
    "TooLarge": ("too_large", False),
    "Conflict": ("conflict", False),
}


def test_wire_names_and_retryable_are_as_promised() -> None:
    assert {e.__name__: (e.wire_name, e.retryable) for e in ERRORS} == WIRE


@pytest.mark.parametrize("error", ERRORS)
def test_every_error_stands_directly_under_the_one_base(error: type[MemoryEngineError]) -> None:
    assert error.__bases__ == (MemoryEngineError,)


def test_every_error_of_the_module_is_listed() -> None:
    found = {e for e in vars(errors).values() if isinstance(e, type) and issubclass(e, MemoryEngineError)}
    assert found == {MemoryEngineError, *ERRORS}


def test_the_tree_at_the_top_of_the_module_is_the_tree() -> None:
    drawn = re.findall(r"── (\w+)\s+(\w+)\s+(retryable)?", errors.__doc__ or "")
    assert {name: (wire, bool(retryable)) for name, wire, retryable in drawn} == WIRE


def test_a_message_begins_with_the_driver() -> None:
    error = InvalidInput("the key is empty", driver="mem0")
    assert (str(error), error.driver) == ("mem0: the key is empty", "mem0")
    assert str(InvalidInput("the key is empty")) == "the key is empty"


def test_an_error_keeps_what_a_caller_acts_on() -> None:
    assert RateLimited("slow down", retry_after=1.5).retry_after == 1.5
    assert RateLimited("slow down").retry_after is None
    assert Unsupported("no graph", family="graph").family == "graph"
