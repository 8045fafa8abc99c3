"""What a call is worth, as data for each game of tricks. Knows no cards."""

from dataclasses import dataclass

from engine.game import Game


@dataclass(frozen=True, slots=True)
class Aim:
    """How a deal scores: a call is made with ``call`` to ``call + spare`` tricks and then brings ``bonus + call`` and
    ``extra`` per trick above it; missed, it costs ``loss`` times the call."""

    spare: int
    bonus: int
    extra: float
    loss: int

    def points(self, call: int, tricks: int) -> float:
        """Points for a call with so many tricks."""
        if call <= tricks <= call + self.spare:
            return self.bonus + call + self.extra * (tricks - call)
        return -self.loss * call


AIMS = {
    "callbreak": Aim(spare=13, bonus=0, extra=0.1, loss=1),
    "call_bridge": Aim(spare=1, bonus=0, extra=0.0, loss=1),
    "minus": Aim(spare=13, bonus=0, extra=0.0, loss=1),
    "contract_whist": Aim(spare=0, bonus=10, extra=0.0, loss=0),
}


def aim_of(game: Game) -> Aim:
    """The aim of a game with its options."""
    return AIMS[getattr(game.options, "scoring", game.id)]
