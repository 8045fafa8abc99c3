"""The paths that a person takes through the pages, in a real browser: `make browser`.

Every page that is looked at is kept as a screenshot in build/screenshots, must be without a violation that axe finds,
and must not have left an error in the console.
"""

import json
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Browser, ConsoleMessage, Page, expect, sync_playwright

from arena.stack.services import Services
from tests.whole.held import held

pytestmark = pytest.mark.browser

SHOTS = Path(__file__).parents[2] / "build" / "screenshots"
NAMES = ("chromium", "chromium-browser", "google-chrome")
PATIENCE_MS = 120_000
"""A busy machine takes its time to play a tournament."""

BOTS = "random-1 cautious steady bold"


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    program = next(filter(None, map(shutil.which, NAMES)), None)
    assert program, f"none of {', '.join(NAMES)} is on the path: install a Chromium from your system's packages"
    SHOTS.mkdir(parents=True, exist_ok=True)
    expect.set_options(timeout=PATIENCE_MS)
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=program, args=["--no-sandbox"])
        yield browser
        browser.close()


class Look:
    """A window, and what must hold of every page in it."""

    def __init__(self, page: Page) -> None:
        self.page = page
        self.errors: list[str] = []
        page.set_default_timeout(PATIENCE_MS)
        page.on("console", self._note)
        page.on("pageerror", lambda error: self.errors.append(str(error)))

    def _note(self, message: ConsoleMessage) -> None:
        if message.type == "error":
            self.errors.append(message.text)

    def at(self, name: str, *, refused: bool = False) -> None:
        """Keeps the page as a picture, and lets axe judge it. Of one that says no the browser notes the status."""
        self.page.screenshot(path=SHOTS / f"{name}.png", full_page=True)
        found = Axe().run(self.page)
        assert not found.response["violations"], found.generate_report()
        assert [error for error in self.errors if not (refused and "400 (Bad Request)" in error)] == []
        self.errors.clear()


@pytest.fixture(params=["light", "dark-phone"])
def look(request: pytest.FixtureRequest, browser: Browser, services: Services) -> Iterator[Look]:
    phone = request.param == "dark-phone"
    context = browser.new_context(
        base_url=f"http://{services.web_address}",
        color_scheme="dark" if phone else "light",
        viewport={"width": 390, "height": 800} if phone else {"width": 1280, "height": 900},
    )
    yield Look(context.new_page())
    context.close()


