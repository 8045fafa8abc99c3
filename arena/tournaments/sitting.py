"""One sitting of a block on a hub: its matches at once, and what is reported of them. Knows no cell and no database.

The process of a block and the referee of remote bots share :func:`play_sitting`; they differ in who starts the hosted
bots and where their streams come from.
"""

import asyncio
import time
from collections import Counter, deque
from collections.abc import Awaitable, Callable, Sequence

import engine
from arena.referee.hub import Hub
from arena.referee.match import Verdict
from arena.referee.plan import MatchPlan, PlayerId
from arena.referee.player import Counters
from arena.referee.presets import write_clock
from arena.tournaments.block import (
    Beginning,
    Block,
    MatchReport,
    Player,
    PlayerKind,
    PlayerReport,
    Progress,
    Report,
    ReportedFault,
    UnitKind,
    UnitPlan,
)
from arena.tournaments.lines import BlockError
from arena.tournaments.runs import think_times
from arena.tournaments.versions import Version, members, of_player
from engine.game import Game

PROGRESS_S = 1.0

NEVER_CAME = "The bot did not connect within its start-up limit."

Tell = Callable[[Report], Awaitable[None]]


def check_block(block: Block) -> Game:
    """The game of the block.

    :raises BlockError: if this engine cannot play it.
    """
    if block.engine != engine.VERSION:
        raise BlockError(f"The block is for rules of version {block.engine}, and these are {engine.VERSION}.")
    try:
        return engine.load_with(block.game, block.seats, block.options)
    except ValueError as error:
        raise BlockError(str(error)) from None


async def play_sitting(
    hub: Hub,
    block: Block,
    sitting: range,
    players: Sequence[PlayerId],
    *,
    so_far: Progress,
    tell: Tell,
    dealing: Callable[[], None] = lambda: None,
) -> Progress:
    """Plays these rotations of every unit of the block, all at the same time; tells every result, the progress and what
    may be seen, and comes back with the progress at its end. ``so_far`` is that of the sittings before.

    ``players`` are ids by player index; the hosted ones are the block's own and must have connected within the start-up
    limit, or they are gone. A remote bot has its clock for coming back. ``dealing`` is called before the first card.

    What ends one match ends all, but in a field: there the other tables play on, for what they come to counts.

    :raises ExceptionGroup: with what ended matches before they had a result.
    """
    game = check_block(block)
    watched = _Watched(block, game)
    shown = _Shown(hub, block, sitting)
    missing = await hub.arrival(players, block.arrival_ms)
    for player, plan in zip(players, block.players, strict=True):
        if player in missing and plan.kind is PlayerKind.HOSTED:
            hub.gone(player, NEVER_CAME)
    dealing()
    match_ids = [block.match_id(position, rotation) for position in range(len(block.units)) for rotation in sitting]
    finished: list[int] = []
    void: list[Exception] = []

    def now() -> Progress:
        decisions = sum(finished) + hub.decisions_in(match_ids)
        return Progress(so_far.matches + len(finished), so_far.decisions + decisions)

    async def progress() -> None:
        while True:
            await asyncio.sleep(PROGRESS_S)
            await tell(now())
            if (news := shown.news()) is not None:
                await tell(news)

    async def one(position: int, unit: UnitPlan, rotation: int) -> None:
        versions = [_version(hub, plan, player) for plan, player in zip(block.players, players, strict=True)]
        begun_ms = watched.now_ms()
        try:
            verdict = await hub.play(_plan(block, game, position, rotation, players=players, versions=versions))
        except Exception as error:
            if block.kind is not UnitKind.FIELD:
                raise
            void.append(error)
            return
        finished.append(verdict.decisions)
        watched.add(unit.seats(rotation), verdict)
        shown.ended(position, verdict.record)
        await tell(_report(unit, rotation, verdict, begun_ms, watched.now_ms()))

    telling = asyncio.create_task(progress())
    try:
        async with asyncio.TaskGroup() as group:
            for position, unit in enumerate(block.units):
                for rotation in sitting:
                    group.create_task(one(position, unit, rotation))
    finally:
        telling.cancel()
        await asyncio.gather(telling, return_exceptions=True)
    for index, (player, plan) in enumerate(zip(players, block.players, strict=True)):
        if plan.kind is PlayerKind.HOSTED:
            await tell(watched.report(index, hub.counters(player)))
    await tell(now())
    if void:
        raise ExceptionGroup("tables of the field came to no result", void)
    return now()


