"""Rooms as a browser gets them: one opens a room, others follow the invite, and all play to the end by forms alone."""

import asyncio
import re
import socket
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from http.client import HTTPConnection
from urllib.parse import urlencode, urlsplit

import html5lib
import pytest
import uvicorn

from arena.v1 import room_pb2 as pb
from arena.web.api import Api
from arena.web.app import create
from arena.web.cards import card
from arena.web.seats import Seats
from engine.cards import write_card
from engine.record import verify
from tests.api.parlour import Arena, at_the_arena

CARDS = [write_card(number) for number in range(52)]


@dataclass(frozen=True)
class Answer:
    status: int
    headers: dict[str, str]
    text: str


@dataclass
class Browser:
    """Somebody's browser: it keeps the cookies that it is given, for all addresses."""

    address: str
    cookies: dict[str, str] = field(default_factory=dict)

    async def get(self, path: str) -> Answer:
        return await asyncio.to_thread(self._ask, "GET", path, "")

    async def post(self, path: str, **form: str) -> Answer:
        return await asyncio.to_thread(self._ask, "POST", path, urlencode(form))

    async def send(self, path: str, **form: str) -> Answer:
        """Sends the form and goes where the answer leads."""
        answer = await self.post(path, **form)
        assert answer.status == 303, answer.text
        return await self.get(answer.headers["location"])

    def _ask(self, method: str, path: str, body: str) -> Answer:
        connection = HTTPConnection(self.address)
        headers = {
            "cookie": "; ".join(f"{name}={value}" for name, value in self.cookies.items()),
            "sec-fetch-site": "same-origin",
            "content-type": "application/x-www-form-urlencoded",
        }
        connection.request(method, path, body or None, headers)
        response = connection.getresponse()
        text = response.read().decode()
        connection.close()
        given = {name.lower(): value for name, value in response.getheaders()}
        if "set-cookie" in given:
            name, _, value = given["set-cookie"].partition(";")[0].partition("=")
            self.cookies[name] = value.strip('"')
        if "html" in given.get("content-type", ""):
            html5lib.HTMLParser(strict=True).parse(text)
        return Answer(response.status, given, text)


@asynccontextmanager
async def pages(arena: Arena, kept_s: float = 60.0) -> AsyncIterator[str]:
    """The address of pages over the arena."""
    api = Api(arena.address, arena.tokens["web"])
    app = create(api)
    app.state.seats = Seats(api, kept_s)
    server = uvicorn.Server(uvicorn.Config(app, log_config=None, lifespan="off"))
    listener = socket.create_server(("127.0.0.1", 0))
    serving = asyncio.create_task(server.serve([listener]))
    try:
        yield "{}:{}".format(*listener.getsockname())
    finally:
        server.should_exit = True
        await serving
        await app.state.seats.close()
        await api.close()


def at_the_pages(database_url: str, visit: Callable[[Arena, str], Awaitable[None]], clock: str = "") -> None:
    async def served(arena: Arena) -> None:
        async with pages(arena) as address:
            await visit(arena, address)

    at_the_arena(database_url, served, clock=clock)


def host_of(arena: Arena, address: str) -> Browser:
    return Browser(address, {"arena-token": arena.tokens["anna"]})


async def opened(host: Browser, **form: str) -> str:
    """Opens a room for a short match and sits down as Ada; its path."""
    wanted = {"game": "minus_one", "player": "Ada", "seats": "4", "empty": "level:easy", "option.rounds": "6"}
    answer = await host.post("/rooms", **{name: value for name, value in (wanted | form).items() if value})
    assert answer.status == 303, answer.text
    return answer.headers["location"]


def field_of(page: str, name: str) -> str:
    """The first value of a field or a button."""
    found = re.search(rf'name="{name}" value="([^"]*)"', page)
    assert found is not None, page
    return found[1]


def now(page: str) -> str:
    found = re.search(r'data-now="(\d+)"', page)
    assert found is not None
    return found[1]


