"""Admission: who may be loaded, as what, and where an engine may live."""

from ipaddress import ip_address
from pathlib import Path

import pytest

from opencompany_memory.binding.admission import admit, check_url, choose_installed
from opencompany_memory.binding.installed import InstalledDriver
from opencompany_memory.binding.refusal import BootRefused
from opencompany_memory.binding.registry import reserved_drivers
from opencompany_memory.binding.settings import read_settings

pytestmark = pytest.mark.anyio
TABLE = reserved_drivers()


def _installed(driver_id: str, distribution: str) -> InstalledDriver:
    return InstalledDriver(driver_id, distribution, "1.0", None, "m")


def _choose(driver_id: str, *installed: InstalledDriver, trust: frozenset[str] = frozenset()) -> InstalledDriver:
    return choose_installed(driver_id, TABLE.get(driver_id), trust, TABLE, installed)


def _refusal(driver_id: str, *installed: InstalledDriver, trust: frozenset[str] = frozenset()) -> BootRefused:
    with pytest.raises(BootRefused) as caught:
        _choose(driver_id, *installed, trust=trust)
    assert caught.value.step == "admit"
    return caught.value


async def _resolves(*addresses: str):  # type: ignore[no-untyped-def]
    async def resolve(host: str):  # type: ignore[no-untyped-def]
        return [ip_address(address) for address in addresses]

    return resolve


async def _url_refusal(url: str, *addresses: str) -> BootRefused:
    with pytest.raises(BootRefused) as caught:
        await check_url(url, await _resolves(*addresses))
    assert (caught.value.step, caught.value.knob) == ("admit", "OPENCOMPANY_MEMORY_URL")
    return caught.value


async def _admit(environ: dict[str, str], tmp_path: Path):  # type: ignore[no-untyped-def]
    settings = read_settings({"OPENCOMPANY_DATA_DIR": str(tmp_path), **environ})
    return await admit(settings, TABLE)


REMOTE = {
    "OPENCOMPANY_MEMORY": "remote",
    "OPENCOMPANY_MEMORY_URL": "https://127.0.0.1",
    "OPENCOMPANY_MEMORY_API_KEY": "sk-canary",
}


async def test_the_built_in_store_is_admitted_as_embedded(tmp_path: Path) -> None:
    admitted = await _admit({}, tmp_path)
    assert (admitted.driver_id, admitted.driver_class) == ("store", "embedded")
    assert admitted.installed.distribution == "opencompany-memory"
    assert admitted.config.data_folder == tmp_path / "memory"


async def test_an_embedded_driver_is_handed_no_url_and_no_key(tmp_path: Path) -> None:
    admitted = await _admit({**REMOTE, "OPENCOMPANY_MEMORY": "store"}, tmp_path)
    assert (admitted.config.url, admitted.config.key, admitted.config.actor) == (None, None, None)


async def test_mode_null_pins_class_null(tmp_path: Path) -> None:
    assert (await _admit({"OPENCOMPANY_MEMORY": "null"}, tmp_path)).driver_class == "null"


@pytest.mark.parametrize(("driver", "reserved_as"), [("store", "embedded"), ("null", "null")])
async def test_remote_with_an_id_reserved_otherwise_is_refused(driver: str, reserved_as: str, tmp_path: Path) -> None:
    with pytest.raises(BootRefused) as caught:
        await _admit({**REMOTE, "OPENCOMPANY_MEMORY_DRIVER": driver}, tmp_path)
    assert caught.value.code == "reserved-class"
    assert "class external" in caught.value.problem
    assert f"OPENCOMPANY_MEMORY_DRIVER={driver} is reserved as {reserved_as}" in caught.value.problem
    assert f"OPENCOMPANY_MEMORY={driver}" in caught.value.remedy


def test_a_reserved_driver_that_is_not_installed_names_distribution_and_command() -> None:
    refusal = _refusal("mem0")
    assert refusal.code == "driver-not-installed"
    assert "OPENCOMPANY_MEMORY_DRIVER=mem0" in refusal.problem
    assert "opencompany-memory-mem0" in refusal.problem
    assert refusal.remedy == "run `pip install opencompany-memory-mem0`"


def test_an_unknown_id_names_the_nearest_and_how_to_trust() -> None:
    refusal = _refusal("mem1")
    assert refusal.code == "unknown-driver"
    assert "did you mean mem0?" in refusal.remedy
    assert "OPENCOMPANY_MEMORY_TRUST" in refusal.remedy


