"""The pages of a tournament as they are drawn: who is offered what, and large cross tables."""

from typing import Any

import html5lib
import pytest

import engine
from arena.scopes import ORGANISE, READ
from arena.v1 import oversight_pb2
from arena.v1 import tournament_pb2 as pb
from arena.web.api import Visitor
from arena.web.fields import Mistake
from arena.web.page import templates
from arena.web.pages.new_tournament import MOST_SECONDS, _wanted
from arena.web.pages.organising import acts_of
from arena.web.pages.pairs import _window
from arena.web.pages.tournaments import FASTEST_S, SLOWEST_S, UNITS, format_of, pace_ms
from arena.web.standings import WINDOW, Standings, standings_of

ORGANISER = Visitor("", "ann", False, (READ, ORGANISE))
READER = Visitor("", "bob", False, (READ,))

OPEN, RUNNING = pb.TOURNAMENT_STATE_OPEN, pb.TOURNAMENT_STATE_RUNNING
DONE, CANCELLED = pb.TOURNAMENT_STATE_DONE, pb.TOURNAMENT_STATE_CANCELLED


def cup(**more: Any) -> pb.Tournament:
    known = {"tournament": "cup", "owner": "ann", "game": "callbreak", "seats": 4, "bots": ["x"], "decides": True}
    return pb.Tournament(**{**known, "format": pb.TOURNAMENT_FORMAT_ROUND_ROBIN, "orbits": 1, "units": 1, **more})


def rendered(template: str, visitor: Visitor, **values: Any) -> str:
    known = {"visitor": visitor, "games": ("callbreak",), "path": "/tournaments/cup"}
    text = templates.get_template(template).render(known | values)
    html5lib.HTMLParser(strict=True).parse(text)
    return text


def shown(found: pb.Tournament, visitor: Visitor = ORGANISER, standings: Standings | None = None) -> str:
    standings = standings or Standings()
    return rendered(
        "tournament.html",
        visitor,
        found=found,
        format=format_of(found),
        acts=acts_of(found, visitor),
        options=engine.unusual(engine.load("callbreak")),
        clock="hosted",
        plan=None,
        hindrance="",
        standings=standings,
        lines=standings.lines,
        following=0,
        entries=list(found.entries),
        crossed=standings.crossed,
        window=WINDOW,
        who=list(found.bots),
        pairs={(pair.bot, pair.other): pair for pair in standings.pairs},
        unit_kinds=UNITS,
        live=pace_ms(found),
        address="http://127.0.0.1",
    )


@pytest.mark.parametrize(
    ("found", "acts"),
    [
        (cup(state=OPEN), {"start", "enter", "leave", "disqualify", "cancel"}),
        (cup(state=OPEN, bots=[]), {"enter", "disqualify", "cancel"}),
        (cup(state=OPEN, every_s=600), {"enter", "leave", "close", "disqualify"}),
        (cup(state=RUNNING, blocks=3), {"void", "disqualify", "cancel"}),
        (cup(state=RUNNING, blocks=3, blocks_void=1), {"retry", "void", "disqualify", "cancel"}),
        (cup(state=DONE, blocks=3), {"void", "disqualify"}),
        (cup(state=CANCELLED, blocks=3, blocks_void=1), {"void", "disqualify"}),
        (cup(state=OPEN, decides=False), {"enter", "leave"}),
        (cup(state=OPEN, decides=False, private=True), set()),
        (cup(state=RUNNING, blocks=3, decides=False), set()),
    ],
)
def test_whoever_may_do_something_is_offered_it_and_nobody_else(found: pb.Tournament, acts: set[str]) -> None:
    assert set(acts_of(found, ORGANISER)) == acts
    assert acts_of(found, READER) == {}
    text = shown(found)
    assert {act for act in acts_of(cup(), ORGANISER) | {"start": None} if f"/organise/{act}" in text} <= acts
    assert all(f"/tournaments/cup/organise/{act}" in text for act in acts)
    assert "/organise/" not in shown(found, READER)


