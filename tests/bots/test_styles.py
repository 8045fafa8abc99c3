"""The company of Minus One: what each style and level chooses, how often, and that it knows only what its seat does."""

import math
import random
import tomllib
from collections import Counter
from fractions import Fraction
from itertools import islice, product
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import engine
from arena.bot import Turn, load
from benchmarks.styles import duel
from bots import house
from bots.styles import chances, main
from bots.styles.chances import Pair
from bots.styles.settings import LEVELS, STYLES, Settings, read_settings
from engine.pairs import PAIR_SETS, PAIRS, PairsObservation
from tests.bots.tables import turn_of, walks

GAME = engine.load("minus_one", 4)
SHOW, KEEP = GAME.phases
pairs_of_others = st.lists(st.sampled_from(PAIRS), min_size=2, max_size=6)


def bits(*cards: int) -> int:
    return sum(1 << card - 1 for card in cards)


def showing(playable: int, *, seed: int = 0, rounds_before: int = 0, others: int = 3, theirs: int = 255) -> Turn:
    """The turn of seat 0 to show, with these sets of playable cards."""
    sets = bytes([playable] + [theirs] * others)
    seen = observed(0, rounds_before, sets, b"")
    legal = tuple(action for action, pair in enumerate(PAIR_SETS) if pair & ~playable == 0)
    return asked(seen, legal, seed)


def keeping(own: Pair, *others: Pair, seed: int = 0, rounds_before: int = 5) -> Turn:
    """The turn of seat 0 to keep one of its pair."""
    shown = bytes(bits(*pair) for pair in (own, *others))
    seen = observed(1, rounds_before, b"\xff" * len(shown), shown)
    return asked(seen, tuple(KEEP.first + card - 1 for card in own), seed)


def observed(phase: int, rounds_before: int, playable: bytes, shown: bytes) -> PairsObservation:
    seats = len(playable)
    none = bytes(seats)
    return PairsObservation(
        0, seats, phase, rounds_before, playable, none, none, shown, (0,) * seats, none, none, b"", b""
    )


def asked(seen: PairsObservation, legal: tuple[int, ...], seed: int) -> Turn:
    game = engine.load("minus_one", seen.seats)
    return Turn(1, game, 0, 0, game.phases[seen.phase], seen, legal, 250, 0, random.Random(seed), {})


def shown_by(name: str, turn: Turn) -> Pair:
    return PAIRS[house.choose(name, "minus_one")(turn)]


def kept_by(name: str, turn: Turn) -> int:
    return house.choose(name, "minus_one")(turn) - KEEP.first + 1


def wins(card: int, keeps: tuple[int, ...]) -> bool:
    """Whether the card wins against the others' kept cards, word by word as the rules say it."""
    return card not in keeps and not any(keeps.count(lower) == 1 for lower in range(1, card))


def chance(card: int, others: list[Pair], low_chances: list[Fraction]) -> Fraction:
    """The chance to win with a card, by going through all ways in which the others keep."""
    total = Fraction(0)
    for way in product((0, 1), repeat=len(others)):
        keeps = tuple(pair[side] for pair, side in zip(others, way, strict=True))
        weight = Fraction(1)
        for side, low_chance in zip(way, low_chances, strict=True):
            weight *= 1 - low_chance if side else low_chance
        total += weight * wins(card, keeps)
    return total


HALF = Fraction(1, 2)
QUARTER = Fraction(1, 4)
VECTORS = {
    "MO-T6-low-wins-more": ((2, 4), [(3, 5), (1, 6), (6, 8)], {"sniper": 2, "steady": 2, "greedy": 4}),
    "MO-T6-high-is-worth-it": ((1, 6), [(3, 4), (1, 4)], {"sniper": 1, "steady": 6, "greedy": 6}),
}


# What the styles want.


