"""The pages of tournaments as a browser gets them: making one, what is shown of it, and what its organiser does."""

import csv
import hashlib
import io
import json
import re
import subprocess
from http.client import HTTPConnection
from pathlib import Path
from xml.etree.ElementTree import Element

import html5lib
import pytest

from arena.cli import main
from arena.stack.services import Services
from arena.store import connect
from tests.whole.test_pages import BOTS, RULES, Answer, Pages, play, token_in, valid

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
    assert pages.get("/new-tournament").status == 401
    chosen = valid(pages.get("/new-tournament", admin))
    assert "/new-tournament?game=minus_one" in chosen
    asked = valid(pages.get("/new-tournament?game=contract_whist", admin))
    assert 'name="option.' in asked
    assert 'href="/rules/contract_whist#' in asked
    filled = valid(pages.get("/new-tournament?game=callbreak&preset=callbreak_nepal&name=from-a-link", admin))
    assert 'value="from-a-link"' in filled
    assert filled.count(" selected") > 0
    assert pages.get("/new-tournament?game=poker", admin).status == 404


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


@pytest.fixture
def played(arena: Path) -> str:
    """A tournament that has been played."""
    return play(arena)


@pytest.fixture
def other(arena: Path, capsys: pytest.CaptureFixture[str]) -> str:
    """Somebody who organises tournaments of their own, as a cookie."""
    assert main(["user", "add", "organiser-2", "--data", str(arena)]) in (0, 1)
    capsys.readouterr()
    scopes = ["--scope", "read", "--scope", "organise"]
    assert main(["user", "token", "organiser-2", *scopes, "--data", str(arena)]) == 0
    (token,) = re.findall("[0-9a-f]{64}", capsys.readouterr().out)
    return f"arena-token={token}"


def test_standings_pairs_and_luck_are_a_page_csv_and_json_with_the_same_numbers(played: str, pages: Pages) -> None:
    home = f"/tournaments/{played}"
    text = valid(pages.get(home))
    assert "Each against each" in text
    assert "data-live" not in text  # it is over
    whole = json.loads(pages.get(f"{home}?format=json").text)
    lines = list(csv.DictReader(io.StringIO(pages.get(f"{home}?format=csv").text)))
    assert [(one["bot"], float(one["points"])) for one in lines] == [
        (one["bot"], one["points"]) for one in whole["standings"]
    ]
    # A rotation unit seats everybody everywhere.
    assert {one[f"seat_{seat}"] for one in lines for seat in range(4)} == {"4"}
    assert {one["bot"] for one in lines} == set(BOTS)
    assert hashlib.sha256(bytes.fromhex(whole["secret"])).hexdigest() == whole["commitment"]
    luck = list(csv.DictReader(io.StringIO(pages.get(f"{home}?format=csv&table=luck").text)))
    assert [one["of"] for one in luck] == ["seat 0", "seat 1", "seat 2", "seat 3", "cards"]
    pairs = list(csv.DictReader(io.StringIO(pages.get(f"{home}/pairs?format=csv").text)))
    assert len(pairs) == len(whole["pairs"]) == 12
    valid(pages.get(f"{home}/pairs"))
    assert "steady against each" in valid(pages.get(f"{home}/pairs?bot=steady"))
    alone = json.loads(pages.get(f"{home}/pairs?bot=steady&format=json").text)
    assert {one["other"]: one["above"] for one in alone} == {
        one["other"]: float(one["above"]) for one in pairs if one["bot"] == "steady"
    }
    assert pages.get(f"{home}/pairs?bot=patient").status == 404
    assert pages.get(f"{home}?format=xml").status == 400


