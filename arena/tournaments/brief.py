"""What the process of a block is told: the block with its players and seeds, and the bots' files. Knows no process."""

import secrets
import shutil
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from psycopg.rows import class_row

from arena.errors import NotFound
from arena.store import Connection
from arena.store.sql import statements
from arena.tournaments import units
from arena.tournaments.block import Block, BlockLimits, Player, PlayerKind, UnitKind
from arena.tournaments.ledger import Lease
from sandbox import archive

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
        rotations=facts.seats if kind is UnitKind.ROTATION else 1,
        players=tuple(frozen[bot].player(bot) for bot in facts.entries),
        units=tuple(
            units.plan(working, unit, facts.seats, kind)
            for unit in range(facts.first_unit, facts.first_unit + facts.units)
        ),
        commitment=facts.commitment,
    )


def fetch_bots(connection: Connection, block: Block, bots_dir: Path) -> None:
    """Puts the files of every hosted bot of the block into ``bots_dir/CONTENT_HASH``, where they are not there yet.

    :raises NotFound: if the database has no archive of a bot.
    :raises ArchiveError: if an archive is refused.
    """
    bots_dir.mkdir(mode=0o700, parents=True, exist_ok=True)
    # The folders in it are open, for the users of the cells, who find them elsewhere; other users of this host have no
    # business with the work of strangers.
    bots_dir.chmod(0o700)
    for content_hash in {player.content_hash for player in block.players if player.kind is PlayerKind.HOSTED}:
        folder = bots_dir / content_hash
        if folder.exists():
            continue
        row = connection.execute(SQL["archive"], {"content_hash": content_hash}).fetchone()
        if row is None:
            raise NotFound(f"there is no archive {content_hash}: submit the bot again")
        # Extracted aside and renamed, so that two workers of a host, or one that is killed, leave whole folders only.
        unfinished = bots_dir / f"{content_hash}.{secrets.token_hex(4)}"
        try:
            archive.extract(bytes(row[0]), unfinished)
            unfinished.rename(folder)
        except OSError:
            if not folder.exists():
                raise
        finally:
            shutil.rmtree(unfinished, ignore_errors=True)


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