@pytest.mark.rule("MO-21", "MO-B9")
@pytest.mark.parametrize("vector", VECTORS.values(), ids=VECTORS)
def test_the_styles_keep_as_the_worked_examples_say(vector: tuple[Pair, list[Pair], dict[str, int]]) -> None:
    own, others, keeps = vector
    ways = chances.ways_of(others)
    shares = [Fraction(chances.even_count(ways.wins[card]), 2 ** len(others)) for card in own]
    assert shares == [Fraction(1, 2), Fraction(1, 4)]
    assert {style: kept_by(f"{style}-medium", keeping(own, *others)) for style in STYLES} == keeps


@pytest.mark.rule("MO-B9")
@given(st.sampled_from(PAIRS), pairs_of_others, st.sampled_from(list(STYLES)))
def test_mo_21_medium_keeps_by_chance_for_a_sniper_by_score_for_a_steady_and_by_its_square_for_a_greedy_player(
    own: Pair, others: list[Pair], style: str
) -> None:
    power = {"sniper": 0, "steady": 1, "greedy": 2}[style]
    low, high = (chance(card, others, [HALF] * len(others)) * (card + 1) ** power for card in own)
    tie = own[1] if style == "greedy" else own[0]
    expected = tie if low == high else own[0] if low > high else own[1]
    assert kept_by(f"{style}-medium", keeping(own, *others)) == expected


@pytest.mark.rule("MO-22")
@given(st.sampled_from(PAIRS), pairs_of_others, st.sampled_from(list(STYLES)), st.integers(0, 17), st.integers(0, 99))
def test_mo_b9_hard_draws_its_keep_by_foreseen_chances_and_quarters_the_worth_of_1_and_2_early(
    own: Pair, others: list[Pair], style: str, rounds_before: int, seed: int
) -> None:
    way = chances.foreseen_way(own, others)
    low_chances = [Fraction(1 if way >> other & 1 else 3, 4) for other in range(len(others))]
    low, high = (
        chance(card, others, low_chances)
        * (card + 1) ** STYLES[style].power
        * (QUARTER if card < 3 and rounds_before % 6 < 3 else 1)
        for card in own
    )
    if low or high:
        expected = random.Random(seed).choices(own, [low**8, high**8])[0]
    else:
        expected = own[1] if style == "greedy" else own[0]
    assert kept_by(f"{style}-hard", keeping(own, *others, rounds_before=rounds_before, seed=seed)) == expected


# Chances.


@given(pairs_of_others)
def test_mo_b9_chances_are_those_of_going_through_all_ways_to_keep(others: list[Pair]) -> None:
    ways = chances.ways_of(others)
    for card in range(1, 9):
        share = Fraction(chances.even_count(ways.wins[card]), 2 ** len(others))
        assert share == chance(card, others, [HALF] * len(others))


@given(pairs_of_others, st.data())
def test_mo_b9_a_foreseen_keep_has_three_quarters(others: list[Pair], data: st.DataObject) -> None:
    foreseen = data.draw(st.integers(0, 2 ** len(others) - 1))
    low_chances = [Fraction(1 if foreseen >> other & 1 else 3, 4) for other in range(len(others))]
    ways = chances.ways_of(others)
    for card in range(1, 9):
        share = Fraction(chances.foreseen_count(ways.wins[card], len(others), foreseen), 4 ** len(others))
        assert share == chance(card, others, low_chances)


@given(st.sampled_from(PAIRS), pairs_of_others)
def test_mo_b9_each_of_the_others_is_foreseen_to_keep_as_a_medium_steady_player_in_its_place(
    own: Pair, others: list[Pair]
) -> None:
    way = chances.foreseen_way(own, others)
    for other, pair in enumerate(others):
        rest = [own, *others[:other], *others[other + 1 :]]
        assert pair[way >> other & 1] == kept_by("steady-medium", keeping(pair, *rest))


@given(pairs_of_others)
def test_mo_b9_leanings_foresee_the_same_for_all_our_pairs_at_once(others: list[Pair]) -> None:
    leanings = chances.leanings(others, chances.ways_of(others))
    for low, high in PAIRS:
        way = sum(1 << other for other, lean in enumerate(leanings) if lean[low] + lean[high] > 0)
        assert way == chances.foreseen_way((low, high), others)


# Levels.


