"""One of two that register the same id."""

from toy_engine import memory_driver  # noqa: F401
