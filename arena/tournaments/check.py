"""What the server does with a submission, done on the author's own machine. Knows no database and no broker."""

import secrets
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path

import engine
from arena.errors import Unavailable
from arena.tournaments import admission, attempt
from arena.tournaments.admission import Verdict
from arena.tournaments.attempt import Played
from arena.tournaments.block import Player, PlayerKind
from arena.tournaments.door import carry
from bots import house
from sandbox.archive import ArchiveError, content_hash, extract, pack, read_manifest


def check_folder(folder: Path, tell: Callable[[str], None] = lambda _: None) -> Verdict:
    """Packs the folder, looks at the archive as the server does, and plays a match of every game against house bots in
    cells. ``tell`` is given a few words whenever the work has gone on.

    :raises BadRequest: if there is no such folder.
    :raises Unavailable: if no match can be played on this machine.
    """
    with tempfile.TemporaryDirectory(prefix="arena-check-") as directory:
        bots_dir = Path(directory)
        try:
            archive, manifest, _ = carry(folder)
        except ArchiveError as error:
            return Verdict(False, str(error), "")
        candidate = _unpack(archive, bots_dir, manifest.name, house=False, batch=manifest.batch)
        verdicts: list[Verdict] = []
        for name in manifest.games:
            tell(f"playing {name}")
            game = engine.load(name)
            opponents = [entry for entry in house.ENTRIES if name in entry.games and entry.name != manifest.name]
            players = [_house_player(entry, bots_dir) for entry in opponents]
            block = admission.trial(game, candidate, players, block=1, attempt=secrets.token_hex(16))
            outcome = attempt.play(
                (sys.executable, "-m", "arena.tournaments.play_block", str(bots_dir)),
                block,
                silence_s=admission.SILENCE_MS / 1000,
                tell=_counting(tell, name),
                stopped=lambda: "",
            )
            if not isinstance(outcome, Played):
                raise Unavailable(f"no match can be played on this machine: {getattr(outcome, 'reason', 'stopped')}")
            verdicts.append(admission.judge(block, manifest.name, outcome.reports, outcome.logs))
            if not verdicts[-1].admitted:
                break
        return admission.together(verdicts)


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
