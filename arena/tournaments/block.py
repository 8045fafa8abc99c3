"""A block and the reports of its process, as values and as lines of JSON. Knows no database, no process and no rules.

A block is one table of a tournament times some units; it is the piece of work that is leased, played and written whole.
Whoever plays it answers with lines: any number of :class:`Progress`, :class:`MatchReport`, :class:`PlayerReport` and
:class:`BotLog`, and last one :class:`Done` or :class:`Failed`. Every value is one line of JSON; bytes are lower-case
hex; reading is strict, and what is wrong is a :class:`BlockError` whose sentence names the member.
"""

import dataclasses
import json
import re
import types
import typing
from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from arena.referee.clock import Limits
from arena.referee.faults import FaultKind
from arena.tournaments.runs import LogPart, MatchSpan, Run, ThinkTime

MATCHES_PER_BLOCK = 4096
"""Most matches of one block. A match id is the block's id times this plus the match's place in the block."""


class BlockError(ValueError):
    """A line that is not what it should be. The sentence says which member and why."""


class UnitKind(StrEnum):
    """What one unit is: the same cards k times with the seats rotated, or one match with cards of its own."""

    ROTATION = "rotation"
    SINGLE = "single"


class PlayerKind(StrEnum):
    """Where a bot runs: in a cell beside the referee, or at its owner's, connected over the network."""

    HOSTED = "hosted"
    REMOTE = "remote"


@dataclass(frozen=True, slots=True)
class BlockLimits:
    """The clock of every match: per decision, spare time per match, faults until a seat is forfeited, the time from the
    start of a bot's process until it must have connected, what an answer adds to the spare time, and the time per
    decision by phase, empty if it is the same in all."""

    move_ms: int
    bank_ms: int
    max_faults: int
    startup_ms: int
    increment_ms: int = 0
    phase_ms: tuple[int, ...] = ()

    @property
    def clock(self) -> Limits:
        """What the referee keeps to."""
        return Limits(self.move_ms, self.bank_ms, self.max_faults, self.phase_ms, self.increment_ms)

    def __post_init__(self) -> None:
        _require(self.move_ms > 0, "move_ms must be positive")
        _require(self.bank_ms >= 0, "bank_ms must not be negative")
        _require(self.max_faults > 0, "max_faults must be positive")
        _require(self.startup_ms > 0, "startup_ms must be positive")
        _require(self.increment_ms >= 0, "increment_ms must not be negative")
        _require(all(limit_ms > 0 for limit_ms in self.phase_ms), "every one of phase_ms must be positive")


@dataclass(frozen=True, slots=True)
class Player:
    """One bot at the table.

    :ivar entry: the entry's id in the tournament; opaque here.
    :ivar content_hash: hex hash of the archive that a hosted bot runs from; empty for a remote bot.
    :ivar house: whether it is one of the platform's own bots, which a worker may run in a weaker cell.
    :ivar batch: most unanswered turns that the bot takes at once, 1..256.
    :ivar ticket: what the bot shows when it connects for this block.
    """

    entry: str
    bot: str
    version: int
    content_hash: str
    kind: PlayerKind
    house: bool
    batch: int
    ticket: str

    def __post_init__(self) -> None:
        _require(self.version > 0, "version must be positive")
        _require(1 <= self.batch <= 256, "batch must be between 1 and 256")


@dataclass(frozen=True, slots=True)
class UnitPlan:
    """One unit of the block.

    :ivar unit: its number in the tournament.
    :ivar seed: the 32 bytes that the cards come from, the same in every rotation.
    :ivar order: the cyclic order as player indexes: seat s of rotation r is ``order[(s + r) % seats]``.
    :ivar bot_seeds: 32 bytes each, ``bot_seeds[rotation][seat]``.
    """

    unit: int
    seed: bytes
    order: tuple[int, ...]
    bot_seeds: tuple[tuple[bytes, ...], ...]

    def __post_init__(self) -> None:
        _require(self.unit >= 0, "unit must not be negative")
        _require(len(self.seed) == 32, "seed must be 32 bytes")
        _require(sorted(self.order) == list(range(len(self.order))), "order must name every player once")
        for seeds in self.bot_seeds:
            _require(len(seeds) == len(self.order), "bot_seeds must have one seed per seat in every rotation")
            _require(all(len(seed) == 32 for seed in seeds), "every one of bot_seeds must be 32 bytes")

    def seats(self, rotation: int) -> tuple[int, ...]:
        """Player index by seat."""
        return tuple(self.order[(seat + rotation) % len(self.order)] for seat in range(len(self.order)))