async def play(browser: Browser, path: str) -> tuple[str, int]:
    """Chooses the first of what is offered until there is a result; the page with it, and how often it chose."""
    page, chosen = (await browser.get(path)).text, 0
    while 'id="result"' not in page:
        if 'class="choices"' in page:
            form = {name: field_of(page, name) for name in ("match", "turn", "action")}
            page, chosen = (await browser.send(f"{path}/play", **form)).text, chosen + 1
        else:
            page = (await browser.get(f"{path}/state?after={now(page)}")).text
    return page, chosen


@pytest.mark.rule("MO-19")
def test_a_person_and_a_guest_play_a_match_with_company_by_forms_alone_and_read_its_record(database_url: str) -> None:
    async def visit(arena: Arena, address: str) -> None:
        host, guest, stranger = host_of(arena, address), Browser(address), Browser(address)
        offered = (await host.get("/rooms/new?game=minus_one")).text
        assert 'value="level:hard"' in offered
        assert "Rounds in a match" in offered
        seats = offered[offered.index('<select id="seats"') :].partition("</select>")[0]
        assert re.findall(r'value="(\d)"', seats) == ["3", "4", "5", "6", "7"]
        path = await opened(host)
        assert path in (await host.get("/rooms")).text
        lobby = (await host.get(path)).text
        link = re.search(r"<code>(http[^<]*)</code>", lobby)
        assert link is not None
        invited = urlsplit(link[1].replace("&amp;", "&"))
        page = (await guest.get(f"{invited.path}?{invited.query}")).text
        joined = await guest.send(f"{path}/join", invite=field_of(page, "invite"), player="Bob")
        assert "Leave the room" in joined.text
        assert "Start the match" not in joined.text
        await host.send(f"{path}/start")
        (first, chosen), (second, also) = await asyncio.gather(play(host, path), play(guest, path))
        assert (chosen, also) == (12, 12)
        for page in (first, second):
            for name in ("Ada", "Bob", "sniper-easy", "steady-easy"):
                assert name in page
        assert "Play another match" in first
        steps = (await guest.get(f"{path}/record?step=1&seat=1")).text
        assert "has chosen" in steps
        assert verify((await guest.get(f"{path}/record.jsonl")).text).header["players"][:2] == ["Ada", "Bob"]
        for answer in (await stranger.get(path), await stranger.get(f"{path}/record")):
            assert answer.status == 403
            assert "no invite to the room" in answer.text
        await guest.post(f"{path}/leave")
        left = (await host.get(path)).text
        result = left[left.index('id="result"') :].partition("</table>")[0]
        assert ">1 Bob<" in result
        houses = re.findall(r">\d ([\w-]+) <[^>]*>bot of the house", result)
        assert sorted(houses) == ["sniper-easy", "steady-easy"]

    at_the_pages(database_url, visit)


@pytest.mark.parametrize("game", ["callbreak", "minus", "contract_whist"])
def test_every_game_is_played_by_forms(game: str, database_url: str) -> None:
    async def visit(arena: Arena, address: str) -> None:
        host = host_of(arena, address)
        offered = (await host.get(f"/rooms/new?game={game}")).text
        form = dict(re.findall(r'<input id="(option\.\w+)" name="[^"]*" value="([^"]*)"', offered))
        answer = await host.post("/rooms", game=game, player="Ada", seats="4", empty="bold steady", **form)
        assert answer.status == 303, answer.text
        path = answer.headers["location"]
        page = (await host.send(f"{path}/start")).text
        # A few turns; how a match ends is no matter of its game.
        for _ in range(6):
            while 'class="choices"' not in page:
                page = (await host.get(f"{path}/state?after={now(page)}")).text
            page = (await host.send(f"{path}/play", **{n: field_of(page, n) for n in ("match", "turn", "action")})).text
        assert "bold" in page
        left = await host.send(f"{path}/leave")
        assert "people sit down" in left.text or "a match is" in left.text

    at_the_pages(database_url, visit)


async def until(browser: Browser, path: str, sentence: str) -> str:
    """Chooses the first of what is offered until the page has the sentence; that page."""
    page = (await browser.get(path)).text
    while sentence not in page:
        assert 'id="result"' not in page, page
        if 'class="choices"' in page:
            form = {name: field_of(page, name) for name in ("match", "turn", "action")}
            page = (await browser.send(f"{path}/play", **form)).text
        else:
            page = (await browser.get(f"{path}/state?after={now(page)}")).text
    return page


