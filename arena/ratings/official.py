"""Fits the official ratings of a pool when its periods have been applied, and keeps them. Knows no formula.

A fit is over all whole units of all periods that were rated so far. Elo by periods follows from results to the last
bit; a fit does so up to the last digits of floating point, which differ from one machine to another by less than
:data:`ROUNDING`.
"""

import itertools
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import asdict, astuple, dataclass
from math import isnan

import numpy as np
from psycopg.rows import class_row, scalar_row

from arena.ratings import likelihoods
from arena.ratings.event import Played, PlayedUnit
from arena.ratings.field import PlayedField, standings
from arena.ratings.fit import fit
from arena.ratings.intervals import half_widths, rank_intervals, superiority
from arena.ratings.periods import rated_units
from arena.ratings.points import against_the_field, mean_points
from arena.ratings.rows import FieldDeal, Floats, Ints, Matches, field_rows, table_rows
from arena.store import Connection
from arena.store.sql import statements

SQL = statements(__file__)


ROUNDING = 10
"""Millionths of an Elo by which a fit may differ when it is computed again elsewhere."""


@dataclass(frozen=True, slots=True)
class VersionFit:
    """The official rating of one version. Elo in millionths, points in thousandths of the game's score unit.

    :ivar micro_margin: half the width of the 95 % interval; None below two deals.
    :ivar first_rank, last_rank: where it is with 95 %, from 1; None for a version that a newer one has replaced, and in
        a pool too large to compare all.
    :ivar milli_points_margin: half the width of the 95 % interval of its mean points; None below two deals.
    :ivar milli_datum: in a pool of fields, how many points it made more than the mean of the others who held its cards,
        as a mean over its deals; None in others.
    :ivar milli_datum_margin: half the width of the 95 % interval of that; None below two deals.
    """

    version: int
    micro_elo: int
    micro_margin: int | None
    first_rank: int | None
    last_rank: int | None
    deals: int
    milli_points_margin: int | None
    milli_datum: int | None = None
    milli_datum_margin: int | None = None


@dataclass(frozen=True, slots=True)
class _Pool:
    """A pool, its run that is shown, and a period of it."""

    pool: int
    run: int
    position: int


def fit_due(connection: Connection) -> int:
    """How many pools were fitted: all whose newest rated period had no fit, and that nobody else fits just now."""
    done = 0
    for found in _pools(connection, "behind"):
        with connection.transaction():
            cursor = connection.cursor(row_factory=scalar_row)
            if not cursor.execute(SQL["try_lock"], {"pool": found.pool}).fetchone():
                # Somebody else is at it, and it may take a while.
                continue
            # Asked again: while others were fitted, somebody may have fitted this one, and a newer period of it.
            pool = next((one for one in _pools(connection, "behind") if one.pool == found.pool), None)
            if pool is None:
                continue
            where = {"run": pool.run, "position": pool.position}
            computed = _computed(connection, pool)
            cursor.executemany(SQL["add_fit"], [{**where, **asdict(line)} for line in computed.lines])
            likelihoods.keep(connection, pool.pool, pool.run, pool.position, computed.stronger)
            done += 1
    return done


def differences(connection: Connection) -> list[str]:
    """A sentence for every pool whose newest fit does not follow from the results. A pool that has no fit yet has none
    that could differ."""
    found = []
    for pool in _pools(connection, "fitted"):
        where = {"run": pool.run, "position": pool.position}
        stored = connection.cursor(row_factory=class_row(VersionFit)).execute(SQL["stored"], where).fetchall()
        computed = _computed(connection, pool).lines
        for was, now in itertools.zip_longest(stored, computed):
            if was is None or now is None or not _alike(was, now):
                found.append(f"Pool {pool.pool}, fit of period {pool.position}: stored is {was} and computed is {now}.")
                break
    return found


@dataclass(frozen=True, slots=True)
class PoolFit:
    """The official ratings of a pool.

    :ivar lines: every version that played, by version. Ranks are among those that are shown.
    :ivar stronger: by shown version, ascending, how likely it is stronger than each of them in the same order; empty in
        a pool too large to compare all.
    """

    lines: list[VersionFit]
    stronger: dict[int, Floats]


