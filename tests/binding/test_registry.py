"""The reserved table is data: complete, and read from wherever the package lies."""

from pathlib import Path

import pytest

from opencompany_memory.binding.registry import reserved_drivers


def test_the_seven_reserved_ids_have_their_class_and_distribution() -> None:
    table = reserved_drivers()
    assert {name: row.driver_class for name, row in table.items()} == {
        "store": "embedded",
        "null": "null",
        "supermemory": "external",
        "mem0": "external",
        "cognee": "external",
        "cortexdb": "external",
        "cortex": "external",
    }
    for name, row in table.items():
        assert row.distribution == ("opencompany-memory" if name == "store" else f"opencompany-memory-{name}")
        assert row.summary.endswith(".")
        assert set(row.knobs) <= {"url", "api_key", "actor"}


def test_a_missing_table_is_a_broken_installation(tmp_path: Path) -> None:
    with pytest.raises(RuntimeError, match="install opencompany-memory again"):
        reserved_drivers(tmp_path)
