"""Writes the record of a match while it is played. Knows no clock: whoever plays says how long a decision took."""

import json
from collections.abc import Mapping, Sequence
from functools import lru_cache

from engine import VERSION
from engine.game import Game, State
from engine.options import write_options
from engine.record.lines import EXTRAS, FORFEITED, clean, write_line, write_pack
from engine.record.result import seal, sum_up, with_forfeits


class Recorder:
    """Writes the record of one match.

    Show it the state at the start and after every action; tell it every decision, those made at the same time in seat
    order. Give it either the seed or, while the seed is secret, its commitment (64 hex digits).

    :ivar digest: what :func:`engine.record.digest` says of the finished record, once it is.
    :ivar closed: how many lines there are up to the end of the last deal that is over; 0 before. A game without deals
        is one.
    """

    def __init__(
        self,
        game: Game,
        *,
        players: Sequence[str],
        seed: bytes | None = None,
        commitment: str | None = None,
        **extras: str | int | Sequence[str],
    ) -> None:
        if (seed is None) == (commitment is None):
            raise ValueError("A record needs either the seed or the commitment of its match.")
        if len(players) != game.seats:
            raise ValueError(f"A record of {game.title} needs {game.seats} players, not {len(players)}.")
        unknown = set(extras) - set(EXTRAS)
        if unknown:
            raise ValueError(f"A record has no field {min(unknown)!r}; extra fields are {', '.join(EXTRAS)}.")
        secret = {"commitment": commitment} if seed is None else {"seed": seed.hex()}
        self._game = game
        self._before = {
            "record": 1,
            "game": game.id,
            "options": write_options(game.options),
            "seats": game.seats,
            **secret,
        }
        self._after = {
            "players": list(map(clean, players)),
            "engine": VERSION,
            **{name: _said(extras[name], game.seats) for name in EXTRAS if name in extras},
        }
        self._texts = _texts(game)
        self._lines: list[str] = []
        self._played: list[str] = []
        self.digest = ""
        self.closed = 0
        self._deal = 0
        self._redeal = -1

    def observe_state(self, state: State) -> None:
        """Writes the packs that were dealt since the last call."""
        deal = state.deal
        redeal = state.redeal
        if deal == self._deal and redeal == self._redeal:
            return
        if not self._lines:
            self._lines.append(write_line({**self._before, **self._game.draws(state), **self._after}))
        elif deal != self._deal:
            self.closed = len(self._lines)
        known = self._redeal + 1 if deal == self._deal else 0
        self._lines.extend(write_pack(pack) for pack in state.packs(known))
        self._deal = deal
        self._redeal = redeal

    def decision(
        self, seat: int, action: int, legal_count: int, ms: int, fault: Mapping[str, str] | None = None
    ) -> None:
        """Writes a decision. ``fault`` has ``kind``, one of FAULTS, and ``reason``, a sentence; or FORFEITED alone."""
        # By hand: nearly all lines of a record are these, and an encoder takes ten times as long.
        text = self._texts[action]
        line = f'{{"seat":{seat},"action":{text},"legal":{legal_count},"ms":{ms}'
        if fault is None:
            self._played.append(f"[{seat},{text},null]")
        else:
            told = {"kind": fault["kind"]}
            self._played.append(f'[{seat},{text},"{told["kind"]}"]')
            if fault["kind"] != FORFEITED:
                told["reason"] = clean(fault["reason"])
            line += f',"fault":{write_line(told)}'
        self._lines.append(line + "}")

    def beginning(self) -> str:
        """The record up to the end of the last deal that is over, for :func:`engine.record.read_beginning`; empty
        before. Nothing of the deal that is being played is in it."""
        return "".join([line + "\n" for line in self._lines[: self.closed]])

    def since(self, line: int) -> list[str]:
        """The lines that there are from that one on, counted from 0, for whoever follows the match. Packs, and the seed
        in the header, are no player's to see."""
        return self._lines[line:]

    def finish(self, state: State, forfeited: Sequence[int] = ()) -> str:
        """The whole record of a match that is over."""
        seats = sorted(set(forfeited))
        result = {"scores": state.scores(), "forfeited": seats, "places": with_forfeits(state.places(), seats)}
        self.digest = sum_up(self._played, result)
        self.closed = len(self._lines)
        body = "".join(line + "\n" for line in self._lines)
        return body + write_line({**result, "hash": seal(body, result)}) + "\n"


def _said(value: str | int | Sequence[str], seats: int) -> str | int | list[str]:
    """An extra field as it is written."""
    if isinstance(value, str):
        return clean(value)
    if isinstance(value, int):
        return value
    if len(value) != seats:
        raise ValueError(f"A record of {seats} seats needs {seats} texts by seat, not {len(value)}.")
    return list(map(clean, value))


@lru_cache(maxsize=64)
def _texts(game: Game) -> tuple[str, ...]:
    """The text of each action as JSON."""
    return tuple([json.dumps(game.write(action), ensure_ascii=False) for action in range(game.num_actions)])