def test_what_the_page_says_about_the_secret_can_be_checked_by_hand(
    played: str, pages: Pages, arena: Path, tmp_path: Path
) -> None:
    text = valid(pages.get(f"/tournaments/{played}"))
    commitment = json.loads(pages.get(f"/tournaments/{played}?format=json").text)["commitment"]
    assert main(["record", "fetch", played, str(tmp_path / "records"), "--data", str(arena)]) == 0

    def run(name: str) -> str:
        typed = "".join(element(text, name).itertext())
        done = subprocess.run(["sh", "-c", typed], cwd=tmp_path, capture_output=True, text=True, check=True)
        return done.stdout

    assert run("check-secret").strip() == commitment
    assert run("check-cards").count("follows from the secret") == 16
    one = next((tmp_path / "records").iterdir())
    lines = [json.loads(line) for line in one.read_text().splitlines()]
    pack = next(line["pack"] for line in lines if "pack" in line)
    pack[0], pack[4] = pack[4], pack[0]  # the same cards for another seat's first and second
    one.write_text("".join(f"{json.dumps(line)}\n" for line in lines))
    with pytest.raises(subprocess.CalledProcessError):
        run("check-cards")


def test_what_is_worked_out_once_for_many_is_not_what_somebody_asked_for_by_another_name(
    played: str, services: Services, pages: Pages
) -> None:
    connection = HTTPConnection(services.web_address)
    connection.request("GET", f"/tournaments/{played}", headers={"host": "elsewhere.example"})
    assert "http://elsewhere.example/" in connection.getresponse().read().decode()
    connection.close()
    assert "elsewhere.example" not in valid(pages.get(f"/tournaments/{played}"))


def test_the_schedule_has_every_table_and_how_even_it_is(played: str, pages: Pages) -> None:
    text = valid(pages.get(f"/tournaments/{played}/schedule"))
    assert "4 in 4 orbits" in text  # of four bots each orbit is one table
    assert "everybody equally often in each" in text
    rows = list(csv.DictReader(io.StringIO(pages.get(f"/tournaments/{played}/schedule?format=csv").text)))
    assert [row["orbit"] for row in rows] == ["0", "1", "2", "3"]
    assert {frozenset(row["bots"].split()) for row in rows} == {frozenset(BOTS)}
    assert {row["state"] for row in rows} == {"done"}
    blocks = json.loads(pages.get(f"/tournaments/{played}/schedule?format=json&bot=steady&state=done").text)
    assert all(f'href="/tournaments/{played}/matches/{block["first_unit"]}"' in text for block in blocks)
    assert len(blocks) == 4
    assert "no such table" in valid(pages.get(f"/tournaments/{played}/schedule?state=waiting"))
    assert pages.get("/tournaments/nowhere/schedule").status == 404


def test_only_who_decides_about_a_tournament_is_offered_to_do_so(pages: Pages, admin: str, other: str) -> None:
    assert pages.post("/tournaments", cookie=admin, **{**FORM, "name": "decided"}).status == 303
    home = "/tournaments/decided"
    assert f"{home}/organise/start" in valid(pages.get(home, admin))
    theirs = valid(pages.get(home, other))
    assert f"{home}/organise/enter" in theirs
    assert f"{home}/organise/start" not in theirs
    assert "/organise/" not in valid(pages.get(home))
    assert pages.get(f"{home}/organise/start").status == 403
    assert pages.get(f"{home}/organise/start", other).status == 403
    assert pages.post(f"{home}/organise/start", cookie=other).status == 403
    assert pages.post(f"{home}/organise/start", site="cross-site", cookie=admin).status == 403
    assert pages.get(f"{home}/organise/rename", admin).status == 404
    assert "steady" in refused(pages.post(f"{home}/organise/leave", cookie=other, bots="steady"), 403)


