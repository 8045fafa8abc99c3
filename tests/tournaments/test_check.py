"""`arena bot check` at home and a worker at the server say the same of the same bot."""

import re
import sys
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import asdict
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from arena.store import connect
from arena.store.bots import find_version, submit_version
from arena.store.people import HOUSE, User, add_user
from arena.tournaments import admission, worker
from arena.tournaments.block import Block
from arena.tournaments.check import check_folder
from arena.tournaments.door import carry
from arena.tournaments.worker import Settings
from bots import house
from sandbox.archive import ArchiveError

MANIFEST = 'name = "{name}"\nentry = "main.py"\ngames = ["minus_one"]\n'
PLAYS = """
import sys
from arena.bot import Turn, run

turns = 0

def choose(turn: Turn) -> int:
    global turns
    turns += 1
    {does}
    return turn.legal[0]

if __name__ == "__main__":
    run(choose, name="any", games=["minus_one"])
"""

BOTS: dict[str, tuple[dict[str, str | None], str]] = {
    "no-games": ({"bot.toml": 'name = "no-games"\nentry = "main.py"\n'}, "bot.toml lacks the key 'games'"),
    "odd-game": ({"bot.toml": MANIFEST.replace("minus_one", "chess")}, "bot.toml names the game 'chess'"),
    "no-entry": ({"main.py": None}, "the entry point 'main.py' is not in the bot's folder"),
    "hides-ours": ({"engine.py": ""}, "'engine.py' hides the arena's own module"),
    "not-python": (
        {"main.py": "def choose(:\n"},
        "turns 0, 1, 2: GONE, The bot's process ended by itself with code 1.",
    ),
    "falls-at-once": ({"main.py": "raise SystemExit(3)\n"}, "GONE, The bot's process ended by itself with code 3."),
    "falls-at-turn-3": (
        {"main.py": PLAYS.format(does="assert turns < 3, 'this is too much'")},
        "turns 2, 3, 4: GONE, The bot's process ended by itself with code 1.",
    ),
    "illegal": ({"main.py": PLAYS.format(does="return 199")}, "turn 0: ILLEGAL, There is no action 199"),
    "slow": ({"main.py": PLAYS.format(does="import time; time.sleep(1000)")}, "LATE"),
    "large": ({"main.py": PLAYS.format(does="x = [bytes([1]) * (1 << 20) for _ in range(4096)]")}, "GONE, The bot's"),
    "loud": ({"main.py": PLAYS.format(does="[print('x' * 4096) for _ in range(10 ** 6)]")}, "LATE"),
}


class Said(NamedTuple):
    """What was said of a bot; numbers that differ from match to match are left out."""

    admitted: bool
    reason: str
    ended: str


def without_numbers(text: str) -> str:
    return re.sub(r"\d[\d.,]*(?= (ms|MiB|s|more|bytes)\b)", "N", text)


def at_the_server(settings: Settings, folder: Path) -> Said:
    """What the service does with an upload, and then a worker."""
    try:
        archive, manifest, content = carry(folder)
    except ArchiveError as error:
        return Said(False, str(error), "")
    with connect(settings.database_url) as connection:
        version = submit_version(
            connection,
            User("author", admin=False),
            name=manifest.name,
            content_hash=content,
            archive=archive,
            manifest=asdict(manifest),
            request_id="",
        )
    worker.validate_version(settings, version.id)
    with connect(settings.database_url) as connection:
        judged = find_version(connection, manifest.name)
    assert judged is not None
    assert judged.state in ("active", "rejected")
    return Said(judged.state == "active", without_numbers(judged.reason), without_numbers(first_line(judged.log)))


def at_home(folder: Path) -> Said:
    verdict = check_folder(folder)
    return Said(verdict.admitted, without_numbers(verdict.reason), without_numbers(first_line(verdict.log)))


def first_line(log: str) -> str:
    return log.partition("\n")[0]


def write(folder: Path, name: str, files: dict[str, str | None]) -> Path:
    place = folder / name
    place.mkdir()
    whole: dict[str, str | None] = {"bot.toml": MANIFEST.format(name=name), "main.py": PLAYS.format(does="pass")}
    for path, text in {**whole, **files}.items():
        if text is not None:
            (place / path).write_text(text.replace("{name}", name))
    return place


@pytest.fixture
def settings(database_url: str, short_dir: Path) -> Settings:
    return with_house_bots(database_url, short_dir)


def with_house_bots(database_url: str, short_dir: Path) -> Settings:
    """A worker at a database in which the house bots are active."""
    with connect(database_url) as connection:
        for name in (HOUSE, "author"):
            add_user(connection, name)
        for entry in house.ENTRIES:
            archive, manifest, content = carry(house.folder(entry, short_dir))
            submit_version(
                connection,
                User(HOUSE, admin=False),
                name=entry.name,
                content_hash=content,
                archive=archive,
                manifest=asdict(manifest),
                request_id="",
            )
        connection.execute("UPDATE versions SET state = 'active'")
    return Settings(database_url, short_dir / "bots", (sys.executable, "-m", "arena.tournaments.play_block"))


@pytest.mark.long
def test_home_and_server_say_the_same_of_every_bad_bot(settings: Settings, tmp_path: Path) -> None:
    folders = {name: write(tmp_path, name, files) for name, (files, _) in BOTS.items()}
    first = sorted(BOTS, key=lambda name: name not in ("slow", "loud"))  # they wait longest, and do little
    said: dict[str, tuple[Future[Said], Future[Said]]] = {}
    with ThreadPoolExecutor(6) as pool:
        for name in first:
            said[name] = pool.submit(at_home, folders[name]), pool.submit(at_the_server, settings, folders[name])
    for name, (_, sentence) in BOTS.items():
        home, server = (future.result() for future in said[name])
        assert home == server
        assert not home.admitted
        assert sentence in home.reason, name


def test_home_and_server_seat_the_same_opponents_under_the_same_clock(settings: Settings, tmp_path: Path) -> None:
    folder = write(tmp_path, "good", {})
    blocks: list[Block] = []
    trial = admission.trial

    def seen(*words: Any, **names: Any) -> Block:
        blocks.append(trial(*words, **names))
        return blocks[-1]

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(admission, "trial", seen)
        assert at_home(folder).admitted
        assert at_the_server(settings, folder).admitted
    home, server = blocks
    assert home.limits == server.limits
    assert (home.game, home.options, home.kind, len(home.units)) == (
        server.game,
        server.options,
        server.kind,
        len(server.units),
    )
    seated = [
        [(player.entry, player.content_hash, player.batch, player.kind) for player in one.players] for one in blocks
    ]
    assert seated[0] == seated[1]
