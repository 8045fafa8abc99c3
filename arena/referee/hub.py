"""Players and the matches between them: asks, hands answers on and judges what is late, all on one event loop. Knows no
gRPC, no frame and no rules."""

import asyncio
import functools
from collections.abc import Collection, Iterable, Sequence
from typing import Self

from arena.referee.faults import Fault, FaultKind, late_reason
from arena.referee.journal import Journal
from arena.referee.match import Answer, Verdict, match
from arena.referee.plan import Abandoned, MatchPlan, PlayerId
from arena.referee.player import Counters, OpenTurn, Player, Running
from arena.referee.stream import DEAD, DONE, SHUTDOWN, TAKEN_OVER, Farewell, Hello, Stream
from arena.referee.tally import Depth, Tally
from arena.referee.watch import Watch
from engine.record import Recorder


class Hub:
    """All players and matches of one referee. Enter it to let its clocks run; nothing here may be called from another
    thread."""

    def __init__(self) -> None:
        self.decisions = 0
        """Answers taken and faults judged so far."""
        self.finished = 0
        """Matches finished so far."""
        self.tally = Tally()
        self.journal = Journal()
        self._players: dict[PlayerId, Player] = {}
        self._running: dict[int, Running] = {}
        self._watch = Watch(self._expire)

    async def __aenter__(self) -> Self:
        await self._watch.__aenter__()
        return self

    async def __aexit__(self, *_: object) -> None:
        self.close(SHUTDOWN)
        self.journal.close()
        await self._watch.__aexit__()

    @property
    def lag_us(self) -> int:
        """How late the event loop has been, in all."""
        return self._watch.lag_us

    def now_us(self) -> int:
        """The time of the hub's watch in microseconds."""
        return self._watch.now_us()

    # Players

    def expect(self, player_id: PlayerId) -> None:
        """Makes the player known before it connects; it stays known until :meth:`forget`."""
        self._player(player_id).expected = True

    def forget(self, player_id: PlayerId) -> None:
        """Says DONE to the player and forgets it once its matches are over."""
        if (player := self._players.get(player_id)) is not None:
            player.expected = False
            self._end_stream(player, DONE)
            self._drop(player)

    def dismiss(self, player_id: PlayerId, farewell: Farewell) -> None:
        """Says farewell to the player. Its matches go on, and it may come back."""
        if (player := self._players.get(player_id)) is not None:
            self._end_stream(player, farewell)
            self._drop(player)

    async def arrival(self, player_ids: Collection[PlayerId], within_ms: int) -> frozenset[PlayerId]:
        """Waits until every player has a stream or is gone; returns those that have no stream in the end."""
        players = [self._player(player_id) for player_id in player_ids]
        try:
            async with asyncio.timeout(within_ms / 1000):
                for player in players:
                    await player.settled.wait()
        except TimeoutError:
            pass
        return frozenset(player.id for player in players if player.stream is None)

    def hello(self, player_id: PlayerId) -> Hello | None:
        """What the player said about itself; None while it has no stream."""
        player = self._players.get(player_id)
        return player.stream.hello if player is not None and player.stream is not None else None

    def connected(self) -> dict[PlayerId, Hello]:
        """Every player that has a stream now."""
        return {player.id: player.stream.hello for player in self._players.values() if player.stream is not None}

    def depth(self) -> Depth:
        """How much there is to do now. May be called from any thread."""
        # Copies, which the loop cannot change while they are made or read.
        players = list(self._players.values())
        return Depth(
            bots=sum(player.stream is not None for player in players),
            matches=len(self._running),
            waiting=sum(len(player.waiting) for player in players),
            sent=sum(len(player.sent) for player in players),
        )

    def plays(self, player_id: PlayerId) -> bool:
        """Whether the player has an open match."""
        player = self._players.get(player_id)
        return player is not None and bool(player.matches)

    def counters(self, player_id: PlayerId) -> Counters:
        """What the player has sent so far; zeros for an unknown one."""
        player = self._players.get(player_id)
        return player.counters if player is not None else Counters()

    def gone(self, player_id: PlayerId, reason: str) -> None:
        """The player will not come back: its open turns and all later ones are GONE at once. ``reason`` is a
        sentence."""
        player = self._player(player_id)
        if player.gone:
            return
        player.gone = reason
        player.settled.set()
        self._end_stream(player, DONE)
        for turn in player.cleared():
            self._give(turn, None, FaultKind.GONE, reason, self.now_us())
        self._drop(player)

    def wake(self) -> None:
        """There is news for every stream."""
        for player in self._players.values():
            self._wake(player)

    def close(self, farewell: Farewell) -> None:
        """Says farewell to everyone and abandons every match."""
        for running in list(self._running.values()):
            self._abandon(running, Abandoned(farewell.sentence))
        for player in list(self._players.values()):
            self._end_stream(player, farewell)
            self._drop(player)

    # Matches

    async def play(self, plan: MatchPlan) -> Verdict:
        """Plays the match to its end. Cancelling abandons it: the players are told that it does not count.

        :raises ValueError: if the plan names a player twice or a match id that is in use.
        """
        running = self._begin(plan)
        try:
            return await running.verdict
        finally:
            if plan.match_id in self._running:
                self._abandon(running, Abandoned("The match was cancelled."))

    def decisions_in(self, match_ids: Iterable[int]) -> int:
        """Answers taken and faults judged so far in those of the matches that are being played."""
        return sum(self._running[match_id].decisions for match_id in match_ids if match_id in self._running)

    def recorder(self, match_id: int) -> Recorder | None:
        """What writes the record of a match; None if it is not being played."""
        running = self._running.get(match_id)
        return running.recorder if running is not None else None

    def waiting_us(self, match_id: int) -> int:
        """For how long a match has waited for answers; 0 if it is not being played."""
        running = self._running.get(match_id)
        return max(0, self.now_us() - running.asked_us) if running is not None else 0

    # For streams

    def join(self, player_id: PlayerId, stream: Stream) -> Player:
        """The player, now on this stream. A stream that it had before is taken over. Everything that is open is
        announced again, and the clocks of turns that were sent before go on."""
        player = self._player(player_id)
        self._end_stream(player, TAKEN_OVER)
        self._players[player_id] = player
        player.stream = stream
        player.free_us = self.now_us()
        if player.counters.hello_us < 0:
            player.counters.hello_us = player.free_us + self.lag_us
        player.dead_frames = 0
        player.starts = dict(player.matches)
        player.settled.set()
        stream.wake()
        return player

    def leave(self, player: Player, stream: Stream) -> None:
        """The stream is lost. Nothing happens if the player is on another one already."""
        if player.stream is not stream:
            return
        player.lost(self.now_us())
        self._watch.arm(player, player.waiting.values())
        self._drop(player)

    def sent(self, player: Player, turns: Sequence[OpenTurn]) -> None:
        """The frame with these turns is being flushed: their clocks run."""
        now_us = self.now_us()
        self.tally.delay.add(max(0, now_us - max(player.free_us, turns[0].running.asked_us)))
        player.flushed(turns, now_us)
        self._watch.arm(player, turns)

    def answer(self, player: Player, match_id: int, number: int, action: int, now_us: int) -> bool:
        """Takes a choice that was received at ``now_us``; False if it answers no open turn, which changes nothing."""
        was_sent = match_id in player.sent
        turn = player.answered(match_id, number)
        if turn is None:
            return False
        if player.counters.answer_us < 0:
            player.counters.answer_us = now_us + self.lag_us
        self._give(turn, action, None, "", now_us)
        if was_sent and not player.sent:
            self._frame_over(player, now_us)
        return True

    def garbled(self, player: Player, now_us: int) -> bool:
        """An unreadable frame: every turn that it could have answered is GARBLED. False if there was none."""
        player.counters.garbled += 1
        turns = list(player.sent.values())
        player.sent.clear()
        for turn in turns:
            self._give(turn, None, FaultKind.GARBLED, "The frame could not be read as a PlayRequest.", now_us)
        self._frame_over(player, now_us)
        return bool(turns)

    # Below: what happens inside

    def _player(self, player_id: PlayerId) -> Player:
        player = self._players.get(player_id)
        if player is None:
            player = self._players[player_id] = Player(player_id)
        return player

    def _drop(self, player: Player) -> None:
        if player.stream is None and not player.matches and not player.expected:
            self._players.pop(player.id, None)

    def _wake(self, player: Player) -> None:
        """Lets the next frame go, unless a turn of the last one is open: one at a time, so that frames are full."""
        if player.stream is not None and not player.sent:
            player.stream.wake()

    def _end_stream(self, player: Player, farewell: Farewell) -> None:
        stream = player.stream
        if stream is not None:
            self.leave(player, stream)
            stream.end(farewell)

    def _begin(self, plan: MatchPlan) -> Running:
        if plan.match_id in self._running:
            raise ValueError(f"Match {plan.match_id} is being played already.")
        if len(set(plan.players)) != plan.game.seats:
            raise ValueError(f"A match needs {plan.game.seats} different players, not {', '.join(plan.players)}.")
        state = plan.game.start(plan.seed)
        recorder = Recorder(plan.game, players=plan.names, **plan.header)
        seats = tuple(self._player(player_id) for player_id in plan.players)
        generator = match(plan.game, state, plan.limits, recorder, functools.partial(self._fault, plan))
        running = Running(plan, seats, recorder, generator, asyncio.get_running_loop().create_future())
        running.asked_us = self.now_us()
        self._running[plan.match_id] = running
        self.tally.begun += 1
        self.journal.begins(plan)
        for seat, player in enumerate(seats):
            player.matches[plan.match_id] = player.starts[plan.match_id] = (running, seat)
        self._advance(running)
        return running

    def _advance(self, running: Running) -> None:
        """All answers are in: asks the next questions."""
        match_id = running.plan.match_id
        if match_id not in self._running:
            return
        answers = running.answers
        running.answers = []
        try:
            questions = running.generator.send(answers if running.begun else None)  # type: ignore[arg-type]
            running.begun = True
        except StopIteration as stop:
            self._finish(running, stop.value)
            return
        except Exception as error:
            # Our own failure, which belongs to whoever waits for the verdict.
            self._abandon(running, error)
            return
        for question in questions:
            player = running.seats[question.seat]
            if player.gone:
                running.answers.append(Answer(question.seat, None, FaultKind.GONE, player.gone, 0))
                running.decisions += 1
                self.decisions += 1
                continue
            running.pending += 1
            turn = OpenTurn(running, question)
            player.waiting[match_id] = turn
            if player.stream is not None:
                self._wake(player)
            else:
                turn.start(self.now_us())
                self._watch.arm(player, (turn,))
        if running.pending == 0:
            # Nobody has to be waited for: goes on, but not at the cost of those who wait in other matches.
            asyncio.get_running_loop().call_soon(self._advance, running)

    def _give(self, turn: OpenTurn, action: int | None, fault: FaultKind | None, reason: str, now_us: int) -> None:
        running = turn.running
        elapsed_us = max(0, now_us - turn.started_us) if turn.started_us >= 0 else 0
        running.answers.append(Answer(turn.question.seat, action, fault, reason, elapsed_us))
        running.pending -= 1
        running.decisions += 1
        self.decisions += 1
        if fault is None:
            self.tally.thinking.add(elapsed_us)
        if running.pending == 0:
            running.asked_us = now_us
            self._advance(running)

    def _fault(self, plan: MatchPlan, fault: Fault) -> None:
        self.tally.faults[fault.kind] += 1
        self.journal.fault(plan, fault)

    def _frame_over(self, player: Player, now_us: int) -> None:
        """Every turn of the last frame is answered or expired."""
        player.free_us = now_us
        if player.frame_over():
            self._end_stream(player, DEAD)
        else:
            self._wake(player)

    def _finish(self, running: Running, verdict: Verdict) -> None:
        self.finished += 1
        self.journal.ended(running.plan)
        self._part(running, verdict)
        if not running.verdict.done():
            running.verdict.set_result(verdict)

    def _abandon(self, running: Running, error: Exception) -> None:
        self.tally.abandoned += 1
        self.journal.given_up(running.plan, error)
        self._part(running, None)
        if not running.verdict.done():
            running.verdict.set_exception(error)

    def _part(self, running: Running, verdict: Verdict | None) -> None:
        """The players have one match less."""
        match_id = running.plan.match_id
        running.generator.close()
        del self._running[match_id]
        for seat, player in enumerate(running.seats):
            del player.matches[match_id]
            player.waiting.pop(match_id, None)
            if player.sent.pop(match_id, None) is not None and not player.sent:
                self._frame_over(player, self.now_us())
            player.starts.pop(match_id, None)
            if not player.gone:
                player.ends.append((match_id, seat, verdict))
            self._wake(player)
            self._drop(player)

    def _expire(self, player: Player, now_us: int) -> None:
        """Turns past their deadline get their fault."""
        late = player.expired(now_us)
        fault = FaultKind.LATE if player.stream is not None else FaultKind.GONE
        for turn in late:
            reason = late_reason(turn.question.budget_us, now_us - turn.started_us)
            if fault is FaultKind.GONE:
                reason = f"The bot's stream was lost. {reason}"
            self._give(turn, None, fault, reason, now_us)
        if late and not player.sent and player.frame_size:
            self._frame_over(player, now_us)
