"""What may be seen of a block while it is played: deals that no table will play again, and nothing else."""

import asyncio
import dataclasses
import itertools

import pytest

import engine
from arena.bot.turn import Turn
from arena.referee.hub import Hub
from arena.referee.inhouse import InHouse
from arena.tournaments import sitting
from arena.tournaments.block import Beginning, Block, MatchReport, Progress, Report, UnitKind
from arena.tournaments.sitting import play_sitting
from engine.record import read_beginning, verify
from tests.referee.blocks import block_of, hosted

QUICK = {"callbreak": {}, "minus": {"deals": 2}, "contract_whist": {}, "minus_one": {"rounds": 6}}


def block_of_game(game: str, kind: UnitKind, units: int) -> Block:
    """A block of matches of some deals."""
    players = [hosted(f"bot-{number}", "") for number in range(12 if kind is UnitKind.FIELD else 4)]
    block = block_of(players, units=units, kind=kind)
    options = engine.write_options(engine.load(game, block.seats, **QUICK[game]).options)
    return dataclasses.replace(block, game=game, options=options)


def choose(turn: Turn) -> int:
    """Any legal action."""
    return turn.rng.choice(turn.legal)


async def played(block: Block) -> list[Report]:
    """Everything that is told of the block. What may be seen is asked for whenever the event loop comes round."""
    told: list[Report] = []

    async def tell(report: Report) -> None:
        told.append(report)

    async with Hub() as hub:
        progress = Progress(0, 0)
        for rotations in block.sittings:
            players = [InHouse(hub, f"{rotations.start}/{index}", choose) for index in range(len(block.players))]
            ids = [player.hello.bot for player in players]
            progress = await play_sitting(hub, block, rotations, ids, so_far=progress, tell=tell)
            for player in players:
                player.leave()
    return told


@pytest.fixture(autouse=True)
def without_rest(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sitting, "PROGRESS_S", 0.0)


@pytest.mark.parametrize("kind", [UnitKind.ROTATION, UnitKind.SINGLE])
@pytest.mark.parametrize("game", QUICK)
def test_what_is_told_is_of_closed_deals_of_one_match_at_a_time(game: str, kind: UnitKind) -> None:
    block = block_of_game(game, kind, 3)
    told = asyncio.run(played(block))
    matches = {(report.unit, report.rotation): report for report in told if isinstance(report, MatchReport)}
    seen = [report for report in told if isinstance(report, Beginning)]
    assert {report.rotation for report in seen} == {block.rotations - 1}, "an earlier rotation is still to be played"
    assert [report.unit for report in seen] == sorted(report.unit for report in seen)
    for one in seen:
        match = matches[one.unit, one.rotation]
        assert one.seats == match.seats
        assert match.record.startswith(one.record)
        behind = match.record[len(one.record) :]
        found, whole = read_beginning(one.record), verify(match.record)
        if behind.startswith('{"scores":'):
            assert found.decisions == whole.decisions
            continue
        # The next deal begins where it stops: not even its cards are told.
        assert behind.startswith('{"pack":')
        state, deal = whole.start.clone(), 0
        for decision in found.decisions:
            deal = state.deal
            state.apply(decision.seat, decision.action)
        assert state.deal == deal + 1
    # Nothing is told twice, and little is left out: several short deals may close at once.
    for last, one in itertools.pairwise(seen):
        assert one.unit > last.unit or len(one.record) > len(last.record)
    first = [one for one in seen if one.unit == seen[0].unit]
    deals = verify(matches[seen[0].unit, seen[0].rotation].record).end.deal + 1
    assert deals // 2 < len(first) <= deals


def test_nothing_of_a_field_is_told_before_its_last_table_has_ended() -> None:
    block = block_of_game("contract_whist", UnitKind.FIELD, 1)
    assert not any(map(block.closes, range(block.rotations)))
    told = asyncio.run(played(block))
    assert sum(isinstance(report, MatchReport) for report in told) == 4
    assert not any(isinstance(report, Beginning) for report in told)


def test_nothing_is_told_that_is_known_already() -> None:
    block = block_of_game("callbreak", UnitKind.SINGLE, 1)
    told = asyncio.run(played(block))
    seen = [report.record for report in told if isinstance(report, Beginning)]
    assert [read_beginning(record).end.deal for record in seen[:4]] == [0, 1, 2, 3]
    assert sum(isinstance(report, Progress) for report in told) > 10 * len(seen)