@pytest.mark.rule("MO-B9")
@pytest.mark.parametrize("style", STYLES)
def test_mo_22_easy_shows_each_two_of_its_three_lowest_cards_equally_often(style: str) -> None:
    shows = Counter(shown_by(f"{style}-easy", showing(bits(2, 3, 5, 7, 8), seed=seed)) for seed in range(1500))
    assert set(shows) == {(2, 3), (2, 5), (3, 5)}
    assert all(abs(count - 500) < 80 for count in shows.values())


def test_mo_22_easy_shows_the_last_two_cards_of_a_deck() -> None:
    assert shown_by("greedy-easy", showing(bits(4, 7))) == (4, 7)


@pytest.mark.rule("MO-B9")
@pytest.mark.parametrize(("style", "share"), [("sniper", 0.95), ("steady", 0.8), ("greedy", 0.6)])
def test_mo_22_easy_mostly_keeps_the_lower_card_whatever_the_others_show(style: str, share: float) -> None:
    for others in ([(1, 2), (1, 2)], [(7, 8), (6, 8), (5, 6)]):
        keeps = Counter(kept_by(f"{style}-easy", keeping((1, 4), *others, seed=seed)) for seed in range(2000))
        assert keeps[1] + keeps[4] == 2000
        assert abs(keeps[1] / 2000 - share) < 0.04


def lowest(cards: int, count: int) -> int:
    """At most so many cards of a set, the lowest."""
    return bits(*[card for card in range(1, 9) if cards >> card - 1 & 1][:count])


def expected_show(turn: Turn, style: str, *, hard: bool) -> Pair:
    """The pair that the seat's stream gives after its tables, with fractions and all ways to keep."""
    seen = turn.observation
    assert isinstance(seen, PairsObservation)
    saving = hard and seen.round % 6 < 3
    options = [main.PAIRS_OF[lowest(cards, 4) if hard else cards] for cards in seen.playable[1:]]
    tables = list(zip(*(turn.rng.choices(pairs, k=main.TABLES) for pairs in options), strict=True))

    def promise(pair: Pair) -> Fraction:
        total = Fraction(0)
        for table, count in Counter(tables).items():
            low_chances = [HALF] * len(table)
            if hard:
                way = chances.foreseen_way(pair, table)
                low_chances = [Fraction(1 if way >> other & 1 else 3, 4) for other in range(len(table))]
            total += count * max(
                chance(card, list(table), low_chances)
                * (card + 1) ** STYLES[style].power
                * (QUARTER if saving and card < 3 else 1)
                for card in pair
            )
        return total

    candidates = [PAIRS[action] for action in turn.legal]
    candidates = [pair for pair in candidates if not (saving and pair == (1, 2))]
    # In whole numbers: the promises of ways to keep, of which a medium player sees two to a seat and a hard one four.
    whole = [int(promise(pair) * 4 * (4 if hard else 2) ** len(options)) for pair in candidates]
    return turn.rng.choices(candidates, [total**4 if hard else math.isqrt(total) for total in whole])[0]


@pytest.mark.rule("MO-B9")
@pytest.mark.parametrize("style", STYLES)
@pytest.mark.parametrize("rounds_before", [1, 9])
@pytest.mark.parametrize("level", ["medium", "hard"])
def test_mo_22_a_thinking_player_draws_a_pair_by_what_it_promises_at_the_tables_that_its_stream_gives(
    style: str, rounds_before: int, level: str
) -> None:
    for seed in range(2):
        table = {"seed": seed, "rounds_before": rounds_before, "others": 2, "theirs": bits(1, 3, 4, 6, 8)}
        turn, twin = (showing(bits(1, 2, 5, 7), **table) for _ in range(2))
        assert shown_by(f"{style}-{level}", turn) == expected_show(twin, style, hard=level == "hard")


