"""How a driver describes itself, and what it is handed."""

from pathlib import Path

import attrs
import pluggy
import pytest

from opencompany_memory.contract import CONTRACT_VERSION, ContractVersion, DriverConfig, DriverSpec, hookimpl
from opencompany_memory.contract.hookspec import PROJECT_NAME, Hooks
from tests.support.memory_engine import MemoryEngine


def test_a_config_shows_that_something_is_set_and_never_what() -> None:
    config = DriverConfig(
        url="https://user@engine.example", key="sk-canary", actor="agent:7", data_folder=Path("/srv/secret")
    )
    text = f"{config!r} {config} {[config]}"
    assert "<set>" in text
    for secret in ("engine.example", "sk-canary", "agent:7", "/srv/secret"):
        assert secret not in text


def test_a_config_shows_what_is_not_set() -> None:
    assert repr(DriverConfig(data_folder=Path("x"))).count("<not set>") == 3


def test_a_config_cannot_be_changed() -> None:
    with pytest.raises(attrs.exceptions.FrozenInstanceError):
        DriverConfig(data_folder=Path("x")).key = "other"  # type: ignore[misc]


def test_a_description_does_not_take_the_hosts_contract_for_its_own() -> None:
    assert DriverSpec(id="x", open=lambda _: MemoryEngine()).contract_version is None


def test_the_contract_version_reads_as_two_numbers() -> None:
    assert str(ContractVersion(1, 9)) == "1.9"
    assert CONTRACT_VERSION == (1, 0)


def test_a_plugin_answers_the_one_hook() -> None:
    class Plugin:
        @hookimpl
        def memory_driver(self) -> DriverSpec:
            return DriverSpec(id="x", open=lambda _: MemoryEngine())

    manager = pluggy.PluginManager(PROJECT_NAME)
    manager.add_hookspecs(Hooks)
    manager.register(Plugin())
    manager.check_pending()
    assert [spec.id for spec in manager.hook.memory_driver()] == ["x"]
