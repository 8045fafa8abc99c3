"""A gauntlet: new bots, each at tables with bots that are known. Knows no result.

A table has one newcomer and k-1 of those that it is measured by, from a schedule of tables of k-1 for these alone. So a
newcomer meets all of them about equally often and no other newcomer, and newcomers that may meet the same ones meet
them at the same tables.
"""

from collections.abc import Sequence

from arena.tournaments.schedule import Entry, ScheduleError, Table, tables_of


def gauntlet(entries: Sequence[Entry], seats: int, orbits: int, seed: bytes) -> list[Table]:
    """All tables, by orbit and index; in an orbit a newcomer has as many as there are known bots that it may meet, or
    all sets of k-1 of them where these are not more. The order of ``entries`` does not matter.

    :raises ScheduleError: if there is no newcomer, or too few bots of other owners for one.
    """
    newcomers = sorted((entry for entry in entries if not entry.known), key=lambda entry: entry.id)
    if not newcomers:
        raise ScheduleError("A gauntlet needs a bot that runs it; enter one.")
    tables: list[tuple[int, tuple[str, ...]]] = []
    rounds: dict[tuple[str, ...], list[Table]] = {}
    for newcomer in newcomers:
        known = [entry for entry in entries if entry.known and entry.party != newcomer.party]
        ids = tuple(entry.id for entry in known)
        try:
            found = rounds[ids] = rounds.get(ids) or tables_of(known, seats - 1, orbits, seed)
        except ScheduleError as error:
            raise ScheduleError(f"Of those that {newcomer.id} is to meet: {error}") from error
        for table in found:
            at = table.index % seats
            tables.append((table.orbit, (*table.entries[:at], newcomer.id, *table.entries[at:])))
    tables.sort(key=lambda table: table[0])  # stable
    first = {orbit: index for index, (orbit, _) in reversed(list(enumerate(tables)))}
    return [Table(orbit, index - first[orbit], seated) for index, (orbit, seated) in enumerate(tables)]
