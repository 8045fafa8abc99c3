"""Worlds: what is drawn for an observation is never impossible, may be anything that is possible, and is even."""

import itertools
import pickle
import random
from collections import Counter
from collections.abc import Hashable, Sequence
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import engine
from engine.callbreak import HONOURS
from engine.cards import SPADES, SUIT_MASK, cards_of, mask_of
from engine.dealing import Supply
from engine.game import Game
from engine.tricks import TrickObservation
from engine.worlds_pairs import PairsWorlds
from engine.worlds_shares import Shares
from engine.worlds_tricks import TrickWorlds
from tests.engine.walks import TRICK_TABLES, games, pack_of, shared_out, some_state, take, walk

numbers = st.integers(0, 10**6)

CUSTOMS: list[tuple[str, int, dict[str, Any]]] = [
    ("callbreak", 4, {}),
    ("callbreak", 4, {"must_beat": "always", "trump_when_void": "always", "direction": "anticlockwise"}),
    ("callbreak", 4, {"trump_when_void": "no_waste", "announce_voids": True, "first_lead_spades": "banned"}),
    ("callbreak", 4, {"trump_when_void": "never", "redeal_no_spades": True, "redeal_no_honours": True}),
    ("callbreak", 4, {"must_beat": "never", "announce_voids": True, "redeal_no_spades": True}),
    ("callbreak", 4, {"must_beat": "always", "trump_when_void": "no_waste"}),
    ("callbreak", 4, {"redeal_no_spades": True, "redeal_no_honours": True, "max_redeals": 0}),
    ("minus", 4, {"direction": "anticlockwise"}),
    ("minus", 4, {"must_beat": "always", "trump_when_void": "no_waste"}),
    ("contract_whist", 3, {}),
    ("contract_whist", 4, {"trump_sequence": "NT"}),
    ("contract_whist", 6, {}),
]


def _is_even(counts: Counter[Hashable], kinds: int) -> bool:
    """Whether counts of so many equally likely kinds pass a chi-square test, at five standard deviations."""
    drawn = counts.total()
    expected = drawn / kinds
    square = sum((n - expected) ** 2 / expected for n in counts.values()) + (kinds - len(counts)) * expected
    return bool(square < kinds - 1 + 5 * (2 * kinds) ** 0.5)


def _view(state: Any, seat: int) -> TrickObservation:
    seen = state.observe(seat)
    assert isinstance(seen, TrickObservation)
    return seen


def _hands(state: Any) -> tuple[int, ...]:
    """What each seat holds."""
    return tuple(state.table.hand(seat) for seat in range(state.game.seats))