def test_a_third_party_binds_only_when_trusted() -> None:
    acme = _installed("acme", "acme-memory")
    assert _refusal("acme", acme).code == "untrusted-driver"
    assert "OPENCOMPANY_MEMORY_TRUST" in _refusal("acme", acme).remedy
    assert _choose("acme", acme, trust=frozenset({"acme"})) is acme
    assert _refusal("acme", trust=frozenset({"acme"})).code == "driver-not-installed"


@pytest.mark.parametrize("genuine", [True, False])
def test_a_third_party_that_registers_a_reserved_id_is_refused_with_both_names(genuine: bool) -> None:
    installed = [_installed("mem0", "evil-mem0")] + [_installed("mem0", "opencompany-memory-mem0")] * genuine
    refusal = _refusal("mem0", *installed, trust=frozenset({"mem0"}))
    assert refusal.code == "driver-shadowed"
    assert "evil-mem0" in refusal.problem
    assert "opencompany-memory-mem0" in refusal.problem


def test_two_distributions_on_one_id_are_refused_with_both_names() -> None:
    refusal = _refusal("acme", _installed("acme", "acme-a"), _installed("acme", "acme-b"), trust=frozenset({"acme"}))
    assert refusal.code == "driver-ambiguous"
    assert "acme-a and acme-b" in refusal.problem


@pytest.mark.parametrize(
    ("url", "code"),
    [
        ("ftp://engine.example/secretpath", "url-scheme"),
        ("engine.example", "url-scheme"),
        ("file:///etc/passwd", "url-scheme"),
        ("https://", "url-malformed"),
        ("https:///secretpath", "url-malformed"),
        ("https://engine.example:99999", "url-malformed"),
        ("https://engine.example:0", "url-malformed"),
        ("https://[::1", "url-malformed"),
        ("https://engine.example/?key=secretpath", "url-malformed"),
        ("https://engine.example/#secretpath", "url-malformed"),
        ("https://engine .example", "url-malformed"),
        ("https://169%2E254%2E169%2E254/", "url-malformed"),
        ("https://169。254。169。254/", "url-forbidden-address"),
        ("https://[fe80::1%25eth0]/", "url-forbidden-address"),
        ("https://engine.example\\@evil.example", "url-credentials"),
        ("https://user:secretpath@engine.example", "url-credentials"),
        ("https://user@engine.example", "url-credentials"),
        ("http://169.254.169.254/latest", "url-forbidden-address"),
        ("https://2852039166/", "url-forbidden-address"),
        ("https://[::ffff:169.254.169.254]/", "url-forbidden-address"),
        ("https://metadata.google.internal/", "url-forbidden-address"),
        ("http://0.0.0.0:8000", "url-forbidden-address"),
        ("http://8.8.8.8", "url-plain-http"),
    ],
)
async def test_a_url_that_no_engine_may_have_is_refused_without_printing_it(url: str, code: str) -> None:
    refusal = await _url_refusal(url, "93.184.216.34")
    assert refusal.code == code
    for part in ("secretpath", "engine", "169.254", "user", "8.8.8.8", url):
        assert part not in str(refusal).replace("memory engine", "").replace("engine may", "")


async def test_a_name_is_judged_by_what_it_resolves_to() -> None:
    assert (await _url_refusal("https://engine.example", "169.254.169.254")).code == "url-forbidden-address"
    assert (await _url_refusal("https://engine.example", "93.184.216.34", "fe80::1")).code == "url-forbidden-address"
    assert (await _url_refusal("http://engine.example", "10.0.0.1", "93.184.216.34")).code == "url-plain-http"
    assert await check_url("http://engine.example", await _resolves("10.0.0.1", "127.0.0.1")) == ()
    assert await check_url("https://engine.example/base", await _resolves("93.184.216.34")) == ()


async def test_a_name_that_does_not_resolve_is_a_warning_over_https_and_a_refusal_over_http() -> None:
    (warning,) = await check_url("https://engine.example", await _resolves())
    assert "does not resolve" in warning
    assert "engine.example" not in warning
    assert (await _url_refusal("http://engine.example")).code == "url-unresolved"


@pytest.mark.parametrize(
    "url", ["http://127.0.0.1:8000", "http://[::1]:8000/v1", "https://10.0.0.7", "HTTPS://10.0.0.7/"]
)
async def test_loopback_and_private_addresses_are_admitted(url: str) -> None:
    assert await check_url(url, await _resolves()) == ()
