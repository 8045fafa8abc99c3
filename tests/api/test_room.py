"""RoomService and the seats of its rooms over gRPC: people sit down, play and get up, and nobody else does."""

import asyncio
from typing import Any

import grpc
import psycopg
import pytest

from arena.api.guests import IDLE_S
from arena.api.quota import Quota
from arena.referee.stream import SHUTDOWN
from arena.v1 import account_pb2, play_pb2
from arena.v1 import room_pb2 as pb
from engine.record import verify
from tests.api.parlour import SHORT, Arena, at_the_arena, play_to_the_end, refused
from tests.referee.wire import Wire, lowest


@pytest.mark.rule("MO-16")
def test_mo_19_mo_20_a_person_and_company_play_a_match_that_nothing_is_written_of(database_url: str) -> None:
    def stored() -> list[tuple[str, int]]:
        with psycopg.connect(database_url) as connection:
            names = connection.execute(
                "SELECT tablename FROM pg_tables WHERE schemaname = 'public' ORDER BY 1"
            ).fetchall()
            return [
                (name, connection.execute(f"SELECT count(*) FROM {name}".encode()).fetchall()[0][0])
                for (name,) in names
            ]

    async def visit(arena: Arena) -> None:
        before = stored()
        room = await arena.create(level="medium", seats=5)
        assert (room.state, room.host, room.options["rounds"]) == (pb.ROOM_STATE_LOBBY, "anna", "6")
        mine = await arena.join(room, "Ada Ä")
        assert mine.seat == 0
        async with arena.wire(mine.ticket) as wire:
            assert (await arena.get(room)).seats[0].connected
            playing = await arena.start(room)
            names = ["Ada Ä", "sniper-medium", "steady-medium", "greedy-medium", "sniper-medium"]
            assert [seat.player for seat in playing.seats] == names
            end = await play_to_the_end(wire)
            over = await arena.ended(room)
            starts = [start for frame in wire.frames for start in frame.starts]
            turns = [turn for frame in wire.frames for turn in frame.turns]
        (start,) = starts
        assert list(start.limits.phase_ms) == [30_000, 20_000]
        assert all(turn.seat == 0 for turn in turns)
        assert len(turns) == 12
        assert over.state == pb.ROOM_STATE_OVER
        assert list(over.result.scores) == list(end.scores)
        assert (list(over.result.players), list(over.result.faults)) == (names, [0] * 5)
        record = verify(await arena.record(room, mine.ticket))
        assert list(record.header["players"]) == names
        assert record.header["contents"][0] == ""
        assert all(record.header["contents"][1:])
        assert record.header["clock"].startswith("move=60s,show=30s,keep=20s,")
        assert stored() == before

    at_the_arena(database_url, visit)


def test_mo_19_two_people_and_one_bot_play_and_play_again_in_the_same_room(database_url: str) -> None:
    async def visit(arena: Arena) -> None:
        room = await arena.create(seats=3, bots=["bold"])
        seats = [await arena.join(room, name) for name in ("Ada", "Bob")]
        assert [one.seat for one in seats] == [0, 1]
        async with arena.wire(seats[0].ticket) as ada, arena.wire(seats[1].ticket) as bob:
            for number in (1, 2):
                await arena.start(room)
                ends = await asyncio.gather(play_to_the_end(ada), play_to_the_end(bob))
                assert ends[0] == ends[1]
                over = await arena.ended(room)
                assert (over.matches, list(over.result.players)) == (number, ["Ada", "Bob", "bold"])

    at_the_arena(database_url, visit)


@pytest.mark.parametrize("game", ["callbreak", "minus", "contract_whist"])
def test_a_room_is_for_any_game(game: str, database_url: str) -> None:
    async def visit(arena: Arena) -> None:
        room = await arena.create(game=game, options={}, seats=0, bots=["steady", "random-1"])
        mine = await arena.join(room, "Ada")
        async with arena.wire(mine.ticket) as wire:
            await arena.start(room)
            end = await play_to_the_end(wire)
            over = await arena.ended(room)
        assert list(over.result.places) == list(end.places)
        assert list(over.result.players)[:3] == ["Ada", "steady", "random-1"]
        assert verify(await arena.record(room, mine.ticket)).places == tuple(end.places)

    at_the_arena(database_url, visit)


