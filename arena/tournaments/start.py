"""The start of a tournament: entries close, versions freeze, the first tables are drawn. Knows no worker."""

import engine
from arena.errors import BadRequest, NotAllowed, WrongState
from arena.store import Connection, audit, bots
from arena.store.people import User
from arena.store.tournaments import SQL, Tournament, find_tournament, lock_open
from arena.tournaments.draws import draw_first
from arena.tournaments.schedule import ScheduleError


def start_tournament(connection: Connection, user: User, name: str) -> Tournament:
    """The tournament, running; everything is written or nothing.

    One remote entry keeps all units from being rotation units: what a bot remembers cannot be taken from it, and units
    of two kinds are never rated together. Where there are bots of owners enough the units are fields, else single.

    :raises NotFound: if there is no such tournament.
    :raises NotAllowed: if it is somebody else's.
    :raises WrongState: if it has started, or an entry has no version that plays any more.
    :raises BadRequest: if no schedule can be made of the entries.
    """
    with connection.transaction():
        tournament = lock_open(connection, name)
        if not user.admin and user.name != tournament.owner:
            raise NotAllowed(f"the tournament '{name}' belongs to {tournament.owner}; only they can start it")
        _freeze(connection, tournament)
        connection.execute(SQL["start_tournament"], {"name": name, "engine": engine.VERSION})
        try:
            draw_first(connection, tournament)
        except ScheduleError as error:
            raise BadRequest(str(error)) from error
        audit.note(connection, user.name, "start", name, tournament=name)
        return find_tournament(connection, name)


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
