"""Bots of this machine by name, to play in this process: house bots, and folders, whose code runs unprotected. Knows no
server and no match."""

import traceback
from pathlib import Path
from types import TracebackType

from arena.bot import Choose, Turn, load
from arena.bot.turn import number_of
from arena.errors import ArenaError, BadRequest
from bots import house
from engine.game import Game

REMOTE = "remote:"
"""What the name of a bot begins with that is connected to a server."""


class BotFailed(ArenaError):
    """A bot raised something. ``trace`` is the traceback for its author, without our own frames."""

    reason = "BOT_FAILED"

    def __init__(self, sentence: str, trace: str) -> None:
        super().__init__(sentence)
        self.trace = trace


def local_choose(game: Game, name: str) -> Choose:
    """The function of the bot of that name, which is a house bot's or a folder's.

    :raises BadRequest: if there is no such bot, or it does not play the game.
    :raises BotFailed: if it raises something, now or when it is asked.
    """
    if name in house.names():
        try:
            return house.choose(name, game.id)
        except ValueError as error:
            raise BadRequest(str(error)) from error
    if Path(name).is_dir():
        try:
            bot = load(name)
        except (Exception, SystemExit) as error:
            if _is_its_own(error, name):
                raise _failed(name, "while it was loaded", error) from error
            if isinstance(error, ValueError):
                raise BadRequest(str(error)) from error
            raise
        if game.id not in bot.games:
            raise BadRequest(f"{name} does not play {game.id}; its bot.toml lists {', '.join(bot.games) or 'no games'}")
        return _watched(name, bot.choose)
    raise BadRequest(
        f"there is no bot '{name}'; use a house bot ({', '.join(sorted(house.names()))}), a folder, or {REMOTE}NAME"
    )


def _watched(name: str, choose: Choose) -> Choose:
    """The same function; what goes wrong in it is told as the bot's own failure."""

    def ask(turn: Turn) -> int:
        try:
            return number_of(turn, choose(turn))
        except (Exception, SystemExit) as error:
            raise _failed(name, f"at turn {turn.number}", error) from error

    return ask


def _failed(name: str, when: str, error: BaseException) -> BotFailed:
    trace = "".join(traceback.format_exception(error.with_traceback(_frames_of(error, name)))).rstrip()
    return BotFailed(f"the bot '{name}' failed {when}, see above; on a server it would have ended there", trace)


def _frames_of(error: BaseException, name: str) -> TracebackType | None:
    """The traceback from the first frame of the bot's own files on; None if it was not in them."""
    frames = error.__traceback__
    while frames is not None and not _in_folder(frames.tb_frame.f_code.co_filename, name):
        frames = frames.tb_next
    return frames


def _is_its_own(error: BaseException, name: str) -> bool:
    """Whether the bot's own files raised it, or cannot be parsed."""
    unparsed = isinstance(error, SyntaxError) and _in_folder(error.filename or "", name)
    return unparsed or _frames_of(error, name) is not None


def _in_folder(file: str, name: str) -> bool:
    return Path(file).is_relative_to(Path(name).resolve())
