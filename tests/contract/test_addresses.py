"""Which addresses an engine may have, in every spelling."""

from ipaddress import IPv4Address, IPv6Address, ip_address

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from opencompany_memory.contract.addresses import Reach, classify, is_metadata_name, parse_host

METADATA = [
    "169.254.169.254",
    "2852039166",
    "0xA9FEA9FE",
    "0xa9.0xfe.0xa9.0xfe",
    "0251.0376.0251.0376",
    "169.254.43518",
    "169.16689662",
    "[::ffff:169.254.169.254]",
    "::ffff:a9fe:a9fe",
    "::169.254.169.254",
    "64:ff9b::a9fe:a9fe",
    "64:ff9b:1::a9fe:a9fe",
    "2002:a9fe:a9fe::1",
    "１６９.２５４.１６９.２５４",
    "169。254。169。254",
    "169｡254｡169｡254",
    "169.254.169.254.",
    "fd00:ec2::254",
    "100.100.100.200",
    "168.63.129.16",
    "192.0.0.192",
    "fe80::1%eth0",
    "169.254.0.1",
]
NOWHERE = ["0.0.0.0", "0", "::", "224.0.0.1", "255.255.255.255", "ff02::1", "240.0.0.1", "fec0::1"]


@pytest.mark.parametrize("host", METADATA + NOWHERE)
def test_no_engine_lives_at_a_metadata_link_local_or_empty_address(host: str) -> None:
    address = parse_host(host)
    assert address is not None
    assert classify(address) is Reach.FORBIDDEN


@pytest.mark.parametrize(
    ("host", "reach"),
    [
        ("127.0.0.1", Reach.LOOPBACK),
        ("127.1", Reach.LOOPBACK),
        ("2130706433", Reach.LOOPBACK),
        ("::1", Reach.LOOPBACK),
        ("::ffff:127.0.0.1", Reach.LOOPBACK),
        ("10.1.2.3", Reach.PRIVATE),
        ("172.31.255.255", Reach.PRIVATE),
        ("192.168.0.1", Reach.PRIVATE),
        ("100.64.0.1", Reach.PRIVATE),
        ("fd12::1", Reach.PRIVATE),
        ("172.32.0.1", Reach.PUBLIC),
        ("8.8.8.8", Reach.PUBLIC),
        ("2606:4700::1", Reach.PUBLIC),
        ("64:ff9b::808:808", Reach.PUBLIC),
    ],
)
def test_an_address_is_loopback_private_or_public(host: str, reach: Reach) -> None:
    address = parse_host(host)
    assert address is not None
    assert classify(address) is reach


@pytest.mark.parametrize("host", ["engine.example", "localhost", "1.2.3.4.example", "x169.254.169.254", ""])
def test_a_name_is_no_address(host: str) -> None:
    assert parse_host(host) is None


@given(st.ip_addresses(v=4))
def test_every_spelling_of_an_ipv4_address_is_the_same_place(address: IPv4Address) -> None:
    packed = int(address)
    octets = address.packed
    spellings = [
        str(packed),
        hex(packed),
        ".".join(f"0{octet:o}" for octet in octets),
        ".".join(hex(octet) for octet in octets),
        f"{octets[0]}.{packed & 0xFFFFFF}",
        f"[::ffff:{address}]",
        str(IPv6Address(int(ip_address("64:ff9b::")) | packed)),
        str(IPv6Address((0x2002 << 112) | (packed << 80) | 1)),
    ]
    for spelling in spellings:
        found = parse_host(spelling)
        assert found is not None, spelling
        assert classify(found) is classify(address), spelling


@given(st.ip_addresses())
def test_every_address_has_exactly_one_kind(address: IPv4Address | IPv6Address) -> None:
    assert classify(address) in Reach
    assert parse_host(str(address)) == address


@example("0\x00")
@example("0\ud800")
@given(st.text(max_size=40))
def test_reading_a_host_never_fails(text: str) -> None:
    parse_host(text)


@pytest.mark.parametrize("name", ["metadata.google.internal", "METADATA.GOOGLE.INTERNAL.", "metadata", "ｍetadata"])
def test_names_of_metadata_services_are_known(name: str) -> None:
    assert is_metadata_name(name)
