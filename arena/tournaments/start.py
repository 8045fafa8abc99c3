"""The start of a tournament: entries close, versions freeze, the first tables are drawn. Knows no worker."""

from psycopg.rows import scalar_row

import engine
from arena.errors import BadRequest, NotAllowed, WrongState
from arena.store import Connection, audit, bots
from arena.store.people import User
from arena.store.tournaments import SQL, Tournament, find_tournament, lock_open, see_tournament
from arena.tournaments.draws import draw_first
from arena.tournaments.schedule import ScheduleError


def start_tournament(connection: Connection, user: User, name: str) -> Tournament:
    """The tournament, running; everything is written or nothing.

    One remote entry keeps all units from being rotation units: what a bot remembers cannot be taken from it, and units
    of two kinds are never rated together. Where there are bots of owners enough the units are fields, else single.

    :raises NotFound: if there is no such tournament that the user may see.
    :raises NotAllowed: if it is somebody else's.
    :raises WrongState: if it has started or is a ladder, or an entry has no version that plays any more.
    :raises BadRequest: if no schedule can be made of the entries.
    """
    with connection.transaction():
        see_tournament(connection, user, name)
        tournament = lock_open(connection, name)
        if tournament.stands:
            raise WrongState(f"'{name}' is a ladder; its periods start by themselves while bots enough are in")
        if not user.admin and user.name != tournament.owner:
            raise NotAllowed(f"the tournament '{name}' belongs to {tournament.owner}; only they can start it")
        _start(connection, tournament, user.name)
        return find_tournament(connection, name)


def start_overdue(connection: Connection) -> int:
    """How many tournaments were started because their entries were to be closed by now. One that cannot start, as with
    too few entries, stays open, its time is taken back, and an alarm tells its organiser."""
    started = 0
    for name in connection.cursor(row_factory=scalar_row).execute(SQL["overdue"]).fetchall():
        try:
            with connection.transaction():
                tournament = lock_open(connection, name)
                if tournament.open_until is None:
                    continue
                _start(connection, tournament, audit.PLATFORM)
                started += 1
        except (BadRequest, WrongState) as error:
            sentence = f"Tournament '{name}' was to start and stays open: {str(error).rstrip('.')}."
            connection.execute(SQL["stay_open"], {"name": name, "sentence": sentence})
    return started


def _start(connection: Connection, tournament: Tournament, who: str) -> None:
    """Starts a tournament that is locked and open."""
    _freeze(connection, tournament)
    connection.execute(SQL["start_tournament"], {"name": tournament.name, "engine": engine.VERSION})
    try:
        draw_first(connection, tournament)
    except ScheduleError as error:
        raise BadRequest(str(error)) from error
    audit.note(connection, who, "start", tournament.name, tournament=tournament.name)


def _freeze(connection: Connection, tournament: Tournament) -> None:
    """Notes which versions play from now on."""
    for name in tournament.bots:
        version = bots.active_version(connection, name)
        if version is None:
            raise WrongState(f"the bot '{name}' has no version that plays; 'arena bot log {name}' says why")
        if tournament.game not in version.games:
            raise WrongState(f"version {version.number} of the bot '{name}' does not play {tournament.game} any more")
        frozen = {"tournament": tournament.name, "bot": name, "version": version.id}
        connection.execute(SQL["freeze_entry"], frozen)
