"""Contract Whist rule by rule; the test ids are the rule ids of docs/rules/contract_whist.md."""

import random
from typing import Any

import pytest

import engine
from engine.cards import CLUBS, cards_of, mask_of, read_cards, write_card
from engine.contract_whist import ContractWhist, ContractWhistState
from engine.score_sheet import ScoreSheet
from engine.tricks import NO_TRUMP, NONE, FinishedDeal
from tests.engine.walks import SEED, legal_texts, pack_of, take, walk


def _game(seats: int = 4, **options: Any) -> ContractWhist:
    game = engine.load("contract_whist", seats, **options)
    assert isinstance(game, ContractWhist)
    return game


def _at_hand(state: ContractWhistState, deal: int) -> ContractWhistState:
    """The match played on by the house to the start of a hand."""
    while state.deal < deal:
        seat = state.to_act()[0]
        state.apply(seat, state.fallback(seat))
    return state


def _any(state: ContractWhistState, rng: random.Random) -> str:
    """Something that the seat to act may do."""
    return rng.choice(sorted(legal_texts(state)))


@pytest.mark.parametrize("seats", [2, 7])
def test_cw_01_three_to_six_seats(seats: int) -> None:
    with pytest.raises(ValueError, match="it takes 3, 4, 5, 6"):
        engine.load("contract_whist", seats)


@pytest.mark.parametrize(
    ("seats", "left_out", "size"), [(3, "2C", 17), (4, "", 13), (5, "2C 2S", 10), (6, "2C 2D 2H 2S", 8)]
)
@pytest.mark.rule("CW-B8", "CW-B11", "CW-21")
def test_cw_02_cw_06_cw_07_packs_and_hands(seats: int, left_out: str, size: int) -> None:
    state = _game(seats).start(SEED)
    without = mask_of(read_cards(left_out))
    sizes = []
    while state.to_act():
        if not state.table.called:
            hands = state.table.dealt
            sizes.append(hands[0].bit_count())
            assert {hand.bit_count() for hand in hands} == {sizes[-1]}
            assert not sum(hands) & without
            (pack,) = state.packs()
            assert mask_of(pack) == (1 << 52) - 1 & ~without  # The twos stay out of every hand.
        walk(state, random.Random(0), 1)
    assert sizes == list(range(size, 0, -1))


@pytest.mark.parametrize(
    ("seats", "plan"),
    [(3, "SHDCNSHDCNSHDCNSH"), (4, "SHDCNSHDCNSHD"), (5, "SHDCNSHDCN"), (6, "SHDCNSHD")],
    ids=["CW-T2-3", "CW-T2-4", "CW-T2-5", "CW-T2-6"],
)
@pytest.mark.rule("CW-B2", "CW-B4", "CW-B13")
def test_trumps_of_the_hands(seats: int, plan: str) -> None:
    state = _game(seats, first_trump="S", first_dealer=1).start(SEED)
    seen: dict[int, tuple[str, int]] = {}
    while state.to_act():
        view = state.observe(0)
        seen[view.deal] = ("CDHSN"[view.trump], view.dealer)
        walk(state, random.Random(0), 1)
    assert "".join(trump for trump, _ in seen.values()) == plan
    assert [dealer for _, dealer in seen.values()] == [(1 + at) % seats for at in range(len(plan))]


def test_cw_05_the_plan_is_known_before_the_first_hand() -> None:
    game = _game()
    state = game.start(SEED)
    draws = game.draws(state)
    plan = [
        (game.size(deal), game.trump(draws["first_trump"], deal), (draws["first_dealer"] + deal) % 4)
        for deal in range(game.hands)
    ]
    seen: dict[int, tuple[int, int, int]] = {}
    while state.to_act():
        view = state.observe(0)
        seen[view.deal] = (view.tricks, view.trump, view.dealer)
        walk(state, random.Random(0), 1)
    assert list(seen.values()) == plan


