"""Which addresses of the other referees a bot is told."""

import pytest

from arena.api.lobby import is_near, is_remote, listing
from arena.store.referees import Place

HERE = Place("10.0.0.1:7000", "one.example:7443")
PLAIN = Place("10.0.0.2:7000")
BOTH = Place("10.0.0.3:7000", "three.example:7443")
LOOPBACK = [Place("127.0.0.1:7001"), Place("localhost:7002"), Place("[::1]:7003")]
NOWHERE = [Place("0.0.0.0:7000", "[::]:7443"), Place("[::]:7000", "0.0.0.0:7443")]


def others(*places: Place, encrypted: bool = False, near: bool = False) -> list[str]:
    return list(listing(HERE, places, encrypted=encrypted, near=near).others)


def test_a_bot_is_told_the_addresses_that_it_can_dial_as_it_came() -> None:
    assert others(PLAIN, BOTH) == [PLAIN.address, BOTH.address]
    assert others(PLAIN, BOTH, encrypted=True) == [BOTH.tls_address]
    assert listing(HERE, (), encrypted=False, near=False).here == HERE.address
    assert listing(HERE, (), encrypted=True, near=False).here == HERE.tls_address


def test_loopback_is_for_bots_of_this_host_and_a_wildcard_for_nobody() -> None:
    assert others(*LOOPBACK) == []
    assert others(*LOOPBACK, near=True) == [place.address for place in LOOPBACK]
    for encrypted in (False, True):
        assert others(*NOWHERE, encrypted=encrypted, near=True) == []


@pytest.mark.parametrize(
    ("peer", "near"),
    [
        ("ipv4:127.0.0.1:40000", True),
        ("ipv6:%5B::1%5D:40000", True),
        ("unix:", True),
        ("ipv4:10.0.0.9:40000", False),
        ("ipv6:%5Bfe80::1%5D:40000", False),
    ],
)
def test_who_is_on_this_host(peer: str, near: bool) -> None:
    assert is_near(peer) is near


def test_a_remote_bot_is_known_by_its_id() -> None:
    assert is_remote("far-1")
    assert not is_remote("00000000-0000/2")
    assert not is_remote("steady@7.1")
