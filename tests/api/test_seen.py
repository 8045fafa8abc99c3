"""What everybody at a table has seen, against the record of the match."""

import random

from hypothesis import given
from hypothesis import strategies as st

from arena.api.seen import MOST, Seen
from arena.web.replay import replay
from engine.game import Game
from tests.engine.walks import SEED, games
from tests.web.test_replay import recorded


@given(games(), st.randoms(use_true_random=False))
def test_scores_are_told_when_a_deal_is_over_and_decisions_as_they_are_made(game: Game, rng: random.Random) -> None:
    text, states = recorded(game, rng)
    found = replay(text)
    lines = text.splitlines()
    seen = Seen(game, SEED, frozenset())
    cut = rng.randrange(len(lines))
    seen.read(lines[:cut])
    assert seen.lines == cut
    assert seen.to_act == states[seen.decisions].to_act()
    seen.read(lines[cut:])
    assert (seen.decisions, seen.to_act) == (found.steps, ())
    newest = [(one.seat, game.write(one.action)) for one in found.record.decisions][-MOST:]
    assert [(one.seat, one.action) for one in seen.moves] == newest
    if found.deals[0].hands:
        scored = [(one.last, one.totals) for one in found.deals if one.scores]
        assert seen.sheet == scored
    assert seen.sheet[-1] == (found.steps, found.record.scores)