@dataclass(frozen=True, slots=True)
class Block:
    """Everything that playing the block needs.

    :ivar id: the block's number, the same in every attempt, below 2^41.
    :ivar attempt: the lease under which this attempt plays.
    :ivar engine: version of the engine and its rules; whoever has another version refuses the block.
    :ivar options: all options of the game as text, defaults too.
    :ivar rotations: matches per unit: ``seats`` for rotation units, 1 for single ones.
    :ivar commitment: the tournament's commitment, 32 bytes, for the records' headers.
    """

    id: int
    attempt: str
    tournament: str
    game: str
    engine: str
    seats: int
    options: dict[str, str]
    limits: BlockLimits
    kind: UnitKind
    rotations: int
    players: tuple[Player, ...]
    units: tuple[UnitPlan, ...]
    commitment: bytes

    def __post_init__(self) -> None:
        _require(0 < self.id < 1 << 41, "id must be between 1 and 2^41")
        _require(len(self.players) == self.seats, "players must be as many as seats")
        _require(len({player.entry for player in self.players}) == self.seats, "players must be different entries")
        expected = self.seats if self.kind is UnitKind.ROTATION else 1
        _require(self.rotations == expected, f"rotations must be {expected} for {self.kind} units")
        _require(len(self.units) > 0, "units must not be empty")
        _require(self.matches <= MATCHES_PER_BLOCK, f"units must give at most {MATCHES_PER_BLOCK} matches")
        _require(len({plan.unit for plan in self.units}) == len(self.units), "units must have different numbers")
        for plan in self.units:
            _require(len(plan.order) == self.seats, "order must be as long as seats")
            _require(len(plan.bot_seeds) == self.rotations, "bot_seeds must have one row per rotation")
        _require(len(self.commitment) == 32, "commitment must be 32 bytes")

    @property
    def matches(self) -> int:
        """How many matches the block has."""
        return len(self.units) * self.rotations

    def match_id(self, position: int, rotation: int) -> int:
        """Id of one match of ``units[position]``: below 2^53, unique on the platform, the same in every attempt."""
        return self.id * MATCHES_PER_BLOCK + position * self.rotations + rotation


@dataclass(frozen=True, slots=True)
class Progress:
    """So far: the lease is extended when these numbers have grown."""

    matches: int
    decisions: int


@dataclass(frozen=True, slots=True)
class ReportedFault:
    """One fault: whose, at which turn, ILLEGAL, LATE, GARBLED or GONE, and the sentence for the owner."""

    seat: int
    turn: int
    kind: str
    reason: str

    def told(self, last_line: str) -> str:
        """The sentence for the owner alone: of a bot that is gone with the last line of its output, if there is one."""
        return f"{self.reason} Its last line: {last_line}" if self.kind == FaultKind.GONE and last_line else self.reason


@dataclass(frozen=True, slots=True)
class MatchReport:
    """One finished match.

    :ivar seats: player index by seat. ``scores`` and ``places`` are by seat too; ``forfeited`` lists seats.
    :ivar digest: hex hash of actions, faults, scores, places and forfeits; the same however long the match took.
    :ivar record: the whole record.
    :ivar begun_ms: when it was begun and, ``ended_ms``, when it had ended, from the moment at which the referee began
        to wait for the rotation's players.
    """

    unit: int
    rotation: int
    seats: tuple[int, ...]
    scores: tuple[int, ...]
    places: tuple[int, ...]
    forfeited: tuple[int, ...]
    faults: tuple[ReportedFault, ...]
    decisions: int
    digest: str
    record: str
    begun_ms: int = 0
    ended_ms: int = 0

    def __post_init__(self) -> None:
        table = range(len(self.seats))
        _require(sorted(self.seats) == list(table), "seats must name every player once")
        _require(len(self.scores) == len(self.seats), "scores must be one per seat")
        _require(len(self.places) == len(self.seats), "places must be one per seat")
        for place in self.places:
            _require(place == 1 + sum(other < place for other in self.places), "places must be shared places from 1")
        _require(all(seat in table for seat in self.forfeited), "forfeited must list seats of the table")
        _require(all(fault.seat in table for fault in self.faults), "faults must have seats of the table")