def test_how_a_deal_ended_is_still_seen_when_the_next_one_has_begun(database_url: str) -> None:
    async def visit(arena: Arena, address: str) -> None:
        host = host_of(arena, address)
        path = await opened(host, game="minus", empty="bold steady", **{"option.deals": "2", "option.rounds": ""})
        await host.send(f"{path}/start")
        page = await until(host, path, "Its last trick")
        (room,) = (await arena.ask("ListRooms", pb.ListRoomsRequest())).rooms
        table = (await arena.get(room, host.cookies["arena-seat"], "web")).table
        (line,) = table.sheet
        first = line.decisions - table.decisions + len(table.moves)
        cards = [(one.seat, one.action) for one in table.moves[first - 4 : first]]
        shown = page[page.index("Its last trick") :].partition("</p>")[0]
        said = shown.split('class="held"')[1:]
        assert re.findall(r'aria-label="([^",]*)', shown) == [card(CARDS.index(text)).name for _, text in sorted(cards)]
        assert [seat for seat, text in enumerate(said) if ">L<" in text] == [cards[0][0]]
        assert sum("<strong>won" in text for text in said) == 1
        assert "Score sheet: deal 1" in page
        assert "bot of the house" in page
        await host.post(f"{path}/leave")

    at_the_pages(database_url, visit)


def test_what_everybody_kept_last_is_still_seen_when_a_new_deck_has_begun(database_url: str) -> None:
    async def visit(arena: Arena, address: str) -> None:
        host = host_of(arena, address)
        path = await opened(host, **{"option.rounds": "18"})
        await host.send(f"{path}/start")
        page = await until(host, path, "The last round of the deck before, 6:")
        assert "bot of the house, sniper, easy" in page
        (room,) = (await arena.ask("ListRooms", pb.ListRoomsRequest())).rooms
        moves = list((await arena.get(room, host.cookies["arena-seat"], "web")).table.moves)
        shown = page[page.index("The last round of the deck before") :].partition("</p>")[0]
        kept = [one.action.removeprefix("keep ") for one in moves[44:48]]
        assert re.findall(r'aria-label="(\d), kept', shown) == kept
        assert "Cards left" in page
        await host.post(f"{path}/leave")

    at_the_pages(database_url, visit)