def _plan(
    block: Block, game: Game, position: int, rotation: int, *, players: Sequence[PlayerId], versions: Sequence[Version]
) -> MatchPlan:
    unit = block.units[position]
    seats = unit.seats(rotation)
    return MatchPlan(
        match_id=block.match_id(position, rotation),
        game=game,
        options=block.options,
        seed=unit.seed,
        players=tuple(players[index] for index in seats),
        names=tuple(block.players[index].bot for index in seats),
        limits=(block.limits.clock,) * len(seats),
        bot_seeds=unit.bot_seeds[rotation],
        header={
            "clock": write_clock(block.limits.clock, game),
            "commitment": block.commitment.hex(),
            **members(versions[index] for index in seats),
            "tournament": block.tournament,
            "unit": unit.unit,
            "rotation": rotation,
        },
    )


def _version(hub: Hub, player: Player, player_id: PlayerId) -> Version:
    """A hosted bot's version is frozen; a remote bot's is what it says of itself when the match begins, and nothing
    while it is away."""
    if player.kind is PlayerKind.HOSTED:
        return of_player(player)
    said = hub.hello(player_id)
    return Version(said.version if said is not None else "")


class _Watched:
    """What is seen of the players of one sitting from now on."""

    def __init__(self, block: Block, game: Game) -> None:
        self._begun_us = time.monotonic_ns() // 1000
        self._phases = [phase.name for phase in game.phases]
        self._move_us = [block.limits.clock.move_us(phase) for phase in range(len(game.phases))]
        self._times_us: list[list[list[int]]] = [[[] for _ in game.phases] for _ in block.players]
        self._faults: list[Counter[str]] = [Counter() for _ in block.players]

    def now_ms(self) -> int:
        return (time.monotonic_ns() // 1000 - self._begun_us) // 1000

    def add(self, seats: Sequence[int], verdict: Verdict) -> None:
        """One more match, with the players of its seats."""
        for player, phases in zip(seats, verdict.times_us, strict=True):
            for times_us, more in zip(self._times_us[player], phases, strict=True):
                times_us.extend(more)
        for fault in verdict.faults:
            self._faults[seats[fault.seat]][str(fault.kind)] += 1

    def report(self, player: int, sent: Counters) -> PlayerReport:
        def since_ms(moment_us: int) -> int | None:
            return None if moment_us < 0 else (moment_us - self._begun_us) // 1000

        return PlayerReport(
            player,
            since_ms(sent.hello_us),
            since_ms(sent.answer_us),
            dict(sorted(self._faults[player].items())),
            think_times(self._times_us[player], self._phases, self._move_us),
        )


class _Shown:
    """What may be seen of one sitting while it is played: one match at a time, of those that are not over that of the
    first unit."""

    def __init__(self, hub: Hub, block: Block, sitting: range) -> None:
        self._hub = hub
        self._block = block
        self._rotation = sitting.start
        # Positions of the units that are not seen to their end yet; the match of the first one is being looked at.
        self._waiting = deque(range(len(block.units)) if block.closes(sitting.start) else ())
        self._lines = 0
        self._record = ""

    def ended(self, position: int, record: str) -> None:
        """The match of a unit is over."""
        if self._waiting and position == self._waiting[0]:
            self._record = record
        elif position in self._waiting:
            self._waiting.remove(position)

    def news(self) -> Beginning | None:
        """What was closed since this was asked last; None if nothing was."""
        if not self._waiting:
            return None
        position = self._waiting[0]
        if self._record:
            self._waiting.popleft()
            # Everything but the result, which is told with the block's.
            text = self._record[: self._record.rindex("\n", 0, -1) + 1]
            self._lines, self._record = 0, ""
        else:
            recorder = self._hub.recorder(self._block.match_id(position, self._rotation))
            if recorder is None or recorder.closed == self._lines:
                return None
            self._lines, text = recorder.closed, recorder.beginning()
        unit = self._block.units[position]
        return Beginning(unit.unit, self._rotation, unit.seats(self._rotation), text)


def _report(unit: UnitPlan, rotation: int, verdict: Verdict, begun_ms: int, ended_ms: int) -> MatchReport:
    return MatchReport(
        unit=unit.unit,
        rotation=rotation,
        seats=unit.seats(rotation),
        scores=verdict.scores,
        places=verdict.places,
        forfeited=verdict.forfeited,
        faults=tuple(ReportedFault(fault.seat, fault.turn, str(fault.kind), fault.reason) for fault in verdict.faults),
        decisions=verdict.decisions,
        digest=verdict.digest,
        record=verdict.record,
        begun_ms=begun_ms,
        ended_ms=ended_ms,
    )
