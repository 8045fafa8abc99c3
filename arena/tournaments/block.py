"""A block and the reports of its process, as values and as lines of JSON. Knows no database, no process and no rules.

A block is one table of a tournament times some units; it is the piece of work that is leased, played and written whole.
Whoever plays it answers with lines: any number of :class:`Progress`, :class:`Beginning`, :class:`MatchReport`,
:class:`PlayerReport` and :class:`BotLog`, and last one :class:`Done` or :class:`Failed`. Every value is one line of
JSON; bytes are lower-case hex; reading is strict, and what is wrong is a :class:`BlockError` whose sentence names the
member.
"""

import typing
from dataclasses import dataclass
from enum import StrEnum

from arena.referee.clock import Limits
from arena.referee.faults import FaultKind
from arena.tournaments.field import LEAST_TABLES, MOST_TABLES
from arena.tournaments.lines import BlockError, plain, read_line, read_value, require, write_line
from arena.tournaments.runs import LogPart, MatchSpan, Run, ThinkTime

MATCHES_PER_BLOCK = 4096
"""Most matches of one block. A match id is the block's id times this plus the match's place in the block."""


class UnitKind(StrEnum):
    """What one unit is: the same cards k times with the seats rotated, one match with cards of its own, or one deal at
    many tables at once, each with other bots."""

    ROTATION = "rotation"
    SINGLE = "single"
    FIELD = "field"

    @property
    def replayable(self) -> bool:
        """Whether cards that were dealt may be dealt again, since whoever has seen them is gone."""
        return self is UnitKind.ROTATION

    def rotations(self, seats: int, players: int) -> int:
        """Matches per unit of a block with so many players. Those of a field are its tables."""
        match self:
            case UnitKind.ROTATION:
                return seats
            case UnitKind.SINGLE:
                return 1
            case _:
                return players // seats


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
        require(self.move_ms > 0, "move_ms must be positive")
        require(self.bank_ms >= 0, "bank_ms must not be negative")
        require(self.max_faults > 0, "max_faults must be positive")
        require(self.startup_ms > 0, "startup_ms must be positive")
        require(self.increment_ms >= 0, "increment_ms must not be negative")
        require(all(limit_ms > 0 for limit_ms in self.phase_ms), "every one of phase_ms must be positive")


