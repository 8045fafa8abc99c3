"""Ladders as messages: where one stands, and how it goes on. Knows no user."""

from arena.store import Connection
from arena.store.tournaments import Tournament
from arena.tournaments.ladders import standing
from arena.v1 import tournament_pb2 as pb


def state_of(tournament: Tournament) -> pb.TournamentState.ValueType:
    """Where a tournament stands. A ladder is open until it is closed, whether or not a period is played."""
    if tournament.cancelled_at is not None:
        return pb.TOURNAMENT_STATE_CANCELLED
    if tournament.started_at is None:
        return pb.TOURNAMENT_STATE_OPEN if tournament.closed_at is None else pb.TOURNAMENT_STATE_DONE
    closed = tournament.closed_at is not None
    return pb.TOURNAMENT_STATE_DONE if closed and tournament.rated else pb.TOURNAMENT_STATE_RUNNING


def standing_of(connection: Connection, ladder: Tournament) -> pb.LadderStanding:
    """How a ladder goes on."""
    found = standing(connection, ladder)
    message = pb.LadderStanding(
        periods=[
            pb.LadderPeriod(
                tournament=period.name,
                state=state_of(period),
                bots=len(period.bots),
                blocks=period.blocks,
                blocks_done=period.blocks_done,
            )
            for period in found.periods
        ],
        bots=[
            pb.LadderBot(bot=one.bot, periods=one.periods, last_period=one.last, barred=one.barred)
            for one in found.bots
        ],
        paused=found.paused,
    )
    if found.next_at is not None:
        message.next_time.FromDatetime(found.next_at)
    return message