def test_alarms_stand_on_the_page_with_what_can_be_done_about_them() -> None:
    alarm = oversight_pb2.Alarm(alarm=4, kind="block-died", sentence="Block 17 died.", block=17)
    text = shown(cup(state=RUNNING, blocks=3, blocks_void=1, alarms=[alarm]))
    assert "Block 17 died." in text
    for way in ("retry?blocks=17", "void?blocks=17", "settle?alarm=4"):
        assert f"/tournaments/cup/organise/{way}" in text


def played(count: int) -> Standings:
    bots = [f"bot-{number:03}" for number in range(count)]
    return standings_of(
        pb.Standings(
            standings=[pb.Standing(bot=bot, matches=3, seat_matches=[1, 2, 0, 0]) for bot in bots],
            shares=[
                pb.Share(bot=bot, other=other, matches=3, micro_share=250_000 * (bot < other))
                for bot in bots[:100]
                for other in bots[:100]
                if bot != other
            ],
            seat_milli_points=[0, 0, 0, 0],
        )
    )


def test_a_large_cross_table_is_shown_window_by_window() -> None:
    standings = played(60)
    text = shown(cup(state=DONE, blocks=3), READER, standings)
    assert f">bot-{WINDOW - 1:03}</th>" in text
    assert f'<th scope="col" class="figure">bot-{WINDOW:03}</th>' not in text
    assert "/tournaments/cup/pairs" in text
    pairs = {(pair.bot, pair.other): pair for pair in standings.pairs}
    about = {"found": cup(), "bots": standings.crossed, "window": WINDOW, "pairs": pairs, "lines": standings.lines}
    text = rendered("pairs.html", READER, bot="", chosen=[], rows=_window(30, 60), columns=_window(59, 60), **about)
    assert [f"bot-{number:03}" in text for number in (23, 24, 47, 48, 59)] == [True] * 5  # the form has all names
    assert text.count("<tr>") == 1 + WINDOW
    assert text.count("heat-2") == WINDOW * 12
    assert "?start=24&amp;columns=48" in text
    assert 'aria-current="true">25\N{EN DASH}48' in text


@pytest.mark.parametrize(("asked", "begins"), [(0, 0), (23, 0), (24, 24), (999, 48)])
def test_a_window_begins_where_there_is_one(asked: int, begins: int) -> None:
    assert _window(asked, 60) == begins
    assert _window(asked, 0) == 0


def test_what_no_message_has_room_for_is_left_to_the_api_or_refused_at_its_field() -> None:
    assert _wanted({"game": "minus", "format": "ladder", "every": "10"}).every_s == 600
    assert _wanted({"game": "minus", "format": "ladder", "every": "999999999"}).every_s == MOST_SECONDS
    for until in ("", "soon", "0001-01-01T00:00+23:59", "9999-12-31T23:59-23:59"):
        with pytest.raises(Mistake, match="say until when") as refused:
            _wanted({"game": "minus", "when": "until", "until": until})
        assert refused.value.at == "until"
    found = _wanted({"game": "minus", "when": "until", "until": "2030-01-01T01:00+01:00"})
    assert found.open_until.ToJsonString() == "2030-01-01T00:00:00Z"


def test_a_long_tournament_is_asked_for_seldom_and_one_that_has_ended_no_more() -> None:
    assert pace_ms(cup(state=RUNNING, blocks=10)) == 1000 * FASTEST_S
    assert pace_ms(cup(state=RUNNING, blocks=1000)) == 10_000
    assert pace_ms(cup(state=RUNNING, blocks=100_000)) == 1000 * SLOWEST_S
    assert pace_ms(cup(state=DONE, blocks=10)) == 0


def test_seats_that_came_out_uneven_are_told() -> None:
    assert played(4).uneven
    assert played(4).line_columns()[-4:] == ["seat_0", "seat_1", "seat_2", "seat_3"]
    assert played(4).line_rows()[0][-4:] == [1, 2, 0, 0]
