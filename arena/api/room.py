"""RoomService: people make rooms, sit down and play, with each other and with bots of the house. Knows no rating and no
ledger: what is played here is written nowhere."""

import asyncio
import logging
import secrets
import time
from contextlib import ExitStack

import grpc

import engine
from arena.api import drain
from arena.api.access import Context, Database
from arena.api.catalogue import load_game
from arena.api.clock import clock_of
from arena.api.drain import MATCH, Drain
from arena.api.guests import TICKET, Guest, Played, Register, Room, sat_in, saw
from arena.api.match import ROOM_IDS, match_ids
from arena.api.quota import Quota
from arena.api.seen import Seen
from arena.api.status import refuses
from arena.errors import BadRequest, NotAllowed, Unavailable, WrongState
from arena.referee.hub import Hub
from arena.referee.inhouse import InHouse
from arena.referee.meter import Meter
from arena.referee.plan import Abandoned, MatchPlan, PlayerId
from arena.referee.presets import write_clock
from arena.referee.service import Authenticate, MeterOf, Refusal
from arena.referee.stream import Hello
from arena.scopes import PLAY, READ
from arena.tournaments.unsubmitted import of_house
from arena.tournaments.versions import Version, members
from arena.v1 import match_pb2
from arena.v1 import room_pb2 as pb
from arena.v1.room_pb2_grpc import RoomServiceServicer
from bots import house

log = logging.getLogger("arena.serve")

LOOK_S = 60.0
"""How often it is looked for rooms that nobody uses."""

MOST_DECISIONS = 20_000
"""No match in a room is longer: when its people are gone, the house plays it to its end."""

ENDED = "The ticket of this seat has ended: it was left, or its room is gone. Open or join a room again."