def test_from_signing_in_to_the_last_trick(look: Look, arena: Path, request: pytest.FixtureRequest) -> None:
    page, style = look.page, request.node.callspec.params["look"]
    page.goto("/")
    look.at(f"{style}-1-first")
    page.get_by_role("link", name="Sign in").click()
    look.at(f"{style}-2-sign-in")
    page.get_by_label("Token").fill(json.loads((arena / "login.json").read_text())["token"])
    page.get_by_role("button", name="Sign in").click()
    expect(page.get_by_role("button", name="Sign out")).to_be_visible()

    page.get_by_role("link", name="Tournaments", exact=True).click()
    page.get_by_role("link", name="Make one").click()
    look.at(f"{style}-3-choose-a-game")
    page.get_by_role("main").get_by_role("link", name="Minus", exact=True).click()
    name = f"browser-{style}"
    page.get_by_label("Name", exact=True).fill(name)
    page.get_by_label("Bots", exact=True).fill(f"{BOTS} nobody-there")
    page.get_by_label("Deals at each table").fill("2")
    page.get_by_text("Options of the game").click()
    page.get_by_label("deals", exact=True).fill("1")
    page.get_by_role("button", name="What would be played").click()
    look.at(f"{style}-3-new-tournament-refused", refused=True)
    page.get_by_role("link", name="To the field").click()
    page.get_by_label("Bots", exact=True).fill(BOTS)
    page.get_by_role("button", name="What would be played").click()
    expect(page.get_by_role("heading", name="What would be played")).to_be_visible()
    look.at(f"{style}-3-new-tournament-planned")
    page.get_by_role("button", name="Make it").click()

    # Nobody loads it again: the page itself does, until it is over.
    expect(page.locator("#live[data-live]")).to_have_count(0)
    expect(page.get_by_role("heading", name="Each against each")).to_be_visible()
    look.at(f"{style}-4-tournament")

    page.get_by_role("link", name="watch the latest").click()
    expect(page.get_by_text("3 of ", exact=False).first).to_be_visible()  # it plays by itself
    page.get_by_role("button", name="Pause").click()
    page.go_back()
    page.get_by_role("link", name="All matches").click()
    look.at(f"{style}-5-matches")
    page.get_by_role("link", name="unit 0, rotation 0", exact=True).click()
    look.at(f"{style}-6-match")
    page.keyboard.press("ArrowRight")
    page.keyboard.press("ArrowRight")
    expect(page.get_by_text("2 of ", exact=False).first).to_be_visible()
    page.keyboard.press("End")
    expect(page.get_by_role("heading", name="Result")).to_be_visible()
    look.at(f"{style}-7-result")
    page.keyboard.press("ArrowLeft")
    expect(page.get_by_role("heading", name="Result")).to_have_count(0)
    page.locator("nav.steps").get_by_role("link", name="1 ", exact=False).last.click()
    expect(page.get_by_label("cards face down", exact=False).first).to_be_visible()
    look.at(f"{style}-8-from-a-seat")
    assert "seat=" in page.url
    page.keyboard.press("?")
    expect(page.get_by_text("to the next fault, to the one before")).to_be_visible()
    page.keyboard.press("a")
    expect(page.get_by_label("cards face down", exact=False)).to_have_count(0)
    page.get_by_role("link", name="the same cards in every rotation").click()
    look.at(f"{style}-9-unit")
    page.get_by_label("Whose hands").select_option("random-1")
    page.get_by_role("button", name="Mark them").click()
    expect(page.get_by_role("heading", name="Where random-1 did worse with the same cards")).to_be_visible()
    page.keyboard.press("ArrowRight")
    page.keyboard.press("ArrowRight")
    expect(page.get_by_text("2 of ", exact=False).first).to_be_visible()
    page.keyboard.press("End")
    expect(page.locator(".boards .card.won")).to_have_count(4)
    look.at(f"{style}-9-side-by-side")
    page.goto("/rules/minus#MN-B4")
    expect(page.locator("#MN-B4")).to_be_in_viewport()
    look.at(f"{style}-9-rules")

    page.get_by_role("link", name="Minus", exact=True).click()
    page.get_by_role("link", name="Elo").first.click()
    expect(page.locator("th[aria-sort=descending]").first).to_contain_text("Elo")
    look.at(f"{style}-10-ratings")
    page.get_by_label("Find a bot").fill("stea")
    page.get_by_role("button", name="Find").click()
    expect(page.locator("tbody tr").first).to_contain_text("steady")
    page.locator("tbody").first.get_by_role("link", name="steady").click()
    look.at(f"{style}-11-history")
    page.get_by_label("Beside").fill("bold")
    page.get_by_role("button", name="Draw both").click()
    expect(page.locator(".legend li")).to_have_count(2)
    look.at(f"{style}-11-two-histories")
    page.get_by_role("link", name="Head to head").click()
    expect(page.get_by_role("heading", level=1)).to_contain_text("against each other bot")
    look.at(f"{style}-11-head-to-head")
    page.get_by_role("link", name="steady").first.click()
    expect(page.get_by_role("heading", name="Its latest tournaments")).to_be_visible()
    look.at(f"{style}-12-bot")
    page.get_by_role("link", name="its faults in").first.click()
    look.at(f"{style}-12-faults")
    page.goto("/ratings/minus")
    page.get_by_role("link", name="How likely each is the stronger of two").first.click()
    look.at(f"{style}-13-likelihoods")