def test_who_waits_sees_what_the_others_do_and_for_how_long_they_have_thought(
    database_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    # Whoever is answered only because the time is over waits longer than the test.
    monkeypatch.setattr("arena.web.pages.play.POLL_S", 600.0)

    async def visit(arena: Arena, address: str) -> None:
        host, guest, third = host_of(arena, address), Browser(address), Browser(address)
        path = await opened(host, game="callbreak", empty="bold", **{"option.first_dealer": "3", "option.rounds": ""})
        (room,) = (await arena.ask("ListRooms", pb.ListRoomsRequest())).rooms
        await guest.send(f"{path}/join", invite=room.invite, player="Bob")
        await third.send(f"{path}/join", invite=room.invite, player="Cleo")
        await host.send(f"{path}/start")
        page = (await host.get(path)).text
        form = {name: field_of(page, name) for name in ("match", "turn", "action")}
        page = (await host.send(f"{path}/play", **form)).text
        while "Bob is to act." not in page:
            page = (await host.get(f"{path}/state?after={now(page)}")).text
        assert re.search(r'id="waited" data-ms="\d+"', page)
        assert "Since then" not in page
        waiting = asyncio.create_task(host.get(f"{path}/state?after={now(page)}"))
        theirs = (await guest.get(path)).text
        form = {name: field_of(theirs, name) for name in ("match", "turn", "action")}
        await guest.post(f"{path}/play", **form)
        # No turn of theirs came: it is Cleo's.
        page = (await waiting).text
        assert "Cleo is to act." in page
        assert re.search(r"Since then: <[^>]*>1 Bob\s+<strong>call 1</strong>", page)
        for browser in (host, guest, third):
            await browser.post(f"{path}/leave")

    at_the_pages(database_url, visit)


def test_who_closed_the_tab_comes_back_by_the_same_link_and_other_doors_say_why_they_are_shut(
    database_url: str,
) -> None:
    async def visit(arena: Arena, address: str) -> None:
        host, guest, late = host_of(arena, address), Browser(address), Browser(address)
        path = await opened(host, seats="3", empty="bold")
        (room,) = (await arena.ask("ListRooms", pb.ListRoomsRequest())).rooms
        link = f"{path}?invite={room.invite}"
        await guest.send(f"{path}/join", invite=room.invite, player="Bob")
        await host.send(f"{path}/start")
        asked = (await guest.get(link)).text
        while 'class="choices"' not in asked:
            asked = (await guest.get(f"{path}/state?after={now(asked)}")).text
        back = (await guest.get(link)).text
        assert field_of(back, "turn") == field_of(asked, "turn")
        assert "A match is being played; sit down when it is over." in (await late.get(link)).text
        await asyncio.gather(play(host, path), play(guest, path))
        await late.send(f"{path}/join", invite=room.invite, player="Cleo")
        # The seat is hers, and the result that of the bot which sat there.
        theirs = (await late.get(path)).text
        assert (theirs.count(">you<"), "Step through the match" in theirs) == (1, False)
        shut = (await Browser(address).get(link)).text
        assert "All 3 seats are taken" in shut
        assert "Sit down" not in shut
        full = await Browser(address).post(f"{path}/join", invite=room.invite, player="Dora")
        assert (full.status, "all 3 seats are taken; ask anna" in full.text.lower()) == (409, True)
        wrong = await Browser(address).get(f"{path}?invite=wrong")
        assert (wrong.status, "no invite to the room" in wrong.text) == (403, True)
        waiting = asyncio.create_task(guest.get(f"{path}/state?after={now((await guest.get(path)).text)}"))
        await host.send(f"{path}/close")
        gone = await waiting
        assert (gone.status, "a room is gone when its host closes it" in gone.text) == (404, True)

    at_the_pages(database_url, visit)


def test_the_ticket_of_a_seat_is_kept_where_no_script_reads_it_and_stands_in_no_page(database_url: str) -> None:
    async def visit(arena: Arena, address: str) -> None:
        host = host_of(arena, address)
        answer = await host.post("/rooms", game="minus_one", player="Ada", seats="3", empty="level:easy")
        cookie = answer.headers["set-cookie"]
        path = answer.headers["location"]
        for said in ("HttpOnly", "SameSite=lax", f"Path={path}"):
            assert said in cookie
        ticket = host.cookies["arena-seat"]
        assert ticket.startswith("seat.")
        for page in (await host.get(path), await host.send(f"{path}/start"), await host.get(f"{path}/state?after=0")):
            assert page.status == 200
            assert ticket not in page.text

    at_the_pages(database_url, visit)


def test_a_page_hears_of_who_comes_and_of_the_start_without_asking_again_and_again(database_url: str) -> None:
    async def visit(arena: Arena, address: str) -> None:
        host, guest = host_of(arena, address), Browser(address)
        path = await opened(host)
        waiting = asyncio.create_task(host.get(f"{path}/state?after={now((await host.get(path)).text)}"))
        (room,) = (await arena.ask("ListRooms", pb.ListRoomsRequest())).rooms
        page = (await guest.send(f"{path}/join", invite=room.invite, player="Bob")).text
        heard = (await waiting).text
        assert "Bob" in heard
        assert "away" not in heard
        waiting = asyncio.create_task(guest.get(f"{path}/state?after={now(page)}"))
        assert "Bob" not in (await host.send(f"{path}/leave", seat="1")).text
        assert (await waiting).status == 403
        page = (await guest.send(f"{path}/join", invite=room.invite, player="Bob")).text
        waiting = asyncio.create_task(guest.get(f"{path}/state?after={now(page)}"))
        await host.post(f"{path}/start")
        assert "Leave the table" in (await waiting).text
        for browser in (host, guest):
            await browser.post(f"{path}/leave")

    at_the_pages(database_url, visit)


def test_a_turn_is_answered_once_and_with_what_is_legal(database_url: str) -> None:
    async def visit(arena: Arena, address: str) -> None:
        host = host_of(arena, address)
        path = await opened(host)
        page = (await host.send(f"{path}/start")).text
        while 'class="choices"' not in page:
            page = (await host.get(f"{path}/state?after={now(page)}")).text
        form = {name: field_of(page, name) for name in ("match", "turn", "action")}
        assert (await host.post(f"{path}/play", **{**form, "action": "999"})).status == 409
        assert (await host.post(f"{path}/play", **{**form, "action": "x"})).status == 400
        assert (await Browser(address).post(f"{path}/play", **form)).status == 409
        assert (await host.post(f"{path}/play", **form)).status == 303
        again = await host.post(f"{path}/play", **form)
        assert (again.status, "this turn is over" in again.text.lower()) == (409, True)
        await host.post(f"{path}/leave")

    at_the_pages(database_url, visit)


@pytest.mark.rule("MO-17", "MO-B7")
def test_who_says_nothing_is_played_by_the_house_and_sees_the_result(database_url: str) -> None:
    async def visit(arena: Arena, address: str) -> None:
        host = host_of(arena, address)
        path = await opened(host)
        page = (await host.send(f"{path}/start")).text
        told: set[str] = set()
        while 'id="result"' not in page:
            page = (await host.get(f"{path}/state?after={now(page)}")).text
            told.update(re.findall(r'role="alert">([^<]*)<', page))
        assert re.search(r'0 Ada <[^>]*>you</span></th><td class="figure">\d+</td><td class="figure">3</td>', page)
        # What was chosen is said as soon as it is, however soon the next turn comes.
        for chosen in ("show 1 2", "keep 1"):
            assert f"Your time was up, and the house chose {chosen} for you." in told

    # So long that on a busy host, too, the page is asked for within every turn.
    at_the_pages(database_url, visit, clock="move=500ms")


def test_pages_that_start_again_find_the_seat_by_its_cookie_and_a_seat_that_nobody_looks_at_is_left(
    database_url: str,
) -> None:
    async def visit(arena: Arena) -> None:
        async def connected() -> bool:
            room: pb.Room = (await arena.ask("ListRooms", pb.ListRoomsRequest())).rooms[0]
            return room.seats[0].connected

        async with pages(arena) as address:
            host = host_of(arena, address)
            path = await opened(host)
            await host.send(f"{path}/start")
            assert await connected()
        async with pages(arena, kept_s=1.0) as address:
            host.address = address
            page = (await host.get(path)).text
            while 'class="choices"' not in page:
                page = (await host.get(f"{path}/state?after={now(page)}")).text
            assert await connected()
            while await connected():
                pass
            await host.post(f"{path}/leave")

    at_the_arena(database_url, visit)


def test_who_may_not_open_a_room_is_told_what_it_takes_and_a_room_that_cannot_be_asks_again(database_url: str) -> None:
    async def visit(arena: Arena, address: str) -> None:
        visitor, host = Browser(address), host_of(arena, address)
        assert "Have you been invited?" in (await visitor.get("/rooms")).text
        assert (await visitor.get("/rooms/new?game=minus_one")).status == 401
        refused = await host.post("/rooms", game="minus_one", player="Ada", seats="9", empty="")
        assert refused.status == 400
        assert "Not opened: Minus One cannot have 9 seats" in refused.text
        for seats in (1 << 32, 1 << 70, "x", ""):
            assert (await host.post("/rooms", game="minus_one", player="Ada", seats=str(seats))).status == 400
        assert (await host.post("/rooms", player="Ada", seats="4")).status == 404
        assert (await host.get("/rooms/new?game=chess")).status == 404
        gone = await host.get("/rooms/0000000000")
        assert gone.status == 404
        assert "with a restart of its server" in gone.text
        path = await opened(host)
        assert (await host.post(f"{path}/leave", seat=str(1 << 32))).status == 400
        closed = await host.send(f"{path}/close")
        assert "None is open" in closed.text
        assert (await host.get(path)).status == 404

    at_the_pages(database_url, visit)
