"""The organiser of the soak: unrated matches without end at tables where half of the bots are bad, and tournaments.
Knows no process, and judges nothing but records."""

import asyncio
import random
from collections import Counter
from collections.abc import Sequence

import grpc
import grpc.aio

import engine
from arena.api.match import REMOTE
from arena.v1 import (
    match_pb2,
    match_pb2_grpc,
    submission_pb2,
    submission_pb2_grpc,
    tournament_pb2,
    tournament_pb2_grpc,
)
from engine.record import verify
from tests.soak.served import ORGANISER, Served

TABLES = 16
PAUSE_S = (0.1, 1.0)
MOST_OPEN = 4
"""Matches that a bad bot sits in at the same time."""
TOURNAMENT_PAUSE_S = 5.0
ENABLE_S = 2.0
"""How often disabled bots are enabled again, as by owners who have mended nothing."""
BANK_MS = 10_000
"""In tournaments, whose blocks with a bad bot wait for it one after the other."""
CHANNELS = 4
"""A connection carries at most 16 calls at the same time."""


class Tables:
    """Plays until it is told to stop.

    :ivar outcomes: how the calls of PlayMatch ended: "verdict", "hung up", or a status with its sentence.
    :ivar faults: in records by side and kind, "good LATE", and in results by side, "good, in tournaments".
    :ivar decisions: in records.
    :ivar tournaments: those that are done, with ``tournament_matches`` results.
    """

    def __init__(self, served: Served, good: Sequence[str], bad: Sequence[str], seed: int) -> None:
        self.outcomes: Counter[str] = Counter()
        self.faults: Counter[str] = Counter()
        self.decisions = 0
        self.tournaments = 0
        self.tournament_matches = 0
        self._good = good
        self._bad = bad
        self._seed = seed
        self._open: Counter[str] = Counter()
        self._metadata = (("authorization", f"Bearer {served.tokens[ORGANISER]}"),)
        options = [("grpc.use_local_subchannel_pool", 1)]
        self._channels = [grpc.aio.insecure_channel(served.address, options=options) for _ in range(CHANNELS)]
        self._matches = [match_pb2_grpc.MatchServiceStub(channel) for channel in self._channels]
        self._submission = submission_pb2_grpc.SubmissionServiceStub(self._channels[0])
        self._tournaments = tournament_pb2_grpc.TournamentServiceStub(self._channels[0])
        self._stopping = asyncio.Event()
        self._tasks: list[asyncio.Task[None]] = []

    async def warm_up(self, bots: Sequence[str]) -> None:
        """Lets the server open what it keeps open: threads, connections to its database and its broker. The bots are
        connected, enough for a tournament."""
        asked = match_pb2.PlayMatchRequest(game="callbreak", bots=["steady", "random", "bold", "cautious"])
        stubs = self._matches * 8
        await asyncio.gather(*(stub.PlayMatch(asked, metadata=self._metadata) for stub in stubs))
        await self._play_tournament("warm-up", bots)

    def open(self) -> None:
        """Begins to play."""
        self._tasks = [asyncio.create_task(self._table(number)) for number in range(TABLES)]
        self._tasks += [asyncio.create_task(self._tournament()), asyncio.create_task(self._enable())]

    def check(self) -> None:
        """Raises what a table has failed with."""
        for task in self._tasks:
            if task.done():
                task.result()

    async def stop(self) -> None:
        """No new match; returns when the last one has ended."""
        self._stopping.set()
        await asyncio.gather(*self._tasks)

    async def close(self) -> None:
        """Closes the organiser's connections."""
        for channel in self._channels:
            await channel.close()

    async def _pause(self, seconds: float) -> None:
        try:
            async with asyncio.timeout(seconds):
                await self._stopping.wait()
        except TimeoutError:
            pass

    async def _table(self, number: int) -> None:
        rng = random.Random(f"{self._seed} table {number}")
        while not self._stopping.is_set():
            game = rng.choice(sorted(engine.GAMES))
            seats = rng.choice(engine.GAMES[game].seat_counts)
            free = [bot for bot in self._bad if self._open[bot] < MOST_OPEN]
            bad = rng.sample(free, min(len(free), rng.randint(0, seats // 2 + 1)))
            bots = bad + rng.sample(self._good, seats - len(bad))
            rng.shuffle(bots)
            self._open.update(bots)
            await self._play(self._matches[number % CHANNELS], game, bots, rng)
            self._open.subtract(bots)
            await self._pause(rng.uniform(*PAUSE_S))

    async def _play(
        self, stub: "match_pb2_grpc.MatchServiceAsyncStub", game: str, bots: list[str], rng: random.Random
    ) -> None:
        asked = match_pb2.PlayMatchRequest(
            game=game, bots=[REMOTE + bot for bot in bots], options={"rounds": "6"} if game == "minus_one" else {}
        )
        call = stub.PlayMatch(asked, metadata=self._metadata)
        hangs_up = asyncio.get_running_loop().call_later(rng.uniform(0.5, 5.0), call.cancel)
        if rng.random() < 0.9:
            hangs_up.cancel()
        try:
            record = await call
        except grpc.aio.AioRpcError as error:
            details = error.details() or ""
            for bot in bots:
                details = details.replace(f"'{bot}'", "…")
            self.outcomes[f"{error.code().name}: {details.partition(',')[0].partition(';')[0]}"] += 1
        except asyncio.CancelledError:
            if not call.cancelled():
                raise
            self.outcomes["hung up"] += 1
        else:
            self.outcomes["verdict"] += 1
            self._judge(bots, record.text)
        finally:
            hangs_up.cancel()

    def _judge(self, bots: list[str], record: str) -> None:
        verified = verify(record)
        assert list(verified.header["players"]) == [REMOTE + bot for bot in bots]
        self.decisions += len(verified.decisions)
        for decision in verified.decisions:
            if decision.fault and decision.fault != "FORFEITED":
                self.faults[f"{self._side(bots[decision.seat])} {decision.fault}"] += 1

    def _side(self, bot: str) -> str:
        return "good" if bot in self._good else "bad"

    async def _enable(self) -> None:
        """Bad bots are disabled for what they do, and would soon do nothing."""
        while not self._stopping.is_set():
            for bot in self._bad:
                asked = submission_pb2.EnableBotRequest(bot=bot)
                await self._submission.EnableBot(asked, metadata=self._metadata)
            await self._pause(ENABLE_S)

    async def _tournament(self) -> None:
        """One small tournament after the other, every second one with a bad bot."""
        rng = random.Random(f"{self._seed} tournaments")
        while not self._stopping.is_set():
            bad = rng.sample(self._bad, self.tournaments % 2)
            bots = [*bad, *rng.sample(self._good, 3 - len(bad))]
            for match in await self._play_tournament(f"soak-{self.tournaments}", bots):
                self.tournament_matches += 1
                for bot, faults in zip(match.bots, match.faults, strict=True):
                    if faults:
                        self.faults[f"{self._side(bot)}, in tournaments"] += faults
            self.tournaments += 1
            await self._pause(TOURNAMENT_PAUSE_S)

    async def _play_tournament(self, name: str, bots: Sequence[str]) -> Sequence[match_pb2.Match]:
        """A tournament's matches, once it is done."""
        asked = tournament_pb2.CreateTournamentRequest(
            tournament=name, game="minus_one", seats=len(bots), options={"rounds": "6"}, bots=bots, units=2
        )
        asked.limits.bank_ms = BANK_MS
        await self._tournaments.CreateTournament(asked, metadata=self._metadata)
        started = tournament_pb2.StartTournamentRequest(tournament=name)
        seen = await self._tournaments.StartTournament(started, metadata=self._metadata)
        while seen.state != tournament_pb2.TOURNAMENT_STATE_DONE:
            await asyncio.sleep(1.0)
            wanted = tournament_pb2.GetTournamentRequest(tournament=name)
            seen = await self._tournaments.GetTournament(wanted, metadata=self._metadata)
        listed = match_pb2.ListMatchesRequest(tournament=name, page_size=1000)
        page = await self._matches[0].ListMatches(listed, metadata=self._metadata)
        return page.matches
