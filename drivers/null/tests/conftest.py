"""Fixtures of the driver's tests."""

import pytest


@pytest.fixture(scope="session")
def anyio_backend() -> str:
    """The host runs on asyncio only."""
    return "asyncio"
