"""A trick-taking observation as numbers. Knows no other shape.

Seats are relative: 0 is the seat that looks, 1 plays after it, and so on in playing order, whichever way round that is.
``k`` is the number of seats, ``m = 52 // k`` the most tricks that a deal can have.

| flags (0 or 1) | size | meaning |
| --- | --- | --- |
| phase | phases of the game | what is asked |
| hand | 52 | cards that the seat holds |
| played | k x 52 | cards that each seat has played in this deal |
| trick | k x 52 | the card that each seat has on the current trick |
| leader | k | leads the current trick |
| dealer | k | dealt |
| trump | 6 | clubs, diamonds, hearts, spades, no trump, not settled |
| calls | k x (m + 2) | no call yet, then 0 .. m |
| announced | 1 | voids were announced |
| voids | k x 4 | announced voids |
| caller | k | the trump caller, all 0 for none |
| extra | 1 | the deal breaks a tie |
| last | 1 | there is a finished deal |
| laps | laps x k x options | what each seat said in each trump lap; only in games with laps |

| counts (divided by m) | size | meaning |
| --- | --- | --- |
| when | 52 | the trick, from 1, in which a card was played; 0 for not yet |
| tricks | 1 | tricks of this deal |
| won | k | tricks won |
| last_calls, last_won | k, k | of the last finished deal |

| amounts | size | meaning |
| --- | --- | --- |
| deal, redeal | 1, 1 | numbers of the deal, from 0 |
| totals | k | in points |
| last_scores | k | of the last finished deal, in points |
"""

from engine.game import Game
from engine.tricks import NONE, TrickObservation

_CARD = tuple(1 << card for card in range(52))


class TrickFeatures:
    """The layout for one table, and the numbers of its observations."""

    def __init__(self, game: Game) -> None:
        seats = game.seats
        most = 52 // seats
        # The first phase is play and the second the call; trump laps follow where a game has them.
        laps = game.phases[2:]
        self.flag_sizes = {
            "phase": len(game.phases),
            "hand": 52,
            "played": seats * 52,
            "trick": seats * 52,
            "leader": seats,
            "dealer": seats,
            "trump": 6,
            "calls": seats * (most + 2),
            "announced": 1,
            "voids": seats * 4,
            "caller": seats,
            "extra": 1,
            "last": 1,
            "laps": sum(seats * lap.size for lap in laps),
        }
        self.count_sizes = {"when": 52, "tricks": 1, "won": seats, "last_calls": seats, "last_won": seats}
        self.count_unit = most
        self.amount_sizes = {"deal": 1, "redeal": 1, "totals": seats, "last_scores": seats}
        self._seats = seats
        self._step = 1 if getattr(game.options, "direction", "clockwise") == "clockwise" else seats - 1
        self._call_size = most + 2
        self._lap_size = laps[0].size if laps else 0
        self._unit = 10**game.score_decimals
        self._order = [[(seat + at * self._step) % seats for at in range(seats)] for seat in range(seats)]
        at = [0]
        for size in self.flag_sizes.values():
            at.append(at[-1] + size)
        (_, self._hand, self._played, self._trick, self._leader, self._dealer, self._trump, self._calls,
         self._announced, self._voids, self._caller, self._extra, self._last, self._laps, _) = at  # fmt: skip

    def flags(self, observation: TrickObservation) -> int:
        """All flags as one number: bit i is flag i."""
        seats = self._seats
        seat = observation.seat
        step = self._step
        order = self._order[seat]
        played = [0] * seats
        at = 0
        history = observation.history
        for leader in observation.leaders:
            who = (leader - seat) * step % seats - seats
            # A negative index wraps by itself when it reaches 0.
            for card in history[at : at + seats]:
                played[who] |= _CARD[card]
                who += 1
            at += seats
        leads = (observation.leader - seat) * step % seats
        dealer = (observation.dealer - seat) * step % seats
        flags = (
            1 << observation.phase
            | observation.hand << self._hand
            | 1 << self._leader + leads
            | 1 << self._dealer + dealer
            | 1 << self._trump + observation.trump
        )
        who = leads - seats
        for card in observation.trick:
            played[who] |= _CARD[card]
            flags |= 1 << self._trick + 52 * (who % seats) + card
            who += 1
        at = self._played
        for cards in played:
            flags |= cards << at
            at += 52
        at = self._calls
        for other in order:
            call = observation.calls[other]
            flags |= 1 << at + (0 if call == NONE else call + 1)
            at += self._call_size
        if observation.voids:
            flags |= 1 << self._announced
            at = self._voids
            for other in order:
                flags |= observation.voids[other] << at
                at += 4
        if observation.caller != NONE:
            flags |= 1 << self._caller + (observation.caller - seat) * step % seats
        if observation.extra:
            flags |= 1 << self._extra
        if observation.last is not None:
            flags |= 1 << self._last
        for turn, option in enumerate(observation.laps):
            lap, after = divmod(turn, seats)
            flags |= 1 << self._laps + (lap * seats + (dealer + 1 + after) % seats) * self._lap_size + option
        return flags

    def counts(self, observation: TrickObservation) -> bytes:
        """Small whole numbers, one byte each."""
        seats = self._seats
        order = self._order[observation.seat]
        when = bytearray(52)
        number = seats
        for card in observation.history:
            when[card] = number // seats
            number += 1
        for card in observation.trick:
            when[card] = number // seats
        last = observation.last
        won = observation.won
        if last is None:
            return bytes(when) + bytes((observation.tricks, *[won[other] for other in order])) + bytes(2 * seats)
        return bytes(when) + bytes(
            (
                observation.tricks,
                *[won[other] for other in order],
                *[last.calls[other] for other in order],
                *[last.won[other] for other in order],
            )
        )

    def amounts(self, observation: TrickObservation) -> list[float]:
        """Numbers without a bound."""
        order = self._order[observation.seat]
        totals = observation.totals
        last = observation.last
        scores = last.scores if last is not None else (0,) * self._seats
        return [
            observation.deal,
            observation.redeal,
            *[totals[other] / self._unit for other in order],
            *[scores[other] / self._unit for other in order],
        ]
