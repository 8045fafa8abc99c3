"""The pages as a browser gets them: what they show, whom they know, and what they refuse."""

import csv
import io
import json
from dataclasses import dataclass
from http.client import HTTPConnection
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

import html5lib
import pytest

from arena.cli import main
from arena.stack.services import Services
from arena.web.guard import HEADERS, SIGN_IN
from engine.record import verify

# No other test plays by these, so the rating table is this one's own.
RULES = ["deals=1", "takeover_min=12"]
BOTS = ["random-1", "cautious", "steady", "bold"]


@dataclass(frozen=True)
class Answer:
    status: int
    headers: dict[str, str]
    text: str


@dataclass(frozen=True)
class Pages:
    """Asks for pages as a browser on this host."""

    address: str

    def get(self, path: str, cookie: str = "") -> Answer:
        return self._ask("GET", path, "", {"cookie": cookie} if cookie else {})

    def post(self, path: str, site: str = "same-origin", cookie: str = "", **form: str) -> Answer:
        headers = {"sec-fetch-site": site, "content-type": "application/x-www-form-urlencoded", "cookie": cookie}
        return self._ask("POST", path, urlencode(form), headers)

    def _ask(self, method: str, path: str, body: str, headers: dict[str, str]) -> Answer:
        connection = HTTPConnection(self.address)
        connection.request(method, path, body or None, headers)
        response = connection.getresponse()
        text = response.read().decode()
        connection.close()
        return Answer(response.status, {name.lower(): value for name, value in response.getheaders()}, text)


@pytest.fixture
def pages(services: Services) -> Pages:
    return Pages(services.web_address)


def token_in(file: Path) -> str:
    return str(json.loads(file.read_text())["token"])


def valid(answer: Answer) -> str:
    """The text of a page that is there and is what it says it is."""
    assert answer.status == 200, answer.text
    html5lib.HTMLParser(strict=True).parse(answer.text)
    return answer.text


def play(arena: Path) -> str:
    """The name of a tournament that has been played, once."""
    data = ["--data", str(arena)]
    if main(["tournament", "show", "for-pages", *data]):
        wanted = ["--game", "minus", *(word for rule in RULES for word in ("--set", rule)), "--units", "1"]
        assert main(["tournament", "create", "for-pages", *wanted, "--bots", *BOTS, *data]) == 0
    assert main(["tournament", "watch", "for-pages", *data]) == 0
    return "for-pages"


@pytest.fixture
def played(arena: Path) -> str:
    """A tournament that has been played."""
    return play(arena)


@pytest.mark.parametrize(
    "path",
    [
        *("/", "/ratings/minus", "/ratings/callbreak?q=nobody", "/sign-in", "/nowhere"),
        *("/tournaments", "/bots", "/bots?game=minus"),
    ],
)
def test_every_page_is_valid_html_and_is_kept_from_being_framed_or_fed(pages: Pages, path: str) -> None:
    answer = pages.get(path)
    assert answer.status == (404 if path == "/nowhere" else 200)
    html5lib.HTMLParser(strict=True).parse(answer.text)
    assert HEADERS.items() <= answer.headers.items()


def own_pool(pages: Pages, query: str = "") -> Any:
    """The rating table of `played`."""
    pools = json.loads(pages.get(f"/ratings/minus?format=json{query}").text)
    (pool,) = (pool for pool in pools if "takeover_min" in pool["options"])
    return pool


def test_a_rating_table_is_a_page_a_csv_and_json_with_the_same_numbers(played: str, pages: Pages) -> None:
    page = pages.get("/ratings/minus")
    html5lib.HTMLParser(strict=True).parse(page.text)
    pool = own_pool(pages)
    lines = {line["bot"]: line for line in pool["lines"]}
    assert lines.keys() == set(BOTS)
    rows = list(csv.DictReader(io.StringIO(pages.get("/ratings/minus?format=csv").text)))
    own = [row for row in rows if row["pool"] == str(pool["number"])]
    assert {row["bot"]: float(row["elo"]) for row in own} == {bot: line["elo"] for bot, line in lines.items()}
    assert {row["options"] for row in own} == {" ".join(sorted(RULES))}
    assert all(row["bot"] in page.text for row in rows)
    assert played in pages.get("/").text


