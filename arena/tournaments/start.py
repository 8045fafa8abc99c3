"""The start of a tournament: entries close, versions freeze, the schedule becomes blocks. Knows no worker."""

import engine
from arena.errors import BadRequest, NotAllowed, WrongState
from arena.store import Connection, audit, bots
from arena.store.people import User
from arena.store.tournaments import SQL, Tournament, find_tournament, lock_open
from arena.tournaments import ledger, units
from arena.tournaments.block import UnitKind
from arena.tournaments.ledger import NewBlock
from arena.tournaments.schedule import Entry, ScheduleError, schedule

MOST_SINGLE_UNITS = 256
"""A block with a remote bot travels to its referee in one message, which is kept small as every bot's frames are."""


def start_tournament(connection: Connection, user: User, name: str) -> Tournament:
    """The tournament, running; everything is written or nothing.

    One remote entry makes every unit a single one: what a bot remembers cannot be taken from it, and rotation units and
    single ones are never rated together.

    :raises NotFound: if there is no such tournament.
    :raises NotAllowed: if it is somebody else's.
    :raises WrongState: if it has started, or an entry has no version that plays any more.
    :raises BadRequest: if no schedule can be made of the entries.
    """
    with connection.transaction():
        tournament = lock_open(connection, name)
        if not user.admin and user.name != tournament.owner:
            raise NotAllowed(f"the tournament '{name}' belongs to {tournament.owner}; only they can start it")
        entries, hashes, remote = _freeze(connection, tournament)
        working = units.working_seed(tournament.secret, hashes)
        kind = UnitKind.SINGLE if remote else UnitKind.ROTATION
        try:
            tables = schedule(entries, tournament.seats, tournament.orbits, units.schedule_seed(working))
        except ScheduleError as error:
            raise BadRequest(str(error)) from error
        # A single unit turns the cyclic order by one, so that as many units as seats give every bot every seat once.
        size = tournament.units * tournament.seats if remote else tournament.units
        if remote and size > MOST_SINGLE_UNITS:
            raise BadRequest(
                f"with a remote bot a table plays at most {MOST_SINGLE_UNITS} matches, and {tournament.units} units of "
                f"{tournament.seats} are {size}; use fewer units and more orbits"
            )
        connection.execute(SQL["start_tournament"], {"name": name, "engine": engine.VERSION})
        ledger.enqueue(
            connection,
            name,
            [
                NewBlock(table.orbit, table.index, table.entries, kind, number * size, size)
                for number, table in enumerate(tables)
            ],
        )
        audit.note(connection, user.name, "start", name, tournament=name)
        return find_tournament(connection, name)


def _freeze(connection: Connection, tournament: Tournament) -> tuple[list[Entry], list[bytes], bool]:
    """The entries with the versions that play from now on, their hashes, and whether one of them is remote."""
    entries, hashes, remote = [], [], False
    for name in tournament.bots:
        bot = bots.find_bot(connection, name)
        version = bots.active_version(connection, name)
        if version is None:
            raise WrongState(f"the bot '{name}' has no version that plays; 'arena bot log {name}' says why")
        if tournament.game not in version.games:
            raise WrongState(f"version {version.number} of the bot '{name}' does not play {tournament.game} any more")
        frozen = {"tournament": tournament.name, "bot": name, "version": version.id}
        connection.execute(SQL["freeze_entry"], frozen)
        entries.append(Entry(name, bot.owner, bot.house))
        hashes.append(units.entry_hash(name, version.number, version.content_hash))
        remote = remote or bot.kind == "remote"
    return entries, hashes, remote
