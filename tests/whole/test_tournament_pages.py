"""The pages of tournaments as a browser gets them: making one, what is shown of it, and what its organiser does."""

from pathlib import Path
from xml.etree.ElementTree import Element

import html5lib
import pytest

from arena.stack.services import Services
from tests.whole.test_pages import BOTS, RULES, Answer, Pages, token_in, valid

FORM = {
    "game": "minus",
    "format": "round-robin",
    "bots": " ".join(BOTS),
    "units": "1",
    "when": "later",
    "act": "make",
    **dict(f"option.{rule}".split("=") for rule in RULES),
}
"""The form of a small tournament, as a browser sends it."""


@pytest.fixture
def pages(services: Services) -> Pages:
    return Pages(services.web_address)


@pytest.fixture
def admin(arena: Path) -> str:
    return f"arena-token={token_in(arena / 'login.json')}"


def refused(answer: Answer, status: int = 400) -> str:
    """The text of a page that says no."""
    assert answer.status == status, answer.text
    html5lib.HTMLParser(strict=True).parse(answer.text)
    return answer.text


def element(text: str, name: str) -> Element:
    """The element of the page with that id."""
    found = html5lib.parse(text, namespaceHTMLElements=False).find(f".//*[@id='{name}']")
    assert found is not None, f"nothing is called {name}"
    return found


def test_a_form_for_every_game_with_its_options_for_who_may_organise(pages: Pages, admin: str) -> None:
    assert pages.get("/tournaments/new").status == 401
    chosen = valid(pages.get("/tournaments/new", admin))
    assert "/tournaments/new?game=minus_one" in chosen
    asked = valid(pages.get("/tournaments/new?game=contract_whist", admin))
    assert 'name="option.' in asked
    assert 'href="/rules/contract_whist#' in asked
    filled = valid(pages.get("/tournaments/new?game=callbreak&preset=callbreak_nepal&name=from-a-link", admin))
    assert 'value="from-a-link"' in filled
    assert filled.count(" selected") > 0
    assert pages.get("/tournaments/new?game=poker", admin).status == 404


def test_what_would_be_played_is_told_and_nothing_is_made(pages: Pages, admin: str) -> None:
    told = valid(pages.post("/tournaments", cookie=admin, **{**FORM, "name": "only-planned", "act": "plan"}))
    assert "What would be played" in told
    assert "4 units, 16 matches" in told
    assert 'value="only-planned"' in told
    assert pages.get("/tournaments/only-planned").status == 404


@pytest.mark.parametrize(
    ("typed", "at", "sentence"),
    [
        ({"units": "many"}, "units", "no whole number"),
        ({"units": "101"}, "units", "at most 100"),
        ({"orbits": "1001"}, "orbits", "at most 1000"),
        ({"name": "Not a name"}, "name", "cannot name a tournament"),
        ({"bots": "steady nobody-there"}, "bots", "nobody-there"),
        ({"bots": "", "when": "now"}, "bots", "nobody is to play"),
        ({"bots": "steady", "when": "now"}, "bots", "need at least 4 bots"),
        ({"format": "gauntlet", "bots": "steady", "against": "bold", "when": "now"}, "against", "is to meet"),
        ({"clock": "fast"}, "clock", "There is no clock"),
        ({"clock": "move=999s"}, "clock", "can be at most"),
        ({"option.deals": "0"}, "option.deals", "Option deals cannot be"),
        ({"seats": "9"}, "seats", "cannot have 9 seats"),
        ({"when": "until", "until": ""}, "until", "say until when"),
        ({"when": "until", "until": "2001-01-01T00:00"}, "until", "is over"),
        ({"format": "ladder", "every": "99999"}, "every", "every_s is"),
        ({"format": "ladder", "batch": "10001"}, "batch", "batch is"),
    ],
)
def test_what_cannot_be_is_said_at_its_field_and_what_was_typed_stays(
    pages: Pages, admin: str, typed: dict[str, str], at: str, sentence: str
) -> None:
    text = refused(pages.post("/tournaments", cookie=admin, **{**FORM, "name": "never-made", **typed}))
    assert element(text, at).get("aria-invalid") == "true"
    assert sentence in "".join(element(text, f"{at}-wrong").itertext())
    assert f'href="#{at}"' in text
    for name, value in typed.items():
        assert name in ("format", "when", "seats") or value in text
    assert pages.get("/tournaments/never-made").status == 404


def test_a_tournament_is_made_once_however_often_its_form_is_sent(pages: Pages, admin: str) -> None:
    wanted = {**FORM, "name": "by-form", "request_id": "form-1"}
    assert refused(pages.post("/tournaments", **wanted), 401)
    for _ in range(2):
        made = pages.post("/tournaments", cookie=admin, **wanted)
        assert (made.status, made.headers["location"]) == (303, "/tournaments/by-form")
    taken = refused(pages.post("/tournaments", cookie=admin, **{**wanted, "request_id": "form-2"}))
    assert 'id="name-wrong"' in taken
