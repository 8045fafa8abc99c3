"""Worlds: what an observation has forgotten of earlier deals is drawn among what fits."""

import itertools
import random
from collections import Counter
from typing import Any

import pytest

import engine
from engine.callbreak import HONOURS
from engine.cards import DIAMONDS, SPADES, SUIT_MASK, mask_of
from engine.worlds_pairs import _last_won
from engine.worlds_past import _PastDeals, _unfair
from tests.engine.walks import walk


def test_rounds_won_before_the_deck_are_any_that_fit() -> None:
    rng = random.Random(7)
    able: dict[tuple[int, ...], set[tuple[int, ...]]] = {}
    for winners in itertools.product(range(4), repeat=4):
        tokens = tuple(winners.count(seat) for seat in range(3))
        last = tuple(
            max((at + 1 for at, winner in enumerate(winners) if winner == seat), default=0) for seat in range(3)
        )
        able.setdefault(tokens, set()).add(last)
    for tokens, lasts in able.items():
        true = rng.choice(sorted(lasts))
        forgotten = [rng.random() < 0.5 for _ in range(3)]
        known = bytes(5 if forgot and won else won for forgot, won in zip(forgotten, true, strict=True))
        fits = {last for last in lasts if all(k in (5, won) for k, won in zip(known, last, strict=True))}
        assert {tuple(_last_won(list(tokens), known, 4, rng)) for _ in range(30 * len(fits))} == fits


def test_packs_that_were_thrown_in_for_a_hand_are_such() -> None:
    game = engine.load("callbreak", redeal_no_spades=True, redeal_no_honours=True, redeal_below=0, max_redeals=2)
    rng = random.Random(2)
    seen = Counter[int]()
    while seen[1] < 3 or seen[2] < 1:
        state: Any = game.start(rng.randbytes(32))
        if not state.redeal:
            continue
        seen[state.redeal] += 1
        for seat in range(4):
            o = state.observe(seat)
            packs = engine.sample(game, o, rng).packs()
            again: Any = game.start_from(packs, first_dealer=o.dealer)
            assert again.redeal == o.redeal
            assert again.observe(seat) == o


def test_packs_thrown_in_for_several_hands_are_not_more_likely_for_that() -> None:
    rng = random.Random(5)
    missing = [SUIT_MASK[SPADES], HONOURS]
    several = 0
    for _ in range(3000):
        pack = _unfair(missing, rng)
        hands = [mask_of(pack[at::4]) for at in range(4)]
        several += sum(not hand & mask for hand in hands for mask in missing) > 1
    # By inclusion and exclusion about 1.2 % of such packs; twice that if each hand counted for itself.
    assert 18 < several < 54


def test_what_older_deals_left_behind_is_one_of_what_they_can_have_left() -> None:
    rng = random.Random(4)
    for name, options in [
        ("contract_whist", {"tie_break": "made_contracts"}),
        ("callbreak", {"tie_break": "best_deal"}),
    ]:
        game = engine.load(name, 4, **options)
        state: Any = game.start(bytes(32))
        while state.to_act() and state.deal < 3:
            state.apply(state.to_act()[0], rng.choice(state.legal(state.to_act()[0])))
            if rng.random() < 0.9:
                continue
            worlds: Any = engine.worlds(game, state.observe(1))
            drawn = [worlds.draw(rng) for _ in range(400 if state.deal > 1 else 5)]
            kept = "made" if name == "contract_whist" else "best"
            for seat in range(4):
                found = {getattr(world, kept)[seat] for world in drawn}
                assert getattr(state, kept)[seat] in found
                if state.deal < 2:
                    assert len(found) == 1


def test_a_first_trump_that_the_options_fix_is_kept_and_any_other_one_is_open() -> None:
    rng = random.Random(9)
    for fixed, found in [("H", {"H"}), ("random", {"S", "H"})]:
        game = engine.load("contract_whist", 3, trump_sequence="S,H,D,D", first_trump=fixed)
        state: Any = game.start_from([game.deck.cards] * 3, first_trump="H")  # type: ignore[attr-defined]
        while state.deal < 2:
            walk(state, rng, 1)
        worlds: Any = engine.worlds(game, state.observe(0))
        assert state.observe(0).trump == DIAMONDS
        assert {worlds.draw(rng).first_trump for _ in range(40)} == found


def test_a_best_deal_is_drawn_among_just_those_that_fit_the_total() -> None:
    game: Any = engine.load("callbreak", min_call=2)
    scores = sorted({game.score(call, won) for call in range(2, 14) for won in range(14)})
    past = _PastDeals(scores)
    fits: dict[int, set[int]] = {}
    for deals in itertools.combinations_with_replacement(scores, 3):
        fits.setdefault(sum(deals), set()).add(max(deals))
    rng = random.Random(2)
    for total in rng.sample(sorted(fits), 60):
        assert past.bests(3, total) == sorted(fits[total])
    with pytest.raises(ValueError, match="No world"):
        past.bests(3, 3 * max(scores) + 1)
