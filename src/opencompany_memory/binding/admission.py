"""Step 2: admit. A decision from data: the settings, the reserved table, and what is installed."""

import asyncio
import difflib
import socket
from collections.abc import Awaitable, Callable, Mapping, Sequence
from ipaddress import ip_address
from typing import Final
from urllib.parse import SplitResult, urlsplit

from attrs import frozen

from opencompany_memory.binding import knobs
from opencompany_memory.binding.installed import InstalledDriver, installed_drivers
from opencompany_memory.binding.refusal import BootRefused
from opencompany_memory.binding.registry import ReservedDriver
from opencompany_memory.binding.settings import Settings
from opencompany_memory.contract.addresses import IPAddress, Reach, classify, is_metadata_name, normal_host, parse_host
from opencompany_memory.contract.hookspec import DriverConfig

STEP: Final = "admit"
EXTERNAL: Final = "external"
_RESOLVE_SECONDS: Final = 5.0

Resolve = Callable[[str], Awaitable[Sequence[IPAddress]]]


@frozen
class Admitted:
    """A driver that may be loaded. `driver_class` is pinned here; `config` is all that it will read."""

    driver_id: str
    driver_class: str
    installed: InstalledDriver
    config: DriverConfig
    warnings: tuple[str, ...]


async def admit(settings: Settings, table: Mapping[str, ReservedDriver], *, resolve: Resolve | None = None) -> Admitted:
    """Decide whether the driver that the settings name may be loaded, and as what.

    Raises:
        BootRefused: at step `admit`.
    """
    driver_id = settings.driver if settings.mode == "remote" and settings.driver else settings.mode
    reserved = table.get(driver_id)
    driver_class = _pin_class(settings, driver_id, reserved)
    warnings: tuple[str, ...] = ()
    if driver_class == EXTERNAL and settings.url is not None:
        warnings = await check_url(settings.url, resolve or _resolve)
    installed = choose_installed(driver_id, reserved, settings.trust, table, installed_drivers())
    folder = settings.data_dir / ("memory" if driver_class == "embedded" else f"drivers/{driver_id}")
    remote = settings.mode == "remote"
    config = DriverConfig(
        url=settings.url if remote else None,
        key=settings.api_key if remote else None,
        actor=settings.actor if remote else None,
        data_folder=folder,
    )
    return Admitted(driver_id, driver_class, installed, config, warnings)


def _pin_class(settings: Settings, driver_id: str, reserved: ReservedDriver | None) -> str:
    if settings.mode != "remote":
        return "embedded" if settings.mode == "store" else "null"
    if reserved is not None and reserved.driver_class != EXTERNAL:
        raise BootRefused(
            STEP,
            "reserved-class",
            f"mode remote pins class external, and {knobs.DRIVER}={driver_id} is reserved as {reserved.driver_class}",
            f"set {knobs.MODE}={driver_id}, or name an external driver",
            knob=knobs.DRIVER,
        )
    return EXTERNAL


def choose_installed(
    driver_id: str,
    reserved: ReservedDriver | None,
    trust: frozenset[str],
    table: Mapping[str, ReservedDriver],
    installed: Sequence[InstalledDriver],
) -> InstalledDriver:
    """The one registration that may carry `driver_id`.

    Raises:
        BootRefused: none, several, one of the wrong distribution, or one that is not trusted.
    """
    found = [driver for driver in installed if driver.id == driver_id]
    if reserved is not None:
        _refuse_shadow(driver_id, reserved, found)
    elif driver_id not in trust:
        _refuse_untrusted(driver_id, found, [*table, *(driver.id for driver in installed)])
    if not found:
        package = reserved.distribution if reserved else None
        remedy = f"run `pip install {package}`" if package else "install the distribution that carries it"
        raise BootRefused(
            STEP,
            "driver-not-installed",
            f"{_named(driver_id)}, and no installed distribution provides it"
            + (f" ({package} does)" if package else ""),
            remedy,
            knob=knobs.DRIVER,
        )
    if len(found) > 1:
        raise BootRefused(
            STEP,
            "driver-ambiguous",
            f"{_named(driver_id)}, and two distributions register it: {' and '.join(d.distribution for d in found)}",
            "uninstall one of them",
            knob=knobs.DRIVER,
        )
    return found[0]


def _named(driver_id: str) -> str:
    return f"{knobs.MODE}={driver_id}" if driver_id in ("store", "null") else f"{knobs.DRIVER}={driver_id}"


def _refuse_shadow(driver_id: str, reserved: ReservedDriver, found: Sequence[InstalledDriver]) -> None:
    for driver in found:
        if driver.distribution != reserved.distribution:
            raise BootRefused(
                STEP,
                "driver-shadowed",
                f"{driver_id} is reserved for {reserved.distribution}, and {driver.distribution} registers it too",
                f"uninstall {driver.distribution}",
                knob=knobs.DRIVER,
            )