@dataclass(frozen=True, slots=True)
class Player:
    """One bot of the block.

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
        require(self.version > 0, "version must be positive")
        require(1 <= self.batch <= 256, "batch must be between 1 and 256")


@dataclass(frozen=True, slots=True)
class UnitPlan:
    """One unit of the block.

    :ivar unit: its number in the tournament.
    :ivar seed: the 32 bytes that the cards come from, the same in every rotation.
    :ivar order: player indexes. Of one table it is cyclic: seat s of rotation r is ``order[(s + r) % seats]``. In a
        field the tables follow each other: seat s of table r is ``order[r * seats + s]``.
    :ivar bot_seeds: 32 bytes each, ``bot_seeds[rotation][seat]``.
    """

    unit: int
    seed: bytes
    order: tuple[int, ...]
    bot_seeds: tuple[tuple[bytes, ...], ...]

    def __post_init__(self) -> None:
        require(self.unit >= 0, "unit must not be negative")
        require(len(self.seed) == 32, "seed must be 32 bytes")
        require(sorted(self.order) == list(range(len(self.order))), "order must name every player once")
        rows = {len(seeds) for seeds in self.bot_seeds}
        # Either every row seats everybody, or each of a field's tables seats others.
        whole = rows == {len(self.order)} or (len(rows) == 1 and sum(map(len, self.bot_seeds)) == len(self.order))
        require(whole, "bot_seeds must have one seed per seat in every rotation")
        require(
            all(len(seed) == 32 for seeds in self.bot_seeds for seed in seeds),
            "every one of bot_seeds must be 32 bytes",
        )

    def seats(self, rotation: int) -> tuple[int, ...]:
        """Player index by seat."""
        seats = len(self.bot_seeds[rotation])
        first = rotation * seats if seats < len(self.order) else rotation
        return tuple(self.order[(first + seat) % len(self.order)] for seat in range(seats))


@dataclass(frozen=True, slots=True)
class Block:
    """Everything that playing the block needs.

    :ivar id: the block's number, the same in every attempt, below 2^41.
    :ivar attempt: the lease under which this attempt plays.
    :ivar engine: version of the engine and its rules; whoever has another version refuses the block.
    :ivar options: all options of the game as text, defaults too.
    :ivar rotations: matches per unit: ``seats`` for rotation units, 1 for single ones, the tables of a field.
    :ivar players: those of the table, in a field those of all tables.
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
        require(0 < self.id < 1 << 41, "id must be between 1 and 2^41")
        count = len(self.players)
        if self.kind is UnitKind.FIELD:
            require(count % self.seats == 0, "players must fill the tables of the field")
            tables = count // self.seats
            require(LEAST_TABLES <= tables <= MOST_TABLES, f"a field must have {LEAST_TABLES} to {MOST_TABLES} tables")
            require(len(self.units) == 1, "a field must be one unit")
        else:
            require(count == self.seats, "players must be as many as seats")
        require(len({player.entry for player in self.players}) == count, "players must be different entries")
        expected = self.kind.rotations(self.seats, count)
        require(self.rotations == expected, f"rotations must be {expected} for {self.kind} units")
        require(len(self.units) > 0, "units must not be empty")
        require(self.matches <= MATCHES_PER_BLOCK, f"units must give at most {MATCHES_PER_BLOCK} matches")
        require(len({plan.unit for plan in self.units}) == len(self.units), "units must have different numbers")
        for plan in self.units:
            require(len(plan.order) == count, "order must be as long as players")
            require(len(plan.bot_seeds) == self.rotations, "bot_seeds must have one row per rotation")
            require(all(len(seeds) == self.seats for seeds in plan.bot_seeds), "bot_seeds must have one seed per seat")
        require(len(self.commitment) == 32, "commitment must be 32 bytes")

    @property
    def matches(self) -> int:
        """How many matches the block has."""
        return len(self.units) * self.rotations

    @property
    def sittings(self) -> tuple[range, ...]:
        """Rotations that the same processes of bots play, at the same time; of each sitting the processes are new."""
        if self.kind is UnitKind.FIELD:
            return (range(self.rotations),)
        return tuple(range(rotation, rotation + 1) for rotation in range(self.rotations))

    def closes(self, rotation: int) -> bool:
        """Whether nobody will play a deal again that a match of this rotation has played: so it is in the last rotation
        alone, and never in a field, of which other tables may still play it."""
        return self.kind is not UnitKind.FIELD and rotation == self.rotations - 1

    @property
    def arrival_ms(self) -> int:
        """How long its hosted bots have to connect: the start-up limit for every table that they would fill, since a
        host starts no more at once."""
        hosted = sum(player.kind is PlayerKind.HOSTED for player in self.players)
        return self.limits.startup_ms * max(1, -(-hosted // self.seats))

    def match_id(self, position: int, rotation: int) -> int:
        """Id of one match of ``units[position]``: below 2^53, unique on the platform, the same in every attempt."""
        return self.id * MATCHES_PER_BLOCK + position * self.rotations + rotation


@dataclass(frozen=True, slots=True)
class Progress:
    """So far: the lease is extended when these numbers have grown."""

    matches: int
    decisions: int


@dataclass(frozen=True, slots=True)
class Beginning:
    """What everybody may see of a match before its block is done: its record up to the end of the last deal that is
    closed, which no table will play again. It counts for nothing.

    :ivar seats: player index by seat.
    :ivar record: header, packs and decisions, and never a result.
    """

    unit: int
    rotation: int
    seats: tuple[int, ...]
    record: str


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
        require(
            len(set(self.seats)) == len(table) and min(self.seats, default=0) >= 0, "seats must be different players"
        )
        require(len(self.scores) == len(self.seats), "scores must be one per seat")
        require(len(self.places) == len(self.seats), "places must be one per seat")
        for place in self.places:
            require(place == 1 + sum(other < place for other in self.places), "places must be shared places from 1")
        require(all(seat in table for seat in self.forfeited), "forfeited must list seats of the table")
        require(all(fault.seat in table for fault in self.faults), "faults must have seats of the table")


@dataclass(frozen=True, slots=True)
class PlayerReport:
    """What the referee saw of a hosted player in one sitting. Times count as those of :class:`MatchReport`, and are
    negative for what came before; None for what never came. ``faults`` are counted by kind."""

    player: int
    hello_ms: int | None
    answer_ms: int | None
    faults: dict[str, int]
    thinking: tuple[ThinkTime, ...]


@dataclass(frozen=True, slots=True)
class BotLog:
    """What a hosted player's run in one rotation, or at its table of a field, did and wrote, head and tail, and when
    its matches were played."""

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


Report = Progress | Beginning | MatchReport | PlayerReport | BotLog | Done | Failed

_REPORTS: dict[str, type[Report]] = {
    "progress": Progress,
    "beginning": Beginning,
    "match": MatchReport,
    "player": PlayerReport,
    "log": BotLog,
    "done": Done,
    "failed": Failed,
}
_REPORT_NAMES = {kind: name for name, kind in _REPORTS.items()}


def write_block(block: Block) -> str:
    """The block as one line without its line end. Pure ASCII."""
    return write_line(plain(block))


def read_block(line: str | bytes) -> Block:
    """The block of the line.

    :raises BlockError: if a member is missing, unknown, repeated, of the wrong kind or out of range.
    """
    return typing.cast(Block, read_value(Block, read_line(line), "the block"))


def write_report(report: Report) -> str:
    """The report as one line without its line end. Pure ASCII. Characters that no database stores, NUL and lone
    surrogates, become U+FFFD, so that a bot's output can not spoil its block."""
    return write_line({"report": _REPORT_NAMES[type(report)], **plain(report)})


def read_report(line: str | bytes) -> Report:
    """The report of the line.

    :raises BlockError: if a member is missing, unknown, repeated, of the wrong kind or out of range.
    """
    members = read_line(line)
    name = members.pop("report", None)
    if not isinstance(name, str) or name not in _REPORTS:
        raise BlockError(f"report must be one of {', '.join(_REPORTS)}, not {name!r}.")
    return typing.cast(Report, read_value(_REPORTS[name], members, f"the {name} report"))
