"""What the process of a block is told: the block with its players and seeds, and the bots' files. Knows no process."""

import functools
import os
import secrets
from contextlib import ExitStack
from dataclasses import dataclass
from typing import Any

from psycopg.rows import class_row

from arena.errors import NotFound
from arena.store import Connection
from arena.store.sql import statements
from arena.tournaments import units
from arena.tournaments.block import Block, BlockLimits, Player, PlayerKind, UnitKind
from arena.tournaments.ledger import Lease
from arena.tournaments.shelf import Shelf

SQL = statements(__file__)


def write_brief(connection: Connection, lease: Lease) -> Block:
    """The block as its process needs it. Every attempt gets the same cards and seeds, and tickets of its own."""
    row = connection.cursor(row_factory=class_row(_Facts)).execute(SQL["tournament_of_block"], {"block": lease.block})
    facts = row.fetchone()
    assert facts is not None
    cursor = connection.cursor(row_factory=class_row(Frozen))
    frozen = {entry.bot: entry for entry in cursor.execute(SQL["frozen_entries"], {"tournament": facts.name})}
    hashes = [units.entry_hash(entry.bot, entry.version, entry.content_hash) for entry in frozen.values()]
    working = units.working_seed(facts.secret, hashes)
    kind = UnitKind(facts.kind)
    rotations = kind.rotations(facts.seats, len(facts.entries))
    return Block(
        id=lease.block,
        attempt=str(lease.token),
        tournament=facts.name,
        game=facts.game,
        engine=facts.engine,
        seats=facts.seats,
        options=facts.options,
        limits=BlockLimits(
            facts.move_ms,
            facts.bank_ms,
            facts.max_faults,
            facts.startup_ms,
            facts.increment_ms,
            tuple(facts.phase_ms),
        ),
        kind=kind,
        rotations=rotations,
        players=tuple(frozen[bot].player(bot) for bot in facts.entries),
        units=tuple(
            units.plan(working, unit, facts.seats, kind, tables=rotations)
            for unit in range(facts.first_unit, facts.first_unit + facts.units)
        ),
        commitment=facts.commitment,
    )


def fetch_bots(connection: Connection, block: Block, shelf: Shelf, held: ExitStack) -> None:
    """Puts the files of every hosted bot of the block on the shelf, where they are not there yet; there they stay until
    ``held`` is closed.

    :raises NotFound: if the database has no archive of a bot.
    :raises ArchiveError: if an archive is refused.
    :raises UnpackError: if an archive cannot be unpacked on this host.
    """

    def fetch(content_hash: str) -> bytes:
        row = connection.execute(SQL["archive"], {"content_hash": content_hash}).fetchone()
        if row is None:
            raise NotFound(f"there is no archive {content_hash}: submit the bot again")
        return bytes(row[0])

    for content_hash in {player.content_hash for player in block.players if player.kind is PlayerKind.HOSTED}:
        held.callback(os.close, shelf.take(content_hash, functools.partial(fetch, content_hash)))


@dataclass(frozen=True, slots=True)
class Frozen:
    """A version that plays; ``content_hash`` is empty for a remote bot."""

    bot: str
    version: int
    content_hash: str
    kind: str
    house: bool
    batch: int

    def player(self, entry: str) -> Player:
        """The version as a player of a block, with a new ticket."""
        return Player(
            entry=entry,
            bot=self.bot,
            version=self.version,
            content_hash=self.content_hash,
            kind=PlayerKind(self.kind),
            house=self.house,
            batch=self.batch,
            ticket=secrets.token_urlsafe(32),
        )


@dataclass(frozen=True, slots=True)
class _Facts:
    name: str
    game: str
    seats: int
    options: dict[str, Any]
    move_ms: int
    bank_ms: int
    max_faults: int
    startup_ms: int
    increment_ms: int
    phase_ms: list[int]
    secret: bytes
    commitment: bytes
    engine: str
    entries: list[str]
    kind: str
    first_unit: int
    units: int
