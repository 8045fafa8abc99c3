"""Who does better beside whom: a helper that gives games away is found, and honest pools show about nothing."""

import random
from collections.abc import Sequence

import numpy as np
import pytest
from scipy.stats import false_discovery_control, t

from arena.ratings.event import PlayedUnit
from arena.ratings.official import fit_due, fitted
from arena.ratings.periods import apply_due
from arena.ratings.soft_play import FEWEST, Beside, q_values, soft_play
from arena.ratings.suspects import suspects
from arena.ratings.tables import table
from arena.store import Connection
from tests.ratings import played

BOTS, SEATS, UNITS = 12, 4, 300
HELPER, FRIEND = 0, 1


def pool(seed: int, *, helps: bool = False) -> list[PlayedUnit]:
    """Rotation units of bots of different strength, in which most of a match is the luck of the cards. A helper comes
    last where its friend sits at the table."""
    draw = random.Random(seed)
    skill = [draw.gauss(0, 0.35) for _ in range(BOTS)]
    units = []
    for number in range(UNITS):
        seated = draw.sample(range(BOTS), SEATS)
        cards = [draw.gauss(0, 0.8) for _ in range(SEATS)]
        given_away = helps and {HELPER, FRIEND} <= set(seated)
        places = []
        for rotation in range(SEATS):
            had = [
                -9.0
                if given_away and bot == HELPER
                else skill[bot] + cards[(at - rotation) % SEATS] + draw.gauss(0, 0.6)
                for at, bot in enumerate(seated)
            ]
            places.append(tuple(1 + sum(other > mine for other in had) for mine in had))
        nothing = ((0,) * SEATS,) * SEATS
        units.append(PlayedUnit(number, tuple(seated), tuple(places), nothing, nothing))
    return units


def audited(units: Sequence[PlayedUnit], owner: dict[int, str] | None = None) -> list[Beside[str]]:
    lines = fitted(units, set(range(BOTS))).lines
    return soft_play(units, {line.version: line.micro_elo / 1e6 for line in lines}, owner or names())


def names() -> dict[int, str]:
    return {bot: f"bot {bot}" for bot in range(BOTS)}


def test_a_helper_that_gives_games_to_its_friend_is_found() -> None:
    """Some 25 of 300 units are shared."""
    for seed in range(5):
        found = audited(pool(seed, helps=True))[0]
        assert (found.helper, found.friend) == ("bot 0", "bot 1")
        assert found.suspect
        assert found.z > 6
        assert found.gain > 0.05
        assert found.helper_gain < -0.2


def test_helpers_of_one_owner_count_together() -> None:
    """Two helpers of one friend, of whom each meets it so rarely that together they are the surer proof."""
    owner = {bot: "gang" if bot in {2, 3} else f"owner {bot}" for bot in range(BOTS)}
    units = pool(1)[:150]
    helped = []
    for unit in units:
        bad = [at for at, version in enumerate(unit.versions) if owner[version] == "gang"]
        if FRIEND in unit.versions and bad:
            places = [[0 if version == FRIEND else 9 if at in bad else 5 for at, version in enumerate(unit.versions)]]
            ranked = tuple(tuple(1 + sum(o < p for o in row) for p in row) for row in places * SEATS)
            unit = PlayedUnit(unit.unit, unit.versions, ranked, unit.scores, unit.faults)  # noqa: PLW2901
        helped.append(unit)
    by_owner, by_bot = audited(helped, owner), audited(helped)
    assert (by_owner[0].helper, by_owner[0].friend) == ("gang", f"owner {FRIEND}")
    assert by_owner[0].suspect
    assert by_owner[0].p < by_bot[0].p


def test_honest_pools_show_about_nothing() -> None:
    """Chance alone makes one pool of twenty show a pair; every hundredth pair has a p-value below 1 %."""
    pools = [audited(pool(seed)) for seed in range(20, 40)]
    assert all(len(found) == BOTS * (BOTS - 1) // 2 for found in pools)
    assert sum(one.suspect for found in pools for one in found) <= 3
    low = sum(one.p < 0.01 for found in pools for one in found) / sum(map(len, pools))
    assert 0.002 < low < 0.02


def test_gains_and_z_are_those_of_the_units_written_out() -> None:
    """Once more without arrays; the standard errors of means are numpy's."""
    units = pool(3)
    elo = {line.version: line.micro_elo / 1e6 for line in fitted(units, set(range(BOTS))).lines}
    one = next(one for one in soft_play(units, elo, names()) if {one.helper, one.friend} == {"bot 4", "bot 5"})

    def gain(unit: PlayedUnit, bot: int) -> float:
        me, total = unit.versions.index(bot), 0.0
        for at, other in enumerate(unit.versions):
            if at != me:
                scores = [1.0 if row[me] < row[at] else 0.5 if row[me] == row[at] else 0.0 for row in unit.places]
                total += sum(scores) / len(scores) - 1 / (1 + 10 ** ((elo[other] - elo[bot]) / 400))
        return total / (SEATS - 1)

    shared = [unit for unit in units if {4, 5} <= set(unit.versions)]
    parts = {bot: [gain(unit, bot) for unit in units if bot in unit.versions] for bot in (4, 5)}
    apart = {bot: [gain(unit, bot) for unit in units if bot in unit.versions and unit not in shared] for bot in (4, 5)}
    gains = {bot: np.mean([gain(unit, bot) for unit in shared]) - np.mean(apart[bot]) for bot in (4, 5)}
    between = [gain(unit, 4) - gain(unit, 5) for unit in shared]
    own = np.var(between, ddof=1) / len(shared) + sum(np.var(apart[bot], ddof=1) / len(apart[bot]) for bot in (4, 5))
    pooled = sum(
        np.var(parts[bot], ddof=1) * (SEATS / (SEATS - 1) / len(shared) + 1 / len(apart[bot])) for bot in (4, 5)
    )
    assert one.together == len(shared)
    assert (one.gain, one.helper_gain) == pytest.approx((max(gains.values()), min(gains.values())))
    assert one.z == pytest.approx((one.gain - one.helper_gain) / max(own, pooled) ** 0.5)
    degrees = len(shared) + min(map(len, apart.values())) - 2
    assert one.p == pytest.approx(2 * t.sf(one.z, degrees))


def test_q_values_are_those_of_benjamini_and_hochberg() -> None:
    """Oracle: scipy."""
    draw = random.Random(5)
    p = np.array([draw.random() ** 3 for _ in range(40)])
    assert q_values(p) == pytest.approx(false_discovery_control(p))


def test_pairs_that_met_too_rarely_are_not_tested() -> None:
    units = pool(6)[: 2 * FEWEST]
    assert all(one.together >= FEWEST for one in audited(units))
    assert soft_play([], {}, {}) == []


def test_a_pool_is_asked_by_bot_and_by_owner(connection: Connection) -> None:
    bots = ["ada", "bob", "cem", "dan", "eve", "fay"]
    played.add_bots(connection, bots)
    for block in played.start(connection, "cup", bots, orbits=4).blocks:
        played.play(connection, block)
    apply_due(connection)
    (found,) = table(connection, played.GAME)
    assert suspects(connection, found.pool) == []
    fit_due(connection)
    pairs = suspects(connection, found.pool)
    assert {name for one in pairs for name in (one.helper, one.friend)} == set(bots)
    # Here every bot has an owner of its name.
    assert suspects(connection, found.pool, owners=True) == pairs
    connection.execute("UPDATE bots SET owner = 'ada' WHERE name = 'bob'")
    assert not any("bob" in (one.helper, one.friend) for one in suspects(connection, found.pool, owners=True))
