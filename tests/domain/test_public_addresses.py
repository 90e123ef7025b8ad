"""Which addresses messages may go to."""

import ipaddress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from judging.domain.public_addresses import is_public

_LISTED = """
10.0.0.1 172.16.0.1 172.31.255.254 192.168.1.1 100.64.0.1 127.0.0.1 127.255.255.254 0.0.0.0 0.1.2.3
169.254.169.254 169.254.0.1 192.0.0.1 192.0.2.1 198.18.0.1 198.51.100.1 203.0.113.1 192.88.99.1
224.0.0.1 239.255.255.250 240.0.0.1 255.255.255.255
:: ::1 fe80::1 fe80::1%eth0 fc00::1 fd00:ec2::254 fec0::1 ff02::1 2001:db8::1 100::1 3fff::1 5f00::1
::ffff:127.0.0.1 ::ffff:10.0.0.1 ::ffff:169.254.169.254 ::ffff:8.8.8.8 ::127.0.0.1 ::ffff:0:127.0.0.1
64:ff9b::127.0.0.1 64:ff9b::169.254.169.254 64:ff9b:1::8.8.8.8 2002:7f00:1:: 2002:a9fe:a9fe:: 2002:808:808::
2001:0:808:808:: 2001:10::1
"""
PRIVATE = _LISTED.split()
NONSENSE = ["", "localhost", "127.1", "0x7f000001", "2130706433", "8.8.8.8 ", "8.8.8.8:80", "[::1]", "1.2.3"]


@pytest.mark.parametrize("address", PRIVATE + NONSENSE)
def test_refused(address: str) -> None:
    assert not is_public(address)


@pytest.mark.parametrize("address", ["8.8.8.8", "1.1.1.1", "2606:4700:4700::1111", "64:ff9b::8.8.8.8"])
def test_allowed(address: str) -> None:
    assert is_public(address)


@given(st.ip_addresses(v=4))
def test_no_form_of_ipv6_opens_what_is_closed_in_ipv4(address: ipaddress.IPv4Address) -> None:
    forms = [f"::ffff:{address}", f"::{address}", f"64:ff9b::{address}", f"::ffff:0:{address}"]

    assert not is_public(str(address)) or address.is_global
    assert is_public(str(address)) or not any(map(is_public, forms))


@given(st.ip_addresses(v=6))
def test_what_is_public_is_global(address: ipaddress.IPv6Address) -> None:
    nat64 = address in ipaddress.ip_network("64:ff9b::/96")

    assert not is_public(str(address)) or nat64 or (address.is_global and not address.is_multicast)
