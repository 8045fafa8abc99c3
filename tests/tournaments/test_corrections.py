"""What organisers do to a tournament that goes wrong, against the real database."""

import contextlib
import functools
import random
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import psycopg
import pytest

import engine
from arena.errors import ArenaError, BadRequest, NotAllowed, NotFound, WrongState
from arena.ratings.periods import apply_due, rebuild
from arena.store import Connection, alarms, audit, connect
from arena.store.people import User
from arena.store.tournaments import enter_tournament, find_tournament, list_entries
from arena.tournaments import corrections, ledger
from arena.tournaments.block import Cause, UnitKind
from arena.tournaments.ledger import Ending, NewBlock
from arena.tournaments.start import start_tournament
from tests.tournaments.ground import BOTS, FIELD, claimed, field_of, make_tournament, make_version, one, reports_of

OWNER = User("owner", admin=False)
ADMIN = User("boss", admin=True)
STRANGER = User("stranger", admin=False)
WHY = "The host ran out of memory."


@pytest.fixture(autouse=True)
def people(connection: Connection) -> None:
    connection.execute("INSERT INTO users VALUES ('owner', false), ('boss', true), ('stranger', false)")


def started(connection: Connection, blocks: int = 2, orbits: int = 1, kind: UnitKind = UnitKind.ROTATION) -> Any:
    """The name and the blocks of a tournament of one unit a block, which has started; orbit by orbit."""
    first = make_tournament(connection, blocks, kind=kind)
    name = one(connection, "SELECT tournament FROM blocks WHERE id = %s", first[0])
    more = [
        NewBlock(orbit, index, BOTS, kind, orbit * blocks + index, 1)
        for orbit in range(1, orbits)
        for index in range(blocks)
    ]
    return name, [*first, *ledger.enqueue(connection, name, more)]


def play(connection: Connection, block: int, rotations: int = 4) -> None:
    unit = one(connection, "SELECT first_unit FROM blocks WHERE id = %s", block)
    assert ledger.finish(connection, claimed(connection, block), reports_of([unit], rotations)) is Ending.RECORDED


def die(connection: Connection, block: int) -> None:
    """Three processes that play the block die."""
    for _ in range(ledger.COUNTED_DEATHS):
        ledger.abandon(connection, claimed(connection, block), "It was killed by SIGSEGV.", Cause.DIED)


def open_tournament(connection: Connection, name: str = "open") -> str:
    for bot in BOTS:
        make_version(connection, bot)
    connection.execute(
        "INSERT INTO tournaments (name, owner, game, seats, options, orbits, units, move_ms, bank_ms, max_faults,"
        " startup_ms, secret, commitment) VALUES (%s, 'owner', 'callbreak', 4, '{}', 1, 1, 250, 0, 3, 1000,"
        " sha256('s'), sha256(sha256('s')))",
        [name],
    )
    enter_tournament(connection, OWNER, name, list(BOTS))
    return name


def state(connection: Connection, block: int) -> object:
    return one(connection, "SELECT state FROM blocks WHERE id = %s", block)


def closed(connection: Connection, name: str) -> bool:
    ledger.close_ended(connection)
    return find_tournament(connection, name).closed_at is not None


def acts(connection: Connection) -> list[tuple[str, str, str, str]]:
    """Who did what on what and why, oldest first."""
    lines = audit.acts(connection, organiser=None, before=None, limit=100)
    return [(line.who, line.act, line.subject, line.reason) for line in reversed(lines)]


def rated_units(connection: Connection) -> list[int]:
    """How many units count, by position of their period."""
    apply_due(connection)
    assert not rebuild(connection).differs
    rows = connection.execute("SELECT units FROM rated_periods JOIN current_runs USING (pool, run) ORDER BY position")
    return [row[0] for row in rows]