def test_a_search_leaves_the_others_out(played: str, pages: Pages) -> None:
    assert [line["bot"] for line in own_pool(pages, "&q=STEA")["lines"]] == ["steady"]
    assert own_pool(pages, "&hide=house")["lines"] == []
    number = own_pool(pages)["number"]
    assert "aria-current" in valid(pages.get(f"/ratings/minus?pool={number}&sort=owner&order=desc"))
    assert {pool["number"] for pool in json.loads(pages.get(f"/ratings/minus?pool={number}&format=json").text)} == {
        number
    }
    assert pages.get("/ratings/minus?pool=99999").status == 404


def rows_of(pages: Pages, path: str, query: str = "") -> list[dict[str, str]]:
    """The lines of a page's CSV, which says the same as its JSON."""
    rows = list(csv.DictReader(io.StringIO(pages.get(f"{path}?{query}&format=csv").text)))
    same = json.loads(pages.get(f"{path}?{query}&format=json").text)
    assert [[*row] for row in same] == [[*row] for row in rows]
    assert [["" if value is None else str(value) for value in row.values()] for row in same] == [
        [*row.values()] for row in rows
    ]
    return rows


def test_from_a_rating_table_to_what_lies_behind_it(played: str, pages: Pages) -> None:
    table = f"/ratings/minus/{own_pool(pages)['number']}"
    assert "97.5" in valid(pages.get(table))
    likely = {(row["bot"], row["other"]): float(row["stronger"]) for row in rows_of(pages, table)}
    assert len(likely) == len(BOTS) * (len(BOTS) - 1)
    assert "in place" in valid(pages.get(f"{table}?against=STEA"))
    assert {row["bot"]: float(row["stronger"]) for row in rows_of(pages, table, "against=steady")} == {
        bot: likely[bot, "steady"] for bot in BOTS if bot != "steady"
    }
    assert valid(pages.get(f"{table}?against=d")).count("?against=") == 3  # random-1, steady and bold
    assert pages.get(f"{table}?against=nobody").status == 404
    assert played in valid(pages.get(f"{table}/steady"))
    beside = valid(pages.get(f"{table}/steady?with=bold&with=steady&with="))
    assert beside.count("<polyline") == 2 * 2
    assert "without bold" in beside
    steps = rows_of(pages, f"{table}/steady", "with=bold")
    orbits = [str(orbit) for orbit in range(4)]
    assert [(row["bot"], row["orbit"]) for row in steps] == [(bot, o) for bot in ("steady", "bold") for o in orbits]
    met = {row["other"]: row for row in rows_of(pages, f"{table}/steady/head-to-head")}
    assert met.keys() == set(BOTS) - {"steady"}
    assert float(met["bold"]["share"]) * int(met["bold"]["matches"]) == pytest.approx(
        int(met["bold"]["above"]) + int(met["bold"]["level"]) / 2
    )
    assert "all its 16 rated matches" in valid(pages.get(f"{table}/steady/head-to-head"))
    for nowhere in ("nobody", "%20steady", "%20", "steady?with=nobody", "nobody/head-to-head"):
        assert pages.get(f"{table}/{nowhere}").status == 404
    assert pages.get("/ratings/minus/1000000").status == 404


