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

from operator import itemgetter

from engine.game import Game
from engine.tricks import NONE, TrickObservation

_BIT = bytes.maketrans(b"01", b"\0\1")


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
        # By seat, what picks the seats' values in playing order from that seat.
        self._turned = [itemgetter(*((seat + at * self._step) % seats for at in range(seats))) for seat in range(seats)]
        at = [0]
        for size in (*self.flag_sizes.values(), *self.count_sizes.values()):
            at.append(at[-1] + size)
        (_, self._hand, self._played, self._trick, self._leader, self._dealer, self._trump, self._calls,
         self._announced, self._voids, self._caller, self._extra, self._last, self._laps,
         self._when, self._tricks, self._won, self._last_calls, _, self._size) = at  # fmt: skip

    def smalls(self, observation: TrickObservation) -> bytes:
        """Flags and counts, one byte each."""
        seats = self._seats
        seat = observation.seat
        step = self._step
        turned = self._turned[seat]
        row = bytearray(self._size)
        row[observation.phase] = 1
        row[self._hand : self._hand + 52] = f"{observation.hand:052b}"[::-1].encode().translate(_BIT)
        # One stretch of 52 flags per seat; a stretch that begins beyond the last one begins anew.
        first = self._played
        beyond = first + 52 * seats
        when = self._when
        number = 0
        history = observation.history
        for leader in observation.leaders:
            at = first + (leader - seat) * step % seats * 52
            for card in history[number * seats : number * seats + seats]:
                row[at + card] = 1
                row[when + card] = number + 1
                at += 52
                if at == beyond:
                    at = first
            number += 1
        leads = (observation.leader - seat) * step % seats
        at = first + leads * 52
        for card in observation.trick:
            row[at + card] = 1
            row[at + 52 * seats + card] = 1
            row[when + card] = number + 1
            at += 52
            if at == beyond:
                at = first
        dealer = (observation.dealer - seat) * step % seats
        row[self._leader + leads] = 1
        row[self._dealer + dealer] = 1
        row[self._trump + observation.trump] = 1
        at = self._calls
        for call in turned(observation.calls):
            row[at + (0 if call == NONE else call + 1)] = 1
            at += self._call_size
        if observation.voids:
            row[self._announced] = 1
            at = self._voids
            for suits in turned(observation.voids):
                for suit in range(4):
                    row[at + suit] = suits >> suit & 1
                at += 4
        if observation.caller != NONE:
            row[self._caller + (observation.caller - seat) * step % seats] = 1
        if observation.extra:
            row[self._extra] = 1
        for turn, option in enumerate(observation.laps):
            lap, after = divmod(turn, seats)
            row[self._laps + (lap * seats + (dealer + 1 + after) % seats) * self._lap_size + option] = 1
        row[self._tricks] = observation.tricks
        row[self._won : self._last_calls] = turned(observation.won)
        last = observation.last
        if last is not None:
            row[self._last] = 1
            row[self._last_calls :] = turned(last.calls) + turned(last.won)
        return bytes(row)

    def amounts(self, observation: TrickObservation) -> list[float]:
        """Numbers without a bound."""
        turned = self._turned[observation.seat]
        unit = self._unit
        last = observation.last
        amounts = [observation.deal, observation.redeal, *[total / unit for total in turned(observation.totals)]]
        if last is None:
            return amounts + [0.0] * self._seats
        return amounts + [score / unit for score in turned(last.scores)]
