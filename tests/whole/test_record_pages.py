"""What was played, as its pages show it: a unit side by side, one match step by step, and what is left when records are
pruned."""

import json
import re
from pathlib import Path

import pytest

from arena.cli import main
from arena.stack.services import Services
from arena.store import connect, pruning
from tests.whole.test_pages import Pages, valid

# What the pages are made of is tested in tests/web.
pytestmark = pytest.mark.long

BOTS = ["random-1", "cautious", "steady", "bold"]
GAMES = {"by-tricks": ["minus", "--set", "deals=2"], "by-pairs": ["minus_one", "--seats", "4", "--set", "rounds=6"]}


@pytest.fixture
def pages(services: Services) -> Pages:
    return Pages(services.web_address)


@pytest.fixture(params=GAMES)
def played(arena: Path, request: pytest.FixtureRequest) -> str:
    """A tournament that has been played, its address."""
    name, data = request.param, ["--data", str(arena)]
    if main(["tournament", "show", name, *data]):
        wanted = ["--game", *GAMES[name], "--units", "1", "--unrated", "--bots", *BOTS]
        assert main(["tournament", "create", name, *wanted, *data]) == 0
    assert main(["tournament", "watch", name, *data]) == 0
    return f"/tournaments/{name}/matches/0"


def key(page: str, name: str) -> str:
    """Where a key leads; empty if nowhere."""
    found = re.search(rf'<a href="([^"]*)" data-key="{name}"', page)
    return found[1].replace("&amp;", "&") if found else ""


def test_a_unit_is_stepped_through_at_all_its_tables_and_leads_into_each_match(played: str, pages: Pages) -> None:
    page = valid(pages.get(played))
    assert page.count('<section aria-label="rotation ') == 4
    assert "the others are compared with this one" in page
    query, steps = key(page, "ArrowRight"), 0
    while query:
        steps += 1
        page = valid(pages.get(played + query)) if steps % 10 == 1 else pages.get(played + query).text
        query = key(page, "ArrowRight")
    assert f"{steps} of {steps}" in page
    assert (key(page, "End"), key(page, "Home")) == ("", "?deal=1")
    for number in range(4):
        inside = re.search(rf'href="({played}/{number}\?step=\d+)">Rotation {number}</a>', page)
        assert inside is not None
        assert "of the bank left" in valid(pages.get(inside[1]))
    again = key(page, "PageDown")
    assert again == ("?deal=2" if "by-tricks" in played else "")
    if again:
        assert "Deal 2 of 2, side by side" in valid(pages.get(played + again))


def test_who_wants_to_know_why_a_bot_lost_is_led_to_its_worst_hands(played: str, pages: Pages) -> None:
    page = valid(pages.get(f"{played}?bot=random-1"))
    assert "Where random-1 did worse with the same" in page
    assert page.count('<td class="mine">') == 8  # once in each rotation, in the match and in the deal
    assert "bot=random-1" in key(page, "ArrowRight")
    assert "compared with this one" in page
    for query in ("?bot=nobody", "?deal=99&step=9999", "?deal=x&step=-1"):
        assert "side by side" in valid(pages.get(played + query))


def test_a_match_says_what_else_could_be_done_whose_time_ran_and_how_every_deal_ended(
    played: str, pages: Pages
) -> None:
    page = valid(pages.get(f"{played}/1?step=1"))
    assert "instead of" in page
    assert "s of the bank left" in page
    assert 'href="/bots/steady"' in page
    lines = map(json.loads, pages.get(f"{played}/1/record").text.splitlines())
    first: int = next(line["seat"] for line in lines if "action" in line)
    hidden = valid(pages.get(f"{played}/1?step=1&seat={(first + 1) % 4}"))
    assert ("has chosen" in hidden) == ("by-pairs" in played)
    assert "instead of" not in hidden
    beside = re.search(r'href="([^"]*\?deal=1&amp;step=1&amp;bot=[\w-]+)"', hidden)
    assert beside is not None
    assert "1 of " in valid(pages.get(beside[1].replace("&amp;", "&")))
    end = valid(pages.get(f"{played}/1{key(page, 'End')}"))
    assert 'id="result"' in end
    sheet = end[end.index("Score sheet") : end.index("Clocks up to here")]
    rows = re.findall(r'<th scope="row"><a href="\?step=(\d+)"', sheet)
    assert len(rows) == (2 if "by-tricks" in played else 1)
    if "by-tricks" in played:
        second = valid(pages.get(f"{played}/1?step={rows[1]}"))
        assert "The deal before scored" in second
        assert "Its last trick" in second
        assert key(second, "PageUp") == "?step=0"
    else:
        assert "Cards left" in page
        assert re.search(r"<td class=\"hand left\">[1-8 ]*\([1-8]\)", pages.get(f"{played}/1?step=9").text)


# Last: the other tests want the records.
def test_of_pruned_records_the_points_stay(played: str, pages: Pages, services: Services) -> None:
    name = played.split("/")[2]
    with connect(services.database_url) as connection:
        connection.execute(pruning.SQL["prune_records"], {"tournament": name})
    page = valid(pages.get(played))
    assert "was pruned" in page
    assert "rotation 3" in page
    assert "side by side" not in page
    assert pages.get(f"{played}/0").status == 404
