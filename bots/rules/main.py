"""Which rule answers which question. Knows no cards."""

from collections.abc import Callable

from arena.bot import Turn
from engine.pairs import PairsObservation
from engine.tricks import TrickObservation

from . import calling, pairs, playing
from .settings import Settings


def chooser(settings: Settings) -> Callable[[Turn], int]:
    """The ``choose`` function of the player with these settings."""

    def choose(turn: Turn) -> int:
        observation = turn.observation
        match turn.phase.name:
            case "play":
                assert isinstance(observation, TrickObservation)
                return playing.play(turn, observation, settings.plays)
            case "call":
                assert isinstance(observation, TrickObservation)
                return calling.call_tricks(turn, observation, settings.calls)
            case "first lap" | "second lap":
                assert isinstance(observation, TrickObservation)
                return calling.call_trump(turn, observation, settings.calls)
            case "show":
                assert isinstance(observation, PairsObservation)
                return pairs.show(turn, observation, settings.pairs)
            case _:
                assert isinstance(observation, PairsObservation)
                return pairs.keep(turn, observation, settings.pairs)

    return choose
