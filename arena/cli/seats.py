"""What commands that play matches read from their arguments: the game, the clock, the seed; and matches at a server.
Knows no command."""

import secrets
from collections.abc import Callable, Iterable, Sequence

import engine
from arena.cli.client import Server, calls
from arena.errors import BadRequest
from arena.referee.clock import Limits
from arena.referee.presets import read_clock
from arena.tournaments.local_bots import REMOTE
from arena.v1.match_pb2 import PlayMatchRequest
from arena.v1.match_pb2_grpc import MatchServiceStub
from bots import house

PlayAtServer = Callable[[Sequence[str], bytes], str]
"""Plays a match of the bots by seat, with the cards of 32 bytes or, with none, of the server's own; the record."""


def game_of(name: str, seats: int, options: dict[str, str]) -> engine.Game:
    """The game of that name, with options as text.

    :raises BadRequest: if there is none, or an option is wrong.
    """
    try:
        return engine.load_with(name, seats, options)
    except ValueError as error:
        raise BadRequest(str(error)) from error


def limits_of(text: str, game: engine.Game) -> Limits | None:
    """The clock of `--clock`; None without.

    :raises BadRequest: if there is no such clock.
    """
    try:
        return read_clock(text, game) if text else None
    except ValueError as error:
        raise BadRequest(f"--clock: {error}") from error


def seed_of(text: str | None) -> bytes:
    """The 32 bytes of `--seed`; drawn without.

    :raises BadRequest: if they are not hexadecimal, or too many.
    """
    if text is None:
        return secrets.token_bytes(32)
    try:
        seed = bytes.fromhex(text)
    except ValueError:
        raise BadRequest(f"--seed '{text}' is not hexadecimal; give pairs of 0-9 and a-f") from None
    if len(seed) > 32:
        raise BadRequest(f"--seed has {len(seed)} bytes; give at most 32")
    return seed.ljust(32, b"\0")


def is_remote(name: str) -> bool:
    """Whether the name is of a bot that is connected to a server."""
    return name.startswith(REMOTE)


def check_remote(names: Iterable[str]) -> None:
    """Looks whether a server can seat them all.

    :raises BadRequest: if one of them is of this machine alone.
    """
    for name in names:
        if not is_remote(name) and name not in house.names():
            raise BadRequest(
                f"'{name}' cannot sit at a table of the server; run it as a remote bot and name it {REMOTE}{name}"
            )


def at_server(server: Server, game: engine.Game, clock: str) -> PlayAtServer:
    """Plays at the server that the remote bots are connected to."""

    def play(names: Sequence[str], seed: bytes) -> str:
        request = PlayMatchRequest(
            game=game.id, options=engine.write_options(game.options), bots=names, seed=seed, clock=clock
        )
        with calls(server):
            return MatchServiceStub(server.channel).PlayMatch(request, metadata=server.metadata).text

    return play