def test_who_watches_sees_deal_after_deal_and_then_the_rest(
    look: Look, services: Services, arena: Path, tmp_path: Path, request: pytest.FixtureRequest
) -> None:
    page, style = look.page, request.node.callspec.params["look"]
    cup = f"watched-{style}"
    with held(services, arena, tmp_path, cup) as go:
        page.goto(f"/tournaments/{cup}/watch")
        expect(page.get_by_role("heading", name="Nothing to be seen yet")).to_be_visible()
        look.at(f"{style}-30-waiting")
        # Nobody loads anything from here on.
        page.wait_for_url(f"**/tournaments/{cup}/watch/*/0**")
        page.wait_for_url("**step=*")
        page.get_by_role("button", name="Pause").click()
        look.at(f"{style}-31-watched")
        page.keyboard.press("End")
        expect(page.get_by_text("This deal is over")).to_be_visible()
        look.at(f"{style}-32-closed")
        page.get_by_role("button", name="Play").click()
        go.touch()
        page.wait_for_url("**/matches/*/0?watch=1**")
        expect(page.get_by_role("button", name="Pause")).to_be_visible()
    assert not look.errors


def test_every_page_can_be_walked_by_key_alone(look: Look) -> None:
    page = look.page
    page.goto("/ratings/minus")
    page.keyboard.press("Tab")
    expect(page.get_by_role("link", name="To the content")).to_be_focused()
    page.keyboard.press("Enter")
    page.keyboard.press("Tab")
    assert page.evaluate("document.getElementById('content').contains(document.activeElement)")


def test_a_person_finishes_a_short_match_against_five_of_the_house(
    look: Look, arena: Path, request: pytest.FixtureRequest
) -> None:
    page, style = look.page, request.node.callspec.params["look"]
    page.goto("/sign-in?back=/rooms")
    page.get_by_label("Token").fill(json.loads((arena / "login.json").read_text())["token"])
    page.get_by_role("button", name="Sign in").click()
    look.at(f"{style}-20-rooms")
    page.get_by_role("main").get_by_role("link", name="Minus One").click()
    page.get_by_label("Your name at the table").fill("Ada")
    page.get_by_label("Seats", exact=True).select_option("6")
    page.get_by_text("Options of the game").click()
    page.get_by_label("rounds").select_option("6")
    look.at(f"{style}-21-new-room")
    page.get_by_role("button", name="Open the room").click()
    expect(page.get_by_text("Whoever has this link may sit down")).to_be_visible()
    look.at(f"{style}-22-lobby")
    page.get_by_role("button", name="Start the match").click()
    choice = page.locator(".choices button:enabled").first
    expect(page.get_by_role("timer")).to_contain_text("s left")
    look.at(f"{style}-23-show")
    address = page.url
    for chosen in range(12):
        # By key: who has chosen once goes on with the next choice.
        if chosen == 0:
            choice.focus()
        expect(page.locator(".choices button:focus")).to_have_count(1)
        if chosen == 5:
            look.at(f"{style}-24-keep")
        turn = page.locator(".choices [name=turn]").input_value()
        page.keyboard.press("Enter")
        expect(page.locator(f".choices [name=turn][value='{turn}']")).to_have_count(0)
    expect(page.get_by_role("heading", name="Result of match 1")).to_be_visible()
    assert page.url == address
    look.at(f"{style}-25-result")
    page.get_by_role("link", name="Step through the match").click()
    page.wait_for_url("**/record")  # when it has loaded, the keys are there
    page.keyboard.press("End")
    expect(page.get_by_role("heading", name="Result")).to_be_visible()
    look.at(f"{style}-26-record")
    page.get_by_role("link", name="the room").click()
    page.get_by_role("button", name="Close the room for everybody").click()
    expect(page.get_by_role("heading", name="Your rooms")).to_be_visible()
    expect(page.get_by_role("link", name=address.rpartition("/")[2])).to_have_count(0)


