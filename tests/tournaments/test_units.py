"""Seeds and seats: laws, and the vectors that docs/ratings.md prints."""

import hashlib
import hmac
import itertools
import re
from collections import Counter
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from arena.tournaments import units
from arena.tournaments.block import UnitKind

law = settings(max_examples=50, deadline=None)
DOCS = Path(__file__).parents[2] / "docs" / "ratings.md"
keys = st.binary(min_size=32, max_size=32)
numbers = st.integers(0, 2**31)


@law
@given(keys, numbers, st.integers(3, 7))
def test_every_bot_sits_once_in_each_seat_over_the_rotations(working: bytes, unit: int, seats: int) -> None:
    plan = units.plan(working, unit, seats, UnitKind.ROTATION)
    seatings = [plan.seats(rotation) for rotation in range(seats)]
    assert seatings == [units.seating(plan.order, rotation) for rotation in range(seats)]
    for seating, seat in itertools.product(seatings, range(seats)):
        assert sorted(seating) == list(range(seats))
        assert sorted(other[seat] for other in seatings) == list(range(seats))


@law
@given(keys, numbers, st.integers(3, 7))
def test_every_bot_sits_once_in_each_seat_over_as_many_single_units(working: bytes, first: int, seats: int) -> None:
    first -= first % seats
    plans = [units.plan(working, first + number, seats, UnitKind.SINGLE) for number in range(seats)]
    for seat in range(seats):
        assert sorted(plan.seats(0)[seat] for plan in plans) == list(range(seats))


@law
@given(keys, st.sampled_from(UnitKind), st.integers(3, 7))
def test_no_two_units_and_no_two_bots_of_a_match_share_a_seed(working: bytes, kind: UnitKind, seats: int) -> None:
    plans = [units.plan(working, unit, seats, kind, tables=4) for unit in range(8)]
    drawn = Counter(plan.seed for plan in plans)
    for plan in plans:
        # Of a rotation unit they are the same in every rotation, and of a field other ones at every table.
        drawn.update(seed for seeds in set(plan.bot_seeds) for seed in seeds)
        assert len(set(plan.bot_seeds)) == (4 if kind is UnitKind.FIELD else 1)
    assert max(drawn.values()) == 1


@law
@given(keys, numbers, st.integers(3, 7), st.integers(4, 16))
def test_every_bot_of_a_field_has_one_seat_and_a_seed_of_its_own(
    working: bytes, unit: int, seats: int, tables: int
) -> None:
    plan = units.plan(working, unit, seats, UnitKind.FIELD, tables=tables)
    seated = [plan.seats(table) for table in range(tables)]
    assert {len(table) for table in seated} == {seats}
    assert sorted(itertools.chain(*seated)) == list(range(seats * tables))
    assert plan.order == units.order(working, unit, range(seats * tables)) == tuple(itertools.chain(*seated))
    assert plan.bot_seeds[tables - 1][2] == units.bot_seed(working, unit, tables - 1, 2)


def test_every_seat_of_a_field_is_about_equally_likely() -> None:
    seats = Counter(units.plan(bytes(32), unit, 4, UnitKind.FIELD, tables=4).order.index(5) for unit in range(1600))
    # Chi-squared with 15 degrees of freedom: above 44 once in ten thousand keys, and the key is fixed.
    assert sum((seats[place] - 100) ** 2 / 100 for place in range(16)) < 44


@law
@given(keys, numbers, st.integers(3, 7))
def test_the_seat_of_a_bot_seed_does_not_depend_on_who_sits_there(working: bytes, unit: int, seats: int) -> None:
    plan = units.plan(working, unit, seats, UnitKind.ROTATION)
    assert plan.bot_seeds[0] == tuple(units.bot_seed(working, unit, 0, seat) for seat in range(seats))


def test_every_order_of_four_is_about_equally_likely() -> None:
    orders = Counter(units.order(bytes(32), unit, "ABCD") for unit in range(4800))
    assert len(orders) == 24
    # Chi-squared with 23 degrees of freedom: above 58 once in ten thousand keys, and the key is fixed.
    assert sum((count - 200) ** 2 / 200 for count in orders.values()) < 58


@law
@given(keys, st.lists(keys, max_size=5), st.randoms(use_true_random=False))
def test_the_working_seed_does_not_depend_on_the_order_of_entries(
    secret: bytes, hashes: list[bytes], rng: object
) -> None:
    assert units.working_seed(secret, hashes) == units.working_seed(secret, hashes[::-1])
    assert units.working_seed(secret, [*hashes, b"x" * 32]) != units.working_seed(secret, hashes)


def documented() -> dict[str, str]:
    return dict(re.findall(r"^\| `([^`]+)` \| `([^`]+)` \|$", DOCS.read_text("utf-8"), re.MULTILINE))


def test_the_documented_values_are_the_real_ones() -> None:
    secret = bytes(range(32))
    hashes = [units.entry_hash("ada", 1, "ab" * 32), units.entry_hash("bob", 2, "")]
    working = units.working_seed(secret, hashes)
    assert documented() == {
        "commitment": units.commitment(secret).hex(),
        "entry hash of ada": hashes[0].hex(),
        "entry hash of bob": hashes[1].hex(),
        "working seed": working.hex(),
        "schedule seed": units.schedule_seed(working).hex(),
        "unit seed of unit 7": units.unit_seed(working, 7).hex(),
        "bot seed of unit 7, table 0, seat 2": units.bot_seed(working, 7, 0, 2).hex(),
        "order of unit 7, A B C D": " ".join(units.order(working, 7, "ABCD")),
    }


def test_anybody_can_recompute_them_from_the_documentation() -> None:
    values = documented()
    secret = bytes(range(32))
    assert hashlib.sha256(secret).hexdigest() == values["commitment"]
    ada = hashlib.sha256(b"card-arena entry\nada\n1\n" + b"ab" * 32).digest()
    bob = hashlib.sha256(b"card-arena entry\nbob\n2\n").digest()
    working = hashlib.sha256(secret + min(ada, bob) + max(ada, bob)).digest()
    assert working.hex() == values["working seed"]

    def keyed(message: bytes) -> bytes:
        return hmac.new(working, message, hashlib.sha256).digest()

    assert keyed(b"card-arena schedule").hex() == values["schedule seed"]
    assert keyed(b"card-arena unit\0\0\0\7").hex() == values["unit seed of unit 7"]
    assert keyed(b"card-arena bot\0\0\0\7\0\0\0\0\0\0\0\2").hex() == values["bot seed of unit 7, table 0, seat 2"]
    octets = iter(keyed(b"card-arena order\0\0\0\7\0\0\0\0"))
    cycle = list("ABCD")
    for last in (3, 2, 1):
        octet = next(octet for octet in octets if octet < 256 - 256 % (last + 1))
        cycle[last], cycle[octet % (last + 1)] = cycle[octet % (last + 1)], cycle[last]
    assert " ".join(cycle) == values["order of unit 7, A B C D"]


@pytest.mark.parametrize("unit", [-1, 2**32])
def test_a_unit_number_that_does_not_fit_is_refused(unit: int) -> None:
    with pytest.raises(OverflowError):
        units.unit_seed(bytes(32), unit)
