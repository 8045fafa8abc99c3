"""Two bots on the same cards: seats and seeds of a unit's matches, and the processes in which they are played."""

import json
from collections import Counter
from contextlib import closing
from pathlib import Path

import pytest

import engine
from arena.errors import ArenaError, BadRequest
from arena.referee.clock import UNLIMITED
from arena.tournaments.local_bots import BotFailed
from arena.tournaments.pairs import MATCHES, pair_match
from arena.tournaments.play_pairs import UNITS_PER_PROCESS, PairPlayed, PairTable, play_pairs

SEED = bytes(range(32))
GAME = engine.load("minus", 4, deals=1)


def a_bot(folder: Path, program: str) -> str:
    folder.mkdir()
    (folder / "bot.toml").write_text(f'name = "{folder.name}"\nentry = "main.py"\ngames = ["{GAME.id}"]\n')
    (folder / "main.py").write_text(program)
    return str(folder)


def table(*names: str) -> PairTable:
    return PairTable(GAME, names, UNLIMITED, SEED)


def played(of: PairTable, units: int, jobs: int = 2) -> list[PairPlayed]:
    with closing(play_pairs(of, units, jobs)) as matches:
        return sorted(matches, key=lambda one: (one.plan.unit, one.plan.match))


@pytest.mark.parametrize("seats", range(3, 8))
def test_in_the_second_match_two_change_seats_and_all_else_is_the_same(seats: int) -> None:
    for unit in range(20):
        first, second = (pair_match(SEED, unit, match, seats) for match in range(MATCHES))
        assert sorted(first.players) == list(range(seats))
        assert [{0: 1, 1: 0}.get(player, player) for player in first.players] == list(second.players)
        assert (first.seed, first.bot_seeds) == (second.seed, second.bot_seeds)


def test_every_seating_comes_and_no_deal_comes_again() -> None:
    matches = [pair_match(SEED, unit, 0, 3) for unit in range(600)]
    assert len({match.seed for match in matches}) == 600
    counts = Counter(match.players for match in matches)
    assert len(counts) == 6
    assert min(counts.values()) > 70


def test_no_process_sees_a_deal_twice_and_each_plays_some_units(tmp_path: Path) -> None:
    """Each bot writes down where it sits with which cards at its first turn of a match."""
    program = (
        "import json, os\n"
        "def choose(turn):\n"
        "    if not turn.notes:\n"
        "        turn.notes['seen'] = True\n"
        f"        with open({str(tmp_path / 'seen')!r} + f'-{{os.getpid()}}', 'a') as seen:\n"
        "            seen.write(json.dumps([turn.match_id, turn.seat, str(turn.observation.hand)]) + '\\n')\n"
        "    return turn.legal[0]\n"
    )
    units = UNITS_PER_PROCESS + 4
    played(table(a_bot(tmp_path / "one", program), "random", "random", "bold"), units)
    processes = [[json.loads(line) for line in file.read_text().splitlines()] for file in tmp_path.glob("seen-*")]
    assert sorted(map(len, processes)) == [4, 4, UNITS_PER_PROCESS, UNITS_PER_PROCESS]
    for lines in processes:
        assert len({(match_id - 1) // MATCHES for match_id, _, _ in lines}) == len(lines)
        assert len({(match_id - 1) % MATCHES for match_id, _, _ in lines}) == 1
    hands = {match_id: (seat, hand) for lines in processes for match_id, seat, hand in lines}
    # Whoever changed seats sees the other's cards.
    assert any(hands[1 + unit * MATCHES] != hands[2 + unit * MATCHES] for unit in range(units))


def test_a_bot_meets_itself_at_exactly_nothing() -> None:
    """Cards and draws belong to seats: with the same bot in both the second match is the first one over again."""
    matches = played(table("steady", "steady", "random", "sly"), 6)
    for first, second in zip(matches[::2], matches[1::2], strict=True):
        assert first.scores == second.scores
        assert first.plan.players != second.plan.players


def test_the_number_of_processes_changes_nothing() -> None:
    of = table("steady", "bold", "random", "sly")
    assert played(of, 4, jobs=1) == played(of, 4, jobs=3)


def test_a_bot_that_fails_shows_where(tmp_path: Path) -> None:
    bot = a_bot(tmp_path / "bad", "def choose(turn):\n    return {}[turn.number]\n")
    with pytest.raises(BotFailed, match="failed at turn") as failed:
        played(table("steady", bot, "random", "sly"), 2)
    assert "return {}[turn.number]" in failed.value.trace


def test_a_bot_that_ends_its_process_is_told_of(tmp_path: Path) -> None:
    bot = a_bot(tmp_path / "gone", "import os\ndef choose(turn):\n    os._exit(5)\n")
    with pytest.raises(ArenaError, match="ended the process that it plays in, with code 5"):
        played(table("steady", bot, "random", "sly"), 2)


def test_a_name_that_nobody_has_is_wrong_use() -> None:
    with pytest.raises(BadRequest, match="there is no bot 'nobody'"):
        played(table("steady", "nobody", "random", "sly"), 2)