def fitted(units: Iterable[Played], shown: set[int]) -> PoolFit:
    """The official ratings that the units, all of one kind, make."""
    played = list(units)
    versions = sorted({version for unit in played for version in unit.bots})
    number = {version: index for index, version in enumerate(versions)}
    fields = [_deal(unit, number) for unit in played if isinstance(unit, PlayedField)]
    tables = [unit for unit in played if isinstance(unit, PlayedUnit)]
    rows = field_rows(len(versions), fields) if fields else table_rows(len(versions), _by_size(tables, number))
    found = fit(rows)
    tabled = [version for version in versions if version in shown]
    likelihood = superiority(found, np.array([number[version] for version in tabled], np.int64))
    stronger = {} if likelihood is None else dict(zip(tabled, likelihood, strict=True))
    margins = half_widths(found)
    ranks = rank_intervals(found, np.array([version in shown for version in versions]))
    points = _points(played)
    datum = _against_the_field(fields)
    lines = []
    for version, index in number.items():
        ranked = ranks is not None and version in shown
        mean = mean_points(*points[version])
        ahead = mean_points(*datum[index]) if fields else None
        lines.append(
            VersionFit(
                version=version,
                micro_elo=round(float(found.elo[index]) * 1e6),
                micro_margin=_whole(margins[index] * 1e6),
                first_rank=int(ranks[index, 0]) if ranks is not None and ranked else None,
                last_rank=int(ranks[index, 1]) if ranks is not None and ranked else None,
                deals=int(found.deals[index]),
                milli_points_margin=_whole(mean.margin * 1000),
                milli_datum=_whole(ahead.mean * 1000) if ahead is not None else None,
                milli_datum_margin=_whole(ahead.margin * 1000) if ahead is not None else None,
            )
        )
    return PoolFit(lines, stronger)


def _pools(connection: Connection, statement: str) -> list[_Pool]:
    return connection.cursor(row_factory=class_row(_Pool)).execute(SQL[statement]).fetchall()


def _computed(connection: Connection, pool: _Pool) -> PoolFit:
    where = {"run": pool.run, "position": pool.position}
    shown = set(connection.cursor(row_factory=scalar_row).execute(SQL["shown"], where))
    return fitted(rated_units(connection, pool.pool, pool.position), shown)


def _alike(one: VersionFit, other: VersionFit) -> bool:
    """Whether the two are the same but for rounding."""
    pairs = zip(astuple(one), astuple(other), strict=True)
    return one.version == other.version and all(
        (a is None) == (b is None) and abs((a or 0) - (b or 0)) <= ROUNDING for a, b in pairs
    )


def _by_size(units: Sequence[PlayedUnit], number: dict[int, int]) -> Iterable[Matches]:
    """The matches of units, a group for each size of table. A unit is a deal."""
    sizes: dict[int, list[tuple[int, list[int], tuple[int, ...]]]] = defaultdict(list)
    for deal, unit in enumerate(units):
        who = [number[version] for version in unit.versions]
        sizes[len(who)] += [(deal, who, places) for places in unit.places]
    for matches in sizes.values():
        deals, bots, places = zip(*matches, strict=True)
        yield Matches(np.array(bots), np.array(places), np.array(deals))


def _deal(unit: PlayedField, number: dict[int, int]) -> FieldDeal:
    bots = [[number[version] for version in table] for table in unit.versions]
    return FieldDeal(bots, unit.places, unit.scores, standings(unit.scores, unit.forfeited))


def _against_the_field(fields: Sequence[FieldDeal]) -> dict[int, tuple[Floats, Ints]]:
    """What each bot made more than the others who held its cards, on every deal that it played."""
    ahead: dict[int, list[float]] = defaultdict(list)
    for field in fields:
        for bots, points in zip(field.bots, against_the_field(field), strict=True):
            for bot, more in zip(bots, points, strict=True):
                ahead[bot].append(more)
    # A bot plays a deal once.
    return {bot: (np.array(more), np.arange(len(more))) for bot, more in ahead.items()}


def _points(units: Sequence[Played]) -> dict[int, tuple[Floats, Ints]]:
    """The points of every match of each version, and their deals."""
    scores: dict[int, list[int]] = defaultdict(list)
    deals: dict[int, list[int]] = defaultdict(list)
    for deal, unit in enumerate(units):
        for version, points, _ in unit.lines:
            scores[version] += points
            deals[version] += [deal] * len(points)
    return {version: (np.array(scores[version], np.float64), np.array(deals[version])) for version in scores}


def _whole(value: float) -> int | None:
    return None if isnan(value) else round(value)
