"""Every house bot that plays by rules beats both that play at random, in every game at every table size."""

import pytest

import engine
from bots import house
from tests.bots.tables import tournament

UNITS = {
    "callbreak": {4: 1},
    "minus": {4: 1},
    "contract_whist": {3: 1, 4: 1, 5: 1, 6: 1},
    "minus_one": {3: 5, 4: 2, 5: 2, 6: 2, 7: 10},
}
RANDOM = [entry.name for entry in house.ENTRIES if entry.program == "random"]
RULES = [entry.name for entry in house.ENTRIES if entry.program == "rules"]
RING = [RANDOM[0], *RULES[:2], RANDOM[1], *RULES[2:]]


def windows(seats: int) -> list[list[str]]:
    """Tables of neighbours in a ring of all bots, so that everyone sits equally often; one table if all sit at it."""
    tables = [[RING[(start + place) % len(RING)] for place in range(seats)] for start in range(len(RING))]
    return tables if seats < len(RING) else tables[:1]


@pytest.mark.parametrize(("name", "seats"), [(name, seats) for name in UNITS for seats in UNITS[name]])
def test_every_rule_bot_is_placed_better_than_every_random_one(name: str, seats: int) -> None:
    game = engine.load(name, seats)
    bots = {bot: house.choose(bot, name) for bot in RING}
    standings = {row.name: row for row in tournament(game, bots, windows(seats), UNITS[name][seats])}
    worst = max((standings[bot] for bot in RULES), key=lambda row: row.place)
    for bot in RANDOM:
        assert worst.place < standings[bot].place, (worst, standings[bot])


def test_every_table_size_of_every_game_is_tried() -> None:
    assert {(name, seats) for name in UNITS for seats in UNITS[name]} == {
        (name, seats) for name, kind in engine.GAMES.items() for seats in kind.seat_counts
    }