def test_a_tournament_its_matches_and_one_of_them(played: str, pages: Pages) -> None:
    text = valid(pages.get(f"/tournaments/{played}"))
    assert "Each against each" in text
    assert "data-live" not in text  # it is over
    assert f"/tournaments/{played}/matches/0/3" in valid(pages.get(f"/tournaments/{played}/matches"))
    assert "rotation 3" in valid(pages.get(f"/tournaments/{played}/matches/0"))
    for asked in ("", "?step=20", "?step=20&seat=1", "?step=999999", "?seat=x&step=-1"):
        assert "Seen from" in valid(pages.get(f"/tournaments/{played}/matches/0/0{asked}"))
    watched = pages.get(f"/tournaments/{played}/watch")
    assert watched.status == 303
    assert 'id="player"' in valid(pages.get(watched.headers["location"]))
    record = pages.get(f"/tournaments/{played}/matches/0/0/record")
    verify(record.text)
    for nowhere in ("7/0", f"{1 << 33}/0", f"0/{1 << 33}", str(1 << 33)):
        assert pages.get(f"/tournaments/{played}/matches/{nowhere}").status == 404


def test_a_bots_page_tells_its_owner_more(played: str, arena: Path, pages: Pages) -> None:
    owner = f"arena-token={token_in(arena / 'house.json')}"
    log = f"/bots/steady/log/{played}/0/0"
    anybodys, owners = valid(pages.get("/bots/steady")), valid(pages.get("/bots/steady", owner))
    for own in (log, "Its validation", "against house bots: <strong>passed", "0.1 ms to 10 s"):
        assert own not in anybodys
        assert own in owners
    for path in (f"/bots/steady/style/{played}", f"/bots/steady/faults/{played}", "/steady/head-to-head"):
        assert path in anybodys
    for of_match in ("", "?unit=0&rotation=0"):
        assert "Nothing." in valid(pages.get(f"/bots/steady/faults/{played}{of_match}"))
    assert rows_of(pages, f"/bots/steady/faults/{played}") == []
    assert pages.get(f"/bots/patient/faults/{played}").status == 404
    assert pages.get(log).status == 403
    assert "What it wrote" in valid(pages.get(log, owner))
    assert pages.get("/bots/nobody").status == 404
    assert "Tricks on average" in valid(pages.get(f"/bots/steady/style/{played}"))
    assert pages.get(f"/bots/patient/style/{played}").status == 404


def test_signing_in_keeps_the_token_where_no_script_reads_it(arena: Path, pages: Pages) -> None:
    token = token_in(arena / "login.json")
    answer = pages.post("/sign-in", token=f" {token}\n", back="/ratings/minus")
    assert (answer.status, answer.headers["location"]) == (303, "/ratings/minus")
    cookie = answer.headers["set-cookie"]
    assert "HttpOnly" in cookie
    assert "SameSite=lax" in cookie
    signed_in = cookie.partition(";")[0]
    assert "Sign out" in pages.get("/", signed_in).text
    assert "Sign in" in pages.get("/").text
    left = pages.post("/sign-out", cookie=signed_in)
    assert 'arena-token=""' in left.headers["set-cookie"]


@pytest.mark.parametrize("back", ["https://elsewhere.example/", "//elsewhere.example", "/\\elsewhere.example"])
def test_nobody_is_sent_elsewhere_after_signing_in(arena: Path, pages: Pages, back: str) -> None:
    answer = pages.post("/sign-in", token=token_in(arena / "login.json"), back=back)
    assert answer.headers["location"] == "/"


def test_a_form_from_another_site_changes_nothing(arena: Path, pages: Pages) -> None:
    answer = pages.post("/sign-in", site="cross-site", token=token_in(arena / "login.json"))
    assert answer.status == 403
    assert "set-cookie" not in answer.headers


def test_a_token_that_nobody_has_says_so_and_too_many_of_them_wait(pages: Pages) -> None:
    answers = [pages.post("/sign-in", token="0" * 64) for _ in range(SIGN_IN.amount + 1)]
    assert answers[0].status == 401
    assert "nobody has this token" in answers[0].text
    assert answers[-1].status == 429
    assert "Wait a minute" in answers[-1].text


def test_pages_are_not_shown_around_with_a_token_that_may_do_more(
    arena: Path, services: Services, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("ARENA_SERVER", services.address)
    monkeypatch.setenv("ARENA_TOKEN", token_in(arena / "login.json"))
    assert main(["web", "--listen", "127.0.0.1:0"]) == 1
    assert "may do more than read" in capsys.readouterr().err