def test_cw_b1_trump_sequences() -> None:
    game = _game(trump_sequence="H,H,NT", first_trump="H")
    assert [game.trump("H", deal) for deal in range(5)] == [2, 2, NO_TRUMP, 2, 2]
    none = _game(trump_sequence=["NT"], first_trump="D")
    state = none.start(SEED)
    assert none.draws(state)["first_trump"] == "NT"
    assert {none.trump("NT", deal) for deal in range(13)} == {NO_TRUMP}
    with pytest.raises(ValueError, match="trump sequence has S, H"):
        _game(trump_sequence="S,H", first_trump="D")
    with pytest.raises(ValueError, match="a list of"):
        _game(trump_sequence="")
    drawn = {_game(trump_sequence="NT,D,S,D").start(bytes([n]) * 32).first_trump for n in range(30)}
    assert drawn == {"D", "S"}


@pytest.mark.parametrize("sequence", ["S,H,D,C", "C", "D,H,D"])
def test_cw_b2_a_sequence_without_nt_has_no_hand_without_trumps(sequence: str) -> None:
    game = _game(trump_sequence=sequence)
    first = game.suits[0]
    assert NO_TRUMP not in {game.trump(first, deal) for deal in range(14)}
    assert NO_TRUMP in {_game().trump(first, deal) for deal in range(14)}


def test_cw_b13_everything_goes_to_the_left_whatever_is_asked_for() -> None:
    with pytest.raises(ValueError, match="no option 'direction'"):
        _game(direction="anticlockwise")
    state = _game(first_dealer=2).start_from([range(52)])
    for at, seat in enumerate((3, 0, 1, 2)):
        assert state.table.hand(seat) == mask_of(range(at, 52, 4))
    order: list[int] = []
    for _ in range(8):
        order += state.to_act()
        take(state, "call 1" if state.phase() else state.game.write(state.fallback(state.to_act()[0])))
    assert order == [3, 0, 1, 2, 3, 0, 1, 2]


