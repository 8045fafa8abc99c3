"""What one seat sees of a trick-taking match. Knows no rules: the game says what is dealt and what is announced."""

from engine.dealing import Dealing
from engine.score_sheet import ScoreSheet
from engine.table import Table
from engine.tricks import NONE, TrickObservation


def view(
    seat: int,
    dealing: Dealing,
    table: Table,
    sheet: ScoreSheet,
    *,
    phase: int,
    hand: int,
    extra: bool = False,
    laps: bytes = b"",
    caller: int = NONE,
    voids: bytes = b"",
) -> TrickObservation:
    """The observation of a seat that holds, and may see, the cards of ``hand``. The other arguments are as in
    :class:`TrickObservation`; what a game does not have is left out."""
    played = table.played
    finished = table.seats * table.done
    return TrickObservation(
        seat,
        table.seats,
        phase,
        dealing.deal,
        dealing.redeal,
        extra,
        dealing.dealer,
        table.leader,
        table.trump,
        table.size,
        hand,
        played[finished:],
        bytes(table.calls),
        bytes(table.won),
        played[:finished],
        table.leaders,
        laps,
        caller,
        voids,
        sheet.totals,
        sheet.last,
    )