def test_a_block_that_is_not_played_yet_is_given_up_and_late_results_are_refused(connection: Connection) -> None:
    name, (waits, played, other) = started(connection, 3)
    lease = claimed(connection, played)
    assert corrections.void(connection, OWNER, name, WHY, blocks=[played, waits]) == [
        f"block {waits} is given up",
        f"block {played} is given up",
    ]
    assert (state(connection, waits), state(connection, played), state(connection, other)) == ("void", "void", "queued")
    assert not ledger.progress(connection, lease, 1, 1)
    assert ledger.finish(connection, lease, reports_of([1])) is Ending.SUPERSEDED
    assert not closed(connection, name)
    play(connection, other)
    assert closed(connection, name)
    assert rated_units(connection) == [1]
    assert acts(connection) == [("owner", "void", f"block {waits}, block {played}", WHY)]


def test_a_unit_that_was_played_stops_counting_and_stays_as_it_was_played(connection: Connection) -> None:
    name, (first, second) = started(connection)
    play(connection, first)
    play(connection, second)
    before = connection.execute("SELECT * FROM results").fetchall()
    assert rated_units(connection) == [2]
    assert corrections.void(connection, OWNER, name, WHY, units=[1]) == ["unit 1 does not count"]
    assert rated_units(connection) == [1]
    # Also after the end, and by naming the block.
    assert corrections.void(connection, ADMIN, name, WHY, blocks=[first, second]) == [
        "unit 0 does not count",
        "unit 1 does not count already",
    ]
    assert rated_units(connection) == [0]
    assert connection.execute("SELECT * FROM results").fetchall() == before
    assert acts(connection) == [("owner", "void", "unit 1", WHY), ("boss", "void", "unit 0", WHY)]


def test_what_cannot_be_void_is_refused_with_a_sentence_and_changes_nothing(connection: Connection) -> None:
    name, (played, waits) = started(connection)
    other, (foreign, _) = started(connection)
    play(connection, played)
    refused: list[tuple[type[ArenaError], str, Callable[[], object]]] = [
        (NotFound, "has no block 4711", lambda: corrections.void(connection, OWNER, name, WHY, blocks=[waits, 4711])),
        (NotFound, f"has no block {foreign}", lambda: corrections.void(connection, OWNER, name, WHY, blocks=[foreign])),
        (NotFound, "has no unit 9", lambda: corrections.void(connection, OWNER, name, WHY, units=[0, 9])),
        (WrongState, f"one of block {waits}", lambda: corrections.void(connection, OWNER, name, WHY, units=[0, 1])),
        (WrongState, "name blocks or units", lambda: corrections.void(connection, OWNER, name, WHY)),
        (WrongState, "name blocks or units", lambda: corrections.retry(connection, OWNER, name, [])),
        (WrongState, "only a void block", lambda: corrections.retry(connection, OWNER, name, [waits])),
        (BadRequest, "say why", lambda: corrections.void(connection, OWNER, name, " ", blocks=[waits])),
        (BadRequest, "on one line", lambda: corrections.void(connection, OWNER, name, "a\nb", blocks=[waits])),
        (BadRequest, "at most 1000", lambda: corrections.void(connection, OWNER, name, WHY, blocks=range(1001))),
        (NotFound, "no tournament 'none'", lambda: corrections.cancel(connection, OWNER, "none", WHY)),
        (NotFound, "'eve' is not in", lambda: corrections.disqualify(connection, OWNER, name, "eve", WHY)),
        (NotAllowed, "belongs to owner", lambda: corrections.void(connection, STRANGER, name, WHY, blocks=[waits])),
        (NotAllowed, "belongs to owner", lambda: corrections.retry(connection, STRANGER, name, [waits])),
        (NotAllowed, "belongs to owner", lambda: corrections.disqualify(connection, STRANGER, name, "ann", WHY)),
        (NotAllowed, "belongs to owner", lambda: corrections.cancel(connection, STRANGER, name, WHY)),
    ]
    for error, sentence, act in refused:
        with pytest.raises(error, match=sentence):
            act()
    assert acts(connection) == []
    assert corrections.corrections(connection, name) == corrections.corrections(connection, other) == []
    assert state(connection, waits) == "queued"


