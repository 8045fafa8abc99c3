"""The schedule of a tournament as messages: its blocks, and what it amounts to. Knows no draw."""

from arena.store import Connection, blocks
from arena.store.tournaments import Tournament
from arena.tournaments.balance import Balance, Span
from arena.tournaments.formats import Format
from arena.tournaments.plan import balance_drawn
from arena.v1 import tournament_pb2 as pb

STATES = {
    "waiting": pb.BLOCK_STATE_WAITING,
    "playing": pb.BLOCK_STATE_PLAYING,
    "done": pb.BLOCK_STATE_DONE,
    "void": pb.BLOCK_STATE_VOID,
    "replaced": pb.BLOCK_STATE_REPLACED,
}


def page_of_blocks(
    connection: Connection, request: pb.ListBlocksRequest, after: int, limit: int
) -> pb.ListBlocksResponse:
    """So many of the blocks that are asked for, behind those whose first unit is ``after``."""
    states = [name for name, state in STATES.items() if state in request.states]
    page = blocks.list_blocks(connection, request.tournament, bot=request.bot, states=states, after=after, limit=limit)
    following = str(page[-1].first_unit) if len(page) == limit else ""
    return pb.ListBlocksResponse(blocks=map(_block, page), next_page_token=following)


def work_out_balance(connection: Connection, tournament: Tournament) -> pb.TournamentPlan:
    """What the schedule amounts to as it was drawn.

    :raises WrongState: if it has not started, or is a ladder.
    :raises Exhausted: if it has too many tables to be counted.
    """
    return plan_message(tournament, balance_drawn(connection, tournament))


def plan_message(tournament: Tournament, numbers: Balance, seconds: int = 0) -> pb.TournamentPlan:
    """A schedule in numbers as it is sent."""
    return pb.TournamentPlan(
        bots=numbers.bots,
        orbits=numbers.orbits,
        tables=numbers.tables,
        units=numbers.units,
        matches=numbers.matches,
        matches_per_bot=_span(numbers.per_bot),
        meetings=_span(numbers.meetings),
        positions=_span(numbers.positions),
        same_owner_tables=numbers.same_owner,
        seconds=seconds,
        drawn_from_results=Format(tournament.format).waits,
    )


def _block(block: blocks.Block) -> pb.Block:
    message = pb.Block(
        block=block.id,
        orbit=block.orbit,
        table=block.table,
        bots=block.bots,
        first_unit=block.first_unit,
        units=block.units,
        state=STATES[block.state],
        replaces=block.replaces or 0,
    )
    if block.ended_at is not None:
        message.end_time.FromDatetime(block.ended_at)
    return message


def _span(span: Span) -> pb.Span:
    return pb.Span(least=span.least, most=span.most)