def test_cw_04_nothing_is_said_but_contracts_and_no_card_is_refused_for_its_motive() -> None:
    game = _game(3)
    assert [phase.name for phase in game.phases] == ["play", "call"]
    assert {game.write(action) for action in range(game.num_actions)} == {
        *map(write_card, range(52)),
        *(f"call {n}" for n in range(18)),
    }
    state = game.start(SEED)
    rng = random.Random(8)
    while state.to_act():
        seat = state.to_act()[0]
        if state.phase() == 0:
            view = state.observe(seat)
            led = [card for card in cards_of(view.hand) if view.trick and card // 13 == view.trick[0] // 13]
            assert state.legal(seat) == (led or list(cards_of(view.hand)))
        walk(state, rng, 1)


def test_cw_b3_dealer_and_trump_are_drawn_from_the_seed() -> None:
    states = [_game(3).start(bytes([n]) * 32) for n in range(60)]
    assert {state.dealing.first_dealer for state in states} == {0, 1, 2}
    assert {state.first_trump for state in states} == {"S", "H", "D", "C"}
    fixed = _game(3, first_dealer=2, first_trump="D").start(SEED)
    assert fixed.game.draws(fixed) == {"first_dealer": 2, "first_trump": "D"}
    with pytest.raises(ValueError, match="it is D"):
        fixed.game.start_from([fixed.dealing.pack], first_trump="S")
    with pytest.raises(ValueError, match="it is S, H, D, C"):
        _game(3).start_from([fixed.dealing.pack], first_trump="NT")


def test_cw_08_cw_12_cw_13_cw_14_dealers_left_declares_and_leads() -> None:
    state = _game(first_dealer=3).start(SEED)
    asked: list[int] = []
    for at in range(4):
        asked += state.to_act()
        assert state.phase() == 1
        assert state.observe(3).calls == bytes([0] * at + [NONE] * (4 - at))  # What was said is open at once.
        with pytest.raises(engine.IllegalAction, match="cannot take 2C"):
            state.apply(asked[-1], state.game.read("2C"))
        take(state, "call 0")
        with pytest.raises(engine.IllegalAction, match="cannot take call 1"):
            state.apply(asked[-1], state.game.read("call 1"))
    assert asked == [0, 1, 2, 3]
    assert state.phase() == 0
    assert state.to_act() == (0,)


def test_cw_b5_the_first_to_declare_leads_whoever_declares_most() -> None:
    state = _game(first_dealer=3).start(SEED)
    take(state, "call 0", "call 2", "call 7", "call 1")
    assert (state.phase(), state.to_act(), state.observe(3).leader) == (0, (0,), 0)


def test_cw_11_a_dealer_who_is_barred_a_number_names_another() -> None:
    with pytest.raises(ValueError, match="no action"):
        _game().read("pass")
    state = _game(first_dealer=3).start(SEED)
    take(state, "call 5", "call 3", "call 0")
    assert state.to_act() == (3,)
    with pytest.raises(engine.IllegalAction, match="cannot take call 5"):
        state.apply(3, state.game.read("call 5"))
    assert state.to_act() == (3,)
    assert all(text.startswith("call ") for text in legal_texts(state))


@pytest.mark.parametrize(("seats", "deal"), [(3, 0), (4, 0), (4, 1), (5, 4), (6, 7)])
def test_cw_b7_a_contract_above_the_hand_is_refused(seats: int, deal: int) -> None:
    state = _at_hand(_game(seats).start(SEED), deal)
    size = state.observe(0).hand.bit_count()
    seat = state.to_act()[0]
    for number in range(18):
        ahead = state.clone()
        if number <= size:
            ahead.apply(seat, ahead.game.read(f"call {number}"))
        else:
            with pytest.raises(engine.IllegalAction, match=f"cannot take call {number} "):
                ahead.apply(seat, ahead.game.read(f"call {number}"))


def test_cw_09_any_number_up_to_the_hand() -> None:
    assert legal_texts(_game().start(SEED)) == {f"call {n}" for n in range(14)}
    assert legal_texts(_game(3).start(SEED)) == {f"call {n}" for n in range(18)}
    assert legal_texts(_game(6).start(SEED)) == {f"call {n}" for n in range(9)}


@pytest.mark.parametrize(
    ("deal", "calls", "barred"),
    [(0, (5, 3, 0), 5), (0, (13, 13, 0), None), (0, (13, 0, 0), 0), (12, (0, 0, 0), 1), (12, (1, 0, 0), 0)],
    ids=["CW-T1-CW-10", "CW-10-above", "CW-10-zero", "CW-10-last", "CW-10-last-taken"],
)
def test_hook(deal: int, calls: tuple[int, ...], barred: int | None) -> None:
    state = _at_hand(_game().start(SEED), deal)
    take(state, *(f"call {n}" for n in calls))
    assert legal_texts(state) == {f"call {n}" for n in range(14 - deal) if n != barred}


def test_cw_10_two_contracts_in_a_one_card_hand_leave_the_dealer_free() -> None:
    state = _at_hand(_game().start(SEED), 12)
    take(state, "call 1", "call 1", "call 0")
    assert legal_texts(state) == {"call 0", "call 1"}


@pytest.mark.parametrize("seats", [3, 4, 5, 6])
def test_cw_b6_cw_t5_a_number_is_barred_at_every_table_and_never_the_only_one(seats: int) -> None:
    state = _game(seats).start(SEED)
    rng = random.Random(seats)
    hooked = []
    while state.to_act():
        seat = state.to_act()[0]
        view = state.observe(seat)
        waiting = view.calls.count(NONE)
        if waiting == 1:
            barred = view.tricks - (sum(view.calls) - NONE)
            assert seat == view.dealer
            assert 0 <= barred <= view.tricks
            assert legal_texts(state) == {f"call {n}" for n in range(view.tricks + 1)} - {f"call {barred}"}
            hooked.append(view.deal)
        # The others call so low that there is a number to bar.
        take(state, f"call {int(view.tricks >= seats and rng.random() < 0.5)}" if waiting > 1 else _any(state, rng))
    assert hooked == list(range(state.game.hands))


def test_cw_b6_the_hook_can_be_waived_in_the_last_hand() -> None:
    state = _at_hand(_game(hook_last_hand=False).start(SEED), 11)
    take(state, "call 0", "call 0", "call 0")
    assert legal_texts(state) == {"call 0", "call 1"}
    state = _at_hand(state, 12)
    take(state, "call 0", "call 0", "call 0")
    assert legal_texts(state) == {"call 0", "call 1"}


@pytest.mark.parametrize(
    ("call", "won", "score"),
    [(4, 4, 14), (0, 0, 10), (3, 2, 0), (3, 4, 0), (0, 1, 0), (17, 17, 27), (5, 4, 0), (1, 13, 0)],
    ids=[
        "CW-18-CW-T1",
        "CW-18-CW-T1-zero",
        "CW-19-CW-T1",
        "CW-17-CW-T1",
        "CW-19-zero",
        "CW-18-most",
        "CW-B10",
        "CW-B10-more",
    ],
)
def test_scores(call: int, won: int, score: int) -> None:
    assert _game().score(call, won) == score


@pytest.mark.parametrize(("seats", "most"), [(3, 323), (4, 221), (5, 155), (6, 116)])
def test_cw_t4_upper_bounds(seats: int, most: int) -> None:
    game = _game(seats)
    assert sum(game.score(n, n) for n in range(1, game.hands + 1)) == most


@pytest.mark.rule("CW-T5")
def test_cw_20_somebody_goes_down_in_every_hand() -> None:
    for seats in (3, 4, 5, 6):
        state = _game(seats).start(SEED)
        rng = random.Random(seats)
        while state.to_act():
            deal = state.deal
            walk(state, rng, 1)
            if state.deal != deal or not state.to_act():
                assert state.sheet.last is not None
                assert sum(state.sheet.last.won) == state.game.size(deal)
                assert min(state.sheet.last.scores) == 0


@pytest.mark.rule("CW-B8")
def test_cw_t5_what_is_left_over_is_seen_by_nobody() -> None:
    """The second hand of four has 12 cards each; the last four of the pack are left over."""
    first = list(range(52))
    views = []
    for left_over in range(48, 52):
        second = first[:]
        second[0], second[left_over] = second[left_over], second[0]  # Seat 2, left of dealer 1, has another card.
        state = _at_hand(_game().start_from([first, second], first_dealer=0), 1)
        before = [state.observe(seat) for seat in range(4)]
        assert before[2].hand == state.table.dealt[2] == mask_of(second[:48:4])
        assert sum(view.hand.bit_count() for view in before) == 48
        views.append([before[seat] for seat in (0, 1, 3)])
    assert all(view == views[0] for view in views)


def test_cw_t3_golden_deal() -> None:
    game = _game(3)
    deck = game.deck.cards
    hands = ("6H 4D 8C", "JH 5H 4C", "2D QC 3C")
    golden = pack_of(hands, 2)
    golden += [card for card in deck if card not in golden]
    state = game.start_from([golden if deal == 14 else deck for deal in range(17)], first_dealer=0, first_trump="S")
    state = _at_hand(state, 14)
    before = state.scores()
    view = state.observe(2)
    assert (view.trump, view.dealer, view.tricks) == (NO_TRUMP, 2, 3)
    assert view.hand == mask_of(read_cards(hands[2]))
    take(state, "call 2", "call 1")
    assert legal_texts(state) == {"call 1", "call 2", "call 3"}
    take(state, "call 1", "6H", "JH", "QC")
    assert state.to_act() == (1,)
    take(state, "4C", "3C", "8C")
    assert state.to_act() == (0,)
    take(state, "4D", "5H", "2D")
    assert state.sheet.last == FinishedDeal(bytes([2, 1, 1]), bytes([2, 1, 0]), (12, 11, 0))
    assert [now - then for now, then in zip(state.scores(), before, strict=True)] == [12, 11, 0]


def _ended(totals: list[int], made: list[int], extra: tuple[int, ...] | None, tie_break: str) -> list[int]:
    state = _game(tie_break=tie_break).start(SEED)
    state.made = made
    state.dealing.deal = 13 if extra else 12
    state.sheet = ScoreSheet(tuple(totals), FinishedDeal(b"", b"", extra or (0, 0, 0, 0)), over=True)
    return state.places()


@pytest.mark.parametrize(
    ("totals", "made", "extra", "tie_break", "places"),
    [
        ([88, 90, 61, 77], [0, 0, 0, 0], None, "share", [2, 1, 4, 3]),
        ([90, 90, 61, 61], [5, 9, 1, 2], None, "share", [1, 1, 3, 3]),
        ([90, 90, 61, 61], [5, 9, 1, 2], None, "made_contracts", [2, 1, 3, 3]),
        ([90, 90, 61, 61], [9, 9, 1, 2], None, "made_contracts", [1, 1, 3, 3]),
        ([90, 90, 90, 61], [0, 0, 0, 0], (0, 12, 0, 14), "extra_hand", [2, 1, 2, 4]),
        ([90, 90, 61, 61], [0, 0, 0, 0], (12, 12, 0, 14), "extra_hand", [1, 1, 3, 3]),
    ],
    ids=["CW-21", "CW-B9-share", "CW-B9-made", "CW-B9-made-level", "CW-B9-extra", "CW-B9-extra-level"],
)
def test_places(
    totals: list[int], made: list[int], extra: tuple[int, ...] | None, tie_break: str, places: list[int]
) -> None:
    assert _ended(totals, made, extra, tie_break) == places


def test_cw_b9_the_extra_hand_is_full_hooked_and_not_added() -> None:
    game = _game(tie_break="extra_hand", hook_last_hand=False, first_dealer=0, first_trump="S")
    state = _at_hand(game.start(SEED), 12)
    rng = random.Random(0)
    walk(state, rng, 7)
    ahead = state.clone()
    walk(ahead, rng, 1)
    assert ahead.sheet.last is not None
    state.sheet = ScoreSheet(tuple(50 - score for score in ahead.sheet.last.scores), state.sheet.last)
    take(state, state.game.write(state.legal(state.to_act()[0])[0]))
    view = state.observe(0)
    assert (view.extra, view.deal, view.tricks, view.dealer, view.trump) == (True, 13, 13, 1, CLUBS)
    made = state.made[:]
    take(state, "call 0", "call 0", "call 0")
    assert "call 13" not in legal_texts(state)
    walk(state, rng)
    assert state.scores() == [50] * 4
    assert state.made == made
    assert state.to_act() == ()


def test_cw_b9_there_is_no_extra_hand_without_a_tie_for_the_win() -> None:
    for seed in range(8):
        state = _game(tie_break="extra_hand").start(bytes([seed]) * 32)
        walk(state, random.Random(seed))
        assert state.deal == (13 if state.sheet.totals.count(max(state.sheet.totals)) > 1 else 12)


def test_cw_b9_made_contracts_are_summed() -> None:
    state = _game().start(SEED)
    rng = random.Random(4)
    sums = [0] * 4
    while state.to_act():
        deal = state.deal
        walk(state, rng, 1)
        if state.deal != deal or not state.to_act():
            assert state.sheet.last is not None
            for seat in range(4):
                sums[seat] += state.sheet.last.calls[seat] if state.sheet.last.scores[seat] else 0
    assert sums == state.made
    assert any(sums)


def test_cw_b12_the_house_declares_and_plays_low() -> None:
    state = _at_hand(_game().start(SEED), 12)
    take(state, "call 1", "call 0", "call 0")
    assert state.game.write(state.fallback(state.to_act()[0])) == "call 1"  # 0 is barred
    state = _game(first_dealer=3).start_from([range(52)])
    assert state.game.write(state.fallback(0)) == "call 0"
    take(state, "call 1", "call 0", "call 0", "call 0", "6C")
    assert state.table.hand(1) == mask_of(range(1, 52, 4))
    assert state.game.write(state.fallback(1)) == "3C"