@pytest.mark.parametrize("decision", ["void", "void by name", "retry", "retry by name", "disqualify", "cancel"])
def test_a_tournament_stays_open_until_somebody_decides_about_a_block_that_died(
    connection: Connection, decision: str
) -> None:
    name, (dead, other) = started(connection)
    play(connection, other)
    die(connection, dead)
    assert find_tournament(connection, name).undecided == [dead]
    assert not closed(connection, name)
    assert rated_units(connection) == [1], "its orbit is rated meanwhile"
    assert alarms.open_alarms(connection) == 1
    if decision.startswith("void"):
        corrections.void(connection, OWNER, name, WHY, blocks=[dead] if "name" in decision else [])
    elif decision.startswith("retry"):
        corrections.retry(connection, OWNER, name, [dead] if "name" in decision else [])
        assert not closed(connection, name)
        (new,) = ledger.pending(connection, 10)
        play(connection, new)
    elif decision == "disqualify":
        corrections.disqualify(connection, OWNER, name, "ann", WHY)
    else:
        corrections.cancel(connection, OWNER, name, WHY)
    tournament = find_tournament(connection, name)
    assert tournament.undecided == []
    assert tournament.closed_at is not None
    assert alarms.open_alarms(connection) == 0
    counting = {"retry": 2, "disqualify": 0}.get(decision.partition(" ")[0], 1)
    assert rated_units(connection) == [counting]


def test_a_second_retry_says_which_block_is_in_the_place(connection: Connection) -> None:
    name, (dead, _) = started(connection)
    die(connection, dead)
    (sentence,) = corrections.retry(connection, OWNER, name, [])
    new = one(connection, "SELECT id FROM blocks WHERE replaces = %s", dead)
    assert sentence == f"block {new} waits in the place of block {dead}"
    taken = f"block {new} is in the place of block {dead}"
    with pytest.raises(WrongState, match=taken):
        corrections.retry(connection, OWNER, name, [dead])
    with pytest.raises(WrongState, match=taken):
        corrections.void(connection, OWNER, name, WHY, blocks=[dead])
    assert acts(connection) == [("owner", "retry", f"block {dead} by {new}", "")]


def test_a_disqualified_bot_takes_its_units_and_its_open_blocks_with_it(connection: Connection) -> None:
    name, (played, waits) = started(connection)
    lease = claimed(connection, waits)
    play(connection, played)
    assert corrections.disqualify(connection, OWNER, name, "cyd", WHY) == [
        "cyd is disqualified: no table at which it sat counts"
    ]
    assert ledger.finish(connection, lease, reports_of([1])) is Ending.SUPERSEDED
    assert closed(connection, name)
    assert rated_units(connection) == [0]
    assert corrections.disqualify(connection, ADMIN, name, "cyd", "Again.") == [
        "cyd is disqualified already: no table at which it sat counts"
    ]
    assert corrections.disqualified(connection, name) == ["cyd"]
    assert acts(connection) == [("owner", "disqualify", "cyd", WHY)]


def test_no_block_of_a_disqualified_bot_is_played_again(connection: Connection) -> None:
    name, (dead, waits) = started(connection)
    other = one(connection, "UPDATE blocks SET entries = '{ann,bob,cyd,eve}' WHERE id = %s RETURNING id", waits)
    die(connection, dead)
    corrections.disqualify(connection, OWNER, name, "dan", WHY)
    with pytest.raises(WrongState, match="dan is disqualified"):
        corrections.retry(connection, OWNER, name, [dead])
    assert state(connection, other) == "queued"


def test_of_a_field_a_disqualified_bot_takes_its_table_alone(connection: Connection) -> None:
    played, waits, dead = make_tournament(connection, 3, kind=UnitKind.FIELD)
    name = one(connection, "SELECT name FROM tournaments")
    ledger.finish(connection, claimed(connection, played), field_of(0))
    for _ in range(3):
        ledger.abandon(connection, claimed(connection, dead), "It died.", Cause.DIED)
        (dead,) = set(ledger.pending(connection, 10)) - {waits} or {dead}
    corrections.disqualify(connection, OWNER, name, "bot-05", WHY)
    assert (state(connection, waits), state(connection, dead)) == ("queued", "void")
    assert corrections.retry(connection, OWNER, name, []) == [f"block {dead + 1} waits in the place of block {dead}"]
    ledger.void(connection, dead + 1, WHY)
    ledger.finish(connection, claimed(connection, waits), field_of(1))
    apply_due(connection)
    bots = connection.execute("SELECT v.bot, r.units FROM ratings r JOIN versions v ON v.id = r.version ORDER BY bot")
    assert bots.fetchall() == [(bot, 2) for bot in FIELD if bot not in FIELD[4:8]]


