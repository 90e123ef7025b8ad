"""Which network addresses a message may be sent to: only those that anybody may reach."""

import ipaddress

type Address = ipaddress.IPv4Address | ipaddress.IPv6Address

# NAT64 (RFC 6052): how a network without IPv4 reaches the IPv4 address in the last 32 bits.
_NAT64 = ipaddress.IPv6Network("64:ff9b::/96")
# Ways into other networks (6to4 and its relays, Teredo, NAT64 of a network's own), former private addresses,
# and those of documents, which not every Python that Vera runs on knows. IPv4 that is mapped, compatible
# or translated lies in ::/8, which is reserved.
_REFUSED = tuple(
    map(
        ipaddress.ip_network,
        ("192.88.99.0/24", "64:ff9b:1::/48", "2001::/32", "2002::/16", "3fff::/20", "5f00::/16", "fec0::/10"),
    )
)


def is_public(address: str) -> bool:
    """Whether anybody on the internet may reach this address; never for what is no address.

    Not private, loopback, link-local (a cloud's metadata service is there), multicast, reserved or
    unspecified, and no IPv6 form of such an address.
    """
    try:
        found = ipaddress.ip_address(address)
    except ValueError:
        return False
    if isinstance(found, ipaddress.IPv6Address):
        if found.scope_id is not None:
            return False
        if found in _NAT64:
            return _is_global(ipaddress.IPv4Address(int(found) & 0xFFFFFFFF))
    return _is_global(found)


def _is_global(address: Address) -> bool:
    if any(address in network for network in _REFUSED if network.version == address.version):
        return False
    special = address.is_multicast or address.is_reserved or address.is_unspecified or address.is_loopback
    return address.is_global and not special
