"""One deal at several tables: the same hands stand in one row, and what differs is told where it differs first."""

import random

import pytest

import engine
from arena.web.duplicate import Table, board, length, losses, rows
from arena.web.replay import replay
from engine.game import Game
from engine.record import Recorder
from tests.engine.walks import SEED

GAMES = [
    engine.load("callbreak", redeal_below=0),
    engine.load("minus", deals=2),
    engine.load("contract_whist"),
    engine.load("minus_one", 5),
]


def played(game: Game, *choosers: random.Random) -> str:
    """The record of a match of that seed: a seat without a chooser does the first that is legal."""
    recorder = Recorder(game, players=[f"bot {seat}" for seat in range(game.seats)], seed=SEED)
    state = game.start(SEED)
    recorder.observe_state(state)
    while state.to_act():
        seat = state.to_act()[0]
        legal = state.legal(seat)
        action = choosers[seat].choice(legal) if seat < len(choosers) else legal[0]
        recorder.decision(seat, action, len(legal), 1)
        state.apply(seat, action)
        recorder.observe_state(state)
    return recorder.finish(state)


def table(number: int, game: Game, *choosers: random.Random) -> Table:
    bots = tuple(f"bot-{(seat + number) % game.seats}" for seat in range(game.seats))
    return Table(number, bots, replay(played(game, *choosers)))


@pytest.mark.parametrize("game", GAMES)
def test_a_row_has_one_hand_and_every_cell_what_was_called_won_and_scored(game: Game) -> None:
    tables = [table(0, game), table(1, game, random.Random(1)), table(2, game, *map(random.Random, range(5)))]
    found = rows(game, tables, 1, "bot-1")
    assert [row.seat for row in found] == list(range(game.seats))
    for row in found:
        for one, cell in zip(tables, row.cells, strict=True):
            assert cell is not None
            deal = one.replay.deals[0]
            assert (cell.bot, cell.table, cell.won) == (one.bots[row.seat], one.number, deal.won[row.seat])
            assert cell.score == (deal.scores[row.seat] if deal.scores else None)
            sits_here = any(other.bots[row.seat] == "bot-1" for other in tables)
            assert cell.model == (cell.bot == "bot-1" if sits_here else one is tables[0])
            if deal.hands and row.hand is not None and deal.scores:
                assert {card.text for card in cell.cards} == {card.text for card in row.hand}
            assert sum(card.mark == "won" for card in cell.cards) == (cell.won if cell.cards else 0)
            assert len(cell.rounds) == (6 if not deal.hands else 0)


@pytest.mark.parametrize("game", GAMES)
def test_two_who_did_the_same_part_nowhere_and_others_at_their_first_other_decision(game: Game) -> None:
    same = [table(0, game), table(1, game)]
    assert all(cell is not None and cell.parting is None for row in rows(game, same, 1) for cell in row.cells)
    tables = [same[0], table(1, game, random.Random(1))]
    model, other = (one.replay for one in tables)
    step = next(
        at
        for at, pair in enumerate(zip(model.record.decisions, other.record.decisions, strict=False), start=1)
        if pair[0].action != pair[1].action
    )
    mine = other.record.decisions[step - 1]
    cell = rows(game, tables, 1)[mine.seat].cells[1]
    assert cell is not None
    assert cell.parting is not None
    assert (cell.parting.step, cell.parting.alike) == (step, True)
    assert cell.parting.mine.text == game.write(mine.action)
    assert cell.parting.theirs.text == game.write(model.record.decisions[step - 1].action)


@pytest.mark.parametrize("game", [GAMES[0], GAMES[2]])
def test_who_had_seen_other_things_before_is_told_from_who_had_seen_the_same(game: Game) -> None:
    met = set()
    for number in range(1, 9):
        # One seat plays otherwise than in the first table; the rest follow from it.
        tables = [table(0, game), table(number, game, *map(random.Random, range(number % 5)))]
        first, second = (one.replay.record.decisions for one in tables)
        for row in rows(game, tables, 1):
            cell = row.cells[1]
            if cell is not None and cell.parting is not None:
                before = cell.parting.step - 1
                same = [one.action for one in first[:before]] == [one.action for one in second[:before]]
                assert cell.parting.alike == same
                met.add(same)
    assert met == {True, False}


def test_losses_are_hands_with_which_others_scored_more_the_worst_first() -> None:
    game = engine.load("callbreak")
    tables = [table(number, game, *(random.Random(number * 9 + seat) for seat in range(4))) for number in range(4)]
    found = losses(tables, "bot-2", 100)
    assert found
    gaps = [one.others - one.score for one in found]
    assert gaps == sorted(gaps, reverse=True)
    assert min(gaps) > 0
    for one in found:
        assert tables[one.table].bots[one.seat] == "bot-2"
        others = [
            (deal.scores[one.seat], other.bots[one.seat])
            for other in tables
            if other.number != one.table and (deal := other.deal(one.deal)) and deal.scores
        ]
        # Hands differ where a deal was thrown in more often at one table.
        assert (one.best_score, one.best) in others
    assert losses(tables, "bot-2", 2) == found[:2]


@pytest.mark.parametrize("game", GAMES)
def test_boards_go_through_a_deal_together_and_end_with_its_last_trick_or_round(game: Game) -> None:
    tables = [table(0, game), table(1, game, random.Random(1))]
    steps = length(tables, 1)
    for one in tables:
        deal = one.replay.deals[0]
        for step in (0, 1, steps - 1, steps, steps + 9):
            shown = board(one, 1, step)
            assert shown is not None
            assert shown[1] == min(deal.first + step, deal.last)
        shown = board(one, 1, steps)
        assert shown is not None
        if deal.scores:
            assert len(shown[0].finished) == (sum(deal.won) if deal.hands else 6)
        assert board(one, 99, 0) is None
