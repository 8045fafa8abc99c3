"""Applies periods to the stored ratings, and computes everything again. Knows no formula and no network.

A period is one orbit of one tournament in one pool. It is due when all its blocks are done or void and the orbits
before it have been applied; the order in which the periods of a pool closed is written down once and every run follows
it. All that is due in a pool is applied in one transaction under a lock of the pool, so a crash leaves all of it or
nothing, and whoever comes second finds nothing to do.
"""

import itertools
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from psycopg.rows import class_row, scalar_row

from arena.ratings.event import Event, Played, PlayedUnit, digest, rate
from arena.ratings.field import PlayedField
from arena.ratings.testimony import contradiction
from arena.ratings.traces import changes, traces
from arena.store import Connection, audit
from arena.store.sql import statements
from arena.tournaments.block import UnitKind
from arena.tournaments.field import least_done

SQL = statements(__file__)


@dataclass(frozen=True, slots=True)
class Rebuilt:
    """What came out when all ratings were computed again. ``differences`` are sentences, none where all bits agree."""

    pools: int
    periods: int
    differences: tuple[str, ...]

    @property
    def differs(self) -> bool:
        """Whether any stored bit was not the computed one."""
        return bool(self.differences)

    @property
    def sentence(self) -> str:
        """The outcome for a person."""
        if self.differences:
            return "The stored ratings do not follow from the results.\n" + "\n".join(self.differences)
        return f"The ratings of {self.pools} pools, {self.periods} periods, follow from the results to the last bit."


def apply_due(connection: Connection) -> int:
    """How many periods were applied: all that were due. Where blocks of an applied period were done later, after a
    retry, the pool is computed again in a new run."""
    connection.execute(SQL["add_pools"])
    return sum(_apply_pool(connection, pool) for pool in _pools(connection))


def rebuild(connection: Connection, *, verify: bool = True) -> Rebuilt:
    """Computes every pool again from its first period and compares with what is stored, bit for bit. With ``verify``
    nothing is written; without, the result becomes a new run, which is shown from then on and stands in the audit."""
    pools = periods = 0
    differences: list[str] = []
    for pool in _pools(connection):
        with connection.transaction():
            _run(connection, "lock_pool", pool=pool)
            run = _scalar(connection, "current_run", pool=pool)
            stored = [] if run is None else _stored(connection, run)
            computed = _computed(connection, pool)
            pools += 1
            periods += len(computed)
            differences += _differences(connection, pool, stored, computed)
            if not verify:
                _write_run(connection, pool, computed, "Rebuilt.")
                audit.note(connection, audit.at_host(), "ratings rebuilt", f"pool {pool}")
    return Rebuilt(pools, periods, tuple(differences))


@dataclass(frozen=True, slots=True)
class _Period:
    position: int
    tournament: str
    orbit: int


@dataclass(frozen=True, slots=True)
class _Rated:
    """A period as it was computed; equal means equal to the last bit. It was made of so many blocks and corrections;
    the traces are those of its units, and None where they were not kept."""

    position: int
    tournament: str
    blocks: int
    corrections: int
    units: int
    digest: bytes
    traces: bytes | None
    events: tuple[Event, ...]


@dataclass(frozen=True, slots=True)
class _Match:
    unit: int
    rotation: int
    seats: list[int]
    scores: list[int]
    places: list[int]
    faults: list[int]
    forfeited: list[int]
    versions: list[int]


def rated_units(connection: Connection, pool: int, last: int) -> Iterator[Played]:
    """The whole units of a pool's periods up to the position ``last``, period by period."""
    for period in _recorded(connection, pool):
        if period.position <= last:
            yield from _whole_units(connection, pool, period)


def _apply_pool(connection: Connection, pool: int) -> int:
    with connection.transaction():
        # A statement of its own: what comes after must see what the holder before has written.
        _run(connection, "lock_pool", pool=pool)
        run = _scalar(connection, "current_run", pool=pool)
        if run is None:
            run = _scalar(connection, "add_run", pool=pool, reason="The first one.")
        elif _scalar(connection, "stale", run=run) is not None:
            run = _write_run(
                connection,
                pool,
                _computed(connection, pool),
                "Blocks were played, or corrections made, after their period.",
            )
        events = connection.cursor(row_factory=class_row(Event)).execute(SQL["last_events"], {"pool": pool})
        standings = {event.version: event for event in events}
        periods = connection.cursor(row_factory=class_row(_Period))
        applied = 0
        while (period := periods.execute(SQL["take_due"], {"pool": pool}).fetchone()) is not None:
            _write(connection, pool, run, _rate(connection, pool, period, standings))
            applied += 1
        return applied


def _computed(connection: Connection, pool: int) -> list[_Rated]:
    """The recorded periods of the pool from the first on, from nothing but results."""
    standings: dict[int, Event] = {}
    return [_rate(connection, pool, period, standings) for period in _recorded(connection, pool)]


def _recorded(connection: Connection, pool: int) -> list[_Period]:
    """The periods of the pool in their order."""
    return connection.cursor(row_factory=class_row(_Period)).execute(SQL["recorded"], {"pool": pool}).fetchall()