@pytest.mark.parametrize("seats", range(3, 8))
def test_mo_19_mo_20_company_fills_a_table_of_three_to_seven_around_the_people_its_styles_in_turn(
    seats: int, database_url: str
) -> None:
    async def visit(arena: Arena) -> None:
        room = await arena.create(level="hard", seats=seats)
        guests = [await arena.join(room, name) for name in ("Ada", "Bob", "Cleo")]
        # Who gets up in the middle leaves the first seat that the house fills.
        await arena.leave(room, guests[1].ticket)
        playing = await arena.start(room)
        styles = [f"{style}-hard" for style in ("sniper", "steady", "greedy", "sniper", "steady")]
        assert [seat.player for seat in playing.seats] == ["Ada", styles[0], "Cleo", *styles[1 : seats - 2]]
        assert [seat.person for seat in playing.seats] == [name in {"Ada", "Cleo"} for name in ("Ada", "", "Cleo")] + [
            False
        ] * (seats - 3)
        for guest in (guests[0], guests[2]):
            await arena.leave(room, guest.ticket)
        await arena.ended(room)

    at_the_arena(database_url, visit)


@pytest.mark.rule("MO-05", "MO-B12")
@pytest.mark.parametrize("game", ["minus_one", "callbreak"])
def test_those_who_sit_at_the_table_are_told_what_all_have_seen_and_nobody_else_is(
    game: str, database_url: str
) -> None:
    async def visit(arena: Arena) -> None:
        room = await arena.create(game=game, options={}, bots=["bold"])
        ada, bob = [await arena.join(room, name) for name in ("Ada", "Bob")]
        async with arena.wire(ada.ticket) as first, arena.wire(bob.ticket) as second:
            await arena.start(room)
            told: list[pb.RoomTable] = []

            async def play(wire: Wire, ticket: str) -> None:
                while (frame := await wire.read()) is not None and not frame.ends:
                    if frame.turns:
                        table = (await arena.get(room, ticket, "web")).table
                        # Who is asked is to act; what has been chosen at the same time, and by whom, is told to nobody.
                        assert frame.turns[0].seat in table.to_act
                        assert len(table.to_act) in {1, 4}
                        told.append(table)
                        await wire.answer(frame.turns)

            await asyncio.gather(play(first, ada.ticket), play(second, bob.ticket))
        over = await arena.ended(room)
        record = verify(await arena.record(room, ada.ticket))
        moves = [(one.seat, record.game.write(one.action), one.fault) for one in record.decisions]
        last = (await arena.get(room, bob.ticket, "web")).table
        assert (last.decisions, list(last.to_act), list(last.faults)) == (len(moves), [], [0] * 4)
        assert list(last.sheet[-1].scores) == list(over.result.scores)
        for table in (*told, last):
            newest = [(one.seat, one.action, one.fault) for one in table.moves]
            assert newest == moves[: table.decisions][-200:]
            state = record.start.clone()
            for one in record.decisions[: table.decisions]:
                state.apply(one.seat, one.action)
            assert list(state.to_act()) == list(table.to_act)
            assert not table.sheet or table.sheet[-1].decisions <= table.decisions
        for key in ("", room.invite):
            assert not (await arena.get(room, key, "anna")).HasField("table")
        late = await arena.join(room, "Late")
        assert not (await arena.get(room, late.ticket, "web")).HasField("table")

    at_the_arena(database_url, visit)


@pytest.mark.rule("MO-17", "MO-B7")
def test_the_house_plays_for_a_person_who_never_answers_and_the_match_ends(database_url: str) -> None:
    async def visit(arena: Arena) -> None:
        room = await arena.create(level="easy")
        silent = await arena.join(room, "Silent")
        async with arena.wire(silent.ticket) as wire:
            await arena.start(room)
            late = await wire.turn()
            next_one = await wire.turn()
            assert next_one.turn == late.turn + 1
            # What comes too late counts for nothing.
            await wire.send(play_pb2.PlayRequest(choices=[lowest(late)]))
            while (frame := await wire.read()) is not None and not frame.ends:
                pass
        over = await arena.ended(room)
        assert (over.result.faults[0], over.result.places[0]) == (3, 4)
        record = verify(await arena.record(room, silent.ticket))
        mine = [decision for decision in record.decisions if decision.seat == 0]
        assert len(mine) == 12
        assert {decision.fault for decision in mine} == {"LATE", "FORFEITED"}
        assert [record.game.write(one.action) for one in mine[:4]] == ["show 1 2", "keep 1", "show 3 4", "keep 3"]

    at_the_arena(database_url, visit, clock="move=50ms")