def _played(o: TrickObservation, step: int) -> list[list[int]]:
    """The cards that each seat has played in this deal."""
    played: list[list[int]] = [[] for _ in range(o.seats)]
    for at, card in enumerate(o.history + o.trick):
        leader = (o.leaders + bytes([o.leader]))[at // o.seats]
        played[(leader + at % o.seats * step) % o.seats].append(card)
    return played


def _world(state: Any, hands: Sequence[Sequence[int]], rest: Sequence[int]) -> Any:
    """The same match with other hands and other cards laid aside."""
    step = getattr(state.game, "step", 1)
    seats = state.game.seats
    o = _view(state, 0)
    played = _played(o, step)
    pack = bytearray(seats * o.tricks)
    for seat in range(seats):
        pack[((seat - o.dealer) * step - 1) % seats :: seats] = bytes([*played[seat], *hands[seat]])
    other = state.clone()
    other.dealing.pack = bytes([*pack, *rest])
    other.dealing.index = other.dealing.redeal
    fill = [bytes(state.game.deck.cards)] * other.dealing.redeal
    other.dealing.supply = Supply(state.game.deck, bytes(32), (*fill, other.dealing.pack))
    other.table.dealt = [mask_of(pack[((seat - o.dealer) * step - 1) % seats :: seats]) for seat in range(seats)]
    return other


def _could_be(world: Any, seat: int, o: TrickObservation) -> bool:
    """Whether a match can have come to this by legal decisions, and the seat would see it so. Knows nothing of how
    worlds are drawn: the engine takes all decisions of the deal once more."""
    try:
        again = world.game.from_bytes(world.to_bytes())
    except ValueError:
        return False
    options = world.game.options
    dealt = world.table.dealt
    if world.game.id == "callbreak" and o.redeal < options.max_redeals:
        if options.redeal_no_spades and not all(hand & SUIT_MASK[SPADES] for hand in dealt):
            return False
        if options.redeal_no_honours and not all(hand & HONOURS for hand in dealt):
            return False
    return bool(again.observe(seat) == o)


def _ways(total: int, needs: Sequence[int]) -> int:
    ways = 1
    for need in needs:
        for n in range(need):
            ways = ways * (total - n) // (n + 1)
        total -= need
    return ways


@given(games(), numbers)
@settings(max_examples=120, deadline=None)
def test_a_world_looks_the_same_and_its_past_was_legal(game: Game, seed: int) -> None:
    state = some_state(game, seed)
    rng = random.Random(seed)
    for seat in range(game.seats):
        o = state.observe(seat)
        world: Any = engine.sample(game, o, rng)
        assert world.observe(seat) == o
        again = game.from_bytes(world.to_bytes())  # Takes every decision of the deal again, checked.
        assert again.observe(seat) == o
        assert again == world == pickle.loads(pickle.dumps(world))
        if isinstance(o, TrickObservation):
            assert _could_be(world, seat, o)
            assert world.to_act() == state.to_act()
        if seat in state.to_act():
            assert world.legal(seat) == state.legal(seat)
        assert world.scores() == state.scores()
        left = world.clone()
        walk(left, rng)
        assert left.to_act() == ()
        assert world == again


@given(games(), numbers)
@settings(max_examples=25, deadline=None)
def test_the_generator_decides_the_world_and_all_deals_after_it(game: Game, seed: int) -> None:
    state = some_state(game, seed)
    o = state.observe(seed % game.seats)
    worlds = engine.worlds(game, o)
    first, second = random.Random(seed), random.Random(seed)
    before = state.to_bytes()
    for _ in range(3):
        world = engine.sample(game, o, first)
        assert world.to_bytes() == worlds.draw(second).to_bytes()
        walk(world, random.Random(seed))
    assert state.to_bytes() == before


@pytest.mark.parametrize(("name", "seats", "options"), CUSTOMS)
def test_worlds_are_exactly_those_in_which_every_past_decision_was_legal(
    name: str, seats: int, options: dict[str, Any]
) -> None:
    """Cards that a seat does not see change places at random; the engine, asked to play the deal again, agrees with
    what the worlds say is possible."""
    game = engine.load(name, seats, **options)
    rng = random.Random(seats)
    for _ in range(25):
        state: Any = game.start(rng.randbytes(32))
        for _ in range(5):
            walk(state, rng, rng.randrange(1, 4 * seats))
            if not state.to_act():
                break
            seat = rng.randrange(seats)
            _check_exchanges(state, seat, rng)


@given(games(TRICK_TABLES), numbers)
@settings(max_examples=40, deadline=None)
def test_worlds_are_exact_with_any_options(game: Game, seed: int) -> None:
    state = some_state(game, seed)
    rng = random.Random(seed)
    for seat in range(game.seats):
        _check_exchanges(state, seat, rng)


def _check_exchanges(state: Any, seat: int, rng: random.Random) -> None:
    o = _view(state, seat)
    if o.hand.bit_count() + len(_played(o, getattr(state.game, "step", 1))[seat]) < o.tricks:
        return  # The first lap of Minus hides cards of its own; it has its own test.
    worlds = engine.worlds(state.game, o)
    assert isinstance(worlds, TrickWorlds)
    shares = worlds.shares
    for _ in range(4):
        drawn: Any = worlds.draw(rng)
        assert _could_be(drawn, seat, o)
        hands = [cards_of(hand) for hand in _hands(drawn)]
        hands.append(list(drawn.dealing.pack[o.seats * o.tricks :]))
        places = [(h, at) for h in range(o.seats + 1) if h != seat for at in range(len(hands[h]))]
        for count in (2, 2, 2, 3, len(places)):
            moved = [hand[:] for hand in hands]
            chosen = rng.sample(places, min(len(places), count))
            cards = [moved[h][at] for h, at in chosen]
            for (h, at), card in zip(chosen, cards[1:] + cards[:1], strict=True):
                moved[h][at] = card
            masks = [0 if h == seat else mask_of(hand) for h, hand in enumerate(moved)]
            admitted = not any(mask & ~may for mask, may in zip(masks, shares.may, strict=True))
            admitted = admitted and all(masks[h] & cards for h, cards in shares.wanted)
            assert admitted == _could_be(_world(state, moved[:-1], moved[-1]), seat, o)


def test_shares_are_all_ways_and_even() -> None:
    rng = random.Random(3)
    tried = 0
    while tried < 40:
        cards = mask_of(rng.sample(range(52), rng.randrange(4, 9)))
        cuts = sorted(rng.randrange(cards.bit_count() + 1) for _ in range(rng.choice([1, 2, 2, 3])))
        needs = [b - a for a, b in itertools.pairwise([0, *cuts, cards.bit_count()])]
        allowed = [
            cards if rng.random() < 0.3 else mask_of(c for c in cards_of(cards) if rng.random() < 0.7) for _ in needs
        ]
        wanted = [
            (rng.randrange(len(needs)), mask_of(c for c in cards_of(cards) if rng.random() < 0.4))
        ] * rng.randrange(2)
        fits = [
            tuple(shares)
            for shares in shared_out(frozenset(cards_of(cards)), needs)
            if not any(mask_of(share) & ~may for share, may in zip(shares, allowed, strict=True))
        ]
        wished = {shares for shares in fits if all(mask_of(shares[h]) & mask for h, mask in wanted)}
        if not wished:
            continue
        if len(wished) > 150:
            continue
        tried += 1
        shares = Shares(cards, needs, allowed, wanted)
        if not wanted:
            assert shares.ways() == len(fits)
        counts: Counter[Hashable] = Counter(
            tuple(tuple(sorted(share)) for share in shares.draw(rng)) for _ in range(30 * len(wished))
        )
        assert set(counts) == wished
        assert _is_even(counts, len(wished))


def test_cards_that_cannot_be_shared_out_are_refused() -> None:
    for needs, allowed in [([1, 1], [1, 1]), ([2, 1], [3, 3]), ([1, 1], [2, 2]), ([0, 2], [3, 1])]:
        with pytest.raises(ValueError, match="No world"):
            Shares(3, needs, allowed)
    with pytest.raises(ValueError, match="No world"):
        Shares(3, [1, 1], [3, 3], [(0, 4)])
    with pytest.raises(ValueError, match="No world"):
        Shares(3, [1, 1], [3, 3], [(0, 1), (1, 1)])


@pytest.mark.parametrize(("name", "seats", "options"), CUSTOMS)
def test_the_end_of_a_deal_has_all_its_worlds_evenly(name: str, seats: int, options: dict[str, Any]) -> None:
    game = engine.load(name, seats, **options)
    rng = random.Random(seats)
    tried = told = 0
    while tried < 4:
        state: Any = game.start(rng.randbytes(32))
        while state.to_act():
            walk(state, rng, rng.choice([1, 2, 3, 5, 8]) if tried else 1)
            seat = rng.randrange(seats)
            o = _view(state, seat)
            unseen = frozenset(game.deck.cards).difference(o.history, o.trick, cards_of(o.hand))  # type: ignore[attr-defined]
            played = _played(o, getattr(game, "step", 1))
            needs = [0 if other == seat else o.tricks - len(played[other]) for other in range(seats)]
            if o.phase != 0 or not 6 <= _ways(len(unseen), needs) <= 800 or sum(needs) < 3:
                continue
            fits = set()
            for shares in shared_out(unseen, needs):
                hands = [list(cards_of(o.hand)) if h == seat else list(share) for h, share in enumerate(shares)]
                if _could_be(_world(state, hands, sorted(unseen.difference(*shares))), seat, o):
                    fits.add(tuple(map(mask_of, hands)))
            worlds = engine.worlds(game, o)
            assert isinstance(worlds, TrickWorlds)
            if not worlds.shares.wanted:
                assert worlds.shares.ways() == len(fits)
            draws = 20 * len(fits)
            counts: Counter[Hashable] = Counter(_hands(worlds.draw(rng)) for _ in range(draws))
            assert set(counts) == fits
            assert _is_even(counts, len(fits))
            tried += 1
            told += len(fits) < _ways(len(unseen), needs)
            break
    assert told  # Some of these deals say something of the hands.


def test_cards_laid_aside_are_as_likely_in_a_hand_as_those_that_were_dealt() -> None:
    game = engine.load("contract_whist", 4)
    rng = random.Random(8)
    state: Any = game.start(bytes(32))
    while _view(state, 0).tricks > 3 or _view(state, 0).phase:
        walk(state, rng, 1)
    o = _view(state, 2)
    counts: Counter[Hashable] = Counter()
    worlds: Any = engine.worlds(game, o)
    for _ in range(1500):
        world = worlds.draw(rng)
        counts.update(cards_of(world.table.hand(0) | world.table.hand(1) | world.table.hand(3)))
    unseen = set(range(52)).difference(cards_of(o.hand))
    assert set(counts) == unseen
    assert _is_even(counts, len(unseen))


def test_the_first_lap_of_minus_tells_five_cards_only() -> None:
    game = engine.load("minus")
    rng = random.Random(6)
    state: Any = game.start(bytes(32))
    take(state, "pass", "trump 5H")
    o = _view(state, 0)
    worlds: Any = engine.worlds(game, o)
    own: Counter[Hashable] = Counter()
    packets: Counter[Hashable] = Counter()
    for _ in range(1500):
        world = worlds.draw(rng)
        assert world.packet[0] == o.hand
        own.update(cards_of(world.table.hand(0) & ~o.hand))
        packets.update(cards_of(world.packet[3]))
        packets.update(cards_of(world.packet[2]))
        take(world, "trump 6S", "pass")
        assert world.observe(0).hand.bit_count() == 13
    assert _is_even(own, 47)
    assert _is_even(packets, 47)


@given(st.integers(3, 7), st.booleans(), numbers)
@settings(max_examples=40, deadline=None)
def test_choices_that_are_not_revealed_are_not_copied(seats: int, rest: bool, seed: int) -> None:
    game = engine.load("minus_one", seats, rest_across_decks=rest)
    rng = random.Random(seed)
    state: Any = game.start(bytes(32))
    walk(state, rng, seats * rng.randrange(36))
    seat = rng.randrange(seats)
    open_ = state.observe(seat)
    expected = engine.sample(game, open_, random.Random(seed)).to_bytes()
    for other in rng.sample(range(seats), seats - 1):
        state.apply(other, rng.choice(state.legal(other)))
        world: Any = engine.sample(game, state.observe(seat), random.Random(seed))
        assert world.to_act() == tuple(range(seats))
        assert world.to_bytes() == expected


def test_a_spade_led_first_where_that_is_banned_tells_a_hand_of_spades() -> None:
    game = engine.load("callbreak", first_lead_spades="banned", redeal_below=0)
    suits = [[suit * 13 + rank for rank in range(13)] for suit in range(4)]
    pack = [suits[(seat + 3) % 4][rank] for rank in range(13) for seat in range(4)]
    state: Any = game.start_from([pack], first_dealer=3)
    take(state, "call 1", "call 1", "call 1", "call 1", "2S")
    for seat in (1, 2, 3):
        world: Any = engine.sample(game, state.observe(seat), random.Random(seat))
        assert world.table.hand(0) == SUIT_MASK[SPADES] ^ 1 << 39


def test_a_low_trump_where_waste_is_banned_tells_a_hand_of_trumps() -> None:
    game = engine.load("callbreak", trump_when_void="no_waste")
    hands = [
        "AD 2H 3H 4H 5H 6H 7H 8H 9H TH JH QH KH",
        "2D AS 2C 3C 4C 5C 6C 7C 8C 9C TC JC QC",
        "3D 2S 3S 4S 5S 6S 7S 8S 9S TS JS QS KS",
        "AH KC AC 4D 5D 6D 7D 8D 9D TD JD QD KD",
    ]
    state: Any = game.start_from([pack_of(hands, dealer=3)], first_dealer=3)
    take(state, *["call 2"] * 4, "AD", "2D", "3D", "4D", "2H", "AS", "2S")
    for seat in (0, 1, 3):
        world: Any = engine.sample(game, state.observe(seat), random.Random(seat))
        assert world.table.hand(2) == state.table.hand(2)


def test_an_observation_of_another_game_is_refused() -> None:
    games_ = [engine.load(name) for name in engine.GAMES]
    rng = random.Random(1)
    pairs = engine.load("minus_one").start(bytes(32)).observe(0)
    tricks = engine.load("callbreak").start(bytes(32)).observe(0)
    with pytest.raises(ValueError, match="never seen as"):
        engine.sample(games_[0], pairs, rng)
    with pytest.raises(ValueError, match="never seen as"):
        engine.sample(engine.load("minus_one"), tricks, rng)
    with pytest.raises(ValueError, match="No world"):
        engine.sample(engine.load("contract_whist", 5), tricks, rng)
    with pytest.raises(ValueError, match="No world"):
        engine.sample(engine.load("minus_one", 5), pairs, rng)
    assert isinstance(engine.worlds(engine.load("minus_one"), pairs), PairsWorlds)