@pytest.mark.rule("MO-B9")
def test_mo_22_the_higher_the_level_the_more_firmly_the_better_pair_is_shown() -> None:
    # Against 7 and 8 every card here wins for sure, and to a greedy player the 6 is worth five times the 2.
    table = {"others": 2, "theirs": bits(7, 8), "rounds_before": 3}
    shows = {
        level: Counter(shown_by(f"greedy-{level}", showing(bits(1, 2, 6), seed=seed, **table)) for seed in range(300))
        for level in ("medium", "hard")
    }
    assert [sum(count for pair, count in shows[level].items() if 6 in pair) > 200 for level in shows] == [True, True]
    assert shows["medium"][1, 2] > 20 > shows["hard"][1, 2]


def test_mo_b9_a_pair_is_shown_also_where_none_promises_anything() -> None:
    # The others can show only a lower single card, so no pair of 6, 7 and 8 promises a share: the first is shown.
    seen = observed(0, 0, bytes([bits(6, 7, 8), bits(1, 2), bits(3, 4)]), b"")
    legal = tuple(action for action, pair in enumerate(PAIR_SETS) if pair & ~bits(6, 7, 8) == 0)
    for level in ("medium", "hard"):
        assert shown_by(f"steady-{level}", asked(seen, legal, 1)) == (6, 7)


def test_mo_b9_at_least_200_tables_are_imagined() -> None:
    assert main.TABLES >= 200


@pytest.mark.rule("MO-B9")
def test_mo_22_hard_keeps_its_1_and_2_for_later_in_the_first_three_rounds_of_a_deck() -> None:
    # Every card here wins for sure, which is all that a sniper asks; a saved one counts a quarter.
    others = [(7, 8), (7, 8)]
    for rounds_before in range(18):
        early = rounds_before % 6 < 3
        for low in (1, 2, 3):
            turns = [keeping((low, 5), *others, rounds_before=rounds_before, seed=seed) for seed in range(30)]
            kept = {kept_by("sniper-hard", turn) for turn in turns}
            assert kept == ({5} if early and low < 3 else {low, 5})
            assert {kept_by("sniper-medium", turn) for turn in turns} == {low}


@pytest.mark.rule("MO-B9")
def test_mo_22_hard_shows_its_1_and_2_together_only_late_in_a_deck() -> None:
    for rounds_before in range(18):
        turns = [showing(bits(1, 2, 8), rounds_before=rounds_before, seed=seed) for seed in range(30)]
        early = rounds_before % 6 < 3
        assert ((1, 2) in {shown_by("sniper-hard", turn) for turn in turns}) != early
        assert (1, 2) in {shown_by("sniper-medium", turn) for turn in turns}


def test_mo_22_the_one_pair_of_the_last_round_is_shown_without_a_thought() -> None:
    for level in LEVELS:
        turn = showing(bits(1, 2), rounds_before=5)
        before = turn.rng.getstate()
        assert shown_by(f"sniper-{level}", turn) == (1, 2)
        assert turn.rng.getstate() == before


# What they may know.


@pytest.mark.parametrize("one", house.COMPANY, ids=lambda one: one.name)
def test_mo_23_pending_choices_of_the_others_change_no_answer(one: house.Entry) -> None:
    choose = house.choose(one.name, "minus_one")
    drawn = random.Random(7)
    for state, seat in islice(walks(engine.load("minus_one", 5, rounds=6), seed=3), 0, None, 4):
        answers = set()
        for _ in range(3):
            twin = state.clone()
            for other in twin.to_act():
                if other != seat and drawn.random() < 0.7:
                    twin.apply(other, drawn.choice(twin.legal(other)))
            if seat in twin.to_act():
                assert twin.observe(seat) == state.observe(seat)
                answers.add(choose(turn_of(twin, seat, random.Random(1))))
        assert len(answers) == 1


@pytest.mark.parametrize("seats", engine.GAMES["minus_one"].seat_counts)
@pytest.mark.rule("MO-22")
def test_every_answer_is_legal_and_the_same_from_the_same_stream(seats: int) -> None:
    bots = [house.choose(one.name, "minus_one") for one in house.COMPANY]
    for state, seat in islice(walks(engine.load("minus_one", seats, rest_across_decks=True), seed=2), 0, None, 23):
        for choose in bots:
            turn, twin = (turn_of(state, seat, random.Random(5)) for _ in range(2))
            answer = choose(turn)
            assert answer in turn.legal
            assert choose(twin) == answer