def test_who_leaves_in_a_match_is_played_by_the_house_at_once_and_comes_in_no_more(database_url: str) -> None:
    async def visit(arena: Arena) -> None:
        room = await arena.create(seats=3, bots=["steady"])
        left = await arena.join(room, "Ada")
        async with arena.wire(left.ticket) as wire:
            await arena.start(room)
            await wire.turn()
            await refused(arena.join(room, "Late"), grpc.StatusCode.FAILED_PRECONDITION, "when it is over")
            await arena.leave(room, left.ticket)
            while await wire.read() is not None:
                pass
            assert wire.frames[-1].farewell.reason == play_pb2.FAREWELL_REASON_DONE
        over = await arena.ended(room)
        assert over.result.faults[0] == 3
        assert [seat.player for seat in over.seats] == ["", "", ""]
        with pytest.raises(AssertionError):
            async with arena.wire(left.ticket):
                pass
        assert arena.hub.depth().bots == 0

    at_the_arena(database_url, visit)


def test_a_stream_that_is_lost_comes_back_to_its_open_turn(database_url: str) -> None:
    async def visit(arena: Arena) -> None:
        room = await arena.create(seats=3, bots=["steady"])
        mine = await arena.join(room, "Ada")
        async with arena.wire(mine.ticket) as wire:
            await arena.start(room)
            asked = await wire.turn()
        async with arena.wire(mine.ticket) as wire:
            again = await wire.turn()
            assert (again.match_id, again.turn, again.pairs) == (asked.match_id, asked.turn, asked.pairs)
            await wire.answer([again])
            await play_to_the_end(wire)
        assert list((await arena.ended(room)).result.faults) == [0, 0, 0]

    at_the_arena(database_url, visit)


def test_nobody_comes_in_with_another_room_s_secrets_or_plays_somebody_else_s_seat(database_url: str) -> None:
    async def visit(arena: Arena) -> None:
        room, other = await arena.create(bots=["bold"]), await arena.create(bots=["bold"])
        mine, theirs = await arena.join(room, "Ada"), await arena.join(other, "Bob")
        denied = grpc.StatusCode.PERMISSION_DENIED
        for key in ("", "0" * 22, other.invite, theirs.ticket, arena.tokens["web"]):
            await refused(arena.get(room, key, "web"), denied, "no invite to the room")
            await refused(arena.get(room, key, "bob"), denied, "no invite to the room")
            await refused(arena.record(room, key), denied, "no invite to the room")
        asked = pb.JoinRoomRequest(room=room.room, invite=other.invite, player="Bob")
        await refused(arena.ask("JoinRoom", asked, "web"), denied, "no invite to the room")
        await refused(arena.leave(room, theirs.ticket), denied, "no invite to the room")
        await refused(arena.leave(room, room.invite), denied, "no ticket of a seat")
        await refused(arena.leave(room, mine.ticket, seat=0), denied, "only anna")
        await refused(arena.start(room, "web"), denied, "is for read, and this takes play")
        await refused(arena.start(room, "bob"), denied, "no invite to the room")
        for key, seat in ((room.invite, None), (mine.ticket, 0)):
            seen = await arena.get(room, key, "web")
            assert (seen.room, seen.seat if seen.HasField("seat") else None) == (room.room, seat)

        for token in (mine.ticket[:-1], "seat.", room.invite, arena.tokens["web"]):
            wire = arena.wire(token)
            await wire.dial()
            assert await wire.hello() is None
            code, sentence = await wire.code()
            assert code in {grpc.StatusCode.UNAUTHENTICATED, denied}
            if token.startswith("seat."):
                assert "ticket of this seat has ended" in sentence
            await wire.close()
        # A ticket opens its seat, and no call of the API.
        arena.tokens["ticket"] = mine.ticket
        await refused(
            arena.ask("ListRooms", pb.ListRoomsRequest(), "ticket"),
            grpc.StatusCode.UNAUTHENTICATED,
            "nobody has",
        )

    at_the_arena(database_url, visit)