@dataclass(frozen=True, slots=True)
class PlayerReport:
    """What the referee saw of a hosted player in one rotation. Times count as those of :class:`MatchReport`, and are
    negative for what came before; None for what never came. ``faults`` are counted by kind."""

    player: int
    hello_ms: int | None
    answer_ms: int | None
    faults: dict[str, int]
    thinking: tuple[ThinkTime, ...]


@dataclass(frozen=True, slots=True)
class BotLog:
    """What a hosted player's run in one rotation did and wrote, head and tail, and when its matches were played."""

    player: int
    rotation: int
    run: Run
    parts: tuple[LogPart, ...]
    matches: tuple[MatchSpan, ...]

    @property
    def text(self) -> str:
        """What is kept of what it wrote."""
        return "".join(part.text for part in self.parts)


class Cause(StrEnum):
    """Why an attempt at a block was given up."""

    DIED = "died"
    """What plays the block failed at it: one of three."""
    LOST = "lost"
    """Through nobody's fault at the table; cards may have been dealt."""
    UNSEEN = "unseen"
    """Through nobody's fault at the table, before any card was dealt."""


@dataclass(frozen=True, slots=True)
class Done:
    """The block is played: a report of every match went before. ``tier`` is that of the cells; a referee elsewhere,
    which has none, says nothing of it."""

    tier: str = ""


@dataclass(frozen=True, slots=True)
class Failed:
    """The block could not be played. ``reason`` is a sentence."""

    reason: str
    cause: Cause


Report = Progress | MatchReport | PlayerReport | BotLog | Done | Failed

_REPORTS: dict[str, type[Report]] = {
    "progress": Progress,
    "match": MatchReport,
    "player": PlayerReport,
    "log": BotLog,
    "done": Done,
    "failed": Failed,
}
_REPORT_NAMES = {kind: name for name, kind in _REPORTS.items()}


def write_block(block: Block) -> str:
    """The block as one line without its line end. Pure ASCII."""
    return _line(_plain(block))


def read_block(line: str | bytes) -> Block:
    """The block of the line.

    :raises BlockError: if a member is missing, unknown, repeated, of the wrong kind or out of range.
    """
    return typing.cast(Block, _value(Block, _parsed(line), "the block"))


def write_report(report: Report) -> str:
    """The report as one line without its line end. Pure ASCII. Characters that no database stores, NUL and lone
    surrogates, become U+FFFD, so that a bot's output can not spoil its block."""
    return _line({"report": _REPORT_NAMES[type(report)], **_plain(report)})


def read_report(line: str | bytes) -> Report:
    """The report of the line.

    :raises BlockError: if a member is missing, unknown, repeated, of the wrong kind or out of range.
    """
    members = _parsed(line)
    name = members.pop("report", None)
    if not isinstance(name, str) or name not in _REPORTS:
        raise BlockError(f"report must be one of {', '.join(_REPORTS)}, not {name!r}.")
    return typing.cast(Report, _value(_REPORTS[name], members, f"the {name} report"))


def _require(condition: bool, sentence: str) -> None:
    if not condition:
        raise BlockError(f"{sentence}.")


def _line(members: dict[str, Any]) -> str:
    return json.dumps(members, separators=(",", ":"), allow_nan=False)


def _plain(value: Any) -> Any:
    """The value in the kinds that JSON has."""
    if isinstance(value, str):
        return "".join("\ufffd" if sign == "\0" or "\ud800" <= sign <= "\udfff" else sign for sign in value)
    if isinstance(value, bytes):
        return value.hex()
    if isinstance(value, tuple):
        return [_plain(item) for item in value]
    if isinstance(value, dict):
        return {_plain(key): _plain(item) for key, item in value.items()}
    if dataclasses.is_dataclass(value):
        return {field.name: _plain(getattr(value, field.name)) for field in dataclasses.fields(value)}
    return value