def _refuse_untrusted(driver_id: str, found: Sequence[InstalledDriver], known: Sequence[str]) -> None:
    trusting = f"list {driver_id} in {knobs.TRUST} if you trust it"
    if found:
        packages = " and ".join(driver.distribution for driver in found)
        raise BootRefused(
            STEP,
            "untrusted-driver",
            f"{knobs.DRIVER}={driver_id} is a third party's driver, from {packages}, and is not trusted",
            trusting,
            knob=knobs.TRUST,
        )
    near = difflib.get_close_matches(driver_id, known, n=1, cutoff=0.0)
    guess = f"did you mean {near[0]}? " if near else ""
    raise BootRefused(
        STEP,
        "unknown-driver",
        f"{knobs.DRIVER}={driver_id} is no reserved id, and none that is installed",
        f"{guess}A third party's id must be installed, and be listed in {knobs.TRUST}",
        knob=knobs.DRIVER,
    )


async def check_url(url: str, resolve: Resolve) -> tuple[str, ...]:
    """Hold the engine's address against the rules; warnings. The URL itself is in no message.

    Raises:
        BootRefused: an address that no engine may have.
    """
    parts = _parse(url)
    host = normal_host(parts.hostname or "")
    if is_metadata_name(host):
        raise _forbidden("is the name of a cloud's metadata service")
    literal = parse_host(host)
    if literal is not None:
        _check_address(literal, parts.scheme, "is")
        return ()
    try:
        addresses = await asyncio.wait_for(resolve(host), _RESOLVE_SECONDS)
    except (OSError, TimeoutError, UnicodeError):
        addresses = ()
    if not addresses:
        return _unresolved(parts.scheme)
    for address in addresses:
        _check_address(address, parts.scheme, "resolves to")
    return ()


def _parse(url: str) -> SplitResult:
    if any(character.isspace() or not character.isprintable() for character in url):
        raise _malformed("holds blanks or control characters")
    try:
        parts = urlsplit(url)
        port = parts.port
    except ValueError:
        raise _malformed("has a host or a port that can't be read") from None
    scheme = parts.scheme
    if scheme not in ("http", "https"):
        raise BootRefused(
            STEP,
            "url-scheme",
            f"{knobs.URL} is not an http or https address"
            + (f" but {scheme}" if scheme in ("ftp", "ws", "wss") else ""),
            "set it to a URL that begins with https://",
            knob=knobs.URL,
        )
    if "@" in parts.netloc:
        raise BootRefused(
            STEP,
            "url-credentials",
            f"{knobs.URL} holds credentials",
            f"take them out, and set {knobs.API_KEY}",
            knob=knobs.URL,
        )
    host = parts.hostname or ""
    escaped = "%" in host and ":" not in host  # in an IPv6 address it begins a zone
    if not normal_host(host) or escaped or port == 0 or "\\" in url:
        raise _malformed("has no host, or no usable port")
    if parts.query or parts.fragment or "?" in url or "#" in url:
        raise _malformed("has a query or a fragment, which a base address can't")
    return parts


def _check_address(address: IPAddress, scheme: str, verb: str) -> None:
    reach = classify(address)
    if reach is Reach.FORBIDDEN:
        raise _forbidden(f"{verb} a link-local, metadata, unspecified, multicast or reserved address")
    if scheme == "http" and reach is Reach.PUBLIC:
        raise BootRefused(
            STEP,
            "url-plain-http",
            f"{knobs.URL} is plain http, and its host {verb} a public address",
            "use https; plain http is for loopback and private addresses",
            knob=knobs.URL,
        )


def _unresolved(scheme: str) -> tuple[str, ...]:
    if scheme == "http":
        raise BootRefused(
            STEP,
            "url-unresolved",
            f"the host in {knobs.URL} does not resolve, and plain http is for loopback and private addresses only",
            "mend the name, start the engine first, or use https",
            knob=knobs.URL,
        )
    return (f"the host in {knobs.URL} does not resolve; the engine will be unreachable until it does",)


def _malformed(problem: str) -> BootRefused:
    return BootRefused(
        STEP, "url-malformed", f"{knobs.URL} {problem}", "set it to scheme://host[:port][/path]", knob=knobs.URL
    )


def _forbidden(problem: str) -> BootRefused:
    return BootRefused(
        STEP,
        "url-forbidden-address",
        f"the host in {knobs.URL} {problem}",
        "set it to the address of a memory engine",
        knob=knobs.URL,
    )


async def _resolve(host: str) -> Sequence[IPAddress]:
    found = await asyncio.get_running_loop().getaddrinfo(host, None, type=socket.SOCK_STREAM)
    return [ip_address(str(address[4][0]).partition("%")[0]) for address in found]