def test_the_record_is_for_those_who_sat_in_the_match(database_url: str) -> None:
    async def visit(arena: Arena) -> None:
        room = await arena.create(seats=3, bots=["bold"])
        mine = await arena.join(room, "Ada")
        await refused(arena.record(room, mine.ticket), grpc.StatusCode.FAILED_PRECONDITION, "no match is over here")
        async with arena.wire(mine.ticket) as wire:
            await arena.start(room)
            await play_to_the_end(wire)
        await arena.ended(room)
        later = await arena.join(room, "Late")
        for key in (later.ticket, room.invite):
            await refused(arena.record(room, key), grpc.StatusCode.PERMISSION_DENIED, "for those who sat in it")
        assert verify(await arena.record(room, mine.ticket)).header["players"][0] == "Ada"

    at_the_arena(database_url, visit)


@pytest.mark.parametrize(
    ("wanted", "sentence"),
    [
        ({"game": "chess"}, "There is no game 'chess'"),
        ({"seats": 8}, "it takes 3, 4, 5, 6, 7"),
        ({"options": {"rounds": "7"}}, "rounds cannot be '7'"),
        ({"bots": ["nobody"]}, "no bot 'nobody'"),
        (
            {"game": "callbreak", "options": {}, "bots": ["sniper-easy"]},
            "does not play 'callbreak'|does not play callbreak",
        ),
        (
            {"game": "callbreak", "options": {}, "level": "easy"},
            "no company of level 'easy' for callbreak; there is none",
        ),
        ({"level": "godlike"}, "there is easy, medium, hard"),
        ({"level": "easy", "bots": ["bold"]}, "name one of the two"),
        ({"bots": ["bold"] * 17}, "name at most 16"),
        ({"game": "minus", "options": {"deals": "1000"}}, "at most 20,000; choose fewer deals"),
    ],
)
def test_a_room_that_cannot_be_is_refused_and_takes_nothing_of_the_quota(
    wanted: dict[str, Any], sentence: str, database_url: str
) -> None:
    async def visit(arena: Arena) -> None:
        for _ in range(2):
            await refused(arena.create(**wanted), grpc.StatusCode.INVALID_ARGUMENT, sentence)
        await arena.create()

    at_the_arena(database_url, visit, quota=lambda hub: Quota(hub, rooms=1))


@pytest.mark.parametrize(
    ("name", "sentence"),
    [
        ("", "1 to 24 characters"),
        ("x" * 25, "1 to 24 characters"),
        ("a\nb", "can be printed"),
        (" Steady ", "a bot of the house"),
        ("ADA", "called ADA already"),
    ],
)
def test_a_name_that_misleads_is_refused(name: str, sentence: str, database_url: str) -> None:
    async def visit(arena: Arena) -> None:
        room = await arena.create()
        await arena.join(room, "Ada")
        await refused(arena.join(room, name), grpc.StatusCode.INVALID_ARGUMENT, sentence)

    at_the_arena(database_url, visit)


def test_a_match_begins_when_somebody_sits_there_and_every_seat_is_taken(database_url: str) -> None:
    async def visit(arena: Arena) -> None:
        state = grpc.StatusCode.FAILED_PRECONDITION
        room = await arena.create(seats=3)
        await refused(arena.start(room), state, "nobody sits in the room")
        for name in ("Ada", "Bob"):
            await arena.join(room, name)
        await refused(arena.start(room), state, "1 of 3 seats are empty")
        last = await arena.join(room, "Cleo")
        await refused(arena.join(room, "Dora"), state, "all 3 seats are taken")
        await arena.start(room)
        await refused(arena.start(room), state, "is being played here")
        for seat in range(2):
            await arena.leave(room, who="anna", seat=seat)
        await arena.leave(room, last.ticket)
        await arena.ended(room)

    at_the_arena(database_url, visit)


def test_rooms_are_bounded_by_owner_and_by_referee(database_url: str) -> None:
    async def visit(arena: Arena) -> None:
        for _ in range(2):
            await arena.create()
        exhausted = grpc.StatusCode.RESOURCE_EXHAUSTED
        await refused(arena.create(), exhausted, "anna has 2 rooms open, and the limit is 2")
        await arena.ask("CreateRoom", pb.CreateRoomRequest(**SHORT), "bob")
        await refused(arena.ask("CreateRoom", pb.CreateRoomRequest(**SHORT), "bob"), exhausted, "3 rooms are open here")
        mine = await arena.ask("ListRooms", pb.ListRoomsRequest())
        assert len(mine.rooms) == 2
        # An hour later only the one that is used stands.
        used = mine.rooms[0]
        arena.time_s[0] += IDLE_S
        guest = await arena.join(used, "Ada")
        arena.time_s[0] += 1
        arena.rooms.close_unused()
        assert [room.room for room in (await arena.ask("ListRooms", pb.ListRoomsRequest())).rooms] == [used.room]
        await refused(
            arena.get(mine.rooms[1]), grpc.StatusCode.NOT_FOUND, "an hour after its last use, and with a restart of"
        )
        async with arena.wire(guest.ticket):
            arena.time_s[0] += 2 * IDLE_S
            arena.rooms.close_unused()
        while (await arena.get(used)).seats[0].connected:
            pass
        arena.time_s[0] += 2 * IDLE_S
        arena.rooms.close_unused()
        assert not (await arena.ask("ListRooms", pb.ListRoomsRequest())).rooms
        wire = arena.wire(guest.ticket)
        await wire.dial()
        assert await wire.hello() is None
        assert "its room is gone" in (await wire.code())[1]
        await wire.close()
        await arena.create()

    at_the_arena(database_url, visit, most=3, quota=lambda hub: Quota(hub, rooms=2))