def _parsed(line: str | bytes) -> dict[str, Any]:
    try:
        members = json.loads(line, object_pairs_hook=_members_once)
    except (ValueError, RecursionError) as error:
        raise BlockError(f"The line is not JSON: {error}") from None
    if not isinstance(members, dict):
        raise BlockError("The line must be a JSON object.")
    return members


def _members_once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    members = dict(pairs)
    if len(members) < len(pairs):
        raise BlockError("A member stands twice in one object.")
    return members


def _value(kind: Any, plain: Any, where: str) -> Any:
    """The value of that kind; the annotations of the dataclasses above are the schema."""
    if dataclasses.is_dataclass(kind) and isinstance(kind, type):
        return _record(kind, plain, where)
    if typing.get_origin(kind) is tuple:
        if not isinstance(plain, list):
            raise BlockError(f"{where} must be a list.")
        item_kind = typing.get_args(kind)[0]
        return tuple(_value(item_kind, item, f"{where}[{index}]") for index, item in enumerate(plain))
    if typing.get_origin(kind) is dict:
        if not isinstance(plain, dict):
            raise BlockError(f"{where} must be an object.")
        item_kind = typing.get_args(kind)[1]
        return {_text(name, where): _value(item_kind, item, f"{where}.{name}") for name, item in plain.items()}
    if isinstance(kind, types.UnionType):
        return None if plain is None else _value(typing.get_args(kind)[0], plain, where)
    return _SCALARS[kind](plain, where)


def _record(kind: type, plain: Any, where: str) -> Any:
    if not isinstance(plain, dict):
        raise BlockError(f"{where} must be an object.")
    kinds = typing.get_type_hints(kind)
    if missing := kinds.keys() - plain.keys():
        raise BlockError(f"{where} lacks {', '.join(sorted(missing))}.")
    if unknown := plain.keys() - kinds.keys():
        raise BlockError(f"{where} has unknown members: {', '.join(sorted(unknown))}.")
    try:
        return kind(**{name: _value(kinds[name], plain[name], name) for name in kinds})
    except BlockError as error:
        raise BlockError(f"{where}: {error}") from None


def _text(plain: Any, where: str) -> str:
    if not isinstance(plain, str) or _plain(plain) != plain:
        raise BlockError(f"{where} must be a text without NUL and lone surrogates.")
    return plain


def _number(plain: Any, where: str) -> int:
    if type(plain) is not int or not -(1 << 63) <= plain < 1 << 63:
        raise BlockError(f"{where} must be an integer of 64 bits.")
    return plain


def _flag(plain: Any, where: str) -> bool:
    if not isinstance(plain, bool):
        raise BlockError(f"{where} must be true or false.")
    return plain


def _octets(plain: Any, where: str) -> bytes:
    if not isinstance(plain, str) or re.fullmatch("(?:[0-9a-f]{2})*", plain) is None:
        raise BlockError(f"{where} must be bytes in lower-case hex.")
    return bytes.fromhex(plain)


def _unit_kind(plain: Any, where: str) -> UnitKind:
    if plain not in list(UnitKind):
        raise BlockError(f"{where} must be one of {', '.join(UnitKind)}.")
    return UnitKind(plain)


def _player_kind(plain: Any, where: str) -> PlayerKind:
    if plain not in list(PlayerKind):
        raise BlockError(f"{where} must be one of {', '.join(PlayerKind)}.")
    return PlayerKind(plain)


def _cause(plain: Any, where: str) -> Cause:
    if plain not in list(Cause):
        raise BlockError(f"{where} must be one of {', '.join(Cause)}.")
    return Cause(plain)


_SCALARS: dict[type, Callable[[Any, str], Any]] = {
    str: _text,
    int: _number,
    bool: _flag,
    bytes: _octets,
    UnitKind: _unit_kind,
    PlayerKind: _player_kind,
    Cause: _cause,
}