def test_from_an_open_tournament_a_disqualified_bot_is_out_and_stays_out(connection: Connection) -> None:
    name = open_tournament(connection)
    corrections.disqualify(connection, OWNER, name, "bob", WHY)
    assert [entry.bot for entry in list_entries(connection, name)] == ["ann", "cyd", "dan"]
    with pytest.raises(WrongState, match=f"'bob' is disqualified from '{name}': {WHY}"):
        enter_tournament(connection, OWNER, name, ["bob"])
    make_version(connection, "eve")
    enter_tournament(connection, OWNER, name, ["eve"])
    with pytest.raises(NotFound, match="no bot 'nobody'"):
        corrections.disqualify(connection, OWNER, name, "nobody", WHY)


def test_a_cancelled_open_tournament_is_closed_for_good(connection: Connection) -> None:
    name = open_tournament(connection)
    assert corrections.cancel(connection, OWNER, name, WHY) == [f"{name} is cancelled"]
    with pytest.raises(WrongState, match=f"'{name}' is cancelled"):
        enter_tournament(connection, OWNER, name, ["ann"])
    with pytest.raises(WrongState, match=f"'{name}' is cancelled"):
        start_tournament(connection, OWNER, name)
    assert corrections.cancel(connection, OWNER, name, WHY) == [f"{name} is cancelled already"]
    assert acts(connection) == [("owner", "cancel", name, WHY)]


def test_of_a_cancelled_tournament_complete_orbits_count_and_others_do_not(connection: Connection) -> None:
    name, blocks = started(connection, 2, orbits=3)
    first, second, third, *_ = blocks
    for block in (first, second, third):
        play(connection, block)
    lease = claimed(connection, blocks[3])
    assert rated_units(connection) == [2]
    assert corrections.cancel(connection, OWNER, name, WHY) == [
        f"{name} is cancelled: 2 of its orbits were not complete and do not count"
    ]
    assert ledger.finish(connection, lease, reports_of([3])) is Ending.SUPERSEDED
    tournament = find_tournament(connection, name)
    assert tournament.cancelled_at is not None
    assert tournament.closed_at is not None
    assert rated_units(connection) == [2, 0, 0]
    assert connection.execute("SELECT count(*) FROM rating_runs").fetchone() == (1,), (
        "nothing that was rated has changed"
    )
    with pytest.raises(WrongState, match="its secret is told"):
        corrections.retry(connection, OWNER, name, [blocks[3]])
    found = [(one.what, one.orbit, one.reason, one.who) for one in corrections.corrections(connection, name)]
    assert found == [("orbit", 1, WHY, "owner"), ("orbit", 2, WHY, "owner"), ("tournament", None, WHY, "owner")]


def test_what_has_ended_cannot_be_cancelled(connection: Connection) -> None:
    name, blocks = started(connection)
    for block in blocks:
        play(connection, block)
    with pytest.raises(WrongState, match="has ended and its secret is told"):
        corrections.cancel(connection, OWNER, name, WHY)


@pytest.mark.parametrize("act", ["cancel", "disqualify"])
def test_a_block_that_is_drawn_while_somebody_gives_up_all_open_ones_is_given_up_too(
    connection: Connection, database_url: str, act: str
) -> None:
    name, (block,) = started(connection, 1, kind=UnitKind.SINGLE)
    lease = claimed(connection, block)
    waiting = "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'"

    def decide() -> object:
        with connect(database_url) as own:
            if act == "cancel":
                return corrections.cancel(own, OWNER, name, WHY)
            return corrections.disqualify(own, OWNER, name, "ann", WHY)

    with ThreadPoolExecutor(1) as pool, connect(database_url) as own:
        with own.transaction():
            ledger.abandon(own, lease, "It was cut short.", Cause.LOST)
            other = pool.submit(decide)
            while not other.done() and one(connection, waiting) == 0:
                time.sleep(0.01)
        other.result()
    assert connection.execute("SELECT state FROM blocks ORDER BY id").fetchall() == [("void",), ("void",)]
    assert closed(connection, name)