def _rate(connection: Connection, pool: int, period: _Period, standings: dict[int, Event]) -> _Rated:
    """The period after ``standings``, which it brings up to date."""
    where = {"pool": pool, "tournament": period.tournament, "orbit": period.orbit}
    # Before the results, so that what ends or is corrected in between makes the period stale and is not forgotten.
    extent = connection.execute(SQL["extent"], where).fetchone()
    assert extent is not None
    blocks, corrections = extent
    units = list(_whole_units(connection, pool, period))
    events = tuple(rate(standings, units))
    standings.update((event.version, event) for event in events)
    return _Rated(
        period.position, period.tournament, blocks, corrections, len(units), digest(units), traces(units), events
    )


def _whole_units(connection: Connection, pool: int, period: _Period) -> Iterator[Played]:
    where = {"pool": pool, "tournament": period.tournament, "orbit": period.orbit}
    kind = UnitKind(_scalar(connection, "unit_kind", pool=pool))
    rows = connection.cursor(row_factory=class_row(_Match)).execute(SQL["matches"], where)
    for unit, group in itertools.groupby(rows, key=lambda match: match.unit):
        matches = list(group)
        whole = kind.rotations(len(matches[0].seats), len(matches[0].versions))
        if kind is UnitKind.FIELD:
            if len(matches) >= least_done(whole):
                yield _field(unit, matches)
        elif [match.rotation for match in matches] == list(range(whole)):
            yield PlayedUnit(
                unit,
                tuple(matches[0].versions),
                tuple(_by_bot(match, match.places) for match in matches),
                tuple(_by_bot(match, match.scores) for match in matches),
                tuple(_by_bot(match, match.faults) for match in matches),
            )


def _field(unit: int, matches: Sequence[_Match]) -> PlayedField:
    return PlayedField(
        unit,
        tuple(tuple(match.versions[player] for player in match.seats) for match in matches),
        tuple(tuple(match.places) for match in matches),
        tuple(tuple(match.scores) for match in matches),
        tuple(tuple(match.faults) for match in matches),
        tuple(tuple(int(seat in match.forfeited) for seat in range(len(match.seats))) for match in matches),
    )


def _by_bot(match: _Match, by_seat: Sequence[int]) -> tuple[int, ...]:
    return tuple(value for _, value in sorted(zip(match.seats, by_seat, strict=True)))


def _write_run(connection: Connection, pool: int, computed: Sequence[_Rated], reason: str) -> int:
    run = int(_scalar(connection, "add_run", pool=pool, reason=reason))
    for rated in computed:
        _write(connection, pool, run, rated)
    return run


def _write(connection: Connection, pool: int, run: int, rated: _Rated) -> None:
    extent = {"blocks": rated.blocks, "corrections": rated.corrections, "units": rated.units}
    made_of = {"digest": rated.digest, "traces": rated.traces}
    _run(connection, "add_rated_period", run=run, pool=pool, position=rated.position, **extent, **made_of)
    rows = [{"run": run, "position": rated.position, **asdict(event)} for event in rated.events]
    connection.cursor().executemany(SQL["add_event"], rows)


def _stored(connection: Connection, run: int) -> list[_Rated]:
    rows = connection.execute(SQL["events"], {"run": run}).fetchall()
    events = {
        position: tuple(Event(*row[1:]) for row in of_period)
        for position, of_period in itertools.groupby(rows, key=lambda row: row[0])
    }
    return [
        _Rated(position, tournament, blocks, corrections, units, input_sha256, hashes, events.get(position, ()))
        for position, tournament, blocks, corrections, units, input_sha256, hashes in connection.execute(
            SQL["rated"], {"run": run}
        )
    ]


def _differences(
    connection: Connection, pool: int, stored: Sequence[_Rated], computed: Sequence[_Rated]
) -> Iterator[str]:
    """A sentence for everything that is not stored as it is computed: the units of a period that have changed, where
    they are known, else the period and what first differs in it."""
    for was, now in itertools.zip_longest(stored, computed):
        if was is None or now is None:
            yield f"Pool {pool}: {len(stored)} periods are stored and {len(computed)} are computed."
            return
        period = f"Pool {pool}, period {now.position}"
        if (was.blocks, was.corrections) != (now.blocks, now.corrections):
            yield (
                f"{period}: blocks of tournament '{now.tournament}' were played or corrected since it was rated; the "
                f"services rate it anew within some seconds."
            )
        elif was.digest != now.digest:
            units = list(changes(was.traces, now.traces)) if was.traces is not None and now.traces is not None else []
            for unit, what in units:
                said = contradiction(connection, now.tournament, unit)
                yield f"{period}: tournament '{now.tournament}', unit {unit}: {what}.{said and ' ' + said}"
            if not units:
                yield f"{period}: the results are not those that were rated."
        elif was.events != now.events:
            one, other = next(pair for pair in itertools.zip_longest(was.events, now.events) if pair[0] != pair[1])
            yield f"{period}: stored is {one} and computed is {other}."


def _pools(connection: Connection) -> list[int]:
    return connection.cursor(row_factory=scalar_row).execute(SQL["pools"]).fetchall()


def _run(connection: Connection, statement: str, **values: Any) -> None:
    connection.execute(SQL[statement], values)


def _scalar(connection: Connection, statement: str, **values: Any) -> Any:
    """The first column of the first row; None if there is no row."""
    return connection.cursor(row_factory=scalar_row).execute(SQL[statement], values).fetchone()
