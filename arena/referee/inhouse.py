"""A bot of the house that answers in the referee's own process. Knows no stream of bytes, and must be quick: the event
loop waits for it."""

import asyncio

from arena.bot.turn import Choose
from arena.referee.hub import Hub
from arena.referee.plan import PlayerId
from arena.referee.player import OpenTurn
from arena.referee.seated import Seated
from arena.referee.stream import Farewell, Hello


class InHouse:
    """A player's stream whose other end is a function."""

    def __init__(self, hub: Hub, player_id: PlayerId, choose: Choose) -> None:
        self.hello = Hello(player_id, "", (), 1)
        self._hub = hub
        self._choose = choose
        self._seats: dict[int, Seated] = {}
        self._player = hub.join(player_id, self)

    def wake(self) -> None:
        """Something waits: answer it when the loop is free, so that a match does not end inside its own beginning."""
        asyncio.get_running_loop().call_soon(self._answer)

    def end(self, farewell: Farewell) -> None:  # noqa: ARG002 - whatever the reason
        """Forgets its matches."""
        self._seats.clear()

    def leave(self) -> None:
        """Gets up from the table."""
        self._hub.leave(self._player, self)

    def _answer(self) -> None:
        player = self._player
        player.starts.clear()
        while player.ends:
            match_id, _, _ = player.ends.popleft()
            self._seats.pop(match_id, None)
        turns = player.take()
        if turns:
            self._hub.sent(player, turns)
        for turn in turns:
            action = self._seat(turn).answer(turn.question)
            self._hub.answer(player, turn.running.plan.match_id, turn.question.turn, action, self._hub.now_us())

    def _seat(self, turn: OpenTurn) -> Seated:
        plan = turn.running.plan
        if plan.match_id not in self._seats:
            bot_seed = plan.bot_seeds[turn.question.seat]
            self._seats[plan.match_id] = Seated(self._choose, plan.match_id, plan.game, bot_seed)
        return self._seats[plan.match_id]
