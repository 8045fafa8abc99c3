"""What the record of a match says against its row of results. Knows no rating and no rules."""

import json

from arena.errors import NotFound
from arena.store import Connection
from arena.store.sql import statements
from arena.store.tournaments import find_record
from engine.record import RecordError, digest

SQL = statements(__file__)


def contradiction(connection: Connection, tournament: str, unit: int) -> str:
    """A sentence for the first match of the unit whose record has another result than its row; empty if there is none,
    or no record is kept."""
    for rotation, sealed, *row in connection.execute(SQL["rows"], {"tournament": tournament, "unit": unit}):
        try:
            record = find_record(connection, tournament, unit, rotation)
            said = json.loads(record.splitlines()[-1])
            hashed = digest(record)
        except NotFound:
            continue
        except (RecordError, ValueError, IndexError):
            return f"The record of rotation {rotation} is damaged."
        for what, stored in zip(("scores", "places", "forfeited"), row, strict=True):
            if said.get(what) != stored:
                return f"The record of rotation {rotation} has the {what} {said.get(what)}, and the row has {stored}."
        if hashed != sealed.hex():
            return f"The record of rotation {rotation} and its row have different hashes."
    return ""