def rating_rows(connection: Connection) -> list[Any]:
    """What the run that is shown says, but for ids."""
    return connection.execute(
        "SELECT p.orbit, r.units, r.input_sha256, e.version, e.delta_micro, e.micro_elo, e.units, e.points"
        " FROM rating_periods p JOIN rated_periods r USING (pool, position) JOIN current_runs c ON c.run = r.run"
        " LEFT JOIN rating_events e ON e.run = r.run AND e.position = r.position ORDER BY p.position, e.version"
    ).fetchall()


@pytest.mark.parametrize("seed", range(6))
def test_ratings_after_any_order_of_acts_are_those_of_a_rebuild_from_nothing(connection: Connection, seed: int) -> None:
    choice = random.Random(seed)
    name, blocks = started(connection, 3, orbits=3)
    entries = [choice.sample([*BOTS, "eve", "fay"], 4) for _ in blocks]
    for bot in ("eve", "fay"):
        version = make_version(connection, bot)
        connection.execute("INSERT INTO entries VALUES (%s, %s, %s, %s)", [name, bot, 4 + (bot == "fay"), version])
    for block, seated in zip(blocks, entries, strict=True):
        connection.execute("UPDATE blocks SET entries = %s WHERE id = %s", [seated, block])
    acts: list[Callable[[], object]] = [functools.partial(play_if_open, connection, block) for block in blocks]
    acts += [
        lambda: corrections.void(connection, OWNER, name, WHY, blocks=[choice.choice(blocks)]),
        lambda: corrections.void(connection, OWNER, name, WHY, units=[choice.randrange(9)]),
        lambda: corrections.void(connection, OWNER, name, WHY, units=[choice.randrange(9)]),
        lambda: corrections.retry(connection, OWNER, name, [choice.choice(blocks)]),
        lambda: corrections.disqualify(connection, OWNER, name, "fay", WHY),
        lambda: apply_due(connection),
        lambda: apply_due(connection),
        lambda: rebuild(connection, verify=False),
    ]
    acts += [lambda: corrections.cancel(connection, OWNER, name, WHY)] if seed % 2 else []
    choice.shuffle(acts)
    for act in acts:
        with contextlib.suppress(ArenaError):  # what cannot be now changes nothing
            act()
    for block in ledger.pending(connection, 100):
        play_if_open(connection, block)
    played = connection.execute("SELECT * FROM results ORDER BY unit, rotation").fetchall()
    apply_due(connection)
    shown = rating_rows(connection)
    assert not rebuild(connection).differs
    # From nothing: as if no period had ever been applied before the last act.
    connection.execute("SET session_replication_role = replica")
    for table in ("fits", "rating_events", "rated_periods", "rating_runs", "rating_periods"):
        connection.execute(f"DELETE FROM {table}".encode())
    connection.execute("SET session_replication_role = DEFAULT")
    apply_due(connection)
    assert rating_rows(connection) == shown != []
    assert connection.execute("SELECT * FROM results ORDER BY unit, rotation").fetchall() == played


def play_if_open(connection: Connection, block: int) -> None:
    lease = ledger.claim(connection, block, "w", engine.VERSION)
    if lease is not None:
        unit = one(connection, "SELECT first_unit FROM blocks WHERE id = %s", block)
        assert ledger.finish(connection, lease, reports_of([unit])) is Ending.RECORDED


def test_an_act_that_fails_leaves_neither_a_correction_nor_a_line(connection: Connection) -> None:
    name, (block, _) = started(connection)
    connection.execute("ALTER TABLE audit ADD CHECK (act <> 'void')")
    with pytest.raises(psycopg.errors.CheckViolation):
        corrections.void(connection, OWNER, name, WHY, blocks=[block])
    assert corrections.corrections(connection, name) == []
    assert state(connection, block) == "queued"
