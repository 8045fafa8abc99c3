"""`arena ratings GAME` with an option: a bot's history, who is likelier stronger, who did what against
whom, who may let whom win. Knows no formula."""

from collections.abc import Iterator, Sequence

from arena.cli.client import Server, calls
from arena.cli.table import Value, print_table
from arena.errors import ArenaError
from arena.v1 import rating_pb2 as pb
from arena.v1.rating_pb2_grpc import RatingServiceStub

PAGE = 1000
STEPS = ["Run", "Period", "Tournament", "Orbit", "Version", "Rating", "±", "Ranks", "Elo", "Change", "Units"]
STEP_KEYS = [
    *("Game", "Seats", "Unit kind", "Run", "Shown", "Period", "Tournament", "Orbit", "Rated at", "Version", "Rating"),
    *("Rating margin", "First rank", "Last rank", "Elo", "Change", "Units"),
]
SOFT_PLAY = ["Helper", "Friend", "Units", "Gain %", "Helper's %", "z", "p", "q", "Look"]
SOFT_PLAY_KEYS = [
    *("Game", "Seats", "Unit kind", "Helper", "Friend", "Units", "Gain percent", "Helper gain percent", "z", "p", "q"),
    "Suspect",
]
LIKELIHOOD_KEYS = ["Game", "Seats", "Unit kind", "Bot", "Version", "Other", "Other version", "Stronger"]
MET = ["Against", "Matches", "Above", "Level", "Below", "Share %", "± %", "Points", "± pts"]
MET_KEYS = [
    *("Game", "Seats", "Unit kind", "Bot", "Against", "Matches", "Above", "Level", "Below", "Share percent"),
    *("Share margin percent", "Points", "Points margin", "Deals"),
]
KINDS = {"rotation": "", "single": ", independent deals", "field": ", fields"}


def title(table: pb.RatingTable) -> str:
    """What a table is of."""
    options = "".join(f", {name} {value}" for name, value in sorted(table.options.items()))
    return f"{table.game}, {table.seats} seats{options}{KINDS[table.unit_kind]}"


def print_history(server: Server, tables: Sequence[pb.RatingTable], bot: str, *, as_json: bool) -> int:
    """Prints what every period of every run did to the bot, for each table in which it is.

    :raises ArenaError: if it is in none.
    """
    found = [(table, steps) for table in tables if (steps := list(_steps(server, table.pool, bot)))]
    if not found:
        raise ArenaError(f"no table has a rated bot '{bot}' there; 'arena ratings GAME' lists those that are")
    if as_json:
        rows = [
            [table.game, table.seats, table.unit_kind, *_step_values(step)] for table, steps in found for step in steps
        ]
        print_table(STEP_KEYS, rows, as_json=True)
        return 0
    for table, steps in found:
        print(f"\n{bot} in {title(table)}")
        print_table(STEPS, [_step_row(step) for step in steps], decimals={"Rating": 0, "±": 0, "Elo": 0, "Change": 1})
        runs = {step.run: step for step in steps}
        if len(runs) > 1:
            print("\n".join(f"run {run} {_of_run(step)}" for run, step in runs.items()))
    return 0


def print_likelihoods(server: Server, tables: Sequence[pb.RatingTable], against: str, *, as_json: bool) -> int:
    """Prints how likely each bot of the tables is stronger than the next one, or than ``against``.

    :raises ArenaError: if nothing is known of any of them.
    """
    found = [(table, lines) for table in tables if (lines := list(_likelihoods(server, table.pool, against)))]
    if not found:
        where = f"no table has a rated bot '{against}' beside others" if against else "no table has two rated bots"
        raise ArenaError(
            f"{where} of which this is known: it comes with the next period that is rated, in pools of up to 3,000 bots"
        )
    if as_json:
        rows: list[list[Value]] = [
            [
                table.game,
                table.seats,
                table.unit_kind,
                line.bot,
                line.version,
                line.other,
                line.other_version,
                line.stronger,
            ]
            for table, lines in found
            for line in lines
        ]
        print_table(LIKELIHOOD_KEYS, rows, as_json=True)
        return 0
    for table, lines in found:
        ratings = {line.bot: line for line in table.ratings}
        print(f"\n{title(table)}")
        heads = ["Bot", "Rating", "±", "is stronger than", "with %"]
        print_table(
            heads,
            [[line.bot, *_fitted(ratings.get(line.bot)), line.other, 100 * line.stronger] for line in lines],
            decimals={"Rating": 0, "±": 0, "with %": 1},
        )
    return 0