def test_an_organisers_life_from_page_to_page(pages: Pages, admin: str) -> None:
    home = "/tournaments/by-page"
    assert pages.post("/tournaments", cookie=admin, **{**FORM, "name": "by-page"}).status == 303
    assert "1 unit" in valid(pages.get(home, admin))

    def do(act: str, **typed: str) -> Answer:
        valid(pages.get(f"{home}/organise/{act}", admin))
        return pages.post(f"{home}/organise/{act}", cookie=admin, **typed)

    assert do("enter", bots="sly patient").status == 303
    assert ">sly</a>" in valid(pages.get(home, admin))
    wrong = refused(do("enter", bots="sly nobody-there"))
    assert "nobody-there" in wrong
    assert "sly nobody-there</textarea>" in wrong
    assert do("leave", bots="patient").status == 303
    assert "sly is disqualified" in valid(do("disqualify", bot="sly", reason="It peeks."))
    assert ">sly</a>" not in valid(pages.get(home, admin))
    assert do("start").headers["location"] == home
    assert 'id="units-wrong"' in refused(do("void", units="one", reason="So."))
    assert refused(do("cancel", reason=" "))
    assert "by-page is cancelled" in valid(do("cancel", reason="Enough of it."))
    done = valid(pages.get(home, admin))
    assert "Enough of it." in done
    assert f"{home}/organise/cancel" not in done
    assert pages.get(f"{home}/organise/cancel", admin).status == 403


def test_a_ladder_is_made_filled_and_closed_by_page(pages: Pages, admin: str) -> None:
    home = "/tournaments/rungs"
    wanted = {**FORM, "name": "rungs", "format": "ladder", "bots": "", "when": "now", "every": "60", "batch": "3"}
    assert "nothing to plan" in refused(pages.post("/tournaments", cookie=admin, **{**wanted, "act": "plan"}))
    assert pages.post("/tournaments", cookie=admin, **wanted).headers["location"] == home
    text = valid(pages.get(home, admin))
    assert "A ladder: period after period" in text
    assert "as many tables of those who wait as 3 allow" in text
    assert f"{home}/organise/start" not in text
    assert pages.post(f"{home}/organise/enter", cookie=admin, bots="sly").status == 303
    assert "each has a schedule of its own" in valid(pages.get(f"{home}/schedule"))
    assert pages.post(f"{home}/organise/close", cookie=admin).status == 303
    assert "<strong>done</strong>" in valid(pages.get(home, admin))


def test_an_alarm_is_seen_and_settled_by_who_decides(pages: Pages, admin: str, other: str, services: Services) -> None:
    assert pages.post("/tournaments", cookie=admin, **{**FORM, "name": "alarming"}).status == 303
    with connect(services.database_url) as connection:
        found = connection.execute(
            "INSERT INTO alarms (kind, sentence, tournament) VALUES ('not-started', 'It did not start.', 'alarming')"
            " RETURNING id"
        ).fetchone()
    assert found is not None
    home, settle = "/tournaments/alarming", f"/tournaments/alarming/organise/settle?alarm={found[0]}"
    assert "It did not start." not in valid(pages.get(home, other))
    assert f'href="{settle}"' in valid(pages.get(home, admin))
    assert "It did not start." in valid(pages.get(settle, admin))
    assert pages.get(settle, other).status == 403
    typed = {"alarm": str(found[0]), "reason": "It will."}
    assert pages.post(f"{home}/organise/settle", cookie=other, **typed).status == 403
    assert pages.post(f"{home}/organise/settle", cookie=admin, **typed).status == 303
    assert "It did not start." not in valid(pages.get(home, admin))


def test_tournaments_are_found_by_game_state_and_who_made_them(played: str, pages: Pages, admin: str) -> None:
    assert pages.post("/tournaments", cookie=admin, **{**FORM, "name": "still-open"}).status == 303

    def listed(query: str) -> set[str]:
        text = valid(pages.get(f"/tournaments?{query}", admin))
        return {name for name in (played, "still-open") if f'href="/tournaments/{name}"' in text}

    assert listed("") == {played, "still-open"}
    assert listed("game=minus&state=ended&by=admin") == {played}
    assert listed("state=open") == {"still-open"}
    assert listed("by=nobody") == listed("game=callbreak") == set()
    assert "none like that" in pages.get("/tournaments?by=nobody").text
