"""Registers a reserved id."""

from toy_engine import memory_driver  # noqa: F401