def test_an_organiser_leads_a_tournament_and_everybody_looks_behind_it(
    look: Look, arena: Path, request: pytest.FixtureRequest
) -> None:
    page, style = look.page, request.node.callspec.params["look"]
    page.goto("/sign-in?back=/new-tournament?game=minus")
    page.get_by_label("Token").fill(json.loads((arena / "login.json").read_text())["token"])
    page.get_by_role("button", name="Sign in").click()
    page.get_by_label("Name", exact=True).fill(f"led-{style}")
    page.get_by_label("Bots", exact=True).fill(BOTS)
    page.get_by_label("when I start it").check()
    page.get_by_text("Options of the game").click()
    page.get_by_label("deals", exact=True).fill("1")
    page.get_by_role("button", name="Make it").click()
    expect(page.get_by_role("heading", name="The plan, if it started now")).to_be_visible()
    page.get_by_role("link", name="Enter bots").click()
    page.get_by_label("Bots", exact=True).fill("sly")
    look.at(f"{style}-30-enter")
    page.get_by_role("button", name="Enter bots").click()
    look.at(f"{style}-31-open")
    page.get_by_role("link", name="Close the entries and start").click()
    page.get_by_role("button", name="Close the entries and start").click()
    page.get_by_role("link", name="Cancel the tournament").click()
    page.get_by_role("link", name="Back, and change nothing").click()
    expect(page.locator("#live[data-live]")).to_have_count(0)
    page.get_by_text("Check it yourself").click()
    look.at(f"{style}-32-over")
    page.get_by_role("link", name="Schedule and balance").click()
    page.get_by_text("Who has played how often in which seat").click()
    look.at(f"{style}-33-schedule")
    page.go_back()
    page.get_by_role("link", name="sly against each other one").click()
    look.at(f"{style}-34-pairs")
    page.goto("/tournaments?state=ended&by=admin")
    look.at(f"{style}-35-tournaments")
    page.get_by_role("link", name=f"led-{style}").click()
    page.get_by_role("link", name="Disqualify a bot").click()
    page.get_by_label("Bot", exact=True).fill("sly")
    page.get_by_label("Why").fill("It peeked.")
    page.get_by_role("button", name="Disqualify a bot").click()
    expect(page.get_by_role("status")).to_contain_text("sly is disqualified")
    look.at(f"{style}-36-decided")


def test_a_page_that_goes_on_leaves_the_reader_alone(browser: Browser) -> None:
    """What changes by itself changes in place: focus, scroll and opened details stay, new parts come, old ones go."""
    page = browser.new_page()
    page.set_content(
        "<div id='live' data-live='0'><p id='state'>1 of 9</p><p id='plan'>soon over</p>"
        "<div id='wide' style='overflow-x:auto; width:50px'><div style='width:900px'>wide</div></div>"
        "<details id='check'><summary>Check</summary><input id='typed'></details><p>old</p></div>"
    )
    page.add_script_tag(path=Path(__file__).parents[2] / "arena/web/static/live.js")
    page.locator("summary").click()
    page.locator("#typed").fill("half a word")
    page.evaluate("document.getElementById('wide').scrollLeft = 300")
    page.evaluate(
        """() => renew(document.getElementById('live'), new DOMParser().parseFromString(
            "<div id='live'><p id='state'>9 of 9</p><section id='alarms'><p>look</p></section>"
            + "<div id='wide' style='overflow-x:auto; width:50px'><div style='width:900px'>wider</div></div>"
            + "<details id='check'><summary>Check it</summary><input id='typed'></details><p>new</p></div>",
            "text/html").getElementById('live'))"""
    )
    assert page.evaluate("[...document.getElementById('live').children].map((one) => one.textContent)") == [
        *("9 of 9", "look", "wider", "Check it", "new")
    ]
    assert page.evaluate("document.activeElement.id") == "typed"
    assert page.locator("#typed").input_value() == "half a word"
    assert page.evaluate("document.getElementById('wide').scrollLeft") == 300
    assert page.locator("#check[open]").count() == 1
    assert page.locator("#live[data-live]").count() == 0
    page.close()
