"""What a tournament amounts to before it starts, and how its bots did: as tables. Knows no SQL and no formula."""

from arena.cli.client import Server, calls
from arena.cli.table import Value, print_table
from arena.v1 import tournament_pb2 as pb
from arena.v1.tournament_pb2_grpc import TournamentServiceStub

MOST_PAIRS = 20
"""Bots whose shares are printed; of more, only the standings."""


def print_plan(server: Server, request: pb.PlanTournamentRequest) -> None:
    """Prints a plan, a line for each number."""
    with calls(server):
        plan = TournamentServiceStub(server.channel).PlanTournament(request, metadata=server.metadata)
    print_amounts(plan)


def print_amounts(plan: pb.TournamentPlan) -> None:
    """Prints what a schedule amounts to, a line for each number."""
    print(f"bots               {plan.bots}")
    print(
        f"orbits             {plan.orbits}{', each drawn from the results before' if plan.drawn_from_results else ''}"
    )
    print(f"tables             {plan.tables}")
    print(f"units              {plan.units}")
    print(f"matches            {plan.matches}")
    print(f"matches of a bot   {_span(plan.matches_per_bot)}")
    if plan.meetings.most:
        print(f"meetings of a pair {_span(plan.meetings)}")
        print(f"in each position   {_span(plan.positions)}")
    print(f"same-owner tables  {plan.same_owner_tables}")
    if plan.seconds:
        print(f"about              {_time(plan.seconds)}, one block after the other")


def print_standings(server: Server, name: str) -> None:
    """Prints mean points, and what each bot took of each other."""
    with calls(server):
        request = pb.GetStandingsRequest(tournament=name)
        found = TournamentServiceStub(server.channel).GetStandings(request, metadata=server.metadata)
    if not found.standings:
        print(f"nothing of {name} is played yet; next: arena tournament watch {name}")
        return
    unit = 1000 * 10**found.score_decimals
    rows: list[list[Value]] = [
        [
            place,
            line.bot,
            line.mean_milli_points / unit,
            line.milli_points_margin / unit if line.HasField("milli_points_margin") else None,
            line.matches,
        ]
        for place, line in enumerate(found.standings, 1)
    ]
    print_table(["Place", "Bot", "Mean points", "±", "Matches"], rows, decimals={"Mean points": 2, "±": 2})
    if len(found.standings) > MOST_PAIRS:
        return
    # Of each two, the line of the one that stands higher.
    order = {line.bot: place for place, line in enumerate(found.standings)}
    rows = [
        [
            share.bot,
            share.other,
            share.micro_share / 10_000,
            share.micro_margin / 10_000 if share.HasField("micro_margin") else None,
            share.matches,
        ]
        for share in found.shares
        if order[share.bot] < order[share.other]
    ]
    print()
    print_table(["Bot", "Against", "Above %", "±", "Matches"], rows, decimals={"Above %": 1, "±": 1})


def _span(span: pb.Span) -> str:
    return str(span.least) if span.least == span.most else f"{span.least} to {span.most}"


def _time(seconds: int) -> str:
    if seconds < 90:
        return f"{seconds} s"
    minutes = round(seconds / 60)
    return f"{minutes} min" if minutes < 90 else f"{minutes // 60} h {minutes % 60} min"