def test_the_bytes_of_guests_are_their_host_s(database_url: str) -> None:
    def used(account: account_pb2.Account) -> int:
        return int(account.quotas[-1].used)

    # A choice, and 1 KiB in a field that there is not.
    padded = play_pb2.PlayRequest(choices=[play_pb2.Choice()]).SerializeToString() + b"\x7a\x80\x08" + bytes(1024)

    async def visit(arena: Arena) -> None:
        mine, theirs = await arena.create(), await arena.ask("CreateRoom", pb.CreateRoomRequest(**SHORT), "bob")
        guests = [(await arena.join(room, name)).ticket for room, name in ((mine, "A"), (mine, "B"), (theirs, "C"))]
        async with arena.wire(guests[0]) as one, arena.wire(guests[1]) as two, arena.wire(guests[2]) as other:
            for wire in (one, two, other):
                await wire.send(padded)
            while used(await arena.account("anna")) < 2 * len(padded) or used(await arena.account("bob")) < len(padded):
                pass
            await two.send(padded)
            last = await two.read()
            assert last is not None
            assert last.farewell.message.startswith("The bots and guests of anna send too much: ")
            assert used(await arena.account("anna")) == 2 * len(padded)
        # Who sits no more is nobody's guest.
        await arena.leave(theirs, guests[2])
        assert used(await arena.account("bob")) == len(padded)

    at_the_arena(database_url, visit, quota=lambda hub: Quota(hub, bytes_in_a_row=2 * len(padded), bytes_per_s=0))


def test_a_host_closes_a_room_when_no_match_is_played_and_its_tickets_end(database_url: str) -> None:
    async def visit(arena: Arena) -> None:
        room = await arena.create(bots=["bold"])
        guest = await arena.join(room, "Ada")
        asked = pb.DeleteRoomRequest(room=room.room)
        await refused(arena.ask("DeleteRoom", asked, "bob"), grpc.StatusCode.PERMISSION_DENIED, "no invite to the room")
        async with arena.wire(guest.ticket) as wire:
            await arena.start(room)
            await refused(arena.ask("DeleteRoom", asked), grpc.StatusCode.FAILED_PRECONDITION, "when it is over")
            await play_to_the_end(wire)
            await arena.ended(room)
            await arena.ask("DeleteRoom", asked)
            last = await wire.read()
            assert last is not None
            assert last.farewell.reason == play_pb2.FAREWELL_REASON_DONE
        await refused(arena.get(room, guest.ticket, "web"), grpc.StatusCode.NOT_FOUND, "no room")
        await arena.create()

    at_the_arena(database_url, visit, quota=lambda hub: Quota(hub, rooms=1))


def test_a_match_that_is_given_up_says_so_and_the_room_stands(database_url: str) -> None:
    async def visit(arena: Arena) -> None:
        room = await arena.create(bots=["bold"])
        mine = await arena.join(room, "Ada")
        async with arena.wire(mine.ticket) as wire:
            await arena.start(room)
            await wire.turn()
            arena.drain.ask()
            await refused(arena.create(), grpc.StatusCode.UNAVAILABLE, "shutting down")
            async with arena.wire(mine.ticket) as again:
                await again.turn()
                arena.hub.close(SHUTDOWN)
        over = await arena.ended(room)
        assert over.given_up.startswith("The match was given up: ")
        assert not over.HasField("result")
        await refused(arena.start(room), grpc.StatusCode.UNAVAILABLE, "shutting down")

    at_the_arena(database_url, visit)
