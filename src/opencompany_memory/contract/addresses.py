"""Which addresses an external engine may have.

Used twice: at admission, on the configured URL and on what its name resolves to, and by a driver's transport, on the
address that it really connects to. Both must decide alike, so the rule lives here.
"""

import enum
import socket
import unicodedata
from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network, ip_address
from typing import Final

IPAddress = IPv4Address | IPv6Address


class Reach(enum.Enum):
    """What kind of place an address is."""

    LOOPBACK = "loopback"
    PRIVATE = "private"
    PUBLIC = "public"
    FORBIDDEN = "forbidden"
    """Link-local, cloud metadata, unspecified, multicast or reserved: no engine lives there."""


_PRIVATE: Final = (
    IPv4Network("10.0.0.0/8"),
    IPv4Network("172.16.0.0/12"),
    IPv4Network("192.168.0.0/16"),
    IPv4Network("100.64.0.0/10"),  # RFC 6598, used by overlay networks between machines
    IPv6Network("fc00::/7"),
)
# Metadata services outside the link-local range, per the vendors' documentation.
_METADATA: Final = frozenset(
    ip_address(text)
    for text in (
        "100.100.100.200",  # Alibaba Cloud
        "168.63.129.16",  # Azure
        "192.0.0.192",  # Oracle Cloud
        "fd00:ec2::254",  # AWS
        "fd20:ce::254",  # Google Cloud
    )
)
_METADATA_NAMES: Final = frozenset(
    {"metadata", "metadata.google.internal", "instance-data", "instance-data.ec2.internal"}
)
_FORBIDDEN: Final = (
    IPv4Network("0.0.0.0/8"),
    IPv4Network("169.254.0.0/16"),
    IPv4Network("192.0.0.0/24"),
    IPv4Network("224.0.0.0/4"),
    IPv4Network("240.0.0.0/4"),
    IPv6Network("fe80::/10"),
    IPv6Network("fec0::/10"),
    IPv6Network("ff00::/8"),
)
_NAT64: Final = (IPv6Network("64:ff9b::/96"), IPv6Network("64:ff9b:1::/48"))


def classify(address: IPAddress) -> Reach:
    """What kind of place `address` is. An IPv4 address inside an IPv6 one counts as itself."""
    inner = embedded_ipv4(address)
    if inner is not None:
        return classify(inner)
    if address in _METADATA or any(address in network for network in _FORBIDDEN if network.version == address.version):
        return Reach.FORBIDDEN
    if address.is_loopback:
        return Reach.LOOPBACK
    if address.is_unspecified:
        return Reach.FORBIDDEN
    if any(address in network for network in _PRIVATE if network.version == address.version):
        return Reach.PRIVATE
    return Reach.PUBLIC


def embedded_ipv4(address: IPAddress) -> IPv4Address | None:
    """The IPv4 address that an IPv6 address stands for (mapped, compatible, NAT64, 6to4, Teredo), or None."""
    if isinstance(address, IPv4Address):
        return None
    if address.ipv4_mapped is not None:
        return address.ipv4_mapped
    if any(address in network for network in _NAT64):
        return IPv4Address(int(address) & 0xFFFFFFFF)
    if address.sixtofour is not None:
        return address.sixtofour
    if address.teredo is not None:
        return address.teredo[1]
    if int(address) >> 32 == 0 and int(address) > 0xFFFF:
        return IPv4Address(int(address))
    return None


def parse_host(host: str) -> IPAddress | None:
    """The address that `host` spells, or None when it is a name.

    Understands what a resolver understands: decimal, octal, hex and short IPv4 forms, full-width digits, a zone.
    """
    plain = normal_host(host)
    try:
        address = ip_address(plain.partition("%")[0])
    except ValueError:
        pass
    else:
        return address
    try:
        return IPv4Address(socket.inet_aton(plain)) if plain and plain[0].isdigit() else None
    except (OSError, ValueError):  # ValueError: a NUL, a lone surrogate
        return None


def normal_host(host: str) -> str:
    """`host` as a resolver will read it: compatibility forms folded, lower case, no brackets, no final dot."""
    folded = unicodedata.normalize("NFKC", host).replace("\u3002", ".")  # a full stop to IDNA (RFC 3490, section 3.1)
    return folded.lower().strip("[]").rstrip(".")


def is_metadata_name(host: str) -> bool:
    """Whether `host` is a well-known name of a cloud's metadata service."""
    return normal_host(host) in _METADATA_NAMES