class Rooms(RoomServiceServicer):
    """The rooms of one referee, and the matches in them."""

    def __init__(
        self,
        database: Database,
        hub: Hub,
        quota: Quota,
        drain: Drain,
        *,
        register: Register | None = None,
        clock: str = "",
    ) -> None:
        """``clock`` is what people get, the times of the rules if it is empty."""
        self._database = database
        self._hub = hub
        self._quota = quota
        self._drain = drain
        self._register = register or Register(time.monotonic)
        self._clock = clock
        self._ids = match_ids(ROOM_IDS)
        self._matches: set[asyncio.Task[None]] = set()

    def seated(self, otherwise: Authenticate) -> Authenticate:
        """Lets people in with the tickets of their seats, everyone else as before."""

        async def authenticate(token: str, hello: Hello) -> PlayerId | Refusal:
            if not token.startswith(TICKET):
                return await otherwise(token, hello)
            found = self._register.holder(token)
            if found is None:
                return Refusal(grpc.StatusCode.UNAUTHENTICATED, ENDED)
            _, guest = found
            if self._drain.begun and not self._hub.plays(guest.player):
                return Refusal(grpc.StatusCode.UNAVAILABLE, drain.SENTENCE)
            return guest.player

        return authenticate

    def metered(self, otherwise: MeterOf) -> MeterOf:
        """Counts the bytes of people for the hosts of their rooms, everyone else's as before."""

        def meter_of(player: PlayerId) -> Meter | None:
            host = self._register.host_of(player)
            return otherwise(player) if host is None else self._quota.meter_of(host)

        return meter_of

    async def attend(self) -> None:
        """Closes rooms that nobody uses, until it is cancelled."""
        while True:
            await asyncio.sleep(LOOK_S)
            self.close_unused()

    def close_unused(self) -> None:
        """Closes rooms that nobody has used for long."""
        for room in self._register.unused(self._connected):
            self._close(room)

    @refuses
    async def CreateRoom(self, request: pb.CreateRoomRequest, context: Context) -> pb.Room:
        user = await self._database.caller(context, PLAY)
        game = load_game(request.game, request.seats, dict(request.options))
        if game.bound > MOST_DECISIONS:
            raise BadRequest(
                f"such a match may have {game.bound:,} decisions, and one in a room at most {MOST_DECISIONS:,}; choose "
                f"fewer deals"
            )
        if self._drain.begun:
            raise Unavailable(drain.SENTENCE)
        with ExitStack() as held:
            held.enter_context(self._quota.room(user.name))
            room = self._register.open(user.name, game, tuple(request.bots), request.level)
            room.held = held.pop_all()
        return self._shown(room)

    @refuses
    async def ListRooms(self, request: pb.ListRoomsRequest, context: Context) -> pb.ListRoomsResponse:
        user = await self._database.caller(context, PLAY)
        return pb.ListRoomsResponse(rooms=[self._shown(room) for room in self._register.of(user.name)])

    @refuses
    async def GetRoom(self, request: pb.GetRoomRequest, context: Context) -> pb.Room:
        user = await self._database.caller(context, READ, PLAY)
        room = self._register.enter(request.room, user.name, request.key)
        shown = self._shown(room)
        if (seat := self._register.seat_of(room, request.key)) is not None:
            shown.seat = seat
        if (seen := saw(room, request.key)) is not None:
            shown.table.CopyFrom(self._table(room, seen))
        return shown

    @refuses
    async def JoinRoom(self, request: pb.JoinRoomRequest, context: Context) -> pb.JoinRoomResponse:
        user = await self._database.caller(context, READ, PLAY)
        room = self._register.enter(request.room, user.name, request.invite)
        seat, ticket, guest = self._register.sit(room, request.player)
        self._hub.expect(guest.player)
        return pb.JoinRoomResponse(seat=seat, ticket=ticket)

    @refuses
    async def LeaveRoom(self, request: pb.LeaveRoomRequest, context: Context) -> pb.Room:
        user = await self._database.caller(context, READ, PLAY)
        room = self._register.enter(request.room, user.name, request.ticket)
        if request.HasField("seat"):
            if user.name != room.host:
                raise NotAllowed(f"only {room.host}, whose room this is, empties the seats of others")
            seat = request.seat
        else:
            mine = self._register.seat_of(room, request.ticket)
            if mine is None:
                raise NotAllowed("this is no ticket of a seat in this room; it was left, or belongs to another room")
            seat = mine
        guest = self._register.leave(room, seat)
        if guest is None:
            raise BadRequest(f"nobody sits in seat {seat}")
        if room.playing:
            # Everybody here plays: nobody sits down during a match.
            self._hub.gone(guest.player, f"{guest.name} has left the room.")
        else:
            self._hub.forget(guest.player)
        return self._shown(room)

    @refuses
    async def StartRoom(self, request: pb.StartRoomRequest, context: Context) -> pb.Room:
        user = await self._database.caller(context, PLAY)
        room = self._register.enter(request.room, user.name, "")
        if room.playing:
            raise WrongState("a match is being played here; start the next one when it is over")
        names = room.seated()
        with ExitStack() as table:
            table.enter_context(self._drain.open(MATCH))
            table.enter_context(self._quota.match(user.name))
            playing = asyncio.create_task(
                self._play(table.pop_all(), room, names, dict(room.people())), name=f"room {room.id}"
            )
        self._matches.add(playing)
        playing.add_done_callback(self._matches.discard)
        room.names, room.playing, room.matches, room.given_up = names, True, room.matches + 1, ""
        room.seen = None
        return self._shown(room)

    @refuses
    async def DeleteRoom(self, request: pb.DeleteRoomRequest, context: Context) -> pb.DeleteRoomResponse:
        user = await self._database.caller(context, PLAY)
        room = self._register.enter(request.room, user.name, "")
        if room.playing:
            raise WrongState("a match is being played here; close the room when it is over")
        self._close(room)
        return pb.DeleteRoomResponse()

    @refuses
    async def GetRoomRecord(self, request: pb.GetRoomRecordRequest, context: Context) -> match_pb2.Record:
        user = await self._database.caller(context, READ, PLAY)
        room = self._register.enter(request.room, user.name, request.ticket)
        if room.last is None:
            raise WrongState("no match is over here; its record can be read when it is")
        if not sat_in(room.last, request.ticket):
            raise NotAllowed(
                "the record of a match in a room is for those who sat in it, and this is no ticket of theirs"
            )
        return match_pb2.Record(text=room.last.verdict.record)

    async def _play(self, table: ExitStack, room: Room, names: tuple[str, ...], people: dict[int, Guest]) -> None:
        """Plays a match, and keeps how it ended for those who sat in it. Bots of the house get up when the table is
        closed."""
        tickets = frozenset(room.guests)
        try:
            with table:
                plan = await self._plan(table, room.game, names, people)
                room.match_id, room.seen = plan.match_id, Seen(plan.game, plan.seed, tickets)
                verdict = await self._hub.play(plan)
            room.seen.read(verdict.record.splitlines()[room.seen.lines :])
            room.last = Played(names, tickets, verdict)
        except Abandoned as error:
            room.last, room.seen, room.given_up = None, None, f"The match was given up: {error}"
        except Exception:
            log.exception("the match in room %s failed", room.id)
            room.last, room.seen = None, None
            room.given_up = "The match was given up: the server failed at it, and its log says why."
        finally:
            room.playing = False
            for guest in people.values():
                if guest not in room.guests.values():
                    self._hub.forget(guest.player)

    async def _plan(
        self, table: ExitStack, game: engine.Game, names: tuple[str, ...], people: dict[int, Guest]
    ) -> MatchPlan:
        bots = {seat: name for seat, name in enumerate(names) if seat not in people}
        versions = dict(
            zip(bots, await asyncio.gather(*(asyncio.to_thread(of_house, n) for n in bots.values())), strict=True)
        )
        match_id = next(self._ids)
        players = {seat: guest.player for seat, guest in people.items()}
        for seat, name in bots.items():
            bot = InHouse(self._hub, f"{name}@{match_id}.{seat}", house.choose(name, game.id))
            table.callback(bot.leave)
            players[seat] = bot.hello.bot
        limits = clock_of(self._clock, game, "people")
        seed = secrets.token_bytes(32)
        seats = range(game.seats)
        return MatchPlan(
            match_id=match_id,
            game=game,
            options=engine.write_options(game.options),
            seed=seed,
            players=tuple(players[seat] for seat in seats),
            names=names,
            limits=(limits,) * game.seats,
            bot_seeds=tuple(secrets.token_bytes(32) for _ in seats),
            header={
                "seed": seed,
                "clock": write_clock(limits, game),
                **members(versions.get(seat, Version("")) for seat in seats),
            },
        )

    def _close(self, room: Room) -> None:
        for guest in self._register.close(room):
            self._hub.forget(guest.player)

    def _connected(self, guest: Guest) -> bool:
        return self._hub.hello(guest.player) is not None

    def _table(self, room: Room, seen: Seen) -> pb.RoomTable:
        """What has been seen of the match, up to now."""
        if (recorder := self._hub.recorder(room.match_id)) is not None:
            seen.read(recorder.since(seen.lines))
        return pb.RoomTable(
            decisions=seen.decisions,
            moves=[pb.RoomMove(seat=one.seat, action=one.action, ms=one.ms, fault=one.fault) for one in seen.moves],
            sheet=[pb.RoomScores(decisions=after, scores=scores) for after, scores in seen.sheet],
            faults=seen.faults,
            to_act=seen.to_act,
            waiting_ms=self._hub.waiting_us(room.match_id) // 1000,
        )

    def _shown(self, room: Room) -> pb.Room:
        people = dict(room.people())
        state = "PLAYING" if room.playing else "OVER" if room.matches else "LOBBY"
        shown = pb.Room(
            room=room.id,
            host=room.host,
            game=room.game.id,
            options=engine.write_options(room.game.options),
            bots=room.bots,
            level=room.level,
            state=pb.RoomState.Value(f"ROOM_STATE_{state}"),
            invite=room.invite,
            matches=room.matches,
            given_up=room.given_up,
        )
        for seat in range(room.game.seats):
            if guest := people.get(seat):
                shown.seats.add(player=guest.name, person=True, connected=self._connected(guest))
            else:
                shown.seats.add(player=room.names[seat] if room.playing else "")
        if room.last is not None and not room.playing:
            verdict = room.last.verdict
            faults = [sum(fault.seat == seat for fault in verdict.faults) for seat in range(room.game.seats)]
            shown.result.players.extend(room.last.names)
            shown.result.scores.extend(verdict.scores)
            shown.result.places.extend(verdict.places)
            shown.result.faults.extend(faults)
        return shown
