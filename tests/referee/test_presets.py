"""Clocks as text: what is written is read, a preset is found by its times, and nonsense gets a sentence."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

import engine
from arena.referee.clock import Limits
from arena.referee.presets import PRESETS, describe_clock, is_for_ratings, preset, read_clock, write_clock
from engine.game import Game
from tests.referee.tables import games, title

MS = st.integers(1, 10**8)


@st.composite
def clocks(draw: st.DrawFn) -> tuple[Game, Limits]:
    game = draw(st.sampled_from(games()))
    move_ms = draw(MS)
    phase_ms = tuple(draw(st.one_of(st.just(move_ms), MS)) for _ in game.phases)
    differ = any(limit_ms != move_ms for limit_ms in phase_ms)
    limits = Limits(
        move_ms,
        draw(st.integers(0, 10**8)),
        draw(st.integers(1, 99)),
        phase_ms if differ else (),
        draw(st.integers(0, 10**8)),
    )
    return game, limits


@given(clocks())
def test_a_clock_that_is_written_is_read(clock: tuple[Game, Limits]) -> None:
    game, limits = clock
    assert read_clock(write_clock(limits, game), game) == limits


@pytest.mark.parametrize("name", PRESETS)
@pytest.mark.parametrize("game", games(), ids=title)
def test_a_preset_is_found_by_its_name_and_told_by_its_times(name: str, game: Game) -> None:
    limits = read_clock(name, game)
    assert limits == preset(name, game)
    assert describe_clock(limits, game) == f"{name}: {write_clock(limits, game)}"


@pytest.mark.rule("MO-16")
def test_people_have_the_times_of_the_rules_where_the_rules_give_some() -> None:
    game = engine.load("minus_one")
    assert preset("people", game).phase_ms == (30_000, 20_000)
    assert write_clock(preset("people", game), game) == "move=60s,show=30s,keep=20s,bank=0s,increment=0s,faults=3"
    assert preset("people", games()[0]).phase_ms == ()


def test_a_clock_may_say_as_little_as_the_time_for_a_move() -> None:
    game = games()[0]
    assert read_clock("move=2s", game) == Limits(2_000, 0, 3)
    assert read_clock("move=250ms, bank=0.5s, increment=0.125s", game) == Limits(250, 500, 3, increment_ms=125)
    assert read_clock("move=2s,call=9s", game) == Limits(2_000, 0, 3, (2_000, 9_000))


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("", "There is no clock ''; use hosted, remote, people, blitz, or times such as move=2s,bank=30s."),
        ("fast", "There is no clock 'fast'"),
        ("Hosted", "There is no clock 'Hosted'"),
        ("move=2", "move is '2', which is no time"),
        ("move=-2s", "move is '-2s', which is no time"),
        ("move=2.5ms", "move is '2.5ms', which is no time"),
        ("move=0.0001s", "give whole milliseconds"),
        ("move=2s,bank=", "bank is '', which is no time"),
        ("move=2s,grace=1s", "A clock has no 'grace'; it has move, bank, increment, faults, and here play, call."),
        ("move=2s,show=3s", "A clock has no 'show'"),
        ("bank=30s", "gives no time for a move"),
        ("move=0s,bank=30s", "gives no time for a move"),
        ("move=2s,call=0s", "gives a phase no time"),
        ("move=2s,move=2s", "says move twice"),
        ("move=2s,faults=0", "faults is '0'"),
        ("move=2s,faults=1s", "faults is '1s'"),
        ("move=2s,", "There is no clock 'move=2s,'"),
        ("move=\u0662s", "which is no time"),
    ],
)
def test_what_is_no_clock_gets_a_sentence(text: str, sentence: str) -> None:
    with pytest.raises(ValueError, match=re.escape(sentence)) as refused:
        read_clock(text, engine.load("callbreak"))
    assert str(refused.value).endswith(".")


@pytest.mark.parametrize(
    ("clock", "hosted", "remote"),
    [
        ("hosted", True, False),
        ("blitz", True, False),
        ("remote", True, True),
        ("people", True, True),
        ("move=2s", True, True),
        ("move=2s,faults=2", False, False),
        ("move=250ms", False, False),
        ("move=250ms,bank=9s", False, False),
        ("move=1ms,bank=60s,faults=9", False, False),
        ("move=20ms,bank=3s,increment=49ms", False, False),
        ("move=9s,call=1ms", False, False),
    ],
)
def test_ratings_come_of_clocks_on_which_bots_lose_by_their_play(clock: str, hosted: bool, remote: bool) -> None:
    limits = read_clock(clock, games()[0])
    assert (is_for_ratings(limits, remote=False), is_for_ratings(limits, remote=True)) == (hosted, remote)
