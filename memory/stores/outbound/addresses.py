"""Which internet addresses a URL that a tenant names may lead to."""

from collections.abc import Sequence
from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network, ip_address, ip_network

Address = IPv4Address | IPv6Address
Network = IPv4Network | IPv6Network

METADATA = frozenset(
    ip_address(text)
    for text in (
        "169.254.169.254",  # AWS, Azure, Google, Oracle and others
        "169.254.170.2",  # AWS ECS
        "169.254.170.23",  # AWS EKS
        "fd00:ec2::254",  # AWS over IPv6
        "fd00:ec2::23",
        "100.100.100.200",  # Alibaba
        "192.0.0.192",  # Oracle
        "168.63.129.16",  # Azure's wire server, a public address
    )
)
"""What gives credentials to whoever asks: refused even inside an allowed network."""
_NOT_PUBLIC = [
    ip_network(text)
    for text in (
        # what `is_global` of some Python versions takes for public
        "0.0.0.0/8",
        "100.64.0.0/10",
        "192.0.0.0/24",
        "192.88.99.0/24",
        "198.18.0.0/15",
        "240.0.0.0/4",
        "64:ff9b:1::/48",
        "100::/64",
        "2001::/23",
        "2001:db8::/32",
        "3fff::/20",
        "5f00::/16",
        "fc00::/7",
        "fec0::/10",
        "::/96",
    )
]
_NAT64 = ip_network("64:ff9b::/96")


def networks(texts: Sequence[str]) -> tuple[Network, ...]:
    """The networks that `texts` name, as `10.0.0.0/8` or a single address. Raises ValueError, with what is none."""
    return tuple(ip_network(text.strip(), strict=True) for text in texts if text.strip())


def embedded(address: Address) -> Address:
    """The IPv4 address that an IPv6 one stands for (mapped, NAT64, 6to4, Teredo), or `address` itself."""
    if isinstance(address, IPv4Address):
        return address
    if address.ipv4_mapped is not None:
        return address.ipv4_mapped
    if address in _NAT64:
        return IPv4Address(int(address) & 0xFFFFFFFF)
    if address.sixtofour is not None:
        return address.sixtofour
    if address.teredo is not None:
        return address.teredo[1]
    return address


def is_public(address: Address) -> bool:
    """Whether `address` is one of the open internet, of one host."""
    inner = embedded(address)
    if inner.is_multicast or inner.is_reserved or inner.is_private or inner.is_link_local or not inner.is_global:
        return False
    return not any(inner in network for network in _NOT_PUBLIC if network.version == inner.version)


def may_call(address: Address, allowed: Sequence[Network] = ()) -> bool:
    """Whether a call to `address` is allowed: public ones are, others within `allowed`, those of METADATA never."""
    inner = embedded(address)
    if inner in METADATA or address in METADATA:
        return False
    return is_public(address) or any(inner in network for network in allowed if network.version == inner.version)
