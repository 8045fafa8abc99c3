"""What the server does with a submission, done on the author's own machine. Knows no database and no broker."""

import secrets
import sys
import tempfile
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import engine
from arena.errors import BadRequest, Unavailable
from arena.tournaments import admission, attempt
from arena.tournaments.admission import Verdict
from arena.tournaments.attempt import Played
from arena.tournaments.block import Player, PlayerKind
from bots import house
from sandbox.archive import ArchiveError, content_hash, extract, pack, read_manifest


def check_folder(folder: Path, tell: Callable[[str], None] = lambda _: None) -> Verdict:
    """Packs the folder, opens the archive as strictly as the server, and plays a match of every game against house bots
    in cells. ``tell`` is given a few words whenever the work has gone on.

    :raises BadRequest: if the archive would be refused.
    :raises Unavailable: if no match can be played on this machine.
    """
    with tempfile.TemporaryDirectory(prefix="arena-check-") as directory:
        bots_dir = Path(directory)
        bots_dir.chmod(0o755)
        try:
            archive = pack(folder)
            manifest = read_manifest(archive)
            candidate = _unpack(archive, bots_dir, manifest.name, house=False, batch=manifest.batch)
        except ArchiveError as error:
            raise BadRequest(f"{folder} is no bot: {error}") from error
        logs = []
        for name in manifest.games:
            if name not in engine.GAMES:
                raise BadRequest(f"bot.toml names the game '{name}'; games are {', '.join(sorted(engine.GAMES))}")
        for name in manifest.games:
            tell(f"playing {name}")
            game = engine.load(name)
            opponents = [entry for entry in house.ENTRIES if name in entry.games and entry.name != manifest.name]
            table = [candidate, *(_house_player(entry, bots_dir) for entry in opponents[: game.seats - 1])]
            table += [_again(candidate, number) for number in range(2, game.seats - len(table) + 2)]
            block = admission.trial(game, table, block=1, attempt=secrets.token_hex(16))
            outcome = attempt.play(
                (sys.executable, "-m", "arena.tournaments.play_block", str(bots_dir)),
                block,
                silence_s=admission.SILENCE_MS / 1000,
                tell=_counting(tell, name),
                stopped=lambda: "",
            )
            if not isinstance(outcome, Played):
                raise Unavailable(f"no match can be played on this machine: {getattr(outcome, 'reason', 'stopped')}")
            verdict = admission.judge(block, manifest.name, outcome.reports, outcome.logs)
            logs.append(verdict.log)
            if not verdict.admitted:
                return Verdict(False, verdict.reason, "\n".join(logs))
        return Verdict(True, "", "\n".join(logs))


def _counting(tell: Callable[[str], None], game: str) -> Callable[[int, int], None]:
    return lambda _matches, decisions: tell(f"playing {game}: {decisions} decisions")


def _house_player(entry: house.Entry, bots_dir: Path) -> Player:
    with tempfile.TemporaryDirectory() as directory:
        archive = pack(house.folder(entry, Path(directory)))
    return _unpack(archive, bots_dir, entry.name, house=True, batch=read_manifest(archive).batch)


def _unpack(archive: bytes, bots_dir: Path, name: str, *, house: bool, batch: int) -> Player:
    content = content_hash(archive)
    if not (bots_dir / content).exists():
        extract(archive, bots_dir / content)
    return Player(
        entry=name,
        bot=name,
        version=1,
        content_hash=content,
        kind=PlayerKind.HOSTED,
        house=house,
        batch=batch,
        ticket=secrets.token_urlsafe(32),
    )


def _again(player: Player, number: int) -> Player:
    """The candidate in one more seat, where there are too few house bots."""
    return replace(player, entry=f"{player.entry} ({number})", ticket=secrets.token_urlsafe(32))
