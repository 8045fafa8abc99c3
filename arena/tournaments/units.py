"""Seeds and seats: what every unit of a tournament is played with, as a function of the secret that was committed to.
Knows no table of results and no game.

Everything below the working seed is HMAC-SHA-256 with the working seed as key and a message that begins with a label,
so that knowing one seed tells nothing about another. Byte for byte in ``docs/ratings.md``.
"""

import hashlib
import hmac
from collections.abc import Iterator, Sequence
from typing import TypeVar

from arena.tournaments.block import UnitKind, UnitPlan

Item = TypeVar("Item")


def commitment(secret: bytes) -> bytes:
    """What is published before entries close: 32 bytes."""
    return hashlib.sha256(secret).digest()


def entry_hash(bot: str, version: int, content_hash: str) -> bytes:
    """32 bytes for one frozen version of a bot; the content hash is empty for a remote bot."""
    return hashlib.sha256(f"card-arena entry\n{bot}\n{version}\n{content_hash}".encode()).digest()


def working_seed(secret: bytes, entry_hashes: Sequence[bytes]) -> bytes:
    """The 32 bytes that everything is drawn with. The organiser can not grind it, because he committed to the secret
    before he knew the entries; nobody else can, because he does not know the secret."""
    return hashlib.sha256(secret + b"".join(sorted(entry_hashes))).digest()


def schedule_seed(working: bytes) -> bytes:
    """32 bytes for the tables."""
    return _keyed(working, b"card-arena schedule")


def unit_seed(working: bytes, unit: int) -> bytes:
    """32 bytes that the cards of a unit come from."""
    return _keyed(working, b"card-arena unit", unit)


def bot_seed(working: bytes, unit: int, table: int, seat: int) -> bytes:
    """32 bytes for the bot in that seat, in every rotation the same, from which nothing about the cards follows.

    :param table: 0 where a unit is played at one table.
    """
    return _keyed(working, b"card-arena bot", unit, table, seat)


def order(working: bytes, unit: int, players: Sequence[Item]) -> tuple[Item, ...]:
    """The players, at most 256, in the order of the unit, every order equally likely."""
    drawn = list(players)
    stream = _stream(working, unit)
    for last in range(len(drawn) - 1, 0, -1):
        limit = 256 - 256 % (last + 1)
        octet = next(octet for octet in stream if octet < limit)
        other = octet % (last + 1)
        drawn[last], drawn[other] = drawn[other], drawn[last]
    return tuple(drawn)


def seating(cycle: Sequence[Item], rotation: int) -> tuple[Item, ...]:
    """The players by seat: seat s of rotation r is ``cycle[(s + r) % k]``."""
    return tuple(cycle[(seat + rotation) % len(cycle)] for seat in range(len(cycle)))


def plan(working: bytes, unit: int, seats: int, kind: UnitKind, tables: int = 1) -> UnitPlan:
    """The whole unit. Single units share one cyclic order from a multiple of ``seats`` to the next, each turned on by
    one, so that over these units every bot of the table sits once in each seat. A field has so many tables, and any bot
    may sit anywhere."""
    if kind is UnitKind.FIELD:
        rows = tuple(tuple(bot_seed(working, unit, table, seat) for seat in range(seats)) for table in range(tables))
        return UnitPlan(unit, unit_seed(working, unit), order(working, unit, range(seats * tables)), rows)
    seeds = tuple(bot_seed(working, unit, 0, seat) for seat in range(seats))
    if kind is UnitKind.ROTATION:
        return UnitPlan(unit, unit_seed(working, unit), order(working, unit, range(seats)), (seeds,) * seats)
    turn = unit % seats
    cycle = seating(order(working, unit - turn, range(seats)), turn)
    return UnitPlan(unit, unit_seed(working, unit), cycle, (seeds,))


def _stream(working: bytes, unit: int) -> Iterator[int]:
    block = 0
    while True:
        yield from _keyed(working, b"card-arena order", unit, block)
        block += 1


def _keyed(key: bytes, label: bytes, *numbers: int) -> bytes:
    message = label + b"".join(number.to_bytes(4, "big") for number in numbers)
    return hmac.digest(key, message, "sha256")