def print_head_to_head(server: Server, tables: Sequence[pb.RatingTable], bot: str, *, as_json: bool) -> int:
    """Prints what the bot did beside each other, for each table in which it is.

    :raises ArenaError: if it is in none.
    """
    of_bot = [table for table in tables if any(line.bot == bot for line in table.ratings)]
    if not of_bot:
        raise ArenaError(f"no table has a rated bot '{bot}' there; 'arena ratings GAME' lists those that are")
    rows: list[list[Value]] = []
    for table in of_bot:
        request = pb.GetHeadToHeadRequest(pool=table.pool, bot=bot)
        with calls(server):
            found = RatingServiceStub(server.channel).GetHeadToHead(request, metadata=server.metadata)
        lines = [_met(one, 1000 * 10**found.score_decimals) for one in found.opponents]
        if as_json:
            common: list[Value] = [table.game, table.seats, table.unit_kind, bot]
            rows += [[*common, *line, one.deals] for line, one in zip(lines, found.opponents, strict=True)]
            continue
        cut = f", the newest {found.matches:,} of {found.rated_matches:,} matches"
        print(f"\n{bot} in {title(table)}{cut if found.matches < found.rated_matches else ''}")
        print_table(MET, lines, decimals={"Share %": 1, "± %": 1, "Points": 2, "± pts": 2})
    if as_json:
        print_table(MET_KEYS, rows, as_json=True)
    return 0


def print_soft_play(server: Server, tables: Sequence[pb.RatingTable], *, owners: bool, as_json: bool) -> int:
    """Prints the pairs of each table that are the least likely to be chance."""
    rows: list[list[Value]] = []
    for table in tables:
        request = pb.ListSoftPlayRequest(pool=table.pool, owners=owners)
        with calls(server):
            found = RatingServiceStub(server.channel).ListSoftPlay(request, metadata=server.metadata)
        if as_json:
            rows += [[table.game, table.seats, table.unit_kind, *_soft_play(one), one.suspect] for one in found.pairs]
            continue
        print_pairs(table, found)
    if as_json:
        print_table(SOFT_PLAY_KEYS, rows, as_json=True)
    return 0


def print_pairs(table: pb.RatingTable, found: pb.ListSoftPlayResponse) -> None:
    """Prints the pairs of one table, and how many were tested."""
    print(f"\n{title(table)}: {found.tested} pairs tested, {sum(one.suspect for one in found.pairs)} to look at")
    if found.pairs:
        lines = [[*_soft_play(one), "yes" if one.suspect else ""] for one in found.pairs]
        print_table(SOFT_PLAY, lines, decimals={"Gain %": 1, "Helper's %": 1, "z": 1, "p": 6, "q": 4})


def _soft_play(one: pb.SoftPlay) -> list[Value]:
    return [one.helper, one.friend, one.together, 100 * one.gain, 100 * one.helper_gain, one.z, one.p, one.q]


def _met(one: pb.Opponent, unit: int) -> list[Value]:
    return [
        one.bot,
        one.matches,
        one.above,
        one.level,
        one.below,
        one.micro_share / 10_000,
        one.micro_margin / 10_000 if one.HasField("micro_margin") else None,
        one.milli_points / unit,
        one.milli_points_margin / unit if one.HasField("milli_points_margin") else None,
    ]


def _steps(server: Server, pool: int, bot: str) -> Iterator[pb.RatingStep]:
    request = pb.ListRatingHistoryRequest(pool=pool, bot=bot, page_size=PAGE)
    while True:
        with calls(server):
            page = RatingServiceStub(server.channel).ListRatingHistory(request, metadata=server.metadata)
        yield from page.steps
        if not page.next_page_token:
            return
        request.page_token = page.next_page_token


def _likelihoods(server: Server, pool: int, against: str) -> Iterator[pb.Likelihood]:
    request = pb.ListLikelihoodsRequest(pool=pool, against=against, page_size=PAGE)
    while True:
        with calls(server):
            page = RatingServiceStub(server.channel).ListLikelihoods(request, metadata=server.metadata)
        yield from page.likelihoods
        if not page.next_page_token:
            return
        request.page_token = page.next_page_token


def _fitted(line: pb.Rating | None) -> tuple[Value, Value]:
    if line is None or not line.HasField("fitted"):
        return None, None
    margin = line.fitted.micro_margin / 1e6 if line.fitted.HasField("micro_margin") else None
    return line.fitted.micro_elo / 1e6, margin


def _step_row(step: pb.RatingStep) -> list[Value]:
    run, _, position, tournament, orbit, _, version, rating, margin, first, last, elo, change, units = _step_values(
        step
    )
    ranks = "" if first is None else f"{first}" if first == last else f"{first}-{last}"
    return [run, position, tournament, orbit, version, rating, margin, ranks, elo, change, units]


def _step_values(step: pb.RatingStep) -> list[Value]:
    """A step as numbers, under STEP_KEYS; None for what is not known."""
    return [
        step.run,
        step.shown,
        step.position,
        step.tournament,
        step.orbit,
        step.rated_at.ToJsonString(),
        step.version,
        step.fitted_micro_elo / 1e6 if step.HasField("fitted_micro_elo") else None,
        step.fitted_micro_margin / 1e6 if step.HasField("fitted_micro_margin") else None,
        step.first_rank if step.HasField("first_rank") else None,
        step.last_rank if step.HasField("last_rank") else None,
        step.micro_elo / 1e6,
        step.delta_micro / 1e6,
        step.units,
    ]


def _of_run(step: pb.RatingStep) -> str:
    return f"{'is shown' if step.shown else 'is an older one'}: {step.reason}"