# Who comes.


@pytest.mark.parametrize("level", LEVELS)
def test_mo_20_styles_take_turns(level: str) -> None:
    styles = [house.entry(name).name.partition("-") for name in house.company(5, level)]
    assert [style for style, _, _ in styles] == ["sniper", "steady", "greedy", "sniper", "steady"]
    assert {at for _, _, at in styles} == {level}


def test_mo_19_one_person_has_two_to_six_computer_players_for_company() -> None:
    assert [len(house.company(count, "easy")) for count in range(2, 7)] == [2, 3, 4, 5, 6]
    for count in (-1, 0, 1, 7, 8):
        with pytest.raises(ValueError, match=f"seats 3 to 7; beside 1 person choose 2 to 6 .*, not {count}"):
            house.company(count, "easy")


def test_mo_19_several_people_fill_their_table_up_to_seven() -> None:
    for people in range(1, 8):
        for count in range(9):
            if 3 <= people + count <= 7:
                assert len(house.company(count, "hard", people)) == count
            else:
                with pytest.raises(ValueError, match=f"beside {people} (person|people) choose"):
                    house.company(count, "hard", people)
    with pytest.raises(ValueError, match="not 8 people; start a second one"):
        house.company(0, "hard", 8)
    with pytest.raises(ValueError, match="needs at least one"):
        house.company(3, "hard", 0)
    with pytest.raises(ValueError, match="no level 'mean'; choose one of easy, medium, hard"):
        house.company(3, "mean")


def test_company_plays_minus_one_only_and_is_not_on_the_roster() -> None:
    names = [one.name for one in house.COMPANY]
    assert names == [f"{style}-{level}" for level in LEVELS for style in STYLES]
    assert not set(names) & {one.name for one in house.ENTRIES}
    assert set(names) < set(house.names())
    with pytest.raises(ValueError, match="sniper-hard does not play 'minus'; it plays minus_one"):
        house.choose("sniper-hard", "minus")
    with pytest.raises(ValueError, match=r"no bot 'sniper'; its bots are .*patient, sniper-easy.*greedy-hard\."):
        house.choose("sniper", "minus_one")


def test_the_settings_of_a_member_are_its_name() -> None:
    for one in house.COMPANY:
        assert read_settings(house.HERE / one.program / one.settings) == Settings(*one.name.split("-"))
    for style, level in (("shy", "easy"), ("steady", "mean")):
        with pytest.raises(ValueError, match=r"choose one of .*(greedy|hard)\."):
            Settings(style, level)


def test_a_submitted_member_answers_as_it_does_here_and_takes_one_turn_at_a_time(tmp_path: Path) -> None:
    for one in house.COMPANY:
        folder = house.folder(one, tmp_path)
        assert tomllib.loads((folder / "bot.toml").read_text())["batch"] == 1
        if one.name in ("greedy-easy", "sniper-hard"):
            bot, here = load(folder), house.choose(one.name, "minus_one")
            for state, seat in islice(walks(GAME, seed=8), 0, None, 11):
                answers = [choose(turn_of(state, seat, random.Random(1))) for choose in (bot.choose, here)]
                assert answers[0] == answers[1]


# How well they play; benchmarks/results.md has more matches.


@pytest.mark.rule("MO-22", "MO-B9")
@pytest.mark.parametrize(
    ("level", "below", "matches"),
    [("medium", "easy", 180), pytest.param("hard", "medium", 150, marks=pytest.mark.long)],
)
def test_one_player_of_a_higher_level_beats_three_of_the_level_below(level: str, below: str, matches: int) -> None:
    got = duel((level, below), seats=4, first=1, matches=matches, rounds=6)
    assert got.ahead > 2 * got.error
    assert got.places[0] < got.places[1]


def test_company_comes_at_the_games_that_it_plays_and_at_no_other() -> None:
    assert [game for game in engine.GAMES if house.levels(game)] == ["minus_one"]
    for level in house.levels("minus_one"):
        for name in house.company(3, level):
            assert callable(house.choose(name, "minus_one"))
